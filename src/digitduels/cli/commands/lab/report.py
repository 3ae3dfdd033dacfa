"""`duels lab report`: measures one rule set."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
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
    check_plot(arguments.plot)
    console = Console()

    def say(lines: list[str]) -> None:
        if not arguments.json:
            for line in lines:
                console.say_wrapped(line, 4)

    report = report_on(read_game(arguments.game, arguments.set, arguments.rules), arguments.limit, say)
    if arguments.plot is not None:
        from digitduels.plots import draw_reports

        save_plot(draw_reports([report]), arguments.plot)
    if arguments.json:
        console.write(json.dumps({"version": 1, **report.to_dict()}, indent=1))
    else:
        say_plot(console, arguments.plot)
    return 0


def report_on(game: AnyGame, limit: int | None = None, say: Callable[[list[str]], None] = lambda _: None) -> Report:
    """The report on a rule set: the stored one, or a new one with progress bars. `say` gets each part when known."""
    from digitduels.lab.measures import Measurement
    from digitduels.lab.prose import measure_lines, outline_lines, wobble_line
    from digitduels.lab.stored_reports import stored_report
    from digitduels.solver import solve

    stored = stored_report(game)
    if stored is not None:
        say([*outline_lines(stored), *measure_lines(stored), wobble_line(stored)])
        return stored
    try:
        with show_progress(game.title) as progress:
            measurement = interruptible(lambda: Measurement(solve(game, cache=False, limit=limit, progress=progress)))
            outline = interruptible(lambda: measurement.outline)
        say(outline_lines(outline))
        with show_progress(game.title) as progress:
            report = interruptible(lambda: measurement.report(progress=progress))
        say(measure_lines(report))
        with show_progress(f"{game.title}: how much the gauges depend on our levels") as progress:
            wobble = interruptible(lambda: measurement.wobble(report, progress))
        whole = replace(report, wobble=wobble)
        say([wobble_line(whole)])
        return whole
    except KeyboardInterrupt:
        stop("Stopped. The unfinished report is lost.")
