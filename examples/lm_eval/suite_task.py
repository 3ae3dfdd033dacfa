"""The positions of suite-v1 as an lm-eval task: one answer per position, without retries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from digitduels.arena import grading
from digitduels.core import IllegalMove, InvalidMove
from digitduels.evals import protocol
from digitduels.evals.dataset import reached
from digitduels.evals.suite import read_suite


def documents(**_: object) -> dict[str, Any]:
    """The positions as lm-eval expects them: a dictionary of datasets by split."""
    from datasets import Dataset

    return {"test": Dataset.from_list(list(read_suite().rows()))}


def graded(document: Mapping[str, Any], replies: Sequence[str]) -> dict[str, Any]:
    """Grades a reply: whether its last JSON object gives a legal move, and whether that keeps the value."""
    try:
        move = str(protocol.move(reached(document), replies[0]))
    except (InvalidMove, IllegalMove):
        move = None
    found = float(move in document["keeping"])
    return {"skill": (found, document["chance"]), "found": found, "legal": float(move is not None)}


def skill(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Skill: 0 for a random mover, 1 for no mistake."""
    return grading.skill(grading.Grade(critical=1, found=int(found), chance=chance) for found, chance in pairs)["value"]
