"""`duels lab compare`: rule sets side by side."""

from __future__ import annotations

import argparse
import json

from digitduels.cli.arguments import add_game, read_game
from digitduels.cli.columns import columns
from digitduels.cli.commands.lab.report import report_on
from digitduels.cli.console import Console
from digitduels.cli.parser import Parser
from digitduels.cli.plot_argument import add_plot, check_plot, save_plot, say_plot

EXAMPLES = (
    "duels lab compare number-duel number-duel:repaired",
    "duels lab compare number-quest mine.toml --plot both.svg",
)


def add_arguments(parser: Parser) -> None:
    add_game(parser, "first", metavar="A", help="a game, GAME:PRESET, or a .toml file")
    add_game(parser, "others", nargs="+", metavar="B", help="another one")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_plot(parser)


def run(arguments: argparse.Namespace) -> int:
    from digitduels.lab.prose import comparison

    check_plot(arguments.plot)
    games = [read_game(name, []) for name in (arguments.first, *arguments.others)]
    reports = [report_on(game) for game in games]
    console = Console()
    if arguments.plot is not None:
        from digitduels.plots import draw_reports

        save_plot(draw_reports(reports), arguments.plot)
    if arguments.json:
        console.write(json.dumps({"version": 1, "reports": [report.to_dict() for report in reports]}, indent=1))
        return 0
    rows = comparison(reports)
    names = [f"({chr(ord('A') + index)})" for index in range(len(reports))]
    console.say(*(f"{name} {title}" for name, title in zip(names, rows[0][1:], strict=True)), "")
    console.say(*columns([["", *names], *rows[1:]]))
    say_plot(console, arguments.plot)
    return 0
