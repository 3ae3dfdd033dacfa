"""The middleware in front of the router: it checks requests, makes clients pay and wait, and answers errors."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from digitduels.web.http.errors import SERVER_FAILED, ErrorHandlers, refuse
from digitduels.web.http.limits import CHEAP, RateLimits, TooManyRequests, Turns, client_address, cost_of
from digitduels.web.http.metrics import Metrics
from digitduels.web.http.request_log import RequestLog
from digitduels.web.logs import event
from digitduels.web.refusal import Refusal
from digitduels.web.settings import Settings, split_list

_rng = random.Random()  # not the global one, whose sequence belongs to the program around the server
MOST_KEYS = 30  # parameters in a query
LONGEST_PATH = 300  # characters; people's paths have at most 80
ONCE = (b"host", b"authorization", b"content-length", b"content-type", b"transfer-encoding", b"origin")
"""Headers that a request may have only once. Otherwise two programs could read it in two ways."""
PROTECTION = {  # security headers of pages
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'; img-src 'self' data:",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
API_PROTECTION = {  # security headers of JSON
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_PROTECTION_HEADERS, _API_PROTECTION_HEADERS = (
    [(name.lower().encode(), value.encode()) for name, value in protection.items()]
    for protection in (PROTECTION, API_PROTECTION)
)


class Guard:
    """Passes a request to the router, or refuses it."""

    def __init__(
        self, app: ASGIApp, settings: Settings, metrics: Metrics, limits: RateLimits, errors: ErrorHandlers
    ) -> None:
        self.app, self.settings, self.metrics, self.limits, self.errors = app, settings, metrics, limits, errors
        self.origins = {origin.rstrip("/").lower() for origin in split_list(settings.origins)}
        self.hosts = {host.lower() for host in split_list(settings.hosts)}
        self.turns = Turns()
        self.log = RequestLog(metrics)
        self.open = 0
        metrics.gauge("http_requests_open", "Requests in progress, including live feeds.", lambda: self.open)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        context = RequestContext(scope, send, self.limits)
        self.open += 1
        try:
            self.check(context)
            scope["body"] = await self.body(context, receive)
            context.arrived = True
            await self.turns.wait(context.client.address)
            await self.app(scope, receive, context.send)
        except Exception as error:
            if isinstance(error, TooManyRequests) and (seconds := self.limits.hold(context.client.address)):
                await _wait_for_disconnect(receive, seconds)
            await self.answer(context, receive, error)
        finally:
            self.open -= 1
            client = (scope.get("client") or ("",))[0]
            self.log.record(context.id, scope["method"], context.route, context.status, context.began, client)

    async def answer(self, context: RequestContext, receive: Receive, error: Exception) -> None:
        """Sends the response to an exception, unless a response has begun. Logs the exception if it is unexpected."""
        request = Request(context.scope)
        response = self.errors.response(request, error)
        if response is None:
            event("failure", logging.ERROR, fault=True, id=context.id, route=context.route)
            response = refuse(request, Refusal(500, SERVER_FAILED))
        if context.status is None:
            if not context.arrived:  # the rest of the body may still be arriving
                response.headers["connection"] = "close"
            await response(context.scope, receive, context.send)

    def check(self, context: RequestContext) -> None:
        """Raises Refusal for a malformed request, one with the wrong host or origin, and one over the rate limit."""
        scope, headers = context.scope, context.headers
        if len(headers) < len(scope["headers"]):
            names = [name for name, _ in scope["headers"]]
            for name in ONCE:
                if names.count(name) > 1:
                    raise Refusal(400, f"The header {name.decode().title()} must not be repeated.")
        if b"content-length" in headers and b"transfer-encoding" in headers:
            raise Refusal(400, "A request has a Content-Length or a Transfer-Encoding, not both.")
        if b"host" not in headers and scope["http_version"] == "1.1":
            raise Refusal(400, "The Host header is required.")
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self.hosts and host not in self.hosts and host.rpartition(":")[0] not in self.hosts:
            raise Refusal(421, "This server has a different host name.")
        origin = headers.get(b"origin")
        if origin is not None and not self.is_own(origin.decode("latin-1").lower(), host):
            raise Refusal(403, "This server only accepts requests from its own pages.")
        if len(scope["path"]) > LONGEST_PATH:
            self.charge(context, 1.0)
            raise Refusal(414, f"A path may have at most {LONGEST_PATH} characters.")
        self.charge(context, cost_of(scope["method"], scope["path"], scope["query_string"]))
        if scope["query_string"].count(b"&") >= MOST_KEYS:
            raise Refusal(422, f"A query may have at most {MOST_KEYS} parameters.")

    def charge(self, context: RequestContext, cost: float) -> None:
        """Charges the client of a request. Raises Refusal if they must wait."""
        wait = 0
        try:
            left = context.client.pay(cost, work=False)
        except TooManyRequests as refusal:
            left, wait = refusal.left, refusal.again or 0
            raise
        finally:
            if left is not None:
                context.limits = [
                    (b"ratelimit-policy", self.limits.policy),
                    (b"ratelimit", b'"address";r=%d;t=%d' % (left, wait)),
                ]

    def is_own(self, origin: str, host: str) -> bool:
        """Whether an origin is this server's own site."""
        if origin in self.origins:
            return True
        try:
            return bool(host) and urlsplit(origin).netloc == host
        except ValueError:  # such as http://[x]
            return False

    async def body(self, context: RequestContext, receive: Receive) -> bytes:
        """Reads the body of a request within the limits."""
        headers = context.headers
        if headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers:
            return b""
        data, charged = bytearray(), 0
        try:
            async with asyncio.timeout(self.settings.body_timeout):
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refusal(400, "The request ended too early.")
                    data += message.get("body", b"")
                    # Check each part as it arrives, so that unfinished bodies cannot fill the memory.
                    if len(data) - charged > CHEAP // 16:
                        self.charge(context, (len(data) - charged) / CHEAP)
                        charged = len(data)
                    if len(data) > self.settings.max_body:
                        raise Refusal(413, f"A request body may have at most {self.settings.max_body:,} bytes.")
                    more = message.get("more_body", False)
        except TimeoutError:
            raise Refusal(408, "The request took too long to arrive.") from None
        if data and headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
            raise Refusal(415, "The request body must be JSON, with the content type application/json.")
        return bytes(data)


