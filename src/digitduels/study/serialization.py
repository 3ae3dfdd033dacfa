"""Solved positions and reviewed games as JSON values, and the types of these values. Players are numbered from 1.

A string in `Annotated` describes a field. An `Alias` gives a simple type a name of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from digitduels.match import Match
from digitduels.record import to_record
from digitduels.solver.verdict import Judgement, Verdict
from digitduels.study.wording import VALUES

if TYPE_CHECKING:  # these import NumPy
    from digitduels.study.decisions import Decision
    from digitduels.study.defence import Defence
    from digitduels.study.review import Review


@dataclass(frozen=True, eq=False)
class Alias:
    """The name of a simple type, and its JSON Schema."""

    name: str
    schema: dict[str, Any]


Seat = Annotated[int, Alias("Seat", {"enum": [1, 2]})]
Value = Annotated[str, Alias("Value", {"enum": ["win", "draw", "loss"]})]
OptionValue = Annotated[
    Any,
    Alias("OptionValue", {"anyOf": [{"type": ["integer", "string"]}, {"type": "array", "items": {"type": "integer"}}]}),
]


class RecordedOutcome(TypedDict):
    winner: Seat | None
    reason: str


class JsonVerdict(TypedDict):
    value: Value
    plies: int


class MoveVerdict(JsonVerdict):
    move: str


class SolvedPosition(TypedDict):
    game: str
    options: dict[str, OptionValue]
    moves: list[str]
    player: Seat | None
    outcome: RecordedOutcome | None
    value: Value | None
    plies: int | None
    best: list[str]


class SolvedMoves(SolvedPosition):
    each: list[MoveVerdict]


class StartVerdict(JsonVerdict):
    player: Seat


class JsonDefence(TypedDict):
    """How well a move defends a lost position."""

    found: bool
    error_chance: float
    best_error_chance: float
    best: list[str]
    sooner: int


class ReviewedTurn(TypedDict):
    ply: int
    player: Seat
    move: Annotated[str | None, "Null when the player conceded."]
    before: JsonVerdict
    after: JsonVerdict
    critical: bool
    swing: bool
    best: list[str]
    keeping: list[str]
    defence: Annotated[JsonDefence | None, "Where some moves defend a lost position better than others."]
    words: list[str]


class ReasonedTurn(ReviewedTurn):
    reason: str | None


class Resistance(TypedDict):
    found: int
    of: int


class CriticalMoves(Resistance):
    """The critical moves of a player, and how many of them a random mover would find on average."""

    chance: float


class ReviewedGame(TypedDict):
    version: int
    game: str
    options: dict[str, OptionValue]
    names: tuple[str, str]
    first: Seat
    opening: int
    moves: list[str]
    outcome: RecordedOutcome | None
    start: StartVerdict
    winning: Annotated[list[Seat | None], "Who was winning at the start and after each turn."]
    critical: list[CriticalMoves]
    resisted: list[Resistance]


class ReviewedInWords(ReviewedGame):
    turns: list[ReasonedTurn]
    sentence: str
    answer: str | None
    resistance: str | None


def solved(match: Match, judgement: Judgement[Any]) -> SolvedMoves:
    """A position with the verdict of every move."""
    each: list[MoveVerdict] = [{"move": str(move), **judged(verdict)} for move, verdict in judgement.items()]
    return {**solved_position(match, judgement), "each": each}


def solved_position(match: Match, judgement: Judgement[Any]) -> SolvedPosition:
    """A position with its verdict and its best moves."""
    record, outcome, verdict = to_record(match), match.outcome, judgement.verdict
    return {
        "game": record["game"],
        "options": record["options"],
        "moves": record["moves"],
        "player": None if outcome else match.state.player + 1,
        "outcome": record["outcome"],
        "value": None if verdict is None else VALUES[verdict.value],
        "plies": None if verdict is None else verdict.distance,
        "best": [str(move) for move in judgement.best_moves],
    }


def reviewed(match: Match, review: Review) -> ReviewedInWords:
    """The review of a game, turn by turn."""
    turns: list[ReasonedTurn] = [
        {**reviewed_turn(match, review, turn), "reason": review.reasons.get(turn.ply)} for turn in review.decisions
    ]
    return {
        **reviewed_game(match, review),
        "turns": turns,
        "sentence": review.sentence,
        "answer": review.answer,
        "resistance": review.resistance,
    }


def reviewed_game(match: Match, review: Review) -> ReviewedGame:
    """The review of a game as a whole."""
    record = to_record(match)
    return {
        "version": 1,
        "game": record["game"],
        "options": record["options"],
        "names": record["names"],
        "first": record["first"],
        "opening": record["opening"],
        "moves": record["moves"],
        "outcome": record["outcome"],
        "start": {"player": review.player + 1, **judged(review.start)},
        "winning": [None if who is None else who + 1 for who in review.winning],
        "critical": [
            {**_counted(review.found(player)), "chance": round(review.chance(player), 4)} for player in (0, 1)
        ],
        "resisted": [_counted(review.resisted(player)) for player in (0, 1)],
    }


def reviewed_turn(match: Match, review: Review, turn: Decision) -> ReviewedTurn:
    """The review of one turn."""
    return {
        "ply": turn.ply,
        "player": turn.player + 1,
        "move": None if turn.move is None else str(turn.move),
        "before": judged(turn.before),
        "after": judged(turn.after),
        "critical": turn.critical,
        "swing": turn.swing,
        "best": [str(move) for move in turn.best],
        "keeping": [str(move) for move in turn.keeping],
        "defence": _defence(review.defences.get(turn.ply)),
        "words": [text for after, text in match.words if after == turn.ply],
    }


def _counted(counts: tuple[int, int]) -> Resistance:
    found, of = counts
    return {"found": found, "of": of}


def _defence(defence: Defence | None) -> JsonDefence | None:
    """A defence of a lost position."""
    if defence is None:
        return None
    return {
        "found": defence.found,
        "error_chance": round(defence.chance, 6),
        "best_error_chance": round(defence.hardest, 6),
        "best": [str(move) for move in defence.best],
        "sooner": defence.sooner,
    }


def judged(verdict: Verdict) -> JsonVerdict:
    """A verdict as a word, and the plies to the end."""
    return {"value": VALUES[verdict.value], "plies": verdict.distance}
