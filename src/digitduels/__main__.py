"""`python -m digitduels` is `duels`."""

from digitduels.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
