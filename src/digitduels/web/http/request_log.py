"""The record of every request: metrics, and a line in the log. Neither contains input of the client."""

from __future__ import annotations

import logging
import time

from digitduels.web.buckets import Buckets
from digitduels.web.http.metrics import Metrics
from digitduels.web.logs import event

METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
LOG_LINES = {False: (50.0, 1000), True: (2.0, 100)}  # rate per second and burst, for successes and for errors


class RequestLog:
    """Counts requests in the metrics, and logs them unless there are too many."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._lines = {failed: Buckets(*limits) for failed, limits in LOG_LINES.items()}
        self._unlogged = 0

    def record(self, id: str, method: str, route: str, status: int | None, began: float, client: str) -> None:
        """Records a request that has been answered."""
        now = time.perf_counter()
        method = method if method in METHODS else "other"
        self._metrics.request(method, route, status, now - began)
        if self._lines[(status or 500) >= 400].take("", now):
            self._unlogged += 1
            return
        if self._unlogged:
            event("requests_unlogged", logging.WARNING, count=self._unlogged)
            self._unlogged = 0
        milliseconds = round(1000 * (now - began), 1)
        event("request", id=id, method=method, route=route, status=status, ms=milliseconds, client=client)
