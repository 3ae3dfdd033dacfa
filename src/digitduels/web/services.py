"""The services behind the routes, and how they start and stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from starlette.requests import Request

from digitduels.web.classes.allowances import Allowances
from digitduels.web.classes.class_service import ClassService
from digitduels.web.http.metrics import Metrics
from digitduels.web.rooms.service import RoomService
from digitduels.web.sender import Sender
from digitduels.web.settings import Settings
from digitduels.web.store import Store, open_store
from digitduels.web.workers.supervisor import Supervisor


class Services:
    """Everything that the routes of one server need. The rooms, the classes and the store exist while it runs."""

    store: Store
    rooms: RoomService
    classes: ClassService

    def __init__(self, settings: Settings, stopping: asyncio.Event, workers: Supervisor | None) -> None:
        self.settings, self.stopping = settings, stopping
        self.workers = workers or Supervisor(settings)
        self.metrics, self.allowances = Metrics(), Allowances()

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
            store = self.store = await asyncio.to_thread(open_store, self.settings.database)
            store.observe = metrics.database.observe
            rooms = self.rooms = RoomService(store, workers, self.settings, stopping)
            await stack.enter_async_context(rooms)
            classes = self.classes = ClassService(store, rooms, workers.ask, self.settings, self.allowances)
            classes.start()
            metrics.gauge("streams_open", "Open live feeds.", lambda: rooms.hub.streams + classes.streams)
            metrics.gauge("classes_live", "Classes in memory.", lambda: len(classes))
            metrics.gauge("rooms_live", "Games in memory.", lambda: len(rooms.live))
            metrics.gauge("database_waiting", "Requests waiting for the database.", lambda: store.waiting)
            failures = "Failures of background tasks."
            metrics.counter("background_failures_total", failures, lambda: rooms.background.failures)
            yield


def services_of(request: Request) -> Services:
    """Returns the services of the server that got a request."""
    services: Services = request.scope["services"]
    return services


def sender_of(request: Request) -> Sender:
    """Returns the sender of a request."""
    sender: Sender = request.scope["sender"]
    return sender
