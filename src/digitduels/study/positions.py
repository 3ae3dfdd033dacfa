"""Positions to ask about: such as arise in play, each once, and as many near the end as far from it."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from typing import Any

from digitduels.core import State
from digitduels.match import Match
from digitduels.solver import Progress
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Judgement

Sort = Callable[[Judgement[Any]], Hashable]
"""Which kind of position this is, for all that are wanted; None for others. Every kind gets its share."""

_IDLE = 300  # games without a new position after which there are no more
_CHOICE = 4  # times as many positions as are wanted to choose from, so that rare kinds get their share;
_MORE = 50_000  # but only so many more


def any_position(judgement: Judgement[Any]) -> Hashable:
    """Every position, by its value and distance and by whether anything depends on the move."""
    return (*judgement.best, bool(judgement.throwing))


def only_move(judgement: Judgement[Any]) -> Hashable:
    """Positions in which one move alone keeps the win or the draw, by distance; moves to one position count as one."""
    return judgement.best if judgement.only else None


def positions(
    solution: Solution,
    count: int,
    seed: object = 0,
    sort: Sort = any_position,
    distances: Collection[int] | None = None,
    progress: Progress | None = None,
) -> Iterator[Match]:
    """Different positions, as matches that have come to them; fewer than `count` if there are no more.

    They are from games that are played half well and half at random, at some distances from the end or at any, and
    always the same with the same seed.
    """
    game = solution.game
    dice = random.Random(f"positions {game.id} {game.values} {sort.__name__} {seed}")
    kinds: dict[Hashable, list[list[Any]]] = defaultdict(list)
    seen: set[State[Any, Any]] = set()
    idle = total = 0
    wanted = min(_CHOICE * count, count + _MORE)
    while total < wanted and idle < _IDLE:
        if progress is not None:
            progress("looking for positions", total / wanted)
        state, moves = game.start(), list[Any]()
        idle += 1
        while judgement := solution.judge(state):
            if state not in seen and (distances is None or judgement.best.distance in distances):
                seen.add(state)
                kind = sort(judgement)
                if kind is not None:
                    kinds[kind].append(moves.copy())
                    total += 1
                    idle = 0
            moves.append(dice.choice(judgement.keeping if dice.random() < 0.5 else list(judgement)))
            state = game.after(state, moves[-1])
    for chosen in _spread(kinds, count, dice):
        yield _reached(solution, chosen)


def _spread(kinds: dict[Hashable, list[list[Any]]], count: int, dice: random.Random) -> list[list[Any]]:
    """One of each kind in turn, until there are enough."""
    for found in kinds.values():
        dice.shuffle(found)
    waiting = list(kinds.values())
    chosen: list[list[Any]] = []
    while waiting and len(chosen) < count:
        dice.shuffle(waiting)  # so that no kind is first whenever there are fewer wanted than kinds
        chosen += [found.pop() for found in waiting]
        waiting = [found for found in waiting if found]
    return chosen[:count]


def _reached(solution: Solution, moves: list[Any]) -> Match:
    match = Match(solution.game)
    for move in moves:
        match.play(move)
    match.opening = len(moves)
    return match
