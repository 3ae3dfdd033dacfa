"""Games in an SQLite file: one thread does all the work, and commits whatever is queued in one transaction."""

from __future__ import annotations

import asyncio
import json
import queue
import sqlite3
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from digitduels.web.store.interface import AT_ONCE, Change, Glance, Kept, Rule, Seat, StoreError, assembled, pending

T = TypeVar("T")

_MOST_QUEUED = 2_000
MOST_TOGETHER = 200  # jobs of one transaction

MIGRATIONS = (
    """
    CREATE TABLE game (
        id TEXT PRIMARY KEY, rules TEXT NOT NULL, invite BLOB, head INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'playing', 'over', 'closed')), due INTEGER NOT NULL,
        created REAL NOT NULL, touched REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX game_due ON game (touched) WHERE due = 1;
    CREATE INDEX game_status ON game (status, touched);
    CREATE TABLE seat (
        game TEXT NOT NULL REFERENCES game, seat INTEGER NOT NULL CHECK (seat IN (0, 1)), token BLOB,
        name TEXT NOT NULL, level INTEGER, seen REAL NOT NULL, PRIMARY KEY (game, seat)
    ) WITHOUT ROWID;
    CREATE TABLE event (
        game TEXT NOT NULL REFERENCES game, version INTEGER NOT NULL, seat INTEGER CHECK (seat IN (0, 1)),
        kind TEXT NOT NULL, body TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (game, version), UNIQUE (game, key)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TRIGGER event_stays BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
    CREATE TRIGGER event_lasts BEFORE DELETE ON event
    WHEN (SELECT status FROM game WHERE id = OLD.game) IS NOT 'open'
    BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
    """,
)


class Job(NamedTuple):
    """Something to do in the database, and who waits for it."""

    work: Callable[[sqlite3.Connection], Any]
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Any]


