"""Each level against the one below it, from fair starts: exact scores, computed without playing games."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import digitduels as dd
from digitduels.core import State
from digitduels.lab.measures import policies_of
from digitduels.players.evaluation import expect
from digitduels.players.expectation import Sheet
from digitduels.players.levels import tuning
from digitduels.solver import Solution
from digitduels.study.fair_starts import fair_start

PAGE = "levels.md"
STARTS = 200  # fair starts per game, including duplicates
HEAD = "| game | starts | level | against | points |\n|---|---:|---:|---:|---:|"
NOTE = "Points of the higher level, averaged over the starts and both seats."


def rows(name: str) -> Iterator[str]:
    """The table rows of a game."""
    solution = dd.solve(dd.game(name))
    game, starts, sheet = solution.game, fair_starts(solution), Sheet()
    policies, pairs = policies_of(solution), list(pairwise(tuning(game).levels))
    indices = [sheet.score(policies[high], policies[low]) for low, high in pairs]
    scores = expect(solution, sheet, starts).mean(axis=0)
    for (low, high), (first, second) in zip(pairs, indices, strict=True):
        points = (scores[first] + 1 - scores[second]) / 2
        yield f"| {game.title} | {len(set(starts))} | {high} | {low} | {points:.1%} |"


def fair_starts(solution: Solution) -> list[State[Any, Any]]:
    """The positions after the opening moves of the fair starts."""
    starts = []
    for seed in range(STARTS):
        state = solution.game.start()
        for move in fair_start(solution, seed):
            state = solution.game.after(state, move)
        starts.append(state)
    return starts
