"""Attacks on a server, and how long ordinary players wait meanwhile. `make soak` runs all of them.

    python tests/attacks.py                  every attack
    python tests/attacks.py flood feeds      these attacks

In every round, others play once undisturbed and once during the attack. The attack succeeds, and the run fails, if the
p99 of their requests grows more than threefold. The median of several rounds counts, since the machine does other work.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg

from databases import Postgresql, start_postgresql
from digitduels.web.streams.postgresql import CONNECTIONS
from servers import PATIENCE, QUICK, SERVE, Server

LONG = {"game": "number-quest", "options": {"highest": 99, "copies": 10, "target": 1_000_000}}
SHORT = [f"+{number}" for number in range(1, 7) for _ in range(2)]
ROUNDS = 5
MOST = 3.0  # times the p99 without the attack


# Players


class Player:
    """A client that plays both sides of a game from a random address, since each address has its own limits."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.moves: Iterator[str] = cycle(SHORT)
        self.turn = asyncio.Lock()
        self.address = {"X-Forwarded-For": f"198.51.100.{secrets.randbelow(250)}"}

    async def begin(self, **rules: Any) -> Player:
        body = {"game": "number-quest"} | rules
        created = (await self.client.post("/api/games", json=body, headers=self.address)).json()
        self.id = created["id"]
        body = {"invite": created["invite"]}
        joined = (await self.client.post(f"/api/games/{self.id}/seats", json=body, headers=self.address)).json()
        self.tokens = [created["token"], joined["token"]]
        self.version = 1
        return self

    @property
    def token(self) -> str:
        """The token of the player to move."""
        return str(self.tokens[(self.version - 1) % 2])

    async def move(self) -> httpx.Response:
        async with self.turn:
            body = {"version": self.version, "move": next(self.moves), "key": secrets.token_urlsafe(9)}
            headers = self.address | {"Authorization": f"Bearer {self.token}"}
            answer = await self.client.post(f"/api/games/{self.id}/moves", json=body, headers=headers)
            assert answer.status_code == 201, answer.text
            self.version += 1
            return answer

    async def play(self) -> None:
        """Plays a game by the book."""
        await self.begin()
        for _ in SHORT:
            await self.move()

    async def watch(self) -> Any:
        """Opens the feed of the game and returns the first state in it."""
        async with self.client.stream("GET", f"/api/games/{self.id}/events") as feed:
            return json.loads(await anext(line[6:] async for line in feed.aiter_lines() if line.startswith("data: ")))


async def long_game(client: httpx.AsyncClient, moves: int) -> Player:
    """An unfinished game with an even number of moves."""
    player = Player(client)
    player.moves = cycle(f"+{number}" for number in range(1, 100))
    return await player.begin(**LONG, moves=list(islice(player.moves, moves)))


async def seconds(request: Awaitable[object]) -> float:
    start = time.perf_counter()
    await request
    return time.perf_counter() - start


