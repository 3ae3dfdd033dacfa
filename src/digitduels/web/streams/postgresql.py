"""The PostgreSQL store: several server processes share its streams and notify each other of changes.

Appending moves takes one statement for everything that waits, and so does reading a game: one round trip, one snapshot.
Notifications are sent after the commit, in batches, on a separate connection, because NOTIFY inside a transaction
serializes commits. Locks, statements and network operations all have timeouts.
"""

from __future__ import annotations

import asyncio
import json
import queue
import re
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict

from digitduels.web.streams import migrations
from digitduels.web.streams.store import (
    BUSY_STORE,
    MOST_QUEUED,
    Change,
    Rows,
    Store,
    StoreError,
    Stream,
    Transaction,
    gathering_seconds,
    stream_from_rows,
)

T = TypeVar("T")
Database = Connection[tuple[Any, ...]]
Batch = dict[str, tuple[dict[str, Any], asyncio.Future[bool]]]
"""Events to append together, by stream, each with the future of whether it was appended."""

CONNECTIONS = 8
CHANNEL = "digitduels"
BATCH = 0.01  # seconds to collect notifications before sending them
RECONNECT_SECONDS = 0.25  # between attempts to reconnect
ANSWER_SECONDS = 8.0  # timeout of a request, including its wait for a thread
UNANSWERED = "The database does not answer in time."
LIMITS: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 6000,
}
# The database enforces these timeouts, so a server process that freezes releases its locks soon.
OPTIONS = "-c lock_timeout=2s -c statement_timeout=5s -c idle_in_transaction_session_timeout=4s"
_PAYLOAD = 150  # streams per notification; PostgreSQL limits a payload to 8,000 bytes
_MIGRATING = 0x64756573  # the advisory lock that serializes migrations when several processes start together

# Streams that somebody has locked are skipped, so that nobody else waits for them.
_APPEND = """
    WITH new AS (
        SELECT * FROM json_to_recordset(?::json) AS new (
            id text, head int, status text, due boolean,
            version int, member int, kind text, body json, key text, at float8
        )
    ), free AS (
        SELECT stream.id FROM stream JOIN new ON stream.id = new.id AND stream.head = new.head
        WHERE NOT deleting FOR NO KEY UPDATE OF stream SKIP LOCKED
    ), moved AS (
        UPDATE stream SET head = new.version, status = new.status, due = new.due, touched = new.at
        FROM new JOIN free USING (id) WHERE stream.id = new.id AND stream.head = new.head RETURNING stream.id
    )
    INSERT INTO event (stream, version, member, kind, body, key, at)
    SELECT id, version, member, new.kind, body::text, key, at FROM moved JOIN new USING (id) RETURNING stream
"""
_READ = """
    SELECT kind, data, status, due, created, touched, head, origin, parent,
        (SELECT json_agg(json_build_array(number, name, level, seen) ORDER BY number)
            FROM member WHERE member.stream = id),
        (SELECT json_agg(json_build_array(member, hash, reads_only) ORDER BY member, hash)
            FROM token WHERE token.stream = id),
        (SELECT json_agg(json_build_array(version, member, event.kind, body, key, at) ORDER BY version)
            FROM event WHERE event.stream = id AND version > ?)
    FROM stream WHERE id = ? AND NOT deleting
"""
# Rows that are locked are skipped: the next call updates them.
_SEE = """
    UPDATE member SET seen = ? FROM (
        SELECT stream, number FROM member
        WHERE (stream, number) IN (SELECT * FROM unnest(?::text[], ?::int[]))
        ORDER BY stream, number FOR UPDATE SKIP LOCKED
    ) AS present WHERE member.stream = present.stream AND member.number = present.number
"""


