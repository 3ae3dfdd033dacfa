"""Event streams in a database: the values that are stored, and the operations on them.

A store knows no rules. A stream is a game or a class: what it began with, its members, and its events. `append` adds
events after a given version of a stream, together with everything that belongs to the same change: new members, new
streams, and events of other streams. It saves all of it or, if the stream has a different version by now, nothing. It
returns after the commit. Events never change, and are deleted only together with their stream.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

AT_ONCE = 100  # streams per call of `find`, and per transaction of `expire`
CHILDREN_AT_ONCE = 200  # games of a class that are deleted in one transaction
MOST_QUEUED = 2_000  # requests that may wait for the database
GATHER_SECONDS = 0.0003  # how long a transaction waits for more appends, for each append of the last one
MOST_GATHERED = 20  # appends that it waits for
BUSY_STORE = "The server is busy. Try again in a moment."

T = TypeVar("T")


class StoreError(Exception):
    """The store is unusable or temporarily unavailable. The message says why."""


class Token(NamedTuple):
    """A secret that identifies a member, as its hash."""

    hash: str
    reads_only: bool = False
    """Whether it shows the stream, and allows no acts."""


class Member(NamedTuple):
    """A person with tokens, or the computer with a level, as they joined. Events may change them later."""

    number: int
    """The seat in a game, 0 or 1. In a class, 0 for the teacher, and the number of a pupil."""
    name: str
    level: int | None
    seen: float
    """When this person was last online."""
    tokens: tuple[Token, ...] = ()


class Event(NamedTuple):
    """One event of a stream. Versions count from 1 without gaps."""

    version: int
    member: int | None
    """The member who acted; None for the server."""
    kind: str
    body: dict[str, Any]
    key: str
    at: float


@dataclass(frozen=True)
class Stream:
    """A stored game or class."""

    id: str
    kind: str
    """game or class."""
    data: dict[str, Any]
    """What it began with: the game, its options and further settings."""
    status: str
    """open (a seat is free), playing, over or closed."""
    due: bool
    """Whether it is the computer's turn."""
    created: float
    touched: float
    """The time of the last event."""
    head: int = 0
    """The version: the number of events."""
    origin: str | None = None
    """Derived from the founder's idempotency key, so that a retry finds the same stream; None if the id is, too."""
    parent: str | None = None
    """The class of a game, if any. Deleting the class deletes the game."""
    members: tuple[Member, ...] = ()
    events: tuple[Event, ...] = ()
    """All events, or those after the requested version."""


class Notice(NamedTuple):
    """An event for several streams, appended whatever their versions. Streams not in progress are skipped."""

    streams: tuple[str, ...]
    kind: str
    body: dict[str, Any]
    key: str
    closes: bool = False
    """Whether this event closes the streams."""


