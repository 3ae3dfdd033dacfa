"""The memory layout of a compiled game for the kernels: moves grouped by what they take, without duplicate results."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.solver.compiled import DRAWN, LOST, WON, Compiled

Words = npt.NDArray[np.uint64]


class Layout(NamedTuple):
    """The arrays that the kernels read. A *take* is a distinct set of numbers that moves take from the pool."""

    hands: np.uint64
    base: np.uint64
    weights: Words
    need_start: Words  # [take]: its first entry in need_digit and need_count
    need_digit: Words
    need_count: Words
    delta: Words  # [take]: by how much it lowers the index of the pool
    op_start: Words  # [take * hands + mover's hand]: its first entry in op_from and op_to
    op_from: Words  # the mover's hand before
    op_to: Words  # the mover's hand after
    via_start: Words  # the same for moves that also change the other player's hand
    via_from: Words
    via_to: Words
    via_map: Words  # the row of `maps` that says how
    maps: npt.NDArray[np.uint32]  # [map, hand]; small enough for the CPU cache
    alike: npt.NDArray[np.uint32]  # [map, hand]: the next hand that the map sends to a different hand


def lay_out(compiled: Compiled) -> tuple[Layout, npt.NDArray[np.int32]]:
    """The layout of a game, and [take, hand]: the best ending that a move can reach at once, or 0."""
    count = len(compiled.hands)
    takes, group = map(np.array, compiled.distinct_takes)
    maps, which = map(np.array, compiled.distinct_others)

    move, hand = np.nonzero(compiled.own >= 0)
    keys = ((group[move] * count + hand) * count + compiled.own[move, hand]) * len(maps) + which[move]
    keys.sort()  # several times as fast as np.unique
    rest, mapping = np.divmod(keys[np.diff(keys, prepend=-1) > 0], len(maps))
    first, to = np.divmod(rest, count)
    plain = mapping == 0  # the map that changes nothing
    starts = np.arange(len(takes) * count + 1)

    endings = np.zeros((len(takes), count), np.int32)
    for mark in (LOST, DRAWN, WON):
        at, ended = np.nonzero(compiled.own == mark)
        endings[group[at], ended] = mark

    def words(values: Any) -> Words:
        return np.ascontiguousarray(values, np.uint64)

    return (
        Layout(
            hands=np.uint64(count),
            base=np.uint64(compiled.base),
            weights=words(compiled.weights),
            need_start=words(np.append(0, np.cumsum((takes > 0).sum(axis=1)))),
            need_digit=words(np.nonzero(takes)[1]),
            need_count=words(takes[takes > 0]),
            delta=words(takes @ compiled.weights),
            op_start=words(np.searchsorted(first[plain], starts)),
            op_from=words(first[plain] % count),
            op_to=words(to[plain]),
            via_start=words(np.searchsorted(first[~plain], starts)),
            via_from=words(first[~plain] % count),
            via_to=words(to[~plain]),
            via_map=words(mapping[~plain]),
            maps=np.ascontiguousarray(maps, np.uint32),
            alike=np.array([_next_other(row) for row in maps], np.uint32),
        ),
        endings,
    )


def _next_other(row: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """For each index in a row, the next index with a different value."""
    edges = np.append(np.flatnonzero(np.diff(row)) + 1, len(row))
    return edges[np.searchsorted(edges, np.arange(len(row)), "right")]
