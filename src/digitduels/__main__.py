"""`python -m digitduels` is `duels`."""

from digitduels.terminal.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
