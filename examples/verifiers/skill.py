"""Reports on a run of verifiers: skill with its 95 % confidence interval, and the means of all rewards and metrics.

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
    """A one-line report. Samples with the same start count as one observation; failed ones are only metrics."""
    grades: defaultdict[str, Grade] = defaultdict(Grade)
    figures: defaultdict[str, list[float]] = defaultdict(list)
    errors = 0
    for episode in map(json.loads, lines):
        if not episode["ok"]:
            errors += 1
            continue
        (trace,) = episode["traces"]
        rewards = {name: reward["score"] for name, reward in trace["rewards"].items()}
        metrics = {**rewards, **trace["metrics"]}
        record = episode["task"]["data"]["record"]
        start = json.dumps([record["game"], record["options"], record["moves"]])
        critical = int(metrics.get("critical", 1))  # a single position has no such metric
        grade = Grade(critical=critical, found=int(metrics["found"]), chance=metrics["chance"])
        grades[start] = grades[start].plus(grade)
        for name, value in metrics.items():
            figures[name].append(value)
    estimate = skill(grades[start] for start in sorted(grades))
    if estimate["value"] is None:
        return f"no critical position, errors {errors}"
    means = {name: sum(values) / len(values) for name, values in figures.items()}
    return ", ".join(
        [
            f"skill {estimate['value']:.3f} ({estimate['low']:.2f} to {estimate['high']:.2f})",
            *(f"{name} {mean:.3f}" for name, mean in means.items()),
            f"errors {errors}",
        ]
    )


if __name__ == "__main__":
    with (Path(sys.argv[1]) / "traces.jsonl").open(encoding="utf-8") as file:
        print(report(file))
