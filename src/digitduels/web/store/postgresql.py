"""The PostgreSQL store: several server processes share its games and notify each other of changes.

Appending a move takes one statement, and so does reading a game: one round trip, one snapshot. Notifications are sent
after the commit, in batches, on a separate connection, because NOTIFY inside a transaction serializes commits. Locks,
statements and network operations all have timeouts.
"""

from __future__ import annotations

import asyncio
import json
import queue
import re
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict

from digitduels.web.store.interface import (
    AT_ONCE,
    BUSY_STORE,
    CLASS_MARK,
    GAMES_AT_ONCE,
    MOST_QUEUED,
    Change,
    ClassChange,
    Event,
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
Database = Connection[tuple[Any, ...]]

CONNECTIONS = 8
CHANNEL = "digitduels"
BATCH = 0.01  # seconds to collect notifications before sending them
RECONNECT_SECONDS = 0.25  # between attempts to reconnect
ANSWER_SECONDS = 8.0  # timeout of a request, including its wait for a thread
LIMITS: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 6000,
}
# The database enforces these timeouts, so a server process that freezes releases its locks soon.
OPTIONS = "-c lock_timeout=2s -c statement_timeout=5s -c idle_in_transaction_session_timeout=4s"
_PAYLOAD = 150  # games per notification; PostgreSQL limits a payload to 8,000 bytes
_MIGRATING = 0x64756573  # the advisory lock that serializes migrations when several processes start together

MIGRATIONS = (
    """
    CREATE TABLE game (
        id TEXT PRIMARY KEY, rules TEXT NOT NULL, invite BYTEA, head INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'playing', 'over', 'closed')), due BOOLEAN NOT NULL,
        created DOUBLE PRECISION NOT NULL, touched DOUBLE PRECISION NOT NULL
    );
    CREATE INDEX game_due ON game (touched) WHERE due;
    CREATE INDEX game_status ON game (status, touched);
    CREATE TABLE seat (
        game TEXT NOT NULL REFERENCES game, seat INTEGER NOT NULL CHECK (seat IN (0, 1)), token BYTEA,
        name TEXT NOT NULL, level INTEGER, seen DOUBLE PRECISION NOT NULL, PRIMARY KEY (game, seat)
    );
    CREATE TABLE event (
        game TEXT NOT NULL REFERENCES game, version INTEGER NOT NULL, seat INTEGER CHECK (seat IN (0, 1)),
        kind TEXT NOT NULL, body TEXT NOT NULL, key TEXT NOT NULL, at DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (game, version), UNIQUE (game, key)
    );
    """,
    """
    CREATE FUNCTION event_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' AND (SELECT status FROM game WHERE id = OLD.game) = 'open' THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'events are never changed, and never deleted';
    END $$;
    CREATE TRIGGER event_stays BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION event_stays();
    """,
    """
    ALTER TABLE game ADD COLUMN broken TEXT, ADD COLUMN deleting BOOLEAN NOT NULL DEFAULT false;
    CREATE INDEX game_broken ON game (id) WHERE broken IS NOT NULL;
    CREATE TABLE probe (at DOUBLE PRECISION NOT NULL);
    INSERT INTO probe VALUES (0);
    CREATE OR REPLACE FUNCTION event_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' AND (SELECT deleting FROM game WHERE id = OLD.game) THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'events are never changed, and deleted only with their game';
    END $$;
    """,
    """
    CREATE TABLE class (
        code TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, token BYTEA NOT NULL, rules TEXT NOT NULL,
        created DOUBLE PRECISION NOT NULL, head INTEGER NOT NULL, deleting BOOLEAN NOT NULL DEFAULT false
    );
    CREATE INDEX class_created ON class (created);
    CREATE TABLE class_event (
        class TEXT NOT NULL REFERENCES class, version INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        key TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, PRIMARY KEY (class, version), UNIQUE (class, key)
    );
    CREATE TABLE pupil (
        class TEXT NOT NULL REFERENCES class, number INTEGER NOT NULL, seen DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (class, number)
    );
    CREATE TABLE class_code (code TEXT PRIMARY KEY, until DOUBLE PRECISION NOT NULL);
    ALTER TABLE game ADD COLUMN class TEXT REFERENCES class;
    CREATE INDEX game_class ON game (class) WHERE class IS NOT NULL;
    CREATE FUNCTION class_event_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' AND (SELECT deleting FROM class WHERE code = OLD.class) THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'events are never changed, and deleted only with their class';
    END $$;
    CREATE TRIGGER class_event_stays BEFORE UPDATE OR DELETE ON class_event
    FOR EACH ROW EXECUTE FUNCTION class_event_stays();
    """,
    "ALTER TABLE class_code ADD COLUMN deletion BYTEA;",
)

