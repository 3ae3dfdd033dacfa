"""How long a browser's Python takes to solve each book, beside the solver for servers."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path

import digitduels as dd
from digitduels.games import books
from digitduels.solver.memory import human_size
from digitduels.solver.tables import Tables

ROOT = Path(__file__).parents[1]


def table() -> str:
    """Returns the table of docs/performance.md. Needs `npm ci`."""
    with tempfile.TemporaryDirectory() as folder:
        # The first game is not measured: it waits for modules and for the browser's compilers.
        asked = [(name, dict[str, int](), True) for name in (books()[0], *books())]
        Path(folder, "games.json").write_text(json.dumps(asked), encoding="utf-8")
        command = ["node", "tests/js/solve.js", "src", folder]
        output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    rows = [
        "| game | positions | memory | browser's Python | times the solver of a server |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, answer in zip(books(), json.loads(output)["games"][1:], strict=True):
        game = dd.game(name)
        dd.solve(game, cache=False)  # compiles the kernels
        began = time.perf_counter()
        solution = dd.solve(game, cache=False)
        seconds = time.perf_counter() - began
        if isinstance(solution, Tables):
            size, there = human_size(solution.codes.nbytes), answer["seconds"]
            rows.append(f"| {game.title} | {len(solution.codes):,} | {size} | {there:.2f} s | {there / seconds:.1f} |")
    return "\n".join(rows)
