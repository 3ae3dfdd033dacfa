"""How long `duels --help` takes, beside Python doing nothing."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 31
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "duels --help": ["-m", "digitduels", "--help"],
    "duels games": ["-m", "digitduels", "games"],
}


def table() -> str:
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, arguments in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            taken[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(times) for name, times in taken.items()}
    nothing = medians["python -c pass"]
    rows = ["| command | median | times `python -c pass` |", "|---|---:|---:|"]
    rows += [f"| `{name}` | {median * 1000:.0f} ms | {median / nothing:.1f} |" for name, median in medians.items()]
    return "\n".join(rows)
