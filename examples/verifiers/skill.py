"""Reads a run of verifiers: skill with its 95 % confidence interval, and the means of all rewards and metrics.

`python skill.py FOLDER` takes the folder that vf-eval writes.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from digitduels.arena.grading import Grade, skill


def report(lines: Iterable[str]) -> str:
    """One line about a run. What begins in the same position is one observation; errors are in no figure."""
    grades: defaultdict[str, Grade] = defaultdict(Grade)
    figures: defaultdict[str, list[float]] = defaultdict(list)
    errors = 0
    for episode in map(json.loads, lines):
        if not episode["ok"]:
            errors += 1
            continue
        (trace,) = episode["traces"]
        rewards = {name: reward["score"] for name, reward in trace["rewards"].items()}
        counted = {**rewards, **trace["metrics"]}
        record = episode["task"]["data"]["record"]
        start = json.dumps([record["game"], record["options"], record["moves"]])
        critical = int(counted.get("critical", 1))  # a position has no count of its own
        grade = Grade(critical=critical, found=int(counted["found"]), chance=counted["chance"])
        grades[start] = grades[start].plus(grade)
        for name, value in counted.items():
            figures[name].append(value)
    told = skill(grades[start] for start in sorted(grades))
    if told["value"] is None:
        return f"no critical position, errors {errors}"
    means = {name: sum(values) / len(values) for name, values in figures.items()}
    return ", ".join(
        [
            f"skill {told['value']:.3f} ({told['low']:.2f} to {told['high']:.2f})",
            *(f"{name} {mean:.3f}" for name, mean in means.items()),
            f"errors {errors}",
        ]
    )


if __name__ == "__main__":
    with (Path(sys.argv[1]) / "traces.jsonl").open(encoding="utf-8") as file:
        print(report(file))
