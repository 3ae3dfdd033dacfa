"""The game that all clients learn, and an exact exam for their policies.

The variant is so small that a minute of learning has an effect and a policy can be evaluated exactly.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import digitduels as dd
from digitduels.arena.grading import Grade, skill
from digitduels.study.positions import positions

NAME, OPTIONS = "number-duel", {"target": 15, "highest": 4}
SECONDS = float(os.environ.get("SECONDS", "60"))  # of processor time for learning


class Greedy:
    """A learned policy that always plays its best action."""

    def __init__(self, game: Any, choose: Callable[[Any], int]) -> None:
        self.game, self.choose = game, choose

    def probabilities(self, state: Any) -> dict[Any, float]:
        return {self.game.moves[self.choose(state)]: 1.0}


def examine(choose: Callable[[Any], int]) -> str:
    """Skill in critical positions, and exact scores. `choose` returns the action id for a position."""
    game = dd.game(NAME, **OPTIONS)
    solution, policy = dd.solve(game), Greedy(game, choose)
    grades = []
    for match in positions(solution, 1000):
        judgement = solution.judge(match.state)
        if judgement.critical:
            (move,) = policy.probabilities(match.state)
            grades.append(
                Grade(critical=1, found=move in judgement.keeping, chance=len(judgement.keeping) / len(judgement))
            )
    estimate = skill(grades)
    scores = {name: dd.evaluate(policy, game, against=name).score for name in ("random", "perfect")}
    interval = f"{estimate['low']:.2f} to {estimate['high']:.2f}"
    lines = [f"skill {estimate['value']:.3f} ({interval}) in {estimate['of']} critical positions"]
    lines += [f"against {name}: {one:.3f} as Player 1, {two:.3f} as Player 2" for name, (one, two) in scores.items()]
    return "\n".join(lines)
