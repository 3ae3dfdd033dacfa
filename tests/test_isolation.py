"""Visitors are isolated from each other: what is shared is bounded, and slow work never runs where others wait for it.

How long others wait during an attack is measured by attacks.py, which `make soak` runs.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import socket
import sqlite3
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, cast

import httpx
import psycopg
import pytest

import digitduels as dd
import servers
import virtual_time
from attacks import LONG, SHORT, Player, connections_to, long_game
from conftest import PATIENCE
from databases import Postgresql
from digitduels.web.connections import Limits
from digitduels.web.positions.view import position_view
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import live as live_rooms
from digitduels.web.rooms import service as room_service
from digitduels.web.rooms.acts import begin
from digitduels.web.rooms.live import LiveRoom
from digitduels.web.rooms.service import RoomService
from digitduels.web.rooms.state import Room
from digitduels.web.settings import Settings
from digitduels.web.streams import live
from digitduels.web.streams import postgresql as postgresql_store
from digitduels.web.streams.live import Cache
from digitduels.web.streams.postgresql import CONNECTIONS
from digitduels.web.streams.store import Store
from digitduels.web.workers import supervisor
from digitduels.web.workers.supervisor import Urgency, WorkerPool
from servers import QUICK
from web import serving, until_the_end, wait_for
from workers import NoProcesses, NoWorkers

pytestmark = pytest.mark.slow


@asynccontextmanager
async def site(server: servers.Server) -> AsyncIterator[httpx.AsyncClient]:
    async with asyncio.timeout(3 * PATIENCE), httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
        yield client


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Server]:
    with servers.Server(str(tmp_path_factory.mktemp("isolation") / "games.sqlite"), QUICK) as server:
        yield server


# Long games


def test_the_state_of_a_game_is_built_once_per_version_however_many_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[int] = []

    def build(match: Any, *more: Any) -> Any:
        built.append(len(match.moves))
        return position_view(match, *more)

    monkeypatch.setattr(live_rooms, "position_view", build)

    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite")) as (_, client):
            game = await long_game(client, 900)
            built.clear()
            for moves in (900, 901):
                for _ in range(5):
                    assert (await client.get(f"/api/games/{game.id}")).json()["move_count"] == moves
                    assert (await game.watch())["move_count"] == moves
                await game.move()
            assert built == [901, 902]

    asyncio.run(main())


def test_a_long_game_is_replayed_outside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []

    def replay(kept: Any) -> Any:
        threads.append(threading.current_thread().name)
        return Room(kept)

    monkeypatch.setattr(room_service, "Room", replay)
    file = str(tmp_path / "games.sqlite")

    async def main() -> None:
        async with serving(file) as (_, client):
            games = [await Player(client).begin(), await long_game(client, 900), await long_game(client, 0)]
            for _ in range(live.LONG):
                await games[2].move()
        threads.clear()
        async with serving(file) as (_, client):  # with an empty cache
            for game in games:
                assert (await client.get(f"/api/games/{game.id}")).status_code == 200

    asyncio.run(main())
    assert threads == [threading.current_thread().name, "replay_0", "replay_0"]


def test_many_moves_on_another_server_are_applied_outside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    applied: list[tuple[int, str]] = []
    then = Room.then

    def apply(room: Room, events: Any, *more: Any) -> Room:
        applied.append((len(events), threading.current_thread().name))
        return then(room, events, *more)

    file = str(tmp_path / "games.sqlite")

    async def main() -> None:
        async with serving(file) as (_, here), serving(file) as (_, there):
            game = await long_game(here, 0)
            path = f"/api/games/{game.id}"
            for moves in (live.LONG, live.LONG + 1):
                assert (await there.get(path)).json()["version"] == game.version
                for _ in range(moves):
                    await game.move()
                monkeypatch.setattr(Room, "then", apply)
                assert (await there.get(path)).json()["version"] == game.version
                monkeypatch.undo()

    asyncio.run(main())
    assert applied == [(live.LONG, threading.current_thread().name), (live.LONG + 1, "replay_0")]


def test_size_and_work_of_a_response_do_not_depend_on_the_length_of_the_game(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite")) as (server, client):
            service: RoomService = server.config.app.runtime.rooms  # type: ignore[union-attr]
            sizes, work = [], []
            for moves in (20, 900):
                game = await long_game(client, moves)
                work.append(min([await calls(service, game) for _ in range(9)]))
                answer = await game.move()
                assert answer.json()["state"]["move_count"] == moves + 10
                sizes.append(len(answer.content))
                assert await game.watch() == answer.json()["state"]
            assert sizes[1] <= 1.1 * sizes[0], sizes
            assert work[1] <= 1.2 * work[0], work

    asyncio.run(main())


async def calls(service: RoomService, game: Player) -> int:
    """How many functions the event loop calls for a move."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    key, move = secrets.token_urlsafe(9), {"move": next(game.moves)}
    sys.setprofile(note)
    try:
        await service.act(game.id, game.token, "move", game.version, key, move)
    finally:
        sys.setprofile(None)
    game.version += 1
    return count


