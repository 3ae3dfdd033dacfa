"""How well players chose their moves, judged by the solution: single games, and many games together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from digitduels.match import Match
from digitduels.solver.solution import Solution
from digitduels.study.decisions import KINDS, REFUSED, Decision
from digitduels.study.decisions import decisions as decisions_of


class Grade(NamedTuple):
    """How well a player did, in one game or in many.

    A turn is critical when the position is not lost and some legal move has a worse value. A move that keeps the value
    finds it. Conceding or forfeiting a critical turn does not find it.
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
    chance: float = 0.0
    """How many of the critical turns a random mover would find on average."""

    def plus(self, other: Grade) -> Grade:
        sums: Iterable[Any] = map(sum, zip(self, other, strict=True))
        return Grade(*sums)


def tally(decisions: Sequence[Decision], victory: bool | None = None) -> Grade:
    """The grade of one player's decisions in one game. `won` is None if the result is not known.

    In that case, a win counts as thrown away if the last decision did not keep it.
    """
    had = any(each.before.value > 0 for each in decisions)
    held = decisions[-1].after.value > 0 if decisions and victory is None else bool(victory)
    return Grade(
        turns=len(decisions),
        critical=sum(each.critical for each in decisions),
        found=sum(each.found for each in decisions),
        won=int(had),
        thrown=int(had and not held),
        forfeits=sum(each.kind in REFUSED for each in decisions),
        detour=sum(each.detour for each in decisions),
        chance=sum(each.chance for each in decisions if each.critical),
    )


def grade(match: Match, solution: Solution) -> tuple[Grade, Grade]:
    """The grades of both players for a finished match. The moves of its opening are not graded."""
    outcome = match.outcome
    if outcome is None:
        raise ValueError("Only a finished match can be graded.")
    every = decisions_of(match, solution)
    one, two = (tally([each for each in every if each.player == seat], outcome.winner == seat) for seat in (0, 1))
    return one, two


# Many decisions


Group = Sequence[Decision]
"""Decisions that depend on each other: those of a game, or of two games from one start."""


def summary(groups: Iterable[Group], seed: int = 0) -> dict[str, Any]:
    """Many decisions together as JSON values; shares come with 95 % confidence intervals.

    The intervals treat the decisions of a group as one observation. Players are numbered from 1.
    """
    every = list(groups)
    return {
        **_figures(every, seed),
        "seats": [_figures(_some(every, lambda each, seat=seat: each.player == seat), seed) for seat in (0, 1)],
        "distances": [
            {
                "distance": distance,
                "critical": _found(near := _at(every, distance), seed),
                "chance": _chance(near),
            }
            for distance in sorted({each.before.distance for group in every for each in group if each.critical})
        ],
    }


def share(parts: Iterable[tuple[float, float]], seed: int = 0) -> dict[str, float | None]:
    """A share with its confidence interval, from independent parts of (count, of); None where `of` is 0.

    >>> share([(1, 1), (0, 1), (1, 1), (1, 1)])
    {'count': 3, 'of': 4, 'value': 0.75, 'low': 0.2989, 'high': 0.9772}
    """
    from digitduels.arena.ratings import score  # which needs NumPy

    counted = [(some, int(all)) for some, all in parts if all]
    found = dict[str, float | None](count=sum(some for some, _ in counted), of=sum(all for _, all in counted))
    if not counted:
        return {**found, "value": None, "low": None, "high": None}
    return found | {name: round(value, 4) for name, value in score(counted, seed)._asdict().items()}


def skill(grades: Iterable[Grade], seed: int = 0) -> dict[str, float | None]:
    """Skill with its confidence interval, from independent grades: 0 for random moves, 1 for no mistake.

    Skill is the sum of (found - chance) over all critical turns, divided by the sum of (1 - chance). `value`, `low` and
    `high` are None if no turn was critical. `chance` is what a random mover would find in the same turns, on average.

    >>> skill([Grade(critical=4, found=3, chance=1.0), Grade(critical=4, found=3, chance=1.0)])["value"]
    0.6667
    """
    from digitduels.arena.ratings import skill as estimate  # which needs NumPy

    counted = [(grade.found, grade.critical, grade.chance) for grade in grades if grade.critical]
    found, critical, chance = map(sum, zip(*counted, strict=True)) if counted else (0, 0, 0.0)
    told = dict[str, float | None](found=found, of=critical, chance=round(chance, 4))
    if not counted:
        return {**told, "value": None, "low": None, "high": None}
    return told | {name: round(value, 4) for name, value in estimate(counted, seed)._asdict().items()}


def _at(groups: Iterable[Group], distance: int) -> list[Group]:
    return _some(groups, lambda each: each.before.distance == distance)


def _chance(groups: Iterable[Group]) -> float:
    return round(sum(each.chance for group in groups for each in group if each.critical), 4)


def _some(groups: Iterable[Group], wanted: Any) -> list[Group]:
    return [[each for each in group if wanted(each)] for group in groups]


def _figures(groups: Sequence[Group], seed: int) -> dict[str, Any]:
    kinds = Counter(each.kind for group in groups for each in group)
    won = [[each for each in group if each.before.value > 0] for group in groups]
    return {
        "decisions": kinds.total(),
        **{kind: kinds[kind] for kind in KINDS},
        "skill": skill(map(tally, groups), seed),
        "critical": _found(groups, seed),
        "thrown": share(((sum(each.after.value < 1 for each in group), len(group)) for group in won), seed),
        "detour": sum(each.detour for group in groups for each in group),
    }


def _found(groups: Iterable[Group], seed: int) -> dict[str, Any]:
    return share(((sum(each.found for each in group), sum(each.critical for each in group)) for group in groups), seed)
