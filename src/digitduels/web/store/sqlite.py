"""The SQLite store: one thread writes, with a group commit for everything in its queue, and another thread reads.

Readers see the last commit and never wait for a writer, not even for one in another process.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from digitduels.web.store.interface import (
    AT_ONCE,
    BUSY_STORE,
    GAMES_AT_ONCE,
    MOST_QUEUED,
    Change,
    ClassChange,
    Glance,
    Kept,
    KeptClass,
    Seat,
    StoreError,
    Told,
    class_from_rows,
    game_from_rows,
    pending_migrations,
)

T = TypeVar("T")

MOST_TOGETHER = 200  # jobs per transaction
GATHER_SECONDS = 0.001  # how long a transaction waits for more jobs, if the last one had several
CHECKPOINT = "wal_autocheckpoint = 4000"  # pages, 16 MB: fewer checkpoints, since writes hit the same pages repeatedly
LOCK_SECONDS = 10.0  # how long a write waits for another process's lock
ERASE_SECONDS = 0.2  # how long the erasure of deleted rows waits for readers
ERASE_AGAIN = 5.0  # seconds before it is tried again

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
    """
    ALTER TABLE game ADD COLUMN broken TEXT;
    ALTER TABLE game ADD COLUMN deleting INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX game_broken ON game (id) WHERE broken IS NOT NULL;
    CREATE TABLE probe (at REAL NOT NULL);
    INSERT INTO probe VALUES (0);
    DROP TRIGGER event_lasts;
    CREATE TRIGGER event_lasts BEFORE DELETE ON event
    WHEN (SELECT deleting FROM game WHERE id = OLD.game) IS NOT 1
    BEGIN SELECT RAISE(ABORT, 'events are deleted only with their game'); END;
    """,
    """
    CREATE TABLE class (
        code TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, token BLOB NOT NULL, rules TEXT NOT NULL,
        created REAL NOT NULL, head INTEGER NOT NULL, deleting INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX class_created ON class (created);
    CREATE TABLE class_event (
        class TEXT NOT NULL REFERENCES class, version INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        key TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (class, version), UNIQUE (class, key)
    ) WITHOUT ROWID;
    CREATE TABLE pupil (
        class TEXT NOT NULL REFERENCES class, number INTEGER NOT NULL, seen REAL NOT NULL, PRIMARY KEY (class, number)
    ) WITHOUT ROWID;
    CREATE TABLE class_code (code TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
    ALTER TABLE game ADD COLUMN class TEXT REFERENCES class;
    CREATE INDEX game_class ON game (class) WHERE class IS NOT NULL;
    CREATE TRIGGER class_event_stays BEFORE UPDATE ON class_event
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
    CREATE TRIGGER class_event_lasts BEFORE DELETE ON class_event
    WHEN (SELECT deleting FROM class WHERE code = OLD.class) IS NOT 1
    BEGIN SELECT RAISE(ABORT, 'events are deleted only with their class'); END;
    """,
    "ALTER TABLE class_code ADD COLUMN deletion BLOB;",
)


@dataclass(eq=False, slots=True)
class Append:
    """A write that appends a change to a game at version `head`."""

    id: str
    head: int
    change: Change

    def __call__(self, database: sqlite3.Connection) -> bool:
        return _append(database, self.id, self.head, self.change)

    @property
    def is_plain(self) -> bool:
        """Whether it only appends one event. Most do."""
        return len(self.change.events) == 1 and not self.change.seats and self.change.begins is None


@dataclass(eq=False, slots=True)
class Job:
    """A database operation, and the future that awaits its result."""

    work: Callable[[sqlite3.Connection], Any]
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Any]
    erases: bool = False
    """Whether the deleted rows must be gone from the disk before the answer."""


Jobs = queue.SimpleQueue[Job | None]


class SqliteStore:
    """A store in an SQLite file. Other processes may write to the file too, but they send no notifications."""

    def __init__(self, path: Path) -> None:
        try:
            _check_path(path)
            # Token hashes and people's names are private. SQLite gives the WAL files the same mode.
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            with suppress(OSError, AttributeError):  # another user's file, or Windows
                os.fchmod(file, 0o600)  # the first edition left it readable for everybody
            os.close(file)
            self._database = _connect(path)
            self._prepare()
            self._snapshot = _connect(path)
            self._snapshot.execute("PRAGMA query_only = ON")
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"The database {path} cannot be used: {error}.") from None
        self.observe: Callable[[float], None] = lambda _: None
        self._erase_at = math.inf
        """When to erase deleted rows that are still in the write-ahead log, in monotonic seconds."""
        self._writes: Jobs = queue.SimpleQueue()
        self._reads: Jobs = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, args=arguments, name=name, daemon=True)
            for name, arguments in (
                ("sqlite-write", (self._writes, self._database, "BEGIN IMMEDIATE")),
                ("sqlite-read", (self._reads, self._snapshot, "BEGIN")),
            )
        ]
        for thread in self._threads:
            thread.start()

    @staticmethod
    def look(path: Path) -> tuple[int | None, int]:
        """The version of a database, or None if it is to be created, and the newest version. Changes nothing."""
        try:
            _check_path(path)
            if not path.exists():
                if not os.access(path.parent, os.W_OK | os.X_OK):
                    raise PermissionError("its folder is not writable")
                return None, len(MIGRATIONS)
            if not os.access(path, os.R_OK | os.W_OK):
                raise PermissionError("it is not writable")
            # Without a log, nobody is writing. Then SQLite must not create a log either.
            mode = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)) as database:
                tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'version'"
                if not database.execute(tables).fetchone()[0]:
                    return 0, len(MIGRATIONS)
                return database.execute("SELECT coalesce(max(number), 0) FROM version").fetchone()[0], len(MIGRATIONS)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"The database {path} cannot be used: {error}.") from None

    def _prepare(self) -> None:
        try:
            for pragma in (
                "journal_mode = WAL",
                "synchronous = FULL",
                "foreign_keys = ON",
                "secure_delete = ON",  # overwrites deleted rows with zeros
                CHECKPOINT,
            ):
                self._database.execute(f"PRAGMA {pragma}")
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("CREATE TABLE IF NOT EXISTS version (number INTEGER NOT NULL)")
            version = self._database.execute("SELECT coalesce(max(number), 0) FROM version").fetchone()[0]
            for number in pending_migrations(version, len(MIGRATIONS)):
                for statement in statements(MIGRATIONS[number]):
                    self._database.execute(statement)
                self._database.execute("INSERT INTO version VALUES (?)", (number + 1,))
            # The installed version, or a newly installed game, may be able to replay these.
            self._database.execute("UPDATE game SET broken = NULL WHERE broken IS NOT NULL")
            self._database.execute("COMMIT")
        except BaseException:
            self._database.close()  # rolls the transaction back
            raise

    # Worker threads.

    def _work(self, jobs: Jobs, database: sqlite3.Connection, begin: str) -> None:
        batch: list[Job] = []
        while (job := jobs.get()) is not None:
            if len(batch) > 1 and jobs is self._writes:
                time.sleep(GATHER_SECONDS)  # under load, more jobs are coming, and a commit costs more than its writes
            batch = [job]
            while len(batch) < MOST_TOGETHER:
                try:
                    job = jobs.get_nowait()
                except queue.Empty:
                    break
                if job is None:
                    jobs.put(None)
                    break
                batch.append(job)
            self._run(batch, database, begin)
        database.close()

    def _run(self, batch: list[Job], database: sqlite3.Connection, begin: str) -> None:
        """Runs jobs in one transaction and answers them after the commit. If one fails, runs each one separately."""
        answers: list[tuple[Any, Exception | None]] = []
        try:
            database.execute(begin)
            try:
                appended = _append_together(database, batch)
                answers = [(appended[job] if job in appended else job.work(database), None) for job in batch]
            except Exception as error:
                database.execute("ROLLBACK")
                if len(batch) > 1:
                    for job in batch:
                        self._run([job], database, begin)
                    return
                answers = [(None, error)]
            else:
                self._commit(database)
                if any(job.erases for job in batch) or (begin != "BEGIN" and time.monotonic() > self._erase_at):
                    self._erase(database)
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                database.execute("ROLLBACK")
            operation = "read" if begin == "BEGIN" else "written"
            answers = [(None, StoreError(f"The database cannot be {operation}: {error}."))] * len(batch)
        with suppress(RuntimeError):  # the event loop is closed
            batch[0].loop.call_soon_threadsafe(_answer, [job.answer for job in batch], answers)

    def _commit(self, database: sqlite3.Connection) -> None:
        database.execute("COMMIT")

    def _erase(self, database: sqlite3.Connection) -> None:
        """Empties the write-ahead log, which still contains deleted rows. If somebody reads it, tries again later."""
        busy = True
        database.execute(f"PRAGMA busy_timeout = {1000 * ERASE_SECONDS:.0f}")
        with suppress(sqlite3.Error):  # what was committed stays committed
            busy = bool(database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        database.execute(f"PRAGMA busy_timeout = {1000 * LOCK_SECONDS:.0f}")
        self._erase_at = time.monotonic() + ERASE_AGAIN if busy else math.inf

    async def _write(self, work: Callable[[sqlite3.Connection], T], erases: bool = False) -> T:
        return await self._do(self._writes, work, erases)

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._do(self._reads, work)

    async def _do(self, jobs: Jobs, work: Callable[[sqlite3.Connection], T], erases: bool = False) -> T:
        if jobs.qsize() >= MOST_QUEUED:
            raise StoreError(BUSY_STORE)
        began = time.perf_counter()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        jobs.put(Job(work, loop, answer, erases))
        try:
            return await answer
        finally:
            self.observe(time.perf_counter() - began)

    @property
    def waiting(self) -> int:
        return self._writes.qsize() + self._reads.qsize()

    # Games.

    async def create(self, game: Kept) -> bool:
        def work(database: sqlite3.Connection) -> bool:
            if database.execute("SELECT 1 FROM game WHERE id = ?", (game.id,)).fetchone():
                return False
            _insert(database, game)
            return True

        return await self._write(work)

    async def read(self, id: str, after: int = 0) -> Kept | None:
        return await self._read(lambda database: _game(database, id, after))

    async def append(self, id: str, head: int, change: Change) -> bool:
        return await self._write(Append(id, head, change))

    async def glance(self, ids: Collection[str]) -> dict[str, Glance]:
        def one(database: sqlite3.Connection) -> dict[str, Glance]:
            (id,) = ids
            row = database.execute("SELECT head FROM game WHERE id = ?", (id,)).fetchone()
            query = "SELECT seat, seen FROM seat WHERE game = ? AND level IS NULL ORDER BY seat"
            return {} if row is None else {id: Glance(row[0], tuple(database.execute(query, (id,)).fetchall()))}

        def work(database: sqlite3.Connection) -> dict[str, Glance]:
            values = (json.dumps(list(ids)),)
            heads = database.execute("SELECT id, head FROM game WHERE id IN (SELECT value FROM json_each(?))", values)
            seen: dict[str, list[tuple[int, float]]] = {id: [] for id in ids}
            for id, seat, at in database.execute(
                "SELECT game, seat, seen FROM seat WHERE level IS NULL AND game IN (SELECT value FROM json_each(?)) "
                "ORDER BY seat",
                values,
            ):
                seen[id].append((seat, at))
            return {id: Glance(head, tuple(seen[id])) for id, head in heads}

        return await self._read(one if len(ids) == 1 else work)

    async def see(self, people: Collection[tuple[str, int]], at: float) -> None:
        rows = [(at, *person) for person in people]
        await self._write(
            lambda database: database.executemany("UPDATE seat SET seen = ? WHERE game = ? AND seat = ?", rows)
        )

    async def due(self, before: float) -> list[str]:
        return await self._some("due = 1 AND touched < ?", before)

    async def idle(self, before: float) -> list[str]:
        return await self._some("status = 'playing' AND touched < ?", before)

    async def _some(self, where: str, before: float) -> list[str]:
        query = f"SELECT id FROM game WHERE {where} AND broken IS NULL ORDER BY touched LIMIT {AT_ONCE}"  # noqa: S608
        return await self._read(lambda database: [id for (id,) in database.execute(query, (before,))])

    async def mark_broken(self, id: str, reason: str) -> None:
        await self._write(lambda database: database.execute("UPDATE game SET broken = ? WHERE id = ?", (reason, id)))

    async def forget(self, before: float) -> list[str]:
        return await self._delete("status = 'open' AND created < ?", before)

    async def expire(self, before: float) -> list[str]:
        return await self._delete("status IN ('over', 'closed') AND touched < ?", before)

    async def _delete(self, where: str, before: float) -> list[str]:
        def work(database: sqlite3.Connection) -> list[str]:
            query = f"SELECT id FROM game WHERE {where} LIMIT {AT_ONCE}"  # noqa: S608
            ids = database.execute(query, (before,)).fetchall()
            _delete_games(database, ids)
            return [id for (id,) in ids]

        deleted = await self._write(work)
        if 0 < len(deleted) < AT_ONCE:  # these were the last
            await self._write(lambda _: None, erases=True)
        return deleted

    # Classes.

    async def create_class(self, new: KeptClass) -> KeptClass | None:
        def work(database: sqlite3.Connection) -> KeptClass | None:
            known = database.execute("SELECT code FROM class WHERE id = ?", (new.id,)).fetchone()
            if known is not None:
                return _class(database, known[0], 0)
            database.execute("DELETE FROM class_code WHERE until < ?", (new.created,))
            for table in ("class", "class_code"):
                if database.execute(f"SELECT 1 FROM {table} WHERE code = ?", (new.code,)).fetchone():  # noqa: S608
                    return None
            row = (new.code, new.id, new.token, json.dumps(new.rules), new.created)
            database.execute("INSERT INTO class (code, id, token, rules, created, head) VALUES (?, ?, ?, ?, ?, 0)", row)
            return new

        return await self._write(work)

    async def read_class(self, code: str, after: int = 0) -> KeptClass | None:
        return await self._read(lambda database: _class(database, code, after))

    async def append_class(self, code: str, head: int, change: ClassChange) -> dict[str, int] | None:
        def work(database: sqlite3.Connection) -> dict[str, int] | None:
            last = change.events[-1].version
            moved = database.execute(
                "UPDATE class SET head = ? WHERE code = ? AND head = ? AND deleting = 0", (last, code, head)
            )
            if not moved.rowcount:
                return None
            rows = [
                (code, version, kind, json.dumps(body), key, at) for version, _, kind, body, key, at in change.events
            ]
            database.executemany("INSERT INTO class_event VALUES (?, ?, ?, ?, ?, ?)", rows)
            heads: dict[str, int] = {}
            for event in change.told:
                heads |= _append_to_all(database, event, change.events[-1].at)
            for game in change.begins:
                _insert(database, game)
            return heads

        return await self._write(work)

    async def glance_classes(self, codes: Collection[str]) -> dict[str, int]:
        query = """
            SELECT code, head + (SELECT coalesce(sum(head), 0) FROM game WHERE class = code)
            FROM class WHERE deleting = 0 AND code IN (SELECT value FROM json_each(?))
        """
        return await self._read(lambda database: dict(database.execute(query, (json.dumps(list(codes)),)).fetchall()))

    async def see_pupils(self, people: Collection[tuple[str, int]], at: float) -> None:
        rows = [(code, number, at, code) for code, number in people]
        query = """
            INSERT INTO pupil SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM class WHERE code = ? AND deleting = 0)
            ON CONFLICT (class, number) DO UPDATE SET seen = excluded.seen
        """
        await self._write(lambda database: database.executemany(query, rows))

    async def pupils_seen(self, code: str) -> dict[int, float]:
        query = "SELECT number, seen FROM pupil WHERE class = ?"
        return await self._read(lambda database: dict(database.execute(query, (code,)).fetchall()))

    async def expired_classes(self, before: float) -> list[str]:
        query = f"""
            SELECT code FROM class WHERE deleting = 1 OR (
                created < :before
                AND NOT EXISTS (SELECT 1 FROM class_event WHERE class = code AND at >= :before)
                AND NOT EXISTS (SELECT 1 FROM game WHERE class = code AND touched >= :before)
                AND NOT EXISTS (SELECT 1 FROM pupil WHERE class = code AND seen >= :before)
            ) ORDER BY deleting DESC, created LIMIT {AT_ONCE}
        """  # noqa: S608
        return await self._read(
            lambda database: [code for (code,) in database.execute(query, {"before": before}).fetchall()]
        )

    async def delete_class(self, code: str, reserve: float, deletion: bytes | None = None) -> bool:
        def hide(database: sqlite3.Connection) -> bool:
            if not database.execute("UPDATE class SET deleting = 1 WHERE code = ?", (code,)).rowcount:
                return False
            row = (code, reserve, deletion)
            database.execute("INSERT OR IGNORE INTO class_code (code, until, deletion) VALUES (?, ?, ?)", row)
            return True

        def delete_some_games(database: sqlite3.Connection) -> int:
            query = "SELECT id FROM game WHERE class = ? LIMIT ?"
            ids = database.execute(query, (code, GAMES_AT_ONCE)).fetchall()
            _delete_games(database, ids)
            return len(ids)

        def delete_rest(database: sqlite3.Connection) -> None:
            for table, column in (("class_event", "class"), ("pupil", "class"), ("class", "code")):
                database.execute(f"DELETE FROM {table} WHERE {column} = ?", (code,))  # noqa: S608

        if not await self._write(hide):
            return False
        while await self._write(delete_some_games):
            pass
        await self._write(delete_rest, erases=True)
        return True

    async def deletion(self, code: str) -> bytes | None:
        query = "SELECT deletion FROM class_code WHERE code = ?"
        row = await self._read(lambda database: database.execute(query, (code,)).fetchone())
        return None if row is None else row[0]

    def watch(self, notify: Callable[[dict[str, int] | None], None]) -> None:
        """Does nothing: SQLite has no notifications, and polling finds the rare changes of other processes."""

    async def check(self) -> None:
        await self._write(lambda database: database.execute("UPDATE probe SET at = at + 1"))

    async def close(self) -> None:
        # The last connection to close removes the write-ahead log, and a connection that only reads can't.
        for jobs, thread in zip((self._reads, self._writes), reversed(self._threads), strict=True):
            jobs.put(None)
            await asyncio.to_thread(thread.join)


def _check_path(path: Path) -> None:
    """Raises OSError unless a path is that of a file, or of a new one in an existing folder."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise OSError("it is not a regular file")


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=LOCK_SECONDS, check_same_thread=False)


