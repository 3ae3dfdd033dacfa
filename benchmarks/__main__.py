"""Runs every benchmark, or those named, and puts its table into docs/performance.md or the page it names."""

from __future__ import annotations

import re
import sys
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
)
DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    for name in [word for word in sys.argv[1:] if word in BENCHMARKS] or BENCHMARKS:
        benchmark = import_module(f"benchmarks.{name}")
        table = benchmark.table()
        print(f"{name}\n{table}\n", flush=True)
        page = DOCS / getattr(benchmark, "PAGE", "performance.md")
        text = page.read_text(encoding="utf-8")
        before, after = re.split(rf"<!-- {name} -->\n.*?<!-- end -->", text, flags=re.DOTALL)
        page.write_text(f"{before}<!-- {name} -->\n{table}\n<!-- end -->{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
