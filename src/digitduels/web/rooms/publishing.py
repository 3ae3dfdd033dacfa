"""Tells the watchers of a game how it is now: after every act here, and after what other processes did."""

from __future__ import annotations

import asyncio

from digitduels.web.refusal import Refusal
from digitduels.web.rooms.feed import Hub
from digitduels.web.rooms.live import Away, LiveRoom, LiveRooms
from digitduels.web.rooms.periodic import PeriodicTasks
from digitduels.web.rooms.presence import Presence
from digitduels.web.store import Store


class Publisher:
    """Knows what the watchers of each game were told last."""

    def __init__(self, store: Store, hub: Hub, rooms: LiveRooms, presence: Presence, background: PeriodicTasks) -> None:
        self._store, self._hub, self._rooms, self._presence = store, hub, rooms, presence
        self._background = background
        self._told: dict[str, tuple[int, Away]] = {}
        self._stale: set[str] = set()
        self._wake = asyncio.Event()

    def publish(self, live: LiveRoom) -> None:
        """Tells the watchers of a game, if there is news for them."""
        id = live.room.id
        if id not in self._hub.watched:
            return
        away = self._presence.away(live)
        if self._told.get(id) != (live.room.head, away):
            self._told[id] = live.room.head, away
            self._hub.publish(id, live.room.head, live.state(away))

    def first(self, live: LiveRoom) -> tuple[int, bytes]:
        """What a new watcher is told."""
        away = self._presence.away(live)
        self._told.setdefault(live.room.id, (live.room.head, away))
        return live.room.head, live.state(away)

    def hear(self, changed: dict[str, int] | None) -> None:
        """Another process may have changed these games, or any."""
        if changed is None:
            self._stale.update(self._hub.watched)
        else:
            for id, head in changed.items():
                if id in self._hub.watched and self._told.get(id, (0,))[0] < head:
                    self._stale.add(id)
        if self._stale:
            self._wake.set()

    async def look(self) -> None:
        """Compares what the watchers were told with the database."""
        watched = list(self._hub.watched)
        self._told = {id: told for id, told in self._told.items() if id in self._hub.watched}
        if not watched:
            return
        glances = await self._store.glance(watched)
        for id in watched:
            glance = glances.get(id)
            if glance is None:
                self._end(id)
                continue
            live = self._rooms.known(id)
            if live is not None:
                self._presence.learn(live, glance)
            away = self._presence.away_at(glance) if live is None else self._presence.away(live)
            if self._told.get(id) != (glance.head, away):
                self._stale.add(id)
        if self._stale:
            self._wake.set()

    async def refresh(self) -> None:
        """Tells the watchers of games that may have changed; waits until there are any."""
        await self._wake.wait()
        self._wake.clear()
        while self._stale:
            id = self._stale.pop()

            async def refresh_game(id: str = id) -> None:
                await self._refresh(id)

            await self._background.attempt(refresh_game)

    async def _refresh(self, id: str) -> None:
        told = self._told.pop(id, None)  # if this fails, the next look tries again
        try:
            live = await self._rooms.current(id)
        except Refusal as refusal:
            if refusal.status != 404:
                raise
            self._end(id)
            return
        if told is not None:
            self._told[id] = told
        self.publish(live)

    def _end(self, id: str) -> None:
        self._rooms.drop(id)
        self._hub.end(id)
