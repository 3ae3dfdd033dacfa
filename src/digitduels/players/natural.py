"""Natural moves: what a person who sees no result would play, judged from the board alone.

A person moves towards the goal, sets the opponent back when that is possible, and does not waste a turn. The weights
know nothing of who wins: levels draw by them among the moves whose result they do not see.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.games import AnyGame

NEARER = 3.0  # how strongly a person prefers to be near the goal
FURTHER = 1.5  # and the opponent to be far from it
WASTED = 0.02  # how a move that changes no score compares with one that does


def weights(game: AnyGame, state: State[Any, Any]) -> dict[Any, float]:
    """How natural each legal move is, relative to the others.

    >>> from digitduels.games import game
    >>> rules = game("number-duel")
    >>> found = weights(rules, rules.start())
    >>> found[rules.read("+9")] > found[rules.read("+2")] > found[rules.read("x2")]
    True
    """
    before, player = game.scores(state), state.player
    found = {}
    for move in game.legal_moves(state):
        after = game.after(state, move)
        scores = game.scores(after)
        # A game that is won is at the goal. One that is lost is as far from it as can be, even just past the target.
        own = {"good": game.goal, "bad": 0}.get(game.tone(player, after), scores[player])
        found[move] = (WASTED if scores == before else 1.0) * nearness(game, own, scores[1 - player])
    return found


def nearness(game: AnyGame, own: int | None, other: int | None) -> float:
    """How good scores look to a person: near the goal oneself, the opponent far from it."""
    goal = game.goal
    if goal is None or own is None or other is None:
        return 1.0
    return math.exp(FURTHER * min(1.0, abs(goal - other) / goal) - NEARER * min(1.0, abs(goal - own) / goal))


class Nature(NamedTuple):
    """What the weights of moves are made of, by hand."""

    near_own: list[float]
    near_other: list[float]
    scores: list[float]


def nature(game: AnyGame, hands: Iterable[Any]) -> Nature:
    """The nearness of each hand as one's own and as the opponent's, and its score; NaN if it has none.

    The weight of a move is the product of both nearnesses after it, times WASTED if both scores stay the same.
    """
    start = game.start()
    scores = [game.board(State(0, (hand, start.theirs), start.table)).hands[0].score for hand in hands]
    return Nature(
        [nearness(game, score, game.goal) for score in scores],
        [nearness(game, game.goal, score) for score in scores],
        [math.nan if score is None else float(score) for score in scores],
    )


def natural(game: AnyGame, state: State[Any, Any]) -> Any:
    """The most natural move of a position in which somebody is to move."""
    found = weights(game, state)
    return max(found, key=found.__getitem__)
