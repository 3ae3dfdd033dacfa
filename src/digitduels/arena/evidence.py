"""Groups games into independent observations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Key = Callable[[Item], Hashable]


def observations(items: Iterable[Item], start: Key[Item], bout: Key[Item], course: Key[Item]) -> list[list[Item]]:
    """Groups games, or answers, that begin in the same position, because they count as one observation.

    If all begin in the same position, bouts that took the same course count as one, because repeats show nothing new.

    >>> observations(["a1", "a2", "b1"], lambda item: item[0], lambda item: item, lambda item: item)
    [['a1', 'a2'], ['b1']]
    >>> observations("aab", lambda item: 0, lambda item: item, lambda item: item)
    [['a', 'a'], ['b']]
    """
    items = list(items)
    starts = _groups(items, start)
    if len(starts) > 1:
        return starts
    merged: dict[Hashable, list[Item]] = defaultdict(list)
    for group in _groups(items, bout):
        merged[frozenset(map(course, group))] += group
    return list(merged.values())


def _groups(items: Iterable[Item], key: Key[Item]) -> list[list[Item]]:
    groups: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return list(groups.values())