APPEND = b"""
    WITH moved AS (
        UPDATE game SET head = %s, status = %s, due = %s, touched = %s WHERE id = %s AND head = %s RETURNING id
    )
    INSERT INTO event (game, version, seat, kind, body, key, at)
    SELECT id, %s::int, %s::int, %s::text, %s::text, %s::text, %s::float8 FROM moved
"""
READ = b"""
    SELECT rules, invite, status, due, created, touched, head, class,
        (SELECT json_agg(json_build_array(seat, encode(token, 'hex'), name, level, seen) ORDER BY seat)
            FROM seat WHERE game = id),
        (SELECT json_agg(json_build_array(version, seat, kind, body, key, at) ORDER BY version)
            FROM event WHERE game = id AND version > %s)
    FROM game WHERE id = %s
"""
READ_CLASS = b"""
    SELECT code, class.id, token, rules, created, head,
        (SELECT json_agg(json_build_array(version, kind, body, key, at) ORDER BY version)
            FROM class_event WHERE class_event.class = code AND version > %s)
    FROM class WHERE code = %s AND NOT deleting
"""
APPEND_TO_ALL = b"""
    WITH moved AS (
        UPDATE game SET head = head + 1, touched = %s, status = CASE WHEN %s THEN 'closed' ELSE status END,
            due = due AND NOT %s
        WHERE id = ANY(%s) AND status = 'playing' RETURNING id, head
    )
    INSERT INTO event (game, version, seat, kind, body, key, at)
    SELECT id, head, NULL, %s::text, %s::text, %s::text, %s::float8 FROM moved RETURNING game, version
"""


