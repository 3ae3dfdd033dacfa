"""Level 7: perfect play, with an eye for what people get wrong."""

from __future__ import annotations

import random
from typing import Any

from digitduels.core import State
from digitduels.match import Match
from digitduels.players.levels import Level
from digitduels.players.player import Player, chance
from digitduels.solver.solution import Solution

FALLIBLE = 4  # the level that models a person who may err
_STEP = 1_000_000  # chances are compared to one part in a million


class Chances:
    """How likely a fallible opponent answers a move wrongly."""

    def __init__(self, solution: Solution, level: int = FALLIBLE) -> None:
        self.solution = solution
        self._opponent = Level(level, solution, seed=0)

    def error(self, state: State[Any, Any], move: Any) -> float:
        """How likely the reply to a move throws away what the opponent then has; 0 if it cannot."""
        after = self.solution.game.after(state, move)
        judgement = self.solution.judge(after)
        if not judgement.critical:
            return 0.0
        likely = self._opponent.probabilities(after)
        return sum(likely[reply] for reply in judgement.throwing)


def error_chance(state: State[Any, Any], move: Any, solution: Solution, level: int = FALLIBLE) -> float:
    """How likely an opponent of a level answers a move wrongly: throws away what it then has."""
    return Chances(solution, level).error(state, move)


class Perfect(Player):
    """Wins as fast as can be. When it cannot win, it plays for the opponent's mistake, and then holds out."""

    name = "perfect"

    def __init__(self, solution: Solution, seed: object = None) -> None:
        self.solution = solution
        self.seed = random.getrandbits(64) if seed is None else seed
        self._chances = Chances(solution)

    def choose(self, match: Match) -> Any:
        return chance(self.seed, match).choice(self.candidates(match.state))

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        """How likely each legal move is."""
        candidates = self.candidates(state)
        return {move: (move in candidates) / len(candidates) for move in self.solution.game.legal_moves(state)}

    def candidates(self, state: State[Any, Any]) -> list[Any]:
        """The moves among which perfect play draws."""
        judgement = self.solution.judge(state)
        if judgement.best.value > 0:
            return judgement.best_moves
        merits = {
            move: (round(self._chances.error(state, move) * _STEP), judgement[move].distance)
            for move in judgement.keeping
        }
        best = max(merits.values())
        return [move for move, merit in merits.items() if merit == best]
