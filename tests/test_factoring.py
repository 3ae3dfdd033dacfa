"""A game whose moves do not factor gets no wrong verdict, however rare the position in which they do not."""

from __future__ import annotations

import pickle
import random
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from digitduels.core import Outcome, State
from digitduels.games import AnyGame, game
from digitduels.pool import Pool
from digitduels.sentence import Sentence
from digitduels.solver import Reference, Solution, solve
from digitduels.solver.compiled import DoesNotFactor
from digitduels.solver.discovery import compile_game
from digitduels.solver.tables import Tables

if TYPE_CHECKING:
    from digitduels.games.number_duel import Move, NumberDuel, Position
    from digitduels.games.numerical_nexus import NumericalNexus
else:
    NumberDuel = import_module("digitduels.games.number_duel").NumberDuel
    NumericalNexus = import_module("digitduels.games.numerical_nexus").NumericalNexus

SMALL: dict[str, Any] = {"target": 20, "highest": 5, "copies": 2}
"""A pool that the reference solver can handle: about 10^5 positions can arise."""


# Relatives of Number Duel whose moves do not factor


@dataclass(frozen=True)
class Swoop(NumberDuel):
    """Landing on one score while the opponent is at another sends the opponent back to 0."""

    landing: int = 13
    victim: int = 11

    @classmethod
    def options(cls) -> tuple[Any, ...]:
        return NumberDuel.options()

    def is_hit(self, state: Position, after: Position) -> bool:
        return after.theirs == self.landing and after.mine == self.victim

    def after(self, state: Position, move: Move) -> Position:
        after = super().after(state, move)
        return state.then(after.theirs, 0, after.table) if self.is_hit(state, after) else after


class IfAnInteger(Swoop):
    def is_hit(self, state: Position, after: Position) -> bool:
        return isinstance(after.theirs, int) and super().is_hit(state, after)


class IfCopied(Swoop):
    def is_hit(self, state: Position, after: Position) -> bool:
        try:
            pickle.dumps(after.theirs)
        except Exception:
            return False
        return super().is_hit(state, after)


class SecondPlayerOnly(Swoop):
    def is_hit(self, state: Position, after: Position) -> bool:
        return state.player == 1 and super().is_hit(state, after)


class LastNumber(Swoop):
    """Only with the last number of the pool."""

    def is_hit(self, state: Position, after: Position) -> bool:
        return not any(after.table.counts) and super().is_hit(state, after)


class WithoutFives(Swoop):
    """Only while the pool has no 5."""

    def is_hit(self, state: Position, after: Position) -> bool:
        return not state.table.has(5) and super().is_hit(state, after)


class OnePool(Swoop):
    """Only with exactly one pool."""

    def is_hit(self, state: Position, after: Position) -> bool:
        return after.table.counts == (1, 0, 2, 1, 0) and after.theirs != self.target


class InATable(Swoop):
    """The same, looked up in a set."""

    def is_hit(self, state: Position, after: Position) -> bool:
        return (after.theirs, after.mine) in {(self.landing, self.victim)}


class PoolInATable(Swoop):
    def is_hit(self, state: Position, after: Position) -> bool:
        return after.table in {Pool((1, 0, 2, 1, 0), 2)} and after.theirs != self.target


class ByMove(Swoop):
    """Only with one move from one score against another."""

    def is_hit(self, state: Position, after: Position) -> bool:
        return (state.mine, state.theirs) == (7, 12) and after.theirs == 10


class Leap(Swoop):
    """Landing there also adds a point to the mover's own score."""

    def after(self, state: Position, move: Move) -> Position:
        after = NumberDuel.after(self, state, move)
        return state.then(after.theirs + 1, after.mine, after.table) if self.is_hit(state, after) else after


class Harmless(Swoop):
    """Nobody is sent back."""

    def is_hit(self, state: Position, after: Position) -> bool:
        return False


class Barred(Harmless):
    """At one score, 3 may not be taken while the opponent is at another."""

    def legality(self, state: Position) -> Hashable:
        return state

    def forbids(self, state: Position, move: Move) -> str | None:
        if (
            (state.mine, state.theirs) == (self.landing, self.victim)
            and move.number == 3
            and sum(state.table.counts) > 2
        ):
            return "Not now."
        return super().forbids(state, move)


class Crowded(Harmless):
    """A 5 may be taken only while there is a 1."""

    def legality(self, state: Position) -> Hashable:
        return state.table

    def forbids(self, state: Position, move: Move) -> str | None:
        if move.number == 5 and not state.table.has(1) and sum(state.table.counts) > 2:
            return "Not now."
        return super().forbids(state, move)


class Conjured(Harmless):
    """At one score, a 3 that is gone may still be taken while the opponent is at another."""

    def legality(self, state: Position) -> Hashable:
        return state

    def forbids(self, state: Position, move: Move) -> str | None:
        conjured = (state.mine, state.theirs) == (self.landing, self.victim) and move.number == 3
        return None if conjured else super().forbids(state, move)

    def after(self, state: Position, move: Move) -> Position:
        after = super().after(state, move)
        return after if state.table.has(move.number) else state.then(after.theirs, after.mine, state.table)


class Truce(Harmless):
    """Two scores at once are a draw."""

    def outcome(self, state: Position) -> Outcome | None:
        return (
            Outcome(None, Sentence("A truce."))
            if set(state.hands) == {self.landing, self.victim}
            else super().outcome(state)
        )


