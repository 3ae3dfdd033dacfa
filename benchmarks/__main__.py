"""Runs every benchmark, or those named, and puts its table into docs/performance.md or the page it names."""

from __future__ import annotations

import argparse
import re
from importlib import import_module
from pathlib import Path

BENCHMARKS = (
    "playouts",
    "startup",
    "solving",
    "environments",
    "openspiel",
    "serving",
    "streams",
    "classes",
    "page",
    "ladder",
    "traps",
    "lab",
    "reference",
    "nexus",
)
DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}; all unless named")
    parser.add_argument("--against", metavar="COMMIT", help="the commit with which lab compares")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in BENCHMARKS]:
        parser.error(f"There is no benchmark {unknown[0]!r}. They are {', '.join(BENCHMARKS)}.")
    for name in arguments.names or BENCHMARKS:
        benchmark = import_module(f"benchmarks.{name}")
        table = benchmark.table(arguments.against) if name == "lab" and arguments.against else benchmark.table()
        print(f"{name}\n{table}\n", flush=True)
        page = DOCS / getattr(benchmark, "PAGE", "performance.md")
        text = page.read_text(encoding="utf-8")
        before, after = re.split(rf"<!-- {name} -->\n.*?<!-- end -->", text, flags=re.DOTALL)
        page.write_text(f"{before}<!-- {name} -->\n{table}\n<!-- end -->{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
