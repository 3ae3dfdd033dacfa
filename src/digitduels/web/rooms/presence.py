"""Presence: which players are watching their game or acting in it, saved to the database from time to time."""

from __future__ import annotations

import time

from digitduels.web.rooms.feed import Hub
from digitduels.web.rooms.live import Away, LiveRoom
from digitduels.web.store import Glance, Store

SEEN = 20.0  # seconds after which the presence of a player is saved again


class Presence:
    """When players were last seen, and which of them count as away."""

    def __init__(self, store: Store, hub: Hub, seconds: float) -> None:
        self._store, self._hub, self._seconds = store, hub, seconds
        self._arrived: set[tuple[str, int]] = set()

    def arrive(self, live: LiveRoom, seat: int) -> None:
        """Records that the player in a seat has sent a request."""
        now = time.time()
        if live.seen.get(seat, 0.0) < now - SEEN:
            live.seen[seat] = now
            self._arrived.add((live.room.id, seat))

    def learn(self, live: LiveRoom, glance: Glance) -> None:
        """Adopts the times in the database, except for players whose arrival here is not saved yet."""
        for seat, at in glance.seen:
            if (live.room.id, seat) not in self._arrived:
                live.seen[seat] = at

    def away(self, live: LiveRoom) -> Away:
        return live.away(self._since)

    def away_at(self, glance: Glance) -> Away:
        """Which players are away according to the database."""
        gone = {seat for seat, seen in glance.seen if seen < self._since}
        return 0 in gone, 1 in gone

    @property
    def _since(self) -> float:
        """Players who have not been seen since this time are away."""
        return time.time() - self._seconds

    async def note_arrivals(self) -> None:
        """Saves which players have sent a request since the last call."""
        arrived, self._arrived = self._arrived, set()
        if arrived:
            await self._store.see(arrived, time.time())

    async def note_watchers(self) -> None:
        """Saves which players are watching their games."""
        people = self._hub.people()
        if people:
            await self._store.see(people, time.time())
