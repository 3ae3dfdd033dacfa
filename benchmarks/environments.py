"""Random legal play through the rules, Gymnasium, PettingZoo and the vectorised environment.

PettingZoo's own tic-tac-toe is measured in the same run if pygame, which it requires, is installed.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import digitduels as dd
from digitduels.adapters.gymnasium import DuelEnv
from digitduels.adapters.pettingzoo import env as duel
from digitduels.adapters.vector import DuelVectorEnv
from digitduels.games import AnyGame

SECONDS, RUNS = 0.3, 5
GAMES = 4096
COLUMNS = ("plain rules", "Gymnasium", "PettingZoo", "vectorised")


def table() -> str:
    plays: dict[tuple[str, str], Callable[[], float]] = {}
    for name in dd.games():
        title = dd.game(name).title
        measures: list[Callable[[], float] | None] = [
            rules(dd.game(name)),
            agent(DuelEnv(name)),
            agents(duel(name)),
            None if name == "operation-target" else vector(DuelVectorEnv(name, num_envs=GAMES, opponent="self")),
        ]
        for column, measure in zip(COLUMNS, measures, strict=True):
            if measure is not None:
                plays[title, column] = measure
    try:
        from pettingzoo.classic.tictactoe import tictactoe

        plays["PettingZoo's tic-tac-toe", "PettingZoo"] = agents(tictactoe.env())
    except ModuleNotFoundError:
        print("Install pygame to measure PettingZoo's tic-tac-toe as well: pip install pygame")
    rates = dict.fromkeys(plays, 0.0)
    for _ in range(RUNS):  # interleaved, so that a burst of load does not slow down only one of them
        for key, play in plays.items():
            rates[key] = max(rates[key], play())
    rows = [f"| steps/s | {' | '.join(COLUMNS)} |", "|---|" + "---:|" * len(COLUMNS)]
    for title in dict.fromkeys(title for title, _ in rates):
        cells = (f"{rates[title, column]:,.0f}" if (title, column) in rates else "–" for column in COLUMNS)
        rows.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(rows)


def repeated(play: Callable[[], int]) -> Callable[[], float]:
    """A function that calls `play` repeatedly for a while and returns the steps per second of CPU time."""

    def measure() -> float:
        steps, start = 0, time.thread_time()
        while (spent := time.thread_time() - start) < SECONDS:
            steps += play()
        return steps / spent

    return measure


def rules(game: AnyGame) -> Callable[[], float]:
    """Whole games by the plain rules."""
    choice = random.Random(1).choice

    def play() -> int:
        steps, state = 0, game.start()
        while game.outcome(state) is None:
            state = game.play(state, choice(game.legal_moves(state)))
            steps += 1
        return steps

    return repeated(play)


def agent(env: Any) -> Callable[[], float]:
    """Whole games in Gymnasium. A step is the agent's move and the opponent's random reply."""
    choice = random.Random(1).choice

    def play() -> int:
        steps, over = 0, False
        observation, _ = env.reset()
        while not over:
            observation, _, over, _, _ = env.step(choice(np.flatnonzero(observation["action_mask"])))
            steps += 1
        return steps

    return repeated(play)


def agents(env: Any) -> Callable[[], float]:
    """Whole games in PettingZoo."""
    choice = random.Random(1).choice

    def play() -> int:
        steps = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, over, truncated, _ = env.last()
            playing = not (over or truncated)
            env.step(choice(np.flatnonzero(observation["action_mask"])) if playing else None)
            steps += playing
        return steps

    return repeated(play)


def vector(env: DuelVectorEnv) -> Callable[[], float]:
    """Steps in many games at once, after warm-up steps that fill the environment's cache of endings."""
    env.reset(seed=1)

    def play() -> int:
        for _ in range(100):
            env.step(env.sample_legal())
        return 100 * GAMES

    for _ in range(10):
        play()
    return repeated(play)
