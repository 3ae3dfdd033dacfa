"""Three ways to defend a lost position: playing for mistakes, setting traps, and holding out as long as possible."""

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
        return chance(self.seed, match).choice(self.moves(match))

    def moves(self, match: Match) -> list[Any]:
        return self.solution.best(match.state)


class Traps(Resistance):
    """Leaves the smallest share of replies that win, then holds out longest: the rule of the first edition."""

    name = "traps"

    def moves(self, match: Match) -> list[Any]:
        judgement = self.solution.judge(match.state)
        if judgement.best.value > 0:
            return judgement.best_moves
        traps = {}
        for move in judgement.keeping:
            replies = self.solution.judge(match.game.after(match.state, move))
            traps[move] = len(replies.keeping) / len(replies) if replies else 1.0, -judgement[move].distance
        return [move for move, trap in traps.items() if trap == min(traps.values())]


def table() -> str:
    rows = [
        "| game | against level | for mistakes | traps | holding out | difference to the better | 95 % interval |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in dd.games():
        solution = dd.solve(dd.game(name))
        starts = [fair_start(solution, seed) for seed in range(GAMES)]
        for level in sorted({3, 4, 5, 6} & {*tuning(solution.game).levels}):
            mistakes, *others = [
                [saved(solution, opening, level, kind(solution, seed), seed) for seed, opening in enumerate(starts)]
                for kind in (Perfect, Traps, Resistance)
            ]
            better = max(others, key=sum)
            # Each start is played by both; as a bout of two games it gives the difference and its interval at once.
            share = score([(1 + one - other, 2) for one, other in zip(mistakes, better, strict=True)])
            value, low, high = (2 * each - 1 for each in share)
            shares = " | ".join(f"{sum(points) / GAMES:.1%}" for points in (mistakes, *others))
            rows.append(f"| {solution.game.title} | {level} | {shares} | {value:+.1%} | {low:+.1%} to {high:+.1%} |")
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
