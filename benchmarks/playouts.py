"""Random legal games through `legal_moves`, `play` and `outcome`, compared with plain Python function calls."""

from __future__ import annotations

import random
import time

import digitduels as dd
from digitduels.games import AnyGame

STEPS = 200_000


def table() -> str:
    calls = bare_calls()
    rows = [
        "| game | steps/s | bare Python calls for the time of one step |",
        "|---|---:|---:|",
    ]
    for name in dd.games():
        game = dd.game(name)
        playouts(game, STEPS // 10)  # warm up the cache of legal moves
        rate = max(playouts(game, STEPS) for _ in range(3))
        rows.append(f"| {game.title} | {rate:,.0f} | {calls / rate:.0f} |")
    return "\n".join([*rows, "", f"A bare call in the same run: {calls:,.0f} per second."])


def playouts(game: AnyGame, steps: int) -> float:
    """Steps per second of random legal play."""
    choice = random.Random(1).choice
    count = 0
    start = time.perf_counter()
    while count < steps:
        state = game.start()
        while game.outcome(state) is None:
            state = game.play(state, choice(game.legal_moves(state)))
            count += 1
    return count / (time.perf_counter() - start)


def bare_calls() -> float:
    """Calls per second of a Python function that returns its argument."""

    def same(value: int) -> int:
        return value

    start = time.perf_counter()
    for number in range(2_000_000):
        same(number)
    return 2_000_000 / (time.perf_counter() - start)
