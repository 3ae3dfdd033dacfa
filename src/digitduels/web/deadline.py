"""A time limit for many tasks at once, with one timer for all of them.

A timer of its own for each request, which hardly ever runs out, costs more than reading the request.
"""

from __future__ import annotations

import asyncio
from typing import Any


class Deadline:
    """Ends with TimeoutError what a task does `with` it, if it takes too long. A task enters it once at a time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends: dict[asyncio.Task[Any], float] = {}
        """When the time of each task is up. All have the same time, so the first to enter comes first."""
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._ends[task] = end = loop.time() + self.seconds
        if self._timer is None:
            self._timer = loop.call_at(end, self._look, loop)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        task = asyncio.current_task()
        assert task is not None
        in_time = self._ends.pop(task, None) is not None
        # A task that somebody else has cancelled as well stays cancelled.
        if not in_time and task.uncancel() == 0 and kind is asyncio.CancelledError:
            raise TimeoutError

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Cancels the tasks whose time is up, and looks again when the time of the next one is."""
        self._timer = None
        for task, end in list(self._ends.items()):
            if end > loop.time():
                self._timer = loop.call_at(end, self._look, loop)
                return
            del self._ends[task]
            task.cancel()
