"""What rows for training tell about the test split: a player that remembers them and looks one move ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import digitduels as dd
from digitduels.arena.grading import Grade, skill
from digitduels.core import State
from digitduels.evals.dataset import WITHHELD, reached
from digitduels.evals.dataset import rows as dataset_rows
from digitduels.evals.suite import SUITE_V2, game_of, read_suite, stratum
from digitduels.players.policy import evenly
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import final_verdict
from digitduels.study.positions import Sort, positions
from digitduels.study.wording import VALUES

PAGE = "datasets.md"
ROWS, POSITIONS = 20_000, 500
NUMBERS = {word: value for value, word in VALUES.items()}
HEAD = (
    "| game | skill without rows | with rows, all values told | with rows, now | suite-v2 without rows | with rows |\n"
    "|---|---:|---:|---:|---:|---:|"
)
NOTE = (
    f"{ROWS:,} rows of the book. Skill in up to {POSITIONS} critical positions of the test split, 0 for random moves, "
    "by the book and in the first rule set of suite-v2."
)


def rows(name: str) -> list[str]:
    solution = dd.solve(dd.game(name))
    training = list(dataset_rows(solution, ROWS, part="train"))
    known: list[dict[State[Any, Any], int]] = [
        {},
        *(memory(solution, training, withheld) for withheld in (False, True)),
    ]
    figures = [measure(solution, values) for values in known]
    suite = read_suite(SUITE_V2)
    tested = dd.solve(next(game_of(variant) for variant in suite.variants if variant["game"] == name))
    figures += [measure(tested, values) for values in (known[0], known[-1])]
    cells = ["–" if figure is None else f"{figure:z.2f}" for figure in figures]
    return [f"| {solution.game.title} | {' | '.join(cells)} |"]


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


def measure(solution: Solution, known: Mapping[State[Any, Any], int]) -> float | None:
    """The skill of a player that plays a move known to win, else one that is not known to lose.

    It knows the rules, so it sees the end of a game. None if no position of the test split is critical.
    """
    game, grades = solution.game, []
    for match in positions(solution, POSITIONS, "leak", Sort("stratum", stratum), part="test"):
        judgement = solution.judge(match.state)
        seen = dict[Any, int | None]()  # the values for the player who moves next
        for move in judgement:
            after = game.after(match.state, move)
            over = game.outcome(after)
            seen[move] = known.get(after) if over is None else final_verdict(over, after.player).value
        moves = [move for move, value in seen.items() if value == -1]
        moves = moves or [move for move, value in seen.items() if value is None]
        moves = moves or [move for move, value in seen.items() if value == 0] or list(seen)
        found: Any = sum(evenly(judgement, moves)[move] for move in judgement.keeping)
        grades.append(Grade(critical=1, found=found, chance=len(judgement.keeping) / len(judgement)))
    return skill(grades)["value"]
