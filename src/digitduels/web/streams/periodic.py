"""Supervised periodic tasks: an exception is logged with its cause, and the task runs again."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable

from digitduels.web.logs import event
from digitduels.web.refusal import Refusal
from digitduels.web.streams.store import StoreError

JUMP = 30.0  # seconds of drift between the wall clock and the monotonic clock that count as a jump
CLOCK_SECONDS = 10.0  # between comparisons of the two
_rng = random.Random()  # not the global one, whose sequence belongs to the program around the server

Work = Callable[[], Awaitable[None]]


class PeriodicTasks:
    """The periodic tasks of one server process."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self.failures = 0
        """How many runs have failed."""

    def every(self, seconds: float, work: Work) -> None:
        """Runs `work` now, and again about every `seconds` seconds, until `stop`."""
        self._tasks.append(asyncio.create_task(self._every(seconds, work)))

    async def attempt(self, work: Work) -> None:
        """Runs `work` once, and logs any failure."""
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
            await asyncio.sleep(seconds * _rng.uniform(0.9, 1.1))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class Clock:
    """Detects jumps of the machine's clock, and measures the time since the last one."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()
        self._started = time.monotonic()
        self._jumped: float | None = None

    async def look(self) -> None:
        """Compares the wall clock with the monotonic clock, and logs a jump."""
        offset = time.time() - time.monotonic()
        jump = offset - self._offset
        if abs(jump) > JUMP:
            event("clock", logging.WARNING, jumped_seconds=round(jump))
            self._jumped = time.monotonic()
        self._offset = offset

    async def trusted(self, after_start: float, after_jump: float) -> bool:
        """Whether enough seconds have passed since the server started, and since the clock last jumped."""
        await self.look()
        now = time.monotonic()
        return now - self._started >= after_start and (self._jumped is None or now - self._jumped >= after_jump)
