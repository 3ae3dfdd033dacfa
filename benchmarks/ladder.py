"""Each level of opponent against the one below it, from fair starts."""

from __future__ import annotations

import re
from itertools import pairwise

import digitduels as dd
from digitduels.arena.ratings import Estimate, score
from digitduels.arena.standings import bouts
from digitduels.arena.tournament import make_plan, run
from digitduels.players.levels import tuning

PAGE = "levels.md"
GAMES = 400  # of each pair


def table() -> str:
    rows = ["| game | level | against | points | 95 % interval |", "|---|---:|---:|---:|---:|"]
    for name in dd.games():
        game = dd.game(name)
        for low, high in pairwise(tuning(game).levels):
            played = run(make_plan(game, (str(high), str(low)), GAMES))
            found = score(bouts(played)[0, 1])
            rows.append(f"| {game.title} | {high} | {low} | {found.value:.1%} | {interval(found)} |")
    note = f"{GAMES} games of each pair, the points of the higher level."
    return re.sub(r"(?<=\d)%", " %", "\n".join([*rows, "", note]))


def interval(found: Estimate) -> str:
    return f"{found.low:.1%} to {found.high:.1%}"
