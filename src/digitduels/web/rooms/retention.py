"""Retention: deletes games that nobody joined or that ended long ago, and closes games that nobody plays."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.acts import Resolution
from digitduels.web.rooms.live import LiveRoom
from digitduels.web.rooms.periodic import Clock
from digitduels.web.settings import Settings
from digitduels.web.store import Store

DAY = 86400.0
HOUR = 3600.0

Play = Callable[[str, Callable[[LiveRoom], Resolution | None]], Awaitable[Resolution | None]]


class Retention:
    """Deletes and closes games, once the clock has been steady for the grace period."""

    def __init__(self, store: Store, settings: Settings, clock: Clock, play: Play) -> None:
        self._store, self._settings, self._clock, self._play = store, settings, clock, play

    async def sweep(self) -> None:
        """Deletes and closes all games that have reached their age limit."""
        settings = self._settings
        if not await self._clock.trusted(settings.grace * HOUR, settings.grace * HOUR):
            return
        now = time.time()
        while await self._store.forget(now - settings.unjoined * DAY):
            pass
        while await self._store.expire(now - settings.retention * DAY):
            pass
        before = now - settings.idle * DAY
        closed = 1
        while closed:
            closed = 0
            for id in await self._store.idle(before):
                try:
                    closed += await self._play(id, lambda live: acts.close(live.room, before, now)) is not None
                except Refusal:  # this server cannot replay it, and has marked it as broken
                    closed += 1
