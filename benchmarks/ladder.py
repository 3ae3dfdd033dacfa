"""Each level of opponent against the one below it, from fair starts: exact scores, without playing a game."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import digitduels as dd
from digitduels.core import State
from digitduels.lab.measures import policies_of
from digitduels.players.expectation import Sheet, expect
from digitduels.players.levels import tuning
from digitduels.solver import Solution
from digitduels.study.fair_starts import fair_start

PAGE = "levels.md"
STARTS = 200  # fair starts of each game; some of them are equal


def table() -> str:
    rows = ["| game | starts | level | against | points |", "|---|---:|---:|---:|---:|"]
    for name in dd.games():
        solution = dd.solve(dd.game(name))
        game, starts, sheet = solution.game, fair_starts(solution), Sheet()
        policies, pairs = policies_of(game), list(pairwise(tuning(game).levels))
        places = [sheet.score(policies[high], policies[low]) for low, high in pairs]
        found = expect(solution, sheet, starts).mean(axis=0)
        for (low, high), (first, second) in zip(pairs, places, strict=True):
            points = (found[first] + 1 - found[second]) / 2
            rows.append(f"| {game.title} | {len(set(starts))} | {high} | {low} | {points:.1%} |")
    note = "Points of the higher level on average over the starts and both seats."
    return re.sub(r"(?<=\d)%", " %", "\n".join([*rows, "", note]))


def fair_starts(solution: Solution) -> list[State[Any, Any]]:
    """The positions from which games begin."""
    starts = []
    for seed in range(STARTS):
        state = solution.game.start()
        for move in fair_start(solution, seed):
            state = solution.game.after(state, move)
        starts.append(state)
    return starts
