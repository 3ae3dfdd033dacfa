"""Level 7: perfect play that hopes for mistakes when it cannot win."""

from __future__ import annotations

import random
from typing import Any

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.players.levels import Level
from digitduels.players.player import Player, chance
from digitduels.solver.solution import Solution
from digitduels.solver.tables import Tables

FALLIBLE = 4  # the level that models a person who makes mistakes
REPLIES = 2  # in how many turns of that person perfect play hopes for a mistake
CHANCE_STEPS = 250  # probabilities are compared in steps of 1/250, which fit into a byte
HALF = 0.501  # added before truncation; above 0.5, so that simple fractions round up however they were computed


class Uniform:
    """Plays every legal move with the same probability, as `random` and level 1 do."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        moves = self.game.legal_moves(state)
        return dict.fromkeys(moves, 1 / len(moves))


class Chances:
    """The probability that a fallible opponent makes a mistake in its next turns.

    With level 1, this is highest where the fewest replies keep the value.
    """

    def __init__(self, solution: Solution, level: int = FALLIBLE, replies: int = REPLIES) -> None:
        self.solution, self.level, self.replies = solution, level, replies
        self._opponent = Level(level, solution, seed=0) if level > 1 else Uniform(solution.game)

    def error(self, state: State[Any, Any], move: Any) -> float:
        """The probability that the opponent throws the value away after a move; 0 if it has nothing to throw away."""
        after = self.solution.game.after(state, move)
        if not self.replies or self.solution.game.outcome(after) is not None:
            return 0.0
        if isinstance(self.solution, Tables):
            from digitduels.players.fallibility import error_tables

            return error_tables(self.solution, self.level).error(after, self.replies)
        return self.plain(after, self.replies)

    def plain(self, state: State[Any, Any], replies: int) -> float:
        """The probability that the opponent, who is to move, throws the value away in this many turns, by recursion."""
        game, judgement = self.solution.game, self.solution.judge(state)
        if not judgement or judgement.best_verdict.value < 0:
            return 0.0
        wrong = 0.0
        for reply, likely in self._opponent.probabilities(state).items():
            if judgement[reply].value < judgement.best_verdict.value:
                wrong += likely
            elif replies > 1:
                after = game.after(state, reply)
                answers = self.solution.judge(after)
                hopes = [self.plain(game.after(after, answer), replies - 1) for answer in answers.keeping]
                wrong += likely * max(hopes, default=0.0)
        return min(1.0, wrong)


def error_chance(
    state: State[Any, Any], move: Any, solution: Solution, level: int = FALLIBLE, replies: int = REPLIES
) -> float:
    """The probability that an opponent of a level throws the value away in one of its next turns after a move."""
    return Chances(solution, level, replies).error(state, move)


class Perfect(Player):
    """Wins as quickly as possible. If it cannot win, it plays for the opponent's mistake, then for a long game."""

    name = "perfect"

    def __init__(self, solution: Solution, seed: object = None, level: int = FALLIBLE, replies: int = REPLIES) -> None:
        self.solution = solution
        self.seed = random.getrandbits(64) if seed is None else seed
        self.hope = level, replies
        """The level whose mistakes it hopes for when it cannot win, and in how many turns."""
        self._chances = Chances(solution, level, replies)

    def choose(self, match: Match) -> Any:
        return chance(self.seed, match).choice(self.candidates(match.state))

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        """The probability of each legal move."""
        candidates = self.candidates(state)
        return {move: (move in candidates) / len(candidates) for move in self.solution.game.legal_moves(state)}

    def candidates(self, state: State[Any, Any]) -> list[Any]:
        """The moves among which perfect play draws."""
        judgement = self.solution.judge(state)
        if judgement.best_verdict.value > 0:
            return judgement.best_moves
        merits = {
            move: (int(self._chances.error(state, move) * CHANCE_STEPS + HALF), judgement[move].distance)
            for move in judgement.keeping
        }
        best = max(merits.values())
        return [move for move, merit in merits.items() if merit == best]
