"""The interface of a store, and the values that it stores: rooms and classes, each with its events.

A store knows no rules. `append` adds events after a given version of a game. It saves all of them or, if the game has a
different version by now, none of them. It returns after the commit. Events never change, and are deleted only
together with their game.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


class StoreError(Exception):
    """The store is unusable or temporarily unavailable. The message says why."""


class Seat(NamedTuple):
    """An occupied seat: a person with a token, or the computer with a level. Seats are numbered 0 and 1."""

    seat: int
    token: bytes | None
    """The hash of the token."""
    name: str
    level: int | None
    seen: float
    """When this person was last online."""


class Event(NamedTuple):
    """One event of a game or class. Versions count from 1 without gaps."""

    version: int
    seat: int | None
    """The player who acted; None for the server."""
    kind: str
    body: dict[str, Any]
    key: str
    at: float


@dataclass(frozen=True)
class Kept:
    """A stored game."""

    id: str
    rules: dict[str, Any]
    """The game, its options and its start."""
    invite: bytes | None
    """The hash of the invitation to the free seat."""
    status: str
    """open (a seat is free), playing, over or closed."""
    due: bool
    """Whether it is the computer's turn."""
    created: float
    touched: float
    head: int = 0
    """The version: the number of events."""
    seats: tuple[Seat, ...] = ()
    events: tuple[Event, ...] = ()
    """All events, or those after the requested version."""
    code: str | None = None
    """The code of its class, if any. Deleting the class deletes the game."""

    def seat(self, number: int) -> Seat | None:
        return next((seat for seat in self.seats if seat.seat == number), None)


def game_from_rows(
    id: str, game: Sequence[Any], seats: Iterable[Sequence[Any]], events: Iterable[Sequence[Any]]
) -> Kept:
    """Builds a stored game from the rows of its three tables."""
    rules, invite, status, due, created, touched, head, code = game
    return Kept(
        id, json.loads(rules), invite, status, bool(due), created, touched, head,
        tuple(Seat(*seat) for seat in seats),
        tuple(Event(version, seat, kind, json.loads(body), key, at) for version, seat, kind, body, key, at in events),
        code,
    )  # fmt: skip


class Change(NamedTuple):
    """A change to a game: the events to append, its new status, and rows to insert with them."""

    events: tuple[Event, ...]
    status: str
    due: bool
    seats: tuple[Seat, ...] = ()
    """Newly occupied seats."""
    begins: Kept | None = None
    """A new game that starts with this change: the rematch."""


@dataclass(frozen=True)
class KeptClass:
    """A stored class, without its games."""

    code: str
    """The code that pupils type to join."""
    id: str
    """Derived from the teacher's idempotency key, so that a retry finds the same class."""
    token: bytes
    """The hash of the teacher's token."""
    rules: dict[str, Any]
    """The game, its options, and the settings of the class."""
    created: float
    head: int = 0
    events: tuple[Event, ...] = ()
    """All events, or those after the requested version."""


class Told(NamedTuple):
    """An event for several games of a class, appended whatever their versions. Games not in progress are skipped."""

    games: tuple[str, ...]
    kind: str
    body: dict[str, Any]
    key: str
    closes: bool = False
    """Whether this event closes the games."""


@dataclass(frozen=True)
class ClassChange:
    """A change to a class: the events to append, and the changes to its games."""

    events: tuple[Event, ...]
    begins: tuple[Kept, ...] = ()
    """New games."""
    told: tuple[Told, ...] = ()


class Glance(NamedTuple):
    """Just enough to see whether a game has news: its version, and when each person was last online, by seat."""

    head: int
    seen: tuple[tuple[int, float], ...]


