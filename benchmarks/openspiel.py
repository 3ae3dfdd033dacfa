"""Random legal games in OpenSpiel: our games compared with OpenSpiel's own Python games."""

from __future__ import annotations

import random
import time

import pyspiel
from open_spiel.python import games as _registered  # noqa: F401

import digitduels as dd
from digitduels.adapters.openspiel import NAME

STEPS = 50_000
THEIRS = {
    "OpenSpiel's `python_tic_tac_toe`": "python_tic_tac_toe",
    "OpenSpiel's `python_block_dominoes`": "python_block_dominoes",
    "OpenSpiel's `python_kuhn_poker`": "python_kuhn_poker",
}


def table() -> str:
    games = THEIRS | {dd.game(name).title: f"{NAME}(game={name})" for name in dd.games()}
    rates = dict.fromkeys(games, 0.0)
    for _ in range(3):  # interleaved, so that a burst of load does not slow down only one game
        for title, name in games.items():
            rates[title] = max(rates[title], playouts(name))
    first = next(iter(rates.values()))
    rows = ["| game | steps/s | times the first |", "|---|---:|---:|"]
    return "\n".join([*rows, *(f"| {title} | {rate:,.0f} | {rate / first:.1f} |" for title, rate in rates.items())])


def playouts(name: str) -> float:
    """Steps per second of random legal play."""
    game = pyspiel.load_game(name)
    choice = random.Random(1).choice
    count = 0
    start = time.perf_counter()
    while count < STEPS:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))
            count += 1
    return count / (time.perf_counter() - start)
