"""`duels suite reference`: the exact results of known players in a suite."""

from __future__ import annotations

import argparse

from digitduels.cli.commands.suite.report import add_suite, print_results, read_suite_file
from digitduels.cli.parser import Parser
from digitduels.cli.progress import show_progress

EXAMPLES = ("duels suite reference", "duels suite reference --file private.json")


def add_arguments(parser: Parser) -> None:
    add_suite(parser)


def run(arguments: argparse.Namespace) -> int:
    from digitduels.evals.suite_results import reference

    suite = read_suite_file(arguments.file, arguments.suite)
    with show_progress("Reference rows") as progress:
        rows = reference(suite, progress)
    print_results(suite, rows, arguments.json, exact=True)
    return 0
