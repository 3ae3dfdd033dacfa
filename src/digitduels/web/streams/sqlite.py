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

from digitduels.web.streams import migrations
from digitduels.web.streams.store import (
    BUSY_STORE,
    MOST_QUEUED,
    Change,
    Store,
    StoreError,
    Stream,
    Transaction,
    event_row,
    gathering_seconds,
    stream_from_rows,
)

T = TypeVar("T")

MOST_TOGETHER = 200  # jobs per transaction
PAGE_BYTES = 1024  # in a new database; a move changes a few bytes, and the log stores whole pages
LOG_BYTES = 16 << 20  # written before a checkpoint; checkpoints are rare, since writes hit the same pages repeatedly
LOCK_SECONDS = 10.0  # how long a write waits for another process's lock
ERASE_SECONDS = 0.2  # how long the erasure of deleted rows waits for readers
ERASE_AGAIN = 5.0  # seconds before it is tried again

_VERSION = "SELECT coalesce(max(number), 0) FROM version"
_READ = """
    SELECT kind, data, status, due, created, touched, head, origin, parent FROM stream WHERE id = ? AND NOT deleting
"""
_READ_MEMBERS = "SELECT number, name, level, seen FROM member WHERE stream = ? ORDER BY number"
_READ_TOKENS = "SELECT member, hash, reads_only FROM token WHERE stream = ? ORDER BY member, hash"
_READ_EVENTS = """
    SELECT version, member, kind, body, key, at FROM event WHERE stream = ? AND version > ? ORDER BY version
"""


@dataclass(eq=False, slots=True)
class Append:
    """A write that appends a change to a stream at version `head`."""

    store: SqliteStore
    id: str
    head: int
    change: Change

    def __call__(self, database: Transaction) -> dict[str, int] | None:
        return self.store._append(database, self.id, self.head, self.change)


@dataclass(eq=False, slots=True)
class Job:
    """A database operation, and the future that awaits its result."""

    work: Callable[[Transaction], Any]
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Any]
    erases: bool = False
    """Whether the deleted rows must be gone from the disk before the answer."""


Jobs = queue.SimpleQueue[Job | None]