class PostgresqlStore:
    """A store in a PostgreSQL database."""

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
        self._local = threading.local()
        self._open: set[Database] = set()
        self._closed = threading.Event()
        self._changed: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._notify, name="notify", daemon=True)]
        self._threads[0].start()

    @staticmethod
    def look(url: str) -> tuple[int | None, int]:
        """The version of a database, or None if it is empty, and the newest version. Changes nothing."""
        try:
            with psycopg.connect(url, connect_timeout=10) as database:
                database.read_only = True
                row = database.execute("SELECT to_regclass('version') IS NOT NULL").fetchone()
                if row is None or not row[0]:
                    return None, len(MIGRATIONS)
                row = database.execute("SELECT coalesce(max(number), 0) FROM version").fetchone()
                return 0 if row is None else row[0], len(MIGRATIONS)
        except psycopg.Error as error:
            raise StoreError(f"The PostgreSQL database cannot be used: {_reason(error)}.") from None

    def _prepare(self, database: Database) -> None:
        database.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        database.execute("CREATE TABLE IF NOT EXISTS version (number INTEGER NOT NULL)")
        row = database.execute("SELECT coalesce(max(number), 0) FROM version").fetchone()
        assert row is not None
        for number in pending_migrations(row[0], len(MIGRATIONS)):
            database.execute(MIGRATIONS[number].encode())
            database.execute("INSERT INTO version VALUES (%s)", (number + 1,))
        # The installed version, or a newly installed game, may be able to replay these.
        database.execute("UPDATE game SET broken = NULL WHERE broken IS NOT NULL")

    # Worker threads, each with its own connection.

    async def _do(self, work: Callable[[Database], T]) -> T:
        if self._waiting >= MOST_QUEUED:
            raise StoreError(BUSY_STORE)
        self._waiting += 1
        began = time.perf_counter()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asyncio.get_running_loop().run_in_executor(self._pool, self._try, work)
        except TimeoutError:
            raise StoreError("The database does not answer in time.") from None
        finally:
            self._waiting -= 1
            self.observe(time.perf_counter() - began)

    @property
    def waiting(self) -> int:
        return max(0, self._waiting - CONNECTIONS)

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

    # Games.

    async def create(self, game: Kept) -> bool:
        def work(database: Database) -> bool:
            try:
                with database.transaction():
                    _insert(database, game)
            except psycopg.errors.UniqueViolation:
                return False
            return True

        return await self._do(work)

    async def read(self, id: str, after: int = 0) -> Kept | None:
        def work(database: Database) -> Kept | None:
            row = database.execute(READ, (after, id)).fetchone()
            if row is None:
                return None
            *game, seats, events = row
            seat_rows = ((seat, token and bytes.fromhex(token), *rest) for seat, token, *rest in seats or ())
            return game_from_rows(id, game, seat_rows, events or ())

        return await self._do(work)

    async def append(self, id: str, head: int, change: Change) -> bool:
        appended = await self._do(lambda database: _append(database, id, head, change))
        if appended:
            self._changed.put((id, change.events[-1].version))
        return appended

    async def glance(self, ids: Collection[str]) -> dict[str, Glance]:
        def work(database: Database) -> dict[str, Glance]:
            query = """
                SELECT id, head, seat.seat, seen FROM game LEFT JOIN seat ON seat.game = id AND level IS NULL
                WHERE id = ANY(%s) ORDER BY seat.seat
            """
            heads: dict[str, int] = {}
            seen: dict[str, list[tuple[int, float]]] = {id: [] for id in ids}
            for id, head, seat, at in database.execute(query, (list(ids),)):
                heads[id] = head
                if seat is not None:
                    seen[id].append((seat, at))
            return {id: Glance(head, tuple(seen[id])) for id, head in heads.items()}

        return await self._do(work)

    async def see(self, people: Collection[tuple[str, int]], at: float) -> None:
        ids, seats = [id for id, _ in people], [seat for _, seat in people]
        # Don't wait for locked rows: the next call updates them.
        query = """
            UPDATE seat SET seen = %s FROM (
                SELECT game, seat FROM seat WHERE (game, seat) IN (SELECT * FROM unnest(%s::text[], %s::int[]))
                ORDER BY game, seat FOR UPDATE SKIP LOCKED
            ) AS there WHERE seat.game = there.game AND seat.seat = there.seat
        """
        await self._do(lambda database: database.execute(query, (at, ids, seats)))

    async def due(self, before: float) -> list[str]:
        return await self._some(b"due", before)

    async def idle(self, before: float) -> list[str]:
        return await self._some(b"status = 'playing'", before)

    async def _some(self, where: bytes, before: float) -> list[str]:
        query = b"SELECT id FROM game WHERE %b AND broken IS NULL AND touched < %%s ORDER BY touched LIMIT %%s" % where
        return await self._do(lambda database: [id for (id,) in database.execute(query, (before, AT_ONCE))])

    async def mark_broken(self, id: str, reason: str) -> None:
        query = "UPDATE game SET broken = %s WHERE id = %s"
        await self._do(lambda database: database.execute(query, (reason, id)))

    async def forget(self, before: float) -> list[str]:
        return await self._delete(b"status = 'open' AND created < %s", before)

    async def expire(self, before: float) -> list[str]:
        return await self._delete(b"status IN ('over', 'closed') AND touched < %s", before)

    async def _delete(self, where: bytes, before: float) -> list[str]:
        def work(database: Database) -> list[str]:
            query = b"SELECT id FROM game WHERE %b ORDER BY id LIMIT %%s FOR UPDATE SKIP LOCKED" % where
            with database.transaction():
                ids = [id for (id,) in database.execute(query, (before, AT_ONCE))]
                _delete_games(database, ids)
            return ids

        return await self._do(work)

    # Classes.

    async def create_class(self, new: KeptClass) -> KeptClass | None:
        def work(database: Database) -> KeptClass | None:
            row = (new.code, new.id, new.token, json.dumps(new.rules), new.created)
            try:
                with database.transaction():
                    database.execute("DELETE FROM class_code WHERE until < %s", (new.created,))
                    if database.execute("SELECT 1 FROM class_code WHERE code = %s", (new.code,)).fetchone():
                        return None
                    database.execute(
                        "INSERT INTO class (code, id, token, rules, created, head) VALUES (%s, %s, %s, %s, %s, 0)", row
                    )
            except psycopg.errors.UniqueViolation:
                known = database.execute("SELECT code FROM class WHERE id = %s", (new.id,)).fetchone()
                return None if known is None else _class(database, known[0], 0)
            return new

        return await self._do(work)

    async def read_class(self, code: str, after: int = 0) -> KeptClass | None:
        return await self._do(lambda database: _class(database, code, after))

    async def append_class(self, code: str, head: int, change: ClassChange) -> dict[str, int] | None:
        def work(database: Database) -> dict[str, int] | None:
            last, heads = change.events[-1], dict[str, int]()
            with database.transaction():
                moved = database.execute(
                    "UPDATE class SET head = %s WHERE code = %s AND head = %s AND NOT deleting",
                    (last.version, code, head),
                )
                if not moved.rowcount:
                    return None
                for version, _, kind, body, key, at in change.events:
                    row = (code, version, kind, json.dumps(body), key, at)
                    database.execute("INSERT INTO class_event VALUES (%s, %s, %s, %s, %s, %s)", row)
                for event in change.told:
                    heads |= _append_to_all(database, event, last.at)
                for game in change.begins:
                    _insert(database, game)
            return heads

        heads = await self._do(work)
        if heads is not None:
            self._changed.put((f"{CLASS_MARK}{code}", change.events[-1].version))
            for id_and_head in heads.items():
                self._changed.put(id_and_head)
        return heads

    async def glance_classes(self, codes: Collection[str]) -> dict[str, int]:
        query = """
            SELECT code, head + (SELECT coalesce(sum(game.head), 0) FROM game WHERE game.class = code)
            FROM class WHERE code = ANY(%s) AND NOT deleting
        """
        return await self._do(lambda database: dict(database.execute(query, (list(codes),)).fetchall()))

    async def see_pupils(self, people: Collection[tuple[str, int]], at: float) -> None:
        ordered = sorted(people)
        codes, numbers = [code for code, _ in ordered], [number for _, number in ordered]
        query = """
            INSERT INTO pupil SELECT there.code, number, %s FROM unnest(%s::text[], %s::int[]) AS there (code, number)
            JOIN class ON class.code = there.code AND NOT deleting ORDER BY 1, 2
            ON CONFLICT (class, number) DO UPDATE SET seen = excluded.seen
        """
        await self._do(lambda database: database.execute(query, (at, codes, numbers)))

    async def pupils_seen(self, code: str) -> dict[int, float]:
        query = "SELECT number, seen FROM pupil WHERE class = %s"
        return await self._do(lambda database: dict(database.execute(query, (code,)).fetchall()))

    async def expired_classes(self, before: float) -> list[str]:
        query = """
            SELECT code FROM class WHERE deleting OR (
                created < %(before)s
                AND NOT EXISTS (SELECT 1 FROM class_event WHERE class_event.class = code AND at >= %(before)s)
                AND NOT EXISTS (SELECT 1 FROM game WHERE game.class = code AND touched >= %(before)s)
                AND NOT EXISTS (SELECT 1 FROM pupil WHERE pupil.class = code AND seen >= %(before)s)
            ) ORDER BY deleting DESC, created LIMIT %(most)s
        """
        values = {"before": before, "most": AT_ONCE}
        return await self._do(lambda database: [code for (code,) in database.execute(query, values)])

    async def delete_class(self, code: str, reserve: float, deletion: bytes | None = None) -> bool:
        def hide(database: Database) -> bool:
            with database.transaction():
                if not database.execute("UPDATE class SET deleting = true WHERE code = %s", (code,)).rowcount:
                    return False
                database.execute(
                    "INSERT INTO class_code (code, until, deletion) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                    (code, reserve, deletion),
                )
            return True

        def delete_some_games(database: Database) -> int:
            query = "SELECT id FROM game WHERE class = %s ORDER BY id LIMIT %s FOR UPDATE"
            with database.transaction():
                ids = [id for (id,) in database.execute(query, (code, GAMES_AT_ONCE))]
                _delete_games(database, ids)
            return len(ids)

        def delete_rest(database: Database) -> None:
            with database.transaction():
                for statement in (
                    "DELETE FROM class_event WHERE class = %s",
                    "DELETE FROM pupil WHERE class = %s",
                    "DELETE FROM class WHERE code = %s",
                ):
                    database.execute(statement.encode(), (code,))

        if not await self._do(hide):
            return False
        while await self._do(delete_some_games):
            pass
        await self._do(delete_rest)
        return True

    async def deletion(self, code: str) -> bytes | None:
        query = "SELECT deletion FROM class_code WHERE code = %s"
        row = await self._do(lambda database: database.execute(query, (code,)).fetchone())
        return None if row is None or row[0] is None else bytes(row[0])

    async def check(self) -> None:
        await self._do(lambda database: database.execute("UPDATE probe SET at = at + 1"))

    async def close(self) -> None:
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


