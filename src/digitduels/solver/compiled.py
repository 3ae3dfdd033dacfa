"""Compiles a game to integers: its hands, its tables and what every move does to them, found by calling its rules.

A move changes the mover's hand, the other hand and the table, each independently of the others. So a few small maps
describe a game: `own[move][hand]`, `other[move][hand]`, and the numbers that each move takes from the pool. Nothing
here knows a particular game. A game whose moves do not factor like that raises DoesNotFactor.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, product
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

_PROBES = 16  # positions to sample from the table between two games
_QUICK, _THOROUGH = 1000, 100_000  # moves to compare with the rules


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


def compile_game(game: AnyGame, grown: Callable[[int], None] = lambda _: None, *, thorough: bool = False) -> Compiled:
    """Compiles a game and compares samples with its rules; raises DoesNotFactor if that is impossible.

    `grown` is called with the number of positions so far, and may raise an exception to stop. `thorough` compares for
    about a second, for tables that go to the cache. Small games are always compared in every position.
    """
    compiled = _Compiler(game, grown).run()
    _check(compiled, _THOROUGH if thorough else _QUICK)
    return compiled


class _Compiler:
    """Explores the hands of a game at its first table, where every number is available."""

    def __init__(self, game: AnyGame, grown: Callable[[int], None]) -> None:
        self.game = game
        self.moves = game.moves
        self.longest = game.longest
        self.grown = grown
        self.start = game.start()
        if game.outcome(self.start) is not None:
            raise DoesNotFactor("the game is over before it begins")
        table = self.start.table
        self.copies, self.digits = (table.copies, len(table.counts)) if isinstance(table, Pool) else (0, 0)
        self.first: Hashable = self.start.mine
        self.indices: dict[Hashable, int] = {}  # hand: its index, or the result if it ends the game
        self.hands: list[Hashable] = []
        self.depth: list[int] = []
        self.own = array("i")  # [hand][move], flat
        self.takes: list[tuple[int, ...] | None] = [None] * len(game.moves)
        self.changes: list[dict[int, int]] = [{} for _ in game.moves]  # [move]: the other player's hand before: after
        self.movers: list[Hashable] = [None] * len(game.moves)  # [move]: a hand with which it is legal

    def run(self) -> Compiled:
        self.index(self.first, 0)
        self.index(self.start.theirs, 0)
        self.explore()
        other = self.others()
        own = np.array(self.own, np.int32).reshape(len(self.hands), -1).T.copy()
        # It does not matter what a move takes if it is never legal.
        any_take = next(take for take in self.takes if take is not None)
        takes = np.array([any_take if take is None else take for take in self.takes], np.int64)
        depth = np.array(self.depth, np.int32)
        closed = not (own == OUTSIDE).any()
        if not closed and not takes.any(axis=1).all():
            raise DoesNotFactor("hands without end, and moves that take nothing from a pool")
        if not closed and (other != np.arange(len(depth))).any():
            raise DoesNotFactor("hands without end that the other player changes, too")
        if _pins(own, takes):
            raise DoesNotFactor("a hand with which nothing can be done with what is left in some pools")
        rank = _rank(own, other, takes, self.longest)
        # Hands that moves of the other player map to the same hand are adjacent, and scores are sorted, because the
        # kernels handle runs of equal results at once.
        numbers = np.array(self.hands if all(isinstance(hand, int) for hand in self.hands) else [0] * len(rank))
        order = np.lexsort((numbers, *_changes(other), rank))
        renumbered = np.empty_like(order)
        renumbered[order] = np.arange(len(order))
        return Compiled(
            game=self.game,
            hands=[self.hands[index] for index in order.tolist()],
            own=np.where(own >= 0, renumbered[np.maximum(own, 0)], own)[:, order].astype(np.int32),
            other=renumbered[other][:, order].astype(np.int32),
            takes=takes,
            copies=self.copies,
            rank=rank[order],
            stuck=self.stuck(own)[order],
            depth=None if closed else depth[order],
        )

    def index(self, hand: Hashable, depth: int) -> int:
        """The index of a hand, or the result for its owner, who has just moved, if it ends the game."""
        index = self.indices.get(hand)
        if index is None:
            outcome = self.game.outcome(tuple.__new__(State, (0, (self.first, hand), self.start.table)))
            if outcome is not None:
                index = ending_for(outcome.winner, 1)
            else:
                index = len(self.hands)
                self.hands.append(hand)
                self.depth.append(depth)
            self.indices[hand] = index
        return index

    def explore(self) -> None:
        """Finds what every move does to the mover's hand, for all hands that moves lead to.

        Both players hold the same hand, which shows the effect on the other hand at the same time.
        """
        permitted, after, table = self.game.permitted, self.game.after, self.start.table
        numbered = {move: action for action, move in enumerate(self.moves)}
        last, legal_moves = (), list[tuple[int, Any]]()  # often the same as for the hand before
        hands, depth, indices, takes, changes = self.hands, self.depth, self.indices, self.takes, self.changes
        tables, none = (self.copies + 1) ** self.digits, [ILLEGAL] * len(self.moves)
        for number in count(len(self.own) // len(self.moves)):
            if number % 100 == 0 or number == len(hands):
                self.grown(tables * len(hands) ** 2)
            if number == len(hands):
                break
            if depth[number] == self.longest:
                self.own.extend([OUTSIDE] * len(self.moves))
                continue
            hand = hands[number]
            state = tuple.__new__(State, (0, (hand, hand), table))  # twice as fast as State(…)
            row = none.copy()
            legal = permitted(state)
            if legal is not last:
                last, legal_moves = legal, [(numbered[move], move) for move in legal]
            for action, move in legal_moves:
                _, (mine, theirs), left = after(state, move)
                if takes[action] is None:
                    self.learn(action, state, left)
                index = indices.get(mine)
                row[action] = self.index(mine, depth[number] + 1) if index is None else index
                if theirs is not hand and theirs != hand:
                    changes[action][number] = self.other(theirs, number)
            self.own.extend(row)

    def learn(self, action: int, state: State[Any, Any], left: Any) -> None:
        """Stores what a move takes from the table, when the move is legal for the first time."""
        self.movers[action] = state.mine
        if self.digits and isinstance(left, Pool):
            self.takes[action] = tuple(full - rest for full, rest in zip(state.table.counts, left.counts, strict=True))
            if min(self.takes[action] or ()) < 0:
                raise DoesNotFactor("a move puts numbers into the pool")
        elif left == state.table:
            self.takes[action] = ()
        else:
            raise DoesNotFactor("a move changes the table, which is not a pool")

    def others(self) -> Ints:
        """Finds what every move does to the other player's hand, which may lead to more hands."""
        done = [0] * len(self.moves)  # [move]: the number of hands it has been applied to
        while waiting := [
            action for action, seen in enumerate(self.changes) if seen and done[action] < len(self.hands)
        ]:
            for action in waiting:
                fresh, done[action] = range(done[action], len(self.hands)), len(self.hands)
                self.ask(action, fresh)
            self.explore()
        other = np.tile(np.arange(len(self.hands), dtype=np.int32), (len(self.moves), 1))
        for action, changes in enumerate(self.changes):
            if changes:
                other[action, list(changes)] = list(changes.values())
        return other

    def ask(self, action: int, hands: range) -> None:
        """Finds what a move does to the other player's hand, for hands with which the move itself is not legal."""
        after, mover, move, table = self.game.after, self.movers[action], self.moves[action], self.start.table
        own = self.own[action :: len(self.moves)]
        for number in hands:
            if own[number] in (ILLEGAL, OUTSIDE):
                hand = self.hands[number]
                _, (_, theirs), _ = after(tuple.__new__(State, (0, (mover, hand), table)), move)
                if theirs != hand:
                    self.changes[action][number] = self.other(theirs, number)

    def other(self, hand: Hashable, before: int) -> int:
        """The index of the other player's hand after a move, given the index before."""
        index = self.indices.get(hand)
        if index is None:
            index = self.index(hand, self.depth[before])
        if index < 0:
            raise DoesNotFactor("a move ends the game by the other player's hand")
        return index

    def stuck(self, own: Ints) -> Ints:
        """[hand]: the result for a mover whose hand allows no move, else 0."""
        results = np.zeros(len(self.hands), np.int32)
        for hand in np.flatnonzero((own == ILLEGAL).all(axis=0)).tolist():
            outcome = self.game.outcome(State(0, (self.hands[hand], self.first), self.start.table))
            if outcome is None:
                raise DoesNotFactor("a position that is not over has no legal move")
            results[hand] = ending_for(outcome.winner, 0)
        return results


