"""Natural moves: what a person would play who cannot see any result, judged by the board alone.

A person moves towards the goal, sets the opponent back if possible, and does not waste a turn. The weights do not
depend on who wins. Levels use them to choose among moves whose result they do not see.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from digitduels.core import State, outcome_tone, winning_score
from digitduels.games import AnyGame

NEARER = 3.0  # how strongly a person prefers to be near the goal
FURTHER = 1.5  # how strongly a person prefers the opponent to be far from it
WASTED = 0.02  # the factor for a move that changes no score


def weights(game: AnyGame, state: State[Any, Any]) -> dict[Any, float]:
    """How natural each legal move is, relative to the others.

    >>> from digitduels.games import game
    >>> rules = game("number-duel")
    >>> natural = weights(rules, rules.start())
    >>> natural[rules.read("+9")] > natural[rules.read("+2")] > natural[rules.read("x2")]
    True
    """
    before, player = game.scores(state), state.player
    natural = {}
    for move in game.legal_moves(state):
        after = game.after(state, move)
        scores = game.scores(after)
        # A win counts as being at the goal, and a loss as being at 0, even just past the target.
        own = {"good": winning_score(game), "bad": 0}.get(outcome_tone(player, game.outcome(after)), scores[player])
        natural[move] = (WASTED if scores == before else 1.0) * nearness(game, own, scores[1 - player])
    return natural


def nearness(game: AnyGame, own: int | None, other: int | None) -> float:
    """How good two scores look to a person: best if their own is near the goal and the other is far from it."""
    goal = winning_score(game)
    if goal is None or own is None or other is None:
        return 1.0
    return math.exp(FURTHER * min(1.0, abs(goal - other) / goal) - NEARER * min(1.0, abs(goal - own) / goal))


class Nature(NamedTuple):
    """The parts of the weights of moves, by hand."""

    near_own: list[float]
    near_other: list[float]
    scores: list[float]


def nature(game: AnyGame, hands: Iterable[Any]) -> Nature:
    """The nearness of each hand as one's own and as the opponent's, and its score, or NaN if it has none.

    The weight of a move is the product of both after the move, times WASTED if both scores stay the same.
    """
    start = game.start()
    scores = [game.board(State(0, (hand, start.theirs), start.table)).hands[0].score for hand in hands]
    return Nature(
        [nearness(game, score, winning_score(game)) for score in scores],
        [nearness(game, winning_score(game), score) for score in scores],
        [math.nan if score is None else float(score) for score in scores],
    )


def natural(game: AnyGame, state: State[Any, Any]) -> Any:
    """The most natural move in a position that is not over."""
    moves = weights(game, state)
    return max(moves, key=moves.__getitem__)
