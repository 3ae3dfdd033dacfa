"""Checks that the moves of a game factor: that its maps say what its rules say, in all positions.

The rules are asked about positions with unknown integers (see unknown.py), so that one call covers all positions that a
rule treats alike. Where a rule looks at the other player's hand or at the rest of the pool, the check distinguishes
cases there. So it finds an effect in one position of millions, but asks only a few hundred questions about a game
whose moves factor.

If a rule distinguishes too many cases, the check raises DoesNotFactor as well, and the reference solver takes over.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.pool import Pool
from digitduels.solver.compiled import ILLEGAL, OUTSIDE, Compiled, DoesNotFactor, distinct, ending_for
from digitduels.solver.unknown import LARGEST_OPERAND, Split, Unknown, Values

PLAYER, MINE, THEIRS = "player", "mine", "theirs"  # the parts of a position, together with the digits of the pool

_CASES = 20_000  # the questions that a check may ask, in addition to some per hand
_CASES_PER_HAND = 10
_GAMES = 2  # random games to compare move by move
_FINAL_SCORES = 60  # final scores to compare

_OTHER = Unknown(PLAYER, np.array([1, 0]))  # the opponent of an unknown player

_LEGALITY = "hand and table do not independently decide what is legal"
_ENDING = "how a move ends the game depends on more than its mover's hand"
_OVER = "a hand or the table alone does not decide whether the game is over"


def check(compiled: Compiled) -> None:
    """Compares the maps of a game with its rules; raises DoesNotFactor if they may differ in any position."""
    _Check(compiled).run()


class _UnknownPool(Pool):
    """A pool whose counts may be unknown, and so cannot be a key in the cache of `take_two`."""

    __slots__ = ()

    def take_two(self, first: int, second: int) -> Pool:  # type: ignore[override]
        return self.take(first).take(second)


def _who_moves() -> Split:
    return Split(PLAYER, np.arange(2))


class _Seats:
    """The hands of both players when it is unknown who moves. Only an unknown player can be its index."""

    def __init__(self, mine: Any, theirs: Any) -> None:
        self.mine = mine
        self.theirs = theirs

    def __getitem__(self, player: Any) -> Any:
        if not isinstance(player, Unknown) or player.part != PLAYER:
            raise _who_moves()
        return self.theirs if player.values[0] else self.mine

    def __contains__(self, hand: Any) -> bool:
        return hand in (self.mine, self.theirs)

    def __eq__(self, other: object) -> bool:
        raise _who_moves()

    def __hash__(self) -> int:
        raise _who_moves()


class _Position(State[Any, Any]):
    """A position in which it is unknown who moves."""

    def then(self, mine: Any, theirs: Any, table: Any) -> _Position:
        return tuple.__new__(_Position, (_OTHER, _Seats(mine, theirs), table))


class _Hands:
    """Some hands as a matrix, one row each."""

    def __init__(self, hands: Sequence[Any]) -> None:
        self.hands = hands
        self.example = hands[0]
        integers = _columns(hands)
        self.numbers: Values | None = None
        """[hand, number]; None if the hands do not all consist of the same number of integers."""
        if integers is not None and all(
            -LARGEST_OPERAND < min(column) <= max(column) < LARGEST_OPERAND for column in integers
        ):
            self.numbers = np.array(integers, np.int64).T

    def value(self, part: str, rows: npt.NDArray[Any]) -> Any:
        """A hand that may be any of these rows."""
        if len(rows) == 1:
            return self.hands[rows[0]]
        if self.numbers is None:
            raise Split(part, rows)
        leaves = iter([_integer(part, column) for column in self.numbers[rows].T])
        return _rebuilt(self.example, leaves)

    def equal(self, hand: Any, part: str, rows: npt.NDArray[Any], where: npt.NDArray[Any] | None = None) -> bool:
        """Whether a hand is that of each row, for all candidates of the part or for those `where` it is true."""
        everywhere = where is None or where.all()
        rows = rows if everywhere else rows[where]
        if self.numbers is None:
            return all(hand == self.hands[row] for row in rows)
        leaves = _leaves(hand)
        if len(leaves) != self.numbers.shape[1]:
            return False
        return all(
            leaf.part == part
            and leaf.rest is None
            and bool(((leaf.values if everywhere else leaf.values[where]) == column[rows]).all())
            if isinstance(leaf, Unknown)
            else bool((column[rows] == leaf).all())
            for leaf, column in zip(leaves, self.numbers.T, strict=True)
        )


class _Candidates:
    """What a part of a position can be."""

    def __init__(self, part: Hashable, candidates: npt.NDArray[Any], hands: _Hands | None = None) -> None:
        self.part = part
        self.candidates = candidates
        self.hands = hands

    @cached_property
    def value(self) -> Any:
        """The part with an Unknown for each integer that differs between the candidates."""
        if self.hands is None:
            return _integer(self.part, self.candidates)
        return self.hands.value(str(self.part), self.candidates)

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The first and the last candidate: the fewest and the most copies of a number."""
        return int(self.candidates[0]), int(self.candidates[-1])

    def split(self, classes: npt.NDArray[Any]) -> list[_Candidates]:
        if classes.dtype == np.bool_:
            return [_Candidates(self.part, self.candidates[some], self.hands) for some in (classes, ~classes)]
        order = np.argsort(classes, kind="stable")
        edges = np.flatnonzero(np.diff(classes[order])) + 1
        return [_Candidates(self.part, self.candidates[some], self.hands) for some in np.split(order, edges)]


