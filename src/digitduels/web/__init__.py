"""The server and its page: `duels serve`."""
