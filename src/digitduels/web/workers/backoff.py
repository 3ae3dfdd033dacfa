"""Exponential back-off: after failures, a key pauses for a while, and each time twice as long."""

from __future__ import annotations

from collections import OrderedDict

FIRST_PAUSE, LONGEST_PAUSE = 2.0, 600.0  # seconds
MOST_PAUSED = 10_000  # keys in memory


class Backoff:
    """Which keys have failed, how often, and until when they pause. A key without failures for long starts again."""

    def __init__(self) -> None:
        self._failed: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def pauses(self, key: str, now: float) -> bool:
        """Whether a key has to wait."""
        return now < self._failed.get(key, (0, now))[1]

    def fail(self, key: str, now: float) -> None:
        """Counts a failure."""
        count, until = self._failed.pop(key, (0, now))
        if now > until + LONGEST_PAUSE:
            count = 0
        self._failed[key] = count + 1, now + min(LONGEST_PAUSE, FIRST_PAUSE * 2**count)
        if len(self._failed) > MOST_PAUSED:
            self._failed.popitem(last=False)