def ending_for(winner: int | None, player: int) -> int:
    """The result of a finished game for a player: WON, DRAWN or LOST."""
    return DRAWN if winner is None else WON if winner == player else LOST


def with_endings(compiled: Compiled) -> tuple[Ints, list[Any], list[int]]:
    """`own` as [hand, move] with indices for the hands that end the game as well, those hands, and their results."""
    game, start = compiled.game, compiled.game.start()
    own = compiled.own.T.copy()
    numbers: dict[Any, int] = {}
    results: list[int] = []
    for hand, move in np.argwhere(np.isin(own, (WON, DRAWN, LOST))).tolist():
        state = State(0, (compiled.hands[hand], start.mine), start.table)
        after = game.after(state, game.moves[move]).hands[0]
        if after not in numbers:
            numbers[after] = len(compiled.hands) + len(results)
            results.append(int(own[hand, move]))
        own[hand, move] = numbers[after]
    return own, list(numbers), results


def _rank(own: Ints, other: Ints, takes: npt.NDArray[np.int64], longest: int) -> Ints:
    """[hand]: a bound that every move of its owner lowers, and that no move of the other player raises.

    Only moves that leave the table unchanged count. Moves that take from the pool are in order anyway.
    """
    still = ~takes.any(axis=1)
    rank = np.zeros(own.shape[1] + 1, np.int32)
    rank[-1] = -1  # an extra entry after the hands, for moves that lead to no hand
    mine = np.where(own[still] >= 0, own[still], -1)
    theirs = _changes(other[still])
    for _ in range(longest + 2):
        higher = rank.copy()
        for after in mine:
            np.maximum(higher[:-1], rank[after] + 1, out=higher[:-1])
        for after in theirs:
            np.maximum(higher[:-1], rank[after], out=higher[:-1])
        if (higher == rank).all():
            return rank[:-1]
        rank = higher
    raise DoesNotFactor("hands and moves form a cycle")


