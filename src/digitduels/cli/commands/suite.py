"""`duels suite`: runs the frozen benchmark for language models, reports results, or makes a private twin."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from digitduels import files
from digitduels.cli.arguments import add_command
from digitduels.cli.console import Console
from digitduels.cli.errors import FAILURE, FILE, Failure, quoted_path, usage
from digitduels.cli.extras import require
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.progress import show_progress
from digitduels.sentence import Count
from digitduels.text import clean

if TYPE_CHECKING:
    from digitduels.cli.arguments import Commands
    from digitduels.evals.suite import Suite


def add(commands: Commands) -> None:
    parser = add_command(
        commands,
        "suite",
        run,
        "duels suite run openai/gpt-5 --logs logs",
        "duels suite run digitduels/random --limit 20",
        "duels suite report logs --out results",
        "duels suite private --seed 4711 --out private.json",
        "duels suite reference",
    )
    parser.add_argument(
        "act", choices=["run", "report", "reference", "private"], help="what to do; the other arguments depend on it"
    )
    parser.add_argument("words", nargs="*", metavar="NAME", help="run: the models; report: logs or folders")
    parser.add_argument("--file", type=Path, metavar="FILE", help="a private suite (default: suite-v1)")
    parser.add_argument("--logs", type=Path, default=Path("logs"), metavar="FOLDER", help="run: where logs are written")
    parser.add_argument("--limit", type=int, metavar="N", help="run: only the first N positions, to try it out")
    parser.add_argument("--epochs", type=int, default=1, metavar="N", help="run: how often to ask for each position")
    parser.add_argument("--seed", metavar="S", help="private: any text; keep it secret")
    parser.add_argument("--out", type=Path, metavar="PATH", help="private: the new file; report: a folder")
    parser.add_argument("--json", action="store_true", help="run, report, reference: print JSON")


def run(arguments: argparse.Namespace) -> int:
    return {"run": _run, "report": _report, "reference": _reference, "private": _private}[arguments.act](arguments)


def _run(arguments: argparse.Namespace) -> int:
    if not arguments.words:
        usage("Which model? For example: duels suite run digitduels/random")
    suite = _suite(arguments.file)
    require("inspect_ai", "Running the suite")
    from inspect_ai import eval as evaluate

    from digitduels.evals.suite_tasks import suite_v1

    task = suite_v1(None if arguments.file is None else str(arguments.file))
    logs = evaluate(
        task,
        model=arguments.words,
        log_dir=str(arguments.logs),
        limit=arguments.limit,
        epochs=arguments.epochs,
        fail_on_error=False,
        display="none",
    )
    failed = [log for log in logs if log.status != "success"]
    for log in failed:
        reason = log.error.message if log.error else log.status
        Console().say(f"{clean(log.eval.model, 100)} did not finish: {clean(str(reason), 300)}")
    arguments.words = [log.location for log in logs]
    _show(arguments, suite)
    return FAILURE if failed else 0


def _report(arguments: argparse.Namespace) -> int:
    if not arguments.words:
        usage("Which logs? For example: duels suite report logs")
    require("inspect_ai", "Reading logs")
    if arguments.out is not None:
        require("matplotlib", "--out")
    _show(arguments, _suite(arguments.file))
    return 0


def _show(arguments: argparse.Namespace, suite: Suite) -> None:
    """Prints the results of logs, and writes them with plots to the folder `--out` if it is given."""
    from digitduels.evals.inspect_logs import LogError
    from digitduels.evals.suite_results import page, read_results

    paths = [Path(str(word).removeprefix("file://")) for word in arguments.words]
    for path in paths:
        if not path.exists():
            raise Failure(FILE, f"{quoted_path(path)} does not exist.")
    try:
        rows = read_results(suite, paths)
    except LogError as error:
        raise Failure(FILE, clean(str(error), 500)) from None
    if not rows:
        raise Failure(FAILURE, f"There is no run of {suite.name} in these logs.")
    if arguments.act == "report" and arguments.out is not None:
        from digitduels.plots import draw_gap, draw_skill, render

        with write_errors(arguments.out):
            arguments.out.mkdir(parents=True, exist_ok=True)
            for name, data in (
                ("results.md", page(suite, rows).encode()),
                ("skill.svg", render(draw_skill(suite.name, rows), ".svg")),
                ("gap.svg", render(draw_gap(suite.name, rows), ".svg")),
                ("results.json", _json(suite, rows).encode()),
            ):
                files.write(arguments.out / name, data)
        Console().say(f"Written: results.md, skill.svg, gap.svg and results.json in {quoted_path(arguments.out)}.")
    _print(arguments, suite, rows)


def _reference(arguments: argparse.Namespace) -> int:
    from digitduels.evals.suite_results import reference

    suite = _suite(arguments.file)
    with show_progress("Reference rows") as progress:
        rows = reference(suite, progress)
    _print(arguments, suite, rows, exact=True)
    return 0


def _print(arguments: argparse.Namespace, suite: Suite, rows: list[dict[str, Any]], exact: bool = False) -> None:
    from digitduels.evals.suite_results import markdown

    if arguments.json:
        Console().write(_json(suite, rows))
    else:
        Console().write(f"{suite.name}, SHA-256 {suite.sha256}\n\n{markdown(suite, rows, exact).rstrip()}")


def _json(suite: Suite, rows: list[dict[str, Any]]) -> str:
    return json.dumps({"version": 1, "suite": suite.name, "sha256": suite.sha256, "rows": rows}, indent=1)


def _private(arguments: argparse.Namespace) -> int:
    from digitduels.evals.suite import make_suite, read_suite, sha256

    if arguments.seed is None or arguments.out is None:
        usage("A private suite needs a seed and a file: duels suite private --seed S --out FILE")
    public = read_suite()
    with show_progress("Private suite") as progress:
        data = make_suite("private twin of suite-v1", arguments.seed, avoid=public, progress=progress)
    with write_errors(arguments.out), files.writing(arguments.out) as file:
        file.write(data)
    count = len(read_suite(arguments.out).positions)
    Console().say(f"{Count(count, 'position')} in {quoted_path(arguments.out)}.", f"SHA-256: {sha256(data)}")
    return 0


def _suite(path: Path | None) -> Suite:
    from digitduels.evals.suite import SUITE, SuiteError, read_suite

    try:
        return read_suite(path or SUITE)
    except (OSError, SuiteError) as error:
        raise Failure(FILE, str(error)) from None
