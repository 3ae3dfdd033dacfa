"""The standings of a class: by the share of points, then by the opponents' points."""

from __future__ import annotations

from typing import NamedTuple

from digitduels.web.classes.state import Classroom, Scores


class Standing(NamedTuple):
    """A pupil's place in the standings. Pupils with equal results share a place."""

    place: int
    points: float
    games: int
    """The finished games that count."""
    opponents: float
    """The sum of all opponents' points; the computer adds nothing."""


class PupilGame(NamedTuple):
    """A game from one pupil's point of view. `points` is None until it is over."""

    round: int
    against: str
    points: float | None


def standings(classroom: Classroom, scores: Scores) -> dict[int, Standing]:
    """The standing of every pupil by number, best first."""
    played = {number: classroom.results_of(number, scores) for number in classroom.pupils}
    points = {number: sum(results) for number, results in played.items()}
    opponents = dict.fromkeys(points, 0.0)
    for table in classroom.tables:
        first, second = table.pupils
        if scores.get(table.id) is not None and first in points and second in points:
            opponents[first] += points[second]
            opponents[second] += points[first]
    keys = {pupil.number: (-_share(played[pupil.number]), -opponents[pupil.number]) for pupil in classroom.present}
    order = sorted(keys, key=lambda number: (keys[number], classroom.pupils[number].name.casefold()))
    places = {key: place for place, key in reversed([*enumerate((keys[number] for number in order), 1)])}
    return {
        number: Standing(places[keys[number]], points[number], len(played[number]), opponents[number])
        for number in order
    }


def _share(results: list[float]) -> float:
    """The share of the possible points. A pupil without a game comes after one who has lost them all."""
    return sum(results) / len(results) if results else -1.0


def games_of(classroom: Classroom, number: int, scores: Scores) -> list[PupilGame]:
    """A pupil's games, except for those that do not count."""
    return [
        PupilGame(table.round, classroom.name_at(table, 1 - seat), None if points is None else points[seat])
        for table in classroom.games_of(number)
        if not (table.id in scores and scores[table.id] is None)
        for seat, points in [(table.pupils.index(number), scores.get(table.id))]
    ]
