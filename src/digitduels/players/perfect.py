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
        judgement = self.solution.judge(match.state)
        if judgement.best.value > 0:
            candidates = judgement.best_moves
        else:
            traps = {move: (self.escape(match, move), -judgement[move].distance) for move in judgement.keeping}
            best = min(traps.values())
            candidates = [move for move, trap in traps.items() if trap == best]
        return chance(self.seed, match).choice(candidates)

    def escape(self, match: Match, move: Any) -> float:
        """The share of the opponent's replies to a move that keep the value of the position."""
        replies = self.solution.judge(match.game.after(match.state, move))
        return len(replies.keeping) / len(replies) if replies else 1.0
