"""Twenty classes of thirty at once on one process: how soon a move reaches the opponent's board and the wall.

Every pupil has two feeds open, one of the class and one of the game, and moves every five seconds. Every teacher has
the wall open. Clients and the server share the machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

from benchmarks.serving import MOVES, Connection, load_of_the_machine, processor_time, server
from benchmarks.streams import private_memory

CLASSES = 20
PUPILS = 30
PAUSE = 5.0  # seconds between two moves of a pupil


def table() -> str:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8000), hard))
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        command = ["-m", "digitduels", "serve", "--database", f"{folder}/games.sqlite", "--port"]
        with server(command, "/readyz") as (port, process):
            before, after, share, boards, walls = asyncio.run(teach(port, process))
    rows = ["| delivery of a move | moves | p50 | p99 |", "|---|---:|---:|---:|"]
    for name, times in (("to the opponent's board", boards), ("to the wall", walls)):
        percentiles = statistics.quantiles(times, n=100)
        rows.append(f"| {name} | {len(times):,} | {1000 * percentiles[49]:.0f} ms | {1000 * percentiles[98]:.0f} ms |")
    memory = f"The server uses {before / 1024:.0f} MiB of private memory before, and {after / 1024:.0f} MiB with"
    cpu = f"It uses {share:.0%} of one core."
    return "\n".join([*rows, "", f"{memory} {CLASSES} classes of {PUPILS}. {cpu} {load_of_the_machine(busy)}"])


class Feed:
    """A client of a live feed."""

    def __init__(self, port: int, path: str, token: str, receive: Callable[[bytes], None]) -> None:
        self._port, self._path, self._token, self._receive = port, path, token, receive

    async def read(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)
        head = (
            f"GET {self._path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAuthorization: Bearer {self._token}\r\n\r\n"
        )
        writer.write(head.encode())
        try:
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    self._receive(line[6:])
        finally:
            writer.close()


class Board:
    """A game of a class: its two tokens, and when each move was sent, reached a player and reached the wall."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.tokens: dict[int, str] = {}
        self.sent: dict[int, float] = {}
        self.arrived: dict[int, float] = {}
        self.shown: dict[int, float] = {}

    def receive(self, state: bytes) -> None:
        count = re.search(rb'"move_count":(\d+)', state)
        if count:
            self.arrived.setdefault(int(count[1]), time.perf_counter())


async def teach(port: int, process: int) -> tuple[float, float, float, list[float], list[float]]:
    """The server's memory before and after, its share of a core, and the delivery times to boards and to walls."""
    before = private_memory(process)
    boards: dict[str, Board] = {}
    feeds: list[asyncio.Task[None]] = []

    def wall(state: bytes) -> None:
        now = time.perf_counter()
        for board in json.loads(state)["boards"]:
            if board["id"] in boards:
                boards[board["id"]].shown.setdefault(board["moves"], now)

    def watch(path: str, token: str, receive: Callable[[bytes], None]) -> None:
        feeds.append(asyncio.create_task(Feed(port, path, token, receive).read()))

    for _ in range(CLASSES):
        connection = await Connection(port).open()
        await begin_class(connection, boards, watch, wall)
        connection.close()
    while not all(board.arrived for board in boards.values()):
        await asyncio.sleep(0.1)
    await asyncio.sleep(2)
    start, worked = time.perf_counter(), processor_time(process)
    await asyncio.gather(
        *(play(port, board, index / len(boards) * PAUSE / 2) for index, board in enumerate(boards.values()))
    )
    share = (processor_time(process) - worked) / (time.perf_counter() - start)
    await asyncio.sleep(2)
    after = private_memory(process)
    for feed in feeds:
        feed.cancel()
    await asyncio.gather(*feeds, return_exceptions=True)
    return before, after, share, delays(boards, lambda board: board.arrived), delays(boards, lambda board: board.shown)


def delays(boards: dict[str, Board], arrivals: Callable[[Board], dict[int, float]]) -> list[float]:
    """The delivery time of each move. A slow client gets only the latest state, which includes all earlier moves."""
    return [
        min(arrived for count, arrived in arrivals(board).items() if count >= number) - sent
        for board in boards.values()
        for number, sent in board.sent.items()
    ]


async def begin_class(
    connection: Connection, boards: dict[str, Board], watch: Callable[..., None], wall: Callable[[bytes], None]
) -> None:
    """Creates a class, joins and pairs its pupils, and opens everybody's feeds."""
    settings = {"game": "number-quest", "mode": "pairs", "key": secrets.token_urlsafe(24)}
    created = json.loads(await connection.post("/api/classes", settings))
    path, teacher = f"/api/classes/{created['code']}", created["token"]
    tokens = {}
    for number in range(1, PUPILS + 1):
        body = {"name": f"Pupil {number}", "key": secrets.token_urlsafe(24)}
        joined: Any = json.loads(await connection.post(f"{path}/pupils", body))
        tokens[joined["pupil"]] = joined["token"]
    pair = {"act": "pair", "version": PUPILS, "key": secrets.token_urlsafe(9)}
    state = json.loads(await connection.post(f"{path}/acts", pair, teacher))["state"]
    watch(f"{path}/events", teacher, wall)
    for view in state["boards"]:
        board = boards[view["id"]] = Board(view["id"])
        for seat, pupil in enumerate(view["pupils"]):
            board.tokens[seat] = tokens[pupil]
            watch(f"{path}/events", tokens[pupil], lambda _: None)
        watch(f"/api/games/{board.id}/events", board.tokens[0], board.receive)
        watch(f"/api/games/{board.id}/events", board.tokens[1], board.receive)


async def play(port: int, board: Board, wait: float) -> None:
    """Plays a game: both pupils move in turn, each every five seconds."""
    await asyncio.sleep(wait)
    start = time.perf_counter()
    for number, move in enumerate(MOVES):
        await asyncio.sleep(max(0, start + number * PAUSE / 2 - time.perf_counter()))
        connection = await Connection(port).open()
        body = {"version": number, "move": move, "key": secrets.token_urlsafe(9)}
        board.sent[number + 1] = time.perf_counter()
        await connection.post(f"/api/games/{board.id}/moves", body, board.tokens[number % 2])
        connection.close()