async def _wait_for_disconnect(receive: Receive, seconds: float) -> None:
    """Waits until the client has gone, at most for some seconds. Reads no more of a body than has arrived."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while (message := await receive())["type"] != "http.disconnect":
                if message.get("more_body", False):
                    await asyncio.sleep(seconds)


class RequestContext:
    """A request and its response."""

    def __init__(self, scope: Scope, send: Send, limits: RateLimits) -> None:
        self.scope = scope
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.began = time.perf_counter()
        self.id = f"{_rng.getrandbits(64):016x}"  # to find the log line; not a secret
        self.status: int | None = None
        self.limits: list[tuple[bytes, bytes]] = []
        self.arrived = False
        """Whether the whole request has been read."""
        authorization = self.headers.get(b"authorization")
        self.client = scope["sender"] = limits.sender(client_address(scope), authorization, scope["path"])
        self._send = send

    @property
    def route(self) -> str:
        """The path pattern of the route, which contains no input of the client."""
        return str(getattr(self.scope.get("endpoint"), "path", "other"))

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            api = self.scope["path"].startswith("/api/")
            headers = [*message.get("headers", ()), (b"x-request-id", self.id.encode()), *self.limits]
            if not any(name == b"cache-control" for name, _ in headers):
                headers.append((b"cache-control", b"no-store" if api else b"no-cache"))
            message["headers"] = [*headers, *(_API_PROTECTION_HEADERS if api else _PROTECTION_HEADERS)]
        await self._send(message)
