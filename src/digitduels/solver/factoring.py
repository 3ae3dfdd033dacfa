"""Checks that the moves of a game factor: that its maps say what its rules say, in all positions.

The rules are asked about positions with unknown integers (see unknown.py), so that one call covers all positions that a
rule treats alike. Where a rule looks at the other player's hand or at the rest of the pool, the check distinguishes
cases there. So it finds an effect in one position of millions, but asks only a few hundred questions about a game
whose moves factor.

If a rule distinguishes too many cases, the check raises DoesNotFactor as well, and the reference solver takes over.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.pool import Pool
from digitduels.solver.compiled import ILLEGAL, OUTSIDE, Compiled, DoesNotFactor, distinct, ending_for
from digitduels.solver.unknown import LARGEST_OPERAND, Split, Unknown, Values, unknown

PLAYER, MINE, THEIRS = "player", "mine", "theirs"  # the parts of a position, together with the digits of the pool

_CASES = 20_000  # the questions that a check may ask, in addition to some per hand
_CASES_PER_HAND = 10
_FINAL_SCORES = 60  # final scores to compare

_BOTH, *_PLAYERS = np.arange(2), np.array([0]), np.array([1])

_LEGALITY = "hand and table do not independently decide what is legal"
_OWN = "what a move does to its mover's hand depends on more than that hand"

Candidates = npt.NDArray[np.int64]


def check(compiled: Compiled) -> None:
    """Compares the maps of a game with its rules; raises DoesNotFactor if they may differ in any position."""
    _Check(compiled).run()


class _UnknownPlayer(Unknown):
    """The player to move, or the other one, when it is unknown who moves."""

    def __rsub__(self, other: Any) -> Any:
        return (_WAITER if self is _MOVER else _MOVER) if other == 1 else self.calculate(operator.sub, other, self)


_MOVER, _WAITER = (_UnknownPlayer({PLAYER: players}, 0, 1) for players in (_BOTH, 1 - _BOTH))


class _UnknownHands:
    """The hands of both players when it is unknown who moves. Only an unknown player can be its index."""

    def __init__(self, mine: Any, theirs: Any) -> None:
        self.mine = mine
        self.theirs = theirs

    def __getitem__(self, player: Any) -> Any:
        if player is _MOVER:
            return self.mine
        if player is _WAITER:
            return self.theirs
        raise Split(PLAYER, _BOTH)

    def __contains__(self, hand: Any) -> bool:
        return hand in (self.mine, self.theirs)

    def __eq__(self, other: object) -> bool:
        raise Split(PLAYER, _BOTH)

    def __hash__(self) -> int:
        raise Split(PLAYER, _BOTH)


class _UnknownState(State[Any, Any]):
    """A position in which it is unknown who moves."""

    def then(self, mine: Any, theirs: Any, table: Any) -> _UnknownState:
        if self.player is _MOVER:
            return tuple.__new__(_UnknownState, (_WAITER, _UnknownHands(mine, theirs), table))
        return tuple.__new__(_UnknownState, (_MOVER, _UnknownHands(theirs, mine), table))


class _UnknownPool(Pool):
    """A pool whose counts may be unknown, and so cannot be a key in the cache of `take_two`."""

    __slots__ = ()

    def take_two(self, first: int, second: int) -> Pool:  # type: ignore[override]
        return self.take(first).take(second)


class _LegalMoves(Sequence[Any]):
    """The legal moves of a player whose hand is unknown."""

    def __init__(self, moves: Sequence[Any], legal: npt.NDArray[np.bool_]) -> None:
        self.moves = moves
        self.legal = legal
        """[move, candidate]"""

    def __bool__(self) -> bool:
        return bool(unknown(MINE, self.legal.any(axis=0)))

    def __len__(self) -> int:
        return len(self[:])

    def __getitem__(self, index: Any) -> Any:
        if (self.legal != self.legal[:, :1]).any():
            raise Split(MINE, distinct(self.legal.T)[1])
        return tuple([move for move, legal in zip(self.moves, self.legal[:, 0], strict=True) if legal])[index]


class _Hands:
    """Hands as columns of integers."""

    def __init__(self, hands: Sequence[Hashable]) -> None:
        self.example = hands[0]
        columns = _columns(hands)
        self.numbers: dict[Hashable, int] | None = None
        """A number for each hand, if the hands do not all consist of the same number of integers."""
        if columns is None:
            self.numbers = {hand: number for number, hand in enumerate(hands)}
            columns = [range(len(hands))]
        if any(max(-min(column), max(column)) >= LARGEST_OPERAND for column in columns):
            raise DoesNotFactor("a hand has too large a number")
        self.rows: Values = np.array(columns, np.int64)
        """[number, hand]"""

    def value(self, part: Hashable, indices: npt.NDArray[Any]) -> Any:
        """A hand that may be any of these."""
        if self.numbers is None:
            return _nested(self.example, iter([unknown(part, row[indices]) for row in self.rows]))
        if len(indices) > 1:
            raise Split(part, indices)
        return list(self.numbers)[self.rows[0, indices[0]]]

    def integers(self, hand: Any) -> list[Any]:
        """The integers that a hand consists of, which may be unknown."""
        return _flat(hand) if self.numbers is None else [self.numbers.setdefault(hand, len(self.numbers))]


class _Case:
    """Positions that one question is about: for each part of a position, its candidates (rows of hands, or counts)."""

    def __init__(self, check: _Check, candidates: dict[Hashable, Candidates]) -> None:
        self.check = check
        self.candidates = candidates
        self.left: tuple[Any, ...] | None = None

    @cached_property
    def position(self) -> State[Any, Any]:
        value, table, digits = self.value, self.check.table, self.check.digits
        player, mine, theirs = value(PLAYER), value(MINE), value(THEIRS)
        if digits:
            table = tuple.__new__(_UnknownPool, (tuple([value(digit) for digit in digits]), table.copies))
        if player is _MOVER:
            return tuple.__new__(_UnknownState, (player, _UnknownHands(mine, theirs), table))
        return tuple.__new__(State, (player, (theirs, mine) if player else (mine, theirs), table))

    def value(self, part: Hashable) -> Any:
        return self.check.value(part, self.candidates[part])

    def counts_without(self, take: Sequence[int]) -> tuple[Any, ...]:
        """What is left of each number after a take. All moves that are asked about in one case take the same."""
        if self.left is None:
            before = self.position.table.counts
            self.left = tuple([count - need if need else count for count, need in zip(before, take, strict=True)])
        return self.left

    def but(self, candidates: dict[Hashable, Candidates]) -> _Case:
        """The case with other candidates for some parts."""
        return _Case(self.check, self.candidates | candidates)

    def split(self, part: Hashable, classes: npt.NDArray[Any]) -> list[_Case]:
        order = np.argsort(classes, kind="stable")
        edges = np.flatnonzero(np.diff(classes[order])) + 1
        return [self.but({part: self.candidates[part][some]}) for some in np.split(order, edges)]


class _Check:
    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.game = compiled.game
        self.moves = compiled.game.moves
        self.table = self.game.start().table
        self.digits = range(compiled.digits)
        self.hands = _Hands(compiled.hands)
        self.legal = compiled.own != ILLEGAL
        self.left = _CASES + _CASES_PER_HAND * len(compiled.hands)
        self.values: dict[tuple[Hashable, int], tuple[Candidates, Any]] = {}
        """By part and the id of an array of candidates: that array, and the value that stands for all of them."""
        every, counts = np.arange(len(compiled.hands)), dict.fromkeys(self.digits, _between(0, compiled.base))
        self.everything = _Case(self, {PLAYER: _BOTH, MINE: every, THEIRS: every, **counts})
        self.answers: list[tuple[int, Candidates, list[Any]]] = []
        """What moves do to the mover's hand: the action, the hands before, and the integers of the hand after."""
        self.asked = self.everything

    def run(self) -> None:
        self.check_moves()
        self.check_endings()
        self.check_refusals()
        self.check_outcomes()
        self.check_final_scores()
        self.check_random_game()

    def value(self, part: Hashable, candidates: Candidates) -> Any:
        """What the rules see of a part that has these candidates."""
        key = part, id(candidates)
        if key not in self.values:
            value: Any
            if part == PLAYER:
                value = _MOVER if len(candidates) > 1 else int(candidates[0])
            else:
                value = self.hands.value(part, candidates) if part in (MINE, THEIRS) else unknown(part, candidates)
            self.values[key] = candidates, value
        return self.values[key][1]

    def ask(self, question: Callable[[_Case], None], case: _Case) -> None:
        """Asks a question about a case, or about all the cases that its answer distinguishes."""
        waiting = [case]
        while waiting:
            case = waiting.pop()
            self.left -= 1
            if self.left < 0:
                raise DoesNotFactor("its rules distinguish too many cases")
            try:
                question(case)
            except Split as split:
                waiting += case.split(split.part, split.classes)
            except DoesNotFactor:
                raise
            except Exception as error:  # the rules do something that only an int can do
                part = next((part for part, candidates in case.candidates.items() if len(candidates) > 1), None)
                if part is None:
                    raise DoesNotFactor("its rules fail in a position that cannot arise") from error
                waiting += case.split(part, np.arange(len(case.candidates[part])))

    # What a move does

    def check_moves(self) -> None:
        """Every legal move is permitted, and does what the maps say."""
        compiled, cases = self.compiled, dict[tuple[Any, bytes], _Case]()
        can = self.legal & (compiled.own != OUTSIDE)
        for action, take in enumerate(map(tuple, compiled.takes.tolist())):
            key = take, can[action].tobytes()
            if key not in cases:
                pool = {digit: _between(need, compiled.base) for digit, need in enumerate(take)}
                cases[key] = self.everything.but({MINE: np.flatnonzero(can[action]), **pool})
            if len(cases[key].candidates[MINE]):
                self.ask(partial(self.compare_move, action, take), cases[key])

    def compare_move(self, action: int, take: Sequence[int], case: _Case) -> None:
        state, move, theirs = case.position, self.moves[action], case.value(THEIRS)
        if self.game.forbids(state, move) is not None:
            raise DoesNotFactor(_LEGALITY)
        after = self.game.after(state, move)
        opponent, table = 1 - state.player, after.table
        if not _same(after.player, opponent):
            raise DoesNotFactor("the other player does not move next")
        if self.digits:
            expected = case.counts_without(take)
            same = isinstance(table, Pool) and table.copies == self.table.copies and _same(table.counts, expected)
        else:
            same = table == self.table
        if not same:
            raise DoesNotFactor("what a move does to the table depends on more than that")
        if self.changes[action]:
            theirs = self.hands.value(THEIRS, self.compiled.other[action, case.candidates[THEIRS]])
        if not _same(after.hands[opponent], theirs):
            raise DoesNotFactor("what a move does to the other hand depends on more than that hand")
        self.answers.append((action, case.candidates[MINE], self.hands.integers(after.hands[state.player])))

    @cached_property
    def changes(self) -> list[bool]:
        """[move]: whether it changes hands of the other player."""
        return [bool(changed) for changed in (self.compiled.other != np.arange(len(self.compiled.hands))).any(axis=1)]

    def check_endings(self) -> None:
        """A move leads to the hand in the maps. One that ends the game does so for every other hand and pool."""
        actions, rows, hands = zip(*self.answers, strict=True)
        sizes = [len(row) for row in rows]
        targets = self.compiled.own[np.repeat(actions, sizes), np.concatenate(rows)]
        after = np.array(
            [
                np.concatenate([self.values_of(number, size) for number, size in zip(column, sizes, strict=True)])
                for column in zip(*hands, strict=True)
            ]
        )
        alive = targets >= 0
        if (after[:, alive] != self.hands.rows[:, targets[alive]]).any():
            raise DoesNotFactor(_OWN)
        ended = sorted(set(zip(*after[:, ~alive].tolist(), targets[~alive].tolist(), strict=True)))
        count, marks = self.hands.rows.shape[1], np.array([mark for *_, mark in ended])
        if ended:
            self.hands.rows = np.hstack([self.hands.rows, np.array(ended).T[:-1]])
        for mark in np.unique(marks).tolist():
            self.ask(
                partial(self.compare_ending, mark), self.everything.but({THEIRS: count + np.flatnonzero(marks == mark)})
            )

    def values_of(self, number: Any, size: int) -> Values:
        """[candidate]: a number of the mover's hand after a move."""
        if isinstance(number, Unknown) and number.terms.keys() == {MINE}:
            return number.terms[MINE]
        if not isinstance(number, int):
            raise DoesNotFactor(_OWN)
        return np.full(size, number)

    def compare_ending(self, mark: int, case: _Case) -> None:
        outcome = self.game.outcome(case.position)
        if outcome is None or ending_for(outcome.winner, 1 - case.value(PLAYER)) != mark:
            raise DoesNotFactor("how a move ends the game depends on more than its mover's hand")

    # What is illegal

    def check_refusals(self) -> None:
        """A hand that forbids a move does so whatever the other hand is. So does a pool that lacks a number."""
        compiled, moves = self.compiled, self.moves
        counts = list(self.table.counts) if self.digits else []
        full = self.everything.but({digit: np.array([count]) for digit, count in enumerate(counts)})
        if not self.declares_legality(full):
            for move, legal in zip(moves, self.legal, strict=True):
                if not legal.all():
                    self.ask(partial(self.compare_refusal, move), full.but({MINE: np.flatnonzero(~legal)}))
        able = np.flatnonzero(self.legal.any(axis=0))
        for digit in self.digits:
            for need in np.unique(compiled.takes[:, digit][compiled.takes[:, digit] > 0]).tolist():
                left = [*counts[:digit], need - 1, *counts[digit + 1 :]]
                if not (compiled.takes <= left).all(axis=1).any():
                    continue  # the game is over
                case = full.but({MINE: able, digit: np.array([need - 1])})
                for action in np.flatnonzero(compiled.takes[:, digit] == need).tolist():
                    self.ask(partial(self.compare_refusal, moves[action]), case)

    def declares_legality(self, case: _Case) -> bool:
        """Whether the game itself says that neither the player nor the other hand decides what is legal."""
        try:
            return all(
                isinstance(leaf, int | str | None) or (isinstance(leaf, Unknown) and leaf.terms.keys() == {MINE})
                for leaf in _flat(self.game.legality(case.position))
            )
        except (Split, Exception):
            return False

    def compare_refusal(self, move: Any, case: _Case) -> None:
        if self.game.forbids(case.position, move) is None:
            raise DoesNotFactor(_LEGALITY)

    # When the game is over

    def check_outcomes(self) -> None:
        """The game goes on while there is a move, and a hand without a move ends it as the maps say."""
        # Rules that ask what is legal get the answer from the maps, for many hands at once.
        rules = replace(self.game)
        vars(rules)["permitted"] = self.permitted
        for pool in _pools(distinct(self.compiled.takes)[0].tolist(), self.compiled.base):
            for player in _PLAYERS:
                self.ask(partial(self.compare_outcome, rules), self.everything.but({PLAYER: player, **pool}))

    def compare_outcome(self, rules: AnyGame, case: _Case) -> None:
        self.asked = case
        outcome = rules.outcome(case.position)
        result = 0 if outcome is None else ending_for(outcome.winner, case.value(PLAYER))
        if (self.compiled.stuck[case.candidates[MINE]] != result).any():
            raise DoesNotFactor("a hand or the table alone does not decide whether the game is over")

    def permitted(self, state: State[Any, Any]) -> Sequence[Any]:
        """The legal moves."""
        if self.digits or state is not self.asked.position:
            return self.game.permitted(state)
        return _LegalMoves(self.moves, self.legal[:, self.asked.candidates[MINE]])

    # Samples, for what unknown integers do not show: final scores, and moves asked step by step

    def check_final_scores(self) -> None:
        """When nothing is left to take, both players are treated alike, and only the final score counts."""
        compiled, outcome = self.compiled, self.game.outcome
        if not compiled.digits or not compiled.takes.any(axis=1).all():
            return
        scores: dict[Any, Any] = {hand: self.game.final_score(hand) for hand in compiled.hands}
        scored = None not in scores.values()
        hands = sorted(compiled.hands, key=scores.__getitem__) if scored else compiled.hands
        step, table = max(1, len(hands) // _FINAL_SCORES), compiled.table(0)
        results: dict[int, int] = {}  # for a lower, an equal and a higher score
        for index in range(0, len(hands), step):
            hand, lower = hands[index], hands[max(index - 1, 0)]
            for mine, theirs in ((hand, hand), (hand, lower), (lower, hand)):
                first, second = outcome(State(0, (mine, theirs), table)), outcome(State(1, (theirs, mine), table))
                if first is None or second is None:
                    raise DoesNotFactor("a position without moves is not over")
                ending = ending_for(first.winner, 0)
                if ending_for(second.winner, 1) != ending:
                    raise DoesNotFactor("the rules are not the same for both players")
                if scored:
                    sign = (scores[mine] > scores[theirs]) - (scores[mine] < scores[theirs])
                    if results.setdefault(sign, ending) != ending:
                        raise DoesNotFactor("the higher final score does not decide the game")

    def check_random_game(self) -> None:
        """Compares the legal moves, and what some of them do, in the positions of a random game."""
        compiled, game, rng = self.compiled, self.game, random.Random(1)
        state = game.start()
        while moves := game.legal_moves(state):
            mine, theirs = compiled.indices.get(state.mine), compiled.indices.get(state.theirs)
            if mine is None or theirs is None:
                raise DoesNotFactor("there are hands that the moves of one player do not lead to")
            legal = self.legal[:, mine]
            if self.digits:
                legal = legal & (compiled.takes <= state.table.counts).all(axis=1)
            if moves != [move for move, can in zip(game.moves, legal.tolist(), strict=True) if can]:
                raise DoesNotFactor(_LEGALITY)
            state = game.after(state, rng.choice(moves))


@cache
def _between(low: int, high: int) -> Candidates:
    """The integers from `low` to `high` - 1, as the same array each time."""
    return np.arange(low, high)


def _pools(takes: list[list[int]], base: int, digit: int = 0) -> Iterator[dict[Hashable, Candidates]]:
    """Sets of pools, as counts of some numbers. Each pool that holds one of the takes belongs to exactly one set."""
    if any(not any(take[digit:]) for take in takes):
        yield {}
        return
    needs = sorted({take[digit] for take in takes})
    for low, high in zip(needs, [*needs[1:], base], strict=True):
        for rest in _pools([take for take in takes if take[digit] <= low], base, digit + 1):
            yield {digit: _between(low, high), **rest}


def _same(first: Any, second: Any) -> bool:
    """Whether two values are equal for all candidates."""
    if first is second:
        return True
    if isinstance(first, tuple):
        return isinstance(second, tuple) and len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, Unknown) and isinstance(second, Unknown):
        return first.terms.keys() == second.terms.keys() and all(
            np.array_equal(values, second.terms[part]) for part, values in first.terms.items()
        )
    return not isinstance(first, Unknown) and not isinstance(second, Unknown) and bool(first == second)


def _flat(value: Any) -> list[Any]:
    """What a value consists of, if it is a tuple of tuples."""
    return [leaf for part in value for leaf in _flat(part)] if isinstance(value, tuple) else [value]


def _nested(example: Any, leaves: Iterator[Any]) -> Any:
    """A hand with the structure of an example, made of these leaves."""
    if not isinstance(example, tuple):
        return next(leaves)
    return tuple.__new__(type(example), [_nested(part, leaves) for part in example])


def _columns(values: Sequence[Any]) -> list[Sequence[int]] | None:
    """The integers that values of the same structure consist of, column by column; None if there is anything else."""
    kinds = set(map(type, values))
    kind = kinds.pop()
    if kinds:
        return None
    if kind is int:
        return [values]
    if not issubclass(kind, tuple) or len(set(map(len, values))) > 1:
        return None
    parts = [_columns(column) for column in zip(*values, strict=True)]
    return None if None in parts else [column for part in parts for column in part or ()]
