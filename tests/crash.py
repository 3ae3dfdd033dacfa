"""The crash harness: many clients play while servers and databases are killed. No acknowledged act may be lost,
duplicated or reordered.

    python tests/crash.py --kills 200                 the long run, with SQLite
    python tests/crash.py --kills 200 --postgresql    two servers and a PostgreSQL that is killed as well

Clients misbehave as real ones do: they send a request twice, send two moves for one turn, use outdated versions,
and retry unanswered requests with the same idempotency key.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import secrets
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from databases import Postgresql, start_postgresql
from digitduels.web.classes.state import Classroom
from digitduels.web.rooms.state import Room
from digitduels.web.streams.connect import open_store
from digitduels.web.streams.store import Event, Store, Stream
from servers import QUICK, Server

GAMES = (
    {"game": "number-quest"},
    {"game": "numerical-nexus"},
    {"game": "operation-target", "options": {"target": 500}},
    {"game": "number-duel", "computer": {"level": 1}},
)
TEACHING: dict[str, dict[str, Any]] = {"rename": {"pupil": 1, "name": "Ann"}, "remove": {"pupil": 2}}
SURE = 120.0  # seconds after which a client without a response gives up


class Acknowledged(NamedTuple):
    """An act that a server has acknowledged as stored."""

    game: str
    key: str
    kind: str
    move: str | None
    answered: int
    """The version that the request named."""
    accepted: int
    new: bool


@dataclass
class Report:
    """The counts of a run, and the faults that were found."""

    kills: int = 0
    pauses: int = 0
    stalls: int = 0
    restarts: int = 0
    acknowledged: list[Acknowledged] = field(default_factory=list)
    answers: Counter[int] = field(default_factory=Counter)
    unanswered: int = 0
    games: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    taught: list[Acknowledged] = field(default_factory=list)
    """The acknowledged acts of teachers and of pupils who joined."""
    faults: list[str] = field(default_factory=list)
    seen: dict[tuple[str, int], str] = field(default_factory=dict)
    """The content of a game at each version that a client has seen, as a hash."""
    looks: int = 0
    acknowledgement: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at every acknowledged act."""

    def look(self, state: Any) -> None:
        """Checks that every server shows the same content for a version; only `away` may differ."""
        comparable = {**state, "seats": [{**seat, "away": None} for seat in state["seats"]]}
        content = hashlib.sha256(json.dumps(comparable, sort_keys=True).encode()).hexdigest()
        self.looks += 1
        if self.seen.setdefault((state["id"], state["version"]), content) != content:
            self.faults.append(f"two contents of version {state['version']} of {state['id']}")

    def __str__(self) -> str:
        moves = len({(act.game, act.key) for act in self.acknowledged})
        codes = ", ".join(f"{count} x {code}" for code, count in sorted(self.answers.items()))
        return (
            f"{self.kills} servers and {self.restarts} databases killed, {self.pauses} servers "
            f"and {self.stalls} databases paused; "
            f"{len(self.games)} games, {len(self.classes)} classes with {len(self.taught)} acts, "
            f"{self.looks} states compared, "
            f"{moves} acts acknowledged, {self.unanswered} requests unanswered, answers: {codes}; "
            f"{len(self.faults)} faults\n" + "\n".join(self.faults[:20])
        )


class LostGame(Exception):
    """A server does not know a game that it has created."""


