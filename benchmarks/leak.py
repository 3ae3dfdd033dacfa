"""What rows for training tell about the test split: a player that remembers them and looks one move ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import digitduels as dd
from digitduels.arena.grading import Grade, skill
from digitduels.core import State
from digitduels.evals.dataset import WITHHELD, reached
from digitduels.evals.dataset import rows as dataset_rows
from digitduels.evals.suite import stratum
from digitduels.players.policy import evenly
from digitduels.solver.solution import Solution
from digitduels.study.positions import Sort, positions
from digitduels.study.wording import VALUES

PAGE = "datasets.md"
ROWS, POSITIONS = 20_000, 500
NUMBERS = {word: value for value, word in VALUES.items()}
HEAD = "| game | rows | skill, all values told | skill, now |\n|---|---:|---:|---:|"
NOTE = f"Skill in up to {POSITIONS} critical positions of the test split, 0 for a random mover."


def rows(name: str) -> list[str]:
    solution = dd.solve(dd.game(name))
    training = list(dataset_rows(solution, ROWS, part="train"))
    told, kept = (measure(solution, memory(solution, training, withheld)) for withheld in (False, True))
    return [f"| {solution.game.title} | {len(training):,} | {told:.2f} | {kept:.2f} |"]


def memory(solution: Solution, training: list[dict[str, Any]], withheld: bool) -> dict[State[Any, Any], int]:
    """The value of every position that the rows tell, for the player to move there."""
    game, values = solution.game, dict[State[Any, Any], int]()
    for row in training:
        state = reached(row).state
        values[state] = NUMBERS[row["value"]]
        for token, value in zip(row["legal"], row["values"], strict=True):
            after = game.after(state, game.read(token))
            if value != WITHHELD:
                values[after] = -NUMBERS[value]
            elif not withheld:
                values[after] = solution.probe(after).value
    return values


def measure(solution: Solution, known: Mapping[State[Any, Any], int]) -> float:
    """The skill of a player that plays a move known to be best, else one of those that are unknown."""
    game, grades = solution.game, []
    for match in positions(solution, POSITIONS, "leak", Sort("stratum", stratum), part="test"):
        judgement = solution.judge(match.state)
        seen = {move: known.get(game.after(match.state, move)) for move in judgement}
        best = min((value for value in seen.values() if value is not None), default=None)
        moves = [move for move, value in seen.items() if value == best] if best == -1 else []
        moves = moves or [move for move, value in seen.items() if value is None] or list(seen)
        found: Any = sum(evenly(judgement, moves)[move] for move in judgement.keeping)
        grades.append(Grade(critical=1, found=found, chance=len(judgement.keeping) / len(judgement)))
    return skill(grades)["value"] or 0.0
