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
from digitduels.study.splits import split

Sort = Callable[[Judgement[Any]], Hashable]
"""Which kind of position this is, for all that are wanted; None for others. Every kind gets its share."""

_IDLE, _IDLE_OF_PART = 300, 1000  # games without a new position before the search stops
_CHOICE, _CHOICE_OF_PART = 4, 2  # candidates for each position wanted, so that rare kinds get their share …
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
    part: str | None = None,
) -> Iterator[Match]:
    """Different positions, as matches that lead to them; fewer than `count` if there are no more.

    They come from games played half well and half at random, at the given distances from the end or at any, and from
    one of the SPLITS or from all. The same seed always gives the same positions.
    """
    game = solution.game
    dice = random.Random(f"positions {game.id} {game.values} {sort.__name__} {seed}")
    kinds: dict[Hashable, list[list[Any]]] = defaultdict(list)
    seen: set[State[Any, Any]] = set()
    idle = total = 0
    wanted = min((_CHOICE if part is None else _CHOICE_OF_PART) * count, count + _MORE)
    while total < wanted and idle < (_IDLE if part is None else _IDLE_OF_PART):
        if progress is not None:
            progress("looking for positions", total / wanted)
        state, moves = game.start(), list[Any]()
        idle += 1
        while legal := game.legal_moves(state):
            if state not in seen:
                seen.add(state)
                if part in (None, split(game, state)):
                    judgement = solution.judge(state)
                    kind = sort(judgement) if distances is None or judgement.best.distance in distances else None
                    if kind is not None:
                        kinds[kind].append(moves.copy())
                        total += 1
                        idle = 0
            moves.append(dice.choice(solution.judge(state).keeping if dice.random() < 0.5 else legal))
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