class Table:
    """Two clients that play one game after another."""

    def __init__(self, client: httpx.AsyncClient, urls: Sequence[str], report: Report, rng: random.Random) -> None:
        self.client, self.urls, self.report, self.rng = client, urls, report, rng
        self.enough = False

    async def post(self, path: str, body: dict[str, Any], token: str | None = None) -> tuple[int, Any]:
        """Sends the same request to any of the servers until one responds."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        end = time.monotonic() + SURE
        while time.monotonic() < end:
            try:
                answer = await self.client.post(f"{self.rng.choice(self.urls)}{path}", json=body, headers=headers)
            except httpx.TransportError:
                self.report.unanswered += 1
                await asyncio.sleep(0.05)
                continue
            self.report.answers[answer.status_code] += 1
            if answer.status_code != 503:
                content = answer.json()
                if "legal" in (content.get("state") or {}):
                    self.report.look(content["state"])
                return answer.status_code, content
            await asyncio.sleep(0.05)
        raise AssertionError(f"{path} was never answered")

    async def act(self, id: str, token: str, kind: str, version: int, **more: Any) -> Any:
        """Performs an act, sometimes sending it twice, and returns the state afterwards."""
        key = secrets.token_urlsafe(9)
        body = {"version": version, "key": key, **more}
        times = 2 if self.rng.random() < 0.3 else 1
        answers = await asyncio.gather(*(self.post(f"/api/games/{id}/{kind}", body, token) for _ in range(times)))
        for code, answer in answers:
            if code in (200, 201):
                move = more.get("move")
                acknowledgement = Acknowledged(id, key, kind, move, version, answer["accepted"], code == 201)
                self.report.acknowledged.append(acknowledgement)
                self.report.acknowledgement.set()
            elif code not in (409, 410, 423):
                self.report.faults.append(f"{kind} {body} was answered {code}: {answer}")
        states = [answer["state"] for _, answer in answers if "state" in answer] or [await self.look(id)]
        return max(states, key=lambda state: int(state["version"]))

    async def play(self) -> None:
        """Plays games until `enough` is set."""
        while not self.enough:
            try:
                await self.game()
            except LostGame as lost:
                self.report.faults.append(f"lost: the game {lost}")

    async def game(self) -> None:
        rules = self.rng.choice(GAMES)
        _, created = await self.post("/api/games", rules)
        id, tokens = created["id"], {1: created["token"]}
        self.report.games.append(id)
        if "computer" not in rules:
            body = {"invite": created["invite"], "key": secrets.token_urlsafe(24)}
            code, joined = await self.post(f"/api/games/{id}/seats", body)
            if code == 404:
                raise LostGame(id)
            tokens[2] = joined["token"]
        state = await self.look(id)
        while not self.enough and state["outcome"] is None:
            state = await self.turn(id, tokens, state)
        if state["outcome"] is not None and len(tokens) == 2:
            state = await self.act(id, tokens[1], "rematch", state["version"])
            self.report.games.append(state["rematch"])

    async def look(self, id: str) -> Any:
        """Reads the state of a game, with retries."""
        end = time.monotonic() + SURE
        while time.monotonic() < end:
            try:
                answer = await self.client.get(f"{self.rng.choice(self.urls)}/api/games/{id}")
                if answer.status_code == 200:
                    self.report.look(answer.json())
                    return answer.json()
                if answer.status_code == 404:
                    raise LostGame(id)
            except httpx.TransportError:
                self.report.unanswered += 1
            await asyncio.sleep(0.05)
        raise AssertionError(f"{id} was never shown")

    async def turn(self, id: str, tokens: dict[int, str], state: Any) -> Any:
        token = tokens.get(state["player"])
        if token is None:  # the computer is to move
            await asyncio.sleep(0.05)
            return await self.look(id)
        moves = [each["move"] for each in state["legal"]]
        version, chance = state["version"], self.rng.random()
        if chance > 0.95 and len(tokens) == 2 and state["move_count"] > 1:
            return await self.take_back(id, tokens, state)
        acts = [self.act(id, token, "moves", version, move=self.rng.choice(moves))]
        if chance < 0.2:  # two moves for one turn
            acts.append(self.act(id, token, "moves", version, move=self.rng.choice(moves)))
        elif chance < 0.3 and version > 2:  # an outdated tab
            acts.append(self.act(id, token, "moves", version - 2, move=self.rng.choice(moves)))
        elif chance < 0.32 and len(tokens) == 2:
            acts.append(self.act(id, token, "concede", version))
        states = await asyncio.gather(*acts)
        return max(states, key=lambda state: int(state["version"]))

    async def take_back(self, id: str, tokens: dict[int, str], state: Any) -> Any:
        seat = state["player"]
        offer = await self.act(id, tokens[seat], "takeback", state["version"])
        return await self.act(id, tokens[3 - seat], "takeback", offer["version"], answer="accept")


class Lesson(Table):
    """A teacher and some pupils, in one class after another."""

    async def game(self) -> None:
        body = {**GAMES[2], "mode": self.rng.choice(("pairs", "rounds", "computer")), "level": 1}
        _, begun = await self.post("/api/classes", {**body, "key": secrets.token_urlsafe(24)})
        code, token = begun["code"], begun["token"]
        self.report.classes.append(code)
        pupils = await asyncio.gather(*(self.join(code, f"Pupil {number}") for number in range(5)))
        acts = ["pair", "pause", "resume", "next", "pause", "rename", "resume", "settings", "remove", "next", "end"]
        version = 0
        for act in acts:
            version = await self.teach(code, token, act, version, **TEACHING.get(act, {}))
            if self.enough:
                return
            await asyncio.gather(*(self.move(code, pupil) for pupil in pupils))

    async def join(self, code: str, name: str) -> str:
        """Joins a class, sometimes sending the request twice with the same key, and returns the pupil's token."""
        key = secrets.token_urlsafe(24)
        times = 2 if self.rng.random() < 0.3 else 1
        body = {"name": name, "key": key}
        answers = await asyncio.gather(*(self.post(f"/api/classes/{code}/pupils", body) for _ in range(times)))
        if any(status == 404 for status, _ in answers):
            raise LostGame(code)
        numbers = {answer["pupil"] for _, answer in answers}
        if len(numbers) != 1 or sum(status == 201 for status, _ in answers) > 1:
            self.report.faults.append(f"joined {numbers} times: {answers}")
        return str(answers[0][1]["token"])

    async def teach(self, code: str, token: str, act: str, version: int, **more: Any) -> int:
        """Performs a teacher's act, sometimes sent twice, with retries after version conflicts; returns the version."""
        for _ in range(20):
            key = secrets.token_urlsafe(9)
            body = {"act": act, "version": version, "key": key, **more}
            times = 2 if self.rng.random() < 0.3 else 1
            path = f"/api/classes/{code}/acts"
            answers = await asyncio.gather(*(self.post(path, body, token) for _ in range(times)))
            for status, answer in answers:
                if status in (200, 201):
                    acknowledgement = Acknowledged(code, key, act, None, version, answer["accepted"], status == 201)
                    self.report.taught.append(acknowledgement)
                elif status not in (409, 410, 422, 423):
                    self.report.faults.append(f"{act} {body} was answered {status}: {answer}")
            states = [answer["state"] for _, answer in answers if answer.get("state")]
            if states:
                version = max(state["version"] for state in states)
            if answers[0][0] != 409:
                return version
        return version

    async def move(self, code: str, token: str) -> None:
        status, state = await self.get(f"/api/classes/{code}", token)
        game = state.get("game") if status == 200 else None
        if game is None:
            return
        current = await self.look(game["id"])
        if current["player"] == game["seat"] and current["paused"] is None and not current["closed"]:
            await self.act(game["id"], game["token"], "moves", current["version"], move=current["legal"][0]["move"])

    async def get(self, path: str, token: str) -> tuple[int, Any]:
        """Sends a GET request until there is a response."""
        end = time.monotonic() + SURE
        while time.monotonic() < end:
            try:
                headers = {"Authorization": f"Bearer {token}"}
                answer = await self.client.get(f"{self.rng.choice(self.urls)}{path}", headers=headers)
                if answer.status_code < 500:
                    return answer.status_code, answer.json()
            except httpx.TransportError:
                self.report.unanswered += 1
            await asyncio.sleep(0.05)
        raise AssertionError(f"{path} was never answered")


