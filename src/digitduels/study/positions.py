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
from digitduels.solver.verdict import Verdict

Judged = list[tuple[Any, Verdict]]
Sort = Callable[[Solution, State[Any, Any], Judged], Hashable]
"""Which kind of position this is, for all that are wanted; None for others. Every kind gets its share."""

_IDLE = 300  # games without a new position after which there are no more
_CHOICE = 4  # times as many positions as are wanted to choose from, so that rare kinds get their share;
_MORE = 50_000  # but only so many more


def any_position(_solution: Solution, _state: State[Any, Any], each: Judged) -> Hashable:
    """Every position, by its value and distance and by whether anything depends on the move."""
    value, distance = each[0][1]
    return value, distance, each[-1][1].value < value


def only_move(solution: Solution, state: State[Any, Any], each: Judged) -> Hashable:
    """Positions in which one move alone keeps the win or the draw, by distance; moves to one position count as one."""
    value, distance = each[0][1]
    keeping = [move for move, verdict in each if verdict.value == value]
    if value < 0 or len(keeping) == len(each):
        return None
    return (value, distance) if len({solution.game.after(state, move) for move in keeping}) == 1 else None


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
        while each := solution.each(state):
            if state not in seen and (distances is None or each[0][1].distance in distances):
                seen.add(state)
                kind = sort(solution, state, each)
                if kind is not None:
                    kinds[kind].append(moves.copy())
                    total += 1
                    idle = 0
            if dice.random() < 0.5:
                each = [pair for pair in each if pair[1].value == each[0][1].value]
            moves.append(dice.choice(each)[0])
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
