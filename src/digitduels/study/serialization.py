"""Serializes solved positions and reviewed games as JSON values. Players are numbered from 1."""

from __future__ import annotations

from typing import Any

from digitduels.match import Match
from digitduels.record import to_record
from digitduels.solver.verdict import Judgement, Verdict
from digitduels.study.defence import Defence
from digitduels.study.review import Review
from digitduels.study.wording import VALUES


def solved(match: Match, judgement: Judgement[Any]) -> dict[str, Any]:
    """A position with the verdict of every move."""
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
        "each": [{"move": str(move), **judged(verdict)} for move, verdict in judgement.items()],
    }


def reviewed(match: Match, review: Review) -> dict[str, Any]:
    """The review of a game, turn by turn."""
    record = to_record(match)
    return {
        "version": 1,
        **{key: record[key] for key in ("game", "options", "names", "first", "opening", "moves", "outcome")},
        "start": {"player": review.player + 1, **judged(review.start)},
        "turns": [
            {
                "ply": turn.ply,
                "player": turn.player + 1,
                "move": None if turn.move is None else str(turn.move),
                "before": judged(turn.before),
                "after": judged(turn.after),
                "critical": turn.critical,
                "swing": turn.swing,
                "best": [str(move) for move in turn.best],
                "keeping": [str(move) for move in turn.keeping],
                "reason": review.reasons.get(turn.ply),
                "defence": _defence(review.defences.get(turn.ply)),
                "words": [text for after, text in match.words if after == turn.ply],
            }
            for turn in review.decisions
        ],
        "winning": [None if who is None else who + 1 for who in review.winning],
        "critical": [
            dict(zip(("found", "of"), review.found(player), strict=True)) | {"chance": round(review.chance(player), 4)}
            for player in (0, 1)
        ],
        "resisted": [dict(zip(("found", "of"), review.resisted(player), strict=True)) for player in (0, 1)],
        "sentence": review.sentence,
        "answer": review.answer,
        "resistance": review.resistance,
    }


def _defence(defence: Defence | None) -> dict[str, Any] | None:
    """A defence of a lost position."""
    return defence and {
        "found": defence.found,
        "error_chance": round(defence.chance, 6),
        "best_error_chance": round(defence.hardest, 6),
        "best": [str(move) for move in defence.best],
        "sooner": defence.sooner,
    }


def judged(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a word, and the plies to the end."""
    return {"value": VALUES[verdict.value], "plies": verdict.distance}
