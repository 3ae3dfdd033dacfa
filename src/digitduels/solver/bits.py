"""Values without distances: one bit per position, for quick checks of many variants.

The same recursion as in tables.py, with 64 hands in a word. A bit says that the waiting player wins. With draws, a
second plane of bits says that the waiting player does not lose, and each plane is computed from the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.solver.compiled import DRAWN, LOST, WON, DoesNotFactor
from digitduels.solver.layout import Words
from digitduels.solver.schedule import waves
from digitduels.solver.tables import SLACK, Plan, share, workers

_MANY = 5  # the number of hands from which on it pays off to handle 64 at once
_GROUP = 8  # single hands to handle together
_BLOCK = 1 << 16  # bytes that one task fills: fewer than with codes, or there would be too few tasks to share


class Values:
    """The value of every position of a game in which every move takes from the pool."""

    def __init__(self, plan: Plan) -> None:
        self.compiled = plan.compiled
        self._bits = fill(plan)

    def value(self, table: int, mine: int, theirs: int) -> int:
        """+1, 0 or -1 for the player to move in an encoded position."""
        won, held = (int(word) >> mine % 64 & 1 for word in self._bits[table, [0, -1], mine // 64, theirs])
        return -1 if won else 0 if held else 1


class Steps(NamedTuple):
    """What takes do to the mover's hand, for 64 hands at a time. A part is a take applied to 64 hands."""

    side_start: Words  # [part]: its first entry in side and side_to
    side: Words  # a set of hands, as bits: hand n becomes …
    side_to: Words  # … this hand + n
    same_start: Words
    same: Words  # a set of hands, as bits, which all become …
    same_to: Words  # … this hand
    lone_start: Words
    lone: Words  # single hands: 64 times the hand after the move, plus the hand before; in groups of eight
    ends: Words  # [plane, part]: the hands, as bits, with which a move can end the game well at once


def fill(plan: Plan) -> Words:
    """[table, plane, word of hands to move, waiting hand]: the bits of a game."""
    from digitduels.solver import kernels

    compiled = plan.compiled
    if not compiled.takes.any(axis=1).all() or not np.isin(compiled.stuck, (0, LOST)).all():
        raise DoesNotFactor("some moves take nothing from the pool")
    count = len(compiled.hands)
    wide = -(-count // 64)
    moves = steps(plan)
    shape = compiled.tables, len(moves.ends), wide, count
    buffer = np.empty(int(np.prod(shape)) + 2 * SLACK, np.uint64)  # kernels may read a little before and after
    flat = buffer[SLACK:-SLACK]
    bits = flat.reshape(shape)
    for table, marks in plan.boards.items():
        bits[table, 0] = _packed(marks == WON, wide)
        bits[table, -1] = _packed(marks != LOST, wide)
    with workers() as pool:
        for tasks in order(plan):
            share(pool, tasks, lambda part: kernels.fill_bits(flat, part, plan.layout, moves))
    return bits


def order(plan: Plan) -> Iterator[Words]:
    """The waves of tasks in order."""
    count = len(plan.compiled.hands)
    return waves(plan.compiled, -(-count // 64) * 8 / count, _BLOCK)


def _packed(rows: npt.NDArray[np.bool_], wide: int) -> Words:
    padded = np.zeros((len(rows), wide * 64), np.bool_)
    padded[:, : rows.shape[1]] = rows
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64).T


def steps(plan: Plan) -> Steps:
    """Computes the steps of a game."""
    layout, draws = plan.layout, plan.scale.low != plan.scale.high
    count, takes = int(layout.hands), len(layout.delta)
    parts = np.arange(-(-count // 64) * takes + 1)
    hand, target = layout.op_from.astype(np.int64), layout.op_to.astype(np.int64)
    starts: npt.NDArray[np.int64] = layout.op_start[::count].astype(np.int64)
    part = np.repeat(np.arange(takes), starts[1:] - starts[:-1]) + hand // 64 * takes
    hand %= 64
    arrays: list[Any] = []
    # First adjacent hands that become adjacent hands, then sets of hands that all become the same hand.
    for slope in (1, 0):
        keys = part * (count + 64) + target - slope * hand + 64
        lines, which, size = np.unique(keys, return_inverse=True, return_counts=True)
        many = size >= _MANY
        where, to = np.divmod(lines[many], count + 64)
        arrays += [np.searchsorted(where, parts), _words(len(lines), which, hand)[many], to - 64]
        rest = ~many[which]
        part, hand, target = part[rest], hand[rest], target[rest]
    order = np.lexsort((target, part))
    edges = np.searchsorted(part[order], parts)
    groups = -(-np.diff(edges) // _GROUP)
    # A short group repeats its first entries, because a repeated step does no harm.
    padded = [
        order[first + np.arange(_GROUP * some) % (last - first)]
        for first, last, some in zip(edges[:-1], edges[1:], groups, strict=True)
        if some
    ]
    lone = np.concatenate([order[:0], *padded])
    arrays += [np.append(0, np.cumsum(groups)), target[lone] * 64 + hand[lone]]
    # The waiting player wins if no move saves the mover, and does not lose if no move wins for the mover.
    ends = []
    for good in ((WON, DRAWN), (WON,))[: 2 if draws else 1]:
        take, hand = np.nonzero(np.isin(plan.marks, good))
        ends.append(_words(len(parts) - 1, hand // 64 * takes + take, hand % 64))
    return Steps(*[np.asarray(values).astype(np.uint64) for values in (*arrays, ends)])


def _words(count: int, which: npt.NDArray[np.int64], hand: npt.NDArray[np.int64]) -> Words:
    """`count` words, in which these bits are set."""
    words = np.zeros(count, np.uint64)
    np.bitwise_or.at(words, which, np.uint64(1) << hand.astype(np.uint64))
    return words
