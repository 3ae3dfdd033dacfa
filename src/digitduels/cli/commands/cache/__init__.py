"""`duels cache`: the solved games on disk."""

COMMANDS = {
    "list": "List the solved games in the cache, with their sizes.",
    "verify": "Compare every table in the cache with its checksums.",
    "clear": "Delete all tables from the cache. They are rebuilt when they are needed.",
}
DEFAULT = "list"
EXAMPLES = ("duels cache", "duels cache verify", "duels cache clear")
