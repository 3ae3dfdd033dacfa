"""Games between friends under load: moves beside a handler that does nothing, and streams that stay open.

Everything is measured on real sockets against `duels serve` with a file as its database; clients and the server share
the machine. Delivery is counted from sending a move until a watcher has the whole new state.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

CONNECTIONS = 32
GAMES = 400  # played to their end
STREAMS = 2000
RATE = 200  # moves a second
SECONDS = 15
MOVES = [f"+{number}" for number in range(1, 7) for _ in range(2)]
LONG_RULES = {"highest": 99, "copies": 10, "target": 1_000_000}
LONG_MOVES = [f"+{number}" for number in range(1, 100) for _ in range(10)]
LENGTHS = (20, 900)  # moves that were played before
LONG_GAMES = 20
LATE = 60  # moves in each of them
HELLO = """
import sys
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

class Hello(BaseModel):
    version: int
    move: str
    key: str

app = FastAPI()

@app.post("/hello")
async def hello(sent: Hello) -> dict[str, str]:
    return {"hello": sent.move}

uvicorn.run(app, port=int(sys.argv[1]), http="h11", access_log=False, log_level="error")
"""


def table() -> str:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * STREAMS)), hard))
    with tempfile.TemporaryDirectory() as folder:
        with server(["-c", HELLO], "/docs") as (port, process):
            hello = asyncio.run(load(port, process, hello_calls))
        database = str(Path(folder) / "games.sqlite")
        command = ["-m", "digitduels", "serve", "--database", database, "--port"]
        with server(command, "/readyz") as (port, process):
            moves = asyncio.run(load(port, process, move_calls))
            growth = [asyncio.run(load(port, process, partial(late_calls, length)))[0] for length in LENGTHS]
        with server(command, "/readyz") as (port, process):
            before, idle, after, delivered = asyncio.run(streams(port, process))
    rows = [
        "| | a second of the server's processor time | a second | median | p99 |",
        "|---|---:|---:|---:|---:|",
        row("a handler that only says hello", *hello),
        row("a move, kept on disk before it is answered", *moves),
        row(f"delivery of a move, {STREAMS:,} streams open, {RATE} moves a second asked for", *delivered),
        "",
        f"A move costs as much as {hello[0] / moves[0]:.1f} hellos; in a variant with a pool of 990 numbers, "
        f"{hello[0] / growth[0]:.1f} after {LENGTHS[0]} moves and {hello[0] / growth[1]:.1f} after {LENGTHS[1]}. "
        f"{STREAMS:,} open streams take "
        f"{(idle - before) / STREAMS:.0f} KiB each; the server has {before / 1024:.0f} MiB of its own before, "
        f"{idle / 1024:.0f} MiB with them, {after / 1024:.0f} MiB after the moves.",
    ]
    return "\n".join(rows)


def row(what: str, cheap: float, rate: float, taken: list[float]) -> str:
    hundredths = statistics.quantiles(taken, n=100)
    times = f"{1000 * hundredths[49]:.1f} ms | {1000 * hundredths[98]:.1f} ms"
    return f"| {what} | {cheap:,.0f} | {rate:,.0f} | {times} |"


@contextmanager
def server(command: list[str], ready: str) -> Iterator[tuple[int, int]]:
    """A server in a process of its own, ready and at rest: its port and its process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "DIGITDUELS_RATE": "0"}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        [sys.executable, *command, str(port)], env=environment, stdout=quiet, stderr=quiet
    ) as process:
        try:
            while True:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}{ready}"):
                        break
                except OSError:
                    assert process.poll() is None
                    time.sleep(0.1)
            yield port, process.pid
        finally:
            process.terminate()


def own_memory(process: int) -> float:
    """KiB that a process shares with nobody."""
    rows = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return float(sum(int(row.split()[1]) for row in rows if row.startswith("Private_")))


def processor_time(process: int) -> float:
    """Seconds that a process has worked."""
    times = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


