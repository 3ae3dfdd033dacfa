"""A game in integers: its hands, its tables, and what every move does to them.

A move changes the mover's hand, the other hand and the table, each independently of the others. So a few small maps
describe a game: `own[move][hand]`, `other[move][hand]`, and the numbers that each move takes from the pool.
discovery.py finds them by asking the rules, and factoring.py checks that the moves of a game do factor like that.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import le
from typing import TYPE_CHECKING, Any, NamedTuple

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.pool import Pool
from digitduels.solver.solution import UnknownPosition

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int32]

# Values in `own` that are not hands
ILLEGAL = -1  # the rules forbid the move with this hand
WON, DRAWN, LOST = -2, -3, -4  # the move ends the game with this result for the player who makes it
OUTSIDE = -5  # the move leads to a hand that is not compiled; see Compiled.contains


class DoesNotFactor(Exception):
    """The moves of a game do not change hands and table independently."""


class Maps(NamedTuple):
    """What moves do, in arrays of the standard library: where there is no NumPy, games are compiled as well."""

    own: list[array[int]]
    """[move][hand]: the mover's hand after a move, or one of the negative numbers above."""
    other: list[array[int]]
    """[move][hand]: the other player's hand after a move."""
    takes: list[tuple[int, ...]]
    """[move][digit]: how many of each number a move takes from the pool. A table that never changes has no digits."""
    rank: array[int]
    """[hand]: a bound. A move that leaves the table unchanged lowers it for the mover and never raises it otherwise."""
    stuck: array[int]
    """[hand]: WON, DRAWN or LOST for a mover who has no move with this hand in any pool, else 0."""
    depth: array[int] | None
    """[hand]: how many moves its owner needs to reach it; None if no move leads to a hand that is not compiled."""


