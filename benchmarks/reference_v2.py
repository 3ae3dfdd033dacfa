"""The reference rows of suite-v2, as reference.py writes those of suite-v1."""

from __future__ import annotations

from benchmarks import reference
from digitduels.evals.suite import SUITE_V2

PAGE = reference.PAGE


def table() -> str:
    return reference.table(SUITE_V2)
