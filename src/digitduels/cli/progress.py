"""Progress bars for long tasks, and warnings as single lines."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import digitduels
from digitduels.cli.console import complain
from digitduels.games import AnyGame
from digitduels.solver import Progress, Solution
from digitduels.solver.solution_cache import SolutionCache


@contextmanager
def show_progress(title: str) -> Iterator[Progress | None]:
    """Shows a progress bar on a terminal, and prints the warnings at the end, one per line."""
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
    with bars.Progress(
        *columns, bars.TimeRemainingColumn(), console=terminal, transient=True, disable=terminal.is_dumb_terminal
    ) as bar:
        task = bar.add_task(f"{title}: preparing", total=None)
        yield lambda step, done: bar.update(task, description=f"{title}: {step}", completed=done, total=1.0)


def solve(game: AnyGame, limit: int | None = None) -> Solution:
    """Solves a game, or loads its solution, with a progress bar."""
    with show_progress(game.title) as progress:
        return digitduels.solve(game, limit=limit, progress=progress)


solution_of = SolutionCache(solve=solve)
"""The solutions of this process, each solved once."""