class SqliteStore:
    """A store in a file. Other processes may use the file too; their changes are found by looking."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, isolation_level=None, timeout=10, check_same_thread=False)
            self._prepare()
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"The database {path} cannot be used: {error}.") from None
        self._jobs: queue.Queue[Job | None] = queue.Queue(_MOST_QUEUED)
        self._writer = threading.Thread(target=self._write, name="sqlite", daemon=True)
        self._writer.start()

    def _prepare(self) -> None:
        try:
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                self._database.execute(f"PRAGMA {pragma}")
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("CREATE TABLE IF NOT EXISTS version (number INTEGER NOT NULL)")
            found = self._database.execute("SELECT coalesce(max(number), 0) FROM version").fetchone()[0]
            for number in pending(found, len(MIGRATIONS)):
                for statement in statements(MIGRATIONS[number]):
                    self._database.execute(statement)
                self._database.execute("INSERT INTO version VALUES (?)", (number + 1,))
            self._database.execute("COMMIT")
        except BaseException:
            self._database.close()  # which takes back what was begun
            raise

    # The thread that works.

    def _write(self) -> None:
        while (job := self._jobs.get()) is not None:
            jobs = [job]
            while len(jobs) < MOST_TOGETHER:
                try:
                    more = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    self._jobs.put(None)
                    break
                jobs.append(more)
            self._together(jobs)
        self._database.close()

    def _together(self, jobs: list[Job]) -> None:
        """Does jobs in one transaction, and answers them when it is kept."""
        answers: list[tuple[Any, Exception | None]] = []
        try:
            self._database.execute("BEGIN IMMEDIATE")
            for job in jobs:
                self._database.execute("SAVEPOINT job")
                try:
                    answers.append((job.work(self._database), None))
                except Exception as error:  # of this job alone: the others go on
                    self._database.execute("ROLLBACK TO job")
                    answers.append((None, error))
                self._database.execute("RELEASE job")
            self._commit()
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")
            answers = [(None, StoreError(f"The database cannot be written: {error}."))] * len(jobs)
        for job, (result, refusal) in zip(jobs, answers, strict=True):
            with suppress(RuntimeError):  # a loop that has ended waits for nothing
                job.loop.call_soon_threadsafe(_answer, job.answer, result, refusal)

    def _commit(self) -> None:
        self._database.execute("COMMIT")

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        try:
            self._jobs.put_nowait(Job(work, loop, answer))
        except queue.Full:
            raise StoreError("The server is busy. Try again in a moment.") from None
        return await answer

    # What a store does.

    async def create(self, game: Kept) -> None:
        await self._do(lambda database: _insert(database, game))

    async def read(self, id: str) -> Kept | None:
        return await self._do(lambda database: _read(database, id))

    async def change(self, id: str, rule: Rule[T]) -> T | None:
        def work(database: sqlite3.Connection) -> T | None:
            game = _read(database, id)
            if game is None:
                return None
            change, answer = rule(game)
            if change is not None:
                _apply(database, id, change)
            return answer

        return await self._do(work)

    async def glance(self, ids: Collection[str]) -> dict[str, Glance]:
        def work(database: sqlite3.Connection) -> dict[str, Glance]:
            wanted = (json.dumps(list(ids)),)
            heads = database.execute("SELECT id, head FROM game WHERE id IN (SELECT value FROM json_each(?))", wanted)
            seen: dict[str, list[tuple[int, float]]] = {id: [] for id in ids}
            for id, seat, at in database.execute(
                "SELECT game, seat, seen FROM seat WHERE level IS NULL AND game IN (SELECT value FROM json_each(?)) "
                "ORDER BY seat",
                wanted,
            ):
                seen[id].append((seat, at))
            return {id: Glance(head, tuple(seen[id])) for id, head in heads}

        return await self._do(work)

    async def see(self, people: Collection[tuple[str, int]], at: float) -> None:
        rows = [(at, *person) for person in people]
        await self._do(
            lambda database: database.executemany("UPDATE seat SET seen = ? WHERE game = ? AND seat = ?", rows)
        )

    async def due(self, before: float) -> list[str]:
        return await self._some("due = 1 AND touched < ?", before)

    async def idle(self, before: float) -> list[str]:
        return await self._some("status = 'playing' AND touched < ?", before)

    async def _some(self, where: str, before: float) -> list[str]:
        query = f"SELECT id FROM game WHERE {where} ORDER BY touched LIMIT {AT_ONCE}"  # noqa: S608  our own words
        return await self._do(lambda database: [id for (id,) in database.execute(query, (before,))])

    async def forget(self, before: float) -> list[str]:
        def work(database: sqlite3.Connection) -> list[str]:
            query = f"SELECT id FROM game WHERE status = 'open' AND created < ? LIMIT {AT_ONCE}"  # noqa: S608
            ids = database.execute(query, (before,)).fetchall()
            for table, column in (("event", "game"), ("seat", "game"), ("game", "id")):
                database.executemany(f"DELETE FROM {table} WHERE {column} = ?", ids)  # noqa: S608
            return [id for (id,) in ids]

        return await self._do(work)

    def watch(self, told: Callable[[dict[str, int] | None], None]) -> None:
        """Other processes are rare, and found by looking."""

    async def check(self) -> None:
        await self._do(lambda database: database.execute("SELECT number FROM version").fetchone())

    async def close(self) -> None:
        await asyncio.to_thread(self._jobs.put, None)
        await asyncio.to_thread(self._writer.join)


def _answer(future: asyncio.Future[Any], result: Any, refusal: Exception | None) -> None:
    if future.cancelled():
        return
    if refusal is None:
        future.set_result(result)
    elif isinstance(refusal, sqlite3.Error):
        future.set_exception(StoreError(f"The database refused: {refusal}."))
    else:
        future.set_exception(refusal)


def statements(script: str) -> list[str]:
    """The statements of a script; a trigger holds semicolons of its own."""
    found, begun = [], ""
    for part in script.split(";")[:-1]:
        begun += part + ";"
        if sqlite3.complete_statement(begun):
            found.append(begun)
            begun = ""
    return found


def _read(database: sqlite3.Connection, id: str) -> Kept | None:
    row = database.execute(
        "SELECT rules, invite, status, due, created, touched, head FROM game WHERE id = ?", (id,)
    ).fetchone()
    if row is None:
        return None
    seats = database.execute("SELECT seat, token, name, level, seen FROM seat WHERE game = ? ORDER BY seat", (id,))
    events = database.execute(
        "SELECT version, seat, kind, body, key, at FROM event WHERE game = ? ORDER BY version", (id,)
    )
    return assembled(id, row, seats, events)


def _insert(database: sqlite3.Connection, game: Kept) -> None:
    database.execute(
        "INSERT INTO game (id, rules, invite, head, status, due, created, touched) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (game.id, json.dumps(game.rules), game.invite, 0, game.status, game.due, game.created, game.touched),
    )
    _sit(database, game.id, game.seats)


def _sit(database: sqlite3.Connection, id: str, seats: tuple[Seat, ...]) -> None:
    rows = [(id, *seat) for seat in seats]
    database.executemany("INSERT INTO seat (game, seat, token, name, level, seen) VALUES (?, ?, ?, ?, ?, ?)", rows)


def _apply(database: sqlite3.Connection, id: str, change: Change) -> None:
    if change.begins is not None:
        _insert(database, change.begins)
    _sit(database, id, change.seats)
    database.executemany(
        "INSERT INTO event (game, version, seat, kind, body, key, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(id, e.version, e.seat, e.kind, json.dumps(e.body), e.key, e.at) for e in change.events],
    )
    last = change.events[-1]
    database.execute(
        "UPDATE game SET head = ?, status = ?, due = ?, touched = ? WHERE id = ?",
        (last.version, change.status, change.due, last.at, id),
    )