def _changes(other: Ints) -> list[Ints]:
    """The maps that change at least one hand."""
    return list(other[(other != np.arange(other.shape[1])).any(axis=1)])


def _pins(own: Ints, takes: npt.NDArray[np.int64]) -> bool:
    """Whether a hand that has moves can meet a pool from which other hands can take, but not this one.

    It is enough to check the smallest pools: those that hold exactly what a move takes.
    """
    pools, group = distinct(takes)
    within = np.logical_and.reduce(pools[:, None] <= pools, axis=2)
    if within.all():
        return False
    fits = within[group]  # [move, pool]
    legal = own.T != ILLEGAL  # [hand, move]
    ways = legal[legal.any(axis=1)].astype(np.float32) @ fits.astype(np.float32)  # NumPy is slow with Booleans
    return not ways.all()


def distinct(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """The distinct rows in order of first appearance, and the index of each row among them."""
    indices: dict[bytes, int] = {}
    which = np.array([indices.setdefault(row.tobytes(), len(indices)) for row in rows], np.int64)
    return rows[np.unique(which, return_index=True)[1]], which


def _check(compiled: Compiled, enough: int) -> None:
    """Compares the maps with the rules, in every position of a small game or for `enough` random moves."""
    small = 2 * compiled.positions * len(compiled.game.moves) <= enough
    compared = 0
    for state in _every_position(compiled) if small else _some_positions(compiled):
        compared += 1 + _compare(compiled, state)
        if compared > enough:
            break


def _compare(compiled: Compiled, state: State[Any, Any]) -> int:
    """Compares the maps with the rules in one position, and returns the number of its moves."""
    game, moves = compiled.game, compiled.game.moves
    table = state.table.ordinal if compiled.digits else 0
    mine, theirs = compiled.indices.get(state.mine), compiled.indices.get(state.theirs)
    if mine is None or theirs is None:
        raise DoesNotFactor("there are hands that the moves of one player do not lead to")
    there = (compiled.takes <= np.array(state.table.counts if compiled.digits else (), np.int64)).all(axis=1)
    expected = (there & (compiled.own[:, mine] != ILLEGAL)).nonzero()[0].tolist()
    outcome = game.outcome(state)
    if outcome is not None:
        mirrored = game.outcome(State(1 - state.player, state.hands[::-1], state.table))
        ending = ending_for(outcome.winner, state.player)
        if mirrored is None or ending_for(mirrored.winner, 1 - state.player) != ending:
            raise DoesNotFactor("the rules are not the same for both players")
        if expected or (there.any() and compiled.stuck[mine] != ending):
            raise DoesNotFactor("a hand or the table alone does not decide whether the game is over")
        return 0
    if game.permitted(state) != tuple(moves[index] for index in expected):
        raise DoesNotFactor("hand and table do not independently decide what is legal")
    own, other = compiled.own[:, mine].tolist(), compiled.other[:, theirs].tolist()
    left = {need: compiled.table(table - need) for need in {compiled.needs[index] for index in expected}}
    for index in expected:
        after = game.after(state, moves[index])
        hand = own[index]
        if after.table != left[compiled.needs[index]] or after.mine != compiled.hands[other[index]]:
            raise DoesNotFactor("what a move does to the table or the other hand depends on more than these")
        if hand >= 0 and after.theirs != compiled.hands[hand]:
            raise DoesNotFactor("what a move does to its mover's hand depends on more than that hand")
        if hand < 0:
            outcome = game.outcome(after)
            if outcome is None or ending_for(outcome.winner, state.player) != hand:
                raise DoesNotFactor("how a move ends the game depends on more than its mover's hand")
    return len(expected)


def _every_position(compiled: Compiled) -> Iterator[State[Any, Any]]:
    """All positions, with each player to move."""
    hands = range(len(compiled.hands))
    for position in product(range(compiled.tables), hands, hands):
        if compiled.contains(*position):
            yield from (compiled.state(*position, player) for player in (0, 1))


def _some_positions(compiled: Compiled) -> Iterator[State[Any, Any]]:
    """An endless, reproducible sequence of positions: some random ones, then those of a random game, and so on.

    Half of the random ones have an empty pool, and half have equal hands, because these are often special cases.
    """
    chance, game, count = random.Random(1), compiled.game, len(compiled.hands)
    while True:
        for _ in range(_PROBES):
            table, mine, theirs = chance.randrange(compiled.tables), chance.randrange(count), chance.randrange(count)
            position = chance.choice((table, 0)), mine, chance.choice((theirs, mine))
            if compiled.contains(*position):
                yield compiled.state(*position, chance.randrange(2))
        state = game.start()
        while legal := game.legal_moves(state):
            yield state
            state = game.after(state, chance.choice(legal))
        if state.mine in compiled.indices and state.theirs in compiled.indices:
            yield state
