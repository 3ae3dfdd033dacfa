"""Compiles a game: finds its hands, and what every move does to them, by asking its rules. Knows no particular game."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from itertools import count
from operator import itemgetter
from typing import Any

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.pool import Pool
from digitduels.solver.compiled import (
    ILLEGAL,
    OUTSIDE,
    Compiled,
    DoesNotFactor,
    Maps,
    count_tables,
    ending_for,
    holds,
    pool_shape,
)
from digitduels.solver.factoring import check
from digitduels.solver.unknown import LARGEST_OPERAND, Split, Unknown, pick, unknown

_MANY = 20  # hands, from which it is faster to ask about them together


def compile_game(game: AnyGame, grown: Callable[[int], None] = lambda _: None) -> Compiled:
    """Compiles a game and checks the result against its rules; raises DoesNotFactor if that is impossible.

    `grown` is called with the number of positions so far, and may raise an exception to stop.
    """
    compiled = _Compiler(game, grown).run()
    check(compiled)
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
        self.copies, self.digits = pool_shape(game)
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
        moves, every = len(self.moves), range(len(self.hands))
        own = [self.own[action::moves] for action in range(moves)]
        # It does not matter what a move takes if it is never legal.
        any_take = next((take for take in self.takes if take is not None), None)
        if any_take is None:
            raise DoesNotFactor("the first position has no legal move")
        takes = [any_take if take is None else take for take in self.takes]
        closed = OUTSIDE not in self.own
        if not closed and not all(map(any, takes)):
            raise DoesNotFactor("unbounded hands, and moves that take nothing from the pool")
        if not closed and any(self.changes):
            raise DoesNotFactor("unbounded hands that the opponent can change")
        if _pins(own, takes):
            raise DoesNotFactor("with some pools a hand has no move although others have")
        rank = _rank(own, other, takes, self.longest)
        # Hands that moves of the other player map to the same hand are adjacent, and scores are sorted, because the
        # kernels handle runs of equal results at once.
        numbers = self.hands if all(isinstance(hand, int) for hand in self.hands) else every
        keys = list(zip(rank, *_changes(other), numbers, strict=True))
        order = sorted(every, key=keys.__getitem__)
        # [hand before]: the hand after. Negative indices find the values that are not hands, unchanged.
        renumbered = [*every, *range(OUTSIDE, 0)]
        for new, old in enumerate(order):
            renumbered[old] = new

        def reordered(row: Sequence[int]) -> array[int]:
            return array("i", pick(row, order))

        def after(row: array[int]) -> array[int]:
            return array("i", pick(renumbered, pick(row, order)))

        return Compiled(
            game=self.game,
            hands=[self.hands[index] for index in order],
            maps=Maps(
                own=list(map(after, own)),
                other=list(map(after, other)),
                takes=takes,
                rank=reordered(rank),
                stuck=reordered(self.stuck()),
                depth=None if closed else reordered(self.depth),
            ),
            copies=self.copies,
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
        tables, none = count_tables(self.game), [ILLEGAL] * len(self.moves)
        first = known = len(self.own) // len(self.moves)
        for number in count(first):
            if number % 100 == 0 or number == len(hands):
                self.grown(tables * len(hands) ** 2)
            if number == len(hands):
                break
            if number == known:
                first, known = number, min(len(hands), number + 100)
                scores = self.ask_together(hands[first:known])
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
                if action in scores:
                    mine, theirs = scores[action][number - first], hand
                else:
                    _, (mine, theirs), left = after(state, move)
                    if takes[action] is None:
                        self.learn(action, state, left)
                index = indices.get(mine)
                row[action] = self.index(mine, depth[number] + 1) if index is None else index
                if theirs is not hand and theirs != hand:
                    changes[action][number] = self.other(theirs, number)
            self.own.extend(row)

    def ask_together(self, hands: list[Any]) -> dict[int, list[int]]:
        """By move, the mover's hands after it, if hands are integers and the rules treat all of these alike."""
        scores: dict[int, list[int]] = {}
        if len(hands) < _MANY or any(type(hand) is not int or abs(hand) >= LARGEST_OPERAND for hand in hands):
            return scores
        hand = unknown("hand", hands)
        state = State(0, (hand, hand), self.start.table)
        for action, move in enumerate(self.moves):
            with suppress(Split, Exception):  # to be asked about one by one
                _, (mine, theirs), _ = self.game.after(state, move)
                if self.takes[action] is not None and theirs is hand and isinstance(mine, Unknown):
                    (scores[action],) = mine.terms.values()
        return scores

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

    def others(self) -> list[array[int]]:
        """Finds what every move does to the other player's hand, which may lead to more hands."""
        done = [0] * len(self.moves)  # [move]: the number of hands it has been applied to
        while waiting := [
            action for action, seen in enumerate(self.changes) if seen and done[action] < len(self.hands)
        ]:
            for action in waiting:
                fresh, done[action] = range(done[action], len(self.hands)), len(self.hands)
                self.ask(action, fresh)
            self.explore()
        other = [array("i", range(len(self.hands))) for _ in self.moves]
        for row, changes in zip(other, self.changes, strict=True):
            for before, after in changes.items():
                row[before] = after
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

    def stuck(self) -> array[int]:
        """[hand]: the result for a mover whose hand allows no move, else 0."""
        results, moves = array("i", [0]) * len(self.hands), len(self.moves)
        none = array("i", [ILLEGAL]) * moves
        for hand in range(len(self.hands)):
            if self.own[hand * moves : (hand + 1) * moves] != none:
                continue
            outcome = self.game.outcome(State(0, (self.hands[hand], self.first), self.start.table))
            if outcome is None:
                raise DoesNotFactor("a position that is not over has no legal move")
            results[hand] = ending_for(outcome.winner, 0)
        return results


