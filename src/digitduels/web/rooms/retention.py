"""Retention: deletes games that nobody joined or that ended long ago, and closes games that nobody plays."""

from __future__ import annotations

import time

from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.live import LiveRoom
from digitduels.web.rooms.opponents import Apply
from digitduels.web.rooms.state import Room
from digitduels.web.settings import Settings
from digitduels.web.streams.fold import Resolution
from digitduels.web.streams.periodic import Clock, PeriodicTasks
from digitduels.web.streams.store import Query, Store

DAY = 86400.0
HOUR = 3600.0


class Retention:
    """Deletes and closes games, once the clock has been steady for the grace period."""

    def __init__(self, store: Store, settings: Settings, clock: Clock, background: PeriodicTasks, apply: Apply) -> None:
        self._store, self._settings, self._clock, self._background = store, settings, clock, background
        self._apply = apply

    async def sweep(self) -> None:
        """Deletes and closes all games that have reached their age limit."""
        grace = self._settings.grace * HOUR
        if await self._clock.trusted(grace, grace):
            for work in (self._delete_unjoined, self._delete_ended, self._close_idle):
                await self._background.attempt(work)

    async def _delete_unjoined(self) -> None:
        await self._store.expire(Query.UNJOINED, time.time() - self._settings.unjoined * DAY)

    async def _delete_ended(self) -> None:
        await self._store.expire(Query.ENDED, time.time() - self._settings.retention * DAY)

    async def _close_idle(self) -> None:
        now = time.time()
        before = now - self._settings.idle * DAY

        async def close(live: LiveRoom) -> Resolution[Room] | None:
            return acts.close(live.value, before, now)

        closed = 1
        while closed:
            closed = 0
            for id in await self._store.find(Query.IDLE, before):
                try:
                    closed += await self._apply(id, close) is not None
                except Refusal:  # this server cannot replay it, and has marked it as broken
                    closed += 1
