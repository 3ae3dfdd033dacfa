"""The live feed: watchers get the whole state soon after every change, and streams end cleanly."""

from __future__ import annotations

import asyncio
import json
import secrets
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import servers
import virtual_time
from conftest import PATIENCE
from digitduels.web.streams import feed, service
from digitduels.web.streams.feed import Hub
from servers import QUICK
from web import serving

pytestmark = pytest.mark.slow


async def begin(client: httpx.AsyncClient, **rules: Any) -> tuple[str, list[dict[str, str]]]:
    """Starts a game for two; returns its id and the headers of both players."""
    created = (await client.post("/api/games", json={"game": "number-quest"} | rules)).json()
    joined = (await client.post(f"/api/games/{created['id']}/seats", json={"invite": created["invite"]})).json()
    return created["id"], [{"Authorization": f"Bearer {player['token']}"} for player in (created, joined)]


async def play(client: httpx.AsyncClient, id: str, players: list[dict[str, str]], version: int, move: str) -> None:
    body = {"version": version, "move": move, "key": secrets.token_urlsafe(9)}
    answer = await client.post(f"/api/games/{id}/moves", json=body, headers=players[(version - 1) % 2])
    assert answer.status_code == 201, answer.text


@asynccontextmanager
async def watching(
    client: httpx.AsyncClient, id: str, headers: dict[str, str] | None = None
) -> AsyncIterator[AsyncIterator[str]]:
    async with client.stream("GET", f"/api/games/{id}/events", headers=headers or {}) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield answer.aiter_lines()


async def next_state(lines: AsyncIterator[str]) -> Any:
    """The next state on a feed, or None at its end."""
    async for line in lines:
        if line.startswith("data: "):
            return json.loads(line[6:])
    return None


