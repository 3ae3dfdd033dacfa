"""The live feed of a game: Server-Sent Events, each of them the whole state with its version.

A stream that nothing happens on costs one waiting task and one timer. A slow client gets only the newest state;
a client that reads nothing is dropped.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
First = Callable[[], Awaitable[tuple[int, bytes] | None]]
"""Reads a game: its version and its state, or None if it is no more."""

HEARTBEAT = (10.0, 20.0)  # seconds between signs of life; a page takes 25 s of silence for a broken line
STALLED = 30.0  # seconds that a client may take to read a message
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # proxies shall pass on every message at once
]


class Watcher:
    """One open stream."""

    __slots__ = ("_beat", "_ending", "_loop", "_news", "_send", "_sending", "_task", "_version", "person")

    def __init__(self, send: Send, person: tuple[str, int] | None) -> None:
        self.person = person
        """The game and the seat of who watches, if it is a player."""
        self._loop = asyncio.get_running_loop()
        self._send = send
        self._news: bytes | None = None
        self._version = 0
        self._sending: asyncio.Task[None] | None = None
        task = asyncio.current_task()
        assert task is not None
        self._task: asyncio.Task[Any] = task
        self._ending = False
        self._rest()

    def _rest(self) -> None:
        """Sets the timer for the next sign of life."""
        self._beat = self._loop.call_later(random.uniform(*HEARTBEAT), self._live)

    def _live(self) -> None:
        """Gives a sign of life, unless there is news to send, which is one too."""
        if self._news is None:
            self._say(b":\n\n")

    def tell(self, version: int, message: bytes) -> None:
        """Sends a state soon, instead of any that still waits; an older one than was told is not news."""
        if version >= self._version:
            self._version = version
            self._say(message)

    def _say(self, message: bytes) -> None:
        if not self._ending:
            self._news = message
            if self._sending is None:
                self._sending = self._loop.create_task(self._pass_on())

    async def _pass_on(self) -> None:
        self._beat.cancel()
        try:
            while self._news is not None:
                message, self._news = self._news, None
                async with asyncio.timeout(STALLED):
                    await self._send({"type": "http.response.body", "body": message, "more_body": True})
        except (OSError, TimeoutError):
            self.end()
            return
        self._sending = None
        if not self._ending:
            self._rest()

    def end(self) -> None:
        """Ends the stream."""
        if not self._ending:
            self._ending = True
            self._beat.cancel()
            self._task.cancel()

    async def stay(self, first: First, receive: Receive) -> None:
        """Tells the first state and what follows; returns when the client has gone, or when the stream is to end."""
        try:
            found = await first()
            if found is None:
                self.end()
            else:
                self.tell(found[0], message(found[1]))
            while (await receive())["type"] != "http.disconnect":
                pass
        except asyncio.CancelledError:
            if not self._ending:
                raise
            self._task.uncancel()
            if self._sending is None:  # the client has read all, and may be told of the end
                with suppress(OSError, TimeoutError):
                    async with asyncio.timeout(1):
                        await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._ending = True
            self._beat.cancel()
            if self._sending is not None:
                self._sending.cancel()


class Hub:
    """Who watches which game."""

    def __init__(self) -> None:
        self.watched: dict[str, set[Watcher]] = {}
        self.streams = 0
        self.closed = False

    async def stream(self, id: str, person: tuple[str, int] | None, first: First, receive: Receive, send: Send) -> None:
        """Streams a game to a client, from its `first` state on."""
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        watcher = Watcher(send, person)
        # Before the state is read, so that nothing that happens meanwhile is missed.
        self.watched.setdefault(id, set()).add(watcher)
        self.streams += 1
        try:
            if self.closed:
                watcher.end()
            await watcher.stay(first, receive)
        finally:
            self.streams -= 1
            watchers = self.watched[id]
            watchers.discard(watcher)
            if not watchers:
                del self.watched[id]

    def publish(self, id: str, version: int, state: bytes) -> None:
        """Tells everybody who watches a game how it stands."""
        told = message(state)
        for watcher in self.watched.get(id, ()):
            watcher.tell(version, told)

    def end(self, id: str) -> None:
        """Ends the streams of a game that is no more."""
        for watcher in self.watched.get(id, ()):
            watcher.end()

    def people(self) -> set[tuple[str, int]]:
        """The players who watch their games."""
        return {each.person for watchers in self.watched.values() for each in watchers if each.person is not None}

    def close(self) -> None:
        """Ends all streams, so that a server can stop; pages come back when there is one again."""
        self.closed = True
        for id in self.watched:
            self.end(id)


def message(state: bytes) -> bytes:
    """An event of the stream: one line of JSON."""
    return b"data: " + state + b"\n\n"