class Connected:
    """A transaction in psycopg, whose placeholders are not question marks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Rows:
        return self._database.execute(_translated(statement), values)

    def executemany(self, statement: str, rows: Sequence[Sequence[Any]], /) -> Rows:
        cursor = self._database.cursor()
        cursor.executemany(_translated(statement), rows)
        return cursor


@lru_cache(100)
def _translated(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()


class PostgresqlStore(Store):
    """A store in a PostgreSQL database."""

    among = "= ANY(?)"
    lock = "FOR UPDATE SKIP LOCKED"

    def __init__(self, url: str) -> None:
        self._url = url
        try:
            with psycopg.connect(url, connect_timeout=10) as database:
                self._prepare(database)
            parameters = conninfo_to_dict(url)
            self._limits = {name: value for name, value in LIMITS.items() if name not in parameters}
            self._limits["options"] = f"{OPTIONS} {parameters.get('options') or ''}"
        except psycopg.Error as error:
            raise StoreError(f"The PostgreSQL database cannot be used: {_reason(error)}.") from None
        self.observe: Callable[[float], None] = lambda _: None
        self._pool = ThreadPoolExecutor(CONNECTIONS, "postgresql")
        self._waiting = 0
        self._appending = asyncio.Lock()
        """Held while a batch of appends runs. Meanwhile, the next one grows."""
        self._rows: Batch = {}
        """The next batch."""
        self._last = 0
        """The number of appends in the last batch."""
        self._batch: asyncio.Task[None] | None = None
        """The task of the last batch."""
        self._local = threading.local()
        self._open: set[Database] = set()
        self._closed = threading.Event()
        self._changed: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._notify, name="notify", daemon=True)]
        self._threads[0].start()

    @staticmethod
    def values_of(ids: Collection[str]) -> list[str]:
        return list(ids)

    @staticmethod
    def look(url: str) -> int | None:
        try:
            with psycopg.connect(url, connect_timeout=10) as database:
                database.read_only = True
                row = database.execute("SELECT to_regclass('version') IS NOT NULL").fetchone()
                if row is None or not row[0]:
                    return None
                row = database.execute("SELECT coalesce(max(number), 0) FROM version").fetchone()
                return 0 if row is None else row[0]
        except psycopg.Error as error:
            raise StoreError(f"The PostgreSQL database cannot be used: {_reason(error)}.") from None

    def _prepare(self, database: Database) -> None:
        database.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        database.execute("CREATE TABLE IF NOT EXISTS version (number INTEGER NOT NULL)")
        row = database.execute("SELECT coalesce(max(number), 0) FROM version").fetchone()
        assert row is not None
        for number in migrations.pending(row[0]):
            database.execute(migrations.FOR_POSTGRESQL[number].encode())
            database.execute("INSERT INTO version VALUES (%s)", (number + 1,))
        # The installed version, or a newly installed game, may be able to replay these.
        database.execute("UPDATE stream SET broken = NULL WHERE broken IS NOT NULL")

    # Worker threads, each with its own connection.

    async def _write(self, work: Callable[[Transaction], T], erases: bool = False) -> T:
        def transaction(database: Database) -> T:
            with database.transaction():
                return work(Connected(database))

        return await self._do(transaction)

    async def _read(self, work: Callable[[Transaction], T]) -> T:
        return await self._do(lambda database: work(Connected(database)))

    async def _do(self, work: Callable[[Database], T]) -> T:
        if self._waiting >= MOST_QUEUED:
            raise StoreError(BUSY_STORE)
        self._waiting += 1
        began = time.perf_counter()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asyncio.get_running_loop().run_in_executor(self._pool, self._try, work)
        except TimeoutError:
            raise StoreError(UNANSWERED) from None
        finally:
            self._waiting -= 1
            self.observe(time.perf_counter() - began)

    @property
    def waiting(self) -> int:
        return max(0, self._waiting - CONNECTIONS) + len(self._rows)

    def _try(self, work: Callable[[Database], T]) -> T:
        try:
            database = self._connection()
            try:
                return work(database)
            except psycopg.Error:
                # The transaction may or may not have been committed. A retry with the same key finds out.
                if database.closed:
                    self._drop(database)
                raise
        except psycopg.Error as error:
            raise StoreError(f"The database does not answer: {_reason(error)}.") from None

    def _connection(self) -> Database:
        """Returns this thread's connection, after checking that it is still alive if it was idle."""
        database: Database | None = getattr(self._local, "database", None)
        if database is not None and time.monotonic() - self._local.used > 1:
            try:
                database.execute("SELECT 1")
            except psycopg.Error:
                self._drop(database)
                database = None
        if database is None:
            database = self._connect()
            self._local.database = database
            self._open.add(database)
        self._local.used = time.monotonic()
        return database

    def _connect(self) -> Database:
        return psycopg.connect(self._url, autocommit=True, **self._limits)

    def _drop(self, database: Database) -> None:
        self._local.database = None
        self._open.discard(database)
        with suppress(psycopg.Error):
            database.close()

    # Notifications to and from other processes.

    def _notify(self) -> None:
        database: Database | None = None
        unsent: dict[str, int] = {}
        while not self._closed.is_set():
            if not unsent:
                unsent.update([self._changed.get()])
            self._closed.wait(BATCH)
            with suppress(queue.Empty):
                while len(unsent) < MOST_QUEUED:
                    unsent.update([self._changed.get_nowait()])
            entries = [f"{id}:{head}" for id, head in unsent.items() if id]
            try:
                database = database or self._connect()
                for start in range(0, len(entries), _PAYLOAD):
                    payload = " ".join(entries[start : start + _PAYLOAD])
                    database.execute("SELECT pg_notify(%s, %s)", (CHANNEL, payload))
                unsent.clear()
            except psycopg.Error:
                if database is not None:
                    database.close()
                database = None
                self._closed.wait(RECONNECT_SECONDS)
        if database is not None:
            database.close()

    def _listen(self, notify: Callable[[dict[str, int] | None], None]) -> None:
        while not self._closed.is_set():
            try:
                with self._connect() as database:
                    database.execute(f"LISTEN {CHANNEL}")
                    notify(None)
                    while not self._closed.is_set():
                        for notice in database.notifies(timeout=0.5, stop_after=1):
                            pairs = (entry.split(":") for entry in notice.payload.split())
                            notify({id: int(head) for id, head in pairs})
            except (psycopg.Error, ValueError):
                self._closed.wait(RECONNECT_SECONDS)

    def watch(self, notify: Callable[[dict[str, int] | None], None]) -> None:
        loop = asyncio.get_running_loop()

        def forward(versions: dict[str, int] | None) -> None:
            with suppress(RuntimeError):  # the event loop is closed
                loop.call_soon_threadsafe(notify, versions)

        self._threads.append(threading.Thread(target=self._listen, args=(forward,), name="listen", daemon=True))
        self._threads[-1].start()

    # Streams.

    async def read(self, id: str, after: int = 0) -> Stream | None:
        row = await self._read(lambda database: database.execute(_READ, (after, id)).fetchone())
        if row is None:
            return None
        *stream, members, tokens, events = row
        return stream_from_rows(id, stream, members or (), tokens or (), events or ())

    async def append(self, id: str, head: int, change: Change) -> dict[str, int] | None:
        heads: dict[str, int] | None
        if change.is_plain and await self._append_together(id, head, change):
            heads = {}
        else:
            heads = await super().append(id, head, change)
        if heads is not None:
            self._changed.put((id, change.events[-1].version))
            for id_and_head in heads.items():
                self._changed.put(id_and_head)
        return heads

    async def _append_together(self, id: str, head: int, change: Change) -> bool:
        """Appends one event, with those of other streams that arrive meanwhile. Returns False if it was not.

        Then the stream is locked or has another version, or an event of the batch is invalid: `append` tries it alone.
        """
        if id in self._rows:
            return False
        if len(self._rows) >= MOST_QUEUED:
            raise StoreError(BUSY_STORE)
        if not self._rows:
            self._batch = asyncio.create_task(self._append_batch(self._rows))
        row = {"id": id, "head": head, "status": change.status, "due": change.due, **change.events[0]._asdict()}
        appended: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._rows[id] = row, appended
        return await appended

    async def _append_batch(self, rows: Batch) -> None:
        """Appends all rows that arrive before the database is free, and answers them."""

        def append(database: Database) -> set[str]:
            try:
                values = (json.dumps([row for row, _ in rows.values()]),)
                return {id for (id,) in Connected(database).execute(_APPEND, values).fetchall()}
            except (psycopg.IntegrityError, psycopg.DataError):  # one is invalid, so each is appended alone
                return set()

        ids: set[str] = set()
        failure: Exception | None = None
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._appending:
                if self._last > 1:
                    await asyncio.sleep(gathering_seconds(self._last))
                self._rows, self._last = {}, len(rows)
                ids = await self._do(append)
        except Exception as error:
            failure = StoreError(UNANSWERED) if isinstance(error, TimeoutError) else error
        if self._rows is rows:
            self._rows = {}
        for id, (_, appended) in rows.items():
            if appended.done():  # nobody waits any more
                continue
            if failure is None:
                appended.set_result(id in ids)
            else:
                appended.set_exception(failure)

    async def record_presence(self, people: Collection[tuple[str, int]], at: float) -> None:
        values = (at, [id for id, _ in people], [number for _, number in people])
        await self._do(lambda database: Connected(database).execute(_SEE, values))

    async def close(self) -> None:
        if self._batch is not None:
            await asyncio.wait([self._batch])
        self._closed.set()
        self._changed.put(("", 0))  # wakes the notifying thread
        await asyncio.to_thread(self._pool.shutdown)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        for database in self._open:
            database.close()


def _reason(error: psycopg.Error) -> str:
    """Returns the message of an error without the URL, which may contain a password."""
    if error.diag.message_primary:
        return error.diag.message_primary
    # psycopg puts the server's address first and the reason at the end of the line.
    reason = re.search(r"(?:failed|\[Errno -?\d+\]):? (?:FATAL: +)?([^:\n]+)$", str(error), re.MULTILINE)
    if reason:
        return reason[1]
    return "its URL is invalid" if isinstance(error, psycopg.ProgrammingError) else "no connection"
