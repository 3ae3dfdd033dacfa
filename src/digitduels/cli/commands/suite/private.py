"""`duels suite private`: makes a private twin of the benchmark."""

from __future__ import annotations

import argparse
from pathlib import Path

from digitduels import files
from digitduels.cli.console import Console
from digitduels.cli.errors import quoted_path
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser
from digitduels.cli.progress import show_progress
from digitduels.sentence import Count

EXAMPLES = ("duels suite private --seed 4711 --out private.json",)


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--seed", required=True, metavar="S", help="any text; it determines the positions, so keep it secret"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the new file")


def run(arguments: argparse.Namespace) -> int:
    from digitduels.evals.suite import make_suite, read_suite, sha256

    public = read_suite()
    with write_errors(arguments.out), files.writing(arguments.out) as file:
        with show_progress("Private suite") as progress:
            data = make_suite("private twin of suite-v1", arguments.seed, avoid=public, progress=progress)
        file.write(data)
    count = len(read_suite(arguments.out).positions)
    Console().say(f"{Count(count, 'position')} in {quoted_path(arguments.out)}.", f"SHA-256: {sha256(data)}")
    return 0
