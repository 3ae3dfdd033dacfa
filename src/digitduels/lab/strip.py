"""A strip: who wins for each value of one option."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress

from digitduels.core import TooLarge
from digitduels.games import AnyGame, game
from digitduels.options import Option
from digitduels.solver import solve
from digitduels.solver.search import Search

DRAW = 0

_QUICK = 40_000_000  # bytes of a table that takes no longer than a search
_PLIES, _POSITIONS = 5, 20_000  # the limits of the search


def winners(
    rules: AnyGame, option: Option, values: Iterable[int], *, limit: int, seconds: float
) -> Iterator[tuple[int, int | None]]:
    """Yields each value of an option with the winner: 1, 2 or DRAW; None for rules that are invalid or too large.

    A table may take `limit` bytes. After `seconds`, the remaining winners are None too.
    """
    end = time.monotonic() + seconds
    for value in values:
        winner: int | None = None
        if time.monotonic() < end:
            with suppress(ValueError, MemoryError):
                winner = _winner(game(rules.id, **{**rules.values, option.name: value}), limit)
        yield value, winner


def winner_for(value: int) -> int:
    """Who wins if this is the value of the first position."""
    return {1: 1, 0: DRAW, -1: 2}[value]


def _winner(rules: AnyGame, limit: int) -> int:
    try:
        return winner_for(solve(rules, cache=False, limit=min(limit, _QUICK)).start.value)
    except TooLarge:
        # Many large games are decided within a few moves.
        near = Search(rules, _POSITIONS).within(rules.start(), _PLIES).values()
        if any(verdict is not None and verdict.value > 0 for verdict in near):
            return 1
        if limit <= _QUICK:
            raise
    return winner_for(solve(rules, cache=False, limit=limit).start.value)
