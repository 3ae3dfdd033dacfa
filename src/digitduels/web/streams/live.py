"""An in-memory cache of streams, so that viewing one or acting in it costs the same however long it is.

The database stays the authority: a cached stream has a version and is used only for that version. The least recently
used ones are evicted, and loaded again when somebody needs them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Generic, TypeVar

from digitduels.web.logs import event
from digitduels.web.refusal import Refusal
from digitduels.web.streams.fold import F
from digitduels.web.streams.store import Store, StoreError, Stream

MOST_STREAMS = 4000  # of one kind
MOST_STREAM_BYTES = 64 << 20  # of all streams of one kind together
STREAM_BYTES, EVENT_BYTES = 4500, 600  # measured: what a stream and an event take in memory, beside JSON
LONG = 50  # more moves and events than this are replayed in a thread, not on the event loop

T = TypeVar("T")


class Live(Generic[F]):
    """A cached stream: its value at the latest known version, and when its members were last seen."""

    def __init__(self, value: F) -> None:
        self.value = value
        self.on_growth: Callable[[Any], None] = lambda _: None
        """Called with this after it has taken more memory."""
        self.seen: dict[int, float] = {}
        """When each person among the members was last seen."""
        self.users = 0
        """How many requests are changing the stream or waiting to."""
        self.lock = asyncio.Lock()
        """Held while the stream is changed, so that one stream never occupies more than one database thread."""
        self.put(value)

    def put(self, value: F) -> None:
        """Replaces the value with a newer one."""
        self.value = value
        for member in value.members:
            if member.level is None:
                self.seen.setdefault(member.number, member.seen)

    @property
    def version(self) -> int:
        """A number that increases with everything that a view shows, except for presence."""
        return self.value.head

    @property
    def weight(self) -> int:
        """About how many bytes the stream takes in memory."""
        return STREAM_BYTES + EVENT_BYTES * self.value.head


L = TypeVar("L", bound=Live[Any])


class Cache(Generic[L]):
    """The streams of one kind in one server process."""

    def __init__(self, store: Store, kind: str, missing: str, load: Callable[[Stream], L]) -> None:
        self._store, self._kind, self._missing, self._load_value = store, kind, missing, load
        self.on_news: Callable[[L], None] = lambda _: None
        """Called after a stream was updated with events that other processes stored."""
        self.on_drop: Callable[[L], None] = lambda _: None
        """Called after a stream was removed from the cache."""
        self.on_deletion: Callable[[str], None] = self.drop
        """Called with the id of a stream that the database no longer has."""
        self._streams: OrderedDict[str, L] = OrderedDict()
        self._weights: dict[str, int] = {}
        self.weight = 0
        """About how many bytes all streams take in memory."""
        self._loading: dict[str, asyncio.Future[L]] = {}
        self._replaying = ThreadPoolExecutor(1, "replay")

    def __len__(self) -> int:
        return len(self._streams)

    def __iter__(self) -> Iterator[L]:
        """All streams in the cache, possibly outdated."""
        return iter(list(self._streams.values()))

    def close(self) -> None:
        self._replaying.shutdown(wait=False, cancel_futures=True)

    def known(self, id: str) -> L | None:
        """The stream if it is in the cache, possibly outdated."""
        live = self._streams.get(id)
        if live is not None:
            self._streams.move_to_end(id)
        return live

    async def get(self, id: str) -> L:
        """The stream from the cache, possibly outdated, or from the database.

        Raises Refusal if it does not exist or cannot be replayed.
        """
        live = self.known(id)
        if live is not None:
            return live
        loading = self._loading.get(id)
        if loading is None:
            loading = self._loading[id] = asyncio.ensure_future(self._load(id))
            loading.add_done_callback(lambda _: self._loading.pop(id, None))
        return await asyncio.shield(loading)

    async def current(self, id: str, head: int | None = None) -> L:
        """The stream as the database has it; with `head`, any version from that one on is new enough."""
        live = self.known(id)
        if live is None:
            return await self.get(id)
        if head is None or live.value.head < head:
            await self.catch_up(live)
        return live

    async def catch_up(self, live: L) -> bool:
        """Applies events that other processes stored. Returns whether there were any."""
        before = live.value
        stream = await self._store.read(before.id, before.head)
        if stream is None:
            self.on_deletion(before.id)
            raise Refusal(404, self._missing)
        if live.value is not before:  # another request was faster
            return bool(live.value.head > before.head)
        if stream.head == before.head:
            return False
        value = await self._replay(len(stream.events), lambda: before.then(stream.events, stream.members))
        if live.value is before:
            self.put(live, value)
            self.on_news(live)
        return True

    def put(self, live: L, value: object) -> None:
        """Replaces the value of a cached stream with a newer one."""
        live.put(value)
        self._weigh(live)

    def add(self, live: L) -> L:
        """Adds a stream that has just been created or loaded, and returns the one in the cache."""
        live = self._streams.setdefault(live.value.id, live)
        live.on_growth = self._weigh
        self._weigh(live)
        return live

    def drop(self, id: str) -> None:
        """Removes a stream from the cache."""
        live = self._streams.pop(id, None)
        if live is not None:
            self.weight -= self._weights.pop(id)
            self.on_drop(live)

    def _weigh(self, live: L) -> None:
        """Counts the bytes of a stream in the cache, then evicts others until the cache is within its limits."""
        here = live.value.id
        if self._streams.get(here) is not live:
            return
        weight = live.weight
        self.weight += weight - self._weights.get(here, 0)
        self._weights[here] = weight
        while len(self._streams) > 1 and (len(self._streams) > MOST_STREAMS or self.weight > MOST_STREAM_BYTES):
            for id, other in self._streams.items():
                if not other.users and id != here:
                    break
            else:
                return
            self.drop(id)

    async def _load(self, id: str) -> L:
        stream = await self._store.read(id)
        if stream is None or stream.kind != self._kind:
            raise Refusal(404, self._missing)
        try:
            length = len(stream.data.get("moves", ())) + len(stream.events)
            live = await self._replay(length, lambda: self._load_value(stream))
        except Exception as error:  # a plug-in may raise anything, and only this stream may suffer
            await self._mark_broken(stream, error)
            raise Refusal(404, f"This {self._kind} cannot be shown here. {reason_of(error)}") from None
        return self.add(live)

    async def _mark_broken(self, stream: Stream, error: Exception) -> None:
        event(f"broken_{stream.kind}", logging.WARNING, game=stream.data.get("game"), reason=reason_of(error))
        with suppress(StoreError):
            await self._store.mark_broken(stream.id, reason_of(error))

    async def _replay(self, length: int, work: Callable[[], T]) -> T:
        """Runs work that replays so many moves and events."""
        if length <= LONG:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._replaying, work)


def reason_of(error: Exception) -> str:
    """Why a stream cannot be replayed: our own error message, or the type of an unexpected error."""
    return (
        str(error)[:300] if isinstance(error, Refusal | ValueError) else f"Its rules failed ({type(error).__name__})."
    )
