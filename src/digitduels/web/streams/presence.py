"""Presence: which members are watching a stream or acting in it, saved to the database from time to time."""

from __future__ import annotations

import time
from typing import Any

from digitduels.web.streams.feed import Hub
from digitduels.web.streams.fold import NOBODY, Away
from digitduels.web.streams.live import Live
from digitduels.web.streams.store import Glance, Store

SEEN = 20.0  # seconds after which the presence of a member is saved again, at most


class Presence:
    """When members were last seen, and which of them count as away."""

    def __init__(self, store: Store, hub: Hub, seconds: float) -> None:
        self._store, self._hub, self._seconds = store, hub, seconds
        self.interval = min(SEEN, seconds / 3)
        """Seconds after which the presence of a member is saved again."""
        self._arrived: set[tuple[str, int]] = set()

    def arrive(self, live: Live[Any], number: int) -> None:
        """Records that a member has sent a request."""
        now = time.time()
        if live.seen.get(number, 0.0) < now - self.interval:
            live.seen[number] = now
            self._arrived.add((live.value.id, number))

    def adopt(self, live: Live[Any], glance: Glance) -> None:
        """Adopts the times in the database, except for members whose arrival here is not saved yet."""
        for number, at in glance.seen.items():
            if (live.value.id, number) not in self._arrived:
                live.seen[number] = at

    def away(self, live: Live[Any]) -> Away:
        """The members who are not watching here and have not been seen for long."""
        return self._away(live.value.id, live.seen)

    def away_at(self, id: str, glance: Glance) -> Away:
        """The members who are away according to the database."""
        return self._away(id, glance.seen)

    def _away(self, id: str, seen: dict[int, float]) -> Away:
        since = time.time() - self._seconds
        gone = [number for number, at in seen.items() if at < since]
        return frozenset(gone) - self._hub.present(id) if gone else NOBODY

    async def save_arrivals(self) -> None:
        """Saves which members have sent a request since the last call."""
        arrived, self._arrived = self._arrived, set()
        if arrived:
            await self._store.record_presence(arrived, time.time())

    async def save_watchers(self) -> None:
        """Saves which members are watching."""
        people = {(id, number) for id in self._hub.watched for number in self._hub.present(id)}
        if people:
            await self._store.record_presence(people, time.time())
