"""The lab: complete solves compared with their kernels, Equation Duel compared with an older commit, and throughput.

`python -m benchmarks lab --against COMMIT` compares with a commit other than the default, in the same run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import digitduels as dd
from benchmarks.solving import best_time, filler
from digitduels.executors import parallel
from digitduels.lab.sweeps import grid, measured_row
from digitduels.solver.discovery import compile_game
from digitduels.solver.tables import prepare

OLD = "83478dc"
RUNS = 25  # the best one counts
FIXED = 0.02  # seconds of overhead that a complete solve may have
RULE_SETS: list[tuple[str, dict[str, int]]] = [
    ("number-quest", {"highest": 4}),
    ("number-quest", {"highest": 6}),
    ("number-duel", {"highest": 6}),
    ("number-duel", {"highest": 7}),
    ("equation-duel", {}),
    ("equation-duel", {"highest": 10}),
]
GRID = {
    "target": range(20, 62, 2),
    "highest": range(3, 6),
    "copies": (1, 2),
    "tie": ("last-mover-loses", "last-mover-wins", "draw"),
}
SOLVE = """
import sys, time, digitduels as dd
times = []
for _ in range(int(sys.argv[2])):
    game = dd.game("equation-duel", highest=int(sys.argv[1]))
    start = time.perf_counter()
    dd.solve(game, cache=False)
    times.append(time.perf_counter() - start)
print(min(times[1:]))
"""


def table(against: str = OLD) -> str:
    return "\n".join([*ratios(), "", *older(against), "", throughput()])


def ratios() -> list[str]:
    head = "| rule set | positions | kernel | whole solve | less 20 ms, times the kernel (bar: 3) |"
    rows = [head, "|---|---:|---:|---:|---:|"]
    for name, options in RULE_SETS:
        game = dd.game(name, **options)
        compiled = compile_game(game)
        kernel = best_time(filler(prepare(compiled)), RUNS)
        whole = best_time(partial(dd.solve, game, cache=False), RUNS)
        ratio = max(0.0, whole - FIXED) / kernel
        words = ", ".join([game.title, *(f"{key} {value}" for key, value in options.items())])
        times = f"{kernel * 1000:.1f} ms | {whole * 1000:.0f} ms | {ratio:.1f}"
        rows.append(f"| {words} | {compiled.positions:,} | {times} |")
    return rows


def older(commit: str) -> list[str]:
    """Compares the time to solve Equation Duel now with the time at another commit."""
    root = Path(__file__).parents[1]
    rows = [f"| Equation Duel | commit {commit} | now | times faster (bar: 5) |", "|---|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "-C", root, "archive", commit, "src"], check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        for highest in (9, 10):
            before, now = (solving(source, highest) for source in (Path(folder) / "src", root / "src"))
            rows.append(f"| highest {highest} | {before * 1000:.0f} ms | {now * 1000:.0f} ms | {before / now:.1f} |")
    return rows


def solving(source: Path, highest: int, runs: int = RUNS + 1) -> float:
    """The seconds that a solve takes with the source code in a folder."""
    ran = subprocess.run(
        [sys.executable, "-P", "-c", SOLVE, str(highest), str(runs)],
        env={**os.environ, "PYTHONPATH": str(source)},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(ran.stdout)


def throughput() -> str:
    """Number Quest rule sets measured per minute on all cores."""
    rule_sets = grid("number-quest", GRID)
    work = [("number-quest", options, 1_000_000) for options in rule_sets]
    with parallel() as run:
        warm = list(run(measured_row, work[:: len(work) // 8]))
        start = time.perf_counter()
        rows = [row for _, row in run(measured_row, work)]
        seconds = time.perf_counter() - start
    assert warm
    sizes = sorted(row["positions"] for row in rows if row["status"] == "solved")
    rate, median = 60 * len(sizes) / seconds, sizes[len(sizes) // 2]
    return (
        f"{len(sizes):,} Number Quest rule sets of {sizes[0]:,} to {sizes[-1]:,} positions (median {median:,}) "
        f"with all exact measures, on {os.cpu_count()} cores: {rate:,.0f} a minute (bar: 1,000)."
    )
