"""Games for the tests: every game, by the book and in variants, and positions reached by random play."""

from __future__ import annotations

import functools
import random
from typing import Any

from hypothesis import strategies as st

import digitduels as dd
from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.options import Choice, Integer, Integers

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "numerical-nexus": [{}, {"target": 7, "uses": (1, 1, 0, 1, 0, 1)}, {"target": 2, "uses": (0, 1, 0, 0, 1, 0)}],
    "operation-target": [{}, {"target": 2}, {"target": 40, "start": 7}, {"target": 10**4000}],
    "number-duel": [{}, {"target": 12, "highest": 4, "copies": 1, "tie": "draw"}, {"tie": "last-mover-wins"}],
    "equation-duel": [{}, {"target": 5, "highest": 4, "tie": "draw"}, {"highest": 2}],
    "number-quest": [
        {},
        {"division": "exact", "invalid": "refused"},
        {"target": 9, "highest": 3, "copies": 3, "tie": "draw", "division": "exact"},
        {"invalid": "refused", "tie": "last-mover-wins", "copies": 1},
    ],
}
HUGE_TARGETS = [2**31, 2**63 - 1, 2**63, 10**30]  # of Operation Target, around the limits of 32 and 64 bits
ALL = [(name, options) for name in dd.games() for options in VARIANTS.get(name, [{}])]

solve = functools.cache(functools.partial(dd.solve, cache=False))
"""The solution of a game, computed once for all tests."""


def describe(variant: tuple[str, dict[str, Any]]) -> str:
    """A variant's name in a test report."""
    name, options = variant
    return " ".join([name, *(f"{key}={str(value)[:20]}" for key, value in options.items())])


@st.composite
def variants(draw: st.DrawFn) -> AnyGame:
    """Any game with any options, small enough to play to the end."""
    name = draw(st.sampled_from(dd.games()))
    chosen: dict[str, Any] = {}
    for option in dd.game(name).options():
        if option.name == "start" or not draw(st.booleans()):
            continue
        match option.kind:
            case Integer(low, high):
                chosen[option.name] = draw(st.integers(low, min(high, 120 if option.name == "target" else 12)))
            case Integers(length, low, high):
                uses = st.lists(st.integers(low, min(high, 3)), min_size=length, max_size=length)
                chosen[option.name] = tuple(draw(uses.filter(any)))
            case Choice(words):
                chosen[option.name] = draw(st.sampled_from(words))
    return dd.game(name, **chosen)


@st.composite
def games_in_progress(draw: st.DrawFn) -> tuple[AnyGame, list[State[Any, Any]], list[Any]]:
    """A variant with the positions and moves of a random game, played partly or to the end."""
    game = draw(variants())
    rng = random.Random(draw(st.integers(0, 2**32)))
    states, moves = play_on(game, game.start(), rng, draw(st.integers(0, 60)))
    return game, states, moves


def play_on(
    game: AnyGame, state: State[Any, Any], rng: random.Random, most: int
) -> tuple[list[State[Any, Any]], list[Any]]:
    """The positions and moves of a random game from this position."""
    states: list[State[Any, Any]] = [state]
    moves: list[Any] = []
    while len(moves) < most and (legal := game.legal_moves(states[-1])):
        moves.append(rng.choice(legal))
        states.append(game.play(states[-1], moves[-1]))
    return states, moves


def reachable(game: AnyGame) -> set[State[Any, Any]]:
    """Every reachable position."""
    found, waiting = {game.start()}, [game.start()]
    while waiting:
        state = waiting.pop()
        after = {game.play(state, move) for move in game.legal_moves(state)} - found
        found |= after
        waiting += after
    return found
