"""The types of the answers about rooms, classes and lessons."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from digitduels.study.serialization import Alias, OptionValue, Seat
from digitduels.web.positions.answers import Integer, Miss, PresentView, Turn

ClassMode = Annotated[str, Alias("ClassMode", {"enum": ["pairs", "computer", "rounds"]})]
ClassStart = Annotated[str, Alias("ClassStart", {"enum": ["book", "fair"]})]


class Chair(TypedDict):
    name: str | None
    kind: Literal["human", "computer"]
    level: int | None
    joined: bool
    away: bool
    substitute: bool


class Permissions(TypedDict):
    hints: bool
    takebacks: bool


OfClass = TypedDict("OfClass", {"class": Annotated[Permissions | None, "In a game of a class; else null."]})


class RoomNews(PresentView, OfClass):
    """A game between friends: the position, without the moves that led to it, and its players."""

    id: str
    version: int
    seats: tuple[Chair, Chair]
    takeback: Seat | None
    rematch: str | None
    closed: bool
    paused: Annotated[str | None, "The teacher's message while the game is paused."]


From = TypedDict("From", {"from": int})


class RoomHistory(From):
    """Some of the moves in words."""

    version: int
    move_count: int
    turns: list[Turn]


class OpenedSeat(TypedDict):
    """The seat that a token opens."""

    seat: Seat


class GivenSeat(OpenedSeat):
    """A newly assigned seat."""

    token: str
    state: RoomNews


class NewRoom(GivenSeat):
    id: str
    invite: Annotated[str | None, "Null against the computer."]


class Acted(TypedDict):
    """The result of an act."""

    accepted: Annotated[int, "The version that it created."]
    state: RoomNews


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


class ClassBasics(TypedDict):
    code: str
    version: int
    round: int
    rules: ClassRules
    paused: str | None
    ended: bool
    pupil_count: int


class ClassPupil(TypedDict):
    pupil: int
    name: str
    points: float
    place: int
    away: bool
    playing: bool
    absent: Annotated[bool, "Whether the computer plays for them because they have left."]
    waiting: bool
    newcomer: Annotated[bool, "Whether they have not had a game."]
    like: Annotated[int | None, "The pupil who may be the same person, on another device."]


class RemovedPupil(TypedDict):
    pupil: int
    name: str


class ClassBoard(TypedDict):
    """A game on the wall."""

    id: str
    pupils: Annotated[list[int | None], "By seat; null is the computer."]
    scores: list[Integer | None]
    table: Integer | None
    goal: Integer | None
    player: Seat | None
    moves: int
    since: float
    over: bool
    winner: Seat | None
    closed: bool
    levels: list[int | None]


class TeacherClass(ClassBasics):
    """A class as its teacher sees it."""

    role: Literal["teacher"]
    now: Annotated[float, "The server's time, in seconds since 1970."]
    deleted: float
    stuck: Annotated[float, "The number of seconds without a move after which a board counts as stuck."]
    pupils: list[ClassPupil]
    removed: Annotated[list[RemovedPupil], "The pupils that the teacher removed."]
    boards: list[ClassBoard]


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
    game: CurrentGame | None
    playing: bool
    points: float
    games: list[PupilGame]


class NewClass(TypedDict):
    code: str
    token: str
    state: TeacherClass


class JoinedClass(TypedDict):
    pupil: int
    token: str
    state: PupilClass


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


class LessonPreset(TypedDict):
    title: str
    reason: str
    game: str
    options: dict[str, OptionValue]
    mode: ClassMode
    start: ClassStart


class LessonStep(TypedDict):
    time: str
    what: str


class LessonQuestion(TypedDict):
    ask: str
    answer: str


class LessonPlan(TypedDict):
    age: str
    aim: str
    questions: list[LessonQuestion]


class Lessons(TypedDict):
    """Suggestions for teachers."""

    presets: list[LessonPreset]
    steps: list[LessonStep]
    plans: Annotated[dict[str, LessonPlan], "By game."]


class Refusal(TypedDict):
    """An error: every response with a status of 400 or more."""

    detail: str
    state: NotRequired[Annotated[RoomNews | TeacherClass, "The latest state, after a version conflict."]]
