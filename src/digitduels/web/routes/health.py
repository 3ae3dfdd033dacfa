"""The routes for the server's owner: health, readiness and metrics. Also the description of the API."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import time
from functools import lru_cache
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from digitduels.web.metrics import Metrics
from digitduels.web.refusal import Refusal
from digitduels.web.settings import Settings, split_list
from digitduels.web.streams.store import Store, StoreError
from digitduels.web.workers.supervisor import Supervisor

router = APIRouter(tags=["for the owner of the server"])
PROBE_SECONDS = 1.0  # between two writes that show whether the database is writable
_REFUSED: dict[int | str, dict[str, Any]] = {404: {"description": "Not for this address: see the setting `monitors`."}}


@router.get("/healthz", summary="Whether the server is alive")
async def alive() -> dict[str, bool]:
    return {"alive": True}


@router.get(
    "/readyz",
    summary="Whether the server is ready for every request",
    responses={
        **_REFUSED,
        503: {"description": "Tables are being computed, the database is not writable, or the server is stopping."},
    },
)
async def ready(request: Request) -> Response:
    check_monitor(request)
    state = request.app.state
    workers: Supervisor = state.workers
    parts = {
        "tables": workers.warm,
        "database": await state.probe.is_writable(),
        "running": not state.stopping.is_set(),
    }
    return JSONResponse({"ready": all(parts.values()), **parts}, 200 if all(parts.values()) else 503)


class Probe:
    """Writes to the database to see whether that works, at most once a second for all requests together."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = asyncio.Lock()
        self._last = -PROBE_SECONDS, False

    async def is_writable(self) -> bool:
        """Whether the database completes a write within two seconds."""
        async with self._lock:
            at, writable = self._last
            if time.monotonic() - at >= PROBE_SECONDS:
                writable = await self._write()
                self._last = time.monotonic(), writable
            return writable

    async def _write(self) -> bool:
        try:
            async with asyncio.timeout(2):
                await self._store.check()
        except (StoreError, TimeoutError):
            return False
        return True


def check_monitor(request: Request) -> None:
    """Raises Refusal unless a request comes from an address that may watch the server."""
    settings: Settings = request.app.state.settings
    if request.client is not None and not may_watch(request.client.host, settings.monitors):
        raise Refusal(404, "Not Found.")


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


@router.get(
    "/metrics", summary="Metrics, in Prometheus's text format", response_class=PlainTextResponse, responses=_REFUSED
)
async def metrics_text(request: Request) -> Response:
    check_monitor(request)
    metrics: Metrics = request.app.state.metrics
    return PlainTextResponse(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/openapi.json", include_in_schema=False)
async def description(request: Request) -> Response:
    return Response((await descriptions(request.app))[0], media_type="application/json")


@router.get("/api", include_in_schema=False)
async def api_page(request: Request) -> Response:
    return HTMLResponse((await descriptions(request.app))[1])


async def descriptions(app: FastAPI) -> tuple[bytes, bytes]:
    """The description of the API for programs, and as a page. They are built once, outside the event loop."""
    if not hasattr(app.state, "descriptions"):
        document = await asyncio.to_thread(app.openapi)
        app.state.descriptions = json.dumps(document).encode(), _page(document).encode()
    built: tuple[bytes, bytes] = app.state.descriptions
    return built


def _page(document: dict[str, Any]) -> str:
    """A page that lists the routes, without scripts or external files."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>API of Digit Duels</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1"></head><body><main>',
        '<h1>API of Digit Duels</h1><p>For programs: <a href="/openapi.json">openapi.json</a>.</p>',
    ]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            parts.append(f"<h2>{method.upper()} {escape(path)}</h2><p>{escape(operation.get('summary', ''))}.</p>")
            rows = "".join(
                f"<dt><code>{escape(parameter['name'])}</code></dt><dd>{escape(parameter.get('description', ''))}</dd>"
                for parameter in operation.get("parameters", [])
            )
            parts.append(f"<dl>{rows}</dl>" if rows else "")
    return "\n".join([*parts, "</main></body></html>"])
