"""Where games between friends, and classes that play them, are kept: what a store holds and promises.

A store knows no rules. `append` keeps what follows a version of a game, all of it or nothing, and only if the game
still has that version; the answer comes when it is kept. Events are never changed, and deleted only with their game.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


class StoreError(Exception):
    """A store that cannot be used, or cannot be used just now; says why."""


class Seat(NamedTuple):
    """A seat that is taken, by a person with a token or by the computer with a level. Seats are 0 and 1."""

    seat: int
    token: bytes | None
    """The hash of the token."""
    name: str
    level: int | None
    seen: float
    """When its person was last heard of."""


class Event(NamedTuple):
    """One thing that happened; the versions of a game's events count from 1 without a gap."""

    version: int
    seat: int | None
    """Who did it; None for the server."""
    kind: str
    body: dict[str, Any]
    key: str
    at: float


@dataclass(frozen=True)
class Kept:
    """All that is kept of a game."""

    id: str
    rules: dict[str, Any]
    """The game, its options and how it began."""
    invite: bytes | None
    """The hash of the invitation to the free seat."""
    status: str
    """open: a seat is free; playing; over; closed."""
    due: bool
    """Whether it waits for a move of the computer."""
    created: float
    touched: float
    head: int = 0
    """The version: how many events there are."""
    seats: tuple[Seat, ...] = ()
    events: tuple[Event, ...] = ()
    """All of them, or those after the version that a reader asked for."""
    code: str | None = None
    """The code of the class that it belongs to, with which it is deleted."""

    def seat(self, number: int) -> Seat | None:
        return next((seat for seat in self.seats if seat.seat == number), None)


def assembled(id: str, game: Sequence[Any], seats: Iterable[Sequence[Any]], events: Iterable[Sequence[Any]]) -> Kept:
    """What is kept of a game, from the rows of its three tables."""
    rules, invite, status, due, created, touched, head, code = game
    return Kept(
        id, json.loads(rules), invite, status, bool(due), created, touched, head,
        tuple(Seat(*seat) for seat in seats),
        tuple(Event(version, seat, kind, json.loads(body), key, at) for version, seat, kind, body, key, at in events),
        code,
    )  # fmt: skip


class Change(NamedTuple):
    """What a rule decides: events that follow the last one, the game's new status, and what comes with them."""

    events: tuple[Event, ...]
    status: str
    due: bool
    seats: tuple[Seat, ...] = ()
    """Seats that were taken."""
    begins: Kept | None = None
    """Another game that begins."""


@dataclass(frozen=True)
class KeptClass:
    """All that is kept of a class, besides its games."""

    code: str
    """What pupils type to join."""
    id: str
    """What only its teacher's key leads to."""
    token: bytes
    """The hash of the teacher's token."""
    rules: dict[str, Any]
    """What is played, and how."""
    created: float
    head: int = 0
    events: tuple[Event, ...] = ()
    """All of them, or those after the version that a reader asked for."""


class Told(NamedTuple):
    """An event for games of a class whatever their versions are. Only games that are being played get it."""

    games: tuple[str, ...]
    kind: str
    body: dict[str, Any]
    key: str
    closes: bool = False
    """Whether the games are closed by it."""


@dataclass(frozen=True)
class ClassChange:
    """What a rule decides about a class: events that follow the last one, and what comes with them."""

    events: tuple[Event, ...]
    begins: tuple[Kept, ...] = ()
    """Games that begin."""
    told: tuple[Told, ...] = ()


class Glance(NamedTuple):
    """What shows whether watchers of a game have to be told: its version, and when its people were last seen."""

    head: int
    seen: tuple[tuple[int, float], ...]


