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
    left: Annotated[int, "How many are left."]
    of: Annotated[int, "How many there were at the start."]


class Side(TypedDict):
    """A hand or the table: its score, if it has one, and what can be taken from it."""

    score: Integer | None
    lowest: Annotated[int, "The lowest possible score."]
    stocks: list[Stock]


class Board(TypedDict):
    goal: Integer | None
    aim: Annotated[str, "The goal in a few words; empty if no score wins."]
    hands: tuple[Side, Side]
    table: Side


class Field(TypedDict):
    """A part of a move."""

    prompt: Annotated[str, "The question to ask."]
    choices: Annotated[list[str], "All values that it can ever have."]
    slot: Annotated[int, "The index of its value when the move is written."]
    ordered: Annotated[bool, "Whether the fields before it must be chosen first."]


class LegalMove(TypedDict):
    move: str
    shown: Annotated[str, "As people write it."]
    picks: Annotated[list[int], "The index of each part of the move among its choices."]


class Turn(TypedDict):
    player: Seat
    move: str
    shown: Annotated[Sentence, "The move."]
    report: Annotated[Sentence, "What it did."]


class Outcome(TypedDict):
    winner: Annotated[Seat | None, "Null for a draw."]
    reason: Sentence


class Look(TypedDict):
    """The sign of a game, its colours in light and dark mode, and what to expect."""

    emblem: str
    light: str
    dark: str
    difficulty: str
    length: str
    tip: Annotated[str, "A rule that beginners overlook."]
    suggested: Annotated[dict[str, str], "The options of the recommended edition."]


class Hop(TypedDict):
    """The effect of the last move on the board."""

    player: Seat
    before: Sequence[Integer | None]
    result: Integer | None
    after: Sequence[Integer | None]
    taken: Annotated[list[str], "The labels of the numbers or operations it used."]
    equation: str | None
    note: Annotated[Sentence | None, "What the rules make of the result."]
    tone: Annotated[str, "good, neutral or bad for the player who made it."]


class RulesView(TypedDict):
    """The part of a view that stays the same throughout a match."""

    game: Annotated[str, "The id of the game."]
    title: Annotated[str, "Its name."]
    look: Look
    options: Annotated[Options, "All options."]
    changed: Annotated[Options, "The options that differ from the book."]
    house_rules: Annotated[str, "The rules that differ from the book, in words; empty if none do."]
    first: Annotated[Seat, "The player who moved first."]
    position: Annotated[str | None, "The position at the start, in the notation of links, if it was set up."]
    opening: Annotated[int, "How many of the moves were part of the start."]


class CurrentView(TypedDict):
    """The current position of a match."""

    names: tuple[str, str]
    conceded: Annotated[Seat | None, "The player who conceded."]
    player: Annotated[Seat | None, "The player to move; null when the game is over."]
    outcome: Annotated[Outcome | None, "Null while the game goes on."]
    board: Board
    move_count: Annotated[int, "The number of moves so far."]
    last: Annotated[Turn | None, "The last turn; null before the first."]
    hop: Hop | None
    status: Annotated[list[Sentence], "What happened last, then whose turn it is or how the game ended."]
    ending: Annotated[list[Sentence], "The sentences that end the game."]
    back: Annotated[
        tuple[int | None, int | None],
        "By seat, how many moves remain after a take-back; null if there is nothing to take back.",
    ]


class PresentView(RulesView, CurrentView):
    """A position without the moves that led to it."""

    fields: Annotated[list[Field], "The parts of a move."]
    legal: Annotated[list[LegalMove], "The legal moves."]


class View(PresentView):
    """A position and the moves that led to it."""

    moves: Annotated[list[str], "All moves so far, as tokens."]
    history: Annotated[list[Turn], "The same in words."]


class MoveEffect(TypedDict):
    """The effect of a move by the rules."""

    move: str
    equation: str | None
    result: Integer | None
    scores: Annotated[Sequence[Integer | None], "The scores after it."]
    note: Sentence | None
    tone: str


class PositionView(View):
    placed: Annotated[str, "The position in the notation of links."]
    character: Annotated[str | None, "The name of the level that plays, such as Careful."]
    lines: Annotated[list[Sentence], "The book's lines about the last move."]
    effects: NotRequired[Annotated[list[MoveEffect], "If they were asked for."]]


