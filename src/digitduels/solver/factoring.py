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
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import compress, repeat
from operator import and_, ne, not_
from typing import Any

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.pool import Pool
from digitduels.solver.compiled import ILLEGAL, OUTSIDE, Compiled, DoesNotFactor, ending_for
from digitduels.solver.unknown import LARGEST_OPERAND, Split, Unknown, UnknownHands, Values, flat, pick, unknown

PLAYER, MINE, THEIRS = "player", "mine", "theirs"  # the parts of a position, together with the digits of the pool

_CASES = 20_000  # the questions that a check may ask, in addition to some per hand
_CASES_PER_HAND = 10
_FINAL_SCORES = 60  # final scores to compare

_BOTH = [0, 1]

_LEGALITY = "hand and table do not independently decide what is legal"
_OWN = "what a move does to its mover's hand depends on more than that hand"


def check(compiled: Compiled) -> None:
    """Compares the maps of a game with its rules; raises DoesNotFactor if they may differ in any position."""
    _Check(compiled).run()


class _UnknownPlayer(Unknown):
    """The player to move, or the other one, when it is unknown who moves."""

    def __rsub__(self, other: Any) -> Any:
        return (_WAITER if self is _MOVER else _MOVER) if other == 1 else self.calculate(operator.sub, other, self)


_MOVER: Any = _UnknownPlayer({PLAYER: _BOTH}, 0, 1)
_WAITER: Any = _UnknownPlayer({PLAYER: _BOTH[::-1]}, 0, 1)


class _UnknownSeats:
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

    def __eq__(self, other: object) -> bool:
        raise Split(PLAYER, _BOTH)


class _UnknownState(State[Any, Any]):
    """A position in which it is unknown who moves."""

    def then(self, mine: Any, theirs: Any, table: Any) -> _UnknownState:
        if self.player is _MOVER:
            return tuple.__new__(_UnknownState, (_WAITER, _UnknownSeats(mine, theirs), table))
        return tuple.__new__(_UnknownState, (_MOVER, _UnknownSeats(theirs, mine), table))


class _UnknownPool(Pool):
    """A pool whose counts may be unknown, and so cannot be a key in the cache of `take_two`."""

    __slots__ = ()

    def take_two(self, first: int, second: int) -> Pool:  # type: ignore[override]
        return self.take(first).take(second)


class _LegalMoves(Sequence[Any]):
    """The legal moves of a player whose hand is unknown."""

    def __init__(self, moves: Sequence[Any], legal: list[Values]) -> None:
        self.moves = moves
        self.legal = list(zip(*legal, strict=True))
        """[candidate][move]"""

    def __bool__(self) -> bool:
        return bool(unknown(MINE, list(map(int, map(any, self.legal)))))

    def __len__(self) -> int:
        return len(self[:])

    def __getitem__(self, index: Any) -> Any:
        first = self.legal[0]
        if self.legal.count(first) < len(self.legal):
            raise Split(MINE, self.legal)
        return tuple(compress(self.moves, first))[index]


class _Candidates:
    """What a part of a position can be: the indices of hands, the counts of a number, or the players."""

    def __init__(self, part: Hashable, numbers: Values, hands: UnknownHands | None = None) -> None:
        self.part = part
        self.numbers = numbers
        self.hands = hands

    @cached_property
    def value(self) -> Any:
        """What the rules see."""
        if self.hands is not None:
            return self.hands.value(self.part, self.numbers)
        return _MOVER if self.part == PLAYER and len(self.numbers) > 1 else unknown(self.part, self.numbers)

    def but(self, numbers: Values) -> _Candidates:
        return _Candidates(self.part, numbers, self.hands)


_EACH_PLAYER = tuple(_Candidates(PLAYER, _BOTH[player : player + 1]) for player in (0, 1))


