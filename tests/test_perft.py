"""Perft: the number of move sequences of each length, and of the positions after them. A wrong rule changes a count.

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
    ("numerical-nexus", [7, 49, 301, 1849, 10105, 55225, 268812], [6, 39, 191, 894, 3460, 13140]),
    ("operation-target", [2, 4, 4, 4, 4, 4, 3, 1, 0], [2, 4, 4, 4, 4, 4, 3, 1]),
    ("number-duel", [20, 400, 7920, 153296, 2896192], [20, 355, 3965, 40360]),
    ("equation-duel", [288, 47040, 3656320], [200, 19156]),
    pytest.param(
        "equation-duel", [288, 47040, 3656320, 82570368, 0], [200, 19156, 134163, 53873], marks=pytest.mark.long
    ),
    ("number-quest", [36, 1296, 46080, 1591424], [18, 288, 3881]),
]


def perft(game: AnyGame, depth: int) -> tuple[list[int], list[int]]:
    """The number of sequences of 1, 2, … moves, and of the different positions after each but the longest."""
    level: Counter[State[Any, Any]] = Counter([game.start()])
    sequences, positions = [len(game.legal_moves(game.start()))], []
    for _ in range(depth - 1):
        following: Counter[State[Any, Any]] = Counter()
        for state, ways in level.items():
            for move in game.legal_moves(state):
                following[game.after(state, move)] += ways
        level = following
        positions.append(len(level))
        sequences.append(sum(ways * len(game.legal_moves(state)) for state, ways in level.items()))
    return sequences, positions


@pytest.mark.parametrize(("name", "sequences", "positions"), COUNTS)
def test_the_numbers_of_move_sequences_and_positions_are_known(
    name: str, sequences: list[int], positions: list[int]
) -> None:
    assert perft(dd.game(name), len(sequences)) == (sequences, positions)
