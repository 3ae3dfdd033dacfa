"""The commands of `duels`: one module each, with its EXAMPLES, `add_arguments(parser)` and `run(arguments)`.

A command with subcommands is a package whose modules are such commands. It lists them in COMMANDS, as this package
does, so that a help page shows the summaries without importing any of them. DEFAULT is the one that runs if none is
named; without it, the help is shown. Slow imports such as NumPy, Rich, Starlette and Inspect are inside the functions
that use them.
"""

COMMANDS = {
    "play": "Play a game: two people at one keyboard, or you against the computer.",
    "resume": "Resume a saved game: the last unfinished one, or the one you name.",
    "saved": "List the saved games, or delete some.",
    "games": "List the games and the levels of the computer.",
    "rules": "Show the rules, options and rulings of a game.",
    "solve": "Show who wins a position, how soon, and with which moves.",
    "cache": "List the solved games in the cache, verify them, or delete them.",
    "review": "Explain what decided a game, and try its turning points again.",
    "puzzle": "Find the one move that wins, or print a sheet of such puzzles.",
    "match": "Let two players play each other, in both seats.",
    "tournament": "Let every player play every other, in both seats.",
    "lab": "Measure how fair and deep a rule set is, and search for better ones.",
    "serve": "Play in the browser: starts a server on this machine.",
    "class": "Teach a class: starts the server for the local network and opens its page for teachers.",
    "site": "Write a folder that plays in any browser without a server, for a web space.",
    "eval": "Show how language models did at our tasks, from Inspect logs.",
    "suite": "Run the frozen benchmark for language models, or make a private twin of it.",
    "dataset": "Write positions with the exact value of every move, for training or probing.",
    "completion": "Print a completion script for a shell.",
}
