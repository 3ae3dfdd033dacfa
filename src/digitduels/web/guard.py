"""What stands before the application: limits, refusals, headers that protect, and a note of every request."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import math
import secrets
import time
from collections import OrderedDict
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from digitduels.web.logs import event
from digitduels.web.metrics import Metrics
from digitduels.web.refusal import Refusal
from digitduels.web.settings import Settings, listed

MOST_CLIENTS = 10_000  # that are remembered, to limit how often each calls
CHEAP = 1 << 14  # bytes of a request that count as much as a call
COSTLY = {("POST", "/api/games"): 10}  # calls that count as several: a game is kept for days
SEAT_SHARE = 3  # a single player may make a third of the calls that an address may, where many may sit
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
PROTECTION = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'; img-src 'self' data:",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """Lets a request through to the application, or refuses it."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics
        self.origins = {origin.rstrip("/").lower() for origin in listed(settings.origins)}
        self.buckets = Buckets(settings.rate, settings.burst)
        self.seats = Buckets(settings.rate / SEAT_SHARE, settings.burst // SEAT_SHARE or 1)
        self.open = 0
        metrics.gauge("requests_open", lambda: self.open)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        visit = Visit(scope, send)
        self.open += 1
        try:
            try:
                self.check(scope)
                await self.app(scope, await self.body(scope, receive), visit.send)
            except Refusal as refusal:
                await visit.refuse(refusal)
        except Exception:
            event("failure", logging.ERROR, fault=True, id=visit.id, route=visit.route)
            if visit.status is None:
                await visit.refuse(Refusal(500, "Something went wrong here; it is written down."))
        finally:
            self.open -= 1
            self.note(visit)

    def check(self, scope: Scope) -> None:
        """Raises Refusal for a foreign site, and for an address that calls too often."""
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is not None and not self.known(origin.lower(), headers.get("host", "").lower()):
            raise Refusal(403, "This server answers its own page only.")
        if scope["path"].startswith("/api/"):
            self.charge(scope, COSTLY.get((scope["method"], scope["path"]), 1))

    def charge(self, scope: Scope, cost: float) -> None:
        """Raises Refusal if an address or a token has used up its requests for the moment."""
        now, shown = time.monotonic(), Headers(scope=scope).get("authorization")
        wait = self.buckets.take(whose(scope), now, cost)
        if shown is not None and not wait:
            wait = self.seats.take(str(hash(shown)), now, cost)
        if wait:
            raise Refusal(429, "Too many requests. Try again in a moment.", again=math.ceil(wait))

    def known(self, origin: str, host: str) -> bool:
        return origin in self.origins or (bool(host) and urlsplit(origin).netloc == host)

    async def body(self, scope: Scope, receive: Receive) -> Receive:
        """The body of a request, read before anything looks at it: counted, timed, and sound JSON."""
        headers = Headers(scope=scope)
        if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
            return receive
        data = bytearray()
        try:
            async with asyncio.timeout(self.settings.patience):
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refusal(400, "The request ended too early.")
                    part = message.get("body", b"")
                    # As it comes, so that nobody fills the memory with much that is sent by halves.
                    self.charge(scope, len(part) / CHEAP)
                    data += part
                    more = message.get("more_body", False)
                    if len(data) > self.settings.body:
                        raise Refusal(413, f"A request may bring {self.settings.body:,} bytes.")
        except TimeoutError:
            raise Refusal(408, "The request took too long to arrive.") from None
        if data:
            if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                raise Refusal(415, "What is sent must be JSON, with the content type application/json.")
            sound(bytes(data))
        return replayed(bytes(data), receive)

    def note(self, visit: Visit) -> None:
        """Counts a request and writes it down."""
        seconds = time.perf_counter() - visit.began
        method = visit.scope["method"] if visit.scope["method"] in METHODS else "other"
        status = str(visit.status or "none")
        self.metrics.count("requests_total", method=method, route=visit.route, status=status)
        self.metrics.time("request_seconds", seconds, route=visit.route)
        event(
            "request",
            id=visit.id,
            method=method,
            route=visit.route,
            status=visit.status,
            ms=round(1000 * seconds, 1),
            client=(visit.scope.get("client") or ("",))[0],
        )


class Visit:
    """A request and the answer to it."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = scope
        self.began = time.perf_counter()
        self.id = secrets.token_hex(8)
        self.status: int | None = None
        self._send = send

    @property
    def route(self) -> str:
        """The pattern of the path, which holds nothing that was sent."""
        found = self.scope.get("route")
        return str(getattr(found, "path", "")) or "other"

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in PROTECTION.items():
                headers[name] = value
            headers["X-Request-Id"] = self.id
            headers.setdefault("Cache-Control", "no-store" if self.scope["path"].startswith("/api") else "no-cache")
        await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        """Answers with a refusal, and closes the connection: what may still be on its way is not listened to."""
        body = json.dumps({"detail": str(refusal)}).encode()
        given = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
        given |= refusal.headers
        headers = [(name.lower().encode(), value.encode()) for name, value in given.items()]
        await self.send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


class Buckets:
    """Token buckets: each address may make `burst` calls at once and `rate` a second in the long run."""

    def __init__(self, rate: float, burst: int) -> None:
        self.rate, self.burst = rate, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str, now: float, cost: float = 1) -> float:
        """Notes a call; the seconds to wait if it is one too many, else 0."""
        if not self.rate:
            return 0.0
        left, since = self._left.pop(who, (float(self.burst), now))
        left = min(self.burst, left + (now - since) * self.rate)
        cost = min(cost, self.burst)
        allowed = left >= cost
        self._left[who] = left - cost * allowed, now
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (cost - left) / self.rate


def whose(scope: Scope) -> str:
    """Where a request comes from: an IPv4 address or an IPv6 /64 prefix."""
    host = str((scope.get("client") or ("",))[0])
    if ":" not in host:
        return host
    try:
        address = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    # A server that listens on all addresses sees IPv4 addresses mapped to IPv6.
    return str(address.ipv4_mapped or int(address) >> 64)


def sound(data: bytes) -> None:
    """Raises Refusal for what is no JSON, or JSON that no honest program writes."""
    try:
        found = json.loads(data, parse_constant=_refuse, parse_float=_finite)
        text = json.dumps(found, ensure_ascii=False)
        text.encode()  # a lone surrogate cannot be encoded
    except (ValueError, RecursionError):
        raise Refusal(
            422, "What is sent must be JSON, with finite numbers, whole characters and little depth."
        ) from None
    if "\\u0000" in text:
        raise Refusal(422, "What is sent must not hold the character 0.")


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def replayed(data: bytes, receive: Receive) -> Receive:
    """Replays a body that was read for the next reader; then goes on as before."""
    read = False

    async def again() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": data, "more_body": False}

    return again
