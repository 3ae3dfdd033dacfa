"""The middleware in front of the application: checks, rate limits, security headers, metrics and the request log."""

from __future__ import annotations

import ipaddress
import json
import logging
import math
import random
import time
from html import escape
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from digitduels.web.deadline import Deadline
from digitduels.web.logs import event
from digitduels.web.metrics import Metrics
from digitduels.web.rate_limits import CHEAP, Buckets, RateLimits, TooManyRequests, Turns, cost_of
from digitduels.web.refusal import Refusal
from digitduels.web.settings import Settings, split_list

SHORT_PAGE = '<!doctype html><html lang="en"><title>Digit Duels</title><p>{}</p></html>'
_rng = random.Random()  # not the global one, whose sequence belongs to the program around the server
MOST_KEYS = 30  # parameters in a query
ONCE = (b"host", b"authorization", b"content-length", b"content-type", b"transfer-encoding", b"origin")
"""Headers that a request may have only once. Otherwise two programs could read it in two ways."""
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
LOG_LINES = {False: (50.0, 1000), True: (2.0, 100)}  # rate per second and burst, for successes and for errors
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
    """Passes a request to the application, or refuses it."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics, limits: RateLimits) -> None:
        self.app, self.settings, self.metrics, self.limits = app, settings, metrics, limits
        self.origins = {origin.rstrip("/").lower() for origin in split_list(settings.origins)}
        self.hosts = {host.lower() for host in split_list(settings.hosts)}
        self.turns = Turns()
        self.lines = {failed: Buckets(*limits) for failed, limits in LOG_LINES.items()}
        self.unlogged = 0
        self.patience = Deadline(settings.patience)
        self.open = 0
        metrics.gauge("http_requests_open", "Requests in progress, including live feeds.", lambda: self.open)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        visit = Visit(scope, send, self.limits)
        self.open += 1
        try:
            try:
                self.check(visit)
                data = await self.body(visit, receive)
                await self.turns.wait(visit.sender.address)
                if data:
                    scope["json"] = parse_json(data)
                if data is not None:
                    receive = replay_body(data, receive)
                await self.app(scope, receive, visit.send)
            except Refusal as refusal:
                await visit.refuse(refusal)
        except Exception:
            event("failure", logging.ERROR, fault=True, id=visit.id, route=visit.route)
            if visit.status is None:
                await visit.refuse(Refusal(500, "Something went wrong on the server. The error was logged."))
        finally:
            self.open -= 1
            self.note(visit)

    def check(self, visit: Visit) -> None:
        """Raises Refusal for a malformed request, one with the wrong host or origin, and one over the rate limit."""
        scope, headers = visit.scope, visit.headers
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
        self.charge(visit, cost_of(scope["method"], scope["path"], scope["query_string"]))
        if scope["query_string"].count(b"&") >= MOST_KEYS:
            raise Refusal(422, f"A query may have at most {MOST_KEYS} parameters.")

    def charge(self, visit: Visit, cost: float) -> None:
        """Charges the sender of a request. Raises Refusal if they must wait."""
        wait = 0
        try:
            left = visit.sender.pay(cost)
        except TooManyRequests as refusal:
            left, wait = refusal.left, refusal.again or 0
            raise
        finally:
            if left is not None:
                visit.limits = [
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

    async def body(self, visit: Visit, receive: Receive) -> bytes | None:
        """Reads the body of a request within the limits; None if it has none."""
        headers = visit.headers
        if headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers:
            return None
        data = await self._collect(visit, receive)
        if data and headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
            raise Refusal(415, "The request body must be JSON, with the content type application/json.")
        return data

    async def _collect(self, visit: Visit, receive: Receive) -> bytes:
        data = bytearray()
        try:
            with self.patience:
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refusal(400, "The request ended too early.")
                    part = message.get("body", b"")
                    data += part
                    # Check each part as it arrives, so that unfinished bodies cannot fill the memory.
                    self._count(visit, len(part), len(data))
                    more = message.get("more_body", False)
        except TimeoutError:
            raise Refusal(408, "The request took too long to arrive.") from None
        return bytes(data)

    def _count(self, visit: Visit, part: int, size: int) -> None:
        if part > CHEAP // 16:
            self.charge(visit, part / CHEAP)
        if size > self.settings.body:
            raise Refusal(413, f"A request body may have at most {self.settings.body:,} bytes.")

    def note(self, visit: Visit) -> None:
        """Counts a request in the metrics, and logs it unless there are too many log lines."""
        now = time.perf_counter()
        seconds = now - visit.began
        method = visit.scope["method"] if visit.scope["method"] in METHODS else "other"
        route = visit.route
        self.metrics.request(method, route, visit.status, seconds)
        if self.lines[(visit.status or 500) >= 400].take("", now):
            self.unlogged += 1
            return
        if self.unlogged:
            event("requests_unlogged", logging.WARNING, count=self.unlogged)
            self.unlogged = 0
        event(
            "request",
            id=visit.id,
            method=method,
            route=route,
            status=visit.status,
            ms=round(1000 * seconds, 1),
            client=(visit.scope.get("client") or ("",))[0],
        )


class Visit:
    """A request and its response."""

    def __init__(self, scope: Scope, send: Send, limits: RateLimits) -> None:
        self.scope = scope
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.began = time.perf_counter()
        self.id = f"{_rng.getrandbits(64):016x}"  # to find the log line; not a secret
        self.status: int | None = None
        self.limits: list[tuple[bytes, bytes]] = []
        authorization = self.headers.get(b"authorization")
        self.sender = scope["sender"] = limits.sender(client_address(scope), authorization, scope["path"])
        self._send = send

    @property
    def route(self) -> str:
        """The path pattern of the route, which contains no input of the client."""
        return str(getattr(self.scope.get("route"), "path", "")) or "other"

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            api = self.scope["path"].startswith("/api/")
            headers = [*message.get("headers", ()), (b"x-request-id", self.id.encode()), *self.limits]
            if not any(name == b"cache-control" for name, _ in headers):
                headers.append((b"cache-control", b"no-store" if api else b"no-cache"))
            message["headers"] = [*headers, *(_API_PROTECTION_HEADERS if api else _PROTECTION_HEADERS)]
        await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        """Sends a refusal and closes the connection, since the rest of the body may still be arriving."""
        body, kind = json.dumps({"detail": str(refusal)}).encode(), "application/json"
        headers = refusal.headers
        if b"text/html" in self.headers.get(b"accept", b"") and not self.scope["path"].startswith("/api/"):
            body, kind = SHORT_PAGE.format(escape(str(refusal))).encode(), "text/html; charset=utf-8"
            if refusal.again is not None:
                headers["Refresh"] = str(refusal.again)  # the browser tries again by itself
        headers |= {"content-type": kind, "content-length": str(len(body)), "connection": "close"}
        raw_headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": refusal.status, "headers": raw_headers})
        await self.send({"type": "http.response.body", "body": body})


def client_address(scope: Scope) -> str:
    """Returns the address that a request is counted for: the IPv4 address or the IPv6 /64 prefix."""
    host = str((scope.get("client") or ("",))[0])
    if ":" not in host:
        return host
    try:
        address = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    # A server that listens on all addresses sees IPv4 addresses mapped to IPv6.
    return str(address.ipv4_mapped or int(address) >> 64)


def parse_json(data: bytes) -> Any:
    """Parses JSON. Raises Refusal for invalid JSON, NaN and infinities, null characters and lone surrogates."""
    try:
        value = _DECODER.decode(data.decode())
        if b"\\u" in data:
            text = json.dumps(value, ensure_ascii=False)
            text.encode()  # fails for a lone surrogate
            if "\\u0000" in text:
                raise Refusal(422, "The request body must not contain null characters.")
    except (ValueError, RecursionError):
        raise Refusal(
            422, "The request body must be JSON, with finite numbers, no lone surrogates and little nesting."
        ) from None
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


def replay_body(data: bytes, receive: Receive) -> Receive:
    """Returns a `receive` that first replays a body which was already read, then calls the original."""
    replayed = False

    async def replay() -> Message:
        nonlocal replayed
        if replayed:
            return await receive()
        replayed = True
        return {"type": "http.request", "body": data, "more_body": False}

    return replay
