"""Sample positions that arise in play, all different, spread evenly over their distance to the end."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.match import Match
from digitduels.solver import Progress
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Judgement
from digitduels.study.splits import split

_IDLE, _IDLE_OF_PART = 300, 1000  # games without a new position before the search stops
_CHOICE, _CHOICE_OF_PART = 4, 2  # candidates per position of the sample, so that rare kinds get their share …
_MORE = 50_000  # … but at most this many more than the sample
_CACHED = 20_000  # positions whose moves are cached, because most games repeat those near the start


class Sort(NamedTuple):
    """A way to sort positions into kinds. Every kind gets its share of the sample."""

    seed: str
    """Part of the seed of every sample. To change it changes tasks, datasets and private suites."""
    kind: Callable[[Judgement[Any], State[Any, Any]], Hashable]
    """The kind of a position with this judgement, or None to leave it out."""


any_position = Sort("any_position", lambda judgement, _: (*judgement.best_verdict, bool(judgement.throwing)))
"""Every position, by its value and distance, and by whether it is critical."""
only_move = Sort("only_move", lambda judgement, _: judgement.best_verdict if judgement.only else None)
"""Positions with an only move, by distance. Moves that lead to the same position count once."""


def positions(
    solution: Solution,
    count: int,
    seed: object = 0,
    sort: Sort = any_position,
    distances: Collection[int] | None = None,
    progress: Progress | None = None,
    part: str | None = None,
) -> Iterator[Match]:
    """Different positions, as matches that lead to them; fewer than `count` if the search finds no more.

    They come from games in which half the moves are good and half are random. `distances` limits them to these
    distances from the end, and `part` to one of the SPLITS. The same seed always gives the same positions.
    """
    game = solution.game
    rng = random.Random(f"positions {game.id} {game.values} {sort.seed} {seed}")
    legal_moves, after = lru_cache(_CACHED)(game.legal_moves), lru_cache(_CACHED)(game.after)
    keeping = lru_cache(_CACHED)(lambda state: solution.judge(state).keeping)
    kinds: dict[Hashable, list[list[Any]]] = defaultdict(list)
    seen: set[State[Any, Any]] = set()
    idle = total = 0
    candidates = min((_CHOICE if part is None else _CHOICE_OF_PART) * count, count + _MORE)
    while total < candidates and idle < (_IDLE if part is None else _IDLE_OF_PART):
        if progress is not None:
            progress("looking for positions", total / candidates)
        state, moves = game.start(), list[Any]()
        idle += 1
        while legal := legal_moves(state):
            if state not in seen:
                seen.add(state)
                if part is None or split(game, state) == part:
                    judgement = solution.judge(state)
                    kind = (
                        sort.kind(judgement, state)
                        if distances is None or judgement.best_verdict.distance in distances
                        else None
                    )
                    if kind is not None:
                        kinds[kind].append(moves.copy())
                        total += 1
                        idle = 0
            moves.append(rng.choice(keeping(state) if rng.random() < 0.5 else legal))
            state = after(state, moves[-1])
    for moves in _spread(kinds, count, rng):
        yield Match(game, opening=moves)


def _spread(kinds: dict[Hashable, list[list[Any]]], count: int, rng: random.Random) -> list[list[Any]]:
    """Takes one position of each kind in turn until there are enough."""
    for games in kinds.values():
        rng.shuffle(games)
    waiting = list(kinds.values())
    chosen: list[list[Any]] = []
    while waiting and len(chosen) < count:
        rng.shuffle(waiting)  # with more kinds than places, every kind gets a chance
        chosen += [games.pop() for games in waiting]
        waiting = [games for games in waiting if games]
    return chosen[:count]
