"""Games between friends: the rules of a room, the service that runs rooms, and the live feed."""
