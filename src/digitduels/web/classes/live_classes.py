"""The classes in memory, kept in step with the database and with their games."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from digitduels.web.classes import classroom as rules_of_classes
from digitduels.web.classes.allowances import Allowances
from digitduels.web.classes.class_view import board_of
from digitduels.web.classes.classroom import Classroom
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import Room
from digitduels.web.rooms.service import RoomService
from digitduels.web.store import KeptClass, Store

MOST_CLASSES = 1000  # in memory
NO_CLASS = "There is no class with this code. Check the letters. A class that is over is deleted after a day."


class Glimpse(NamedTuple):
    """A game as a wall shows it."""

    head: int
    shown: dict[str, Any]


class Graded(NamedTuple):
    """A game that is over: how both seats chose, and the address of its review."""

    seats: list[dict[str, Any]]
    review: str


class LiveClass:
    """A class in memory: its newest version that is known, and who was told what."""

    def __init__(self, classroom: Classroom) -> None:
        self.classroom = classroom
        self.lock = asyncio.Lock()
        self.boards: dict[str, Glimpse] = {}
        self.scores: dict[str, tuple[float, float] | None] = {}
        self.grades: dict[str, Graded] = {}
        self.seen: dict[int, float] = {}
        """When each pupil was last there."""
        self.away: set[int] = set()
        """The pupils who were away when the wall was last told."""
        self.shown = (-1, 0)
        """The version and the number of games that were over when pupils were last told."""

    @property
    def total(self) -> int:
        """A number that grows with everything in the class and in its games."""
        return self.classroom.head + sum(board.head for board in self.boards.values())

    def show(self, room: Room) -> None:
        """Takes over how a game of the class stands."""
        known = self.boards.get(room.id)
        if known is None or known.head < room.head:
            self.boards[room.id] = Glimpse(room.head, board_of(room))
        if room.over:
            self.scores[room.id] = score(room)


class LiveClasses:
    """The classes that this process has in memory."""

    def __init__(self, store: Store, rooms: RoomService, allowances: Allowances) -> None:
        self._store, self._rooms, self._allowances = store, rooms, allowances
        self._live: OrderedDict[str, LiveClass] = OrderedDict()
        self._games: dict[str, str] = {}
        """The class of each game of a class in memory."""
        self.ended: list[Callable[[str], None]] = []
        """Called with the code of a class that is no more."""

    def __len__(self) -> int:
        return len(self._live)

    def get(self, code: str) -> LiveClass | None:
        """A class, if it is in memory."""
        return self._live.get(code)

    def of_game(self, id: str) -> str | None:
        """The code of the class to which a game belongs, if that is in memory."""
        return self._games.get(id)

    async def load(self, code: str) -> LiveClass:
        """A class from memory or from the database; raises Refusal if there is none."""
        live = self._live.get(code)
        if live is not None:
            self._live.move_to_end(code)
            return live
        kept = await self._store.read_class(code) if len(code) == rules_of_classes.CODE_LENGTH else None
        if kept is None:
            raise Refusal(404, NO_CLASS)
        return self.put(kept)

    def put(self, kept: KeptClass) -> LiveClass:
        """Takes a class that the database keeps into memory."""
        live = self._live.get(kept.code)
        if live is None:
            live = self._live[kept.code] = LiveClass(Classroom(kept))
            if len(self._live) > MOST_CLASSES:
                self._forget(next(iter(self._live)))
        self.keep(live, live.classroom)
        return live

    def keep(self, live: LiveClass, classroom: Classroom) -> None:
        """The class has a new version."""
        live.classroom = classroom
        tokens = [classroom.token, *(pupil.token for pupil in classroom.present)]
        self._allowances.learn(classroom.code, tokens)
        for table in classroom.current:
            self._games[table.id] = classroom.code

    def _forget(self, code: str) -> LiveClass | None:
        live = self._live.pop(code, None)
        self._allowances.forget(code)
        if live is not None:
            for table in live.classroom.tables:
                self._games.pop(table.id, None)
        return live

    def end(self, code: str) -> None:
        """The class is no more, and neither are its games."""
        live = self._forget(code)
        if live is not None:
            for table in live.classroom.tables:
                self._rooms.drop_game(table.id)
        for tell in self.ended:
            tell(code)

    async def catch_up(self, live: LiveClass) -> bool:
        """Takes over what other processes did; whether there was anything. Raises Refusal if the class is no more."""
        before = live.classroom
        kept = await self._store.read_class(before.code, before.head)
        if kept is None:
            self.end(before.code)
            raise Refusal(404, NO_CLASS)
        if live.classroom is not before or kept.head == before.head:
            return live.classroom.head > before.head
        self.keep(live, before.then(kept.events))
        return True

    async def look_at_games(self, live: LiveClass) -> None:
        """Reads the games that may have gone on; one that is over stays as it is."""
        open_games = [table.id for table in live.classroom.tables if table.id not in live.scores]
        if open_games:
            for room in (await self._rooms.current_rooms(open_games)).values():
                live.show(room)


def score(room: Room) -> tuple[float, float] | None:
    """The points of both seats: a win is one, a draw half; so is a game that was broken off, if anybody had moved."""
    match = room.match
    outcome = match.outcome
    if outcome is None and len(match.moves) == match.opening:
        return None
    if outcome is None or outcome.winner is None:
        return 0.5, 0.5
    return (1.0, 0.0) if outcome.winner == 0 else (0.0, 1.0)
