"""A class as JSON values: the teacher's view and a pupil's view."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any

from digitduels.core import winning_score
from digitduels.games import game
from digitduels.manual import summary
from digitduels.rule_sets import house_rules
from digitduels.web.classes.classroom import Classroom, Pupil, Scores, twin, waits
from digitduels.web.classes.ranking import games_of, standings
from digitduels.web.rooms.acts import Room

STUCK = 60  # seconds without a move after which the teacher's desk marks a board


def rules_of(classroom: Classroom) -> dict[str, Any]:
    """The settings of a class with the title, a summary and the house rules of its game."""
    title, about, house_rules = _words(classroom.rules["game"], json.dumps(classroom.rules["options"]))
    return {"locked": False, **classroom.rules, "title": title, "summary": about, "house_rules": house_rules}


@lru_cache(256)
def _words(name: str, options: str) -> tuple[str, str, str]:
    """The title of a game, its summary, and how it differs from the book."""
    rules = game(name, **json.loads(options))
    return rules.title, summary(rules), house_rules(rules)


def board_of(room: Room) -> dict[str, Any]:
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


def common(classroom: Classroom) -> dict[str, Any]:
    """The fields that the teacher and all pupils may see."""
    return {
        "code": classroom.code,
        "version": classroom.head,
        "round": classroom.round,
        "rules": rules_of(classroom),
        "paused": classroom.paused,
        "ended": classroom.ended,
        "pupil_count": len(classroom.present),
    }


def teacher_view(
    classroom: Classroom,
    boards: Mapping[str, dict[str, Any]],
    scores: Scores,
    away: Set[int],
    now: float,
    lasts: float,
) -> dict[str, Any]:
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


def pupil_view(classroom: Classroom, pupil: Pupil, token: str, scores: Scores) -> dict[str, Any]:
    """A pupil's view of the class: their name, their current game, and their points so far."""
    table = classroom.table_of(pupil.number)
    current_game = None
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
        "games": [game._asdict() for game in games_of(classroom, pupil.number, scores)],
    }
