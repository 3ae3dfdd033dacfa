"""Live feeds: the delivery time of a move with many open streams, and the memory of many idle ones.

Delivery takes from sending a move until a watcher has the complete new state. Memory is the server's private memory.
Clients and the server share the machine.
"""

from __future__ import annotations

import asyncio
import os
import re
import resource
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks.serving import CONNECTIONS, Connection, Game, begin, load_of_the_machine, server

STREAMS = 2000
IDLE = 10_000
RATE = 200  # moves per second
SECONDS = 15


def table() -> str:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = max(soft, min(hard, IDLE + 2000))
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    busy = os.getloadavg()[0]
    rows = ["| | h11 | httptools and uvloop |", "|---|---:|---:|"]
    columns = [measure(http) for http in ("h11", "httptools")]
    rows += [f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[0]]
    return "\n".join([*rows, "", load_of_the_machine(busy)])


def measure(http: str) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        command = ["-m", "digitduels", "serve", "--database", f"{folder}/games.sqlite", "--port"]
        settings = {"http": http, "streams": 2 * IDLE, "connections": 2 * IDLE, "proxies": "127.0.0.0/8"}
        with server(command, "/readyz", **settings) as (port, process):
            before, idle, after, rate, delays = asyncio.run(live(port, process))
        with server(command, "/readyz", **settings) as (port, process):
            empty, full = asyncio.run(crowd(port, process))
    percentiles = statistics.quantiles(delays, n=100)
    return {
        f"moves per second, {RATE} requested, {STREAMS:,} streams open": f"{rate:.0f}",
        "delivery, p50": f"{1000 * percentiles[49]:.1f} ms",
        "delivery, p99": f"{1000 * percentiles[98]:.1f} ms",
        "memory before": f"{before / 1024:.0f} MiB",
        f"memory with {STREAMS:,} streams": f"{idle / 1024:.0f} MiB",
        "memory after the moves": f"{after / 1024:.0f} MiB",
        f"memory with {IDLE:,} idle streams": f"{full / 1024:.0f} MiB",
        "memory per idle stream": f"{(full - empty) / IDLE:.1f} KiB",
    }


def private_memory(process: int) -> float:
    """The private memory of a process in KiB."""
    rows = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return float(sum(int(row.split()[1]) for row in rows if row.startswith("Private_")))


async def crowd(port: int, process: int) -> tuple[float, float]:
    """The server's private memory before and with many idle streams."""
    loop = asyncio.get_running_loop()
    connections = [await Connection(port).open() for _ in range(CONNECTIONS)]
    games = await begin(connections, IDLE // 10)
    before = private_memory(process)
    watchers = [Stream(port, game, index % 2) for game in games for index in range(10)]
    for start in range(0, len(watchers), 200):
        batch = watchers[start : start + 200]
        connecting = (loop.create_connection(partial(_same, watcher), "127.0.0.1", port) for watcher in batch)
        await asyncio.gather(*connecting)
        while not all(watcher.arrived for watcher in batch):
            await asyncio.sleep(0.05)
    await asyncio.sleep(5)
    full = private_memory(process)
    for watcher in watchers:
        watcher.transport.close()
    for connection in connections:
        connection.close()
    return before, full


class Stream(asyncio.Protocol):
    """A watcher of a game that records when each version arrived."""

    def __init__(self, port: int, game: Game, seat: int) -> None:
        self.port, self.game, self.seat = port, game, seat
        self.arrived: dict[int, float] = {}
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
        if self._unread.endswith(b"\n\n\r\n"):  # the end of a message and of its chunk
            now = time.perf_counter()
            for version in re.findall(rb'"version":(\d+)', self._unread):
                self.arrived[int(version)] = now
            self._unread = b""


def _same(watcher: Stream) -> Stream:
    return watcher


async def live(port: int, process: int) -> tuple[float, float, float, float, list[float]]:
    """Plays with many open streams: private memory before, idle and after, moves per second, and delivery times."""
    loop = asyncio.get_running_loop()
    connections = [await Connection(port).open() for _ in range(CONNECTIONS)]
    games = await begin(connections, STREAMS // 2)
    before = private_memory(process)
    watchers = [Stream(port, game, seat) for game in games for seat in (0, 1)]
    for watcher in watchers:
        await loop.create_connection(partial(_same, watcher), "127.0.0.1", port)
    while not all(watcher.arrived for watcher in watchers):
        await asyncio.sleep(0.1)
    await asyncio.sleep(3)
    idle = private_memory(process)
    sent: dict[tuple[Game, int], float] = {}
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for connection in connections:  # the server has closed these idle connections by now
        connection.close()
        free.put_nowait(await connection.open())

    async def move(game: Game) -> None:
        scheduled = time.perf_counter()
        async with game.turn:
            connection = await free.get()
            sent[game, game.version + 1] = scheduled
            await game.move(connection)
            free.put_nowait(connection)

    start = time.perf_counter()
    tasks = []
    for number in range(RATE * SECONDS):
        await asyncio.sleep(max(0, start + number / RATE - time.perf_counter()))
        tasks.append(asyncio.create_task(move(games[number % len(games)])))
    await asyncio.gather(*tasks)
    rate = len(sent) / (time.perf_counter() - start)
    while any(max(watcher.arrived) < watcher.game.version for watcher in watchers):
        await asyncio.sleep(0.1)
    after = private_memory(process)
    # A slow client gets only the latest state, which includes all earlier moves.
    delays = [
        min(arrived for shown, arrived in watcher.arrived.items() if shown >= version) - sent[watcher.game, version]
        for watcher in watchers
        for version in range(2, watcher.game.version + 1)
    ]
    for watcher in watchers:
        watcher.transport.close()
    for connection in connections:
        connection.close()
    return before, idle, after, rate, delays
