"""Servers for tests without worker processes: they answer every question themselves, and start at once."""

from __future__ import annotations

import asyncio
import json
import threading
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from digitduels.web.settings import Settings
from digitduels.web.workers.supervisor import Supervisor, Urgency, WorkerPool, decode

if TYPE_CHECKING:
    from digitduels.solver.solution_cache import SolutionCache

_one_at_a_time = threading.Lock()


class NoProcesses(WorkerPool):
    """Answers like a worker, in a thread of the server's own process, without time limits."""

    def __init__(self) -> None:
        super().__init__(0, 0, 0.0)

    async def ask(
        self, question: bytes, urgency: Urgency = Urgency.QUICK, seconds: float | None = None, asker: str = ""
    ) -> Any:
        return decode(await asyncio.to_thread(answer, question))


def answer(question: bytes) -> bytes:
    """The line that a worker would answer."""
    from digitduels.web.workers import process  # imports NumPy, which most tests do without

    with _one_at_a_time:
        return json.dumps(process.answer(json.loads(question), solutions())).encode()


@cache
def solutions() -> SolutionCache:
    """The solutions that all servers of a process share, and tests that compare with them."""
    from digitduels.solver.solution_cache import SolutionCache
    from digitduels.web.workers import process

    return SolutionCache(20, partial(process.solve, limit=Settings.variant_memory << 20))


class NoWorkers(Supervisor):
    """For tests of everything but the worker processes, which take seconds to start. Tables count as ready."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.books = self.variants = self.searches = NoProcesses()

    async def _warm(self) -> None:
        for ready in self.ready.values():
            ready.set()


class OnlyBooks(NoWorkers):
    """Real workers for games by the book, which start sooner than the worker for variants."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.books = WorkerPool(
            settings.workers, settings.queue, float(settings.variant_timeout), settings.variant_memory << 20
        )
