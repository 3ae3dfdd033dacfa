"""The commands of `duels`: one module each, with its parser (`add`) and what it does (`run`).

A module imports at the top only what is quick to import. Numpy, Rich, FastAPI and Inspect are imported where they are
used.
"""