def _answer(futures: list[asyncio.Future[Any]], answers: list[tuple[Any, Exception | None]]) -> None:
    for future, (result, refusal) in zip(futures, answers, strict=True):
        if future.cancelled():
            continue
        if refusal is None:
            future.set_result(result)
        elif isinstance(refusal, sqlite3.Error):
            future.set_exception(StoreError(f"The database refused: {refusal}."))
        else:
            future.set_exception(refusal)


def statements(script: str) -> list[str]:
    """Splits a script into statements. A semicolon inside a trigger does not end one."""
    complete, statement = [], ""
    for part in script.split(";")[:-1]:
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            complete.append(statement)
            statement = ""
    return complete


def _game(database: sqlite3.Connection, id: str, after: int) -> Kept | None:
    row = database.execute(
        "SELECT rules, invite, status, due, created, touched, head, class FROM game WHERE id = ?", (id,)
    ).fetchone()
    if row is None:
        return None
    seats = database.execute("SELECT seat, token, name, level, seen FROM seat WHERE game = ? ORDER BY seat", (id,))
    events = database.execute(
        "SELECT version, seat, kind, body, key, at FROM event WHERE game = ? AND version > ? ORDER BY version",
        (id, after),
    )
    return game_from_rows(id, row, seats, events)


def _insert(database: sqlite3.Connection, game: Kept) -> None:
    database.execute(
        "INSERT INTO game (id, rules, invite, head, status, due, created, touched, class) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (game.id, json.dumps(game.rules), game.invite, 0, game.status, game.due, game.created, game.touched, game.code),
    )
    _insert_seats(database, game.id, game.seats)


