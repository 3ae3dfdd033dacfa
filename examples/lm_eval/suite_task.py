"""The positions of suite-v1 as a task of lm-eval: one answer in each position, without a second try."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from digitduels.core import IllegalMove, InvalidMove
from digitduels.evals import protocol
from digitduels.evals.suite import read_suite

SUITE = read_suite()


def entries() -> list[dict[str, Any]]:
    """The positions with their rules, prompts and the moves that keep their value."""
    return [
        {
            "id": item["id"],
            "rules": SUITE.variants[item["variant"]]["rules"],
            "prompt": item["prompt"],
            "keeping": item["keeping"],
            "chance": len(item["keeping"]) / item["legal"],
        }
        for item in SUITE.positions
    ]


def documents(**_: object) -> dict[str, Any]:
    """The entries as lm-eval expects them: a dataset by split."""
    from datasets import Dataset

    return {"test": Dataset.from_list(entries())}


def graded(document: Mapping[str, Any], replies: Sequence[str]) -> dict[str, Any]:
    """Whether a reply has a legal move, and whether that keeps the value. The reply's last JSON object counts."""
    item = next(item for item in SUITE.positions if item["id"] == document["id"])
    match = SUITE.match(item)
    try:
        move = str(protocol.legal(match.game, match.state, protocol.chosen(replies[0])))
    except (InvalidMove, IllegalMove):
        move = None
    found = float(move in document["keeping"])
    return {"skill": (found, document["chance"]), "found": found, "legal": float(move is not None)}


def skill(pairs: Iterable[tuple[float, float]]) -> float:
    """0 for a random mover, 1 for no mistake."""
    found, chance = zip(*pairs, strict=True)
    return (sum(found) - sum(chance)) / (len(chance) - sum(chance))