Case = dict[Hashable, _Candidates]


class _Check:
    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.game = compiled.game
        self.table = self.game.start().table
        self.hands = _Hands(compiled.hands)
        self.left = _CASES + _CASES_PER_HAND * len(compiled.hands)
        self.legal = compiled.own != ILLEGAL
        self.takes, group = distinct(compiled.takes)
        self.ways: npt.NDArray[np.bool_] = np.array(
            [self.legal[group == take].any(axis=0) for take in range(len(self.takes))]
        )
        """[take, hand]: whether a move with this take is legal."""
        self.able = np.asarray(self.ways.any(axis=0))
        self.spares = (compiled.other == np.arange(len(compiled.hands))).all(axis=1).tolist()
        """[move]: whether it changes no hand of the other player."""
        every = np.arange(len(compiled.hands))
        self.player = _Candidates(PLAYER, np.arange(2))
        self.mine, self.theirs = (_Candidates(part, every, self.hands) for part in (MINE, THEIRS))
        counts = np.arange(compiled.base)
        self.counts = [[_Candidates(digit, counts[low:]) for low in counts] for digit in range(compiled.digits)]
        """[digit][low]: at least `low` copies of a number."""
        self.asked: State[Any, Any] | None = None
        self.asked_hands = every
        """The mover's hands in the position that was asked about last."""
        self.ended: set[tuple[Any, ...]] = set()
        """The hands that end the game: the result for their owner, and the numbers of the hand."""

    def run(self) -> None:
        self.check_moves()
        self.check_objections()
        self.check_endings()
        self.check_outcomes()
        self.check_final_scores()
        self.check_samples()

    # Asking

    def everything(self) -> Case:
        """All positions."""
        pool: Case = {digit: counts[0] for digit, counts in enumerate(self.counts)}
        return {PLAYER: self.player, MINE: self.mine, THEIRS: self.theirs, **pool}

    def ask(self, question: Callable[[Case], None], case: Case) -> None:
        """Asks a question about a case, or about all the cases that its answer distinguishes."""
        waiting = [case]
        while waiting:
            case = waiting.pop()
            self.left -= 1
            if self.left < 0:
                raise DoesNotFactor("its rules distinguish too many cases")
            try:
                question(case)
                continue
            except Split as split:
                part, classes = split.part, split.classes
            except DoesNotFactor:
                raise
            except Exception as error:  # the rules do something that only an int can do
                unknown = [part for part, candidates in case.items() if len(candidates.candidates) > 1]
                if not unknown:
                    raise DoesNotFactor("its rules fail in a position that cannot arise") from error
                part, classes = unknown[0], np.arange(len(case[unknown[0]].candidates))
            waiting += [case | {part: candidates} for candidates in case[part].split(classes)]

    def position(self, case: Case) -> State[Any, Any]:
        player, mine, theirs = case[PLAYER].value, case[MINE].value, case[THEIRS].value
        table = self.table
        if self.compiled.digits:
            counts = tuple([case[digit].value for digit in range(self.compiled.digits)])
            table = tuple.__new__(_UnknownPool, (counts, self.compiled.copies))
        if isinstance(player, Unknown):
            return tuple.__new__(_Position, (player, _Seats(mine, theirs), table))
        return tuple.__new__(State, (player, (theirs, mine) if player else (mine, theirs), table))

    # What a move does

    def check_moves(self) -> None:
        """Every legal move is permitted, and does what the maps say."""
        compiled, game = self.compiled, self.game
        pools: dict[tuple[int, ...], Case] = {
            tuple(take): {digit: self.counts[digit][low] for digit, low in enumerate(take)}
            for take in compiled.takes.tolist()
        }
        movers: dict[bytes, _Candidates] = {}  # moves often share theirs
        for action, (move, take) in enumerate(zip(game.moves, compiled.takes.tolist(), strict=True)):
            can = self.legal[action] & (compiled.own[action] != OUTSIDE)
            if not can.any():
                continue
            key = can.tobytes()
            if key not in movers:
                movers[key] = _Candidates(MINE, np.flatnonzero(can), self.hands)
            mine = movers[key]
            case: Case = {PLAYER: self.player, MINE: mine, THEIRS: self.theirs, **pools[tuple(take)]}
            self.ask(partial(self.compare, action, move), case)

    def compare(self, action: int, move: Any, case: Case) -> None:
        compiled, player = self.compiled, case[PLAYER].value
        state = self.position(case)
        if self.game.forbids(state, move) is not None:
            raise DoesNotFactor(_LEGALITY)
        after = self.game.after(state, move)
        mine, theirs = case[MINE].candidates, case[THEIRS].candidates
        opponent = _OTHER if isinstance(player, Unknown) else 1 - player
        hand, other_hand = after.hands[player], after.hands[opponent]
        if after.player is not opponent and after.player != opponent:
            raise DoesNotFactor("the other player does not move next")
        if not self.equal_table(case, action, after.table):
            raise DoesNotFactor("what a move does to the table depends on more than that")
        unchanged = self.spares[action] and other_hand is case[THEIRS].value
        if not unchanged and not self.hands.equal(other_hand, THEIRS, compiled.other[action, theirs]):
            raise DoesNotFactor("what a move does to the other hand depends on more than that hand")
        targets = compiled.own[action, mine]
        alive = targets >= 0
        if not self.hands.equal(hand, MINE, targets, alive):
            raise DoesNotFactor("what a move does to its mover's hand depends on more than that hand")
        if not alive.all():
            self.note_endings(hand, targets, ~alive)

    def note_endings(self, hand: Any, targets: npt.NDArray[Any], where: npt.NDArray[np.bool_]) -> None:
        """Stores which hands end the game, and how."""
        leaves = _leaves(hand)
        if any(isinstance(leaf, Unknown) and (leaf.part != MINE or leaf.rest is not None) for leaf in leaves):
            raise DoesNotFactor(_ENDING)
        marks = targets[where].tolist()
        columns = [leaf.values[where].tolist() if isinstance(leaf, Unknown) else [leaf] * len(marks) for leaf in leaves]
        self.ended.update(zip(marks, *columns, strict=True))

    def equal_table(self, case: Case, action: int, table: Any) -> bool:
        """Whether a move leaves what the maps say on the table."""
        compiled = self.compiled
        if not compiled.digits:
            return bool(table == self.table)
        if not isinstance(table, Pool) or table.copies != compiled.copies or len(table.counts) != compiled.digits:
            return False
        for digit, (count, take) in enumerate(zip(table.counts, compiled.takes[action].tolist(), strict=True)):
            before = case[digit]
            if not take and count is before.value:
                continue
            if isinstance(count, Unknown):
                if count.part != digit or count.rest is not None or (count.values != before.candidates - take).any():
                    return False
            elif isinstance(before.value, Unknown) or before.value - take != count:
                return False
        return True

    # When the game is over

    def check_endings(self) -> None:
        """A hand that ends the game does so whatever the other hand and the pool are."""
        for mark in sorted({mark for mark, *_ in self.ended}):
            hands = _Hands(
                [_rebuilt(self.hands.example, iter(leaves)) for result, *leaves in self.ended if result == mark]
            )
            ended = _Candidates(THEIRS, np.arange(len(hands.hands)), hands)
            self.ask(partial(self.compare_ending, mark), {**self.everything(), THEIRS: ended})

    def compare_ending(self, mark: int, case: Case) -> None:
        outcome = self.game.outcome(self.position(case))
        if outcome is None or ending_for(outcome.winner, 1 - case[PLAYER].value) != mark:
            raise DoesNotFactor(_ENDING)

    def check_outcomes(self) -> None:
        """The game goes on while there is a move, and a hand without a move ends it as the maps say."""
        # Rules that ask what is legal get the answer from the maps, for many hands at once.
        rules = object.__new__(type(self.game))
        for field in fields(self.game):
            object.__setattr__(rules, field.name, getattr(self.game, field.name))
        object.__setattr__(rules, "permitted", self.permitted)
        self.ask(partial(self.compare_outcome, rules), self.everything())

    def permitted(self, state: State[Any, Any]) -> tuple[Any, ...]:
        """The legal moves."""
        if state is not self.asked or self.compiled.digits:
            return self.game.permitted(state)
        legal = self.legal[:, self.asked_hands]
        if (legal != legal[:, :1]).any():
            raise Split(MINE, self.legal_sets[self.asked_hands])
        return tuple([move for move, can in zip(self.game.moves, legal[:, 0].tolist(), strict=True) if can])

    @cached_property
    def legal_sets(self) -> npt.NDArray[np.int64]:
        """[hand]: hands with the same number have the same legal moves."""
        sets = np.ascontiguousarray(np.packbits(self.legal, axis=0).T)
        names = sets.view(f"V{sets.shape[1]}").reshape(-1)
        _, numbers = np.unique(names, return_inverse=True)
        return numbers

    def compare_outcome(self, rules: AnyGame, case: Case) -> None:
        mine, digits = case[MINE].candidates, range(self.compiled.digits)
        # [candidate]: whether the hand has a move in all pools of the case, and in some of them
        always: npt.NDArray[np.bool_] = self.able[mine]
        sometimes = always
        anything = True
        if digits:
            fewest, most = (
                np.all(self.takes <= np.array([case[digit].ends[end] for digit in digits]), axis=1) for end in (0, 1)
            )
            if not most.any():
                return  # nothing is left to take; see check_final_scores
            anything = bool(fewest.any())
            always, sometimes = (self.ways[takes][:, mine].any(axis=0) for takes in (fewest, most))
        self.asked, self.asked_hands = self.position(case), mine
        outcome = rules.outcome(self.asked)
        if outcome is None:
            if always.all():
                return
            if not sometimes.all():
                raise DoesNotFactor("a position that is not over has no legal move")
        else:
            if always.any():
                raise DoesNotFactor(_OVER)
            if anything and not sometimes.any():
                if (self.compiled.stuck[mine] != ending_for(outcome.winner, case[PLAYER].value)).any():
                    raise DoesNotFactor(_OVER)
                return
        unknown = next(digit for digit in digits if len(case[digit].candidates) > 1)
        raise Split(unknown, case[unknown].candidates)

    # What is illegal

    def check_objections(self) -> None:
        """A hand that forbids a move does so whatever the other hand is."""
        case = self.everything()
        case |= {digit: _Candidates(digit, np.array([count])) for digit, count in enumerate(self.first_counts())}
        if self.declares_legality(case):
            return
        for action, move in enumerate(self.game.moves):
            cannot = np.flatnonzero(~self.legal[action])
            if len(cannot):
                self.ask(partial(self.compare_objection, move), {**case, MINE: _Candidates(MINE, cannot, self.hands)})

    def compare_objection(self, move: Any, case: Case) -> None:
        if self.game.forbids(self.position(case), move) is None:
            raise DoesNotFactor(_LEGALITY)

    def declares_legality(self, case: Case) -> bool:
        """Whether the game itself says that neither the player nor the other hand decides what is legal."""
        try:
            return all(
                isinstance(leaf, int | str | None) or (isinstance(leaf, Unknown) and leaf.part == MINE)
                for leaf in _leaves(self.game.legality(self.position(case)))
            )
        except (Split, Exception):
            return False

    def first_counts(self) -> tuple[int, ...]:
        return self.table.counts if self.compiled.digits else ()

    # Samples, for what unknown integers do not show: final scores, numbers that are gone, and moves asked step by step

    def check_final_scores(self) -> None:
        """When nothing is left to take, both players are treated alike, and only the final score counts."""
        compiled, game, rng = self.compiled, self.game, random.Random(1)
        if not compiled.digits or not compiled.takes.any(axis=1).all():
            return
        scores: dict[Any, Any] = {hand: game.final_score(hand) for hand in compiled.hands}
        scored = None not in scores.values()
        hands = sorted(compiled.hands, key=scores.__getitem__) if scored else compiled.hands
        step, table = max(1, len(hands) // _FINAL_SCORES), compiled.table(0)
        results: dict[int, int] = {}  # for a lower, an equal and a higher score
        for index in range(0, len(hands), step):
            hand, lower, other = hands[index], hands[max(index - 1, 0)], rng.choice(hands)
            for mine, theirs in ((hand, hand), (hand, lower), (lower, hand), (hand, other)):
                outcomes = [
                    game.outcome(State(0, (mine, theirs), table)),
                    game.outcome(State(1, (theirs, mine), table)),
                ]
                endings = {
                    None if outcome is None else ending_for(outcome.winner, player)
                    for player, outcome in enumerate(outcomes)
                }
                if len(endings) > 1:
                    raise DoesNotFactor("the rules are not the same for both players")
                (ending,) = endings
                if ending is None:
                    raise DoesNotFactor("a position without moves is not over")
                if scored:
                    first, second = scores[mine], scores[theirs]
                    if results.setdefault((first > second) - (first < second), ending) != ending:
                        raise DoesNotFactor("the higher final score does not decide the game")

    def check_samples(self) -> None:
        """Compares legal moves in positions with all kinds of pools, and the positions of some random games."""
        compiled, game, rng = self.compiled, self.game, random.Random(1)
        for table in _tables(compiled, rng):
            mine, theirs = rng.randrange(len(compiled.hands)), rng.randrange(len(compiled.hands))
            for player, other in ((0, theirs), (1, mine)):
                if compiled.contains(table, mine, other):
                    self.compare_position(compiled.state(table, mine, other, player))
        for _ in range(_GAMES):
            state = game.start()
            while legal := game.legal_moves(state):
                self.compare_position(state)
                state = game.after(state, rng.choice(legal))

    def compare_position(self, state: State[Any, Any]) -> None:
        compiled, game = self.compiled, self.game
        mine, theirs = compiled.indices.get(state.mine), compiled.indices.get(state.theirs)
        if mine is None or theirs is None:
            raise DoesNotFactor("there are hands that the moves of one player do not lead to")
        there = (compiled.takes <= np.array(state.table.counts if compiled.digits else (), np.int64)).all(axis=1)
        legal = (there & self.legal[:, mine]).nonzero()[0].tolist()
        if game.legal_moves(state) != [game.moves[action] for action in legal]:
            raise DoesNotFactor(_LEGALITY)
        own, other = compiled.own[:, mine].tolist(), compiled.other[:, theirs].tolist()
        for action in legal[:1] + legal[-1:]:
            after = game.after(state, game.moves[action])
            if own[action] >= 0 and after.hands != compiled.state(0, own[action], other[action], state.player).hands:
                raise DoesNotFactor("what a move does to the hands depends on more than these")


def _tables(compiled: Compiled, rng: random.Random) -> list[int]:
    """Tables in which many or few numbers are left: empty, full, with a single number, without one, and random ones."""
    full = compiled.tables - 1
    numbers = [int(weight) for weight in compiled.weights[:: max(1, compiled.digits // 12)]]
    gone = [full - compiled.copies * weight for weight in numbers]
    return [0, full, *numbers, *gone, *(rng.randrange(compiled.tables) for _ in range(10))]


def _integer(part: Hashable, values: npt.NDArray[Any]) -> int | Unknown:
    first = int(values[0])
    return first if (values == first).all() else Unknown(part, values)


def _leaves(value: Any) -> list[Any]:
    """What a value consists of, if it is a tuple of tuples."""
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, tuple) else [value]


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


def _rebuilt(example: Any, leaves: Iterator[Any]) -> Any:
    """A hand with the structure of an example, made of these leaves."""
    if not isinstance(example, tuple):
        return next(leaves)
    return tuple.__new__(type(example), [_rebuilt(part, leaves) for part in example])
