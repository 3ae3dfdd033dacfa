"""Words that hints, reviews and puzzles share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

VALUES = {1: "win", 0: "draw", -1: "loss"}
_SHOWN = 3  # moves that are named before the rest is counted


def some(moves: Sequence[Any], joint: str) -> str:
    """Some moves in a row, the first few by name.

    >>> some(["+5"], "or"), some(["+5", "x2"], "and"), some(["+1", "+2", "+3", "+4", "+5"], "or")
    ('+5', '+5 and x2', '+1, +2 or 3 others')
    """
    shown = [str(move) for move in moves]
    if len(shown) > _SHOWN:
        shown = [*shown[: _SHOWN - 1], f"{len(shown) - _SHOWN + 1} others"]
    return f" {joint} ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
