"""An event loop whose clock jumps to the next timer: tests of timeouts take no time, and no machine is too slow."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
FOR_EVER = 1e7  # virtual seconds
TURNS = 10_000  # of the event loop


class _Jumping(selectors.DefaultSelector):
    """Advances its clock by each timeout instead of waiting for it."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0 if timeout else timeout)
        if not ready and timeout:
            self.now += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Jumping()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that uses neither threads nor sockets, in virtual time. If it waits for ever, it times out."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(asyncio.wait_for(main, FOR_EVER))


async def until(condition: Callable[[], object]) -> None:
    """Lets other tasks run until a condition is true."""
    for _ in range(TURNS):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never happened")
