"""Progress bars for long tasks, and warnings as single lines."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import NoReturn, TypeVar

import digitduels
from digitduels.cli.console import complain
from digitduels.cli.errors import FAILURE, INTERRUPTED, Failure
from digitduels.games import AnyGame
from digitduels.solver import Progress, Solution, Unsolvable
from digitduels.solver.solution_cache import SolutionCache

_MOMENT = 1.0  # seconds
_SOLVING = 0.05  # of the time until a solution is verified

Result = TypeVar("Result")


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

        def update(step: str, done: float) -> None:
            bar.update(task, description=f"{title}: {step}" if step else title, completed=done, total=1.0)

        yield update


def interruptible(task: Callable[[], Result]) -> Result:
    """Runs a long computation in another thread, so that Ctrl-C ends the wait for it at once.

    In the main thread, kernels delay Ctrl-C until they return, which can take many seconds.
    """
    future: Future[Result] = Future()

    def work() -> None:
        try:
            future.set_result(task())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    while not future.done():
        with suppress(TimeoutError):
            future.exception(_MOMENT)
    return future.result()


def stop(message: str) -> NoReturn:
    """Ends the program after Ctrl-C with a message, without waiting for the threads of an abandoned computation."""
    complain(message)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED)


def solve(game: AnyGame, limit: int | None = None) -> Solution:
    """Solves a game, or loads its solution, with a progress bar."""
    try:
        with show_progress(f"Solving {game.title}, only the first time") as progress:
            return digitduels.solve(game, limit=limit, progress=progress and _whole(progress))
    except Unsolvable as error:
        raise Failure(FAILURE, str(error)) from None


def _whole(progress: Progress) -> Progress:
    """One bar without steps for solving a game, which takes much less time than verifying the solution."""
    start = {"solving": 0.0, "checking": _SOLVING}
    share = {"solving": _SOLVING, "checking": 1 - _SOLVING}
    return lambda step, done: progress("", start[step] + share[step] * done)


solution_of = SolutionCache(solve=solve)
"""The solutions of this process, each solved once."""
