"""Servers for tests without worker processes: they answer every question themselves, and start at once."""

from __future__ import annotations

import asyncio
import json
import threading
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from digitduels.match import Match
from digitduels.record import to_record
from digitduels.web.workers.supervisor import Supervisor, Urgency, decode

if TYPE_CHECKING:
    from digitduels.solver.library import Library

_one_at_a_time = threading.Lock()


class NoWorkers(Supervisor):
    """Answers like a worker, in a thread of the server's own process, without time limits. Its tables count as ready.

    For tests of everything but the worker processes, which take seconds to start.
    """

    async def __aenter__(self) -> NoWorkers:
        for ready in self.ready.values():
            ready.set()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._aside.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, urgency: Urgency, name: str, match: Match, **arguments: Any) -> Any:
        question = json.dumps({"ask": name, "record": to_record(match), "with": arguments})
        return decode(await asyncio.to_thread(answer, question))


class OnlyBooks(Supervisor):
    """Real workers for games by the book, which start sooner than the worker for variants. No tables are prepared."""

    async def __aenter__(self) -> OnlyBooks:
        self.books.start()
        for ready in self.ready.values():
            ready.set()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._aside.shutdown(wait=False, cancel_futures=True)
        await self.books.stop()


def answer(question: str) -> bytes:
    """The line that a worker would answer."""
    from digitduels.web.workers import process  # imports NumPy, which most tests do without

    with _one_at_a_time:
        return json.dumps(process.answer(json.loads(question), solutions())).encode()


@cache
def solutions() -> Library:
    """The solutions that all servers of a process share."""
    from digitduels.solver.library import Library
    from digitduels.web.settings import Settings
    from digitduels.web.workers import process

    return Library(process.VARIANTS, partial(process.solve, limit=Settings.memory << 20))
