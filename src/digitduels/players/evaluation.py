"""Exact evaluation: what one policy scores against another from the start of a game, without playing a single game.

Where the game has a table, every position is filled once, backwards, on all cores. Any other game, or a policy of
one's own, is evaluated on the positions that can arise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from digitduels.core import State, TooLarge
from digitduels.games import AnyGame
from digitduels.players import player
from digitduels.players.expectation import BEST_REPLY, BY_CHANCE, PERFECTLY, Kind, Sheet, expect, fits
from digitduels.players.levels import Level
from digitduels.players.perfect import Perfect
from digitduels.players.player import Player, RandomPlayer
from digitduels.solver.library import solution_of
from digitduels.solver.solution import Solution
from digitduels.solver.tables import Tables
from digitduels.solver.verdict import finished

REACHABLE = 2_000_000  # positions of a game without a table that are looked at


class Policy(Protocol):
    """Chooses moves with known probabilities."""

    def probabilities(self, state: State[Any, Any]) -> Mapping[Any, float]:
        """How likely each legal move of a position is."""


class Evaluation(NamedTuple):
    """What a policy does against another one from the start of a game, on average; seats are Player 1 and Player 2."""

    score: tuple[float, float]
    """Of the first policy, by its seat: 1 for a win, half for a draw."""
    length: tuple[float, float]
    """Plies of a game."""
    swings: tuple[float, float]
    """Moves of both players that throw the value of a position away."""
    exploitability: float
    """What a best response to the first policy gains over an even score, on average over both seats, from -1 to 1."""


def evaluate(
    policy: Policy | Player | str | int,
    game: AnyGame,
    against: Policy | Player | str | int | None = None,
    starts: Sequence[State[Any, Any]] = (),
) -> Evaluation:
    """The exact evaluation of a policy against another one; against itself unless given.

    A policy is the name of a player ("random", 1 to 7, "perfect"), one of our players, or anything with
    `probabilities(state)`. All figures are averages over the positions in `starts`; from the first position of the game
    unless given. Seats are those of the player to move there and of the other one.

    >>> from digitduels.games import game
    >>> evaluate("perfect", game("operation-target"), against="random").score
    (1.0, 0.5)
    """
    solution = solution_of(game)
    ours = _policy(policy, solution)
    theirs = ours if against is None else _policy(against, solution)
    engine: _Engine
    one, two = _kind(ours), _kind(theirs)
    if isinstance(solution, Tables) and fits(solution) and one is not None and two is not None:
        engine = _TableEngine(solution, one, two)
    else:
        engine = _TreeEngine(solution, ours, theirs)
    return engine.evaluation(starts or [game.start()])


class Uniform:
    """Plays every legal move with the same probability, as `random` and level 1 do."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        moves = self.game.legal_moves(state)
        return dict.fromkeys(moves, 1 / len(moves))


def _policy(policy: Policy | Player | str | int, solution: Solution) -> Policy:
    made = player(str(policy), solution.game, lambda _: solution, seed=0) if isinstance(policy, str | int) else policy
    if isinstance(made, RandomPlayer):
        return Uniform(solution.game)
    if not hasattr(made, "probabilities"):
        raise ValueError("This player has no move probabilities; evaluate random, a level or perfect.")
    return cast(Policy, made)


def _kind(policy: Policy) -> Kind | None:
    """How the kernels know a policy; None for one of somebody else's."""
    if isinstance(policy, Level):
        return policy.sight
    return BY_CHANCE if isinstance(policy, Uniform) else PERFECTLY if isinstance(policy, Perfect) else None


class _Engine(Protocol):
    def evaluation(self, starts: Sequence[State[Any, Any]]) -> Evaluation: ...


# On a table


class _TableEngine:
    """Fills every position of a table that can arise."""

    def __init__(self, solution: Tables, ours: Kind, theirs: Kind) -> None:
        self.solution, self.ours, self.theirs = solution, ours, theirs

    def evaluation(self, starts: Sequence[State[Any, Any]]) -> Evaluation:
        if any(self.solution.game.outcome(start) is not None for start in starts):
            raise ValueError("A game that is over cannot be evaluated.")
        sheet = Sheet()
        pairs = [
            sheet.score(self.ours, self.theirs),
            sheet.total(self.ours, self.theirs, constant=1.0),
            sheet.total(self.ours, self.theirs, swing=1.0),
            sheet.score(BEST_REPLY, self.ours),
        ]
        found = expect(self.solution, sheet, starts).mean(axis=0).tolist()
        score, length, swings, response = ((found[first], found[second]) for first, second in pairs)
        return Evaluation((score[0], 1 - score[1]), length, swings, response[0] - response[1])


# On the positions that can arise


class _TreeEngine:
    """Visits the positions that can arise, by plain recursion."""

    def __init__(self, solution: Solution, ours: Policy, theirs: Policy) -> None:
        self.solution, self.game = solution, solution.game
        self.policies = ours, theirs
        self._known: dict[Any, tuple[float, float, float]] = {}
        self._responses: dict[Any, float] = {}

    def evaluation(self, starts: Sequence[State[Any, Any]]) -> Evaluation:
        first, second = (np.mean([self._expected(start, policy) for start in starts], axis=0) for policy in (0, 1))
        exploited = np.mean([self._response(start, True) - self._response(start, False) for start in starts])
        (score, length, swings), (answered, *rest) = first.tolist(), second.tolist()
        return Evaluation((score, 1 - answered), (length, rest[0]), (swings, rest[1]), float(exploited))

    def _expected(self, state: State[Any, Any], policy: int) -> tuple[float, float, float]:
        """Score of the policy to move, length and swings from a position on."""
        key = state, policy
        if key not in self._known:
            self._check()
            outcome = self.game.outcome(state)
            if outcome is not None:
                self._known[key] = (finished(outcome, state.player).value + 1) / 2, 0.0, 0.0
            else:
                judgement = self.solution.judge(state)
                score = length = swings = 0.0
                for move, likely in self.policies[policy].probabilities(state).items():
                    if likely:
                        theirs, plies, thrown = self._expected(self.game.after(state, move), 1 - policy)
                        score += likely * (1 - theirs)
                        length += likely * (1 + plies)
                        swings += likely * (thrown + (judgement[move].value < judgement.best.value))
                self._known[key] = score, length, swings
        return self._known[key]

    def _response(self, state: State[Any, Any], responding: bool) -> float:
        """What the player to move scores when a best response plays our policy; `responding` says who is to move."""
        key = state, responding
        if key not in self._responses:
            self._check()
            outcome = self.game.outcome(state)
            if outcome is not None:
                self._responses[key] = (finished(outcome, state.player).value + 1) / 2
            elif responding:
                moves = self.game.legal_moves(state)
                self._responses[key] = max(1 - self._response(self.game.after(state, move), False) for move in moves)
            else:
                self._responses[key] = sum(
                    likely * (1 - self._response(self.game.after(state, move), True))
                    for move, likely in self.policies[0].probabilities(state).items()
                    if likely
                )
        return self._responses[key]

    def _check(self) -> None:
        if len(self._known) + len(self._responses) > REACHABLE:
            raise TooLarge(f"{self.game.title} with these options has too many positions to evaluate this policy.")
