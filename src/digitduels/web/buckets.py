"""Token buckets, which limit how often something happens."""

from __future__ import annotations

from collections import OrderedDict

MOST_CLIENTS = 10_000  # token buckets in memory


class Buckets:
    """Token buckets by key: `burst` requests at once, and `rate` requests per second in the long run."""

    def __init__(self, rate: float, burst: int) -> None:
        self.rate, self.burst = rate, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str, now: float, cost: float = 1) -> float:
        """Takes tokens for a request and returns 0. If too few are left, takes none and returns the seconds to wait."""
        if not self.rate:
            return 0.0
        left = self._refilled(key, now)
        cost = min(cost, self.burst)
        allowed = left >= cost
        self._set(key, now, left - cost * allowed)
        return 0.0 if allowed else (cost - left) / self.rate

    def owe(self, key: str, now: float, cost: float) -> None:
        """Takes tokens for something that has happened. If too few are left, the bucket owes them."""
        if self.rate:
            self._set(key, now, self._refilled(key, now) - cost)

    def wait(self, key: str, now: float, cost: float = 1) -> float:
        """Returns the seconds until a request would be allowed, without taking tokens."""
        return max(0.0, (cost - self._refilled(key, now)) / self.rate) if self.rate else 0.0

    def left(self, key: str) -> int:
        """Returns the number of whole tokens that were left after the last request."""
        return int(self._left.get(key, (self.burst, 0.0))[0])

    def _set(self, key: str, now: float, left: float) -> None:
        self._left.pop(key, None)
        self._left[key] = left, now
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)

    def _refilled(self, key: str, now: float) -> float:
        left, since = self._left.get(key, (float(self.burst), now))
        return min(self.burst, left + (now - since) * self.rate)