class Effects(TypedDict):
    effects: list[MoveEffect]


class Objection(TypedDict):
    reason: Annotated[Sentence | None, "Why the move is not legal; null if it is."]


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
    characters: Annotated[dict[str, Character], "The name of each level and how it plays."]
    options: list[GameOption]


class JudgedMove(JsonVerdict):
    move: str
    shown: str
    words: Sentence


class Solved(SolvedPosition):
    """The value of every move."""

    each: Annotated[list[JudgedMove], "Every legal move, the best first."]
    standing: Annotated[list[Sentence], "The value of the position in words."]


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

    keeps: Annotated[bool, "Whether the move keeps the value of the position."]
    warning: Annotated[Sentence | None, "What a coach says before a mistake."]
    words: Annotated[Sentence, "The value of the move in words."]
    why: Sentence
    kept: Annotated[bool, "Whether it passes as a second try: in a lost position, whether no move is harder to answer."]
    tried: Annotated[Sentence, "The verdict on it as a second try."]
    line: Annotated[list[LineStep], "The move and the best play that follows."]


class ReviewTurn(ReviewedTurn):
    shown: Sentence
    reason: Annotated[Sentence | None, "Why the best move at a swing was good."]
    defended: Annotated[Sentence | None, "How well the move defended a lost position."]
    lesson: NotRequired[Sentence]
    quest: NotRequired[Annotated[Sentence, "The task for trying the moment again."]]
    answer: NotRequired[Annotated[Sentence | None, "The moves that would have kept the result."]]
    line: NotRequired[
        Annotated[list[LineStep] | None, "The move and the best play that follows; null when the player conceded."]
    ]
    better: NotRequired[
        Annotated[list[LineStep] | None, "The same for the best move; null after a concession out of turn."]
    ]


class Review(ReviewedGame):
    turns: list[ReviewTurn]
    sentence: Sentence
    answer: Sentence | None
    resistance: Annotated[Sentence | None, "How the loser could have made it harder."]
    moments: Annotated[
        tuple[list[int], list[int]],
        "By seat, the plies at which the player could have done better: swings, or else the weakest defence.",
    ]
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
    answer: Annotated[str | None, "The moves that would have kept the result."]
    path: str


class Grade(TypedDict):
    """The critical moves of a player in a game, how many they found, and how many a random mover would."""

    critical: int
    found: int
    chance: float
    misses: list[Miss]
    met: list[Position]


class Scores(TypedDict):
    """Who wins at which scores: a row for each score of the waiting player from `low` to `high`."""

    low: int
    high: int
    rows: Annotated[
        list[str], "A letter for each score of the player to move: w, d or l, or a dot if there is no such position."
    ]
    mine: int
    theirs: int


class LabRow(TypedDict):
    name: str
    value: str
    about: Annotated[str, "Its meaning; empty if the name is clear."]


class LabFinding(TypedDict):
    """What the linter says about a rule set."""

    severity: Annotated[str, Alias("Severity", {"enum": ["note", "warning", "error"]})]
    text: str
    shown: Annotated[str, "A line of play that shows it; may be empty."]
    measured: Annotated[bool, "Whether it depends on how our levels play."]
    remedy: Annotated[str, "The rules of the nearest rule set without it; empty if none is known."]


class LabReport(TypedDict):
    """The measures of a rule set."""

    label: str
    outcome: str
    first_moves: str
    fair: float
    deep: float
    balance: str
    ladder: str
    wobble: Annotated[str, "How much the gauges depend on our levels; empty if unknown."]
    findings: list[LabFinding]
    rows: list[LabRow]


class LabCell(TypedDict):
    value: int
    winner: Annotated[int | None, "0 for a draw; null if the rules are invalid or too large, or if time ran out."]


class LabStrip(TypedDict):
    """The winner for other values of the first option."""

    about: str
    here: int
    cells: list[LabCell]


class PuzzleText(TypedDict):
    game: str
    title: str
    tier: int
    tiers: dict[str, str]
    link: Annotated[str, "The position."]


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
    moves: Annotated[str, "The moves to its position."]
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
