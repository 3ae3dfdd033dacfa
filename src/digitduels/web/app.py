"""The application: its endpoints, its pages and its services, behind the guard."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Router
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from digitduels.web.assets import Assets
from digitduels.web.description import ApiDescription
from digitduels.web.document import Document
from digitduels.web.encoding import encode, encoded
from digitduels.web.http.errors import JSON, ErrorHandlers, refuse, refuse_path, wants_page
from digitduels.web.http.guard import Guard
from digitduels.web.http.limits import RateLimits
from digitduels.web.http.operations import Endpoint, Operation, Page
from digitduels.web.refusal import Refusal
from digitduels.web.routes import classes, health, links, reach_check, rooms
from digitduels.web.runtime import Runtime
from digitduels.web.settings import Settings
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
    "/reach/{id}",
)


class App(Guard):
    """The complete application. Setting `stopping` ends all live feeds.

    `workers` answer the questions that need a solution. Default: as many processes as the settings say. `bound` is the
    host and the port that the server listens at. Default: those of the settings.
    """

    def __init__(
        self,
        settings: Settings,
        stopping: asyncio.Event | None = None,
        workers: Supervisor | None = None,
        bound: tuple[str, int] | None = None,
    ) -> None:
        self.runtime = Runtime(settings, stopping or asyncio.Event(), workers, bound or (settings.host, settings.port))
        assets = Assets(PAGE)
        self._document = Document(assets, settings.class_retention, self.runtime.reach)
        # Moves come first, because they are the most frequent requests.
        self.endpoints = [
            *rooms.ENDPOINTS,
            *classes.ENDPOINTS,
            *reach_check.ENDPOINTS,
            *links.ENDPOINTS,
            *health.ENDPOINTS,
        ]
        description = ApiDescription(self.endpoints)
        undescribed: list[Endpoint] = [
            Operation("GET", "/openapi.json", description.document),
            Operation("GET", "/api", description.page),
            *(Page("GET", path, self._page) for path in PAGES),
            Page("GET", "/assets/{version}/{name:path}", assets.answer),
            Page("GET", "/index.html", _home),
        ]
        self.router = Router(
            [
                *(endpoint.route for endpoint in (*self.endpoints, *undescribed)),
                Mount("/", GZipMiddleware(StaticFiles(directory=PAGE, check_dir=False))),
            ],
            lifespan=self.runtime.running,
        )
        errors = ErrorHandlers({Conflict: _conflict, StoreError: _unavailable, HTTPException: self._missing})
        limits = RateLimits(settings, self.runtime.allowances)
        super().__init__(self._route, settings, self.runtime.metrics, limits, errors)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["runtime"] = self.runtime
        await self.router(scope, receive, send)

    async def _page(self, request: Request) -> Response:
        return await run_in_threadpool(self._document.answer, request)

    def _missing(self, request: Request, error: HTTPException) -> Response:
        if error.status_code == 404 and wants_page(request):
            return self._document.answer(request, 404)  # a page with a way back to the games
        return refuse_path(request, error)


async def _home(_: Request) -> Response:
    return RedirectResponse("/", 308)


def _conflict(_: Request, error: Conflict) -> Response:
    """Returns the response to a version conflict, with the current state of the game or class."""
    return Response(encode({"detail": str(error), "state": encoded(error.state)}), error.status, media_type=JSON)


def _unavailable(request: Request, error: StoreError) -> Response:
    """Returns the response when the store is unavailable. The client may retry with the same key."""
    return refuse(request, Refusal(503, str(error), again=1))