@dataclass(frozen=True)
class Compiled:
    """A game in integers. A position is (table, hand of the player to move, hand of the waiting player)."""

    game: AnyGame
    hands: list[Hashable]
    """The hands that do not end the game, in the order of `rank`."""
    maps: Maps
    copies: int
    """The maximum number of copies of a number in the pool."""

    @cached_property
    def base(self) -> int:
        return self.copies + 1

    @cached_property
    def digits(self) -> int:
        return len(self.maps.takes[0])

    @cached_property
    def tables(self) -> int:
        return int(self.base**self.digits)

    @cached_property
    def positions(self) -> int:
        return self.tables * len(self.hands) ** 2

    @property
    def longest(self) -> int:
        """The maximum number of moves from any position to the end, reachable or not."""
        taken = [sum(take) for take in self.maps.takes if any(take)]
        takes = self.copies * self.digits // min(taken) if taken else 0
        # Between two moves that take from the pool, each hand's rank can fall from the highest to the lowest.
        return takes + 2 * max(self.maps.rank) * (takes + 1)

    @cached_property
    def always_takes(self) -> bool:
        """Whether every move takes something from the pool."""
        return all(map(any, self.maps.takes))

    @cached_property
    def indices(self) -> dict[Hashable, int]:
        """The index of each hand."""
        return {hand: index for index, hand in enumerate(self.hands)}

    @cached_property
    def needs(self) -> list[int]:
        """[move]: by how much it lowers the index of the pool."""
        return [self.ordinal(take) for take in self.maps.takes]

    def ordinal(self, counts: Sequence[int]) -> int:
        """The index of a pool with these counts."""
        return sum(count * self.base**digit for digit, count in enumerate(counts))

    @cached_property
    def distinct_takes(self) -> tuple[list[tuple[int, ...]], list[int]]:
        """The distinct takes, and [move]: the index of its take among them."""
        indices: dict[tuple[int, ...], int] = {}
        which = [indices.setdefault(take, len(indices)) for take in self.maps.takes]
        return list(indices), which

    @cached_property
    def distinct_others(self) -> tuple[list[array[int]], list[int]]:
        """The distinct maps in `other`, after the one that changes nothing, and [move]: the index of its map."""
        indices = {array("i", range(len(self.hands))).tobytes(): 0}
        which = [indices.setdefault(row.tobytes(), len(indices)) for row in self.maps.other]
        return [array("i", row) for row in indices], which

    def affordable(self, table: Any) -> list[bool]:
        """[move]: whether a table holds what it takes."""
        takes, which = self.distinct_takes
        held = [holds(table.counts, take) for take in takes] if self.digits else [True]
        return [held[take] for take in which]

    def table(self, index: int) -> Any:
        """The table with this index."""
        if not self.digits:
            return self.game.start().table
        return Pool(tuple(index // self.base**digit % self.base for digit in range(self.digits)), self.copies)

    def state(
        self, table: int, mine: int, theirs: int, player: int = 0, hands: Sequence[Hashable] | None = None
    ) -> State[Any, Any]:
        """The position with these indices, `player` to move. `hands` may be those of arrays.py, which has more."""
        hands = self.hands if hands is None else hands
        first, second = (mine, theirs) if player == 0 else (theirs, mine)
        return State(player, (hands[first], hands[second]), self.table(table))

    def encode(self, state: State[Any, Any]) -> tuple[int, int, int]:
        """The indices of a position that is not over: table, hand of the mover, hand of the waiting player.

        Raises UnknownPosition if the position, or anything that can follow from it, is not compiled.
        """
        mine, theirs, index = self.indices.get(state.mine), self.indices.get(state.theirs), 0
        if mine is None or theirs is None:
            raise UnknownPosition(f"{self.game.title} has no position with the hands {state.hands}.")
        if self.digits:
            pool = state.table
            if (
                not isinstance(pool, Pool)
                or (pool.copies, len(pool.counts)) != (self.copies, self.digits)
                or not 0 <= min(pool.counts) <= max(pool.counts) <= self.copies
            ):
                raise UnknownPosition(f"{self.game.title} is not played with the pool {pool}.")
            index = pool.ordinal
        if not self.contains(index, mine, theirs):
            raise UnknownPosition(
                f"{self.game.title} cannot reach the scores {state.hands} with this many numbers left."
            )
        return index, mine, theirs

    def contains(self, table: int, mine: int, theirs: int) -> bool:
        """Whether everything that can follow from a position is compiled as well."""
        depth = self.maps.depth
        if depth is None:
            return True
        left, longest = self._plies(table), self.game.longest
        return depth[mine] + (left + 1) // 2 <= longest and depth[theirs] + left // 2 <= longest

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
        return min(map(sum, self.maps.takes))

    def known(self, table: int) -> tuple[list[bool], list[bool]]:
        """The hands of the mover, and of the waiting player, for which everything that can follow is compiled."""
        if self.maps.depth is None:
            everything = [True] * len(self.hands)
            return everything, everything
        left, spare = self._plies(table), [self.game.longest - depth for depth in self.maps.depth]
        return [(left + 1) // 2 <= moves for moves in spare], [left // 2 <= moves for moves in spare]

    # The maps as NumPy arrays

    @cached_property
    def own(self) -> Ints:
        return _matrix(self.maps.own)

    @cached_property
    def other(self) -> Ints:
        return _matrix(self.maps.other)

    @cached_property
    def takes(self) -> npt.NDArray[np.int64]:
        import numpy as np

        return np.array(self.maps.takes, np.int64)

    @cached_property
    def rank(self) -> Ints:
        return _matrix(self.maps.rank)

    @cached_property
    def stuck(self) -> Ints:
        return _matrix(self.maps.stuck)

    @cached_property
    def depth(self) -> Ints | None:
        return None if self.maps.depth is None else _matrix(self.maps.depth)

    @cached_property
    def weights(self) -> npt.NDArray[np.int64]:
        """What one copy of each number adds to the index of a pool."""
        import numpy as np

        return np.array([self.base**digit for digit in range(self.digits)], np.int64)


def _matrix(rows: Any) -> Ints:
    import numpy as np

    return np.array(rows, np.int32)


def pool_shape(game: AnyGame) -> tuple[int, int]:
    """The copies of each number in the pool of a game, and how many numbers there are; zeros if it has no pool."""
    table = game.start().table
    return (table.copies, len(table.counts)) if isinstance(table, Pool) else (0, 0)


def count_tables(game: AnyGame) -> int:
    """How many tables a game has: the possible pools, or 1 if the table never changes."""
    copies, digits = pool_shape(game)
    return int((copies + 1) ** digits)


def holds(counts: Iterable[int], take: Iterable[int]) -> bool:
    """Whether a pool with these counts holds what a move takes."""
    return all(map(le, take, counts))


def ending_for(winner: int | None, player: int) -> int:
    """The result of a finished game for a player: WON, DRAWN or LOST."""
    return DRAWN if winner is None else WON if winner == player else LOST
