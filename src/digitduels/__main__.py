"""`python -m digitduels` is `duels`."""

from digitduels.cli.main import main

if __name__ == "__main__":
    code = main()
    # If Ctrl-C interrupts an `exec`, Python ends with the signal instead of our code, until the next `exec`.
    exec("")  # noqa: S102
    raise SystemExit(code)
