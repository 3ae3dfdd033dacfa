"""Runs every benchmark, or those named, and puts its table into docs/performance.md."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

BENCHMARKS = ("playouts", "startup", "solving")
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"


def main() -> None:
    for name in sys.argv[1:] or BENCHMARKS:
        table = import_module(f"benchmarks.{name}").table()
        print(f"{name}\n{table}\n", flush=True)
        page = PAGE.read_text(encoding="utf-8")
        before, after = re.split(rf"<!-- {name} -->\n.*?<!-- end -->", page, flags=re.DOTALL)
        PAGE.write_text(f"{before}<!-- {name} -->\n{table}\n<!-- end -->{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
