"""Sample positions that arise in play, all different, spread evenly over their distance to the end."""

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

_IDLE = 300  # games without a new position before the search stops
_CHOICE = 4  # candidates for each position wanted, so that rare kinds get their share …
_MORE = 50_000  # … but at most this many more


def any_position(judgement: Judgement[Any]) -> Hashable:
    """Sorts every position by its value and distance, and by whether it is critical."""
    return (*judgement.best, bool(judgement.throwing))


def only_move(judgement: Judgement[Any]) -> Hashable:
    """Sorts positions with an only move by distance. Moves that lead to the same position count once."""
    return judgement.best if judgement.only else None


def positions(
    solution: Solution,
    count: int,
    seed: object = 0,
    sort: Sort = any_position,
    distances: Collection[int] | None = None,
    progress: Progress | None = None,
) -> Iterator[Match]:
    """Different positions, as matches that lead to them; fewer than `count` if there are no more.

    They come from games played half well and half at random, at the given distances from the end or at any. The same
    seed always gives the same positions.
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
    """Takes one of each kind in turn until there are enough."""
    for found in kinds.values():
        dice.shuffle(found)
    waiting = list(kinds.values())
    chosen: list[list[Any]] = []
    while waiting and len(chosen) < count:
        dice.shuffle(waiting)  # so that no kind always comes first when there are more kinds than wanted positions
        chosen += [found.pop() for found in waiting]
        waiting = [found for found in waiting if found]
    return chosen[:count]


def _reached(solution: Solution, moves: list[Any]) -> Match:
    match = Match(solution.game)
    for move in moves:
        match.play(move)
    match.opening = len(moves)
    return match
