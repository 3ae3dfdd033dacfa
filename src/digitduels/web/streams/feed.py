"""Live feeds: Server-Sent Events, each with the complete state and its version.

An idle feed costs one waiting task and one timer. A slow client gets only the latest state, and a client that reads
nothing is disconnected.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
First = Callable[[], Awaitable[tuple[int, bytes] | None]]
"""Reads the version and the state of a stream; None if it has been deleted."""

HEARTBEAT = (10.0, 20.0)  # seconds between heartbeats; the page reconnects after 25 s of silence
STALLED = 30.0  # seconds that a client may take to read a message
_rng = random.Random()  # not the global one, whose sequence belongs to the program around the server
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # tells proxies to pass on every message at once
]


class Watcher:
    """One open feed."""

    __slots__ = (
        "_ending",
        "_heartbeat",
        "_loop",
        "_pending",
        "_send",
        "_sending",
        "_task",
        "_version",
        "member",
        "view",
    )

    def __init__(self, send: Send, member: int | None, view: str) -> None:
        self.member = member
        """The number of the member who is watching, if it is one whose presence counts."""
        self.view = view
        """Which view of the stream this is. Watchers with the same view get the same states."""
        self._loop = asyncio.get_running_loop()
        self._send = send
        self._pending: bytes | None = None
        self._version = 0
        self._sending: asyncio.Task[None] | None = None
        task = asyncio.current_task()
        assert task is not None
        self._task: asyncio.Task[Any] = task
        self._ending = False
        self._schedule_heartbeat()

    def _schedule_heartbeat(self) -> None:
        """Starts the timer of the next heartbeat."""
        self._heartbeat = self._loop.call_later(_rng.uniform(*HEARTBEAT), self._send_heartbeat)

    def _send_heartbeat(self) -> None:
        """Sends a heartbeat, unless a message is pending: any message shows that the connection is alive."""
        if self._pending is None:
            self._queue(b":\n\n")

    def enqueue(self, version: int, message: bytes) -> None:
        """Queues a state, in place of any that is pending. States older than the last one are ignored."""
        if version >= self._version:
            self._version = version
            self._queue(message)

    def _queue(self, message: bytes) -> None:
        if not self._ending:
            self._pending = message
            if self._sending is None:
                self._sending = self._loop.create_task(self._drain())

    async def _drain(self) -> None:
        self._heartbeat.cancel()
        try:
            while self._pending is not None:
                message, self._pending = self._pending, None
                async with asyncio.timeout(STALLED):
                    await self._send({"type": "http.response.body", "body": message, "more_body": True})
        except (OSError, TimeoutError):
            self.end()
            return
        self._sending = None
        if not self._ending:
            self._schedule_heartbeat()

    def end(self) -> None:
        """Ends the feed."""
        if not self._ending:
            self._ending = True
            self._heartbeat.cancel()
            self._task.cancel()

    async def serve(self, first: First, receive: Receive) -> None:
        """Streams the first state and all later ones until the client disconnects or the feed ends."""
        try:
            snapshot = await first()
            if snapshot is None:
                self.end()
            else:
                version, state = snapshot
                self.enqueue(version, message(state))
            while (await receive())["type"] != "http.disconnect":
                pass
        except asyncio.CancelledError:
            if not self._ending:
                raise
            self._task.uncancel()
            if self._sending is None:  # the client has read everything, so the response can end properly
                with suppress(OSError, TimeoutError):
                    async with asyncio.timeout(1):
                        await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._ending = True
            self._heartbeat.cancel()
            if self._sending is not None:
                self._sending.cancel()


class Hub:
    """The open feeds of all streams of one kind."""

    def __init__(self) -> None:
        self.watched: dict[str, set[Watcher]] = {}
        self.feeds = 0
        self.closed = False

    async def feed(self, id: str, member: int | None, view: str, first: First, receive: Receive, send: Send) -> None:
        """Sends a view of a stream to a client, from its `first` state on."""
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        watcher = Watcher(send, member, view)
        # Register before reading the state, so that no change in between is missed.
        self.watched.setdefault(id, set()).add(watcher)
        self.feeds += 1
        try:
            if self.closed:
                watcher.end()
            await watcher.serve(first, receive)
        finally:
            self.feeds -= 1
            watchers = self.watched[id]
            watchers.discard(watcher)
            if not watchers:
                del self.watched[id]

    def publish(self, id: str, version: int, states: Mapping[str, bytes | None]) -> int:
        """Sends the states of a stream, by view, to everybody who watches it. None ends the feeds of a view.

        Returns how many messages there were.
        """
        messages = {view: state and message(state) for view, state in states.items()}
        sent = 0
        for watcher in self.watched.get(id, ()):
            if watcher.view in messages:
                data = messages[watcher.view]
                sent += 1
                if data is None:
                    watcher.end()
                else:
                    watcher.enqueue(version, data)
        return sent

    def end(self, id: str) -> None:
        """Ends the feeds of a deleted stream."""
        for watcher in self.watched.get(id, ()):
            watcher.end()

    def present(self, id: str) -> set[int]:
        """The numbers of the members who are watching a stream."""
        return {watcher.member for watcher in self.watched.get(id, ()) if watcher.member is not None}

    def close(self) -> None:
        """Ends all feeds, so that the server can stop. Pages reconnect when it is back."""
        self.closed = True
        for id in self.watched:
            self.end(id)


def message(state: bytes) -> bytes:
    """A state as a Server-Sent Event: one line of JSON."""
    return b"data: " + state + b"\n\n"
