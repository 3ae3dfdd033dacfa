"""Opponents from 1 to 7, by what they find: near results always, far ones less and less.

A result that is d plies away is seen for certain up to a horizon, and with probability exp(-(d - horizon) / reach)
beyond it. What is not seen counts as unknown: better than a loss that is seen, worse than a win. So a level errs where
people err, on what is far away, and never by playing a move that it knows to be bad.
"""

from __future__ import annotations

import math
import random
from typing import Any, NamedTuple

from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.players.player import Player, chance
from digitduels.solver.solution import Solution


class Tuning(NamedTuple):
    """Which levels a game offers, and how far levels 4, 5 and 6 look in it, in plies."""

    levels: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7)
    """Levels that would play alike are not offered twice."""
    reaches: tuple[float, float, float] = (1.0, 4.0, 12.0)
    """Tuned so that each level clearly beats the one below."""


TUNING = {
    "numerical-nexus": Tuning((1, 4, 5, 6, 7), (6.0, 10.0, 20.0)),  # nothing ends soon enough for levels 2 and 3
    "operation-target": Tuning((1, 4, 5, 6, 7), (3.0, 6.0, 12.0)),  # the only choices are far from the end
    "number-duel": Tuning(reaches=(1.2, 3.5, 11.0)),
    "equation-duel": Tuning(reaches=(0.4, 0.7, 1.3)),
    "number-quest": Tuning(reaches=(1.3, 4.0, 13.0)),
}


def tuning(game: AnyGame) -> Tuning:
    """The levels of a game; games that nobody has tuned get the defaults."""
    return TUNING.get(game.id, Tuning())


class Sight(NamedTuple):
    """How far a level sees: every result up to `horizon` plies, and beyond with a probability that falls by `reach`."""

    horizon: float
    reach: float

    def sees(self, distance: int) -> float:
        """The probability that a result is seen."""
        if distance <= self.horizon:
            return 1.0
        return math.exp((self.horizon - distance) / self.reach) if self.reach else 0.0


def sight(level: int, reaches: tuple[float, float, float]) -> Sight:
    """How far a level sees in a game that gives levels 4, 5 and 6 these reaches."""
    # 2 sees what a move itself does, 3 the reply to it; 4 to 6 look further.
    return Sight(min(level - 1, 2), reaches[level - 4] if level > 3 else 0)


class Level(Player):
    """An opponent of a level from 2 to 6."""

    def __init__(self, level: int, solution: Solution, seed: object = None) -> None:
        self.name = f"level {level}"
        self.seed = random.getrandbits(64) if seed is None else seed
        self.solution = solution
        self.sight = sight(level, tuning(solution.game).reaches)

    def choose(self, match: Match) -> Any:
        dice, judgement = chance(self.seed, match), self.solution.judge(match.state)
        seen = {
            move: verdict for move, verdict in judgement.items() if dice.random() < self.sight.sees(verdict.distance)
        }
        best = max(seen.values(), default=None)
        best_seen = [move for move, verdict in seen.items() if verdict == best]
        if best is not None and best.value > 0:
            return dice.choice(best_seen)
        hopeful = [move for move in judgement if move not in seen or seen[move].value == 0]
        return dice.choice(hopeful or best_seen)
