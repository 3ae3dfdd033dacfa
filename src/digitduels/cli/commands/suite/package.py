"""`duels suite package`: writes a suite as a folder to publish as a dataset."""

from __future__ import annotations

import argparse
from pathlib import Path

from digitduels import files
from digitduels.cli.commands.suite.report import add_version, read_suite_file
from digitduels.cli.console import Console
from digitduels.cli.errors import quoted_path
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser

EXAMPLES = ("duels suite package --suite v2 --out dataset",)


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder to write")
    add_version(parser)


def run(arguments: argparse.Namespace) -> int:
    from digitduels.evals.packaging import package

    content = package(read_suite_file(None, arguments.suite))
    with write_errors(arguments.out):
        arguments.out.mkdir(parents=True, exist_ok=True)
        for name, data in content.items():
            files.write(arguments.out / name, data)
    Console().say(f"Written: {', '.join(content)} in {quoted_path(arguments.out)}.")
    return 0
