"""How well a match was played, by the exact truth."""

from __future__ import annotations

from typing import NamedTuple

from digitduels.match import Match
from digitduels.solver.verdict import Solution
from digitduels.study.review import review


class Grade(NamedTuple):
    """What a player did with its positions, in one game or in many.

    A turn is critical when the position is not lost and some legal move has a worse value; it is found by a move that
    keeps the value. Giving up or forfeiting a position that is not lost is a critical turn not found.
    """

    turns: int = 0
    critical: int = 0
    found: int = 0
    won: int = 0
    """Games in which the player had a won position on its turn."""
    thrown: int = 0
    """Those of them that the player did not win."""
    forfeits: int = 0
    detour: int = 0
    """Plies by which its moves, where they kept the value, made wins slower and losses quicker than need be."""

    def plus(self, other: Grade) -> Grade:
        return Grade(*map(sum, zip(self, other, strict=True)))


def grade(match: Match, solution: Solution) -> tuple[Grade, Grade]:
    """The grades of both players for a finished match; the moves of its opening are nobody's."""
    outcome = match.outcome
    if outcome is None:
        raise ValueError("Only a finished match can be graded.")
    grades = [Grade(), Grade()]
    for moment in review(match, solution).moments:
        kept = moment.move is not None and not moment.swing
        grades[moment.player] = grades[moment.player].plus(
            Grade(
                turns=1,
                critical=moment.critical,
                found=moment.found,
                won=moment.before.value > 0,
                forfeits=moment.forfeit,
                detour=abs(moment.after.distance - moment.before.distance) if kept else 0,
            )
        )
    one, two = (
        each._replace(won=int(each.won > 0), thrown=int(each.won > 0 and outcome.winner != seat))
        for seat, each in enumerate(grades)
    )
    return one, two