def _rank(own: list[array[int]], other: list[array[int]], takes: list[tuple[int, ...]], longest: int) -> Sequence[int]:
    """[hand]: a bound that every move of its owner lowers, and that no move of the other player raises.

    Only moves that leave the table unchanged count. Moves that take from the pool are in order anyway.
    """
    still = [action for action, take in enumerate(takes) if not any(take)]
    mine, theirs = [own[action] for action in still], _changes([other[action] for action in still])
    hands = range(len(own[0]))
    rank = [*(0 for _ in hands), *(-1 for _ in range(OUTSIDE, 0))]  # the last ones: for moves that lead to no hand
    # Two more indices of no hand, so that the ranks after the moves of a hand are a tuple even if it has no move.
    targets = [*zip(*mine, strict=True)] or [()] * len(hands)
    ranks_after = [itemgetter(ILLEGAL, ILLEGAL, *after) for after in targets]
    before: list[int] = []
    while rank != before:
        before = rank.copy()
        for hand in reversed(hands):  # most moves lead to hands that were found later
            bound = max(ranks_after[hand](rank)) + 1
            if bound > rank[hand]:
                rank[hand] = bound
        for row in theirs:
            for hand, after in enumerate(row):
                if rank[after] > rank[hand]:
                    rank[hand] = rank[after]
        if max(rank) > longest + 1:
            raise DoesNotFactor("hands and moves form a cycle")
    return rank[: len(hands)]


def _changes(other: list[array[int]]) -> list[array[int]]:
    """The distinct maps that change at least one hand, those of the last moves first."""
    every = array("i", range(len(other[0]))) if other else array("i")
    return [row for row in {row.tobytes(): row for row in reversed(other)}.values() if row != every]


def _pins(own: list[array[int]], takes: list[tuple[int, ...]]) -> bool:
    """Whether a hand that has moves can meet a pool from which other hands can take, but not this one.

    It is enough to check the smallest pools: those that hold exactly what a move takes.
    """
    pools = list(dict.fromkeys(takes))
    # [take]: the pools that hold it, one bit for each
    fits = {take: sum(1 << bit for bit, pool in enumerate(pools) if holds(pool, take)) for take in pools}
    everywhere = (1 << len(pools)) - 1
    if all(fit == everywhere for fit in fits.values()):
        return False
    ways = [0] * len(own[0])  # [hand]: the pools from which it can take
    for row, take in zip(own, takes, strict=True):
        fit = fits[take]
        ways = [way if after == ILLEGAL else way | fit for way, after in zip(ways, row, strict=True)]
    return not set(ways) <= {0, everywhere}
