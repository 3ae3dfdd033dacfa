"""Periodic tasks under supervision: whatever one raises is logged with its cause, and the loop goes on."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable

from digitduels.web.logs import event
from digitduels.web.refusal import Refusal
from digitduels.web.store import StoreError

JUMP = 30.0  # seconds by which the clock may differ from the time that has passed
CLOCK_SECONDS = 10.0  # between looks at it

Work = Callable[[], Awaitable[None]]


class PeriodicTasks:
    """The loops of one server process."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self.failures = 0
        """How often a loop failed."""

    def every(self, seconds: float, work: Work) -> None:
        """Does something now and then, for ever."""
        self._tasks.append(asyncio.create_task(self._every(seconds, work)))

    async def attempt(self, work: Work) -> None:
        """Does something once. What goes wrong is written down."""
        name = work.__name__.strip("_")
        try:
            await work()
        except (StoreError, Refusal) as error:
            self.failures += 1
            event("background", logging.WARNING, loop=name, refused=str(error))
        except Exception:
            self.failures += 1
            event("background", logging.ERROR, fault=True, loop=name)

    async def _every(self, seconds: float, work: Work) -> None:
        while True:
            await self.attempt(work)
            await asyncio.sleep(seconds * random.uniform(0.9, 1.1))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class Clock:
    """Notices when the clock of the machine is set, and how long the server has run since then."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()
        self._since = time.monotonic()

    async def look(self) -> None:
        """Compares the clock with the time that has passed."""
        offset = time.time() - time.monotonic()
        jump = offset - self._offset
        if abs(jump) > JUMP:
            event("clock", logging.WARNING, jumped_seconds=round(jump))
            self._since = time.monotonic()
        self._offset = offset

    @property
    def steady(self) -> float:
        """Seconds since the start, or since the clock was set."""
        return time.monotonic() - self._since
