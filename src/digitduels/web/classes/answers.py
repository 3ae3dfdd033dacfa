"""The JSON of a class: the teacher's view and a pupil's view."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any, Literal, TypedDict

from digitduels.core import winning_score
from digitduels.games import game
from digitduels.manual import summary
from digitduels.rule_sets import house_rules
from digitduels.web.classes.acts import twin, waits
from digitduels.web.classes.ranking import games_of, standings
from digitduels.web.classes.state import Classroom, Pupil, Scores
from digitduels.web.rooms.state import Room

STUCK = 60  # seconds without a move after which the teacher's desk marks a board


class ClassSettings(TypedDict):
    """The settings of a class, with its game in words."""

    game: str
    options: dict[str, Any]
    mode: Literal["pairs", "computer", "rounds"]
    level: int
    hints: bool
    takebacks: bool
    start: Literal["book", "fair"]
    anonymous: bool
    locked: bool
    title: str
    summary: str
    house_rules: str


class ClassState(TypedDict):
    """The fields that the teacher and all pupils may see."""

    code: str
    version: int
    round: int
    rules: ClassSettings
    paused: str | None
    ended: bool
    pupil_count: int


class BoardView(TypedDict):
    """A game as the wall shows it."""

    id: str
    scores: list[int | None]
    table: int | None
    goal: int | None
    player: int | None
    moves: int
    since: float
    over: bool
    winner: int | None
    closed: bool
    levels: list[int | None]


class PairedBoard(BoardView):
    """A board of this round, with the numbers of its pupils."""

    pupils: list[int | None]


class PupilRow(TypedDict):
    """A pupil on the teacher's desk."""

    pupil: int
    name: str
    points: float
    place: int
    away: bool
    playing: bool
    waiting: bool
    newcomer: bool
    absent: bool
    like: int | None


class RemovedPupil(TypedDict):
    pupil: int
    name: str


class TeacherState(ClassState):
    """The whole class: its pupils, and the boards of this round."""

    role: Literal["teacher"]
    now: float
    deleted: float
    stuck: int
    pupils: list[PupilRow]
    removed: list[RemovedPupil]
    boards: list[PairedBoard]


class CurrentGame(TypedDict):
    """The game that a pupil plays, and the token of their seat."""

    id: str
    seat: int
    token: str


class PupilGameView(TypedDict):
    """A game from one pupil's point of view. `points` is null until it is over."""

    round: int
    against: str
    points: float | None


class PupilState(ClassState):
    """What a pupil sees of the class: their name, their current game, and their points so far."""

    role: Literal["pupil"]
    pupil: int
    name: str
    game: CurrentGame | None
    playing: bool
    points: float
    games: list[PupilGameView]


class CreatedClass(TypedDict):
    """The answer to the founder of a class, beside its state."""

    code: str
    token: str


class JoinedClass(TypedDict):
    """The answer to a pupil who has joined a class, beside its state."""

    pupil: int
    token: str


def rules_of(classroom: Classroom) -> ClassSettings:
    """The settings of a class with the title, a summary and the house rules of its game."""
    title, about, house_rules = _words(classroom.rules["game"], json.dumps(classroom.rules["options"]))
    rules = classroom.rules
    return {
        "game": rules["game"],
        "options": rules["options"],
        "mode": rules["mode"],
        "level": rules["level"],
        "hints": rules["hints"],
        "takebacks": rules["takebacks"],
        "start": rules["start"],
        "anonymous": rules["anonymous"],
        "locked": rules.get("locked", False),
        "title": title,
        "summary": about,
        "house_rules": house_rules,
    }


@lru_cache(256)
def _words(name: str, options: str) -> tuple[str, str, str]:
    """The title of a game, its summary, and how it differs from the book."""
    rules = game(name, **json.loads(options))
    return rules.title, summary(rules), house_rules(rules)


def board_of(room: Room) -> BoardView:
    """A game as the wall shows it."""
    match = room.match
    first, second, table = match.game.board(match.state).scores
    outcome = match.outcome
    return {
        "id": room.id,
        "scores": [first, second],
        "table": table,
        "goal": winning_score(match.game),
        "player": None if room.over else match.state.player + 1,
        "moves": len(match.moves) - match.opening,
        "since": room.touched,
        "over": outcome is not None,
        "winner": None if outcome is None or outcome.winner is None else outcome.winner + 1,
        "closed": room.closed,
        "levels": room.levels,
    }


def common(classroom: Classroom) -> ClassState:
    """The fields that the teacher and all pupils may see."""
    return {
        "code": classroom.id,
        "version": classroom.head,
        "round": classroom.round,
        "rules": rules_of(classroom),
        "paused": classroom.paused,
        "ended": classroom.ended,
        "pupil_count": len(classroom.present),
    }


def teacher_view(
    classroom: Classroom,
    boards: Mapping[str, BoardView],
    scores: Scores,
    away: Set[int],
    now: float,
    lasts: float,
) -> TeacherState:
    """The whole class: its pupils, and the boards of this round.

    `lasts` is how many seconds a class is stored after the last act or move in it.
    """
    ranked = standings(classroom, scores)
    playing = {number for table in classroom.current if table.id not in scores for number in table.pupils}
    return {
        **common(classroom),
        "role": "teacher",
        "now": now,
        "deleted": max(classroom.touched, *(board["since"] for board in boards.values()), 0.0) + lasts,
        "stuck": STUCK,
        "pupils": [
            {
                "pupil": pupil.number,
                "name": pupil.name,
                "points": ranked[pupil.number].points,
                "place": ranked[pupil.number].place,
                "away": pupil.number in away,
                "playing": pupil.number in playing,
                "waiting": waits(classroom, pupil.number, scores),
                "newcomer": not classroom.games_of(pupil.number),
                "absent": pupil.absent is not None and pupil.number in away,
                "like": _possible_twin(classroom, pupil, away),
            }
            for pupil in classroom.present
        ],
        "removed": [{"pupil": pupil.number, "name": pupil.name} for pupil in classroom.removed],
        "boards": [
            {**boards[table.id], "pupils": list(table.pupils)} for table in classroom.current if table.id in boards
        ],
    }


def _possible_twin(classroom: Classroom, pupil: Pupil, away: Set[int]) -> int | None:
    """The number of the pupil who may have joined again as this one, on another device.

    None once this pupil has played, unless the other one is away.
    """
    other = twin(classroom, pupil)
    if other is None:
        return None
    new = not classroom.games_of(pupil.number)
    return other.number if new or other.number in away else None


def pupil_view(classroom: Classroom, pupil: Pupil, token: str, scores: Scores) -> PupilState:
    """A pupil's view of the class: their name, their current game, and their points so far."""
    table = classroom.table_of(pupil.number)
    current_game: CurrentGame | None = None
    if table is not None:
        current_game = {"id": table.id, "seat": table.pupils.index(pupil.number) + 1, "token": token}
    return {
        **common(classroom),
        "role": "pupil",
        "pupil": pupil.number,
        "name": pupil.name,
        "game": current_game,
        "playing": table is not None and table.id not in scores,
        "points": classroom.points(pupil.number, scores),
        "games": [
            {"round": game.round, "against": game.against, "points": game.points}
            for game in games_of(classroom, pupil.number, scores)
        ],
    }
