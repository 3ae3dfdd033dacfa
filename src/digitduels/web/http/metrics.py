"""The server's metrics, in Prometheus's text format and named by its conventions."""

from __future__ import annotations

import platform
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from digitduels import __version__

BOUNDS = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0)  # seconds
REASONS = {403: "forbidden", 408: "slow", 413: "large", 421: "host", 429: "rate", 503: "busy"}
Labels = tuple[tuple[str, str], ...]
Read = Callable[[], float]


class Histogram:
    """A histogram of durations."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self._sum += seconds

    def rows(self, name: str, labels: Labels) -> Iterator[str]:
        total = 0
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), self._counts, strict=True):
            total += count
            yield f"{name}_bucket{_label_text((*labels, ('le', bound)))} {total}"
        yield f"{name}_sum{_label_text(labels)} {self._sum:.6f}"
        yield f"{name}_count{_label_text(labels)} {total}"


class Metrics:
    """The counters, histograms and gauges of a server. Labels must have few different values."""

    def __init__(self) -> None:
        self.database = Histogram()
        self._requests: Counter[tuple[str, str, int | None]] = Counter()
        self._times: defaultdict[str, Histogram] = defaultdict(Histogram)
        self._read: dict[str, tuple[str, str, list[tuple[Labels, Read]]]] = {}
        versions = {"version": __version__, "python": platform.python_version()}
        self.gauge("build_info", "The version of the program.", lambda: 1, **versions)

    def request(self, method: str, route: str, status: int | None, seconds: float) -> None:
        """Counts a request and its duration."""
        self._requests[method, route, status] += 1
        self._times[route].observe(seconds)

    def gauge(self, name: str, about: str, read: Read, **labels: str) -> None:
        """Adds a gauge, which `read` returns."""
        self._add(name, "gauge", about, read, labels)

    def counter(self, name: str, about: str, read: Read, **labels: str) -> None:
        """Adds a counter, which `read` returns. Its name ends in _total."""
        self._add(name, "counter", about, read, labels)

    def _add(self, name: str, kind: str, about: str, read: Read, labels: dict[str, str]) -> None:
        self._read.setdefault(name, (kind, about, []))[2].append((tuple(labels.items()), read))

    def text(self) -> str:
        """Returns the current values of all metrics in the text format."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("http_requests_total", "counter", "Answered requests.")
        for (method, route, status), count in self._requests.items():
            row = _label_text((("method", method), ("route", route), ("status", str(status or "none"))))
            yield f"digitduels_http_requests_total{row} {count}"
        yield from _head("http_request_duration_seconds", "histogram", "Duration of requests, including live feeds.")
        for route, times in self._times.items():
            yield from times.rows("digitduels_http_request_duration_seconds", (("route", route),))
        yield from _head("refusals_total", "counter", "Requests refused to protect the server, by reason.")
        for code, reason in REASONS.items():
            count = sum(count for (*_, status), count in self._requests.items() if status == code)
            yield f'digitduels_refusals_total{{reason="{reason}"}} {count}'
        yield from _head("database_duration_seconds", "histogram", "Duration of database requests, including the wait.")
        yield from self.database.rows("digitduels_database_duration_seconds", ())
        for name, (kind, about, rows) in self._read.items():
            yield from _head(name, kind, about)
            for labels, read in rows:
                yield f"digitduels_{name}{_label_text(labels)} {read():g}"


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP digitduels_{name} {about}"
    yield f"# TYPE digitduels_{name} {kind}"


def _label_text(labels: Labels) -> str:
    """Returns labels in braces. We choose their values, so nothing needs escaping."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
