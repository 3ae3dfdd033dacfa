"""What is known of a position and of a game, as JSON values for programs. Players count from 1 there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from digitduels.match import Match
from digitduels.record import to_record
from digitduels.solver.verdict import Verdict
from digitduels.study.review import Review
from digitduels.study.wording import VALUES


def solved(match: Match, each: Sequence[tuple[Any, Verdict]]) -> dict[str, Any]:
    """A position, and what every move of it is worth."""
    record, outcome = to_record(match), match.outcome
    return {
        "game": record["game"],
        "options": record["options"],
        "moves": record["moves"],
        "player": None if outcome else match.state.player + 1,
        "outcome": record["outcome"],
        "value": VALUES[each[0][1].value] if each else None,
        "plies": each[0][1].distance if each else None,
        "best": [str(move) for move, verdict in each if verdict == each[0][1]],
        "each": [{"move": str(move), **judged(verdict)} for move, verdict in each],
    }


def reviewed(match: Match, told: Review) -> dict[str, Any]:
    """A game, turn by turn."""
    record = to_record(match)
    return {
        "version": 1,
        **{key: record[key] for key in ("game", "options", "names", "first", "opening", "moves", "outcome")},
        "start": {"player": told.player + 1, **judged(told.start)},
        "turns": [
            {
                "ply": moment.ply,
                "player": moment.player + 1,
                "move": None if moment.move is None else str(moment.move),
                "before": judged(moment.before),
                "after": judged(moment.after),
                "critical": moment.critical,
                "swing": moment.swing,
                "best": [str(move) for move in moment.best],
                "keeping": [str(move) for move in moment.keeping],
                "words": [text for after, text in match.words if after == moment.ply],
            }
            for moment in told.moments
        ],
        "winning": [None if who is None else who + 1 for who in told.winning],
        "critical": [dict(zip(("found", "of"), told.found(player), strict=True)) for player in (0, 1)],
        "sentence": told.sentence,
    }


def judged(verdict: Verdict) -> dict[str, Any]:
    """A verdict in a word, and the plies to the end."""
    return {"value": VALUES[verdict.value], "plies": verdict.distance}
