"""`duels suite private`: makes a private twin of suite-v2."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from digitduels import files
from digitduels.cli.commands.suite.report import read_suite_file
from digitduels.cli.console import Console
from digitduels.cli.errors import FAILURE, Failure, quoted_path
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser
from digitduels.cli.progress import show_progress
from digitduels.sentence import Count

if TYPE_CHECKING:
    from digitduels.evals.suite import Suite

EXAMPLES = ("duels suite private --seed 4711 --out private.json",)


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--seed", required=True, metavar="S", help="any text; it determines the positions, so keep it secret"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the new file")


def run(arguments: argparse.Namespace) -> int:
    public = read_suite_file(None, "v2")
    twin = write_twin(public, "private twin of suite-v2", arguments.seed, arguments.out)
    Console().say(
        f"{Count(len(twin.positions), 'position')} in {quoted_path(arguments.out)}.",
        f"Mean chance: {twin.mean_chance:.3f}; in suite-v2: {public.mean_chance:.3f}.",
        f"SHA-256: {twin.sha256}",
    )
    return 0


def write_twin(public: Suite, name: str, seed: str, path: Path) -> Suite:
    """Makes a twin of the public suite-v2 from a seed, writes it to a file and returns it."""
    from digitduels.evals.suite import SuiteError, read_suite
    from digitduels.evals.suite_v2 import make_suite_v2

    with write_errors(path), files.writing(path) as file:
        with show_progress("A twin of suite-v2") as progress:
            try:
                data = make_suite_v2(name, seed, public, progress=progress)
            except SuiteError as error:
                raise Failure(FAILURE, str(error)) from None
        file.write(data)
    return read_suite(path)
