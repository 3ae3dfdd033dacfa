"""What comes back from a lesson: standings, critical moves found, and moments to try again, as JSON and as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from digitduels.games import game
from digitduels.web.classes.classroom import Classroom, Table

MOST_MOMENTS = 3  # of one pupil's own misses
EXPLAINED = (
    "A win is 1 point. A draw, or a game that was broken off, is half a point for both. "
    "A game against the computer counts like any other.",
    "Equal points: the pupil whose opponents have more points together comes first. The computer adds nothing. "
    "If that is equal too, they share the place.",
    "Critical moves found: how often a pupil found a move that keeps the result when other moves would throw it away. "
    "Beside it is how many a player who moves at random would find in the same positions.",
)

Grades = Mapping[str, list[dict[str, Any]]]
"""For each game that was judged, what both seats found and missed."""


def results(
    classroom: Classroom, scores: Mapping[str, tuple[float, float]], grades: Grades, links: Mapping[str, str]
) -> dict[str, Any]:
    """The results of a class so far."""
    points = classroom.points(scores)
    rows = [_row(classroom, pupil.number, scores, grades, points) for pupil in classroom.present]
    rows.sort(key=lambda row: (-row["points"], -row["opponents"], row["name"].casefold()))
    for number, row in enumerate(rows, 1):
        before = rows[number - 2] if number > 1 else None
        tied = before is not None and (before["points"], before["opponents"]) == (row["points"], row["opponents"])
        row["place"] = before["place"] if before is not None and tied else number
    return {
        "code": classroom.code,
        "rounds": classroom.round,
        "title": game(classroom.rules["game"], **classroom.rules["options"]).title,
        "mode": classroom.rules["mode"],
        "explained": list(EXPLAINED),
        "pupils": rows,
        "games": [_game(classroom, table, scores, links) for table in classroom.tables],
    }


def _row(
    classroom: Classroom,
    number: int,
    scores: Mapping[str, tuple[float, float]],
    grades: Grades,
    points: Mapping[int, float],
) -> dict[str, Any]:
    """One pupil."""
    mine = [table for table in classroom.tables if number in table.pupils and table.id in scores]
    got = [scores[table.id][table.pupils.index(number)] for table in mine]
    judged = [grades[table.id][table.pupils.index(number)] for table in mine if table.id in grades]
    critical = sum(grade["critical"] for grade in judged)
    return {
        "pupil": number,
        "name": classroom.pupils[number].name,
        "points": points[number],
        "opponents": sum(
            points.get(each, 0.0) for table in mine for each in table.pupils if each not in (number, None)
        ),
        "games": len(mine),
        "won": got.count(1.0),
        "drawn": got.count(0.5),
        "lost": got.count(0.0),
        "found": sum(grade["found"] for grade in judged),
        "critical": critical,
        "chance": round(sum(grade["chance"] for grade in judged), 1),
        "moments": [moment for grade in judged for moment in grade["misses"]][:MOST_MOMENTS],
        "rounds": [_in_round(classroom, number, place, scores) for place in range(1, classroom.round + 1)],
    }


def _in_round(
    classroom: Classroom, number: int, place: int, scores: Mapping[str, tuple[float, float]]
) -> list[dict[str, Any]]:
    """The games of a pupil in a round: against whom, and the points; None for a game that is not over."""
    return [
        {
            "against": _name(classroom, table.pupils[1 - seat]),
            "points": scores[table.id][seat] if table.id in scores else None,
        }
        for table in classroom.tables
        if table.round == place and number in table.pupils
        for seat in [table.pupils.index(number)]
    ]


def _name(classroom: Classroom, number: int | None) -> str:
    if number is None:
        return "Computer"
    pupil = classroom.pupils.get(number)
    return "somebody who left" if pupil is None or pupil.removed else pupil.name


def _game(
    classroom: Classroom, table: Table, scores: Mapping[str, tuple[float, float]], links: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "id": table.id,
        "round": table.round,
        "names": [_name(classroom, number) for number in table.pupils],
        "points": list(scores[table.id]) if table.id in scores else None,
        "review": links.get(table.id),
    }


def as_csv(told: dict[str, Any]) -> str:
    """The results as a table for a spreadsheet."""
    rounds = range(1, told["rounds"] + 1)
    head = ["place", "name", "points", "opponents' points", "games", "won", "drawn", "lost"]
    head += [
        "critical moves found",
        "critical moves",
        "a random mover finds",
        *(f"round {number}" for number in rounds),
    ]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(head)
    for row in told["pupils"]:
        played = [
            "; ".join(f"{_points(each['points'])} {each['against']}" for each in games) for games in row["rounds"]
        ]
        cells = [row["place"], row["name"], row["points"], row["opponents"]]
        cells += [row[name] for name in ("games", "won", "drawn", "lost", "found", "critical", "chance")]
        table.writerow([_harmless(cell) for cell in (*cells, *played)])
    return text.getvalue()


def _points(points: float | None) -> str:
    return "?" if points is None else f"{points:g}"


def _harmless(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula.

    >>> _harmless("=1+1"), _harmless("Ann")
    ("'=1+1", 'Ann')
    """
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in tuple("=+-@\t") else cell
