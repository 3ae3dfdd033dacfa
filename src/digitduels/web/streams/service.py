"""The life of a request that changes or watches a stream, the same for rooms and classes.

An act is checked against the cached value, stored, and published after the commit. Changes by other processes arrive as
notifications, or are found by polling.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Generic

from digitduels.web.buckets import Buckets
from digitduels.web.refusal import Refusal
from digitduels.web.settings import Settings
from digitduels.web.streams.feed import Hub, Receive, Send
from digitduels.web.streams.fold import Away, Conflict, Resolution
from digitduels.web.streams.live import Cache, L
from digitduels.web.streams.periodic import PeriodicTasks
from digitduels.web.streams.presence import Presence
from digitduels.web.streams.store import BUSY_STORE, Change, Glance, Store, Stream

LOOK = 2.0  # seconds between polls for changes by other processes, and for members who came or left
MOST_WATCHERS = 200  # live feeds of one stream
MESSAGES = (1000.0, 2000)  # live messages per second and at once, for all streams of a founder; later ones wait
STALE_TRIES = 20  # attempts at an act while other processes keep changing the stream

Rule = Callable[[L], Awaitable[Resolution[Any] | None]]
"""Resolves an act on a stream; None if it changes nothing. Raises Refusal with the reason if it is not allowed."""


class StreamService(ABC, Generic[L]):
    """Runs all streams of one kind in one server process."""

    kind: ClassVar[str]
    missing: ClassVar[str]
    """What somebody is told who asks for a stream that does not exist."""
    most_waiting: ClassVar[int]
    """How many requests may wait for one stream."""
    gather: ClassVar[float] = 0.0
    """Seconds for which changes are collected before `refresh` publishes them."""

    def __init__(self, store: Store, settings: Settings, background: PeriodicTasks) -> None:
        self.store, self.background, self.settings = store, background, settings
        self.hub = Hub()
        self.cache: Cache[L] = Cache(store, self.kind, self.missing, self.load)
        self.cache.on_news, self.cache.on_deletion = self.announce, self.end
        self.presence = Presence(store, self.hub, settings.away)
        self._published: dict[str, tuple[int, Away]] = {}
        """The version that each watched stream was last published with, and who was away."""
        self._stale: dict[str, bool] = {}
        """The streams that `refresh` publishes next, and whether the database may have a newer version."""
        self._wake = asyncio.Event()
        self._messages = Buckets(*MESSAGES if settings.rate else (0.0, 1))

    def start_publishing(self) -> None:
        """Starts the periodic tasks that keep watchers up to date."""
        for seconds, work in (
            (0, self.refresh),
            (LOOK, self.poll),
            (self.presence.interval, self.presence.save_watchers),
        ):
            self.background.every(seconds, work)

    # What each kind of stream plugs in.

    @abstractmethod
    def load(self, stream: Stream) -> L:
        """Replays a stored stream. Raises any exception if the installed rules cannot replay it."""

    @abstractmethod
    async def state_for(self, live: L, view: str) -> bytes:
        """The state of a stream in one view, as JSON. Raises Refusal if the view has become invalid."""

    @abstractmethod
    def states(self, live: L, away: Away) -> dict[str, bytes | None]:
        """The states of a stream in the views of its watchers, as JSON; None for a view that has become invalid."""

    @abstractmethod
    def state(self, live: L) -> bytes:
        """The state of a stream as somebody sees it who acts in it, as JSON."""

    @abstractmethod
    def founder(self, live: L) -> str:
        """Who takes a turn for a stream: the address that started it."""

    @abstractmethod
    async def follow_up(self, live: L, change: Change, heads: dict[str, int]) -> None:
        """Continues after a change has been stored. `heads` are the new versions of the streams in its notices."""

    def announce(self, live: L) -> None:
        """Publishes a new version that this process has seen."""
        self.publish(live)

    async def fresh(self, id: str) -> L:
        """A stream as the database has it."""
        return await self.cache.current(id)

    # Acts.

    async def apply(self, id: str, rule: Rule[L]) -> Resolution[Any] | None:
        """Applies a rule to a stream, stores the change, then publishes it; None if the rule changes nothing.

        The rule first sees the cached value. If the database has a newer version, the rule is applied again to that.
        """
        live = await self.cache.get(id)
        if live.users >= self.most_waiting:
            raise Refusal(503, BUSY_STORE, again=1)
        live.users += 1
        try:
            async with live.lock:
                for _ in range(STALE_TRIES):
                    try:
                        resolution = await rule(live)
                    except Refusal as refusal:
                        if await self.cache.catch_up(live):
                            continue
                        if isinstance(refusal, Conflict):
                            refusal.state = self.state(live)
                        raise
                    if resolution is None and await self.cache.catch_up(live):
                        continue
                    if resolution is None or resolution.change is None:
                        return resolution
                    change = resolution.change
                    heads = await self.store.append(id, change.events[0].version - 1, change)
                    if heads is not None:
                        self.cache.put(live, resolution.value)
                        await self.follow_up(live, change, heads)
                        return resolution
                    await self.cache.catch_up(live)
        finally:
            live.users -= 1
        raise Refusal(503, BUSY_STORE, again=1)

    async def perform(self, id: str, rule: Rule[L]) -> tuple[L, Resolution[Any]]:
        """Applies a rule that always has a result. Returns the stream after it, and the result."""
        resolution = await self.apply(id, rule)
        assert resolution is not None
        return await self.cache.get(id), resolution

    async def glance(self, id: str) -> Glance:
        """The version of a stream in the database, and when its members were seen. Raises Refusal if it is deleted."""
        glance = (await self.store.glance([id])).get(id)
        if glance is None:
            self.end(id)
            raise Refusal(404, self.missing)
        live = self.cache.known(id)
        if live is not None:
            self.presence.adopt(live, glance)
        return glance

    def end(self, id: str) -> None:
        """Removes a deleted stream from memory, and ends its feeds."""
        self.cache.drop(id)
        self.hub.end(id)

    # Watching.

    def require_free_feed(self) -> None:
        """Raises Refusal if too many feeds are open."""
        if self.hub.feeds >= self.settings.streams:
            raise Refusal(503, "Too many people are watching. Try again in a moment.", again=10)

    async def watch(self, id: str, member: int | None, view: str, receive: Receive, send: Send) -> None:
        """Sends a view of a stream to a client until it disconnects."""
        if len(self.hub.watched.get(id, ())) >= MOST_WATCHERS:
            raise Refusal(503, f"Too many people are watching this {self.kind}. Try again in a moment.", again=10)

        async def first() -> tuple[int, bytes] | None:
            try:
                live = await self.fresh(id)
                state = await self.state_for(live, view)
            except Refusal:
                return None
            self._published.setdefault(id, (live.version, self.presence.away(live)))
            return live.version, state

        await self.hub.feed(id, member, view, first, receive, send)

    def publish(self, live: L) -> None:
        """Sends a stream to its watchers, if it has changed since they last got it.

        If the streams of its founder have sent too many messages, sends it later.
        """
        id = live.value.id
        if id not in self.hub.watched:
            return
        away = self.presence.away(live)
        if self._published.get(id) == (live.version, away):
            return
        founder, now = self.founder(live), time.monotonic()
        if wait := self._messages.wait(founder, now):
            asyncio.get_running_loop().call_later(wait, self.mark, id, False)
            return
        self._published[id] = live.version, away
        self._messages.owe(founder, now, self.hub.publish(id, live.version, self.states(live, away)))

    def mark(self, id: str, needs_reload: bool = True) -> None:
        """Queues a stream for `refresh`. `needs_reload` means that the database may have a newer version."""
        if id in self.hub.watched:
            self._stale[id] = needs_reload or self._stale.get(id, False)
            self._wake.set()

    def notice_changes(self, changed: dict[str, int] | None) -> None:
        """Queues the streams that have newer versions in the database, or all of them for None."""
        if changed is None:
            for id in self.hub.watched:
                self.mark(id)
            return
        for id, head in changed.items():
            live = self.cache.known(id) if id in self.hub.watched else None
            if live is None or live.value.head < head:
                self.mark(id)

    async def poll(self) -> None:
        """Compares what was published with the database, and queues outdated streams for `refresh`."""
        await self.presence.save_arrivals()
        watched = list(self.hub.watched)
        self._published = {id: last for id, last in self._published.items() if id in self.hub.watched}
        glances = await self.store.glance(watched) if watched else {}
        for id in watched:
            glance = glances.get(id)
            if glance is None:
                self.end(id)
                continue
            live = self.cache.known(id)
            if live is not None:
                self.presence.adopt(live, glance)
            away = self.presence.away_at(id, glance) if live is None else self.presence.away(live)
            if self._published.get(id) != (glance.total, away):
                self.mark(id)

    async def refresh(self) -> None:
        """Waits until streams are queued, then publishes their current states."""
        await self._wake.wait()
        await asyncio.sleep(self.gather)
        self._wake.clear()
        stale, self._stale = self._stale, {}
        for id, needs_reload in stale.items():

            async def refresh_stream(id: str = id, needs_reload: bool = needs_reload) -> None:
                await self._refresh(id, needs_reload)

            await self.background.attempt(refresh_stream)

    async def _refresh(self, id: str, needs_reload: bool) -> None:
        try:
            live = await (self.fresh(id) if needs_reload else self.cache.get(id))
        except Refusal as refusal:
            if refusal.status != 404:
                raise
            self.end(id)
            return
        self.publish(live)
