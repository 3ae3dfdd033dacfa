"""The types of the answers about games in links, and of the parts that they share with the states of rooms.

The description of the API and the page's `types.d.ts` are generated from these types. A string in `Annotated` describes
a field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from digitduels.study.serialization import (
    Alias,
    JsonVerdict,
    OptionValue,
    ReviewedGame,
    ReviewedTurn,
    Seat,
    SolvedPosition,
)

# The page's parser makes strings of integers that JavaScript would round.
Integer = Annotated[int, Alias("Integer", {"type": ["integer", "string"]})]
Options = dict[str, OptionValue]


class Sentence(TypedDict):
    """A sentence for every reader: `you` for seat `of`, `them` for the opponent, `text` for all others."""

    text: str
    you: NotRequired[str]
    of: NotRequired[Seat]
    them: NotRequired[str]


class Stock(TypedDict):
    label: str
    left: int
    of: int


class Side(TypedDict):
    score: Integer | None
    lowest: int
    stocks: list[Stock]


class Board(TypedDict):
    goal: Integer | None
    hands: tuple[Side, Side]
    table: Side


class Field(TypedDict):
    prompt: str
    choices: list[str]
    slot: Annotated[int, "The index of its value when the move is written."]
    ordered: Annotated[bool, "Whether the fields before it must be chosen first."]


class LegalMove(TypedDict):
    move: str
    shown: str
    picks: list[int]


class Turn(TypedDict):
    player: Seat
    move: str
    shown: Sentence
    report: Sentence


class Outcome(TypedDict):
    winner: Seat | None
    reason: Sentence


class Look(TypedDict):
    """The sign of a game, its colours in light and dark mode, and what to expect."""

    emblem: str
    light: str
    dark: str
    difficulty: str
    length: str
    suggested: Annotated[dict[str, str], "The options of the recommended edition."]


class Hop(TypedDict):
    """The effect of the last move on the board."""

    player: Seat
    before: Sequence[Integer | None]
    result: Integer | None
    after: Sequence[Integer | None]
    taken: Annotated[list[str], "The labels of the numbers or operations it used."]


class RulesView(TypedDict):
    """The part of a view that stays the same throughout a match."""

    game: str
    title: str
    look: Look
    options: Options
    changed: Options
    house_rules: Annotated[str, "The rules that differ from the book, in words; empty if none do."]
    first: Seat
    position: str | None
    opening: int


class CurrentView(TypedDict):
    """The current position of a match."""

    names: tuple[str, str]
    conceded: Seat | None
    player: Seat | None
    outcome: Outcome | None
    board: Board
    move_count: int
    last: Annotated[Turn | None, "The last turn; null before the first."]
    hop: Hop | None
    status: Annotated[list[Sentence], "What happened last, then whose turn it is or how the game ended."]
    ending: list[Sentence]
    back: Annotated[
        tuple[int | None, int | None],
        "By seat, how many moves remain after a take-back; null if there is nothing to take back.",
    ]


class PresentView(RulesView, CurrentView):
    """A position without the moves that led to it."""

    fields: list[Field]
    legal: list[LegalMove]


class View(PresentView):
    """A position and the moves that led to it."""

    moves: list[str]
    history: list[Turn]


class MoveEffect(TypedDict):
    """The effect of a move by the rules."""

    move: str
    equation: str | None
    result: Integer | None
    scores: Sequence[Integer | None]
    note: Sentence | None
    tone: str


class PositionView(View):
    placed: Annotated[str, "The position in the notation of links."]
    lines: Annotated[list[Sentence], "The book's lines about the last move."]
    effects: NotRequired[Annotated[list[MoveEffect], "If they were asked for."]]


class Effects(TypedDict):
    effects: list[MoveEffect]


class Objection(TypedDict):
    reason: Sentence | None


class Reply(TypedDict):
    move: str
    position: Annotated[PositionView, "The position after the move, with its effects."]


class Start(TypedDict):
    """The moves that open a game."""

    moves: list[str]
    opening: int


class GameOption(TypedDict):
    name: str
    default: OptionValue
    about: str
    allowed: str
    words: list[str] | None
    around: Annotated[list[int] | None, "The lowest and highest useful value, if it is an integer."]


class Character(TypedDict):
    name: str
    about: str


class GameCard(TypedDict):
    game: str
    title: str
    look: Look
    summary: str
    levels: list[int]
    beginner: Annotated[int, "The level that a beginner can beat."]
    characters: dict[str, Character]
    options: list[GameOption]


class JudgedMove(JsonVerdict):
    move: str
    shown: str
    words: Sentence


class Solved(SolvedPosition):
    """The value of every move."""

    each: list[JudgedMove]
    standing: list[Sentence]


class Hint(TypedDict):
    step: int
    lines: list[Sentence]


class LineStep(TypedDict):
    """A move in a line of best play."""

    move: str
    player: Seat
    shown: Sentence


class Judgement(JsonVerdict):
    """The value of one move and the reason."""

    keeps: bool
    warning: Sentence | None
    words: Sentence
    why: Sentence
    line: list[LineStep]


class ReviewTurn(ReviewedTurn):
    shown: Sentence
    reason: Annotated[Sentence | None, "Why the best move at a swing was good."]
    defended: Sentence | None
    lesson: NotRequired[Sentence]
    quest: NotRequired[Annotated[Sentence, "The task for trying the moment again."]]
    answer: NotRequired[Annotated[Sentence | None, "The moves that would have kept the result."]]
    line: NotRequired[
        Annotated[list[LineStep] | None, "The move and the best play that follows; null when the player conceded."]
    ]
    better: NotRequired[Annotated[list[LineStep] | None, "The same after the best move."]]


class Review(ReviewedGame):
    turns: list[ReviewTurn]
    sentence: Sentence
    answer: Sentence | None
    resistance: Annotated[Sentence | None, "How the loser could have made it harder."]
    story: Sentence
    lines: list[Sentence]
    ribbon: str
    players: Annotated[list[str], "The kind of player in each seat."]
    asked: Annotated[list[list[Any]], "The help that the players asked for, from a record."]
    link: str


class Position(TypedDict):
    """A critical position for a whole class, without names."""

    found: bool
    path: str
    position: list[str]
    quest: str


class Miss(TypedDict):
    """A miss in words, addressed to the player who missed."""

    move: int
    distance: Annotated[int, "Plies to the end with best play."]
    position: list[str]
    deed: str
    quest: str
    path: str


class Grade(TypedDict):
    """The critical moves of a player in a game, how many they found, and how many a random mover would."""

    critical: int
    found: int
    chance: float
    misses: list[Miss]
    met: list[Position]


class Scores(TypedDict):
    """Who wins at which scores. A row per score of the waiting player, a letter per score of the mover."""

    low: int
    high: int
    rows: list[str]
    mine: int
    theirs: int


class LabRow(TypedDict):
    name: str
    value: str
    about: Annotated[str, "Its meaning; empty if the name is clear."]


class LabReport(TypedDict):
    """The measures of a rule set."""

    label: str
    outcome: str
    first_moves: str
    fair: float
    deep: float
    balance: str
    ladder: str
    rows: list[LabRow]


class LabCell(TypedDict):
    value: int
    winner: int | None


class LabStrip(TypedDict):
    """The winner for other values of an option. 0 is a draw, null unknown."""

    about: str
    here: int
    cells: list[LabCell]


class PuzzleText(TypedDict):
    game: str
    title: str
    tier: int
    tiers: dict[str, str]
    link: str


class FoundPuzzle(PuzzleText):
    question: Sentence


class Puzzle(FoundPuzzle):
    date: str | None
    seed: str


class Exercise(PuzzleText):
    scores: Annotated[Sequence[Integer | None], "Of both players and of the table."]
    heading: str
    position: list[str]
    question: str
    answer: str


class Sheet(TypedDict):
    """Puzzles to print."""

    title: str
    about: list[str]
    goal: Integer | None
    puzzles: list[Exercise]


class Attempt(TypedDict):
    """The result of trying a move in a puzzle."""

    kind: Annotated[str, Alias("AttemptKind", {"enum": ["right", "slower", "wrong"]})]
    sentences: list[Sentence]
    moves: Annotated[list[str], "The moves to play on the board."]


class SampleGame(TypedDict):
    moves: str
    lines: list[str]


class Idea(TypedDict):
    title: str
    about: str
    moves: str
    example: Sentence


class Lesson(GameCard):
    """The rules of a game and facts about it."""

    changed: Options
    house_rules: str
    rules: list[str]
    rulings: list[str]
    moves: str
    example: SampleGame
    ideas: list[Idea]
    theory: Annotated[list[Sentence] | None, "Null if it has to be requested separately."]