async def examine(database: str, report: Report) -> None:
    """Compares the acknowledged acts with the stored events, and each class with its games."""
    store = open_store(database)
    events: dict[str, dict[str, Event]] = {}
    try:
        for code in report.classes:
            kept = await store.read(code)
            events[code] = by_key(code, kept, report)
            if kept is not None:
                await examine_tables(store, Classroom(kept), report)
        for id in report.games:
            game = await store.read(id)
            events[id] = by_key(id, game, report)
            try:
                if game is not None:
                    Room(game)
            except ValueError as error:
                report.faults.append(f"{id} breaks the rules: {error}")
    finally:
        await store.close()
    examine_acts(events, report)


def by_key(id: str, kept: Stream | None, report: Report) -> dict[str, Event]:
    """The events of a game or class by their keys; reports missing and unordered ones."""
    if kept is None:
        report.faults.append(f"lost: {id}")
        return {}
    versions = [event.version for event in kept.events]
    if versions != list(range(1, kept.head + 1)):
        report.faults.append(f"{id} has head {kept.head} and versions {versions}")
    return {event.key: event for event in kept.events}


async def examine_tables(store: Store, classroom: Classroom, report: Report) -> None:
    """Compares a class with its games, and adds these to the games to examine."""
    for table in classroom.tables:
        report.games.append(table.id)
        game = await store.read(table.id)
        room = game and Room(game)
        if room and not room.over and (room.paused != classroom.paused or table.round != classroom.round):
            report.faults.append(f"the game {table.id} does not agree with its class {classroom.id}")


