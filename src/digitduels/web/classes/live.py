"""A cached class, with the boards and the scores of its games."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from digitduels.web.classes.answers import GameBoard, board_of
from digitduels.web.classes.ranking import Standing, standings
from digitduels.web.classes.state import Classroom
from digitduels.web.positions.answers import Grade
from digitduels.web.rooms.state import Room
from digitduels.web.streams.live import Live

BOARD_BYTES = 1500  # estimated: what the board and the grades of a game take in memory


class Glimpse(NamedTuple):
    """A game as the wall shows it, and its version."""

    head: int
    shown: GameBoard


class Graded(NamedTuple):
    """The grades of both seats in a finished game, and the address of its review."""

    seats: list[Grade]
    review: str


class LiveClass(Live[Classroom]):
    """A cached class, its games, and who is present. `on_put` is called with every new version."""

    def __init__(self, classroom: Classroom, on_put: Callable[[Classroom], None] = lambda _: None) -> None:
        self._on_put = on_put
        self.boards: dict[str, Glimpse] = {}
        self.scores: dict[str, tuple[float, float] | None] = {}
        self.grades: dict[str, Graded] = {}
        self._ranked: tuple[tuple[int, int], dict[int, Standing]] = (-1, 0), {}
        self.shown = (-1, 0)
        """The version and the number of finished games that were last published to pupils."""
        super().__init__(classroom)

    def put(self, value: Classroom) -> None:
        super().put(value)
        self._on_put(value)

    @property
    def version(self) -> int:
        """The sum of the versions of the class and of its games."""
        return self.value.head + sum(board.head for board in self.boards.values())

    @property
    def weight(self) -> int:
        return super().weight + BOARD_BYTES * len(self.value.tables)

    @property
    def standings(self) -> dict[int, Standing]:
        """The standing of every pupil, computed once per version and finished game."""
        version = self.value.head, len(self.scores)
        if self._ranked[0] != version:
            self._ranked = version, standings(self.value, self.scores)
        return self._ranked[1]

    def show(self, room: Room) -> None:
        """Updates the board and the score of a game."""
        board = self.boards.get(room.id)
        if board is None or board.head < room.head:
            self.boards[room.id] = Glimpse(room.head, board_of(room))
        if room.over:
            self.scores[room.id] = score(room)


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
