"""The services behind the routes, and how they start and stop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial

from starlette.requests import Request

from digitduels.web.classes.allowances import Allowances
from digitduels.web.classes.service import ClassService
from digitduels.web.http.metrics import Metrics
from digitduels.web.reach import Reach
from digitduels.web.rooms.service import RoomService
from digitduels.web.sender import Sender
from digitduels.web.settings import Settings
from digitduels.web.streams.connect import open_store
from digitduels.web.streams.store import Store, StoreError
from digitduels.web.workers.supervisor import Supervisor

PROBE_SECONDS = 1.0  # between two writes that show whether the database is writable


class Probe:
    """Writes to the database to see whether that works, at most once a second for all requests together."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = asyncio.Lock()
        self._last = -PROBE_SECONDS, False

    async def is_writable(self) -> bool:
        """Whether the database completes a write within two seconds."""
        async with self._lock:
            at, writable = self._last
            if time.monotonic() - at >= PROBE_SECONDS:
                writable = False
                with suppress(StoreError, TimeoutError):
                    async with asyncio.timeout(2):
                        await self._store.check()
                        writable = True
                self._last = time.monotonic(), writable
            return writable


class Runtime:
    """Everything that the routes of one server need. The rooms, the classes and the probe exist while it runs."""

    probe: Probe
    rooms: RoomService
    classes: ClassService

    def __init__(
        self, settings: Settings, stopping: asyncio.Event, workers: Supervisor | None, bound: tuple[str, int]
    ) -> None:
        self.settings, self.stopping = settings, stopping
        self.workers = workers or Supervisor(settings)
        self.metrics, self.allowances = Metrics(), Allowances()
        self.reach = Reach(settings, *bound)

    @asynccontextmanager
    async def running(self, _: object = None) -> AsyncIterator[None]:
        """Starts the workers, the store and the services, and stops them in the end."""
        metrics, stopping = self.metrics, self.stopping
        async with AsyncExitStack() as stack:
            workers = await stack.enter_async_context(self.workers)
            for name, pool in workers.pools.items():
                waiting, killed = (partial(getattr, pool, count) for count in ("waiting", "killed"))
                metrics.gauge("questions_open", "Questions to workers without an answer yet.", waiting, pool=name)
                metrics.counter("workers_killed_total", "Workers that crashed or were killed.", killed, pool=name)
            store = await asyncio.to_thread(open_store, self.settings.database)
            store.observe = metrics.database.observe
            self.probe = Probe(store)
            rooms = self.rooms = RoomService(store, workers, self.settings, stopping)
            await stack.enter_async_context(rooms)
            classes = self.classes = ClassService(store, rooms, workers.ask, self.settings, self.allowances)
            classes.start()
            metrics.gauge("streams_open", "Open live feeds.", lambda: rooms.hub.feeds + classes.hub.feeds)
            metrics.gauge("classes_live", "Classes in memory.", lambda: len(classes.cache))
            metrics.gauge("rooms_live", "Games in memory.", lambda: len(rooms.cache))
            metrics.gauge("database_waiting", "Requests waiting for the database.", lambda: store.waiting)
            failures = "Failures of background tasks."
            metrics.counter("background_failures_total", failures, lambda: rooms.background.failures)
            yield


def runtime_of(request: Request) -> Runtime:
    """Returns the runtime of the server that got a request."""
    runtime: Runtime = request.scope["runtime"]
    return runtime


def sender_of(request: Request) -> Sender:
    """Returns the sender of a request."""
    sender: Sender = request.scope["sender"]
    return sender
