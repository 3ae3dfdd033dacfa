"""The measures of a rule set. docs/lab.md defines each in a sentence.

All are exact: they follow from the solution of the game and from the move probabilities of the levels. Only the
lengths of games are estimated, by simulation, if the table is large. Then they come with confidence intervals.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.core import State
from digitduels.games import AnyGame, game
from digitduels.players.evaluation import expect
from digitduels.players.expectation import Sheet
from digitduels.players.levels import Level
from digitduels.players.perfect import FALLIBLE, Perfect
from digitduels.players.policy import PolicyPlayer, Uniform
from digitduels.solver import Progress, Solution, solve
from digitduels.solver.tables import Tables
from digitduels.solver.verdict import Verdict

EQUALS = (3, 4, 5, 6)  # the levels that play against themselves
ALL_LEVELS = (1, 2, 3, 4, 5, 6, 7)
GAUGES_VERSION = 2
"""Increased when fair or deep are defined differently, so that figures of different versions are not mixed."""
CLEAR = 0.75  # the score against the level below from which a step counts in full
STRETCHES = (0.8, 1.2)  # how far the reach of the levels changes to see how much the gauges depend on it
TENSION = ("critical", "only", "traps", "swings", "decided")
MEASURES = (
    *("winner", "plies", "first_moves_winning", "first_moves", "fair", "deep"),
    *("reachable", "positions", "longest", "length", *TENSION, "forced"),
)
# Lengths are computed exactly for games of at most this many plies and positions.
_LONGEST = 40
_EXACT = 5_000_000
_GAMES = 1000  # to simulate if they are not


@dataclass(frozen=True)
class Lengths:
    """The distribution of the lengths of games between two players of level 4."""

    shares: dict[int, float]
    """The probability of each length, in plies."""
    margins: dict[int, float] | None = None
    """Half of each 95 % confidence interval, if the lengths are simulated."""


@dataclass(frozen=True, kw_only=True)
class Outline:
    """What follows from the solution of a rule set alone, for any players. It is known within seconds."""

    game: AnyGame
    winner: int | None
    """The winner with best play: 1 or 2, None for a draw."""
    plies: int
    first_moves_winning: int
    first_moves: int
    longest: int
    """The longest forced win from any position, in plies."""
    positions: int
    reachable: int
    line: tuple[str, ...] = ()
    """A perfect game, as tokens."""


@dataclass(frozen=True, kw_only=True)
class Report(Outline):
    """The measures of a rule set. All but its outline need the expected games of our levels."""

    fair: float
    deep: float
    seats: dict[int, float]
    """By level: the score of Player 1 against the same level."""
    steps: dict[int, float]
    """By level: its score against the level below, on average over both seats."""
    critical: float
    only: float
    traps: float
    swings: float
    decided: float
    forced: float
    length: float
    lengths: Lengths | None = field(default=None, compare=False)
    wobble: dict[str, float] | None = None
    """How far each gauge moves when the reach of the levels changes by a fifth; None if that was not measured."""

    def row(self) -> dict[str, Any]:
        """The measures by name, as a row of a table of rule sets."""
        return {
            **{name: getattr(self, name) for name in MEASURES},
            **{f"seat_{level}": score for level, score in self.seats.items()},
            **{f"step_{level}": score for level, score in self.steps.items()},
        }

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        lengths = self.lengths
        return {
            "game": self.game.id,
            "options": self.game.values,
            "outcome": {"winner": self.winner, "plies": self.plies},
            "first_moves": {"winning": self.first_moves_winning, "of": self.first_moves},
            "reachable": self.reachable,
            "fair": self.fair,
            "deep": self.deep,
            "positions": self.positions,
            "longest": self.longest,
            "line": list(self.line),
            "seats": {str(level): score for level, score in self.seats.items()},
            "steps": {str(level): score for level, score in self.steps.items()},
            "tension": {name: getattr(self, name) for name in TENSION},
            "length": {
                "mean": self.length,
                "forced": self.forced,
                "shares": {} if lengths is None else {str(plies): share for plies, share in lengths.shares.items()},
                "margins": None
                if lengths is None or lengths.margins is None
                else {str(plies): margin for plies, margin in lengths.margins.items()},
            },
            "gauges": GAUGES_VERSION,
            "wobble": self.wobble,
        }


def report_from(values: dict[str, Any]) -> Report:
    """Deserializes a report from the JSON values of `Report.to_dict`."""
    outcome, moves, tension, length = (values[key] for key in ("outcome", "first_moves", "tension", "length"))
    shares, margins = (
        None if length[key] is None else {int(plies): share for plies, share in length[key].items()}
        for key in ("shares", "margins")
    )
    return Report(
        game=game(values["game"], **values["options"]),
        winner=outcome["winner"],
        plies=outcome["plies"],
        first_moves_winning=moves["winning"],
        first_moves=moves["of"],
        fair=values["fair"],
        deep=values["deep"],
        longest=values["longest"],
        positions=values["positions"],
        reachable=values["reachable"],
        seats={int(level): score for level, score in values["seats"].items()},
        steps={int(level): score for level, score in values["steps"].items()},
        **tension,
        forced=length["forced"],
        length=length["mean"],
        line=tuple(values["line"]),
        lengths=Lengths(shares, margins) if shares else None,
        wobble=values["wobble"],
    )


def measure(
    rules: AnyGame,
    *,
    lengths: bool = True,
    wobble: bool = True,
    limit: int | None = None,
    solution: Solution | None = None,
    progress: Progress | None = None,
) -> Report:
    """Measures a rule set; raises TooLarge if that takes more than `limit` bytes, or more memory than is free.

    `lengths` adds the distribution of the lengths of games, `wobble` how much the gauges depend on our levels. Pass the
    `solution` if you have it already.
    """
    if solution is None:
        solution = solve(rules, cache=False, limit=limit, progress=progress)
    measurement = Measurement(solution)
    report = measurement.report(lengths=lengths, progress=progress)
    return replace(report, wobble=measurement.wobble(report, progress)) if wobble else report


class Measurement:
    """Measures a solved game in three steps, from seconds to minutes: the outline, the report, the wobble."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution

    @cached_property
    def _reached(self) -> npt.NDArray[np.bool_] | None:
        """The positions of a table that can arise."""
        solution = self.solution
        return solution.reached([solution.index(solution.game.start())]) if isinstance(solution, Tables) else None

    @cached_property
    def outline(self) -> Outline:
        """Who wins with best play, and how many positions there are."""
        solution, rules = self.solution, self.solution.game
        counts = solution.counts(self._reached) if isinstance(solution, Tables) else solution.counts()
        judgement = solution.judge(rules.start())
        best: Verdict = judgement.best_verdict
        return Outline(
            game=rules,
            winner=None if best.value == 0 else 1 if best.value > 0 else 2,
            plies=best.distance,
            first_moves_winning=sum(verdict.value > 0 for verdict in judgement.values()),
            first_moves=len(judgement),
            longest=counts.longest,
            positions=counts.positions,
            reachable=counts.reachable,
            line=tuple(str(move) for move in solution.line(rules.start())),
        )

    def report(self, *, lengths: bool = True, progress: Progress | None = None) -> Report:
        """What to expect of games between our levels, in one pass over all positions that can arise."""
        solution, rules, sheet, policies = self.solution, self.solution.game, Sheet(), policies_of(self.solution)
        columns = _gauge_columns(sheet, policies)
        person = policies[FALLIBLE]
        length = sheet.total(person, person, constant=1.0)[0]
        swings = sheet.total(person, person, swing=1.0)[0]
        flags = [sheet.total(person, person, flags=tuple(float(n == flag) for n in range(4)))[0] for flag in range(4)]
        settled = sheet.settled(person)
        small = not isinstance(solution, Tables) or len(solution.codes) <= _EXACT
        exact = lengths and rules.longest <= _LONGEST and small
        lasts = sheet.lasts(person, rules.longest) if exact else 0
        expected = expect(solution, sheet, reached=self._reached, progress=progress)[0].tolist()
        seats, steps = _scores(columns, expected)
        plies = expected[length]
        shares = None
        if exact:
            likely = {n: expected[lasts + n] for n in range(rules.longest + 1)}
            shares = Lengths({n: _rounded(share) for n, share in likely.items() if share > 1e-6})
        elif lengths:
            shares = simulate_lengths(solution)
        return Report(
            **vars(self.outline),
            fair=fairness(seats),
            deep=depth(steps),
            seats=seats,
            steps=steps,
            critical=_rounded(expected[flags[0]] / plies),
            only=_rounded(expected[flags[1]] / plies),
            traps=_rounded(expected[flags[2]] / plies),
            swings=_rounded(expected[swings]),
            decided=_rounded(1 - expected[settled] / plies),
            forced=_rounded(expected[flags[3]]),
            length=_rounded(plies),
            lengths=shares,
        )

    def wobble(self, report: Report, progress: Progress | None = None) -> dict[str, float]:
        """How far each gauge moves, at most, when all levels look a fifth less or a fifth further."""
        sheet = Sheet()
        columns = [_gauge_columns(sheet, policies_of(self.solution, stretch)) for stretch in STRETCHES]
        expected = expect(self.solution, sheet, reached=self._reached, progress=progress)[0].tolist()
        scores = [_scores(stretched, expected) for stretched in columns]
        return {
            "fair": _rounded(max(abs(fairness(seats) - report.fair) for seats, _ in scores)),
            "deep": _rounded(max(abs(depth(steps) - report.deep) for _, steps in scores)),
        }