class Change(NamedTuple):
    """A change to a stream: the events to append, its new status, and what else is saved with them."""

    events: tuple[Event, ...]
    status: str
    due: bool = False
    members: tuple[Member, ...] = ()
    """New members."""
    begins: tuple[Stream, ...] = ()
    """New streams: the games of a round, or a rematch."""
    notices: tuple[Notice, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it only appends one event. Most do."""
        return len(self.events) == 1 and not (self.members or self.begins or self.notices)


class Glance(NamedTuple):
    """Just enough to see whether a stream has news."""

    head: int
    total: int
    """The sum of the versions of the stream and of the games in it."""
    seen: dict[int, float]
    """When each person was last online."""


class Query(StrEnum):
    """Conditions for streams that the server looks for, each compared with a time."""

    DUE = "due AND broken IS NULL AND touched < ?"
    """Games that have waited for the computer since then, except broken ones."""
    IDLE = "kind = 'game' AND status = 'playing' AND broken IS NULL AND touched < ?"
    """Games in progress without an event since then, except broken ones."""
    UNJOINED = "kind = 'game' AND status = 'open' AND created < ?"
    """Games that were created before then and never joined."""
    ENDED = "kind = 'game' AND status IN ('over', 'closed') AND touched < ?"
    """Games that ended before then."""
    FORGOTTEN = """
        kind = 'class' AND (deleting OR (
            touched < ?
            AND NOT EXISTS (SELECT 1 FROM stream AS game WHERE game.parent = stream.id AND game.touched >= ?)
            AND NOT EXISTS (SELECT 1 FROM member WHERE member.stream = stream.id AND member.seen >= ?)
        ))
    """
    """Classes in which nothing has happened since then, and those whose deletion was interrupted."""


class Rows(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...


class Transaction(Protocol):
    """A connection to a database, inside a transaction. Placeholders are question marks."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> Rows: ...
    def executemany(self, statement: str, rows: Sequence[Sequence[Any]], /) -> Rows: ...


UPDATE = """
    UPDATE stream SET head = ?, status = ?, due = ?, touched = ? WHERE id = ? AND head = ? AND NOT deleting
"""
INSERT_EVENT = "INSERT INTO event (stream, version, member, kind, body, key, at) VALUES (?, ?, ?, ?, ?, ?, ?)"
INSERT_STREAM = """
    INSERT INTO stream (id, kind, origin, parent, data, head, status, due, created, touched)
    VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""


class Store(ABC):
    """The operations of every store. A write returns only after its commit."""

    observe: Callable[[float], None]
    """Called after each request with its duration in seconds, including the wait."""
    among: ClassVar[str]
    """The condition that a column is in a list, which is one value: see `values_of`."""
    lock: ClassVar[str]
    """What a SELECT ends with to lock its rows, and to skip those that are locked."""

    @staticmethod
    @abstractmethod
    def look(address: Any) -> int | None:
        """Returns the version of a database, or None if it is to be created. Changes nothing."""

    @staticmethod
    @abstractmethod
    def values_of(ids: Collection[str]) -> Any:
        """Returns a list as the value for `among`."""

    @abstractmethod
    async def _read(self, work: Callable[[Transaction], T]) -> T:
        """Runs one statement that only reads."""

    @abstractmethod
    async def _write(self, work: Callable[[Transaction], T], erases: bool = False) -> T:
        """Runs a transaction. With `erases`, the rows that it deletes are gone from the disk when this returns."""

    async def create(self, stream: Stream) -> Stream | None:
        """Inserts a stream and returns it.

        If the same founder's key has created one before, returns that. If the id is taken or reserved, returns None.
        """

        def work(database: Transaction) -> bool:
            if stream.origin is not None:
                database.execute("DELETE FROM reserved WHERE until < ?", (stream.created,))
                if database.execute("SELECT 1 FROM reserved WHERE id = ?", (stream.id,)).fetchone():
                    return False
            return insert(database, [stream])

        if await self._write(work):
            return stream
        if stream.origin is None:
            return await self.read(stream.id)
        query = "SELECT id FROM stream WHERE origin = ?"
        known = await self._read(lambda database: database.execute(query, (stream.origin,)).fetchone())
        return None if known is None else await self.read(known[0])

    @abstractmethod
    async def read(self, id: str, after: int = 0) -> Stream | None:
        """Returns a consistent snapshot of a stream, with its events after a version, or None if there is none."""

    async def append(self, id: str, head: int, change: Change) -> dict[str, int] | None:
        """Appends a change to a stream at version `head`. Returns the new versions of the streams in its notices.

        On a version conflict, returns None and saves nothing.
        """
        return await self._write(lambda database: self._append(database, id, head, change))

    def _append(self, database: Transaction, id: str, head: int, change: Change) -> dict[str, int] | None:
        last = change.events[-1]
        values = (last.version, change.status, change.due, last.at, id, head)
        if not database.execute(UPDATE, values).rowcount:
            return None
        database.executemany(INSERT_EVENT, [(id, *event_row(event)) for event in change.events])
        insert_members(database, [(id, member) for member in change.members])
        if not insert(database, change.begins):
            raise StoreError("There is a game with this id already.")
        heads: dict[str, int] = {}
        for notice in change.notices:
            heads |= self._append_notice(database, notice, last.at)
        return heads

    def _append_notice(self, database: Transaction, notice: Notice, at: float) -> dict[str, int]:
        """Appends one event to several streams. Returns their new versions."""
        closed = ", status = 'closed', due = false" if notice.closes else ""
        heads: dict[str, int] = dict(
            database.execute(
                f"UPDATE stream SET head = head + 1, touched = ?{closed} "  # noqa: S608
                f"WHERE id {self.among} AND status = 'playing' RETURNING id, head",
                (at, self.values_of(notice.streams)),
            ).fetchall()
        )
        body = json.dumps(notice.body)
        rows = [(id, head, None, notice.kind, body, notice.key, at) for id, head in heads.items()]
        if rows:
            database.executemany(INSERT_EVENT, rows)
        return heads

    async def glance(self, ids: Collection[str]) -> dict[str, Glance]:
        """Returns a glance at each of these streams, leaving out those that do not exist."""
        query = f"""
            WITH found AS MATERIALIZED (
                SELECT id, head, coalesce((SELECT sum(game.head) FROM stream AS game WHERE game.parent = stream.id), 0)
                    AS below
                FROM stream WHERE id {self.among} AND NOT deleting
            )
            SELECT id, head, head + below, number, seen
            FROM found LEFT JOIN member ON member.stream = id AND level IS NULL
        """  # noqa: S608
        values = (self.values_of(ids),)
        glances: dict[str, Glance] = {}
        rows = await self._read(lambda database: database.execute(query, values).fetchall())
        for id, head, total, number, seen in rows:
            glance = glances.setdefault(id, Glance(head, int(total), {}))
            if number is not None:
                glance.seen[number] = seen
        return glances

    async def has_token(self, id: str, hash: str) -> bool:
        """Whether a member of a stream has joined with a token, given its hash."""
        query = "SELECT 1 FROM token WHERE stream = ? AND hash = ?"
        return await self._read(lambda database: database.execute(query, (id, hash)).fetchone()) is not None

    @abstractmethod
    async def record_presence(self, people: Collection[tuple[str, int]], at: float) -> None:
        """Records that these people, by stream and number, were online at a time."""

    async def find(self, query: Query, before: float) -> list[str]:
        """Returns up to AT_ONCE streams for which a query holds."""
        statement = f"SELECT id FROM stream WHERE {query} ORDER BY deleting DESC, touched LIMIT {AT_ONCE}"  # noqa: S608
        values = (before,) * query.count("?")
        rows = await self._read(lambda database: database.execute(statement, values).fetchall())
        return [id for (id,) in rows]

    async def expire(self, query: Query, before: float) -> list[str]:
        """Deletes the streams for which a query holds, up to AT_ONCE per transaction. Returns their ids.

        A stream that cannot be deleted stops no other. The last such error is raised when the others are gone.
        """
        chosen: list[str] = []
        after, count = "", AT_ONCE

        def work(database: Transaction) -> None:
            where = f"{query} AND id > ? ORDER BY id LIMIT {count} {self.lock}"
            values = (*(before,) * query.count("?"), after)
            rows = database.execute(f"SELECT id FROM stream WHERE {where}", values).fetchall()  # noqa: S608
            chosen[:] = [id for (id,) in rows]
            self._delete(database, chosen)

        deleted: list[str] = []
        failures: list[Exception] = []
        try:
            while len(failures) < AT_ONCE:
                chosen.clear()
                try:
                    await self._write(work)
                except Exception as error:
                    if not chosen:  # the database is not available
                        raise
                    if len(chosen) > 1:
                        count = 1  # one by one, until the one that fails is found
                        continue
                    failures.append(error)
                    count = AT_ONCE
                else:
                    if not chosen:
                        break
                    deleted += chosen
                after = chosen[-1]
        finally:
            if deleted:
                await self._write(lambda _: None, erases=True)
        if failures:
            raise failures[-1]
        return deleted

    async def mark_broken(self, id: str, reason: str) -> None:
        """Marks a stream that this program cannot replay. Opening the store clears the mark."""
        statement = "UPDATE stream SET broken = ? WHERE id = ?"
        await self._write(lambda database: database.execute(statement, (reason, id)))

    async def delete(self, id: str, reserve: float, deletion: str | None = None) -> bool:
        """Deletes a class with its games and all names. Returns False if there is no such class.

        First the class disappears; then its games are deleted, up to CHILDREN_AT_ONCE per transaction, so that nobody
        waits long for the database. Until the time `reserve`, no new class gets its id, and `deletion` identifies the
        act.
        """

        def hide(database: Transaction) -> bool:
            if not database.execute("UPDATE stream SET deleting = true WHERE id = ?", (id,)).rowcount:
                return False
            statement = "INSERT INTO reserved (id, until, deletion) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            database.execute(statement, (id, reserve, deletion))
            return True

        def delete_some_children(database: Transaction) -> int:
            query = f"SELECT id FROM stream WHERE parent = ? ORDER BY id LIMIT {CHILDREN_AT_ONCE}"  # noqa: S608
            children = [child for (child,) in database.execute(query, (id,)).fetchall()]
            self._delete(database, children)
            return len(children)

        if not await self._write(hide):
            return False
        while await self._write(delete_some_children):
            pass
        await self._write(lambda database: self._delete(database, [id]), erases=True)
        return True

    def _delete(self, database: Transaction, ids: list[str]) -> None:
        values = (self.values_of(ids),)
        database.execute(f"UPDATE stream SET deleting = true WHERE id {self.among}", values)  # noqa: S608
        for table, column in (("event", "stream"), ("token", "stream"), ("member", "stream"), ("stream", "id")):
            database.execute(f"DELETE FROM {table} WHERE {column} {self.among}", values)  # noqa: S608

    async def deletion(self, id: str) -> str | None:
        """Returns the hash of the act that deleted a class, or None."""
        query = "SELECT deletion FROM reserved WHERE id = ?"
        row = await self._read(lambda database: database.execute(query, (id,)).fetchone())
        return None if row is None else row[0]

    @abstractmethod
    def watch(self, notify: Callable[[dict[str, int] | None], None]) -> None:
        """Calls `notify` with versions of streams that a process changed, or None if any stream may have changed."""

    @property
    @abstractmethod
    def waiting(self) -> int:
        """The number of requests that wait for the database."""

    async def check(self) -> None:
        """Raises StoreError if the database is not writable."""
        await self._write(lambda database: database.execute("UPDATE probe SET at = at + 1"))

    @abstractmethod
    async def close(self) -> None:
        """Finishes the queued requests and closes the database."""


def gathering_seconds(last: int) -> float:
    """How long to wait for more appends, if the last transaction had several.

    Under load, more are coming, and a commit costs far more than its writes.
    """
    return GATHER_SECONDS * min(last, MOST_GATHERED)


def insert(database: Transaction, streams: Collection[Stream]) -> bool:
    """Inserts streams with their members. Returns False if the id or the origin of one exists."""
    rows = [
        (new.id, new.kind, new.origin, new.parent, json.dumps(new.data), new.status, new.due, new.created, new.touched)
        for new in streams
    ]
    if rows and database.executemany(INSERT_STREAM, rows).rowcount < len(rows):
        return False
    insert_members(database, [(stream.id, member) for stream in streams for member in stream.members])
    return True


def insert_members(database: Transaction, members: Collection[tuple[str, Member]]) -> None:
    """Inserts members of streams, each with the id of the stream."""
    if members:
        rows = [(id, *member[:4]) for id, member in members]
        database.executemany("INSERT INTO member (stream, number, name, level, seen) VALUES (?, ?, ?, ?, ?)", rows)
    tokens = [(id, member.number, *token) for id, member in members for token in member.tokens]
    if tokens:
        database.executemany("INSERT INTO token (stream, member, hash, reads_only) VALUES (?, ?, ?, ?)", tokens)


def event_row(event: Event) -> tuple[Any, ...]:
    return event.version, event.member, event.kind, json.dumps(event.body), event.key, event.at


def stream_from_rows(
    id: str,
    stream: Sequence[Any],
    members: Iterable[Sequence[Any]],
    tokens: Iterable[Sequence[Any]],
    events: Iterable[Sequence[Any]],
) -> Stream:
    """Builds a stream from the rows of its tables."""
    kind, data, status, due, created, touched, head, origin, parent = stream
    tokens_of: dict[int, tuple[Token, ...]] = {}
    for number, hash, reads_only in tokens:
        tokens_of[number] = (*tokens_of.get(number, ()), Token(hash, bool(reads_only)))
    return Stream(
        id, kind, json.loads(data), status, bool(due), created, touched, head, origin, parent,
        tuple(Member(number, name, level, seen, tokens_of.get(number, ())) for number, name, level, seen in members),
        tuple(Event(version, who, kind, json.loads(body), key, at) for version, who, kind, body, key, at in events),
    )  # fmt: skip