def test_every_watcher_gets_every_change_with_its_version(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite")) as (_, client):
            id, players = await begin(client)
            async with watching(client, id, players[0]) as player, watching(client, id) as spectator:
                for lines in (player, spectator):
                    assert (await next_state(lines))["version"] == 1
                for version, move in enumerate(["+5", "+6", "+7"], 1):
                    await play(client, id, players, version, move)
                    state = (await client.get(f"/api/games/{id}")).json()
                    assert await next_state(player) == await next_state(spectator) == state

    asyncio.run(main())


def test_a_wrong_token_and_an_unknown_game_get_no_stream(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite"), streams=1) as (_, client):
            id, _ = await begin(client)
            wrong = {"Authorization": f"Bearer {secrets.token_urlsafe(24)}"}
            assert (await client.get(f"/api/games/{id}/events", headers=wrong)).status_code == 403
            assert (await client.get("/api/games/nosuchgame12/events")).status_code == 404
            assert (await client.post(f"/api/games/{id}/events")).status_code == 405
            async with watching(client, id) as lines:
                assert await next_state(lines)
                full = await client.get(f"/api/games/{id}/events")
                assert (full.status_code, full.headers["Retry-After"]) == (503, "10")

    asyncio.run(main())


def test_heartbeats_are_sent_while_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "HEARTBEAT", (0.01, 0.02))

    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite")) as (_, client):
            id, players = await begin(client)
            async with watching(client, id) as lines:
                assert await next_state(lines)
                beats = [line async for line in take(lines, 6)]
                assert beats.count(":") >= 2
                await play(client, id, players, 1, "+5")
                assert (await next_state(lines))["version"] == 2

    asyncio.run(main())


async def take(lines: AsyncIterator[str], count: int) -> AsyncIterator[str]:
    for _ in range(count):
        yield await anext(lines)


def test_the_feeds_of_one_game_or_class_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_WATCHERS", 2)

    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite")) as (_, client):
            (id, players), (other, _) = await begin(client), await begin(client)
            body = {"game": "number-quest", "mode": "pairs", "key": secrets.token_urlsafe(24)}
            created = (await client.post("/api/classes", json=body)).json()
            desk = {"Authorization": f"Bearer {created['token']}"}
            for path, headers in ((f"/api/games/{id}", players[0]), (f"/api/classes/{created['code']}", desk)):
                feeds = []  # one that is garbage-collected closes its connection
                async with AsyncExitStack() as stack:
                    for _ in range(2):
                        feed = client.stream("GET", f"{path}/events", headers=headers)
                        feeds.append((await stack.enter_async_context(feed)).aiter_lines())
                        assert await next_state(feeds[-1]) is not None
                    refused = await client.get(f"{path}/events", headers=headers)
                    assert refused.status_code == 503
                    assert "Too many people are watching this" in refused.json()["detail"]
            async with watching(client, other) as lines:
                assert await next_state(lines) is not None

    asyncio.run(main())


def test_disconnected_watchers_leave_no_streams_or_tasks_behind(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite")) as (server, client):
            hub: Hub = server.config.app.runtime.rooms.hub  # type: ignore[union-attr]
            id, _ = await begin(client)
            for _ in range(3):
                async with watching(client, id) as lines:
                    assert await next_state(lines)
                    assert hub.feeds == 1
                while hub.feeds:
                    await asyncio.sleep(0.01)
            assert hub.watched == {}
            before = len(asyncio.all_tasks())
            async with watching(client, id) as lines:
                assert await next_state(lines)
            while hub.feeds or len(asyncio.all_tasks()) > before:
                await asyncio.sleep(0.01)  # until the timeout of `serving`

    asyncio.run(main())


def test_a_server_that_stops_ends_its_streams_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        with servers.Server(str(tmp_path / "games.sqlite"), QUICK, shutdown_timeout=3600) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
                id, players = await begin(client)
                async with watching(client, id) as one, watching(client, id, players[0]) as other:
                    assert await next_state(one)
                    assert await next_state(other)
                    stopping = asyncio.create_task(asyncio.to_thread(server.stop))
                    assert await next_state(one) is None
                    assert await next_state(other) is None
                    assert await stopping == 0
            log = server.log()
            assert "Traceback" not in log
            for player in players:
                assert player["Authorization"].removeprefix("Bearer ") not in log

    asyncio.run(main())


class Reader:
    """A client that reads nothing until its `read` event is set."""

    def __init__(self) -> None:
        self.read = asyncio.Event()
        self.got: list[bytes] = []

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.body" and self.got:
            await self.read.wait()
        if message.get("body"):
            self.got.append(message["body"])

    async def receive(self) -> MutableMapping[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError


def stream(hub: Hub, reader: Reader, first: Callable[[], Awaitable[tuple[int, bytes] | None]]) -> asyncio.Task[None]:
    return asyncio.create_task(hub.feed("a game", None, "", first, reader.receive, reader.send))


async def version_1() -> tuple[int, bytes]:
    return 1, b"1"


def test_a_slow_client_gets_only_the_newest_state() -> None:
    async def main() -> None:
        hub, reader = Hub(), Reader()
        streaming = stream(hub, reader, version_1)
        while not reader.got:
            await asyncio.sleep(0)
        for version in range(2, 1000):
            hub.publish("a game", version, {"": b"%d" % version})
            if version % 100 == 0:
                await asyncio.sleep(0)
        hub.publish("a game", 5, {"": b"an old one that came late"})
        reader.read.set()
        await asyncio.sleep(1)
        assert [reader.got[0], reader.got[-1]] == [b"data: 1\n\n", b"data: 999\n\n"]
        assert len(reader.got) <= 3
        hub.close()
        await streaming
        assert hub.watched == {}

    virtual_time.run(main())


def test_a_heartbeat_never_replaces_an_update(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []

    async def send(message: Any) -> None:
        sent.append(message["body"])

    async def main() -> None:
        monkeypatch.setattr(feed, "HEARTBEAT", (0.0, 0.0))
        watcher = feed.Watcher(send, None, "")
        for version in range(1, 200):
            watcher.enqueue(version, b"%d" % version)
            for _ in range(version % 5 + 3):
                await asyncio.sleep(0)
            assert b"%d" % version in sent, version
        watcher._ending = True
        await asyncio.sleep(0)

    asyncio.run(main())
    assert b":\n\n" in sent


def test_a_client_that_stops_reading_is_dropped() -> None:
    async def main() -> None:
        hub, reader = Hub(), Reader()
        streaming = stream(hub, reader, version_1)
        while not reader.got:
            await asyncio.sleep(0)
        hub.publish("a game", 2, {"": b"2"})
        await asyncio.sleep(feed.STALLED - 1)
        assert hub.feeds == 1
        await asyncio.sleep(2)
        assert (hub.feeds, streaming.done()) == (0, True)

    virtual_time.run(main())


def test_watchers_are_notified_when_players_leave_and_return(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "LOOK", 0.05)
    file = tmp_path / "games.sqlite"

    async def main() -> None:
        async with serving(str(file)) as (_, client):
            id, players = await begin(client)
            async with watching(client, id) as lines:
                assert [seat["away"] for seat in (await next_state(lines))["seats"]] == [False, False]
                database = sqlite3.connect(file, isolation_level=None, timeout=PATIENCE)
                database.execute("UPDATE member SET seen = 0 WHERE number = 1")
                database.close()
                assert [seat["away"] for seat in (await next_state(lines))["seats"]] == [False, True]
                async with watching(client, id, players[1]):
                    assert [seat["away"] for seat in (await next_state(lines))["seats"]] == [False, False]

    asyncio.run(main())


def test_a_player_who_is_watching_is_never_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time

    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite"), away=1) as (_, client):
            id, players = await begin(client)
            async with watching(client, id, players[0]) as lines:
                assert await next_state(lines)
                monkeypatch.setattr(time, "time", lambda: real() + 10)
                state = (await client.get(f"/api/games/{id}")).json()
                assert [seat["away"] for seat in state["seats"]] == [False, True]

    asyncio.run(main())


def test_after_a_kill_a_new_stream_starts_with_the_current_state(tmp_path: Path) -> None:
    async def main() -> None:
        with servers.Server(str(tmp_path / "games.sqlite"), QUICK) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
                id, players = await begin(client)
                await play(client, id, players, 1, "+5")
                async with watching(client, id) as lines:
                    assert (await next_state(lines))["version"] == 2
                    server.kill()
                    with pytest.raises(httpx.TransportError):
                        await next_state(lines)
                server.start()
                async with watching(client, id) as lines:
                    assert (await next_state(lines))["last"]["move"] == "+5"

    asyncio.run(main())