_GaugeColumns = tuple[dict[int, int], dict[int, tuple[int, int]]]


def _gauge_columns(sheet: Sheet, policies: dict[int, PolicyPlayer]) -> _GaugeColumns:
    """Adds the columns of the scores that the gauges need: by level, against itself and against the level below."""
    seats = {level: sheet.score(policies[level], policies[level])[0] for level in EQUALS}
    return seats, {level: sheet.score(policies[level], policies[below]) for below, level in pairwise(ALL_LEVELS)}


def _scores(columns: _GaugeColumns, expected: list[float]) -> tuple[dict[int, float], dict[int, float]]:
    """What Player 1 scores against the same level, and what a level scores against the level below."""
    seats, steps = columns
    return (
        {level: _rounded(expected[column]) for level, column in seats.items()},
        {level: _rounded((expected[one] + 1 - expected[two]) / 2) for level, (one, two) in steps.items()},
    )


def policies_of(solution: Solution, stretch: float = 1.0) -> dict[int, PolicyPlayer]:
    """The seven levels as they play this game, including levels that the game does not offer to people."""
    middle = {level: Level(level, solution, seed=0, stretch=stretch) for level in ALL_LEVELS[1:-1]}
    return {ALL_LEVELS[0]: Uniform(solution.game, seed=0), **middle, ALL_LEVELS[-1]: Perfect(solution, seed=0)}


