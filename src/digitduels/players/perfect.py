"""Level 7: perfect play."""

from __future__ import annotations

import random
from typing import Any

from digitduels.match import Match
from digitduels.players.player import Player, chance
from digitduels.solver.solution import Solution


class Perfect(Player):
    """Level 7: wins as fast as can be, and when it cannot win, sets traps.

    Among moves of the same value it then plays the one that leaves the opponent the smallest share of replies that keep
    what they have, and of those the one that holds out longest.
    """

    name = "perfect"

    def __init__(self, solution: Solution, seed: object = None) -> None:
        self.solution = solution
        self.seed = random.getrandbits(64) if seed is None else seed

    def choose(self, match: Match) -> Any:
        each = self.solution.each(match.state)
        top = each[0][1]
        if top.value > 0:
            candidates = self.solution.best(match.state)
        else:
            traps = [
                (self.escape(match, move), -verdict.distance, move)
                for move, verdict in each
                if verdict.value == top.value
            ]
            best = min(trap[:2] for trap in traps)
            candidates = [move for *trap, move in traps if tuple(trap) == best]
        return chance(self.seed, match).choice(candidates)

    def escape(self, match: Match, move: Any) -> float:
        """The share of the opponent's replies to a move that keep the value of the position."""
        after = match.game.after(match.state, move)
        replies = self.solution.each(after)
        if not replies:
            return 1.0
        return sum(verdict.value == replies[0][1].value for _, verdict in replies) / len(replies)
