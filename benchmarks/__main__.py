"""Runs every benchmark, or those named, and puts its table into docs/performance.md or the page it names."""

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
    "nexus",
)
DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}; all unless named")
    parser.add_argument("--against", metavar="COMMIT", help="the commit with which lab compares")
    parser.add_argument(
        "--game", action="append", metavar="GAME", help="measure these games only, if a table has games"
    )
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in BENCHMARKS]:
        parser.error(f"There is no benchmark {unknown[0]!r}. They are {', '.join(BENCHMARKS)}.")
    # gg-bench's own files are not part of this repository.
    every = [name for name in BENCHMARKS if name != "ggbench" or "GGBENCH" in os.environ]
    for name in arguments.names or every:
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
    """A table with the rows of one game measured again. The rows of other games stay as they are."""
    measured = [re.sub(r"(?<=\d)%", " %", row) for row in benchmark.rows(name)]
    kept = old[0].splitlines() if old else []
    lines = [benchmark.HEAD]
    for game in sorted(map(dd.game, dd.games()), key=lambda game: game.title):
        lines += measured if game.id == name else [row for row in kept if row.startswith(f"| {game.title} |")]
    return "\n".join([*lines, "", benchmark.NOTE])


def replace(page: Path, part: re.Pattern[str], table: str) -> None:
    """Puts a table into its part of a page."""
    text = page.read_text(encoding="utf-8")
    if not part.search(text):
        raise ValueError(f"{page.name} has no place for this table.")
    page.write_text(part.sub(lambda _: table, text), encoding="utf-8")


if __name__ == "__main__":
    main()
