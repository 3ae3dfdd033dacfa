"""Random legal games in OpenSpiel: our games beside the games that OpenSpiel itself has in Python."""

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
    played = THEIRS | {dd.game(name).title: f"{NAME}(game={name})" for name in dd.games()}
    rates = dict.fromkeys(played, 0.0)
    for _ in range(3):  # in turn, so that a busy moment of the machine does not strike one game alone
        for title, name in played.items():
            rates[title] = max(rates[title], playouts(name))
    first = next(iter(rates.values()))
    rows = ["| game | steps/s | times the first |", "|---|---:|---:|"]
    return "\n".join([*rows, *(f"| {title} | {rate:,.0f} | {rate / first:.1f} |" for title, rate in rates.items())])


def playouts(name: str) -> float:
    """Steps per second of random legal play."""
    game = pyspiel.load_game(name)
    choice = random.Random(1).choice
    done = 0
    start = time.perf_counter()
    while done < STEPS:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))
            done += 1
    return done / (time.perf_counter() - start)
