"""The results of a lesson: standings, critical moves found, and moments to try again, as JSON values and as CSV."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from digitduels.games import game
from digitduels.match import player_names
from digitduels.web.classes.answers import ClassMoment, ClassResults, Discussion, ResultGame, ResultRow
from digitduels.web.classes.ranking import Standing, games_of, standings
from digitduels.web.classes.state import Classroom, Scores, Table
from digitduels.web.positions.answers import Grade, Position

MOST_MOMENTS = 3  # per pupil; misses close to the end of a game come first, because they are the easiest to see
EXPLAINED = (
    "A win is 1 point. A draw, or a game that ended early, is half a point for both. "
    "A game without a move does not count. A game against the computer counts like any other.",
    "Standings go by the share of points: 3 of 4 comes before 4 of 6. With equal shares, the pupil whose opponents "
    "have more points together comes first. The computer adds nothing. If that is equal too, they share the place.",
    "Critical moves found: how often a pupil found a move that keeps the result when other moves would throw it away. "
    "Beside it is how many a player who moves at random would find in the same positions.",
)

Grades = Mapping[str, list[Grade]]
"""For each graded game, the critical moves that both seats found and missed."""
NO_GRADE: Grade = {"critical": 0, "found": 0, "chance": 0.0, "misses": [], "met": []}
"""The grade of a game that the solver cannot judge."""


def results(classroom: Classroom, scores: Scores, grades: Grades, links: Mapping[str, str]) -> ClassResults:
    """The results of a class so far."""
    ranked = standings(classroom, scores)
    return {
        "code": classroom.id,
        "began": classroom.created,
        "rounds": classroom.round,
        "title": game(classroom.rules["game"], **classroom.rules["options"]).title,
        "mode": classroom.rules["mode"],
        "explained": list(EXPLAINED),
        "discussion": _discussion(classroom, grades),
        "pupils": [_row(classroom, number, standing, scores, grades) for number, standing in ranked.items()],
        "games": [_game(classroom, table, scores, links) for table in classroom.tables],
    }


def _discussion(classroom: Classroom, grades: Grades) -> Discussion | None:
    """A position to discuss: the critical position that most pupils missed.

    None unless at least two pupils, and more than half of those who reached it, missed it.
    """
    met: dict[str, list[Position]] = {}
    for table in classroom.tables:
        for number, grade in zip(table.pupils, grades.get(table.id, ()), strict=False):
            for position in grade["met"] if number is not None else ():
                met.setdefault(position["path"], []).append(position)
    missed = {path: sum(not position["found"] for position in positions) for path, positions in met.items()}
    path = max(missed, key=missed.__getitem__, default=None)
    if path is None or missed[path] < 2 or 2 * missed[path] <= len(met[path]):
        return None
    return {
        "path": path,
        "missed": missed[path],
        "times": len(met[path]),
        "position": met[path][0]["position"],
        "quest": met[path][0]["quest"],
    }


def _row(classroom: Classroom, number: int, standing: Standing, scores: Scores, grades: Grades) -> ResultRow:
    """The results of one pupil."""
    games = games_of(classroom, number, scores)
    points = [game.points for game in games if game.points is not None]
    seats = [
        (table, table.pupils.index(number))
        for table in classroom.tables
        if number in table.pupils and table.id in grades
    ]
    judged = [grades[table.id][seat] for table, seat in seats]
    moments: list[ClassMoment] = [
        {
            "round": table.round,
            "against": classroom.name_at(table, 1 - seat),
            **miss,
            "path": _with_names(miss["path"], _names(classroom, table)),
        }
        for table, seat in seats
        for miss in grades[table.id][seat]["misses"]
    ]
    rounds = range(1, classroom.round + 1)
    return {
        "pupil": number,
        "name": classroom.pupils[number].name,
        "place": standing.place,
        "points": standing.points,
        "opponents": standing.opponents,
        "games": standing.games,
        "won": points.count(1.0),
        "drawn": points.count(0.5),
        "lost": points.count(0.0),
        "found": sum(grade["found"] for grade in judged),
        "critical": sum(grade["critical"] for grade in judged),
        "chance": round(sum(grade["chance"] for grade in judged), 1),
        "moments": sorted(moments, key=lambda moment: moment["distance"])[:MOST_MOMENTS],
        "rounds": [
            [{"against": game.against, "points": game.points} for game in games if game.round == number]
            for number in rounds
        ],
    }


def _game(classroom: Classroom, table: Table, scores: Scores, links: Mapping[str, str]) -> ResultGame:
    points, names, review = scores.get(table.id), _names(classroom, table), links.get(table.id)
    return {
        "id": table.id,
        "round": table.round,
        "names": names,
        "over": table.id in scores,
        "points": None if points is None else list(points),
        "review": None if review is None else _with_names(review, names),
    }


def _names(classroom: Classroom, table: Table) -> list[str]:
    return [classroom.name_at(table, seat) for seat in range(2)]


def _with_names(path: str, names: list[str]) -> str:
    """The address of a review with the players' names in its fragment, which no browser sends and no proxy logs.

    >>> _with_names("/review/number-duel?moves=x2", ["Ann", "Bo Li"])
    '/review/number-duel?moves=x2#names=Ann%0ABo%20Li'
    >>> _with_names("/review/number-duel?moves=x2", ["a removed pupil", "a removed pupil"])
    '/review/number-duel?moves=x2'
    """
    try:
        player_names(names)
    except ValueError:  # they are not two different names
        return path
    return f"{path}#{urlencode({'names': chr(10).join(names)}, quote_via=quote)}"


def as_csv(results: ClassResults) -> str:
    """The results as CSV for a spreadsheet."""
    rounds = range(1, results["rounds"] + 1)
    head = ["place", "name", "points", "opponents' points", "games", "won", "drawn or ended early", "lost"]
    head += [
        "critical moves found",
        "critical moves",
        "a random mover finds",
        *(f"round {number}" for number in rounds),
    ]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(head)
    for row in results["pupils"]:
        played = [
            "; ".join(f"{_points(game['points'])} {game['against']}" for game in games) for games in row["rounds"]
        ]
        cells = [row["place"], row["name"], row["points"], row["opponents"]]
        cells += [row[name] for name in ("games", "won", "drawn", "lost", "found", "critical", "chance")]
        table.writerow([_escape_formula(cell) for cell in (*cells, *played)])
    return text.getvalue()


def _points(points: float | None) -> str:
    return "?" if points is None else f"{points:g}"


def _escape_formula(cell: object) -> object:
    """A cell that no spreadsheet interprets as a formula.

    >>> _escape_formula("=1+1"), _escape_formula("＝1"), _escape_formula("Ann")
    ("'=1+1", "'＝1", 'Ann')
    """
    if not isinstance(cell, str):
        return cell
    return f"'{cell}" if unicodedata.normalize("NFKC", cell)[:1] in tuple("=+-@\t") else cell
