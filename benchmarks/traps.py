"""Two ways to defend a lost position against opponents who err: setting traps, and holding out as long as possible."""

from __future__ import annotations

import re
from typing import Any

import digitduels as dd
from digitduels.arena.contest import contest
from digitduels.arena.ratings import score
from digitduels.match import Match
from digitduels.players import Player, player
from digitduels.players.levels import tuning
from digitduels.players.perfect import Perfect
from digitduels.players.player import chance
from digitduels.solver import Solution
from digitduels.study.fair_starts import fair_start

PAGE = "levels.md"
GAMES = 400  # of each defence against each level


class Resistance(Player):
    """Plays the best verdict: the quickest win, else the slowest loss."""

    name = "resistance"

    def __init__(self, solution: Solution, seed: object) -> None:
        self.solution, self.seed = solution, seed

    def choose(self, match: Match) -> Any:
        return chance(self.seed, match).choice(self.solution.best(match.state))


def table() -> str:
    rows = [
        "| game | against level | setting traps | holding out | difference | 95 % interval | does better |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for name in dd.games():
        solution = dd.solve(dd.game(name))
        starts = [fair_start(solution, seed) for seed in range(GAMES)]
        for level in sorted({3, 4, 5} & {*tuning(solution.game).levels}):
            traps, resistance = [
                [saved(solution, opening, level, kind(solution, seed), seed) for seed, opening in enumerate(starts)]
                for kind in (Perfect, Resistance)
            ]
            # Each start is played by both; as a bout of two games it gives the difference and its interval at once.
            share = score([(1 + trap - held, 2) for trap, held in zip(traps, resistance, strict=True)])
            value, low, high = (2 * each - 1 for each in share)
            better = "traps" if low > 0 else "holding out" if high < 0 else "neither for certain"
            rows.append(
                f"| {solution.game.title} | {level} | {sum(traps) / GAMES:.1%} | {sum(resistance) / GAMES:.1%} "
                f"| {value:+.1%} | {low:+.1%} to {high:+.1%} | {better} |"
            )
    note = f"Points from {GAMES} fair starts, each of which the defender has lost with best play."
    return re.sub(r"(?<=\d)%", " %", "\n".join([*rows, "", note]))


def saved(solution: Solution, opening: list[Any], level: int, defender: Player, seed: int) -> float:
    """The points that a defender makes from a lost start."""
    match = Match(solution.game)
    for move in opening:
        match.play(move)
    attacking = match.state.player
    attacker = player(str(level), solution.game, lambda _: solution, seed)
    seats = (attacker, defender) if attacking == 0 else (defender, attacker)
    outcome = contest(match, *seats).outcome
    assert outcome is not None
    return 0.5 if outcome.winner is None else float(outcome.winner != attacking)
