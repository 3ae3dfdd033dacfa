"""Three ways to defend a lost position: playing for mistakes, setting traps, and holding out as long as possible."""

from __future__ import annotations

from collections.abc import Iterator

import digitduels as dd
from benchmarks.ladder import fair_starts
from digitduels.lab.measures import policies_of
from digitduels.players.expectation import expect
from digitduels.players.levels import tuning
from digitduels.players.sheet import HOPE, PERFECTLY, Sheet

PAGE = "levels.md"
# For whose mistakes each defence hopes, and in how many turns. To leave the fewest replies that win is to hope for a
# random opponent; only to hold out is to hope for nothing.
DEFENCES = {"for mistakes": HOPE, "traps": (1, 1), "holding out": (1, 0)}


HEAD = (
    f"| game | starts | against level | {' | '.join(DEFENCES)} | difference to the better |\n"
    "|---|---:|---:|---:|---:|---:|---:|"
)
NOTE = "Points of the defender from fair starts, each of which it has lost with best play."


def rows(name: str) -> Iterator[str]:
    """The rows of a game."""
    solution = dd.solve(dd.game(name))
    game, starts, sheet = solution.game, fair_starts(solution), Sheet()
    levels = sorted({3, 4, 5, 6} & {*tuning(game).levels})
    places = [sheet.score(policies_of(game)[level], PERFECTLY)[0] for level in levels]
    found = [1 - expect(solution, sheet, starts, hope=hope).mean(axis=0)[places] for hope in DEFENCES.values()]
    for level, (mistakes, *others) in zip(levels, zip(*found, strict=True), strict=True):
        shares = " | ".join(f"{score:.1%}" for score in (mistakes, *others))
        yield f"| {game.title} | {len(set(starts))} | {level} | {shares} | {mistakes - max(others):+.1%} |"
