"""The command line: `duels`."""
