"""Perft: the number of move sequences of each length. A wrong rule changes a count.

The counts were confirmed by a second program that shares no code with this one.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import digitduels as dd
from digitduels.core import State
from digitduels.games import AnyGame

COUNTS: list[Any] = [
    ("numerical-nexus", {}, [7, 49, 301, 1849, 10105, 55225, 268812]),
    ("operation-target", {}, [2, 4, 4, 4, 4, 4, 3, 1, 0]),
    ("number-duel", {}, [20, 400, 7920, 153296, 2896192]),
    ("equation-duel", {}, [288, 47040, 3656320]),
    pytest.param("equation-duel", {}, [288, 47040, 3656320, 82570368, 0], marks=pytest.mark.long),
    ("number-quest", {}, [36, 1296, 46080, 1591424]),
]


def perft(game: AnyGame, depth: int) -> list[int]:
    """The number of sequences of 1, 2, … moves. Equal positions are counted together."""
    level: Counter[State[Any, Any]] = Counter([game.start()])
    counts = [len(game.legal_moves(game.start()))]
    for _ in range(depth - 1):
        following: Counter[State[Any, Any]] = Counter()
        for state, ways in level.items():
            for move in game.legal_moves(state):
                following[game.after(state, move)] += ways
        level = following
        counts.append(sum(ways * len(game.legal_moves(state)) for state, ways in level.items()))
    return counts


@pytest.mark.parametrize(("name", "options", "counts"), COUNTS)
def test_the_number_of_move_sequences_is_known(name: str, options: dict[str, Any], counts: list[int]) -> None:
    assert perft(dd.game(name, **options), len(counts)) == counts