class Store(Protocol):
    """The methods of every store. A write returns only after its commit."""

    observe: Callable[[float], None]
    """Called after each request with its duration in seconds, including the wait."""

    async def create(self, game: Kept) -> bool:
        """Inserts a new game. Returns False if the id exists."""

    async def read(self, id: str, after: int = 0) -> Kept | None:
        """Returns a consistent snapshot of a game, with its events after a version, or None if it does not exist."""

    async def append(self, id: str, head: int, change: Change) -> bool:
        """Appends a change to a game at version `head`. On a version conflict, returns False and saves nothing."""

    async def glance(self, ids: Collection[str]) -> dict[str, Glance]:
        """Returns a glance at each of these games, leaving out those that do not exist."""

    async def see(self, people: Collection[tuple[str, int]], at: float) -> None:
        """Records that these people, by game and seat, were online at a time."""

    async def due(self, before: float) -> list[str]:
        """Returns up to AT_ONCE games that have waited for the computer since before a time, except broken ones."""

    async def idle(self, before: float) -> list[str]:
        """Returns up to AT_ONCE games in progress without an event since a time, except broken ones."""

    async def mark_broken(self, id: str, reason: str) -> None:
        """Marks a game that this program cannot replay. Opening the store clears the mark."""

    async def forget(self, before: float) -> list[str]:
        """Deletes up to AT_ONCE games that were created before a time and never joined. Returns their ids."""

    async def expire(self, before: float) -> list[str]:
        """Deletes up to AT_ONCE games that ended before a time. Returns their ids."""

    async def create_class(self, new: KeptClass) -> KeptClass | None:
        """Inserts a class and returns it. If the id exists, returns the stored class; if the code is taken, None."""

    async def read_class(self, code: str, after: int = 0) -> KeptClass | None:
        """Returns a consistent snapshot of a class, with its events after a version, or None if it does not exist."""

    async def append_class(self, code: str, head: int, change: ClassChange) -> dict[str, int] | None:
        """Appends a change to a class at version `head`. Returns the new versions of the games in `change.told`.

        On a version conflict, returns None and saves nothing.
        """

    async def glance_classes(self, codes: Collection[str]) -> dict[str, int]:
        """Returns a number for each existing class that grows with every event in the class and in its games."""

    async def see_pupils(self, people: Collection[tuple[str, int]], at: float) -> None:
        """Records that these pupils, by class and number, were online at a time."""

    async def pupils_seen(self, code: str) -> dict[int, float]:
        """Returns when each pupil of a class was last online, by number."""

    async def expired_classes(self, before: float) -> list[str]:
        """Returns up to AT_ONCE classes in which nothing has happened since a time.

        Classes whose deletion was interrupted come first.
        """

    async def delete_class(self, code: str, reserve: float, deletion: bytes | None = None) -> bool:
        """Deletes a class with its games and all names. Returns False if there is no such class.

        First the class disappears; then its games are deleted, up to GAMES_AT_ONCE per transaction, so that nobody
        waits long for the database. Until the time `reserve`, no new class gets its code, and `deletion` identifies
        the act.
        """

    async def deletion(self, code: str) -> bytes | None:
        """Returns the hash of the act that deleted a class, or None."""

    def watch(self, notify: Callable[[dict[str, int] | None], None]) -> None:
        """Calls `notify` with versions of games that another process changed, or None if any game may have changed."""

    @property
    def waiting(self) -> int:
        """The number of requests that wait for the database."""

    async def check(self) -> None:
        """Raises StoreError if the database is not writable."""

    async def close(self) -> None:
        """Finishes the queued requests and closes the database."""


AT_ONCE = 100  # games per call of `due`, `idle`, `forget` and `expire`, and classes per call of `expired_classes`
GAMES_AT_ONCE = 200  # games of a class that are deleted in one transaction
MOST_QUEUED = 2_000  # requests that may wait for the database
CLASS_MARK = "@"  # precedes the code of a class in notifications, which also contain ids of games
BUSY_STORE = "The server is busy. Try again in a moment."


def class_from_rows(row: Sequence[Any], events: Iterable[Sequence[Any]]) -> KeptClass:
    """Builds a stored class from the rows of its two tables."""
    code, id, token, rules, created, head = row
    history = tuple(Event(version, None, kind, json.loads(body), key, at) for version, kind, body, key, at in events)
    return KeptClass(code, id, token, json.loads(rules), created, head, history)


def pending_migrations(version: int, newest: int) -> range:
    """Returns the migrations that a database still needs. Raises StoreError if it is newer than this program."""
    if version > newest:
        raise StoreError(
            f"The database has version {version}, and this program knows versions up to {newest}. "
            "Use the newer Digit Duels that wrote it."
        )
    return range(version, newest)
