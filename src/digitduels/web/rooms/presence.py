"""Who is there: people who watch their game or do something in it, noted in the database now and then."""

from __future__ import annotations

import time

from digitduels.web.rooms.feed import Hub
from digitduels.web.rooms.live import Away, LiveRoom
from digitduels.web.store import Glance, Store

SEEN = 20.0  # seconds after which a person who is still there is noted again


class Presence:
    """Who was seen, and who counts as away."""

    def __init__(self, store: Store, hub: Hub, seconds: float) -> None:
        self._store, self._hub, self._seconds = store, hub, seconds
        self._arrived: set[tuple[str, int]] = set()

    def arrive(self, live: LiveRoom, seat: int) -> None:
        """Somebody shows a token of a seat."""
        now = time.time()
        if live.seen.get(seat, 0.0) < now - SEEN:
            live.seen[seat] = now
            self._arrived.add((live.room.id, seat))

    def learn(self, live: LiveRoom, glance: Glance) -> None:
        """Takes over when people were seen, but for those who have come since it was noted."""
        for seat, at in glance.seen:
            if (live.room.id, seat) not in self._arrived:
                live.seen[seat] = at

    def away(self, live: LiveRoom) -> Away:
        return live.away(self._since)

    def away_at(self, glance: Glance) -> Away:
        """Who is away by what the database knows."""
        gone = {seat for seat, seen in glance.seen if seen < self._since}
        return 0 in gone, 1 in gone

    @property
    def _since(self) -> float:
        """Who was not seen since then is away."""
        return time.time() - self._seconds

    async def note_arrivals(self) -> None:
        arrived, self._arrived = self._arrived, set()
        if arrived:
            await self._store.see(arrived, time.time())

    async def note_watchers(self) -> None:
        people = self._hub.people()
        if people:
            await self._store.see(people, time.time())
