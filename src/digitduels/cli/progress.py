"""Progress bars for long tasks, and warnings as single lines."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import digitduels
from digitduels.cli.console import complain
from digitduels.games import AnyGame
from digitduels.solver import Progress, Solution
from digitduels.solver.solution_cache import SolutionCache

_MOMENT = 1.0  # seconds


@contextmanager
def show_progress(title: str) -> Iterator[Progress | None]:
    """Shows a progress bar on a terminal, and prints the warnings at the end, one per line.

    A dumb terminal shows the title instead, if the task takes longer than a moment.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        try:
            if sys.stderr.isatty():
                with _bar(title) as progress:
                    yield progress
            else:
                yield None
        finally:
            for warning in caught:
                complain(warning.message)


@contextmanager
def _bar(title: str) -> Iterator[Progress]:
    """A progress bar that disappears at the end."""
    from rich import progress as bars
    from rich.console import Console

    columns = bars.TextColumn("{task.description}"), bars.BarColumn(), bars.TaskProgressColumn()
    terminal = Console(stderr=True)
    if terminal.is_dumb_terminal:
        notice = threading.Timer(_MOMENT, complain, [f"{title}. Please wait…"])
        notice.start()
        try:
            yield lambda *_: None
        finally:
            notice.cancel()
        return
    with bars.Progress(*columns, console=terminal, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda step, done: bar.update(task, description=f"{title}: {step}", completed=done, total=1.0)


def solve(game: AnyGame, limit: int | None = None) -> Solution:
    """Solves a game, or loads its solution, with a progress bar."""
    with show_progress(f"Solving {game.title}, only the first time") as progress:
        return digitduels.solve(game, limit=limit, progress=progress)


solution_of = SolutionCache(solve=solve)
"""The solutions of this process, each solved once."""