class Store(Protocol):
    """What every store does. An answer comes only after what it tells of is kept for good."""

    observe: Callable[[float], None]
    """Is told how many seconds each request took, with waiting."""

    async def create(self, game: Kept) -> bool:
        """Keeps a game that begins; False if there is one with this id."""

    async def read(self, id: str, after: int = 0) -> Kept | None:
        """What is kept of a game, as it was at one moment, with its events after a version; None if there is none."""

    async def append(self, id: str, head: int, change: Change) -> bool:
        """Keeps what follows a version; False, and nothing is kept, if the game does not have that version."""

    async def glance(self, ids: Collection[str]) -> dict[str, Glance]:
        """A glance at each of these games that exists."""

    async def see(self, people: Collection[tuple[str, int]], at: float) -> None:
        """Notes that these people, by game and seat, were there."""

    async def due(self, before: float) -> list[str]:
        """Some games that have been waiting for the computer since before a time, without those that are broken."""

    async def idle(self, before: float) -> list[str]:
        """Some games being played in which nothing has happened since a time, without those that are broken."""

    async def mark_broken(self, id: str, reason: str) -> None:
        """Marks a game that cannot be played on here, until the store is opened again."""

    async def forget(self, before: float) -> list[str]:
        """Deletes some games from before a time that nobody joined."""

    async def expire(self, before: float) -> list[str]:
        """Deletes some games that ended before a time."""

    async def create_class(self, new: KeptClass) -> KeptClass | None:
        """Keeps a class that begins; the one that there is if its id is known, and None if its code is taken."""

    async def read_class(self, code: str, after: int = 0) -> KeptClass | None:
        """What is kept of a class, as it was at one moment, with its events after a version; None if there is none."""

    async def append_class(self, code: str, head: int, change: ClassChange) -> dict[str, int] | None:
        """Keeps what follows a version of a class, all of it or nothing; the versions of the games that were told.

        None, and nothing is kept, if the class does not have that version.
        """

    async def glance_classes(self, codes: Collection[str]) -> dict[str, int]:
        """For each of these classes that exists, a number that grows with everything in it and in its games."""

    async def see_pupils(self, people: Collection[tuple[str, int]], at: float) -> None:
        """Notes that these pupils, by class and number, were there."""

    async def pupils_seen(self, code: str) -> dict[int, float]:
        """When each pupil of a class was last there, by number."""

    async def delete_classes(
        self, code: str | None, before: float, reserve: float, deletion: bytes | None = None
    ) -> list[str]:
        """Deletes a class, or some that began before a time, with all their games; their codes.

        Nobody gets such a code again until the time `reserve`. Until then it is known which act deleted it, by a hash.
        """

    async def deletion(self, code: str) -> bytes | None:
        """The hash of the act that deleted a class, if one did."""

    def watch(self, told: Callable[[dict[str, int] | None], None]) -> None:
        """Calls `told` with the versions of games that another process may have changed; None if any may have been."""

    @property
    def waiting(self) -> int:
        """How many requests wait for the database."""

    async def check(self) -> None:
        """Raises StoreError if the store cannot be written."""

    async def close(self) -> None:
        """Finishes what was begun, and lets go."""


AT_ONCE = 100  # games of one answer of `due`, `idle`, `forget` and `expire`
MOST_QUEUED = 2_000  # requests that may wait for the database
CLASS_MARK = "@"  # before the code of a class, among the ids of games in what other processes are told
BUSY_STORE = "The server is busy. Try again in a moment."


def assembled_class(row: Sequence[Any], events: Iterable[Sequence[Any]]) -> KeptClass:
    """What is kept of a class, from the rows of its two tables."""
    code, id, token, rules, created, head = row
    told = (Event(version, None, kind, json.loads(body), key, at) for version, kind, body, key, at in events)
    return KeptClass(code, id, token, json.loads(rules), created, head, tuple(told))


def pending(found: int, migrations: int) -> Iterable[int]:
    """The migrations that a database of a version lacks; raises StoreError if it is newer than this program."""
    if found > migrations:
        raise StoreError(
            f"The database has version {found}, and this program knows versions up to {migrations}. "
            "Use the newer Digit Duels that wrote it."
        )
    return range(found, migrations)
