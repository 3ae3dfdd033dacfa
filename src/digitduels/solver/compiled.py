"""A game in integers: its hands, its tables, and what every move does to them.

A move changes the mover's hand, the other hand and the table, each independently of the others. So a few small maps
describe a game: `own[move][hand]`, `other[move][hand]`, and the numbers that each move takes from the pool.
discovery.py finds them by asking the rules, and factoring.py checks that the moves of a game do factor like that.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.pool import Pool

Ints = npt.NDArray[np.int32]

# Values in `own` that are not hands
ILLEGAL = -1  # the rules forbid the move with this hand
WON, DRAWN, LOST = -2, -3, -4  # the move ends the game with this result for the player who makes it
OUTSIDE = -5  # the move leads to a hand that is not compiled; see Compiled.contains


class DoesNotFactor(Exception):
    """The moves of a game do not change hands and table independently."""


@dataclass(frozen=True)
class Compiled:
    """A game in integers. A position is (table, hand of the player to move, hand of the waiting player)."""

    game: AnyGame
    hands: list[Hashable]
    """The hands that do not end the game, in the order of `rank`."""
    own: Ints
    """[move, hand]: the mover's hand after a move, or one of the negative numbers above."""
    other: Ints
    """[move, hand]: the other player's hand after a move."""
    takes: npt.NDArray[np.int64]
    """[move, digit]: how many of each number a move takes from the pool. A table that never changes has no digits."""
    copies: int
    """The maximum number of copies of a number in the pool."""
    rank: Ints
    """[hand]: a bound. A move that leaves the table unchanged lowers it for the mover and never raises it otherwise."""
    stuck: Ints
    """[hand]: WON, DRAWN or LOST for a mover who has no move with this hand in any pool, else 0."""
    depth: Ints | None
    """[hand]: how many moves its owner needs to reach it; None if no move leads to a hand that is not compiled."""

    @cached_property
    def base(self) -> int:
        return self.copies + 1

    @cached_property
    def digits(self) -> int:
        return int(self.takes.shape[1])

    @cached_property
    def tables(self) -> int:
        return int(self.base**self.digits)

    @cached_property
    def positions(self) -> int:
        return self.tables * len(self.hands) ** 2

    @property
    def longest(self) -> int:
        """The maximum number of moves from any position to the end, reachable or not."""
        taken = self.takes.sum(axis=1)
        takes = self.copies * self.digits // int(taken[taken > 0].min()) if taken.any() else 0
        # Between two moves that take from the pool, each hand's rank can fall from the highest to the lowest.
        return takes + 2 * int(self.rank.max()) * (takes + 1)

    @cached_property
    def indices(self) -> dict[Hashable, int]:
        """The index of each hand."""
        return {hand: index for index, hand in enumerate(self.hands)}

    @cached_property
    def weights(self) -> npt.NDArray[np.int64]:
        """What one copy of each number adds to the index of a pool."""
        return np.array([self.base**digit for digit in range(self.digits)], np.int64)

    @cached_property
    def needs(self) -> list[int]:
        """[move]: by how much it lowers the index of the pool."""
        return [int(need) for need in self.takes @ self.weights]

    def affordable(self, counts: Sequence[int]) -> npt.NDArray[np.bool_]:
        """[move]: whether a pool with these counts holds what it takes."""
        enough: npt.NDArray[np.bool_] = np.logical_and.reduce(self.takes <= counts, axis=1)
        return enough

    def table(self, index: int) -> Any:
        """The table with this index."""
        if not self.digits:
            return self.game.start().table
        return Pool(tuple(index // self.base**digit % self.base for digit in range(self.digits)), self.copies)

    def state(self, table: int, mine: int, theirs: int, player: int = 0) -> State[Any, Any]:
        """The position with these indices, `player` to move."""
        hands = (self.hands[mine], self.hands[theirs])
        return State(player, hands if player == 0 else hands[::-1], self.table(table))

    def contains(self, table: int, mine: int, theirs: int) -> bool:
        """Whether everything that can follow from a position is compiled as well."""
        if self.depth is None:
            return True
        left, longest = self._plies(table), self.game.longest
        return bool(self.depth[mine] + (left + 1) // 2 <= longest and self.depth[theirs] + left // 2 <= longest)

    def _plies(self, table: int) -> int:
        """The maximum number of moves left at a table."""
        held = 0
        while table:
            table, count = divmod(table, self.base)
            held += count
        return held // self._shortest

    @cached_property
    def _shortest(self) -> int:
        """How many numbers a move takes at least."""
        return int(self.takes.sum(axis=1).min())

    def known(self, table: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """The hands of the mover, and of the waiting player, for which everything that can follow is compiled."""
        if self.depth is None:
            everything = np.ones(len(self.hands), np.bool_)
            return everything, everything
        left = self._plies(table)
        spare = self.game.longest - self.depth
        return (left + 1) // 2 <= spare, left // 2 <= spare


def ending_for(winner: int | None, player: int) -> int:
    """The result of a finished game for a player: WON, DRAWN or LOST."""
    return DRAWN if winner is None else WON if winner == player else LOST


def distinct(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """The distinct rows in order of first appearance, and the index of each row among them."""
    indices: dict[bytes, int] = {}
    which = np.array([indices.setdefault(row.tobytes(), len(indices)) for row in rows], np.int64)
    return rows[np.unique(which, return_index=True)[1]], which
