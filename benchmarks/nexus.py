"""Numerical Nexus as gg-bench plays it: the expected wins in 30 games for each pair of our players, computed exactly.

With GGBENCH=<checkout>, the published wins of language models are read again from gg-bench.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import digitduels as dd
from digitduels.lab.measures import policies_of
from digitduels.players.evaluation import expect
from digitduels.players.expectation import BEST_RESPONSE, Sheet
from digitduels.players.levels import LEVELS_VERSION

PAGE = "results/gg-bench-417.md"
GAMES = 30  # half of them as Player 1
PUBLISHED = re.compile(r"^\| (?P<model>\S+) \| (?P<wins>\d+) \|$", re.MULTILINE)


def table() -> str:
    solution = dd.solve(dd.game("numerical-nexus"))
    players = {
        {1: "random", 7: "perfect"}.get(level, f"level {level}"): policy
        for level, policy in policies_of(solution).items()
    }
    sheet = Sheet()
    indices = {
        (name, other): sheet.score(policy, against)
        for name, policy in {**players, "best possible": BEST_RESPONSE}.items()
        for other, against in players.items()
    }
    scores = expect(solution, sheet)[0]
    rows = ["| model | wins of 30 |", "|---|---:|"]
    rows += [f"| {model} | {wins} |" for model, wins in published()]
    rows += ["", f"| wins of 30 | {' | '.join(f'against {other}' for other in players)} |"]
    rows += ["|---|" + "---:|" * len(players)]
    for name in dict.fromkeys(name for name, _ in indices):
        seats = [(scores[first], 1 - scores[second]) for first, second in (indices[name, other] for other in players)]
        rows.append(f"| {name} | {' | '.join(f'{GAMES / 2 * sum(points):.1f}' for points in seats)} |")
    return "\n".join([*rows, "", f"Levels of version {LEVELS_VERSION}."])


def published() -> list[tuple[str, int]]:
    """The published wins of each model, most wins first. Without a checkout, they come from the page."""
    folder = os.environ.get("GGBENCH")
    if folder is None:
        page = (Path(__file__).parents[1] / "docs" / PAGE).read_text(encoding="utf-8")
        return [(row["model"], int(row["wins"])) for row in PUBLISHED.finditer(page)]
    wins = {}
    for path in Path(folder, "results").glob("*_eval_*.json"):
        result = json.loads(path.read_text(encoding="utf-8"))["417"]
        assert result["total_games"] == GAMES
        wins[path.name.split("_eval_")[0]] = result["gpt_wins"]
    return sorted(wins.items(), key=lambda row: (-row[1], row[0]))
