"""The types of the answers about classes, and how the teacher's view and a pupil's view are built."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Annotated, Literal, TypedDict

from digitduels.core import winning_score
from digitduels.games import game
from digitduels.manual import summary
from digitduels.rule_sets import house_rules
from digitduels.study.serialization import Alias, OptionValue, Seat
from digitduels.web.classes.acts import twin, waits
from digitduels.web.classes.ranking import Standing, games_of
from digitduels.web.classes.state import Classroom, Pupil, Scores, Table
from digitduels.web.positions.answers import Integer, Miss
from digitduels.web.rooms.state import Room

JUST_ENDED = 15.0  # seconds after its end in which a game is shown, even if its pupils have other games
BEST = 10  # pupils whose places the wall may show; all others see their own
STUCK = 60  # seconds without a move after which the teacher's desk marks a board

ClassMode = Annotated[str, Alias("ClassMode", {"enum": ["pairs", "computer", "rounds"]})]
LinkKind = Annotated[str, Alias("LinkKind", {"enum": ["desk", "wall"]})]
ClassStart = Annotated[str, Alias("ClassStart", {"enum": ["book", "fair"]})]


class ClassRules(TypedDict):
    """The settings of a class."""

    game: str
    title: str
    options: dict[str, OptionValue]
    summary: str
    house_rules: str
    mode: ClassMode
    level: int
    hints: bool
    takebacks: bool
    start: ClassStart
    anonymous: bool
    locked: Annotated[bool, "Whether nobody else can join."]
    auto_pairing: Annotated[bool, "Whether pupils who wait get their next game without the teacher."]


class ClassBasics(TypedDict):
    code: Annotated[str, "The code to join with."]
    version: Annotated[int, "The number of events so far."]
    round: Annotated[int, "0 before the first round."]
    rules: ClassRules
    paused: Annotated[str | None, "The teacher's message while the class is paused."]
    ended: Annotated[bool, "Whether the class is over."]
    pupil_count: int


class ClassPupil(TypedDict):
    pupil: int
    name: str
    points: float
    games: Annotated[int, "Finished games that count."]
    place: Annotated[int, "In the standings."]
    away: bool
    playing: bool
    absent: Annotated[bool, "Whether the computer plays for them because they have left."]
    waiting: bool
    newcomer: Annotated[bool, "Whether they have not had a game."]
    like: Annotated[int | None, "The pupil who may be the same person, on another device."]


class NamedPupil(TypedDict):
    pupil: int
    name: str


class ShownStanding(TypedDict):
    """A pupil's place, as the wall may show it."""

    pupil: int
    place: int
    points: float
    games: int


class Together(TypedDict):
    """What the class has done together so far."""

    games: Annotated[int, "Finished games that count."]
    moves: int
    pairs: Annotated[int, "Different pairs of pupils who have met."]


class ClassLink(TypedDict):
    """A link of the teacher for another device."""

    link: int
    kind: LinkKind
    made: Annotated[float, "Seconds since 1970."]


class GameBoard(TypedDict):
    """A game as the wall shows it, without its players."""

    id: str
    scores: list[Integer | None]
    table: Integer | None
    goal: Integer | None
    player: Seat | None
    moves: int
    since: Annotated[float, "The time of the last event, in seconds since 1970."]
    over: bool
    winner: Seat | None
    closed: bool
    levels: Annotated[list[int | None], "The computer's level, by seat."]


class ClassBoard(GameBoard):
    """A game on the wall."""

    pupils: Annotated[list[int | None], "By seat; null is the computer."]


class ShownClass(ClassBasics):
    """The part of a class that the wall shows, beside the names."""

    now: Annotated[float, "The server's time, in seconds since 1970."]
    boards: Annotated[list[ClassBoard], "The games of this round."]
    standings: Annotated[list[ShownStanding], "The best pupils so far."]
    together: Together


class WallClass(ShownClass):
    """A class as a wall sees it that was opened with a link: what it shows, and nothing else."""

    role: Literal["wall"]
    pupils: Annotated[list[NamedPupil], "With numbers instead of names on an anonymous wall."]


class TeacherClass(ShownClass):
    """A class as its teacher sees it."""

    role: Literal["teacher"]
    deleted: Annotated[float, "When the class will be deleted if nothing more happens in it."]
    stuck: Annotated[float, "The number of seconds without a move after which a board counts as stuck."]
    pupils: list[ClassPupil]
    removed: Annotated[list[NamedPupil], "The pupils that the teacher removed."]
    links: Annotated[list[ClassLink], "The links for other devices that are valid."]


class CurrentGame(TypedDict):
    id: str
    seat: Seat
    token: str


class PupilPoints(TypedDict):
    against: str
    points: float | None


class PupilGame(PupilPoints):
    """A game from one pupil's point of view; without points while it is in progress."""

    round: int


class PupilClass(ClassBasics):
    """A class as a pupil sees it."""

    role: Literal["pupil"]
    pupil: int
    name: str
    game: Annotated[CurrentGame | None, "The game to play."]
    playing: Annotated[bool, "Whether it is in progress."]
    points: float
    place: Annotated[int | None, "In the standings so far; null without a finished game."]
    games: list[PupilGame]


class NewClass(TypedDict):
    code: str
    token: str
    state: TeacherClass


class JoinedClass(TypedDict):
    pupil: int
    token: str
    state: PupilClass


class NewLink(TypedDict):
    """A new link for another device of the teacher. Its token belongs in the fragment of a URL."""

    link: int
    token: str
    state: TeacherClass


class ActedClass(TypedDict):
    """The result of a teacher's act; no state if the class was deleted."""

    accepted: int
    state: TeacherClass | None


