"""`duels lab`: reports on rule sets, comparisons, sweeps, and the search for better ones."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from digitduels.cli.arguments import Parser, add_command
from digitduels.cli.commands import lab_compare, lab_report, lab_search, lab_sweep
from digitduels.cli.errors import USAGE

if TYPE_CHECKING:
    from digitduels.cli.arguments import Commands


def add(commands: Commands) -> None:
    parser = add_command(
        commands,
        "lab",
        run,
        "duels lab report number-duel",
        "duels lab compare number-duel number-duel:repaired",
        "duels lab sweep number-quest --set target=20..60 --set highest=3..5 --out quest.parquet",
        "duels lab search number-duel --for fair,deep --near book",
    )
    parts = parser.add_subparsers(title="what to do", metavar="report, compare, sweep or search", parser_class=Parser)
    for part in (lab_report, lab_compare, lab_sweep, lab_search):
        part.add(parts)
    parser.set_defaults(parser=parser)


def run(arguments: argparse.Namespace) -> int:
    arguments.parser.print_help()
    return USAGE
