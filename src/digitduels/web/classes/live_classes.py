"""An in-memory cache of classes, synchronised with the database and with their games."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from digitduels.web.classes import classroom as rules_of_classes
from digitduels.web.classes.allowances import Allowances
from digitduels.web.classes.class_view import board_of, rules_of
from digitduels.web.classes.classroom import Classroom
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import Room
from digitduels.web.rooms.live import reason_of
from digitduels.web.rooms.service import RoomService
from digitduels.web.store import KeptClass, Store

MOST_CLASSES = 1000  # in memory
NO_CLASS = "There is no class with this code. Check the letters. The class may have been deleted."


class Glimpse(NamedTuple):
    """A game as the wall shows it, and its version."""

    head: int
    shown: dict[str, Any]


class Graded(NamedTuple):
    """The grades of both seats in a finished game, and the address of its review."""

    seats: list[dict[str, Any]]
    review: str


class LiveClass:
    """A cached class: its latest known version, its games, and who is present."""

    def __init__(self, classroom: Classroom) -> None:
        self.classroom = classroom
        self.lock = asyncio.Lock()
        self.boards: dict[str, Glimpse] = {}
        self.scores: dict[str, tuple[float, float] | None] = {}
        self.grades: dict[str, Graded] = {}
        self.seen: dict[int, float] = {}
        """When each pupil was last seen."""
        self.away: set[int] = set()
        """The pupils who were away when the wall was last updated."""
        self.shown = (-1, 0)
        """The version and the number of finished games that were last published to pupils."""

    @property
    def total(self) -> int:
        """A version number that increases with every event in the class and in its games."""
        return self.classroom.head + sum(board.head for board in self.boards.values())

    def show(self, room: Room) -> None:
        """Updates the board and the score of a game."""
        board = self.boards.get(room.id)
        if board is None or board.head < room.head:
            self.boards[room.id] = Glimpse(room.head, board_of(room))
        if room.over:
            self.scores[room.id] = score(room)


class LiveClasses:
    """The cache of classes in one server process."""

    def __init__(self, store: Store, rooms: RoomService, allowances: Allowances) -> None:
        self._store, self._rooms, self._allowances = store, rooms, allowances
        self._live: OrderedDict[str, LiveClass] = OrderedDict()
        self._games: dict[str, str] = {}
        """The class of each game, for classes in the cache."""
        self.on_end: list[Callable[[str], None]] = []
        """Called with the code of a deleted class."""

    def __len__(self) -> int:
        return len(self._live)

    def get(self, code: str) -> LiveClass | None:
        """A class, if it is in the cache."""
        return self._live.get(code)

    def of_game(self, id: str) -> str | None:
        """The code of the class that a game belongs to, if the class is in the cache."""
        return self._games.get(id)

    async def load(self, code: str) -> LiveClass:
        """A class from the cache or from the database. Raises Refusal if there is none."""
        live = self._live.get(code)
        if live is not None:
            self._live.move_to_end(code)
            return live
        kept = await self._store.read_class(code) if len(code) == rules_of_classes.CODE_LENGTH else None
        if kept is None:
            raise Refusal(404, NO_CLASS)
        return self.put(kept)

    def put(self, kept: KeptClass) -> LiveClass:
        """Adds a stored class to the cache."""
        live = self._live.get(kept.code)
        if live is None:
            classroom = Classroom(kept)
            try:
                rules_of(classroom)
            except Exception as error:  # its game is not installed any more, or is a plug-in that fails
                raise Refusal(404, f"This class cannot be shown here. {reason_of(error)}") from None
            live = self._live[kept.code] = LiveClass(classroom)
            if len(self._live) > MOST_CLASSES:
                self._forget(next(iter(self._live)))
        self.keep(live, live.classroom)
        return live

    def keep(self, live: LiveClass, classroom: Classroom) -> None:
        """Replaces a cached class with a newer version."""
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
        """Removes a deleted class and its games from memory."""
        live = self._forget(code)
        if live is not None:
            for table in live.classroom.tables:
                self._rooms.drop_game(table.id)
        for notify in self.on_end:
            notify(code)

    async def catch_up(self, live: LiveClass) -> bool:
        """Applies events that other processes stored. Returns whether there were any.

        Raises Refusal if the class has been deleted.
        """
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
        """Updates the boards and scores of unfinished games."""
        open_games = [table.id for table in live.classroom.tables if table.id not in live.scores]
        if open_games:
            for room in (await self._rooms.current_rooms(open_games)).values():
                live.show(room)


def score(room: Room) -> tuple[float, float] | None:
    """The points of both seats: 1 for a win, ½ for a draw or a game that was closed early.

    None for a game that was closed before anybody moved: it does not count.
    """
    match = room.match
    outcome = match.outcome
    if outcome is None and len(match.moves) == match.opening:
        return None
    if outcome is None or outcome.winner is None:
        return 0.5, 0.5
    return (1.0, 0.0) if outcome.winner == 0 else (0.0, 1.0)
