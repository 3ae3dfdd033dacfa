"""Exact evaluation: what to expect when policies play each other, without playing a single game.

If the game has a table, a backward pass fills the columns on all cores; see backward.py. Other games, and policies that
handle one position at a time, are evaluated by plain recursion, which is also the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from digitduels.core import State, TooLarge
from digitduels.games import AnyGame
from digitduels.players import player
from digitduels.players.backward import expected_values, is_supported
from digitduels.players.expectation import BEST_RESPONSE, NO_COLUMN, Column, Sheet
from digitduels.players.levels import TIE, natural_weights
from digitduels.players.policy import FunctionPolicy, Player, Policy, TablePolicy
from digitduels.solver.solution import Progress, Solution
from digitduels.solver.solution_cache import solution_of
from digitduels.solver.tables import Tables
from digitduels.solver.verdict import Judgement, final_verdict

AnyPolicy = Policy | Player | str | int | Mapping[State[Any, Any], Any] | Callable[[Any, Any], Any]
_DEEPEST = 200  # the maximum length of a game without a table, in plies
_REACHABLE = 2_000_000  # the maximum number of positions for the recursion


class Evaluation(NamedTuple):
    """Expected figures of games between two policies. Pairs are for the first policy as Player 1 and as Player 2."""

    score: tuple[float, float]
    """The score of the first policy: 1 for a win, half for a draw."""
    length: tuple[float, float]
    """The length of a game in plies."""
    swings: tuple[float, float]
    """The number of moves, by either player, that throw the value of a position away."""
    exploitability: float
    """What a best response to the first policy gains over an even score, on average over both seats, from -1 to 1."""


def evaluate(
    policy: AnyPolicy,
    game: AnyGame,
    against: AnyPolicy | None = None,
    starts: Sequence[State[Any, Any]] = (),
) -> Evaluation:
    """Evaluates a policy against another one, exactly. By default it plays against itself.

    A policy is one of these:

    - the name of a player ("random", 1 to 7, "perfect"), or one of our players; a level that the game does not offer
      plays as the nearest lower one;
    - an object with `probabilities(state)`, which returns the probability of each move;
    - a table: a mapping from positions to the probabilities of moves, or of all actions in the order of `game.moves`;
    - a function of two arrays, the observations and the action masks of many positions as in the Gymnasium
      environments, which returns an array with the probabilities of all actions for each position.

    All figures are averages over the positions in `starts`. Default: the first position of the game. In each of them,
    the player to move counts as Player 1.

    >>> from digitduels.games import game
    >>> evaluate("perfect", game("operation-target"), against="random").score
    (1.0, 0.5)
    """
    solution = solution_of(game)
    if any(game.outcome(start) is not None for start in starts):
        raise ValueError("A game that is over cannot be evaluated.")
    ours = policy_of(policy, solution)
    theirs = ours if against is None else policy_of(against, solution)
    sheet, pairs = evaluation_sheet(ours, theirs)
    means = expect(solution, sheet, starts).mean(axis=0).tolist()
    score, length, swings, response = ((means[first], means[second]) for first, second in pairs)
    return Evaluation((score[0], 1 - score[1]), length, swings, response[0] - response[1])


def ceilings(opponent: AnyPolicy, game: AnyGame, starts: Sequence[State[Any, Any]]) -> list[tuple[float, float]]:
    """The highest possible score against a policy from each start, as the player to move and as the waiting player.

    >>> from digitduels.games import game
    >>> rules = game("operation-target")
    >>> ceilings("perfect", rules, [rules.start()])
    [(1.0, 0.0)]
    """
    solution, sheet = solution_of(game), Sheet()
    first, second = sheet.score(BEST_RESPONSE, policy_of(opponent, solution))
    return [(float(row[first]), 1 - float(row[second])) for row in expect(solution, sheet, starts)]


def evaluation_sheet(ours: Policy, theirs: Policy) -> tuple[Sheet, list[tuple[int, int]]]:
    """The columns of an evaluation: score, length, swings, score of a best response. Each is a pair, by who begins."""
    sheet = Sheet()
    return sheet, [
        sheet.score(ours, theirs),
        sheet.total(ours, theirs, constant=1.0),
        sheet.total(ours, theirs, swing=1.0),
        sheet.score(BEST_RESPONSE, ours),
    ]


def policy_of(policy: AnyPolicy, solution: Solution) -> Policy:
    """The policy of a name, a table or a function; raises ValueError for a player without move probabilities."""
    if isinstance(policy, str | int):
        policy = player(str(policy), solution.game, lambda _: solution, seed=0)
    if hasattr(policy, "probabilities"):
        return cast(Policy, policy)
    if isinstance(policy, Mapping):
        return TablePolicy(solution.game, policy)
    if callable(policy):
        return FunctionPolicy(solution.game, policy)
    raise ValueError("This player has no move probabilities; evaluate random, a level or perfect.")


def expect(
    solution: Solution,
    sheet: Sheet,
    starts: Sequence[State[Any, Any]] = (),
    reached: npt.NDArray[np.bool_] | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.float64]:
    """[start, column]: the expected values in the positions `starts`. Default: the first position of the game.

    Pass `reached`, the positions that can arise from the starts, if you have it already.
    """
    if isinstance(solution, Tables) and is_supported(sheet.columns):
        return expected_values(solution, sheet.columns, starts or [solution.game.start()], reached, progress)
    return plain(solution, sheet, starts)


def plain(solution: Solution, sheet: Sheet, starts: Sequence[State[Any, Any]] = ()) -> npt.NDArray[np.float64]:
    """Does the same as `expect`, by plain recursion over the positions that can arise."""
    if solution.game.longest > _DEEPEST:
        raise TooLarge(f"{solution.game.title} with these options lasts too long to be evaluated.")
    recursion = _Recursion(solution, sheet.columns)
    return np.array([recursion.row(start) for start in starts or [solution.game.start()]])


class _Recursion:
    def __init__(self, solution: Solution, columns: Sequence[Column]) -> None:
        self.solution, self.game, self.columns = solution, solution.game, columns
        self._policies = {id(column.policy): column.policy for column in columns if column.policy is not None}
        self._rows: dict[State[Any, Any], list[float]] = {}

    def row(self, state: State[Any, Any]) -> list[float]:
        """The expected value of every column in a position."""
        if state not in self._rows:
            if len(self._rows) > _REACHABLE:
                raise TooLarge(f"{self.game.title} with these options has too many positions to evaluate this policy.")
            outcome = self.game.outcome(state)
            if outcome is not None:
                result = 1 - final_verdict(outcome, state.player).value
                self._rows[state] = [column.over[result] for column in self.columns]
            else:
                self._rows[state] = self._expected(state)
        return self._rows[state]

    def _expected(self, state: State[Any, Any]) -> list[float]:
        judgement = self.solution.judge(state)
        after = {move: self.row(self.game.after(state, move)) for move in judgement}
        likely = {key: policy.probabilities(state) for key, policy in self._policies.items()}
        flags = facts(self.game, state, judgement)
        row = []
        for column in self.columns:
            gains = {}
            for move, values in after.items():
                throws = judgement[move].value < judgement.best_verdict.value
                gain = column.constant + column.swing * throws
                if column.onward != NO_COLUMN:
                    gain += column.factor * values[column.onward]
                if column.aside != NO_COLUMN and not throws:
                    gain += values[column.aside]
                if not (throws and column.keeping):
                    gains[move] = gain
            if column.policy is None:
                mean = max(gains.values())
            else:
                mean = sum(share * gains[move] for move, share in likely[id(column.policy)].items())
            row.append(mean + sum(weight * flag for weight, flag in zip(column.flags, flags, strict=True)))
        return row


def facts(game: AnyGame, state: State[Any, Any], judgement: Judgement[Any]) -> tuple[bool, bool, bool, bool]:
    """Whether a position is critical, has an only move, is a trap, has a single legal move.

    In a trap, nobody can win at once, and the most natural move that goes on throws the value of the position away.
    """
    natural = natural_weights(game, state)
    kept, thrown = (
        max((natural[move] for move in moves if judgement[move].distance > 1), default=0.0)
        for moves in (judgement.keeping, judgement.throwing)
    )
    trap = judgement.critical and judgement.best_verdict != (1, 1) and thrown > kept * (1 + TIE)
    return judgement.critical, judgement.only, trap, len(judgement) == 1