def _insert_seats(database: sqlite3.Connection, id: str, seats: tuple[Seat, ...]) -> None:
    rows = [(id, *seat) for seat in seats]
    database.executemany("INSERT INTO seat (game, seat, token, name, level, seen) VALUES (?, ?, ?, ?, ?, ?)", rows)


def _append(database: sqlite3.Connection, id: str, head: int, change: Change) -> bool:
    last = change.events[-1]
    moved = database.execute(
        "UPDATE game SET head = ?, status = ?, due = ?, touched = ? WHERE id = ? AND head = ?",
        (last.version, change.status, change.due, last.at, id, head),
    )
    if not moved.rowcount:
        return False
    for version, seat, kind, body, key, at in change.events:
        database.execute(
            "INSERT INTO event (game, version, seat, kind, body, key, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (id, version, seat, kind, json.dumps(body), key, at),
        )
    if change.seats:
        _insert_seats(database, id, change.seats)
    if change.begins is not None:
        _insert(database, change.begins)
    return True


def _append_together(database: sqlite3.Connection, jobs: list[Job]) -> dict[Job, bool]:
    """Appends one event each to several games in two statements. Returns which of these jobs succeeded."""
    plain = {work.id: (job, work) for job in jobs if isinstance(work := job.work, Append) and work.is_plain}
    if len(plain) < 2:
        return {}
    rows: list[Any] = []
    for _, append in plain.values():
        change = append.change
        rows += (append.id, append.head, change.events[0].version, change.status, change.due, change.events[0].at)
    moved = database.execute(
        f"WITH new (id, head, version, status, due, at) AS (VALUES {_placeholders(6, len(plain))}) "  # noqa: S608
        "UPDATE game SET head = new.version, status = new.status, due = new.due, touched = new.at "
        "FROM new WHERE game.id = new.id AND game.head = new.head RETURNING id",
        rows,
    )
    updated = {id for (id,) in moved.fetchall()}
    rows = []
    for id in updated:
        version, seat, kind, body, key, at = plain[id][1].change.events[0]
        rows += (id, version, seat, kind, json.dumps(body), key, at)
    if updated:
        columns = "game, version, seat, kind, body, key, at"
        database.execute(f"INSERT INTO event ({columns}) VALUES {_placeholders(7, len(updated))}", rows)  # noqa: S608
    return {job: id in updated for id, (job, _) in plain.items()}


