"""Event streams: how they are stored, cached, changed and published. Rooms and classes are two kinds of them."""