def examine_acts(events: dict[str, dict[str, Event]], report: Report) -> None:
    """Checks that every acknowledged act is stored once and unchanged."""
    new: Counter[tuple[str, str]] = Counter()
    at: dict[tuple[str, int], str] = {}
    for entry in (*report.acknowledged, *report.taught):
        event = events.get(entry.game, {}).get(entry.key)
        if event is None:
            report.faults.append(f"lost: {entry}")
            continue
        if event.version != entry.accepted or (entry.move is not None and event.body.get("move") != entry.move):
            report.faults.append(f"kept otherwise: {entry}, {event}")
        if entry.accepted != entry.answered + 1:
            report.faults.append(f"out of turn: {entry}")
        if at.setdefault((entry.game, entry.accepted), entry.key) != entry.key:
            report.faults.append(f"two acts at one version: {entry}")
        new[entry.game, entry.key] += entry.new
    report.faults += [f"done {count} times: {act}" for act, count in new.items() if count > 1]


def lock(file: str, seconds: float) -> None:
    """Holds the write lock of an SQLite file, like a program that hangs in a transaction."""
    with closing(sqlite3.connect(file, isolation_level=None, timeout=SURE)) as other:
        other.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)


async def crash(
    database: str,
    kills: int,
    *,
    servers: int = 1,
    tables: int = 6,
    lessons: int = 2,
    fault: str = "none",
    restart: Callable[[], None] | None = None,
    pause: Callable[[float], None] | None = None,
    seed: int = 0,
    until: Callable[[Report], bool] = lambda _: True,
    progress: Callable[[Report], None] = lambda _: None,
) -> Report:
    """Kills servers while clients play. If `restart` is given, kills the database and the servers alternately.

    Servers and the database are also paused. For SQLite, another program locks the file instead. After the last kill,
    the clients play on `until` the report has covered enough.
    """
    report, rng = Report(), random.Random(seed)
    running = [Server(database, (*QUICK[:-1], fault)) for _ in range(servers)]
    try:
        for server in running:
            await asyncio.to_thread(server.start)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=50)
        async with httpx.AsyncClient(limits=limits, timeout=20) as client:
            urls = [server.url for server in running]
            kinds = [Table] * tables + [Lesson] * lessons
            playing = [
                kind(client, urls, report, random.Random(f"{seed} {number}")) for number, kind in enumerate(kinds)
            ]
            tasks = [asyncio.create_task(table.play()) for table in playing]
            while report.kills + report.restarts < kills:
                await asyncio.sleep(rng.uniform(0.2, 0.9))
                for task in tasks:
                    if task.done():
                        task.result()
                if restart is not None and report.restarts < report.kills:
                    await asyncio.to_thread(restart)
                    report.restarts += 1
                else:
                    server = rng.choice(running)
                    if report.kills % 2 == 0:  # every other kill comes right after an acknowledgement
                        report.acknowledgement.clear()
                        await asyncio.wait_for(report.acknowledgement.wait(), SURE)
                    server.kill()
                    report.kills += 1
                    await asyncio.to_thread(server.start)
                    if report.kills % 2:
                        await asyncio.to_thread(rng.choice(running).pause, rng.uniform(0.2, 1.5))
                        report.pauses += 1
                    else:
                        await asyncio.to_thread(pause or partial(lock, database), rng.uniform(0.2, 1.5))
                        report.stalls += 1
                progress(report)
            end = time.monotonic() + SURE
            await asyncio.sleep(0.5)
            while not until(report) and time.monotonic() < end:
                await asyncio.sleep(0.1)
            for table in playing:
                table.enough = True
            await asyncio.gather(*tasks)
        for server in running:
            await asyncio.to_thread(server.kill)
        await examine(database, report)
    finally:
        for server in running:
            server.__exit__()
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description="Kills servers while clients play, and counts what is lost.")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--postgresql", action="store_true", help="two servers and a PostgreSQL that is killed too")
    parser.add_argument("--seed", type=int, default=random.getrandbits(32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no server stays behind

    def progress(report: Report) -> None:
        if (report.kills + report.restarts) % 20 == 0:
            print(f"{report.kills + report.restarts} kills, {len(report.acknowledged)} answers", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        server: Postgresql | None = start_postgresql() if arguments.postgresql else None
        try:
            report = asyncio.run(
                crash(
                    server.database() if server else str(Path(folder) / "games.sqlite"),
                    arguments.kills,
                    servers=2 if server else 1,
                    restart=server.restart if server else None,
                    pause=server.pause if server else None,
                    seed=arguments.seed,
                    progress=progress,
                )
            )
        finally:
            if server:
                server.stop()
    print(report)
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
