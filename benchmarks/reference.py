"""The reference rows of the suite: the skill of our players, from their exact move probabilities."""

from __future__ import annotations

from pathlib import Path

from digitduels.evals.suite import SUITE, read_suite
from digitduels.evals.suite_results import markdown, reference
from digitduels.players.levels import LEVELS_VERSION

PAGE = "suite.md"


def table(file: Path = SUITE) -> str:
    suite = read_suite(file)
    rows = markdown(suite, reference(suite), exact=True)
    return f"{rows}\nLevels of version {LEVELS_VERSION}; suite with the SHA-256 `{suite.sha256[:12]}…`."
