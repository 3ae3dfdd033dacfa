"""Run all benchmarks, or the named ones, and update their tables in docs/performance.md and other pages."""

from __future__ import annotations

import argparse
import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import digitduels as dd

BENCHMARKS = (
    "playouts",
    "startup",
    "solving",
    "browser",
    "environments",
    "ggbench",
    "openspiel",
    "serving",
    "streams",
    "classes",
    "page",
    "ladder",
    "traps",
    "natural",
    "lab",
    "reference",
    "reference_v2",
    "nexus",
    "agent",
    "leak",
)
DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}. Default: all")
    parser.add_argument("--against", metavar="COMMIT", help="the commit that lab compares with")
    parser.add_argument(
        "--game", action="append", metavar="GAME", help="measure only these games, in tables with rows per game"
    )
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in BENCHMARKS]:
        parser.error(f"There is no benchmark {unknown[0]!r}. Choose from {', '.join(BENCHMARKS)}.")
    # gg-bench's own files are not part of this repository.
    available = [name for name in BENCHMARKS if name not in ("ggbench", "agent") or "GGBENCH" in os.environ]
    for name in arguments.names or available:
        benchmark = import_module(f"benchmarks.{name}")
        page = DOCS / getattr(benchmark, "PAGE", "performance.md")
        part = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=\n<!-- end -->)", re.DOTALL)
        if hasattr(benchmark, "rows"):
            table = ""
            for game in arguments.game or dd.games():
                table = by_game(benchmark, part.search(page.read_text(encoding="utf-8")), game)
                replace(page, part, table)
        else:
            table = benchmark.table(arguments.against) if name == "lab" and arguments.against else benchmark.table()
            replace(page, part, table)
        print(f"{name}\n{table}\n", flush=True)


def by_game(benchmark: Any, old: re.Match[str] | None, name: str) -> str:
    """The table with newly measured rows for one game. The rows of other games stay as they are."""
    new_rows = [re.sub(r"(?<=\d)%", " %", row) for row in benchmark.rows(name)]
    old_rows = old[0].splitlines() if old else []
    lines = [benchmark.HEAD]
    for game in sorted(map(dd.game, dd.games()), key=lambda game: game.title):
        lines += new_rows if game.id == name else [row for row in old_rows if row.startswith(f"| {game.title} |")]
    return "\n".join([*lines, "", benchmark.NOTE])


def replace(page: Path, part: re.Pattern[str], table: str) -> None:
    """Replaces a table in a page."""
    text = page.read_text(encoding="utf-8")
    if not part.search(text):
        raise ValueError(f"{page.name} has no markers for this table.")
    page.write_text(part.sub(lambda _: table, text), encoding="utf-8")


if __name__ == "__main__":
    main()
