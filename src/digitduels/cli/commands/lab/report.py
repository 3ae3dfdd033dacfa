"""`duels lab report`: measures one rule set."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from digitduels import files
from digitduels.cli.arguments import add_game, add_options, read_game, size
from digitduels.cli.console import Console
from digitduels.cli.errors import FAILURE, INTERRUPTED, Failure, quoted_path, usage
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser
from digitduels.cli.progress import show_progress
from digitduels.games import AnyGame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def add_plot(parser: Parser) -> None:
    """Adds `--plot`."""
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a picture in this .svg or .png file")


def run(arguments: argparse.Namespace) -> int:
    from digitduels.lab.figures import draw_report
    from digitduels.lab.prose import report_lines

    check_plot(arguments.plot)
    report = report_on(read_game(arguments.game, arguments.set, arguments.rules), arguments.limit)
    console = Console()
    if arguments.plot is not None:
        save_plot(draw_report([report]), arguments.plot)
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
            return measure(game, limit=limit, progress=progress)
    except KeyboardInterrupt:
        raise Failure(INTERRUPTED, "Stopped. The unfinished report is lost.") from None


def check_plot(path: Path | None) -> None:
    """Rejects a plot that cannot be drawn, before any work is done."""
    if path is None:
        return
    if path.suffix.lower() not in (".svg", ".png"):
        usage(f"--plot draws an SVG or a PNG: the file must end in .svg or .png, not {quoted_path(path.name)}.")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise Failure(FAILURE, "--plot requires Matplotlib: pip install 'digitduels[plots]'.") from None


def save_plot(figure: Figure, path: Path) -> None:
    from digitduels.lab.figures import rendered

    with write_errors(path):
        files.write(path, rendered(figure, path))


def say_plot(console: Console, path: Path | None) -> None:
    if path is not None:
        console.say("", f"The picture is in {quoted_path(path)}.")
