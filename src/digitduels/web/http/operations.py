"""Operations: what the router calls, and what the description of the API says about it, in one place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import isfunction
from typing import Any, get_type_hints

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from digitduels.web.http.errors import JSON
from digitduels.web.http.request_body import decode

Schema = dict[str, Any]
OK = {200: "OK."}
STREAMED = {
    200: "Server-sent events; the data of each is the whole state. A comment follows at least every 20 seconds.",
    403: "The token is invalid here.",
    404: "There is no such game or class.",
    429: "Too many requests.",
    503: "Too many people are watching, or the database does not answer.",
}


class Endpoint:
    """A path with a method. The router calls it, and the description of the API describes it if it has a summary.

    `answer` is the type of the answer, and `statuses` says what each status means. A type of the body is taken from
    the handler, which gets the decoded body as its second argument. A `schema` only describes the body.
    """

    def __init__(
        self,
        method: str,
        path: str,
        handler: Callable[..., Awaitable[Any]],
        summary: str = "",
        answer: Any = None,
        statuses: Mapping[int, str] = OK,
        *,
        media: str = JSON,
        query: Mapping[str, Schema] | None = None,
        schema: Schema | None = None,
        answered: tuple[int, ...] = (200, 201),
    ) -> None:
        self.method, self.path, self.handler, self.summary = method, path, handler, summary
        self.answer, self.statuses, self.media = answer, statuses, media
        self.query = query or {}
        """The parameters of the query, each with its schema."""
        self.schema = schema
        self.answered = answered
        """The statuses that come with the answer, and not with a refusal."""
        self.tag = ""

    @property
    def route(self) -> Route:
        """The route to this endpoint."""
        route = Route(self.path, self, methods=[self.method])
        route.methods = {self.method}  # without HEAD, which would open live feeds
        return route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise NotImplementedError


class Operation(Endpoint):
    """Answers a request: calls the handler with the request and its decoded body, and sends the response."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.body = get_type_hints(self.handler).get("body") if isfunction(self.handler) else None
        self._decoder = None if self.body is None else msgspec.json.Decoder(self.body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if self._decoder is None:
            response: Response = await self.handler(request)
        else:
            response = await self.handler(request, decode(scope["body"], self._decoder))
        await response(scope, receive, send)


class Page(Operation):
    """Answers a browser, also a request for the headers only."""

    @property
    def route(self) -> Route:
        return Route(self.path, self, methods=["GET"])


class Feed(Endpoint):
    """A live feed: the handler sends the response itself, as long as the client listens."""

    def __init__(self, path: str, handler: Callable[..., Awaitable[None]], summary: str, answer: Any) -> None:
        super().__init__("GET", path, handler, summary, answer, STREAMED, media="text/event-stream")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.handler(Request(scope), receive, send)


def tagged(tag: str, *endpoints: Endpoint) -> list[Endpoint]:
    """Returns endpoints that the description lists under a tag."""
    for endpoint in endpoints:
        endpoint.tag = tag
    return list(endpoints)


class JsonResponse(Response):
    """A response of encoded JSON."""

    def __init__(self, content: bytes, new: bool = False) -> None:
        super().__init__(content, 201 if new else 200)

    def init_headers(self, headers: Any = None) -> None:
        self.raw_headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(self.body))]
