"""Error responses. Each is one sentence: as JSON for programs, as a short page for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from digitduels.web.encoding import encode
from digitduels.web.refusal import Refusal

JSON = "application/json"
SHORT_PAGE = '<!doctype html><html lang="en"><title>Digit Duels</title><p>{}</p></html>'
NO_PAGES = ("/api/", "/assets/")
SERVER_FAILED = "Something went wrong on the server. The error was logged."

Handler = Callable[[Request, Any], Response]


class ErrorHandlers:
    """Which function makes the response to which exception; a function also handles subclasses."""

    def __init__(self, handlers: Mapping[type[Exception], Handler]) -> None:
        self._handlers: dict[type, Handler] = {Refusal: refuse, **handlers}

    def response(self, request: Request, error: Exception) -> Response | None:
        """Returns the response to an exception; None for an unexpected one."""
        for kind in type(error).__mro__:
            if kind in self._handlers:
                return self._handlers[kind](request, error)
        return None


def refuse(request: Request, refusal: Refusal) -> Response:
    """Returns the response to a refused request."""
    headers = refusal.headers
    if not wants_page(request):
        return Response(encode({"detail": str(refusal)}), refusal.status, headers, JSON)
    if refusal.again is not None:
        headers["Refresh"] = str(refusal.again)  # the browser tries again by itself
    return HTMLResponse(SHORT_PAGE.format(escape(str(refusal))), refusal.status, headers)


def refuse_path(_: Request, error: HTTPException) -> Response:
    """Returns the response to a path or a method that does not exist."""
    sentence = f"{error.detail.rstrip('.')}."
    return Response(encode({"detail": sentence}), error.status_code, error.headers, JSON)


def wants_page(request: Request) -> bool:
    """Whether a person opened the address in a browser."""
    # A file that is missing is not charged for, so its answer must be cheap.
    return "text/html" in request.headers.get("accept", "") and not request.scope["path"].startswith(NO_PAGES)