def _placeholders(columns: int, rows: int) -> str:
    """Returns the placeholders for rows of values: (?, ?), (?, ?), …"""
    return ", ".join(["(" + ", ".join("?" * columns) + ")"] * rows)


def _append_to_all(database: sqlite3.Connection, event: Told, at: float) -> dict[str, int]:
    """Appends one event to several games, skipping those not in progress. Returns their new versions."""
    closed = ", status = 'closed', due = 0" if event.closes else ""
    heads: dict[str, int] = {}
    for id in event.games:
        row = database.execute(
            f"UPDATE game SET head = head + 1, touched = ?{closed} "  # noqa: S608
            "WHERE id = ? AND status = 'playing' RETURNING head",
            (at, id),
        ).fetchone()
        if row is not None:
            heads[id] = row[0]
            database.execute(
                "INSERT INTO event (game, version, seat, kind, body, key, at) VALUES (?, ?, NULL, ?, ?, ?, ?)",
                (id, row[0], event.kind, json.dumps(event.body), event.key, at),
            )
    return heads


def _class(database: sqlite3.Connection, code: str, after: int) -> KeptClass | None:
    query = "SELECT code, id, token, rules, created, head FROM class WHERE code = ? AND deleting = 0"
    row = database.execute(query, (code,)).fetchone()
    if row is None:
        return None
    events = database.execute(
        "SELECT version, kind, body, key, at FROM class_event WHERE class = ? AND version > ? ORDER BY version",
        (code, after),
    )
    return class_from_rows(row, events)


def _delete_games(database: sqlite3.Connection, ids: list[tuple[str]]) -> None:
    database.executemany("UPDATE game SET deleting = 1 WHERE id = ?", ids)
    for table, column in (("event", "game"), ("seat", "game"), ("game", "id")):
        database.executemany(f"DELETE FROM {table} WHERE {column} = ?", ids)  # noqa: S608
