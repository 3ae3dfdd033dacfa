"""Exact evaluation: the expected score of one policy against another, without playing a single game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.players import player
from digitduels.players.custom_policies import FunctionPolicy, TablePolicy
from digitduels.players.expectation import expect
from digitduels.players.levels import Level
from digitduels.players.perfect import Perfect
from digitduels.players.player import Player, RandomPlayer
from digitduels.players.sheet import BEST_RESPONSE, BY_CHANCE, HOPE, PERFECTLY, Kind, Policy, Sheet
from digitduels.solver.solution import Solution
from digitduels.solver.solution_cache import solution_of

AnyPolicy = Policy | Player | str | int | Mapping[State[Any, Any], Any] | Callable[[Any, Any], Any]


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

    - the name of a player ("random", 1 to 7, "perfect"), or one of our players;
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
    ours = _kind(policy, solution)
    theirs = ours if against is None else _kind(against, solution)
    sheet, pairs = columns(ours, theirs)
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
    first, second = sheet.score(BEST_RESPONSE, _kind(opponent, solution))
    return [(float(row[first]), 1 - float(row[second])) for row in expect(solution, sheet, starts)]


def columns(ours: Kind, theirs: Kind) -> tuple[Sheet, list[tuple[int, int]]]:
    """The columns of an evaluation: score, length, swings, score of a best response. Each is a pair, by who begins."""
    sheet = Sheet()
    return sheet, [
        sheet.score(ours, theirs),
        sheet.total(ours, theirs, constant=1.0),
        sheet.total(ours, theirs, swing=1.0),
        sheet.score(BEST_RESPONSE, ours),
    ]


def _kind(policy: AnyPolicy, solution: Solution) -> Kind:
    """Converts a policy to the kind that columns use."""
    if isinstance(policy, str | int):
        policy = player(str(policy), solution.game, lambda _: solution, seed=0)
    if isinstance(policy, Level):
        return policy.sight
    if isinstance(policy, RandomPlayer):
        return BY_CHANCE
    if isinstance(policy, Perfect) and policy.hope == HOPE:
        return PERFECTLY
    if isinstance(policy, Mapping):
        return TablePolicy(solution.game, policy)
    if hasattr(policy, "probabilities"):
        return cast(Policy, policy)
    if callable(policy):
        return FunctionPolicy(solution.game, policy)
    raise ValueError("This player has no move probabilities; evaluate random, a level or perfect.")
