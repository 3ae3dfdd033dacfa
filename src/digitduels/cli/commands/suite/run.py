"""`duels suite run`: asks models for a move in every position of a suite."""

from __future__ import annotations

import argparse
from hashlib import sha256
from pathlib import Path

from digitduels.cli.commands.suite.private import write_twin
from digitduels.cli.commands.suite.report import add_suite, print_results, read_rows, read_suite_file
from digitduels.cli.console import Console
from digitduels.cli.errors import FAILURE, quoted_path, usage
from digitduels.cli.extras import require
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser
from digitduels.text import clean, quoted

EXAMPLES = (
    "duels suite run openai/gpt-5 --logs logs",
    "duels suite run openai/gpt-5 --suite v2 --seed 4711",
    "duels suite run digitduels/random --limit 20",
)


def add_arguments(parser: Parser) -> None:
    parser.add_argument("models", nargs="+", metavar="MODEL", help="a model, as Inspect names it")
    parser.add_argument("--logs", default="logs", metavar="FOLDER", help="where logs are written (default: logs)")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N positions, to try it out")
    parser.add_argument(
        "--epochs", type=int, default=1, metavar="N", help="how often to ask for each position (default: 1)"
    )
    parser.add_argument(
        "--seed",
        metavar="S",
        help="draw other rule sets and positions for suite-v2 from this seed, and write their file to the logs",
    )
    add_suite(parser)


def run(arguments: argparse.Namespace) -> int:
    require("inspect_ai", "Running the suite")
    _check_models(arguments.models)
    if arguments.seed is not None:
        _draw_rules(arguments)
    suite = read_suite_file(arguments.file, arguments.suite)
    from inspect_ai import eval as evaluate

    from digitduels.evals.suite_tasks import suite_v1, suite_v2

    task = {"v1": suite_v1, "v2": suite_v2}[arguments.suite]
    logs = evaluate(
        task(None if arguments.file is None else str(arguments.file)),
        model=arguments.models,
        log_dir=arguments.logs,
        limit=arguments.limit,
        epochs=arguments.epochs,
        fail_on_error=False,
        display="none",
    )
    failed = [log for log in logs if log.status != "success"]
    for log in failed:
        reason = log.error.message if log.error else log.status
        Console().say(f"{clean(log.eval.model, 100)} did not finish: {clean(str(reason), 300)}")
    rows = read_rows(suite, [Path(log.location.removeprefix("file://")) for log in logs])
    print_results(suite, rows, arguments.json)
    return FAILURE if failed else 0


def _draw_rules(arguments: argparse.Namespace) -> None:
    """Makes a twin of suite-v2 from the seed, as the file to run."""
    if arguments.suite != "v2" or arguments.file is not None:
        usage("--seed needs --suite v2, and no --file.")
    folder = Path(arguments.logs)
    with write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    arguments.file = folder / f"suite-v2-{sha256(arguments.seed.encode()).hexdigest()[:12]}.json"
    public = read_suite_file(None, arguments.suite)
    write_twin(public, f"suite-v2 with the seed {arguments.seed}", arguments.seed, arguments.file)
    Console().say(f"Rule sets of the seed {quoted(arguments.seed)} in {quoted_path(arguments.file)}.")


def _check_models(names: list[str]) -> None:
    """Rejects models that Inspect does not know or cannot reach, such as a mistyped name."""
    from inspect_ai.model import get_model

    for name in names:
        try:
            get_model(name)
        except Exception as error:  # each provider raises its own exceptions
            usage(f"The model {quoted(name)} cannot be used: {clean(str(error), 300)}")
