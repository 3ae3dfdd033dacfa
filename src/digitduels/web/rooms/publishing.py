"""Publishes the state of a game to its watchers, after acts in this process and after changes by other processes."""

from __future__ import annotations

import asyncio

from digitduels.web.refusal import Refusal
from digitduels.web.rooms.feed import Hub
from digitduels.web.rooms.live import Away, LiveRoom, LiveRooms
from digitduels.web.rooms.periodic import PeriodicTasks
from digitduels.web.rooms.presence import Presence
from digitduels.web.store import Store


class Publisher:
    """Remembers what was last published for each game, and publishes what has changed."""

    def __init__(self, store: Store, hub: Hub, rooms: LiveRooms, presence: Presence, background: PeriodicTasks) -> None:
        self._store, self._hub, self._rooms, self._presence = store, hub, rooms, presence
        self._background = background
        self._published: dict[str, tuple[int, Away]] = {}
        self._stale: set[str] = set()
        self._wake = asyncio.Event()

    def publish(self, live: LiveRoom) -> None:
        """Sends the state of a game to its watchers, if it has changed since they last got it."""
        id = live.room.id
        if id not in self._hub.watched:
            return
        away = self._presence.away(live)
        if self._published.get(id) != (live.room.head, away):
            self._published[id] = live.room.head, away
            self._hub.publish(id, live.room.head, live.state(away))

    def first_state(self, live: LiveRoom) -> tuple[int, bytes]:
        """The version and the state that a new watcher gets."""
        away = self._presence.away(live)
        self._published.setdefault(live.room.id, (live.room.head, away))
        return live.room.head, live.state(away)

    def mark_stale(self, changed: dict[str, int] | None) -> None:
        """Queues games for `refresh`: those with a newer version than was published, or all of them for None."""
        if changed is None:
            self._stale.update(self._hub.watched)
        else:
            for id, head in changed.items():
                if id in self._hub.watched and self._published.get(id, (0,))[0] < head:
                    self._stale.add(id)
        if self._stale:
            self._wake.set()

    async def poll(self) -> None:
        """Compares what was published with the database, and queues outdated games for `refresh`."""
        watched = list(self._hub.watched)
        self._published = {id: last for id, last in self._published.items() if id in self._hub.watched}
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
            if self._published.get(id) != (glance.head, away):
                self._stale.add(id)
        if self._stale:
            self._wake.set()

    async def refresh(self) -> None:
        """Waits until games are queued, then publishes their current states."""
        await self._wake.wait()
        self._wake.clear()
        while self._stale:
            id = self._stale.pop()

            async def refresh_game(id: str = id) -> None:
                await self._refresh(id)

            await self._background.attempt(refresh_game)

    async def _refresh(self, id: str) -> None:
        last = self._published.pop(id, None)  # if this fails, the next poll tries again
        try:
            live = await self._rooms.current(id)
        except Refusal as refusal:
            if refusal.status != 404:
                raise
            self._end(id)
            return
        if last is not None:
            self._published[id] = last
        self.publish(live)

    def _end(self, id: str) -> None:
        self._rooms.drop(id)
        self._hub.end(id)