def _insert(database: Database, game: Kept) -> None:
    database.execute(
        "INSERT INTO game (id, rules, invite, head, status, due, created, touched, class) "
        "VALUES (%s, %s, %s, 0, %s, %s, %s, %s, %s)",
        (game.id, json.dumps(game.rules), game.invite, game.status, game.due, game.created, game.touched, game.code),
    )
    _insert_seats(database, game.id, game.seats)


def _insert_seats(database: Database, id: str, seats: tuple[Seat, ...]) -> None:
    for seat in seats:
        database.execute(
            "INSERT INTO seat (game, seat, token, name, level, seen) VALUES (%s, %s, %s, %s, %s, %s)", (id, *seat)
        )


def _append(database: Database, id: str, head: int, change: Change) -> bool:
    events, last = change.events, change.events[-1]
    values = (last.version, change.status, change.due, last.at, id, head)
    if len(events) == 1 and not change.seats and change.begins is None:
        return database.execute(APPEND, (*values, *_row(last))).rowcount == 1
    with database.transaction():
        if database.execute(APPEND, (*values, *_row(events[0]))).rowcount == 0:
            return False
        for event in events[1:]:
            database.execute("INSERT INTO event VALUES (%s, %s, %s, %s, %s, %s, %s)", (id, *_row(event)))
        _insert_seats(database, id, change.seats)
        if change.begins is not None:
            _insert(database, change.begins)
    return True


def _row(event: Event) -> tuple[Any, ...]:
    return event.version, event.seat, event.kind, json.dumps(event.body), event.key, event.at


def _class(database: Database, code: str, after: int) -> KeptClass | None:
    row = database.execute(READ_CLASS, (after, code)).fetchone()
    if row is None:
        return None
    *columns, events = row
    return class_from_rows(columns, events or ())


def _append_to_all(database: Database, event: Told, at: float) -> dict[str, int]:
    """Appends one event to several games, skipping those not in progress. Returns their new versions."""
    values = (at, event.closes, event.closes, list(event.games), event.kind, json.dumps(event.body), event.key, at)
    return dict(database.execute(APPEND_TO_ALL, values).fetchall())


def _delete_games(database: Database, ids: list[str]) -> None:
    for statement in (
        "UPDATE game SET deleting = true WHERE id = ANY(%s)",
        "DELETE FROM event WHERE game = ANY(%s)",
        "DELETE FROM seat WHERE game = ANY(%s)",
        "DELETE FROM game WHERE id = ANY(%s)",
    ):
        database.execute(statement.encode(), (ids,))
