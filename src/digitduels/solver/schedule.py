"""The order in which a table is filled: waves of tasks that need only what earlier waves have filled."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from digitduels.solver.compiled import Compiled
from digitduels.solver.layout import Words

BLOCK = 1 << 19  # bytes of a table that one task fills: they fit into a core's own cache


def waves(compiled: Compiled, item: float, block: int = BLOCK) -> Iterator[Words]:
    """The waves of tasks in order. The tasks of a wave need only what earlier waves have filled.

    A task is (first table, last + 1, first hand of the mover, last + 1, first hand of the player who waits, last + 1).
    """
    count = len(compiled.hands)
    if compiled.takes.any(axis=1).all():
        # Every move takes from the pool, so a table needs only tables before it. Blocks of the low digits are filled
        # in a row; blocks with equally many numbers in the high digits do not need each other.
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
        # Some moves leave the table alone; they lower the sum of the two hands' ranks.
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


def _levels(places: npt.NDArray[np.int64], base: int, digits: int) -> Iterator[npt.NDArray[np.int64]]:
    """Indices of pools by how many numbers they hold, fewest first."""
    held = np.zeros(len(places), np.int64)
    for digit in range(digits):
        held += places // base**digit % base
    for level in range(int(held.max()) + 1):
        yield places[held == level]
