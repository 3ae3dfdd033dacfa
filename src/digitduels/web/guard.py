"""The middleware in front of the application: rate limits, checks, security headers, metrics and the request log."""

from __future__ import annotations

import ipaddress
import json
import logging
import math
import random
import re
import time
from collections import OrderedDict
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from digitduels.web.classes.allowances import Allowances
from digitduels.web.deadline import Deadline
from digitduels.web.logs import event
from digitduels.web.metrics import Metrics
from digitduels.web.refusal import Refusal
from digitduels.web.settings import Settings, split_list

MOST_CLIENTS = 10_000  # token buckets in memory
CHEAP = 1 << 14  # bytes of a body that cost as much as a request
COSTLY = (  # requests that cost as much as several
    ("POST", re.compile("/api/games|/api/games/[^/]*/rematch"), 10),  # a game is stored for months
    ("GET", re.compile("/api/games/[^/]*/history"), 3),
    ("POST", re.compile("/api/classes"), 30),  # a class may have many games
    ("POST", re.compile("/api/classes/[^/]*/pupils"), 10),
    ("GET", re.compile("/api/classes/[^/]*/results(.csv)?"), 10),
)
CLASS_SHARE = 4  # a class may make four times the requests of an address, wherever its pupils are
SEAT_SHARE = 3  # one player may make a third of the requests of an address, which several players may share
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

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics, allowances: Allowances) -> None:
        self.app, self.settings, self.metrics, self.allowances = app, settings, metrics, allowances
        self.origins = {origin.rstrip("/").lower() for origin in split_list(settings.origins)}
        self.hosts = {host.lower() for host in split_list(settings.hosts)}
        self.buckets = Buckets(settings.rate, settings.burst)
        self.classes = Buckets(CLASS_SHARE * settings.rate, CLASS_SHARE * settings.burst)
        self.seats = Buckets(settings.rate / SEAT_SHARE, settings.burst // SEAT_SHARE or 1)
        self.lines = {failed: Buckets(*limits) for failed, limits in LOG_LINES.items()}
        self.unlogged = 0
        self.patience = Deadline(settings.patience)
        self.open = 0
        metrics.gauge("http_requests_open", "Requests in progress, including live feeds.", lambda: self.open)
        seconds = f";w={max(1, round(settings.burst / settings.rate))}" if settings.rate else ""
        self.policy = f'"address";q={settings.burst}{seconds}'.encode() if settings.rate else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        visit = Visit(scope, send)
        self.open += 1
        try:
            try:
                self.check(visit)
                await self.app(scope, await self.body(visit, receive), visit.send)
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
        """Raises Refusal for a request with the wrong host or origin, and for one over the rate limit."""
        scope, headers = visit.scope, visit.headers
        if b"host" not in headers and scope["http_version"] == "1.1":
            raise Refusal(400, "The Host header is required.")
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self.hosts and host not in self.hosts and host.rpartition(":")[0] not in self.hosts:
            raise Refusal(421, "This server has a different host name.")
        origin = headers.get(b"origin")
        if origin is not None and not self.is_own(origin.decode("latin-1").lower(), host):
            raise Refusal(403, "This server only accepts requests from its own pages.")
        path, method = scope["path"], scope["method"]
        if self.policy is not None and path.startswith("/api/"):
            cost = next((cost for costly, paths, cost in COSTLY if costly == method and paths.fullmatch(path)), 1)
            self.charge(visit, cost)

    def charge(self, visit: Visit, cost: float) -> None:
        """Takes tokens from the buckets of the class or address, and of the player. Raises Refusal if one is empty."""
        now, address, credentials = time.monotonic(), visit.address, visit.headers.get(b"authorization")
        payer = self.allowances.payer(visit.scope["method"], visit.scope["path"], credentials)
        if payer is not None:
            wait = self.classes.take(payer.code, now, cost)
            if payer.person is not None:
                self.allowances.meet(payer.code, address)
                visit.scope["address"] = payer.person  # open questions to workers are limited per person, too
        else:
            wait = self.buckets.take(address, now, cost)
            visit.limits = [
                (b"ratelimit-policy", self.policy or b""),
                (b"ratelimit", b'"address";r=%d;t=%d' % (self.buckets.left(address), math.ceil(wait))),
            ]
        if credentials is not None and not wait:
            wait = self.seats.take(str(hash(credentials)), now, cost)
        if wait:
            raise Refusal(429, "Too many requests. Try again in a moment.", again=math.ceil(wait))

    def is_own(self, origin: str, host: str) -> bool:
        """Whether an origin is this server's own site."""
        if origin in self.origins:
            return True
        try:
            return bool(host) and urlsplit(origin).netloc == host
        except ValueError:  # such as http://[x]
            return False

    async def body(self, visit: Visit, receive: Receive) -> Receive:
        """Reads and parses the body of a request within the limits. Returns a `receive` that replays it."""
        headers = visit.headers
        if headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers:
            return receive
        data = await self._collect(visit, receive)
        if data:
            if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
                raise Refusal(415, "The request body must be JSON, with the content type application/json.")
            visit.scope["json"] = parse_json(data)
        return replay_body(data, receive)

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
        if self.policy is not None and part > CHEAP // 16:
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

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = scope
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.began = time.perf_counter()
        self.id = f"{random.getrandbits(64):016x}"  # to find the log line; not a secret
        self.status: int | None = None
        self.limits: list[tuple[bytes, bytes]] = []
        self.address = scope["address"] = client_address(scope)
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
        body = json.dumps({"detail": str(refusal)}).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
        headers |= refusal.headers
        raw_headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": refusal.status, "headers": raw_headers})
        await self.send({"type": "http.response.body", "body": body})


class Buckets:
    """Token buckets by key: `burst` requests at once, and `rate` requests per second in the long run."""

    def __init__(self, rate: float, burst: int) -> None:
        self.rate, self.burst = rate, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str, now: float, cost: float = 1) -> float:
        """Takes tokens for a request and returns 0. If too few are left, takes none and returns the seconds to wait."""
        if not self.rate:
            return 0.0
        left, since = self._left.pop(key, (float(self.burst), now))
        left = min(self.burst, left + (now - since) * self.rate)
        cost = min(cost, self.burst)
        allowed = left >= cost
        self._left[key] = left - cost * allowed, now
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (cost - left) / self.rate

    def wait(self, key: str, now: float, cost: float = 1) -> float:
        """Returns the seconds until a request would be allowed, without taking tokens."""
        if not self.rate:
            return 0.0
        left, since = self._left.get(key, (float(self.burst), now))
        left = min(self.burst, left + (now - since) * self.rate)
        return max(0.0, (cost - left) / self.rate)

    def left(self, key: str) -> int:
        """Returns the number of whole tokens that were left after the last request."""
        return int(self._left.get(key, (self.burst, 0.0))[0])


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
