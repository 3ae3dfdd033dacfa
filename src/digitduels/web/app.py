"""The application: its routes, its pages, its error handlers and its lifespan."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from digitduels import __version__
from digitduels.text import clean
from digitduels.web.assets import Assets
from digitduels.web.classes.allowances import Allowances
from digitduels.web.classes.service import ClassService
from digitduels.web.description import describe
from digitduels.web.document import Document
from digitduels.web.guard import Guard
from digitduels.web.metrics import Metrics
from digitduels.web.rate_limits import RateLimits
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.service import RoomService
from digitduels.web.routes import classes, health, lab, rooms, stateless
from digitduels.web.settings import Settings
from digitduels.web.streams.connect import open_store
from digitduels.web.streams.fold import Conflict
from digitduels.web.streams.store import StoreError
from digitduels.web.workers.supervisor import Supervisor

PAGE = Path(__file__).parent / "page"
PAGES = (
    "/",
    "/play/{game}",
    "/explore",
    "/explore/{game}",
    "/review",
    "/review/{game}",
    "/puzzle",
    "/puzzle/{game}",
    "/learn",
    "/learn/{game}",
    "/lab",
    "/lab/{game}",
    "/teach",
    "/g/{id}",
    "/j",
    "/j/{code}",
    "/class/{code}",
    "/class/{code}/{part}",
    "/help",
    "/privacy",
)


def create(settings: Settings, stopping: asyncio.Event | None = None, workers: Supervisor | None = None) -> Guard:
    """Returns the complete application with the guard in front. Setting `stopping` ends all live feeds.

    `workers` answer the questions that need a solution. Default: as many processes as the settings say.
    """
    app = create_app(settings, stopping or asyncio.Event(), workers)
    feeds = classes.ClassFeed(rooms.RoomRoutes(app), app)
    return Guard(feeds, settings, app.state.metrics, app.state.limits)


def create_app(settings: Settings, stopping: asyncio.Event, workers: Supervisor | None = None) -> FastAPI:
    """Returns the FastAPI application: all routes except the live feeds, without the guard."""
    app = FastAPI(title="Digit Duels", version=__version__, lifespan=lifespan, openapi_url=None)
    app.state.settings, app.state.stopping, app.state.metrics = settings, stopping, Metrics()
    app.state.allowances, app.state.workers = Allowances(), workers or Supervisor(settings)
    app.state.limits = RateLimits(settings, app.state.allowances)
    app.include_router(rooms.router)  # first, because moves are the most frequent requests
    app.include_router(classes.router)
    app.include_router(stateless.router)
    app.include_router(lab.router)
    app.include_router(health.router)
    assets = Assets(PAGE)
    document = app.state.document = Document(assets, settings.lesson)
    for path in PAGES:
        app.add_route(path, document.answer, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_route("/assets/{version}/{name:path}", assets.answer, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_route("/index.html", lambda _: RedirectResponse("/", 308), include_in_schema=False)
    app.mount("/", GZipMiddleware(StaticFiles(directory=PAGE, check_dir=False)), name="page")
    app.add_exception_handler(Refusal, handle_refusal)
    app.add_exception_handler(Conflict, rooms.conflict)
    app.add_exception_handler(StoreError, rooms.unavailable)
    app.add_exception_handler(HTTPException, handle_http_error)
    app.add_exception_handler(RequestValidationError, handle_invalid_request)
    describe(app)
    return app


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Starts the workers, the store and the services, and stops them with the server."""
    settings: Settings = app.state.settings
    async with AsyncExitStack() as stack:
        workers: Supervisor = await stack.enter_async_context(app.state.workers)
        metrics: Metrics = app.state.metrics
        for name, pool in workers.pools.items():
            waiting, killed = (partial(getattr, pool, count) for count in ("waiting", "killed"))
            metrics.gauge("questions_open", "Questions to workers without an answer yet.", waiting, pool=name)
            metrics.counter("workers_killed_total", "Workers that crashed or were killed.", killed, pool=name)
        store = await asyncio.to_thread(open_store, settings.database)
        store.observe = metrics.database.observe
        app.state.probe = health.Probe(store)
        service = RoomService(store, workers, settings, app.state.stopping)
        app.state.rooms = await stack.enter_async_context(service)
        class_service = app.state.classes = ClassService(store, service, workers.ask, settings, app.state.allowances)
        class_service.start()
        metrics.gauge("streams_open", "Open live feeds.", lambda: service.hub.feeds + class_service.streams)
        metrics.gauge("classes_live", "Classes in memory.", lambda: len(class_service))
        metrics.gauge("rooms_live", "Games in memory.", lambda: len(service.cache))
        metrics.gauge("database_waiting", "Requests waiting for the database.", lambda: store.waiting)
        failures = "Failures of background tasks."
        metrics.counter("background_failures_total", failures, lambda: service.background.failures)
        yield


# Every error response is one sentence.


async def handle_refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return JSONResponse({"detail": str(error)}, error.status, error.headers)


async def handle_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    accept = request.headers.get("accept", "")
    if error.status_code == 404 and "text/html" in accept and not request.url.path.startswith("/api/"):
        document: Document = request.app.state.document
        return document.answer(request, 404)  # a page with a way back to the games
    return JSONResponse({"detail": f"{str(error.detail).rstrip('.')}."}, error.status_code, error.headers)


async def handle_invalid_request(_: Request, error: Exception) -> Response:
    """Says which field is invalid and why, without echoing the input."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = clean(".".join(str(part) for part in first["loc"] if part != "body"), 60) or "The request"
    return JSONResponse({"detail": f"{where}: {first['msg']}."}, 422)