class _Case:
    """Positions that one question is about."""

    def __init__(self, table: Any, parts: dict[Hashable, _Candidates]) -> None:
        self.table = table
        self.parts = parts
        self.left: Pool | None = None

    @cached_property
    def position(self) -> State[Any, Any]:
        player, mine, theirs, *counts = [part.value for part in self.parts.values()]
        table = tuple.__new__(_UnknownPool, (tuple(counts), self.table.copies)) if counts else self.table
        if player is _MOVER:
            return tuple.__new__(_UnknownState, (player, _UnknownSeats(mine, theirs), table))
        return tuple.__new__(State, (player, (theirs, mine) if player else (mine, theirs), table))

    def table_without(self, take: Sequence[int]) -> Any:
        """The table after a take. All moves that are asked about in one case take the same."""
        if take and self.left is None:
            before = self.position.table.counts
            left = tuple([count - need if need else count for count, need in zip(before, take, strict=True)])
            self.left = Pool(left, self.table.copies)
        return self.left if take else self.table

    def but(self, *candidates: _Candidates) -> _Case:
        """The case with other candidates for some parts."""
        return _Case(self.table, self.parts | {some.part: some for some in candidates})

    def split(self, part: Hashable, classes: Sequence[Hashable]) -> list[_Case]:
        whole, numbers = self.parts[part], defaultdict[Hashable, Values](list)
        for number, some in zip(whole.numbers, classes, strict=True):
            numbers[some].append(number)
        return [self.but(whole.but(some)) for some in numbers.values()]


