"""`duels lab report`: measures one rule set."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from digitduels.cli.arguments import add_game, add_options, read_game, size
from digitduels.cli.console import Console
from digitduels.cli.parser import Parser
from digitduels.cli.plot_argument import add_plot, check_plot, save_plot, say_plot
from digitduels.cli.progress import interruptible, show_progress, stop
from digitduels.games import AnyGame

if TYPE_CHECKING:
    from digitduels.lab.measures import Report

EXAMPLES = (
    "duels lab report number-duel",
    "duels lab report number-quest --set target=60 --plot quest.png",
)


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_plot(parser)
    parser.add_argument("--limit", type=size, metavar="SIZE", help="the memory it may use, such as 8GiB")
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from digitduels.lab.prose import report_lines

    check_plot(arguments.plot)
    report = report_on(read_game(arguments.game, arguments.set, arguments.rules), arguments.limit)
    console = Console()
    if arguments.plot is not None:
        from digitduels.plots import draw_reports

        save_plot(draw_reports([report]), arguments.plot)
    if arguments.json:
        console.write(json.dumps({"version": 1, **report.to_dict()}, indent=1))
        return 0
    for line in report_lines(report):
        console.say_wrapped(line, 4)
    say_plot(console, arguments.plot)
    return 0


def report_on(game: AnyGame, limit: int | None = None) -> Report:
    """The report on a rule set: the stored one, or a new one with a progress bar."""
    from digitduels.lab.measures import measure
    from digitduels.lab.stored_reports import stored_report

    stored = stored_report(game)
    if stored is not None:
        return stored
    try:
        with show_progress(game.title) as progress:
            return interruptible(lambda: measure(game, limit=limit, progress=progress))
    except KeyboardInterrupt:
        stop("Stopped. The unfinished report is lost.")