class ClassMoment(Miss):
    """A pupil's miss: a link to its review, and a description for paper."""

    round: int
    against: str


class ResultRow(TypedDict):
    pupil: int
    name: str
    place: int
    points: float
    opponents: Annotated[float, "The sum of the opponents' points."]
    games: int
    won: int
    drawn: int
    lost: int
    found: Annotated[int, "Critical moves found."]
    critical: int
    chance: Annotated[float, "The number of critical moves that a random mover would find."]
    moments: Annotated[list[ClassMoment], "The pupil's own misses, to try again."]
    rounds: list[list[PupilPoints]]


class ResultGame(TypedDict):
    id: str
    round: int
    names: list[str]
    over: bool
    points: Annotated[
        list[float] | None, "Null while it is in progress, and for a game without a move, which does not count."
    ]
    review: str | None


class Discussion(TypedDict):
    path: str
    missed: int
    times: int
    position: list[str]
    quest: str


class ClassResults(TypedDict):
    code: str
    title: str
    began: Annotated[float, "Seconds since 1970."]
    mode: str
    rounds: int
    explained: list[str]
    discussion: Annotated[Discussion | None, "A link to a position that most pupils missed, on a large board."]
    pupils: list[ResultRow]
    games: list[ResultGame]


def rules_of(classroom: Classroom) -> ClassRules:
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
        "auto_pairing": rules.get("auto_pairing", False),
        "title": title,
        "summary": about,
        "house_rules": house_rules,
    }


@lru_cache(256)
def _words(name: str, options: str) -> tuple[str, str, str]:
    """The title of a game, its summary, and how it differs from the book."""
    rules = game(name, **json.loads(options))
    return rules.title, summary(rules), house_rules(rules)


def board_of(room: Room) -> GameBoard:
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


def common(classroom: Classroom) -> ClassBasics:
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


def shown(
    classroom: Classroom, boards: Mapping[str, GameBoard], scores: Scores, ranked: Mapping[int, Standing], now: float
) -> ShownClass:
    """What the wall shows, beside the names: the boards of this round, except for those that all left long ago."""
    counted = [table for table in classroom.tables if scores.get(table.id) is not None]
    best = [(number, standing) for number, standing in ranked.items() if standing.games][:BEST]
    return {
        **common(classroom),
        "now": now,
        "boards": [
            {**boards[table.id], "pupils": list(table.pupils)}
            for table in classroom.current
            if table.id in boards and _is_shown(classroom, table, boards[table.id], now)
        ],
        "standings": [
            {"pupil": number, "place": standing.place, "points": standing.points, "games": standing.games}
            for number, standing in best
        ],
        "together": {
            "games": len(counted),
            "moves": sum(board["moves"] for board in boards.values()),
            "pairs": len({frozenset(table.pupils) for table in counted if None not in table.pupils}),
        },
    }


def wall_view(shown: ShownClass, classroom: Classroom) -> WallClass:
    """What somebody sees who has only a link for the wall: on an anonymous one, neither names nor games with names."""
    anonymous = classroom.rules["anonymous"]
    order = {table.id: index for index, table in enumerate(classroom.tables)}
    boards: list[ClassBoard] = [
        {**board, "id": str(order[board["id"]])} if anonymous else board for board in shown["boards"]
    ]
    return {
        **shown,
        "role": "wall",
        "boards": boards,
        "pupils": [
            {"pupil": pupil.number, "name": f"Pupil {pupil.number}" if anonymous else pupil.name}
            for pupil in classroom.present
        ],
    }


def teacher_view(
    shown: ShownClass,
    classroom: Classroom,
    scores: Scores,
    ranked: Mapping[int, Standing],
    away: Set[int],
    deleted: float,
) -> TeacherClass:
    """The whole class."""
    playing = {number for table in classroom.current if table.id not in scores for number in table.pupils}
    return {
        **shown,
        "role": "teacher",
        "deleted": deleted,
        "stuck": STUCK,
        "pupils": [
            {
                "pupil": pupil.number,
                "name": pupil.name,
                "points": ranked[pupil.number].points,
                "games": ranked[pupil.number].games,
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
        "links": [
            {"link": link.number, "kind": "wall" if link.token.reads_only else "desk", "made": link.made}
            for link in classroom.links.values()
            if not link.revoked
        ],
    }


def _is_shown(classroom: Classroom, table: Table, board: GameBoard, now: float) -> bool:
    """Whether a game is in progress, has just ended, or is the latest of one of its pupils."""
    is_new = board["player"] is not None or now - board["since"] < JUST_ENDED
    return is_new or any(number is not None and classroom.table_of(number) == table for number in table.pupils)


def _possible_twin(classroom: Classroom, pupil: Pupil, away: Set[int]) -> int | None:
    """The number of the pupil who may have joined again as this one, on another device.

    None once this pupil has played, unless the other one is away.
    """
    other = twin(classroom, pupil)
    if other is None:
        return None
    new = not classroom.games_of(pupil.number)
    return other.number if new or other.number in away else None


def pupil_view(
    classroom: Classroom, pupil: Pupil, token: str, scores: Scores, ranked: Mapping[int, Standing]
) -> PupilClass:
    """A pupil's view of the class: their name, their current game, and their points and place so far."""
    table, standing = classroom.table_of(pupil.number), ranked[pupil.number]
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
        "points": standing.points,
        "place": standing.place if standing.games else None,
        "games": [
            {"round": game.round, "against": game.against, "points": game.points}
            for game in games_of(classroom, pupil.number, scores)
        ],
    }
