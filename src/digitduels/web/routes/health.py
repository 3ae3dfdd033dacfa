"""The routes for the server's owner: health, readiness and metrics."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import TypedDict

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from digitduels.web.encoding import encode
from digitduels.web.http.errors import JSON
from digitduels.web.http.operations import Operation, tagged
from digitduels.web.refusal import Refusal
from digitduels.web.runtime import Runtime, runtime_of
from digitduels.web.settings import split_list


class Alive(TypedDict):
    alive: bool


class Readiness(TypedDict):
    ready: bool
    tables: bool
    database: bool
    running: bool


async def alive(_: Request) -> Response:
    answer: Alive = {"alive": True}
    return Response(encode(answer), media_type=JSON)


async def ready(request: Request) -> Response:
    runtime = check_monitor(request)
    tables, running = runtime.workers.warm, not runtime.stopping.is_set()
    database = await runtime.probe.is_writable()
    ready = tables and database and running
    answer: Readiness = {"ready": ready, "tables": tables, "database": database, "running": running}
    return Response(encode(answer), 200 if ready else 503, media_type=JSON)


def check_monitor(request: Request) -> Runtime:
    """Returns the runtime. Raises Refusal unless a request comes from an address that may watch the server."""
    runtime = runtime_of(request)
    if request.client is not None and not may_watch(request.client.host, runtime.settings.monitors):
        raise Refusal(404, "Not Found.")
    return runtime


@lru_cache(1000)
def may_watch(host: str, monitors: str) -> bool:
    """Whether a host is one of the monitors. A program on the same machine that uses a Unix socket has no address.

    >>> may_watch("127.0.0.1", "127.0.0.0/8"), may_watch("::ffff:192.0.2.1", "192.0.2.1"), may_watch("::2", "::1")
    (True, True, False)
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return True
    address = getattr(address, "ipv4_mapped", None) or address
    return any(network == "*" or address in ipaddress.ip_network(network) for network in split_list(monitors))


async def metrics_text(request: Request) -> Response:
    text = check_monitor(request).metrics.text()
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


WATCHED = {200: "OK", 404: "Not for this address: see the setting `monitors`."}
READY = {**WATCHED, 503: "Tables are being computed, the database is not writable, or the server is stopping."}

ENDPOINTS = tagged(
    "for the owner of the server",
    Operation("GET", "/healthz", alive, "Whether the server is alive", Alive),
    Operation("GET", "/readyz", ready, "Whether it is ready for everything", Readiness, READY, answered=(200, 503)),
    Operation("GET", "/metrics", metrics_text, "Metrics, for Prometheus", str, WATCHED, media="text/plain"),
)
