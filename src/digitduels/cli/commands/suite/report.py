"""`duels suite report`: prints the results in logs, or writes them with plots to a folder."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from digitduels import files
from digitduels.cli.console import Console
from digitduels.cli.errors import FAILURE, FILE, Failure, quoted_path
from digitduels.cli.extras import require
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser
from digitduels.text import clean

if TYPE_CHECKING:
    from digitduels.evals.suite import Suite

EXAMPLES = ("duels suite report logs", "duels suite report logs --out results")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="an Inspect log, or a folder of logs")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write the results and plots into this folder")
    add_suite(parser)


def add_suite(parser: Parser) -> None:
    """Adds `--file` and `--json`."""
    add_version(parser)
    parser.add_argument("--file", type=Path, metavar="FILE", help="a private suite (default: the public one)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_version(parser: Parser) -> None:
    """Adds `--suite`."""
    parser.add_argument("--suite", choices=("v1", "v2"), default="v1", help="the version of the suite (default: v1)")


def run(arguments: argparse.Namespace) -> int:
    require("inspect_ai", "Reading logs")
    if arguments.out is not None:
        require("matplotlib", "--out")
    suite = read_suite_file(arguments.file, arguments.suite)
    rows = read_rows(suite, arguments.logs)
    if arguments.out is not None:
        _write(suite, rows, arguments.out)
    print_results(suite, rows, arguments.json)
    return 0


def read_suite_file(path: Path | None, version: str) -> Suite:
    """The private suite in a file, or the public one of a version."""
    from digitduels.evals.suite import SUITE, SUITE_V2, SuiteError, read_suite

    try:
        return read_suite(path or {"v1": SUITE, "v2": SUITE_V2}[version])
    except (OSError, SuiteError) as error:
        raise Failure(FILE, str(error)) from None


def read_rows(suite: Suite, logs: Sequence[Path]) -> list[dict[str, Any]]:
    """The results of a suite in these logs."""
    from digitduels.evals.inspect_logs import LogError
    from digitduels.evals.suite_results import read_results

    for path in logs:
        if not path.exists():
            raise Failure(FILE, f"{quoted_path(path)} does not exist.")
    try:
        rows = read_results(suite, logs)
    except LogError as error:
        raise Failure(FILE, clean(str(error), 500)) from None
    if not rows:
        raise Failure(FAILURE, f"There is no run of {suite.name} in these logs.")
    return rows


def print_results(suite: Suite, rows: list[dict[str, Any]], as_json: bool, exact: bool = False) -> None:
    """Prints results as a table, or as JSON."""
    from digitduels.evals.suite_results import markdown

    table = f"{suite.name}, SHA-256 {suite.sha256}\n\n{markdown(suite, rows, exact).rstrip()}"
    Console().write(_to_json(suite, rows) if as_json else table)


def _write(suite: Suite, rows: list[dict[str, Any]], folder: Path) -> None:
    """Writes results and plots to a folder."""
    from digitduels.evals.suite_results import page
    from digitduels.plots import draw_gap, draw_skill, render

    with write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in (
            ("results.md", page(suite, rows).encode()),
            ("skill.svg", render(draw_skill(suite.name, rows), ".svg")),
            ("gap.svg", render(draw_gap(suite.name, rows), ".svg")),
            ("results.json", _to_json(suite, rows).encode()),
        ):
            files.write(folder / name, data)
    Console().say(f"Written: results.md, skill.svg, gap.svg and results.json in {quoted_path(folder)}.")


def _to_json(suite: Suite, rows: list[dict[str, Any]]) -> str:
    return json.dumps({"version": 1, "suite": suite.name, "sha256": suite.sha256, "rows": rows}, indent=1)
