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
from digitduels.web.streams.periodic import Clock
from digitduels.web.streams.store import Query, Store

DAY = 86400.0
HOUR = 3600.0


class Retention:
    """Deletes and closes games, once the clock has been steady for the grace period."""

    def __init__(self, store: Store, settings: Settings, clock: Clock, apply: Apply) -> None:
        self._store, self._settings, self._clock, self._apply = store, settings, clock, apply

    async def sweep(self) -> None:
        """Deletes and closes all games that have reached their age limit."""
        settings = self._settings
        if not await self._clock.trusted(settings.grace * HOUR, settings.grace * HOUR):
            return
        now = time.time()
        await self._store.expire(Query.UNJOINED, now - settings.unjoined * DAY)
        await self._store.expire(Query.ENDED, now - settings.retention * DAY)
        before = now - settings.idle * DAY

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