def connections_to(port: int) -> set[int]:
    """The remote ports of a server's connections, as the kernel lists them."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return {int(row[2].rpartition(":")[2], 16) for row in rows if row[1].endswith(f":{port:04X}")}


# What others do meanwhile: each returns the seconds of its requests.

Attack = Callable[[], Awaitable[object]]
Others = Callable[[httpx.AsyncClient], Awaitable[list[float]]]


async def play_games(client: httpx.AsyncClient) -> list[float]:
    """Moves in many games at a steady rate: a slow answer in one game delays no other game, as with real players."""
    games = [await Player(client).begin() for _ in range(25)]
    start = time.perf_counter()

    async def move(game: Player, due: float) -> float:
        await asyncio.sleep(due - time.perf_counter())
        await game.move()
        return time.perf_counter() - due

    turns = (game for _ in SHORT for game in games)
    return await asyncio.gather(*(move(game, start + number / 100) for number, game in enumerate(turns)))


async def start_games(client: httpx.AsyncClient) -> list[float]:
    return [await seconds(expect(201, client.post("/api/games", json={"game": "number-quest"}))) for _ in range(40)]


async def look_at_positions(client: httpx.AsyncClient) -> list[float]:
    path = "/api/position/number-quest?moves=%2B5"
    return [await seconds(expect(200, client.get(path))) for _ in range(60)]


async def play_a_variant(client: httpx.AsyncClient) -> list[float]:
    """Plays games of one variant against the computer, and returns how long each of its moves took."""
    spent = []
    for _ in range(6):
        client.headers["X-Forwarded-For"] = f"198.51.100.{secrets.randbelow(250)}"
        body = {"game": "number-quest", "options": {"target": 97}, "computer": {"level": 4}}
        answer = await client.post("/api/games", json=body)
        assert answer.status_code == 201, answer.text
        created = answer.json()
        state, headers = created["state"], {"Authorization": f"Bearer {created['token']}"}
        while state["outcome"] is None:
            move = {"version": state["version"], "move": state["legal"][0]["move"], "key": secrets.token_urlsafe(9)}
            path = f"/api/games/{created['id']}"
            start = time.perf_counter()
            state = (await client.post(f"{path}/moves", json=move, headers=headers)).json()["state"]
            while state["outcome"] is None and state["player"] != 1:
                await asyncio.sleep(0.01)
                # From many addresses: one may not ask this often.
                headers_of_another = {"X-Forwarded-For": f"203.0.113.{secrets.randbelow(250)}"}
                state = (await client.get(path, headers=headers_of_another)).json()
            spent.append(time.perf_counter() - start)
    return spent


async def expect(status: int, request: Awaitable[httpx.Response]) -> None:
    assert (await request).status_code == status


# Attacks: each prepares itself with the servers that it needs, and yields what happens repeatedly.


class Target(NamedTuple):
    """What an attack is directed at."""

    server: Server
    client: httpx.AsyncClient
    postgresql: Postgresql
    database: str


@asynccontextmanager
async def reading(target: Target) -> AsyncIterator[Attack]:
    """Reading a long game."""
    game = await long_game(target.client, 980)
    yield at_a_rate(29, lambda: target.client.get(f"/api/games/{game.id}"))


@asynccontextmanager
async def feeds(target: Target) -> AsyncIterator[Attack]:
    """Opening feeds of a long game."""
    yield at_a_rate(29, (await long_game(target.client, 980)).watch)


@asynccontextmanager
async def questions(target: Target) -> AsyncIterator[Attack]:
    """Slow questions from many addresses."""
    while (await target.client.get("/readyz")).status_code != 200:
        await asyncio.sleep(0.1)
    number = count()

    async def ask() -> None:
        here = next(number)
        path = (f"/api/sheet?game=number-quest&count=24&seed={here}", f"/api/solve/number-duel?target={here}")
        await target.client.get(path[here % 2], headers={"X-Forwarded-For": f"192.0.2.{here % 200}"}, timeout=5)

    yield at_a_rate(10, ask)  # as many as one address may have open, which keeps the workers busy


@asynccontextmanager
async def variants(target: Target) -> AsyncIterator[Attack]:
    """Starting games of a large variant."""
    moves = [f"+{number}" for number in range(1, 90)]
    yield at_a_rate(10, lambda: target.client.post("/api/games", json={**LONG, "moves": moves}))


@asynccontextmanager
async def new_rules(target: Target) -> AsyncIterator[Attack]:
    """Games against the computer, each with other rules."""
    yield at_a_rate(10, _new_variants(target.client))


@asynccontextmanager
async def locked(target: Target) -> AsyncIterator[Attack]:
    """Moves in a game whose row is locked."""
    game = await Player(target.client).begin()
    body = {"version": 1, "move": "+5", "key": secrets.token_urlsafe(9)}
    headers = {"Authorization": f"Bearer {game.token}"}

    async def wait() -> None:
        path = f"/api/games/{game.id}/moves"
        waiting = (target.client.post(path, json=body, headers=headers) for _ in range(CONNECTIONS + 1))
        assert {answer.status_code for answer in await asyncio.gather(*waiting)} == {503}

    with psycopg.connect(target.database) as lock:
        lock.execute("SELECT 1 FROM stream WHERE id = %s FOR UPDATE", (game.id,))
        yield wait


@asynccontextmanager
async def paused_server(target: Target) -> AsyncIterator[Attack]:
    """A second server that is suspended in the middle of its moves."""
    with Server(target.database, QUICK) as paused:
        async with httpx.AsyncClient(base_url=paused.url, timeout=PATIENCE) as there:

            async def stop_in_the_middle() -> None:
                games = [await Player(there).begin() for _ in range(8)]
                async with asyncio.TaskGroup() as moves:
                    for game in games:
                        moves.create_task(_quietly(game.move))
                    await asyncio.sleep(0.005)
                    await asyncio.to_thread(paused.pause, 1.0)

            yield stop_in_the_middle


@asynccontextmanager
async def paused_database(target: Target) -> AsyncIterator[Attack]:
    """A database that is suspended again and again."""
    game = await Player(target.client).begin()
    body = {"version": 1, "move": "+5", "key": secrets.token_urlsafe(9)}
    headers = {"Authorization": f"Bearer {game.token}"}

    async def pause() -> None:
        path = f"/api/games/{game.id}/moves"
        async with asyncio.TaskGroup() as stuck:
            for _ in range(20):
                stuck.create_task(target.client.post(path, json=body, headers=headers))
            await asyncio.to_thread(target.postgresql.pause, 1.0)

    yield pause


@asynccontextmanager
async def deaf(target: Target) -> AsyncIterator[Attack]:
    """Clients that open feeds and read nothing."""

    async def read_nothing() -> None:
        game = await long_game(target.client, 20)
        with ExitStack() as stack:
            for _ in range(40):
                connection = stack.enter_context(socket.socket())
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(("127.0.0.1", target.server.port))
                connection.sendall(f"GET /api/games/{game.id}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            for _ in range(30):
                await game.move()
                await asyncio.sleep(0.02)
            await asyncio.sleep(1.5)  # until they are disconnected

    yield read_nothing


@asynccontextmanager
async def connections(target: Target) -> AsyncIterator[Attack]:
    """More connections than one address may have."""

    async def connect() -> None:
        with ExitStack() as stack:
            for _ in range(60):
                connection = stack.enter_context(socket.socket())
                connection.setblocking(False)
                connection.bind(("127.0.0.2", 0))
                with suppress(ConnectionError):  # already refused
                    await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", target.server.port))
            await asyncio.sleep(0.1)

    yield connect


@asynccontextmanager
async def flood(target: Target) -> AsyncIterator[Attack]:
    """More requests than one address may make."""
    while (await target.client.get("/api/games/nosuchgame12", headers=ONE_ADDRESS)).status_code != 429:
        pass
    yield at_a_rate(60, lambda: target.client.get("/api/games/x", headers=ONE_ADDRESS))


ONE_ADDRESS = {"X-Forwarded-For": "192.0.2.1"}


@asynccontextmanager
async def pages(target: Target) -> AsyncIterator[Attack]:
    """Pages and positions with long queries."""
    yield at_a_rate(60, _long_links(target.client))


@asynccontextmanager
async def pictures(target: Target) -> AsyncIterator[Attack]:
    """Ever new QR codes."""
    yield at_a_rate(60, _new_pictures(target))


@asynccontextmanager
async def classes(target: Target) -> AsyncIterator[Attack]:
    """Four classes with 60 pupils each that begin one round after the other."""
    yield at_a_rate(20, await _rounds(target.client, 4))


@asynccontextmanager
async def everything(target: Target) -> AsyncIterator[Attack]:
    """All that one address may do, together."""
    game = await long_game(target.client, 980)
    others = [_long_links(target.client), _new_pictures(target), await _rounds(target.client, 4)]
    others.append(_new_variants(target.client))

    async def read() -> None:
        await target.client.get(f"/api/games/{game.id}", headers=ONE_ADDRESS)

    acts = cycle([*others, read])
    yield at_a_rate(150, lambda: next(acts)())


def _long_links(client: httpx.AsyncClient) -> Attack:
    moves = "+".join(f"%2B{number}" for number in range(1, 99) for _ in range(10))
    paths = cycle(
        f"/{area}/number-quest?highest=99&copies=10&target=1000000&moves={moves}" for area in ("play", "api/position")
    )
    return lambda: client.get(next(paths), headers=ONE_ADDRESS)


def _new_variants(client: httpx.AsyncClient) -> Attack:
    number = count(100)

    async def begin() -> None:
        body = {"game": "number-quest", "options": {"target": next(number)}, "computer": {"level": 6}, "seat": 2}
        await client.post("/api/games", json=body, headers=ONE_ADDRESS)

    return begin


def _new_pictures(target: Target) -> Attack:
    number = count()
    links = ({"text": f"{target.server.url}/j/{next(number):050}"} for _ in count())
    return lambda: target.client.get("/api/qr", params=next(links), headers=ONE_ADDRESS)


async def _rounds(client: httpx.AsyncClient, count: int) -> Attack:
    """Starts classes, and returns an act that begins the next round of one of them."""
    started = []
    for _ in range(count):
        body = {"game": "number-quest", "mode": "rounds", "key": secrets.token_urlsafe(24)}
        created = (await client.post("/api/classes", json=body, headers=ONE_ADDRESS)).json()
        for number in range(60):
            pupil = {"name": f"Pupil {number}", "key": secrets.token_urlsafe(24)}
            await client.post(f"/api/classes/{created['code']}/pupils", json=pupil, headers=ONE_ADDRESS)
            await asyncio.sleep(0.1)  # within the limits
        started.append(created)
    turns = cycle(started)

    async def next_round() -> None:
        created = next(turns)
        path, headers = f"/api/classes/{created['code']}", ONE_ADDRESS | {"Authorization": f"Bearer {created['token']}"}
        act = "next" if created["state"]["round"] else "pair"
        body = {"act": act, "version": created["state"]["version"], "key": secrets.token_urlsafe(9)}
        answer = await client.post(f"{path}/acts", json=body, headers=headers)
        if answer.status_code in (201, 409):
            created["state"] = answer.json()["state"]

    return next_round


def at_a_rate(rate: int, ask: Attack) -> Attack:
    """An attack that sends this many requests per second without waiting for the responses."""

    async def attack() -> None:
        async with asyncio.TaskGroup() as asking:
            for _ in range(rate):
                asking.create_task(_quietly(ask))
                await asyncio.sleep(1 / rate)

    return attack


async def _quietly(ask: Attack) -> None:
    """Sends a request and ignores network errors."""
    with suppress(httpx.TransportError, OSError):
        await ask()


class Scenario(NamedTuple):
    attack: Callable[[Target], Any]
    others: Others = play_games
    postgresql: bool = False
    workers: bool = False
    settings: dict[str, object] = {}


LIMITED: dict[str, object] = {"rate": 30, "burst": 300}  # the defaults, which tests otherwise turn off
SCENARIOS = (
    Scenario(reading, workers=True),
    Scenario(feeds, workers=True),
    Scenario(questions, workers=True),
    Scenario(variants, start_games, workers=True),
    Scenario(new_rules, play_a_variant, workers=True, settings=LIMITED),
    Scenario(locked, postgresql=True),
    Scenario(paused_server, postgresql=True),
    Scenario(paused_database, look_at_positions, postgresql=True),
    Scenario(deaf, settings={"stalled": 1}),
    Scenario(connections, settings={"connections": 120, "proxies": "192.0.2.1"}),
    Scenario(flood, settings=LIMITED),
    Scenario(pages, settings=LIMITED),
    Scenario(pictures, settings=LIMITED),
    Scenario(classes, settings=LIMITED),
    Scenario(everything, workers=True, settings=LIMITED),
)


# Measuring


async def measure(scenario: Scenario, postgresql: Postgresql, folder: Path) -> list[tuple[float, float]]:
    """The p99 of others' requests in every round: without and during the attack."""
    database = postgresql.database() if scenario.postgresql else str(folder / f"{scenario.attack.__name__}.sqlite")
    command = SERVE if scenario.workers else QUICK
    rounds = []
    with Server(database, command, **scenario.settings) as server:
        async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
            target = Target(server, client, postgresql, database)
            await scenario.others(client)
            async with scenario.attack(target) as attack:
                for _ in range(ROUNDS):
                    quiet = p99(await scenario.others(client))
                    attacking = asyncio.create_task(_repeat(attack))
                    await asyncio.sleep(0.2)
                    loud = p99(await scenario.others(client))
                    assert not attacking.done(), attacking.exception()
                    attacking.cancel()
                    await asyncio.gather(attacking, return_exceptions=True)
                    rounds.append((quiet, loud))
    return rounds


def p99(spent: list[float]) -> float:
    return statistics.quantiles(spent, n=100)[98]


async def _repeat(attack: Attack) -> None:
    while True:
        await attack()


def main() -> int:
    names = {scenario.attack.__name__: scenario for scenario in SCENARIOS}
    parser = argparse.ArgumentParser(description="Attacks servers, and measures how long others wait.")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=", ".join(names))
    chosen = parser.parse_args().attacks or list(names)
    successful = []
    postgresql = start_postgresql()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name in chosen:
                rounds = asyncio.run(measure(names[name], postgresql, Path(folder)))
                quiet, loud = (1000 * statistics.median(times) for times in zip(*rounds, strict=True))
                print(f"{name:16} p99 {quiet:6.1f} ms, attacked {loud:6.1f} ms: {loud / quiet:.2f} times", flush=True)
                if loud > MOST * quiet:
                    successful.append(name)
    finally:
        postgresql.stop()
    if successful:
        print(f"Others waited more than {MOST:g} times as long: {', '.join(successful)}")
    return 1 if successful else 0


if __name__ == "__main__":
    sys.exit(main())
