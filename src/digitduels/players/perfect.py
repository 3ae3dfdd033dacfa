"""Level 7: perfect play that hopes for mistakes when it cannot win.

This is the definition. policy_kernels.py computes the same probabilities, compiled.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from digitduels.core import State
from digitduels.players.levels import Level, most_natural, natural_weights
from digitduels.players.policy import PERFECT, PolicyPlayer, Uniform, chance_steps, evenly
from digitduels.solver.solution import Solution, has_arrays

FALLIBLE = 4  # the level that models a person who makes mistakes
REPLIES = 2  # in how many turns of that person perfect play hopes for a mistake


class ErrorChances:
    """The probability that a fallible opponent throws the value of a position away in its next turns.

    With level 1, this is highest where the fewest replies keep the value.
    """

    def __init__(self, solution: Solution, level: int = FALLIBLE, replies: int = REPLIES) -> None:
        self.solution, self.replies = solution, replies
        self.opponent = Level(level, solution, seed=0) if level > 1 else Uniform(solution.game, seed=0)
        self._plain: dict[tuple[State[Any, Any], int], float] = {}

    def each(self, state: State[Any, Any], moves: Iterable[Any]) -> dict[Any, float]:
        """The probability after each of these moves."""
        positions = {move: self.solution.game.after(state, move) for move in moves}
        chances = {after: self._in(after) for after in set(positions.values())}
        return {move: chances[after] for move, after in positions.items()}

    def _in(self, after: State[Any, Any]) -> float:
        """The probability if the opponent is to move; 0 if there is nothing to throw away."""
        if not self.replies or self.solution.game.outcome(after) is not None:
            return 0.0
        if has_arrays(self.solution):
            from digitduels.players.policy_kernels import error_of

            return error_of(self.opponent, self.solution, after, self.replies)
        return self.plain(after, self.replies)

    def plain(self, state: State[Any, Any], replies: int) -> float:
        """The probability if the opponent is to move, in this many of its turns, by recursion."""
        key = state, replies
        if key not in self._plain:
            self._plain[key] = self._recur(state, replies)
        return self._plain[key]

    def _recur(self, state: State[Any, Any], replies: int) -> float:
        game, judgement = self.solution.game, self.solution.judge(state)
        if not judgement or judgement.best_verdict.value < 0 or (replies == 1 and not judgement.throwing):
            return 0.0
        wrong = 0.0
        for reply, likely in self.opponent.probabilities(state).items():
            if judgement[reply].value < judgement.best_verdict.value:
                wrong += likely
            elif replies > 1:
                after = game.after(state, reply)
                answers = self.solution.judge(after)
                hopes = [self.plain(game.after(after, answer), replies - 1) for answer in answers.keeping]
                wrong += likely * max(hopes, default=0.0)
        return min(1.0, wrong)


class Perfect(PolicyPlayer):
    """Wins as quickly as possible. If it cannot win, it plays for the opponent's mistake, then for a long game.

    Among equally good moves it plays the most natural one.
    """

    name, kind = "perfect", PERFECT

    def __init__(self, solution: Solution, seed: object = None, level: int = FALLIBLE, replies: int = REPLIES) -> None:
        super().__init__(solution.game, seed)
        self.solution = solution
        self.chances = ErrorChances(solution, level, replies)

    @property
    def signature(self) -> Hashable:
        return self.kind, self.chances.opponent.signature, self.chances.replies

    def draw(self, state: State[Any, Any], rng: random.Random) -> Any:
        return rng.choice(self.candidates(state))

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        return evenly(self.game.legal_moves(state), self.candidates(state))

    def candidates(self, state: State[Any, Any]) -> list[Any]:
        """The moves among which perfect play draws."""
        judgement = self.solution.judge(state)
        moves = judgement.best_moves
        if judgement.best_verdict.value <= 0:
            moves = hardest_to_answer(self.chances.each(state, judgement.keeping))
            longest = max(judgement[move].distance for move in moves)
            moves = [move for move in moves if judgement[move].distance == longest]
        natural = natural_weights(self.game, state)
        return most_natural({move: natural[move] for move in moves})


def error_chance(state: State[Any, Any], move: Any, solution: Solution) -> float:
    """The probability that a person throws the value away in one of the next turns after a move."""
    return ErrorChances(solution).each(state, [move])[move]


def hardest_to_answer(chances: Mapping[Any, float]) -> list[Any]:
    """The moves with the highest chance of an error. Within a step, chances are equal."""
    steps = {move: chance_steps(chance) for move, chance in chances.items()}
    most = max(steps.values())
    return [move for move, step in steps.items() if step == most]