def fairness(seats: dict[int, float]) -> float:
    """The mean over the levels of 1 − |2p − 1|, where p is what Player 1 scores. Opposite biases do not cancel."""
    return _rounded(sum(1 - abs(2 * score - 1) for score in seats.values()) / len(seats))


def depth(steps: dict[int, float]) -> float:
    """The mean of the steps: 0 at 50 % against the level below, 1 at 75 % and above, in proportion between."""
    shares = [(score - 0.5) / (CLEAR - 0.5) for score in steps.values()]
    return _rounded(sum(min(1.0, max(0.0, share)) for share in shares) / len(shares))


def _rounded(number: float) -> float:
    # The kernels add in single precision, and the order of the additions varies.
    return round(number, 5) + 0.0


def simulate_lengths(solution: Solution) -> Lengths:
    """Estimates the lengths of games between two players of level 4 by simulation."""
    rng, rules, person = random.Random(0), solution.game, Level(FALLIBLE, solution, seed=0)
    moves: dict[State[Any, Any], tuple[list[Any], list[float]]] = {}
    counts: Counter[int] = Counter()
    for _ in range(_GAMES):
        state, plies = rules.start(), 0
        while rules.outcome(state) is None:
            if state not in moves:
                probabilities = person.probabilities(state)
                moves[state] = list(probabilities), list(probabilities.values())
            state = rules.after(state, rng.choices(*moves[state])[0])
            plies += 1
        counts[plies] += 1
    shares = {plies: counts[plies] / _GAMES for plies in sorted(counts)}
    return Lengths(shares, {plies: _margin(share) for plies, share in shares.items()})


def _margin(share: float) -> float:
    """Half of the 95 % confidence interval of a share (Wilson).

    >>> _margin(0.5)  # of 1,000 games
    0.03093
    """
    z, games = 1.96, _GAMES
    return round(z / (1 + z * z / games) * sqrt(share * (1 - share) / games + (z / (2 * games)) ** 2), 5)
