"""`--plot`: draws a picture in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from digitduels import files
from digitduels.cli.console import Console
from digitduels.cli.errors import quoted_path, usage
from digitduels.cli.extras import require
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def add_plot(parser: Parser) -> None:
    """Adds `--plot`."""
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a picture in this .svg or .png file")


def check_plot(path: Path | None) -> None:
    """Rejects a plot that cannot be drawn, before any work is done."""
    if path is None:
        return
    if path.suffix.lower() not in (".svg", ".png"):
        usage(f"--plot draws an SVG or a PNG: the file must end in .svg or .png, not {quoted_path(path.name)}.")
    require("matplotlib", "--plot")


def save_plot(figure: Figure, path: Path) -> None:
    from digitduels.plots import render

    with write_errors(path):
        files.write(path, render(figure, path.suffix))


def say_plot(console: Console, path: Path | None) -> None:
    if path is not None:
        console.say("", f"The picture is in {quoted_path(path)}.")