class Connection:
    """A connection that is kept, and asked one thing at a time."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def open(self) -> Connection:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        return self

    async def post(self, path: str, body: dict[str, Any], token: str = "") -> Any:
        data = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {len(data)}\r\n\r\n"
        )
        self._writer.write(head.encode() + data)
        answered = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", answered)
        assert length, answered
        content = await self._reader.readexactly(int(length[1]))
        assert answered.startswith((b"HTTP/1.1 201", b"HTTP/1.1 200")), answered + content
        return content

    def close(self) -> None:
        self._writer.close()


class Game:
    """A game of two, whose moves are known beforehand."""

    def __init__(self, id: str, tokens: tuple[str, str]) -> None:
        self.id, self.tokens, self.version = id, tokens, 1
        self.turn = asyncio.Lock()

    @classmethod
    async def begin(cls, connection: Connection, **rules: Any) -> Game:
        created = json.loads(await connection.post("/api/games", {"game": "number-quest", **rules}))
        joined = json.loads(await connection.post(f"/api/games/{created['id']}/seats", {"invite": created["invite"]}))
        return cls(created["id"], (created["token"], joined["token"]))

    async def move(self, connection: Connection, before: int | None = None) -> None:
        move = MOVES[self.version - 1] if before is None else LONG_MOVES[before + self.version - 1]
        body = {"version": self.version, "move": move, "key": secrets.token_urlsafe(9)}
        await connection.post(f"/api/games/{self.id}/moves", body, self.tokens[(self.version - 1) % 2])
        self.version += 1


Calls = Callable[[list[Connection]], Awaitable[list[Callable[[Connection], Awaitable[object]]]]]


async def hello_calls(_: list[Connection]) -> list[Callable[[Connection], Awaitable[object]]]:
    body = {"version": 1, "move": "+5", "key": "0123456789ab"}
    return [lambda connection: connection.post("/hello", body)] * (GAMES * len(MOVES))


async def move_calls(connections: list[Connection]) -> list[Callable[[Connection], Awaitable[object]]]:
    games = await begin(connections, GAMES)
    return [game.move for _ in MOVES for game in games]


async def late_calls(length: int, connections: list[Connection]) -> list[Callable[[Connection], Awaitable[object]]]:
    rules = {"options": LONG_RULES, "moves": LONG_MOVES[:length]}
    games = [await Game.begin(connections[0], **rules) for _ in range(LONG_GAMES)]
    return [partial(_late, game, length) for _ in range(LATE) for game in games]


async def _late(game: Game, length: int, connection: Connection) -> None:
    async with game.turn:
        await game.move(connection, length)


async def begin(connections: list[Connection], count: int) -> list[Game]:
    """So many games, begun by all connections together."""
    games: list[Game] = []

    async def some(connection: Connection) -> None:
        while len(games) < count:
            games.append(await Game.begin(connection))

    await asyncio.gather(*map(some, connections))
    return games[:count]


Figures = tuple[float, float, list[float]]
"""How many a second of the server's processor time, how many a second, and how long each took."""


async def load(port: int, process: int, calls: Calls) -> Figures:
    """Makes calls as fast as the server answers."""
    connections = [await Connection(port).open() for _ in range(CONNECTIONS)]
    waiting = iter(await calls(connections))
    taken: list[float] = []

    async def call(connection: Connection) -> None:
        for each in waiting:
            start = time.perf_counter()
            await each(connection)
            taken.append(time.perf_counter() - start)

    start, worked = time.perf_counter(), processor_time(process)
    await asyncio.gather(*map(call, connections))
    rate = len(taken) / (time.perf_counter() - start)
    cheap = len(taken) / (processor_time(process) - worked)
    for connection in connections:
        connection.close()
    return cheap, rate, taken


class Stream(asyncio.Protocol):
    """Somebody who watches a game, and notes when each version came."""

    def __init__(self, port: int, game: Game, seat: int) -> None:
        self.port, self.game, self.seat = port, game, seat
        self.came: dict[int, float] = {}
        self._unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(
            f"GET /api/games/{self.game.id}/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Authorization: Bearer {self.game.tokens[self.seat]}\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self._unread += data
        if self._unread.endswith(b"\n\n\r\n"):  # a whole message, in a chunk
            now = time.perf_counter()
            for version in re.findall(rb'"version":(\d+)', self._unread):
                self.came[int(version)] = now
            self._unread = b""


def _same(watcher: Stream) -> Stream:
    return watcher


async def streams(port: int, process: int) -> tuple[float, float, float, Figures]:
    """Opens streams and plays: the server's own memory before, with and after, and how soon moves are delivered."""
    loop = asyncio.get_running_loop()
    connections = [await Connection(port).open() for _ in range(CONNECTIONS)]
    games = await begin(connections, STREAMS // 2)
    before = own_memory(process)
    watchers = [Stream(port, game, seat) for game in games for seat in (0, 1)]
    for watcher in watchers:
        await loop.create_connection(partial(_same, watcher), "127.0.0.1", port)
    while not all(watcher.came for watcher in watchers):
        await asyncio.sleep(0.1)
    await asyncio.sleep(3)
    idle = own_memory(process)
    sent: dict[tuple[Game, int], float] = {}
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for connection in connections:  # the server has closed them meanwhile, since nobody used them
        connection.close()
        free.put_nowait(await connection.open())

    async def move(game: Game) -> None:
        meant = time.perf_counter()
        async with game.turn:
            connection = await free.get()
            sent[game, game.version + 1] = meant
            await game.move(connection)
            free.put_nowait(connection)

    start, worked = time.perf_counter(), processor_time(process)
    tasks = []
    for number in range(RATE * SECONDS):
        await asyncio.sleep(max(0, start + number / RATE - time.perf_counter()))
        tasks.append(asyncio.create_task(move(games[number % len(games)])))
    await asyncio.gather(*tasks)
    rate = len(sent) / (time.perf_counter() - start)
    cheap = len(sent) / (processor_time(process) - worked)
    await asyncio.sleep(2)
    after = own_memory(process)
    # A slow reader gets only the latest state, which includes everything before it.
    taken = [
        min(came for shown, came in watcher.came.items() if shown >= version) - sent[watcher.game, version]
        for watcher in watchers
        for version in range(2, watcher.game.version + 1)
    ]
    for watcher in watchers:
        watcher.transport.close()
    for connection in connections:
        connection.close()
    return before, idle, after, (cheap, rate, taken)
