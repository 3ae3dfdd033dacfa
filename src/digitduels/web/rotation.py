"""A queue in which several keys take turns."""

from __future__ import annotations

from collections import OrderedDict, deque
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")


class Rotation(Generic[T]):
    """A queue in which the keys take turns, so many items of one key delay the items of another by one turn.

    >>> queue = Rotation[int]()
    >>> for key, item in [("a", 1), ("a", 2), ("a", 3), ("b", 4)]:
    ...     queue.add(key, item)
    >>> [queue.take() for _ in range(4)]
    [1, 4, 2, 3]
    """

    def __init__(self) -> None:
        self._items: OrderedDict[str, deque[T]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, key: str, item: T) -> None:
        """Adds an item behind the other items of its key."""
        self._items.setdefault(key, deque()).append(item)

    def take(self) -> T:
        """Removes and returns the oldest item of the key whose turn it is."""
        key, items = self._items.popitem(last=False)
        item = items.popleft()
        if items:
            self._items[key] = items  # behind the other keys
        return item

    def discard(self, key: str, item: T) -> None:
        """Removes an item if it is still in the queue."""
        with suppress(KeyError, ValueError):
            self._items[key].remove(item)
            if not self._items[key]:
                del self._items[key]
