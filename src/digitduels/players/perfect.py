"""Level 7: perfect play, with an eye for what people get wrong."""

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

FALLIBLE = 4  # the level that models a person who may err
REPLIES = 2  # the turns of that person in which an error is hoped for
CHANCE_STEPS = 250  # chances are compared in steps of this fraction, which fit into a byte
HALF = 0.501  # from here on a step is rounded up; so simple fractions are, however they were computed


class Uniform:
    """Plays every legal move with the same probability, as `random` and level 1 do."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        moves = self.game.legal_moves(state)
        return dict.fromkeys(moves, 1 / len(moves))


class Chances:
    """How likely a fallible opponent of a level answers a move wrongly, in its next turn or the next few.

    The fewest replies that keep the value are those to which level 1 errs most.
    """

    def __init__(self, solution: Solution, level: int = FALLIBLE, replies: int = REPLIES) -> None:
        self.solution, self.level, self.replies = solution, level, replies
        self._opponent = Level(level, solution, seed=0) if level > 1 else Uniform(solution.game)

    def error(self, state: State[Any, Any], move: Any) -> float:
        """How likely the opponent throws away what it has after a move; 0 if it cannot."""
        after = self.solution.game.after(state, move)
        if not self.replies or self.solution.game.outcome(after) is not None:
            return 0.0
        if isinstance(self.solution, Tables):
            from digitduels.players.fallibility import error_tables

            return error_tables(self.solution, self.level).error(after, self.replies)
        return self.plain(after, self.replies)

    def plain(self, state: State[Any, Any], replies: int) -> float:
        """How likely the opponent, who is to move, throws the value away in so many turns; found by recursion."""
        game, judgement = self.solution.game, self.solution.judge(state)
        if not judgement or judgement.best.value < 0:
            return 0.0
        wrong = 0.0
        for reply, likely in self._opponent.probabilities(state).items():
            if judgement[reply].value < judgement.best.value:
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
    """How likely an opponent of a level answers a move wrongly: throws away what it has, in one of its next turns."""
    return Chances(solution, level, replies).error(state, move)


class Perfect(Player):
    """Wins as fast as can be. When it cannot win, it plays for the opponent's mistake, and then holds out."""

    name = "perfect"

    def __init__(self, solution: Solution, seed: object = None, level: int = FALLIBLE, replies: int = REPLIES) -> None:
        self.solution = solution
        self.seed = random.getrandbits(64) if seed is None else seed
        self.hope = level, replies
        """For whose mistakes it hopes when it cannot win, and in how many turns."""
        self._chances = Chances(solution, level, replies)

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
            move: (int(self._chances.error(state, move) * CHANCE_STEPS + HALF), judgement[move].distance)
            for move in judgement.keeping
        }
        best = max(merits.values())
        return [move for move, merit in merits.items() if merit == best]
