"""Three ways to defend a lost position: playing for mistakes, setting traps, and holding out as long as possible."""

from __future__ import annotations

from collections.abc import Iterator

import digitduels as dd
from benchmarks.ladder import fair_starts
from digitduels.lab.measures import policies_of
from digitduels.players.evaluation import expect
from digitduels.players.expectation import Sheet
from digitduels.players.levels import tuning
from digitduels.players.perfect import FALLIBLE, REPLIES, Perfect

PAGE = "levels.md"
# The level whose mistakes each defence hopes for, and in how many turns. A trap leaves the fewest winning replies,
# which is best against a random opponent. Holding out hopes for no mistake.
DEFENCES = {"for mistakes": (FALLIBLE, REPLIES), "traps": (1, 1), "holding out": (1, 0)}


HEAD = (
    f"| game | starts | against level | {' | '.join(DEFENCES)} | difference to the better of the others |\n"
    "|---|---:|---:|---:|---:|---:|---:|"
)
NOTE = "Points of the defender from fair starts, all of which are lost for it with best play."


def rows(name: str) -> Iterator[str]:
    """The table rows of a game."""
    solution = dd.solve(dd.game(name))
    game, starts, sheet = solution.game, fair_starts(solution), Sheet()
    levels, policies = sorted({3, 4, 5, 6} & {*tuning(game).levels}), policies_of(solution)
    defenders = [Perfect(solution, 0, *hope) for hope in DEFENCES.values()]
    columns = [[sheet.score(policies[level], defender)[0] for level in levels] for defender in defenders]
    means = expect(solution, sheet, starts).mean(axis=0)
    scores = [1 - means[indices] for indices in columns]
    for level, (mistakes, *others) in zip(levels, zip(*scores, strict=True), strict=True):
        shares = " | ".join(f"{score:.1%}" for score in (mistakes, *others))
        yield f"| {game.title} | {len(set(starts))} | {level} | {shares} | {mistakes - max(others):+.1%} |"
