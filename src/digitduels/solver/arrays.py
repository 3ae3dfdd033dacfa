"""A compiled game as arrays: the one form that everything compiled reads, apart from the solver's own layout.

A position is an index: `(table * hands + hand of the waiting player) * hands + hand of the player to move`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.core import Side, State
from digitduels.games import AnyGame
from digitduels.solver.compiled import DRAWN, ILLEGAL, LOST, WON, Compiled
from digitduels.solver.endings import endings

Indices = npt.NDArray[np.int64]
MOST_TABLES = 1 << 62  # their indices have 64 bits


class Arrays(NamedTuple):
    """What moves do to hands and pools. Hands that end the game come after all other hands."""

    own: npt.NDArray[np.int32]
    """[hand, move]: the mover's hand after the move; below 0 if the move is illegal or leads outside."""
    other: npt.NDArray[np.int32]
    """[hand, move]: the other player's hand after the move."""
    ways: npt.NDArray[np.int32]
    """[hand, move]: how many moves lead to the same position as this one; 0 if it is illegal, or not the first."""
    ends: npt.NDArray[np.int32]
    """[hand that ends the game]: WON, DRAWN or LOST for its owner."""
    takes: npt.NDArray[np.uint8]
    """[move, digit]: how many of each number the move takes from the pool."""
    weights: npt.NDArray[np.int64]
    """[digit]: what one copy of the number adds to the index of a pool."""
    needs: npt.NDArray[np.int64]
    """[move]: by how much it lowers the index of the pool."""
    base: int
    """One more than the maximum number of copies of a number."""


def arrays(compiled: Compiled) -> tuple[Arrays, list[Hashable]]:
    """The arrays of a game, and all hands that their indices refer to."""
    own, ends = _with_endings(compiled)
    result = Arrays(
        own=own,
        other=np.ascontiguousarray(compiled.other.T),
        ways=_ways(compiled, own),
        ends=np.array(list(ends.values()), np.int32),
        takes=compiled.takes.astype(np.uint8),
        weights=compiled.weights,
        needs=np.array(compiled.needs, np.int64),
        base=compiled.base,
    )
    return result, [*compiled.hands, *ends]


class Finals(NamedTuple):
    """The results for the waiting player at tables without moves: those of `Endings`."""

    tables: npt.NDArray[np.int64]
    """[row]: the index of the table, ascending."""
    scores: npt.NDArray[np.int32]
    """[hand]: the index of its final score in ascending order."""
    by_score: npt.NDArray[np.int8]
    """[row, comparison]: if the waiting player has an equal final score, a higher one, a lower one; or empty."""
    by_hands: npt.NDArray[np.int8]
    """[row, hand of the waiting player, hand to move], if more than the final score counts; else empty."""


def final_results(compiled: Compiled) -> Finals:
    """The results of a game at tables without moves; raises DoesNotFactor if there is none."""
    results, hands = endings(compiled), len(compiled.hands)
    return Finals(
        tables=np.array([*results.by_score, *results.by_hands], np.int64),
        scores=np.array(results.scores, np.int32),
        by_score=np.array([*results.by_score.values()], np.int8).reshape(-1, 3),
        by_hands=np.array([*results.by_hands.values()], np.int8).reshape(-1, hands, hands),
    )


def _with_endings(compiled: Compiled) -> tuple[npt.NDArray[np.int32], dict[Hashable, int]]:
    """`own` as [hand, move] with indices for hands that end the game as well, and those hands with their results."""
    game, start = compiled.game, compiled.game.start()
    own = compiled.own.T.copy()
    numbers: dict[Hashable, int] = {}
    ends: dict[Hashable, int] = {}
    for hand, move in np.argwhere(np.isin(own, (WON, DRAWN, LOST))).tolist():
        state = State(0, (compiled.hands[hand], start.mine), start.table)
        after = game.after(state, game.moves[move]).hands[0]
        if after not in numbers:
            numbers[after] = len(compiled.hands) + len(numbers)
            ends[after] = int(own[hand, move])
        own[hand, move] = numbers[after]
    return own, ends


def _ways(compiled: Compiled, own: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """[hand, move]: how many moves take the same numbers and have the same effect; 0 for all but the first of them."""
    takes, others = np.array(compiled.distinct_takes[1]), np.array(compiled.distinct_others[1])
    hands, moves = np.nonzero(own >= 0)
    keys = (hands * len(takes) + takes[moves]) * (len(takes) + 1) + others[moves]
    keys = keys * (int(own.max()) + 1) + own[hands, moves]
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    ways = np.zeros(own.shape, np.int32)
    ways[hands[first], moves[first]] = counts
    return ways


def sides(game: AnyGame, hands: Iterable[Hashable]) -> list[Side]:
    """What people see of each hand."""
    start = game.start()
    return [game.board(State(0, (hand, start.theirs), start.table)).hands[0] for hand in hands]


def split(compiled: Compiled, indices: Indices) -> tuple[Indices, Indices, Indices]:
    """Splits positions into table, hand of the player to move, and hand of the waiting player."""
    hands = len(compiled.hands)
    return indices // (hands * hands), indices % hands, indices // hands % hands


def counts(compiled: Compiled, tables: Any) -> npt.NDArray[np.int64]:
    """[…, digit]: how many copies of each number the pools with these indices hold."""
    held: npt.NDArray[np.int64] = np.asarray(tables)[..., None] // compiled.weights % compiled.base
    return held


def affordable(compiled: Compiled, held: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """[pool, move]: whether pools with these counts hold what the move takes."""
    possible = np.ones((len(held), len(compiled.takes)), np.bool_)
    for move, takes in enumerate(compiled.takes):
        possible[:, move] = (held >= takes).all(axis=1)
    return possible


def legal_moves(compiled: Compiled, indices: Indices) -> npt.NDArray[np.bool_]:
    """[position, move]: whether the move is legal. No move is legal in a finished game."""
    table, mine, _ = split(compiled, indices)
    legal: npt.NDArray[np.bool_] = affordable(compiled, counts(compiled, table)) & (compiled.own.T[mine] != ILLEGAL)
    return legal
