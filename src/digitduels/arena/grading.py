"""How well players chose their moves, judged by the solution: single games, and many games together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from digitduels.match import Match
from digitduels.solver.solution import Solution
from digitduels.study.decisions import KINDS, REFUSED, Decision
from digitduels.study.decisions import decisions as decisions_of

_NOTHING = 1e-9  # rounding errors of sums of probabilities


class Grade(NamedTuple):
    """How well a player did, in one game or in many.

    A turn is critical if the position is not lost and some legal move would throw its value away. A critical turn is
    found if the move keeps the value, and missed if it does not or if the player concedes or forfeits.
    """

    turns: int = 0
    critical: int = 0
    found: int = 0
    won: int = 0
    """Games in which the player was to move in a won position."""
    thrown: int = 0
    """How many of these games the player did not win."""
    forfeits: int = 0
    detour: int = 0
    """How many plies its moves wasted, making wins slower or losses quicker without changing the value."""
    chance: float = 0.0
    """How many of the critical turns a random mover would find on average."""

    def plus(self, other: Grade) -> Grade:
        sums: Iterable[Any] = map(sum, zip(self, other, strict=True))
        return Grade(*sums)


def tally(decisions: Sequence[Decision], victory: bool | None = None) -> Grade:
    """The grade of one player's decisions in one game. `victory` is None if the result is unknown.

    In that case, a win counts as thrown away if the last decision did not keep it.
    """
    had = any(decision.before.value > 0 for decision in decisions)
    held = decisions[-1].after.value > 0 if decisions and victory is None else bool(victory)
    return Grade(
        turns=len(decisions),
        critical=sum(decision.critical for decision in decisions),
        found=sum(decision.found for decision in decisions),
        won=int(had),
        thrown=int(had and not held),
        forfeits=sum(decision.kind in REFUSED for decision in decisions),
        detour=sum(decision.detour for decision in decisions),
        chance=sum(decision.chance for decision in decisions if decision.critical),
    )


def grade(match: Match, solution: Solution) -> tuple[Grade, Grade]:
    """The grades of both players for a finished match. The moves of its opening are not graded."""
    outcome = match.outcome
    if outcome is None:
        raise ValueError("Only a finished match can be graded.")
    turns = decisions_of(match, solution)
    one, two = (tally([turn for turn in turns if turn.player == seat], outcome.winner == seat) for seat in (0, 1))
    return one, two


# Many decisions


Group = Sequence[Decision]
"""Decisions that depend on each other: those of a game, or of two games from one start."""


def summary(groups: Iterable[Group]) -> dict[str, Any]:
    """Statistics of many decisions as JSON values; shares have 95 % confidence intervals.

    The intervals treat the decisions of a group as one observation. Players are numbered from 1.
    """
    groups = list(groups)
    return {
        **_figures(groups),
        "seats": [_figures(_select(groups, lambda decision, seat=seat: decision.player == seat)) for seat in (0, 1)],
        "distances": [
            {
                "distance": distance,
                "critical": _critical(near := _at_distance(groups, distance)),
                "chance": _chance(near),
            }
            for distance in sorted({turn.before.distance for group in groups for turn in group if turn.critical})
        ],
    }


def share(parts: Iterable[tuple[float, float]]) -> dict[str, float | None]:
    """A share with its confidence interval, from independent parts of (count, of); None where `of` is 0.

    >>> share([(1, 1), (0, 1), (1, 1), (1, 1)])
    {'count': 3, 'of': 4, 'value': 0.75, 'low': 0.2989, 'high': 0.9772}
    """
    from digitduels.arena.ratings import score  # imports NumPy

    counted = [(count, int(of)) for count, of in parts if of]
    counts = dict[str, float | None](count=sum(count for count, _ in counted), of=sum(of for _, of in counted))
    if not counted:
        return {**counts, "value": None, "low": None, "high": None}
    return counts | {name: round(value, 4) for name, value in score(counted)._asdict().items()}


def skill(grades: Iterable[Grade], seed: int = 0) -> dict[str, float | None]:
    """Skill with its confidence interval, from independent grades: 0 for random moves, 1 for no mistake.

    Skill is the sum of (found - chance) over all critical turns, divided by the sum of (1 - chance). `value`, `low` and
    `high` are None if no turn was critical, or if chance finds everything, as the greedy player can. `chance` is how
    many of the turns a random mover would find on average.

    >>> skill([Grade(critical=4, found=3, chance=1.0), Grade(critical=4, found=3, chance=1.0)])["value"]
    0.6667
    """
    from digitduels.arena.ratings import skill as estimate  # imports NumPy

    counted = [(grade.found, grade.critical, grade.chance) for grade in grades if grade.critical]
    found, critical, chance = map(sum, zip(*counted, strict=True)) if counted else (0, 0, 0.0)
    counts = dict[str, float | None](found=found, of=critical, chance=round(chance, 4))
    if critical - chance < _NOTHING:
        return {**counts, "value": None, "low": None, "high": None}
    return counts | {name: round(value, 4) for name, value in estimate(counted, seed)._asdict().items()}


def _at_distance(groups: Iterable[Group], distance: int) -> list[Group]:
    return _select(groups, lambda decision: decision.before.distance == distance)


def _chance(groups: Iterable[Group]) -> float:
    return round(sum(decision.chance for group in groups for decision in group if decision.critical), 4)


def _select(groups: Iterable[Group], keep: Any) -> list[Group]:
    return [[decision for decision in group if keep(decision)] for group in groups]


def _figures(groups: Sequence[Group]) -> dict[str, Any]:
    kinds = Counter(decision.kind for group in groups for decision in group)
    won = [[decision for decision in group if decision.before.value > 0] for group in groups]
    return {
        "decisions": kinds.total(),
        **{kind: kinds[kind] for kind in KINDS},
        "skill": skill(map(tally, groups)),
        "critical": _critical(groups),
        "thrown": share((sum(decision.after.value < 1 for decision in group), len(group)) for group in won),
        "detour": sum(decision.detour for group in groups for decision in group),
    }


def _critical(groups: Iterable[Group]) -> dict[str, Any]:
    return share(
        (sum(decision.found for decision in group), sum(decision.critical for decision in group)) for group in groups
    )