def test_memory_of_a_stream_does_not_depend_on_the_length_of_the_game(server: servers.Server) -> None:
    async def main() -> None:
        async with site(server) as client:
            game = await long_game(client, 980)
            await client.get(f"/api/games/{game.id}")
            before = own_memory(server)
            crowd = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(60)]
            for reader, writer in crowd:
                writer.write(f"GET /api/games/{game.id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                assert b"data: " in await reader.readuntil(b"data: ")
            assert (own_memory(server) - before) / len(crowd) < 200, "KiB"
            for _, writer in crowd:
                writer.close()
                await writer.wait_closed()

    asyncio.run(main())


def own_memory(server: servers.Server) -> int:
    """The private memory of a server, in KiB."""
    assert server.process is not None
    rows = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return sum(int(row.split()[1]) for row in rows if row.startswith("Private_"))


def test_the_cache_of_games_is_bounded_by_games_and_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_STREAMS", 3)
    rooms: Cache[LiveRoom] = Cache(cast(Store, None), "game", "", lambda stream: LiveRoom(Room(stream)))

    def add(moves: int) -> str:
        match = dd.Match(dd.game("number-quest"))
        for token in islice(SHORT, moves):
            match.play(match.game.read(token))
        return rooms.add(LiveRoom(Room(begin(match, 0, "", None, 1.0, secrets.token_hex(16))[0]))).value.id

    def kept(*ids: str) -> list[bool]:
        return [rooms.known(id) is not None for id in ids]

    first, second, third = add(0), add(0), add(0)
    rooms.known(first)  # now the second one is the least recently used
    fourth = add(0)
    assert kept(first, second, third, fourth) == [True, False, True, True]
    used = rooms.known(first)
    assert used is not None
    used.users = 1
    short = rooms.weight // 3
    longest = [add(12) for _ in range(3)]
    assert kept(first, third, fourth, *longest) == [True, False, False, False, True, True]
    long = (rooms.weight - short) // 2
    assert long > short
    monkeypatch.setattr(live, "MOST_STREAM_BYTES", short + 2 * long - 1)
    last = add(12)
    assert kept(first, *longest[1:], last) == [True, False, False, True]
    rooms.close()


def test_the_history_is_paginated_and_complete(server: servers.Server) -> None:
    async def main() -> None:
        async with site(server) as client:
            game = await long_game(client, 230)
            turns: list[Any] = []
            while len(turns) < 230:
                part = (await client.get(f"/api/games/{game.id}/history", params={"from": len(turns)})).json()
                assert (part["move_count"], part["from"], part["version"]) == (230, len(turns), 1)
                assert 0 < len(part["turns"]) <= 100
                turns += part["turns"]
            assert [turn["move"] for turn in turns] == [f"+{1 + number % 99}" for number in range(230)]
            assert (await client.get(f"/api/games/{game.id}/history", params={"from": 230})).json()["turns"] == []

    asyncio.run(main())


# Slow questions


class SlowWorker:
    """A worker that answers after the number of seconds in the question."""

    def __init__(self, killed: list[bytes]) -> None:
        self.killed, self.question = killed, b""

    async def ask(self, question: bytes) -> bytes:
        self.question = question
        await asyncio.sleep(float(question))
        return b'{"answer": null}\n'

    async def read_line(self) -> bytes:
        return b"ready"

    async def stop(self) -> None:
        self.killed.append(self.question)


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Replaces workers by ones that only wait, and returns the questions of the workers that were killed."""
    questions: list[bytes] = []

    async def start(*_: object) -> SlowWorker:
        return SlowWorker(questions)

    monkeypatch.setattr(supervisor.Worker, "start", start)
    return questions


def test_computer_moves_come_before_other_questions_and_slow_ones_never_occupy_all_workers(killed: list[bytes]) -> None:
    async def main() -> None:
        pool = WorkerPool(2, 64, 5.0)
        pool.start()
        order: list[str] = []

        async def ask(kind: str, seconds: float, urgency: Urgency) -> None:
            await pool.ask(str(seconds).encode(), urgency)
            order.append(kind)

        asking = [asyncio.create_task(ask("slow", 2.0, Urgency.SLOW)) for _ in range(3)]
        await asyncio.sleep(0.5)  # one of them occupies a worker
        asking += [asyncio.create_task(ask("quick", 0.25, Urgency.QUICK)) for _ in range(2)]
        asking += [asyncio.create_task(ask("move", 0.25, Urgency.GAME)) for _ in range(3)]
        await asyncio.gather(*asking)
        # The first question takes the idle worker. From then on, moves overtake.
        assert order == ["quick", "move", "move", "move", "quick", "slow", "slow", "slow"]

    virtual_time.run(main())


def test_the_time_limit_of_a_question_excludes_its_time_in_the_queue(killed: list[bytes]) -> None:
    async def main() -> None:
        pool = WorkerPool(1, 64, 0.3)
        pool.start()
        await asyncio.gather(*(pool.ask(b"0.2") for _ in range(8)))
        assert not killed, "time in the queue does not count"
        with pytest.raises(Refusal, match="longer than this server gives"):
            await pool.ask(b"2")
        await asyncio.sleep(0.01)
        assert killed == [b"2"]

    virtual_time.run(main())


def test_a_question_that_waits_too_long_for_a_worker_is_refused(killed: list[bytes]) -> None:
    async def main() -> None:
        pool = WorkerPool(1, 64, 60.0)
        pool.start()
        first = asyncio.create_task(pool.ask(b"20"))
        await asyncio.sleep(1)
        with pytest.raises(Refusal, match="busy"):
            await pool.ask(b"1")
        assert not first.done()
        assert await first is None
        assert (pool.waiting, killed) == (0, [])

    virtual_time.run(main())


def test_a_full_queue_refuses_questions_but_no_computer_moves(killed: list[bytes]) -> None:
    async def main() -> None:
        pool = WorkerPool(1, 2, 60.0)
        pool.start()
        asked = [asyncio.create_task(pool.ask(b"1")) for _ in range(2)]
        await asyncio.sleep(0.1)
        with pytest.raises(Refusal, match="busy") as refusal:
            await pool.ask(b"1")
        assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "2"})
        asked += [asyncio.create_task(pool.ask(b"1", Urgency.GAME)) for _ in range(5)]
        assert await asyncio.gather(*asked) == [None] * 7
        assert await pool.ask(b"1") is None

    virtual_time.run(main())


@contextmanager
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[asyncio.Event]:
    """Until the event is set, no worker answers."""
    free, ask = asyncio.Event(), NoProcesses.ask

    async def wait(self: NoProcesses, *question: Any) -> Any:
        await free.wait()
        return await ask(self, *question)

    with monkeypatch.context() as patch:
        patch.setattr(NoProcesses, "ask", wait)
        yield free


def test_one_address_can_have_only_a_few_questions_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = "/api/sheet?game=number-duel&target=20&highest=5&count=1&seed="
    reply = "/api/reply/operation-target?vs=1&seed="

    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite")) as (server, client):
            workers: NoWorkers = server.config.app.runtime.workers  # type: ignore[union-attr]
            asked: list[asyncio.Task[httpx.Response]] = []
            with busy(monkeypatch) as free:
                for path, most in ((sheet, supervisor.MOST_SLOW), (reply, supervisor.MOST_QUICK)):
                    asked += [asyncio.create_task(client.get(f"{path}{seed}")) for seed in range(most)]
                    while workers._open.total() < len(asked):
                        await asyncio.sleep(0.01)
                    refused = await client.get(f"{path}next")
                    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
                other = asyncio.create_task(client.get(f"{sheet}0", headers={"X-Forwarded-For": "192.0.2.1"}))
                while workers._open.total() < len(asked) + 1:
                    await asyncio.sleep(0.01)
                assert not any(task.done() for task in (*asked, other))
                await Player(client).play()
                free.set()
                answers = await asyncio.gather(*asked, other)
            assert {answer.status_code for answer in answers} == {200}
            assert (await client.get(f"{sheet}next")).status_code == 200

    asyncio.run(main())


def test_a_variant_that_takes_long_to_read_delays_no_game_by_the_book(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite"), queue=2) as (server, client):
            workers: NoWorkers = server.config.app.runtime.workers  # type: ignore[union-attr]
            read = threading.Event()
            reading = asyncio.create_task(workers.aside(lambda: read.wait(PATIENCE)))
            variant = asyncio.create_task(client.post("/api/games", json=LONG))
            while workers._aside_open < 2:
                await asyncio.sleep(0.01)
            await Player(client).play()
            full = await client.post("/api/games", json=LONG)
            assert (full.status_code, full.headers["Retry-After"]) == (503, "2")
            assert full.json() == {"detail": "The server is busy. Try again in a moment."}
            assert not variant.done()
            read.set()
            assert await reading
            assert (await variant).status_code == 201

    asyncio.run(main())


# A slow or locked database


def test_only_a_few_requests_may_wait_for_one_game(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite")) as (server, client):
            service: RoomService = server.config.app.runtime.rooms  # type: ignore[union-attr]
            game = await Player(client).begin()
            room = await service.cache.get(game.id)
            body = {"version": 1, "move": "+5", "key": secrets.token_urlsafe(9)}

            def move() -> asyncio.Task[httpx.Response]:
                headers = {"Authorization": f"Bearer {game.token}"}
                return asyncio.create_task(client.post(f"/api/games/{game.id}/moves", json=body, headers=headers))

            async with room.lock:
                waiting = [move() for _ in range(service.most_waiting)]
                while room.users < service.most_waiting:
                    await asyncio.sleep(0.01)
                refused = await move()
                assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
                assert not any(task.done() for task in waiting)
            statuses = [answer.status_code for answer in await asyncio.gather(*waiting)]
            assert sorted(statuses) == [200] * (service.most_waiting - 1) + [201]

    asyncio.run(main())


def test_a_locked_row_blocks_only_its_own_game(postgresql: Postgresql, monkeypatch: pytest.MonkeyPatch) -> None:
    database = postgresql.database()

    async def main() -> None:
        monkeypatch.setattr(postgresql_store, "OPTIONS", "-c lock_timeout=100ms")
        async with serving(database) as (_, client):
            game = await Player(client).begin()
            body = {"version": 1, "move": "+5", "key": secrets.token_urlsafe(9)}
            headers = {"Authorization": f"Bearer {game.token}"}
            path = f"/api/games/{game.id}/moves"
            with psycopg.connect(database) as lock:
                lock.execute("SELECT 1 FROM stream WHERE id = %s FOR UPDATE", (game.id,))
                late = await client.post(path, json=body, headers=headers)
                assert (late.status_code, late.headers["Retry-After"]) == (503, "1")
        monkeypatch.setattr(postgresql_store, "OPTIONS", "")
        monkeypatch.setattr(postgresql_store, "ANSWER_SECONDS", float(PATIENCE))
        async with serving(database) as (_, client):
            with psycopg.connect(database) as lock, psycopg.connect(database, autocommit=True) as observer:
                lock.execute("SELECT 1 FROM stream WHERE id = %s FOR UPDATE", (game.id,))
                moves = [client.post(path, json=body, headers=headers) for _ in range(CONNECTIONS + 1)]
                waiting = [asyncio.create_task(move) for move in moves]
                locks = "SELECT count(*) FROM pg_locks WHERE NOT granted"
                while observer.execute(locks).fetchone() != (1,):
                    await asyncio.sleep(0.01)
                await Player(client).play()
                assert (await client.get(f"/api/games/{game.id}")).status_code == 200, "the locked game can be read"
                assert observer.execute(locks).fetchone() == (1,), "all of them use one connection"
                assert not any(task.done() for task in waiting)
            answers = await asyncio.gather(*waiting)
            assert sorted(answer.status_code for answer in answers) == [200] * CONNECTIONS + [201]
            assert {answer.json()["state"]["version"] for answer in answers} == {2}, "the move was played once"

    asyncio.run(main())


def test_a_paused_server_does_not_block_games_on_another_server(postgresql: Postgresql) -> None:
    database = postgresql.database()
    with servers.Server(database, QUICK) as paused, servers.Server(database, QUICK) as server:

        async def main() -> None:
            async with site(paused) as there, site(server) as client:
                games = [await Player(there).begin() for _ in range(8)]
                moves = [asyncio.create_task(game.move()) for game in games[:4]]
                await asyncio.sleep(0.005)  # some of them are suspended in the middle
                with paused.suspended():
                    late = [asyncio.create_task(game.move()) for game in games[4:]]
                    for _ in range(2):
                        await Player(client).play()
                    assert not any(move.done() for move in late)
                for answer in await asyncio.gather(*moves, *late):
                    assert answer.json()["state"]["version"] == 2

        asyncio.run(main())


def test_a_paused_database_blocks_only_the_requests_that_need_it(postgresql: Postgresql) -> None:
    with servers.Server(postgresql.database(), QUICK) as server:

        async def main() -> None:
            async with site(server) as client:
                game = await Player(client).begin()
                body = {"version": 1, "move": "+5", "key": secrets.token_urlsafe(9)}
                headers = {"Authorization": f"Bearer {game.token}"}
                path = f"/api/games/{game.id}/moves"
                with postgresql.suspended():
                    stuck = [asyncio.create_task(client.post(path, json=body, headers=headers)) for _ in range(10)]
                    for _ in range(20):
                        assert (await client.get("/api/position/number-quest?moves=%2B5")).status_code == 200
                assert {answer.status_code for answer in await asyncio.gather(*stuck)} <= {200, 201, 503}
                while (answer := await client.post(path, json=body, headers=headers)).status_code == 503:
                    await asyncio.sleep(0.1)
                assert answer.status_code in (200, 201), answer.text
                assert (await client.get(f"/api/games/{game.id}")).json()["version"] == 2, "the move was played once"

        asyncio.run(main())


def test_reading_a_game_does_not_wait_for_another_programs_write_lock(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"

    async def main() -> None:
        async with serving(str(file)) as (_, client):
            game = await Player(client).begin()
            foreign = sqlite3.connect(file, isolation_level=None)
            foreign.execute("BEGIN IMMEDIATE")
            writing = asyncio.create_task(game.move())
            assert (await client.get(f"/api/games/{game.id}")).json()["version"] == 1
            assert not writing.done()
            foreign.execute("ROLLBACK")
            foreign.close()
            await writing

    asyncio.run(main())


# Connections


async def stop_reading(client: httpx.AsyncClient, port: int) -> None:
    """Opens a feed, reads nothing, and returns when the connection is gone."""
    game = await long_game(client, 20)
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", port))
        deaf.sendall(f"GET /api/games/{game.id}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        for _ in range(60):
            await game.move()
        while deaf.getsockname()[1] in connections_to(port):
            await asyncio.sleep(0.05)  # until the test's deadline
    assert re.search(r"^digitduels_streams_open 0$", (await client.get("/metrics")).text, re.M)


@pytest.mark.parametrize("http", ["h11", "httptools"])
def test_a_client_that_stops_reading_is_disconnected_and_its_kernel_buffers_are_freed(
    tmp_path: Path, http: str
) -> None:
    with servers.Server(str(tmp_path / "games.sqlite"), QUICK, stalled=1, http=http) as server:

        async def main() -> None:
            async with site(server) as client:
                await stop_reading(client, server.port)

        asyncio.run(main())


@pytest.mark.parametrize("http", ["h11", "httptools"])
def test_a_client_that_stops_reading_is_disconnected_without_the_help_of_the_kernel(
    tmp_path: Path, http: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(socket, "TCP_USER_TIMEOUT")

    async def main() -> None:
        async with serving(str(tmp_path / "games.sqlite"), stalled=1, http=http) as (_, client):
            assert client.base_url.port is not None
            await stop_reading(client, client.base_url.port)

    asyncio.run(main())


def test_connections_are_capped_in_total_and_per_address() -> None:
    limits = Limits(Settings(connections=30, proxies="192.0.2.1"))
    assert [limits.enter("198.51.100.1") for _ in range(9)] == [True] * 7 + [False] * 2
    assert [limits.enter("192.0.2.1") for _ in range(20)] == [True] * 20, "a proxy may have more than a quarter"
    assert [limits.enter(f"198.51.100.{number}") for number in range(2, 7)] == [True] * 3 + [False] * 2
    assert (len(limits), limits.refused) == (30, 4)
    limits.leave("198.51.100.1")
    assert limits.enter("198.51.100.1")


def test_an_ipv6_64_prefix_has_the_connections_of_one_address() -> None:
    limits = Limits(Settings(connections=30))
    assert [limits.enter(f"2001:db8::{number:x}") for number in range(1, 10)] == [True] * 7 + [False] * 2
    assert limits.enter("2001:db8:0:1::1")
    for number in range(1, 8):
        limits.leave(f"2001:db8::{number:x}")
    assert limits.enter("2001:db8::a")


@pytest.mark.parametrize("http", ["h11", "httptools"])
def test_connections_beyond_the_cap_are_closed_and_other_addresses_are_served(tmp_path: Path, http: str) -> None:
    settings = {"connections": 30, "proxies": "192.0.2.1", "http": http}
    with ExitStack() as stack:
        server = stack.enter_context(servers.Server(str(tmp_path / "games.sqlite"), QUICK, **settings))
        transport = httpx.HTTPTransport(local_address="127.0.0.3")
        other = stack.enter_context(httpx.Client(transport=transport, base_url=server.url, timeout=PATIENCE))
        crowd = []
        for _ in range(20):
            with suppress(ConnectionError):  # already refused
                source = "127.0.0.2", 0
                connection = socket.create_connection(("127.0.0.1", server.port), PATIENCE, source)
                crowd.append(stack.enter_context(connection))
        wait_for(lambda: "digitduels_connections_refused_total 13\n" in other.get("/metrics").text)
        for connection in crowd[7:]:
            assert until_the_end(connection)[:12] in (b"HTTP/1.1 503", b""), "a reset may overtake the answer"


def test_a_flood_does_not_fill_the_log(tmp_path: Path) -> None:
    with servers.Server(str(tmp_path / "games.sqlite"), QUICK, rate=1, burst=5) as server:

        async def main() -> None:
            async with site(server) as client:
                for _ in range(8):
                    await asyncio.gather(*(client.get("/api/games/nosuchgame12") for _ in range(50)))

        asyncio.run(main())
        assert server.log().count('"event": "request"') < 250
