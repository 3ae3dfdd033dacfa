"""Fair starts: openings after which the win is long and few moves keep it, so both players must play well."""

from __future__ import annotations

import random
from typing import Any

from digitduels.solver.solution import Solution

_CANDIDATES = 200  # random openings to choose from


def fair_start(solution: Solution, seed: object) -> list[Any]:
    """The opening moves of a fair start. The same seed always gives the same start, and either side may be winning.

    It is the random opening that best combines a long win with a small share of moves that keep the win.
    """
    rng, game = random.Random(f"fair start {seed}"), solution.game
    most = min(6, game.longest // 3)
    best: tuple[float, list[Any]] = (0.0, [])
    for _ in range(_CANDIDATES):
        opening, state = [], game.start()
        for _ in range(rng.randint(0, most)):
            opening.append(rng.choice(game.legal_moves(state)))
            state = game.after(state, opening[-1])
            if game.outcome(state) is not None:
                break
        judgement = solution.judge(state)
        if judgement and judgement.best_verdict.value > 0:
            share = len(judgement.keeping) / len(judgement)
            best = max(best, (judgement.best_verdict.distance * (1 - share), opening), key=lambda pair: pair[0])
    return best[1]
