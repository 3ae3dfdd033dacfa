"""Solving: the time to fill a table compared with the time to copy it once, which is the limit that memory sets."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import digitduels as dd
from digitduels.core import State
from digitduels.solver import cache, kernels
from digitduels.solver.discovery import compile_game
from digitduels.solver.schedule import waves
from digitduels.solver.tables import SLACK, Plan, Tables, fill, prepare, share, workers

GAMES = ("number-duel", "number-quest", "numerical-nexus", "equation-duel")
RUNS = 15
# Solves a small variant first, so that the difference is the table and not the program. The peak comes from /proc,
# because getrusage would start with the peak of the parent process.
MEMORY = """
import re, sys, digitduels as dd
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
name = sys.argv[1]
dd.solve(dd.game(name, **({"target": 7} if name == "numerical-nexus" else {"highest": 4})), cache=False)
before = peak()
solution = dd.solve(dd.game(name), cache=False)
print((peak() - before) / solution.codes.nbytes)
"""


def table() -> str:
    columns = [measure(name) for name in GAMES]
    titles = " | ".join(dd.game(name).title for name in GAMES)
    rows = [f"| | bar | {titles} |", "|---|---:|" + "---:|" * len(GAMES)]
    for row, bar in BARS.items():
        rows.append(f"| {row} | {bar} | {' | '.join(column[row] for column in columns)} |")
    return "\n".join(rows)


COPY = "copying the table (`numpy.copyto`)"
KERNEL = "filling the table, times copying"
WHOLE = "`dd.solve` as a whole, times copying"
SECONDS = "`dd.solve` as a whole"
PEAK = "peak memory, times the table"
PROBE = "`probe`"
EACH = "`judge`"
MANY = "`probe_many`, a position"
LOAD = "loading from the cache"
BARS = {
    "positions": "",
    COPY: "",
    KERNEL: "12 (Duel, Quest)",
    WHOLE: "25 (Duel, Quest), 40 (Nexus)",
    SECONDS: "500 ms (Equation)",
    PEAK: "1.1",
    PROBE: "10 µs",
    EACH: "100 µs",
    MANY: "0.1 µs",
    LOAD: "50 ms",
}


def measure(name: str) -> dict[str, str]:
    """Measures the column of a game."""
    game = dd.game(name)
    solution = dd.solve(game, cache=False)
    assert isinstance(solution, Tables)
    plan = prepare(compile_game(game))
    copy = np.empty_like(solution.codes)
    copying = best_time(lambda: np.copyto(copy, solution.codes), 3 * RUNS)
    filling = best_time(filler(plan))
    whole = best_time(lambda: dd.solve(game, cache=False))
    peak = subprocess.run([sys.executable, "-c", MEMORY, name], check=True, capture_output=True, text=True)
    states = positions(solution, 1000)
    indices = tuple(np.array([solution.encode(state) for state in states] * 1000).T)
    return {
        "positions": f"{len(solution.codes):,}",
        COPY: f"{copying * 1000:.2f} ms",
        KERNEL: f"{filling / copying:.1f}",
        WHOLE: f"{whole / copying:.1f}",
        SECONDS: f"{whole * 1000:.0f} ms",
        PEAK: f"{float(peak.stdout):.2f}",
        PROBE: f"{best_time(lambda: [solution.probe(state) for state in states]) * 1e6 / len(states):.1f} µs",
        EACH: f"{best_time(lambda: [solution.judge(state) for state in states]) * 1e6 / len(states):.0f} µs",
        MANY: f"{best_time(lambda: solution.probe_many(*indices)) * 1e6 / len(indices[0]):.3f} µs",
        LOAD: f"{loading(solution) * 1000:.1f} ms",
    }


def best_time(work: Callable[[], Any], runs: int = RUNS) -> float:
    """The shortest time of several runs in seconds, because other load on the machine can only add to it."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def filler(plan: Plan) -> Callable[[], None]:
    """A function that fills the table of a game again, always in the same memory."""
    codes = fill(plan)
    room = np.zeros(len(codes) + SLACK, codes.dtype)
    room[: len(codes)] = codes
    endings, scale = plan.scale.ending(plan.marks), plan.scale.typed()
    order = list(waves(plan.compiled, codes.itemsize))

    def run() -> None:
        with workers() as pool:
            for tasks in order:
                share(
                    pool, tasks, lambda part: kernels.fill_tables(room, part, plan.layout, endings, plan.stuck, scale)
                )

    return run


def positions(solution: Tables, count: int) -> list[State[Any, Any]]:
    """Random positions of the table in which the game is not over."""
    chance, compiled = random.Random(1), solution.compiled
    states: list[State[Any, Any]] = []
    while len(states) < count:
        hands = chance.randrange(len(compiled.hands)), chance.randrange(len(compiled.hands))
        index = chance.randrange(compiled.tables)
        state = compiled.state(index, *hands)
        if compiled.contains(index, *hands) and solution.game.outcome(state) is None:
            states.append(state)
    return states


def loading(solution: Tables) -> float:
    """Seconds to load a table and look up the first position."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.table"
        cache._write(path, solution)
        return best_time(lambda: cache._read(path, solution.game).start)
