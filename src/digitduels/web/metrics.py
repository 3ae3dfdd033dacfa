"""What a server counts, in the text format that Prometheus reads."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable

from digitduels import __version__

BOUNDS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0)  # seconds
Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters, times, and gauges that are looked at when somebody asks. Labels must have few different values."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[Labels, float]] = defaultdict(lambda: defaultdict(float))
        self._times: dict[str, dict[Labels, list[float]]] = defaultdict(dict)
        self._gauges: dict[str, Callable[[], float]] = {}
        self._counters: dict[str, Callable[[], float]] = {}

    def request(self, method: str, route: str, status: int | None, seconds: float) -> None:
        """Notes an answer, and how long it took."""
        self._counts["requests_total"][("method", method), ("route", route), ("status", str(status or "none"))] += 1
        self.time("request_seconds", seconds, route=route)

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Adds to a counter; its name ends in _total."""
        self._counts[name][tuple(labels.items())] += amount

    def time(self, name: str, seconds: float, **labels: str) -> None:
        """Notes how long something took; the name ends in _seconds."""
        row = self._times[name].setdefault(tuple(labels.items()), [0.0] * (len(BOUNDS) + 2))
        for place in range(bisect_left(BOUNDS, seconds), len(BOUNDS)):
            row[place] += 1
        row[-2] += 1
        row[-1] += seconds

    def gauge(self, name: str, read: Callable[[], float]) -> None:
        """A number that goes up and down."""
        self._gauges[name] = read

    def counter(self, name: str, read: Callable[[], float]) -> None:
        """A number that only grows, counted elsewhere; its name ends in _total."""
        self._counters[name] = read

    def text(self) -> str:
        """Everything, as it is now."""
        lines = []
        for name, rows in sorted(self._counts.items()):
            lines.append(f"# TYPE digitduels_{name} counter")
            lines += [f"digitduels_{name}{_written(labels)} {amount:g}" for labels, amount in sorted(rows.items())]
        for name, times in sorted(self._times.items()):
            lines.append(f"# TYPE digitduels_{name} histogram")
            for labels, (*steps, count, total) in sorted(times.items()):
                for step, below in zip((*map(str, BOUNDS), "+Inf"), (*steps, count), strict=True):
                    lines.append(f"digitduels_{name}_bucket{_written((*labels, ('le', step)))} {below:g}")
                lines.append(f"digitduels_{name}_sum{_written(labels)} {total:.6f}")
                lines.append(f"digitduels_{name}_count{_written(labels)} {count:g}")
        for kind, readings in (("counter", self._counters), ("gauge", self._gauges)):
            for name, read in sorted(readings.items()):
                lines += [f"# TYPE digitduels_{name} {kind}", f"digitduels_{name} {read():g}"]
        lines += ["# TYPE digitduels_build_info gauge", f'digitduels_build_info{{version="{__version__}"}} 1']
        return "\n".join(lines) + "\n"


def _written(labels: Labels) -> str:
    """Labels in braces. They are made by us, so that nothing in them needs to be escaped."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