class SqliteStore(Store):
    """A store in an SQLite file. Other processes may write to the file too, but they send no notifications."""

    among = "IN (SELECT value FROM json_each(?))"
    lock = ""

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
        self._erase_at = time.monotonic()
        """When to erase deleted rows that are still in the write-ahead log, in monotonic seconds.

        At once at the start, since the last process may have been killed after it deleted something.
        """
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
    def values_of(ids: Collection[str]) -> str:
        return json.dumps(list(ids))

    @staticmethod
    def look(path: Path) -> int | None:
        try:
            _check_path(path)
            if not path.exists():
                if not os.access(path.parent, os.W_OK | os.X_OK):
                    raise PermissionError("its folder is not writable")
                return None
            if not os.access(path, os.R_OK | os.W_OK):
                raise PermissionError("it is not writable")
            # Without a log, nobody is writing. Then SQLite must not create a log either.
            mode = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)) as database:
                tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'version'"
                if not database.execute(tables).fetchone()[0]:
                    return 0
                version: int = database.execute(_VERSION).fetchone()[0]
                return version
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"The database {path} cannot be used: {error}.") from None

    def _prepare(self) -> None:
        try:
            for pragma in (
                f"page_size = {PAGE_BYTES}",
                "journal_mode = WAL",
                "synchronous = FULL",
                "foreign_keys = ON",
                "secure_delete = ON",  # overwrites deleted rows with zeros
            ):
                self._database.execute(f"PRAGMA {pragma}")
            page: int = self._database.execute("PRAGMA page_size").fetchone()[0]
            self._database.execute(f"PRAGMA wal_autocheckpoint = {LOG_BYTES // page}")
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("CREATE TABLE IF NOT EXISTS version (number INTEGER NOT NULL)")
            version = self._database.execute(_VERSION).fetchone()[0]
            for number in migrations.pending(version):
                for statement in migrations.statements(migrations.FOR_SQLITE[number]):
                    self._database.execute(statement)
                self._database.execute("INSERT INTO version VALUES (?)", (number + 1,))
            # The installed version, or a newly installed game, may be able to replay these.
            self._database.execute("UPDATE stream SET broken = NULL WHERE broken IS NOT NULL")
            self._database.execute("COMMIT")
            if 0 < version < migrations.NEWEST:
                # Earlier editions did not overwrite what they deleted. On a full disk, the names stay in unused pages.
                with suppress(sqlite3.Error):
                    self._database.execute("VACUUM")
                    self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except BaseException:
            self._database.close()  # rolls the transaction back
            raise

    # Worker threads.

    def _work(self, jobs: Jobs, database: sqlite3.Connection, begin: str) -> None:
        batch: list[Job] = []
        while (job := self._next(jobs, database)) is not None:
            if len(batch) > 1 and jobs is self._writes:
                time.sleep(gathering_seconds(len(batch)))
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

    def _next(self, jobs: Jobs, database: sqlite3.Connection) -> Job | None:
        """Waits for the next job. The thread that writes also erases when it is time, even if nobody writes."""
        while jobs is self._writes and self._erase_at < math.inf:
            try:
                return jobs.get(timeout=max(0.0, self._erase_at - time.monotonic()))
            except queue.Empty:
                self._erase(database)
        return jobs.get()

    def _run(self, batch: list[Job], database: sqlite3.Connection, begin: str) -> None:
        """Runs jobs in one transaction and answers them after the commit. If one fails, runs each one separately."""
        answers: list[tuple[Any, Exception | None]] = []
        try:
            database.execute(begin)
            try:
                appended = _append_together(database, batch)
                answers = [({} if job in appended else job.work(database), None) for job in batch]
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

    async def _write(self, work: Callable[[Transaction], T], erases: bool = False) -> T:
        return await self._do(self._writes, work, erases)

    async def _read(self, work: Callable[[Transaction], T]) -> T:
        return await self._do(self._reads, work)

    async def _do(self, jobs: Jobs, work: Callable[[Transaction], T], erases: bool = False) -> T:
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

    async def read(self, id: str, after: int = 0) -> Stream | None:
        def work(database: Transaction) -> Stream | None:
            row = database.execute(_READ, (id,)).fetchone()
            if row is None:
                return None
            members = database.execute(_READ_MEMBERS, (id,)).fetchall()
            tokens = database.execute(_READ_TOKENS, (id,)).fetchall()
            return stream_from_rows(id, row, members, tokens, database.execute(_READ_EVENTS, (id, after)).fetchall())

        return await self._read(work)

    async def append(self, id: str, head: int, change: Change) -> dict[str, int] | None:
        return await self._write(Append(self, id, head, change))

    async def record_presence(self, people: Collection[tuple[str, int]], at: float) -> None:
        rows = [(at, *person) for person in people]
        statement = "UPDATE member SET seen = ? WHERE stream = ? AND number = ?"
        await self._write(lambda database: database.executemany(statement, rows))

    def watch(self, notify: Callable[[dict[str, int] | None], None]) -> None:
        """Does nothing: SQLite has no notifications, and polling finds the rare changes of other processes."""

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


def _append_together(database: sqlite3.Connection, jobs: list[Job]) -> set[Job]:
    """Appends one event each to several streams in two statements, and returns these jobs.

    Raises StoreError if a stream has another version. Then each job runs alone, which shows which stream it is. Asking
    for the ids of the updated rows would take long: after each row, the thread waits for the event loop.
    """
    plain = {work.id: (job, work) for job in jobs if isinstance(work := job.work, Append) and work.change.is_plain}
    if len(plain) < 2:
        return set()
    rows: list[Any] = []
    events: list[Any] = []
    for _, append in plain.values():
        event, change = append.change.events[0], append.change
        rows += (append.id, append.head, event.version, change.status, change.due, event.at)
        events += (append.id, *event_row(event))
    updated = database.execute(
        "UPDATE stream SET head = column3, status = column4, due = column5, touched = column6 "  # noqa: S608
        f"FROM (VALUES {_placeholders(6, len(plain))}) WHERE id = column1 AND head = column2 AND NOT deleting",
        rows,
    )
    if updated.rowcount < len(plain):
        raise StoreError("A stream has another version.")
    columns = "stream, version, member, kind, body, key, at"
    database.execute(f"INSERT INTO event ({columns}) VALUES {_placeholders(7, len(plain))}", events)  # noqa: S608
    return {job for job, _ in plain.values()}


def _placeholders(columns: int, rows: int) -> str:
    """Returns the placeholders for rows of values: (?, ?), (?, ?), …"""
    return ", ".join(["(" + ", ".join("?" * columns) + ")"] * rows)