class _Check:
    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.game = compiled.game
        self.moves = compiled.game.moves
        self.table = self.game.start().table
        self.digits = range(compiled.digits)
        self.hands = UnknownHands(compiled.hands)
        self.maps = compiled.maps
        self.legal = [bytes(map(ne, row, repeat(ILLEGAL))) for row in self.maps.own]
        """[move][hand]: 1 if the hand permits the move, else 0."""
        self.left = _CASES + _CASES_PER_HAND * len(compiled.hands)
        self.every = list(range(len(compiled.hands)))
        self.mine, self.theirs = (_Candidates(part, self.every, self.hands) for part in (MINE, THEIRS))
        parts = [_Candidates(PLAYER, _BOTH), self.mine, self.theirs]
        parts += [_counts(digit, 0, compiled.base) for digit in self.digits]
        self.everything = _Case(self.table, {some.part: some for some in parts})
        self.ended: set[tuple[int, ...]] = set()
        """The hands with which a move ends the game: their integers, and the result."""
        self.asked = self.everything

    def run(self) -> None:
        self.check_moves()
        self.check_endings()
        self.check_refusals()
        self.check_outcomes()
        self.check_final_scores()
        self.check_random_game()

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
                some = next((some for some in case.parts.values() if len(some.numbers) > 1), None)
                if some is None:
                    raise DoesNotFactor("its rules fail in a position that cannot arise") from error
                waiting += case.split(some.part, some.numbers)

    # What a move does

    def check_moves(self) -> None:
        """Every legal move is permitted, and does what the maps say."""
        compiled, cases = self.compiled, dict[tuple[Any, bytes], _Case]()
        inside = [bytes(map(ne, row, repeat(OUTSIDE))) for row in self.maps.own]
        can = [bytes(map(and_, legal, row)) for legal, row in zip(self.legal, inside, strict=True)]
        if not any(map(any, can)):
            raise DoesNotFactor("there is no legal move")
        for action, take in enumerate(self.maps.takes):
            key = take, can[action]
            if key not in cases:
                pool = [_counts(digit, need, compiled.base) for digit, need in enumerate(take)]
                cases[key] = self.everything.but(self.mine.but(list(compress(self.every, can[action]))), *pool)
            if any(can[action]):
                self.ask(partial(self.compare_move, action, take), cases[key])

    def compare_move(self, action: int, take: Sequence[int], case: _Case) -> None:
        state, move, theirs = case.position, self.moves[action], case.parts[THEIRS].value
        if self.game.forbids(state, move) is not None:
            raise DoesNotFactor(_LEGALITY)
        after = self.game.after(state, move)
        opponent = 1 - state.player
        if not _same(after.player, opponent):
            raise DoesNotFactor("the other player does not move next")
        if not _same(after.table, case.table_without(take)):
            raise DoesNotFactor("what a move does to the table depends on more than that")
        if self.changes[action]:
            other = self.maps.other[action]
            theirs = self.hands.value(THEIRS, pick(other, case.parts[THEIRS].numbers))
        if not _same(after.hands[opponent], theirs):
            raise DoesNotFactor("what a move does to the other hand depends on more than that hand")
        hand = self.hands.integers(after.hands[state.player])
        if len(hand) != len(self.hands.rows):
            raise DoesNotFactor(_OWN)
        self.compare_hands(action, case.parts[MINE].numbers, hand)

    def compare_hands(self, action: int, before: Values, after: list[Any]) -> None:
        """A move leads from these hands to the hands in the maps, or ends the game."""
        columns = [self.values_of(number, len(before)) for number in after]
        targets = pick(self.maps.own[action], before)
        if min(targets) < 0:
            over = [target < 0 for target in targets]
            self.ended.update(compress(zip(*columns, targets, strict=True), over))
            alive = [not end for end in over]
            columns = [list(compress(column, alive)) for column in columns]
            targets = list(compress(targets, alive))
        if any(column != pick(row, targets) for column, row in zip(columns, self.hands.rows, strict=True)):
            raise DoesNotFactor(_OWN)

    @cached_property
    def changes(self) -> list[bool]:
        """[move]: whether it changes hands of the other player."""
        return [row.tolist() != self.every for row in self.maps.other]

    def check_endings(self) -> None:
        """A move that ends the game does so for every other hand and pool."""
        hands: dict[int, Values] = {}
        for number, (*integers, mark) in enumerate(sorted(self.ended), len(self.every)):
            hands.setdefault(mark, []).append(number)
            for row, integer in zip(self.hands.rows, integers, strict=True):
                row.append(integer)
        for mark, some in hands.items():
            self.ask(partial(self.compare_ending, mark), self.everything.but(self.theirs.but(some)))

    def values_of(self, number: Any, size: int) -> Values:
        """[candidate]: a number of the mover's hand after a move."""
        if isinstance(number, Unknown) and number.terms.keys() == {MINE}:
            return number.terms[MINE]
        if isinstance(number, Unknown) or not isinstance(number, int) or abs(number) >= LARGEST_OPERAND:
            raise DoesNotFactor(_OWN)
        return [number] * size

    def compare_ending(self, mark: int, case: _Case) -> None:
        outcome = self.game.outcome(case.position)
        if outcome is None or ending_for(outcome.winner, 1 - case.position.player) != mark:
            raise DoesNotFactor("how a move ends the game depends on more than its mover's hand")

    # What is illegal

    def check_refusals(self) -> None:
        """A hand that forbids a move does so whatever the other hand is. So does a pool that lacks a number."""
        compiled, moves = self.compiled, self.moves
        counts = list(self.table.counts) if self.digits else []
        full = self.everything.but(*(_counts(digit, count, count + 1) for digit, count in enumerate(counts)))
        if not self.declares_legality(full):
            for move, legal in zip(moves, self.legal, strict=True):
                unable = list(compress(self.every, map(not_, legal)))
                if unable:
                    self.ask(partial(self.compare_refusals, [move]), full.but(self.mine.but(unable)))
        able = self.mine.but(list(compress(self.every, map(any, zip(*self.legal, strict=True)))))
        for digit in self.digits:
            needs = [take[digit] for take in self.maps.takes]
            for need in sorted({need for need in needs if need}):
                left = [*counts[:digit], need - 1, *counts[digit + 1 :]]
                if any(compiled.affordable(Pool(tuple(left), compiled.copies))):  # else the game is over
                    lacking = [move for move, other in zip(moves, needs, strict=True) if other == need]
                    case = full.but(able, _counts(digit, need - 1, need))
                    self.ask(partial(self.compare_refusals, lacking), case)

    def declares_legality(self, case: _Case) -> bool:
        """Whether the game itself says that neither the player nor the other hand decides what is legal."""
        try:
            return all(
                leaf.terms.keys() == {MINE} if isinstance(leaf, Unknown) else isinstance(leaf, int | str | None)
                for leaf in flat(self.game.legality(case.position))
            )
        except (Split, Exception):
            return False

    def compare_refusals(self, moves: Sequence[Any], case: _Case) -> None:
        if any(self.game.forbids(case.position, move) is None for move in moves):
            raise DoesNotFactor(_LEGALITY)

    # When the game is over

    def check_outcomes(self) -> None:
        """The game goes on while there is a move, and a hand without a move ends it as the maps say."""
        # Rules that ask what is legal get the answer from the maps, for many hands at once.
        rules = replace(self.game)
        vars(rules)["permitted"] = self.permitted
        for pool in _pools(self.compiled.distinct_takes[0], self.compiled.base):
            for player in _EACH_PLAYER:
                self.ask(partial(self.compare_outcome, rules), self.everything.but(player, *pool))

    def compare_outcome(self, rules: AnyGame, case: _Case) -> None:
        self.asked = case
        outcome = rules.outcome(case.position)
        result = 0 if outcome is None else ending_for(outcome.winner, case.position.player)
        if {*pick(self.maps.stuck, case.parts[MINE].numbers)} - {result}:
            raise DoesNotFactor("a hand or the table alone does not decide whether the game is over")

    def permitted(self, state: State[Any, Any]) -> Sequence[Any]:
        """The legal moves."""
        if self.digits or state is not self.asked.position:
            return self.game.permitted(state)
        numbers = self.asked.parts[MINE].numbers
        return _LegalMoves(self.moves, [pick(legal, numbers) for legal in self.legal])

    # Samples, for what unknown integers do not show: final scores, and moves asked step by step

    def check_final_scores(self) -> None:
        """When nothing is left to take, both players are treated alike, and only the final score counts."""
        compiled, outcome = self.compiled, self.game.outcome
        if not compiled.digits or not compiled.always_takes:
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
            there = compiled.affordable(state.table)
            if moves != [
                move for move, can, held in zip(game.moves, self.legal, there, strict=True) if can[mine] and held
            ]:
                raise DoesNotFactor(_LEGALITY)
            state = game.after(state, rng.choice(moves))


@cache
def _counts(digit: int, low: int, high: int) -> _Candidates:
    """The counts of a number from `low` to `high` - 1."""
    return _Candidates(digit, list(range(low, high)))


def _pools(takes: list[tuple[int, ...]], base: int, digit: int = 0) -> Iterator[list[_Candidates]]:
    """Sets of pools, as counts of some numbers. Each pool that holds one of the takes belongs to exactly one set."""
    if any(not any(take[digit:]) for take in takes):
        yield []
        return
    needs = sorted({take[digit] for take in takes})
    for low, high in zip(needs, [*needs[1:], base], strict=True):
        for rest in _pools([take for take in takes if take[digit] <= low], base, digit + 1):
            yield [_counts(digit, low, high), *rest]


def _same(first: Any, second: Any) -> bool:
    """Whether two values are equal for all candidates."""
    if first is second:
        return True
    if isinstance(first, tuple):
        return isinstance(second, tuple) and len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, Unknown) and isinstance(second, Unknown):
        return first.terms.keys() == second.terms.keys() and all(
            values == second.terms[part] for part, values in first.terms.items()
        )
    return not isinstance(first, Unknown) and not isinstance(second, Unknown) and bool(first == second)
