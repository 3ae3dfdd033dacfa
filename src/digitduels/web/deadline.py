"""A timeout that many tasks share, with a single timer.

A timer per request hardly ever fires, but costs more than reading the request.
"""

from __future__ import annotations

import asyncio
from typing import Any


class Deadline:
    """Raises TimeoutError in a `with` block that takes too long. A task may be in one such block at a time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends: dict[asyncio.Task[Any], float] = {}
        """The deadline of each task. All tasks have the same timeout, so the deadlines are in order."""
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._ends[task] = end = loop.time() + self.seconds
        if self._timer is None:
            self._timer = loop.call_at(end, self._cancel_overdue, loop)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        task = asyncio.current_task()
        assert task is not None
        in_time = self._ends.pop(task, None) is not None
        # If the task was also cancelled for another reason, it stays cancelled.
        if not in_time and task.uncancel() == 0 and kind is asyncio.CancelledError:
            raise TimeoutError

    def _cancel_overdue(self, loop: asyncio.AbstractEventLoop) -> None:
        """Cancels the tasks past their deadlines, and sets the timer for the next deadline."""
        self._timer = None
        for task, end in list(self._ends.items()):
            if end > loop.time():
                self._timer = loop.call_at(end, self._cancel_overdue, loop)
                return
            del self._ends[task]
            task.cancel()
