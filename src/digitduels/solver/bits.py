"""Who wins, without how soon: one bit a position, for sweeps over many variants.

The same recursion as for the codes, with a row of 64 hands in a word. A bit says that the player who waits wins. Where
there are draws, a second plane of bits says that the player who waits does not lose, and each is filled from the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.solver.compiled import DRAWN, LOST, WON, DoesNotFactor
from digitduels.solver.program import waves
from digitduels.solver.tables import Plan, share, workers

Words = npt.NDArray[np.uint64]


class Values:
    """The value of every position of a game in which each move takes from the pool."""

    def __init__(self, plan: Plan) -> None:
        self.compiled = plan.compiled
        self._bits = fill(plan)

    def value(self, table: int, mine: int, theirs: int) -> int:
        """+1, 0 or -1 for the player to move in an encoded position."""
        won, held = (int(plane[table, theirs, mine // 64]) >> mine % 64 & 1 for plane in self._bits[[0, -1]])
        return -1 if won else 0 if held else 1


def fill(plan: Plan) -> Words:
    """[plane, table, hand who waits, word of hands to move]: the bits of a game."""
    from digitduels.solver import kernels

    compiled = plan.compiled
    if not compiled.takes.any(axis=1).all() or not np.isin(compiled.stuck, (0, LOST)).all():
        raise DoesNotFactor("some moves take nothing from the pool")
    count = len(compiled.hands)
    wide = -(-count // 64)
    draws = plan.scale.low != plan.scale.high
    bits = np.empty((2 if draws else 1, compiled.tables, count, wide), np.uint64)
    for table, marks in plan.boards.items():
        bits[0, table] = _packed(marks == WON, wide)
        bits[-1, table] = _packed(marks != LOST, wide)
    # A player who waits wins if no move saves the mover, and does not lose if none wins for the mover.
    ends = [_ends(plan, (WON, DRAWN)), _ends(plan, (WON,))][: len(bits)]
    run_start, runs = _runs(plan)
    with workers() as pool:
        for tasks in waves(compiled, wide * 8 / count):
            share(pool, tasks, lambda part: kernels.fill_bits(bits, part, plan.program, run_start, runs, tuple(ends)))
    return bits


def _packed(rows: npt.NDArray[np.bool_], wide: int) -> Words:
    padded = np.zeros((len(rows), wide * 64), np.bool_)
    padded[:, : rows.shape[1]] = rows
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _ends(plan: Plan, good: tuple[int, ...]) -> tuple[Words, Words]:
    """The hands with which a take can end the game well at once: where each take's begin, and the hands."""
    takes, hands = np.nonzero(np.isin(plan.marks, good))
    return np.searchsorted(takes, np.arange(len(plan.marks) + 1)).astype(np.uint64), hands.astype(np.uint64)


def _runs(plan: Plan) -> tuple[Words, Words]:
    """What each take does to the mover's hand, as runs: hands side by side whose targets go in equal steps.

    Returns the first run of each take, and the runs as (first hand, its target, how many, the step).
    """
    program = plan.program
    count = int(program.hands)
    starts, runs = [0], [np.empty((0, 4), np.int64)]
    for take in range(len(program.delta)):
        part = slice(int(program.op_start[take * count]), int(program.op_start[(take + 1) * count]))
        origin, target = program.op_from[part].astype(np.int64), program.op_to[part].astype(np.int64)
        found = 0
        # Steps of 1 and 0 are the most and the cheapest; what is left over at the end goes in runs of one.
        steps = np.unique(np.diff(target)[np.diff(origin) == 1]).tolist()
        for step, least in ((1, 4), (0, 4), *((step, 4) for step in steps if step > 1), (1, 1)):
            if len(origin):
                some, rest = _split(origin, target, step, least)
                origin, target, found = origin[rest], target[rest], found + len(some)
                runs.append(some)
        starts.append(starts[-1] + found)
    return np.array(starts, np.uint64), np.concatenate(runs).astype(np.uint64)


def _split(origin: Any, target: Any, step: int, least: int) -> tuple[Any, Any]:
    """Runs of at least so many pairs in which `target` grows by `step` with `origin`, and which pairs are in none."""
    order = np.lexsort((origin, target - step * origin))
    line, place = (target - step * origin)[order], origin[order]
    first = np.flatnonzero((np.diff(line, prepend=line[0] - 1) != 0) | (np.diff(place, prepend=-9) != 1))
    length = np.diff(np.append(first, len(order)))
    long = length >= least
    heads = order[first[long]]
    runs = np.stack([origin[heads], target[heads], length[long], np.full(len(heads), step)], axis=1)
    return runs, order[np.repeat(~long, length)]
