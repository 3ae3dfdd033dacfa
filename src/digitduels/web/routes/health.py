"""The routes for the server's owner: health, readiness and metrics. Also the HTML description of the API."""

from __future__ import annotations

import asyncio
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from digitduels.web.metrics import Metrics
from digitduels.web.store import Store, StoreError
from digitduels.web.workers.supervisor import Supervisor

router = APIRouter(tags=["for the owner of the server"])


@router.get("/healthz", summary="Whether the server is alive")
async def alive() -> dict[str, bool]:
    return {"alive": True}


@router.get(
    "/readyz",
    summary="Whether the server is ready for every request",
    responses={
        503: {"description": "Tables are being computed, the database is not writable, or the server is stopping."}
    },
)
async def ready(request: Request) -> Response:
    state = request.app.state
    workers: Supervisor = state.workers
    parts = {
        "tables": workers.warm,
        "database": await is_writable(state.rooms.store),
        "running": not state.stopping.is_set(),
    }
    return JSONResponse({"ready": all(parts.values()), **parts}, 200 if all(parts.values()) else 503)


async def is_writable(store: Store) -> bool:
    """Whether the database completes a write within two seconds."""
    try:
        async with asyncio.timeout(2):
            await store.check()
    except (StoreError, TimeoutError):
        return False
    return True


@router.get("/metrics", summary="Metrics, in Prometheus's text format", response_class=PlainTextResponse)
async def metrics_text(request: Request) -> Response:
    metrics: Metrics = request.app.state.metrics
    return PlainTextResponse(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/api", include_in_schema=False)
async def api_page(request: Request) -> Response:
    """Returns a page that lists the routes, without scripts or external files."""
    description: dict[str, Any] = request.app.openapi()
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>API of Digit Duels</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1"></head><body><main>',
        '<h1>API of Digit Duels</h1><p>For programs: <a href="/openapi.json">openapi.json</a>.</p>',
    ]
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            parts.append(f"<h2>{method.upper()} {escape(path)}</h2><p>{escape(operation.get('summary', ''))}.</p>")
            rows = "".join(
                f"<dt><code>{escape(parameter['name'])}</code></dt><dd>{escape(parameter.get('description', ''))}</dd>"
                for parameter in operation.get("parameters", [])
            )
            parts.append(f"<dl>{rows}</dl>" if rows else "")
    return HTMLResponse("\n".join([*parts, "</main></body></html>"]))
