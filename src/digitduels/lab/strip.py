"""A strip: who wins for each value of one option. Computed on bits, which is much faster than with distances."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

from digitduels.core import TooLarge
from digitduels.games import AnyGame, game
from digitduels.options import Integer, Option
from digitduels.solver import solve
from digitduels.solver.compiled import DoesNotFactor
from digitduels.solver.discovery import compile_game
from digitduels.solver.tables import prepare

DRAW = 0


def stepped(rules: AnyGame) -> Option | None:
    """The option that a strip varies: the first integer option, which is the target in our games."""
    return next((option for option in rules.options() if isinstance(option.kind, Integer)), None)


def winners(
    rules: AnyGame, option: Option, values: Iterable[int], *, limit: int, seconds: float
) -> Iterator[tuple[int, int | None]]:
    """Yields each value of an option with the winner: 1, 2 or DRAW; None for rules that are too large or invalid.

    After `seconds`, the remaining winners are None too.
    """
    end = time.monotonic() + seconds
    for value in values:
        winner: int | None = None
        if time.monotonic() < end:
            try:
                winner = _winner(game(rules.id, **{**rules.values, option.name: value}), limit)
            except (TooLarge, ValueError, MemoryError):
                winner = None
        yield value, winner


def _winner(rules: AnyGame, limit: int) -> int:
    from digitduels.solver import bits

    def fits(positions: int) -> None:
        if positions > limit:
            raise TooLarge(f"{rules.title} with these options has more than {limit:,} positions.")

    try:
        compiled = compile_game(rules, fits)
        start: Any = rules.start()
        index = start.table.ordinal if compiled.digits else 0
        hands = compiled.indices[start.mine], compiled.indices[start.theirs]
        value = bits.Values(prepare(compiled)).value(index, *hands)
    except DoesNotFactor:
        value = solve(rules, cache=False, limit=limit).start.value
    return {1: 1, 0: DRAW, -1: 2}[value]
