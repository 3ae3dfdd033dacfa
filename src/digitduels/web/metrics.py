"""What a server counts, in the text format that Prometheus reads, and by its conventions for names."""

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
    """How long something took, how often."""

    def __init__(self) -> None:
        self._below = [0] * (len(BOUNDS) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        self._below[bisect_left(BOUNDS, seconds)] += 1
        self._sum += seconds

    def rows(self, name: str, labels: Labels) -> Iterator[str]:
        count = 0
        for bound, more in zip((*map(str, BOUNDS), "+Inf"), self._below, strict=True):
            count += more
            yield f"{name}_bucket{_written((*labels, ('le', bound)))} {count}"
        yield f"{name}_sum{_written(labels)} {self._sum:.6f}"
        yield f"{name}_count{_written(labels)} {count}"


class Metrics:
    """Counts, times, and numbers that are looked up when somebody asks. Labels must have few different values."""

    def __init__(self) -> None:
        self.database = Histogram()
        self._requests: Counter[tuple[str, str, int | None]] = Counter()
        self._times: defaultdict[str, Histogram] = defaultdict(Histogram)
        self._read: dict[str, tuple[str, str, list[tuple[Labels, Read]]]] = {}
        built = {"version": __version__, "python": platform.python_version()}
        self.gauge("build_info", "The version of the program.", lambda: 1, **built)

    def request(self, method: str, route: str, status: int | None, seconds: float) -> None:
        """Notes an answer, and how long it took."""
        self._requests[method, route, status] += 1
        self._times[route].observe(seconds)

    def gauge(self, name: str, about: str, read: Read, **labels: str) -> None:
        """A number that goes up and down."""
        self._add(name, "gauge", about, read, labels)

    def counter(self, name: str, about: str, read: Read, **labels: str) -> None:
        """A number that only grows; its name ends in _total."""
        self._add(name, "counter", about, read, labels)

    def _add(self, name: str, kind: str, about: str, read: Read, labels: dict[str, str]) -> None:
        self._read.setdefault(name, (kind, about, []))[2].append((tuple(labels.items()), read))

    def text(self) -> str:
        """Everything, as it is now."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("http_requests_total", "counter", "Requests that were answered.")
        for (method, route, status), count in self._requests.items():
            labels = _written((("method", method), ("route", route), ("status", str(status or "none"))))
            yield f"digitduels_http_requests_total{labels} {count}"
        yield from _head("http_request_duration_seconds", "histogram", "How long requests took; a live feed lasts.")
        for route, times in self._times.items():
            yield from times.rows("digitduels_http_request_duration_seconds", (("route", route),))
        yield from _head("refusals_total", "counter", "Requests that were refused to protect the server, by reason.")
        for refused, reason in REASONS.items():
            count = sum(count for (*_, status), count in self._requests.items() if status == refused)
            yield f'digitduels_refusals_total{{reason="{reason}"}} {count}'
        yield from _head("database_duration_seconds", "histogram", "How long the database took, with waiting for it.")
        yield from self.database.rows("digitduels_database_duration_seconds", ())
        for name, (kind, about, rows) in self._read.items():
            yield from _head(name, kind, about)
            for given, read in rows:
                yield f"digitduels_{name}{_written(given)} {read():g}"


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP digitduels_{name} {about}"
    yield f"# TYPE digitduels_{name} {kind}"


def _written(labels: Labels) -> str:
    """Labels in braces. They are made by us, so that nothing in them needs to be escaped."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
