"""The order in which the solver fills a table: waves of tasks that depend only on earlier waves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from digitduels.solver.compiled import Compiled
from digitduels.solver.layout import Words

BLOCK = 1 << 19  # bytes that one task fills: they fit into the L2 cache of a core


def waves(compiled: Compiled, item: float, block: int = BLOCK) -> Iterator[Words]:
    """Yields the waves of tasks in order. Tasks of the same wave are independent of each other.

    A task is (first table, last + 1, first hand of the mover, last + 1, first hand of the waiting player, last + 1).
    `item` is the size of an entry in bytes.
    """
    count = len(compiled.hands)
    if compiled.takes.any(axis=1).all():
        # Every move takes from the pool, so a table depends only on tables with lower indices. A task fills the tables
        # that differ in the low digits. Tasks with the same total of the high digits are independent.
        low = 0
        while low < compiled.digits and compiled.base ** (low + 1) * count**2 * item <= block:
            low += 1
        size = compiled.base**low
        blocks = np.arange(compiled.tables // size)
        for level in _levels(blocks, compiled.base, compiled.digits - low):
            tasks = np.zeros((len(level), 6), np.uint64)
            tasks[:, 0], tasks[:, 1] = level * size, (level + 1) * size
            tasks[:, 3] = tasks[:, 5] = count
            yield tasks
    else:
        # Some moves leave the table unchanged. They lower the sum of the ranks of the two hands.
        highest = int(compiled.rank[-1])
        edges = np.searchsorted(compiled.rank, np.arange(highest + 2)).tolist()
        for level in _levels(np.arange(compiled.tables), compiled.base, compiled.digits):
            for total in range(2 * highest + 1):
                tasks_ = [
                    (
                        table,
                        table + 1,
                        hand,
                        min(hand + 64, edges[mine + 1]),
                        edges[total - mine],
                        edges[total - mine + 1],
                    )
                    for table in level.tolist()
                    for mine in range(max(0, total - highest), min(highest, total) + 1)
                    for hand in range(edges[mine], edges[mine + 1], 64)
                ]
                yield np.array(tasks_, np.uint64).reshape(-1, 6)


def _levels(indices: npt.NDArray[np.int64], base: int, digits: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yields the indices of the pools that hold 0, 1, 2, … numbers."""
    held = numbers_held(indices, base, digits)
    for level in range(int(held.max()) + 1):
        yield indices[held == level]


def numbers_held(indices: npt.NDArray[np.int64], base: int, digits: int) -> npt.NDArray[np.int64]:
    """How many numbers the pools with these indices hold."""
    held = np.zeros(len(indices), np.int64)
    for digit in range(digits):
        held += indices // base**digit % base
    return held