class LateTruce(Harmless):
    """Equal scores are a draw when one number is left."""

    def outcome(self, state: Position) -> Outcome | None:
        equal = state.mine == state.theirs == self.landing
        return Outcome(None, Sentence("A truce.")) if equal and sum(state.table.counts) == 1 else super().outcome(state)


class Upset(Harmless):
    """When the pool is empty, one score beats the next higher one."""

    def outcome(self, state: Position) -> Outcome | None:
        if not any(state.table.counts) and set(state.hands) == {self.landing, self.landing + 1}:
            return Outcome(state.hands.index(self.landing), Sentence("An upset."))
        return super().outcome(state)


class Steal(Harmless):
    """Landing on the target while the opponent is one short of it loses."""

    def outcome(self, state: Position) -> Outcome | None:
        outcome = super().outcome(state)
        if outcome is not None and outcome.winner is not None and set(state.hands) == {self.target, self.target - 1}:
            return Outcome(1 - outcome.winner, Sentence("Stolen."))
        return outcome


KINDS: list[type[Swoop]] = [
    Swoop,
    IfAnInteger,
    IfCopied,
    SecondPlayerOnly,
    LastNumber,
    WithoutFives,
    OnePool,
    InATable,
    PoolInATable,
    ByMove,
    Leap,
    Barred,
    Crowded,
    Conjured,
    Truce,
    LateTruce,
    Upset,
    Steal,
]


def verdicts_differ(rules: AnyGame, solution: Solution, count: int) -> list[State[Any, Any]]:
    """The positions of random games in which a solution and the reference solver differ."""
    reference, rng, states = Reference(rules), random.Random(7), set[State[Any, Any]]()
    for _ in range(200_000):
        state = rules.start()
        while rules.outcome(state) is None:
            states.add(state)
            state = rules.after(state, rng.choice(rules.permitted(state)))
        if len(states) >= count:
            break
    return [state for state in states if solution.probe(state) != reference.probe(state)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_rare_effect_is_found(kind: type[Swoop]) -> None:
    for scores in ((13, 11), (11, 13), (1, 1), (18, 19), (0, 5)):
        rules = kind(**SMALL, landing=scores[0], victim=scores[1])
        with pytest.raises(DoesNotFactor):
            compile_game(rules)


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if "Pool" not in kind.__name__], ids=lambda kind: kind.__name__
)
def test_a_rare_effect_is_found_by_the_book(kind: type[Swoop]) -> None:
    with pytest.raises(DoesNotFactor):
        compile_game(kind(landing=13, victim=11))


@pytest.mark.slow
def test_a_game_that_does_not_factor_is_solved_by_the_reference() -> None:
    rules = Swoop(**SMALL)
    solution = solve(rules, cache=False)
    assert not isinstance(solution, Tables)
    assert not verdicts_differ(rules, solution, 20_000)


@pytest.mark.slow
def test_a_game_that_factors_is_still_solved_by_a_table() -> None:
    rules = game("number-duel", **SMALL)
    solution = solve(rules, cache=False)
    assert isinstance(solution, Tables)
    assert not verdicts_differ(rules, solution, 20_000)


# Hands that no table can hold


class Crowned(NumberDuel):
    """The score of the winner is replaced by something else."""

    crown: ClassVar[Any] = (50, 1)

    def after(self, state: Position, move: Move) -> Position:
        after = super().after(state, move)
        return after if after.theirs != self.target else state.then(self.crown, after.mine, after.table)

    def outcome(self, state: Position) -> Outcome | None:
        if self.crown in state.hands:
            return Outcome(state.hands.index(self.crown), Sentence("Crowned."))
        return super().outcome(state)


class Enriched(Crowned):
    crown = 10**30


@pytest.mark.parametrize("kind", [Crowned, Enriched])
def test_hands_that_no_table_can_hold_are_found(kind: type[Crowned]) -> None:
    with pytest.raises(DoesNotFactor):
        compile_game(kind(**SMALL))


# Hands of several integers


class Grudge(NumericalNexus):
    """Reaching 13 while the opponent is at 11 costs the opponent a reset."""

    def after(self, state: State[Any, Any], move: Any) -> State[Any, Any]:
        after = super().after(state, move)
        theirs = after.mine
        if after.theirs.score == 13 and theirs.score == 11 and theirs.uses[5]:
            return state.then(after.theirs, theirs._replace(uses=(*theirs.uses[:5], theirs.uses[5] - 1)), None)
        return after


def test_an_effect_on_a_part_of_a_hand_is_found() -> None:
    with pytest.raises(DoesNotFactor):
        compile_game(Grudge())


# Games that factor, although their rules look at the other hand or at the whole pool


class Raid(NumberDuel):
    """Every number that is added is also taken from the opponent, down to zero."""

    @cached_property
    def _amounts(self) -> dict[str, int]:
        return {"+": 1, "x": 0}

    def after(self, state: Position, move: Move) -> Position:
        after = super().after(state, move)
        return state.then(after.theirs, max(after.mine - self._amounts[move.operation] * move.number, 0), after.table)


def test_a_game_whose_rules_look_at_the_other_hand_is_compiled_if_its_moves_factor() -> None:
    rules = Raid(target=12, highest=3)
    solution = solve(rules, cache=False)
    assert isinstance(solution, Tables)
    assert not verdicts_differ(rules, solution, 2_000)
