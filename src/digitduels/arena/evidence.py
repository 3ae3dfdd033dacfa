"""Which games count as one observation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Key = Callable[[Item], Hashable]


def observations(items: Iterable[Item], start: Key[Item], bout: Key[Item], course: Key[Item]) -> list[list[Item]]:
    """Groups games, or answers, that count as one observation: those that begin in the same position.

    If all begin in the same position, bouts that took the same course are one observation: they show nothing new.

    >>> observations(["a1", "a2", "b1"], lambda item: item[0], lambda item: item, lambda item: item)
    [['a1', 'a2'], ['b1']]
    >>> observations("aab", lambda item: 0, lambda item: item, lambda item: item)
    [['a', 'a'], ['b']]
    """
    every = list(items)
    starts = _groups(every, start)
    if len(starts) > 1:
        return starts
    merged: dict[Hashable, list[Item]] = defaultdict(list)
    for group in _groups(every, bout):
        merged[frozenset(map(course, group))] += group
    return list(merged.values())


def _groups(items: Iterable[Item], key: Key[Item]) -> list[list[Item]]:
    groups: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return list(groups.values())
