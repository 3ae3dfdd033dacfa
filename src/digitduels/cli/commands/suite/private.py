"""`duels suite private`: makes a private twin of the benchmark."""

from __future__ import annotations

import argparse
from pathlib import Path

from digitduels import files
from digitduels.cli.commands.suite.report import add_version
from digitduels.cli.console import Console
from digitduels.cli.errors import FAILURE, Failure, quoted_path
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser
from digitduels.cli.progress import show_progress
from digitduels.sentence import Count

EXAMPLES = ("duels suite private --seed 4711 --out private.json",)


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--seed", required=True, metavar="S", help="any text; it determines the positions, so keep it secret"
    )
    add_version(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the new file")


def run(arguments: argparse.Namespace) -> int:
    from digitduels.evals.suite import SuiteError, make_suite, read_suite, sha256
    from digitduels.evals.suite_v2 import SUITE_V2, make_suite_v2

    with write_errors(arguments.out), files.writing(arguments.out) as file:
        with show_progress("Private suite") as progress:
            name = f"private twin of suite-{arguments.suite}"
            try:
                if arguments.suite == "v2":
                    data = make_suite_v2(name, arguments.seed, read_suite(SUITE_V2), progress=progress)
                else:
                    data = make_suite(name, arguments.seed, avoid=read_suite(), progress=progress)
            except SuiteError as error:
                raise Failure(FAILURE, str(error)) from None
        file.write(data)
    count = len(read_suite(arguments.out).positions)
    Console().say(f"{Count(count, 'position')} in {quoted_path(arguments.out)}.", f"SHA-256: {sha256(data)}")
    return 0
