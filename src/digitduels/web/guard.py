"""What stands before the application: limits, refusals, headers that protect, and a note of every request."""

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
from digitduels.web.settings import Settings, listed

MOST_CLIENTS = 10_000  # that are remembered, to limit how often each calls
CHEAP = 1 << 14  # bytes of a request that count as much as a call
COSTLY = (  # calls that count as several
    ("POST", re.compile("/api/games|/api/games/[^/]*/rematch"), 10),  # a game is kept for long
    ("GET", re.compile("/api/games/[^/]*/history"), 3),
    ("POST", re.compile("/api/classes"), 30),  # a class may have many games
    ("POST", re.compile("/api/classes/[^/]*/pupils"), 10),
    ("GET", re.compile("/api/classes/[^/]*/results(.csv)?"), 10),
)
CLASS_SHARE = 4  # a class may make four times the calls of an address, wherever its pupils sit
SEAT_SHARE = 3  # a single player may make a third of the calls that an address may, where many may sit
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
LOG_LINES = {False: (50.0, 1000), True: (2.0, 100)}  # about answers and refusals: a second, for long and at once
PROTECTION = {  # of the page
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'; img-src 'self' data:",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
API_PROTECTION = {  # of JSON, which shows nothing and runs nothing
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_PROTECTING, _API_PROTECTING = (
    [(name.lower().encode(), value.encode()) for name, value in protection.items()]
    for protection in (PROTECTION, API_PROTECTION)
)


class Guard:
    """Lets a request through to the application, or refuses it."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics, allowances: Allowances) -> None:
        self.app, self.settings, self.metrics, self.allowances = app, settings, metrics, allowances
        self.origins = {origin.rstrip("/").lower() for origin in listed(settings.origins)}
        self.hosts = {host.lower() for host in listed(settings.hosts)}
        self.buckets = Buckets(settings.rate, settings.burst)
        self.classes = Buckets(CLASS_SHARE * settings.rate, CLASS_SHARE * settings.burst)
        self.seats = Buckets(settings.rate / SEAT_SHARE, settings.burst // SEAT_SHARE or 1)
        self.lines = {refused: Buckets(*lines) for refused, lines in LOG_LINES.items()}
        self.unlogged = 0
        self.patience = Deadline(settings.patience)
        self.open = 0
        metrics.gauge("http_requests_open", "Requests in progress, with live feeds.", lambda: self.open)
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
                await visit.refuse(Refusal(500, "Something went wrong here; it is written down."))
        finally:
            self.open -= 1
            self.note(visit)

    def check(self, visit: Visit) -> None:
        """Raises Refusal for a foreign site or name, and for an address that calls too often."""
        scope, headers = visit.scope, visit.headers
        if b"host" not in headers and scope["http_version"] == "1.1":
            raise Refusal(400, "A request must say in Host which server it is for.")
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self.hosts and host not in self.hosts and host.rpartition(":")[0] not in self.hosts:
            raise Refusal(421, "This server has another name.")
        origin = headers.get(b"origin")
        if origin is not None and not self.known(origin.decode("latin-1").lower(), host):
            raise Refusal(403, "This server answers its own page only.")
        path, method = scope["path"], scope["method"]
        if self.policy is not None and path.startswith("/api/"):
            cost = next((cost for costly, paths, cost in COSTLY if costly == method and paths.fullmatch(path)), 1)
            self.charge(visit, cost)

    def charge(self, visit: Visit, cost: float) -> None:
        """Raises Refusal if an address or a token has used up its requests for the moment."""
        now, who, shown = time.monotonic(), visit.address, visit.headers.get(b"authorization")
        payer = self.allowances.payer(visit.scope["method"], visit.scope["path"], shown)
        if payer is not None:
            wait = self.classes.take(payer.code, now, cost)
            if payer.person is not None:
                self.allowances.meet(payer.code, who)
                visit.scope["address"] = payer.person  # questions to the workers are counted by person, too
        else:
            wait = self.buckets.take(who, now, cost)
            visit.limits = [
                (b"ratelimit-policy", self.policy or b""),
                (b"ratelimit", b'"address";r=%d;t=%d' % (self.buckets.left(who), math.ceil(wait))),
            ]
        if shown is not None and not wait:
            wait = self.seats.take(str(hash(shown)), now, cost)
        if wait:
            raise Refusal(429, "Too many requests. Try again in a moment.", again=math.ceil(wait))

    def known(self, origin: str, host: str) -> bool:
        """Whether a page of an origin is the server's own."""
        if origin in self.origins:
            return True
        try:
            return bool(host) and urlsplit(origin).netloc == host
        except ValueError:  # such as http://[x]
            return False

    async def body(self, visit: Visit, receive: Receive) -> Receive:
        """The body of a request, read before anything looks at it: counted, timed, and sound JSON."""
        headers = visit.headers
        if headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers:
            return receive
        data = await self._collect(visit, receive)
        if data:
            if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
                raise Refusal(415, "What is sent must be JSON, with the content type application/json.")
            visit.scope["json"] = sound(data)
        return replayed(data, receive)

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
                    # As it comes, so that nobody fills the memory with much that is sent by halves.
                    self._count(visit, len(part), len(data))
                    more = message.get("more_body", False)
        except TimeoutError:
            raise Refusal(408, "The request took too long to arrive.") from None
        return bytes(data)

    def _count(self, visit: Visit, part: int, size: int) -> None:
        if self.policy is not None and part > CHEAP // 16:
            self.charge(visit, part / CHEAP)
        if size > self.settings.body:
            raise Refusal(413, f"A request may bring {self.settings.body:,} bytes.")

    def note(self, visit: Visit) -> None:
        """Counts a request and writes it down, unless there are too many."""
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
    """A request and the answer to it."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = scope
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.began = time.perf_counter()
        self.id = f"{random.getrandbits(64):016x}"  # to find a line of the log, and no secret
        self.status: int | None = None
        self.limits: list[tuple[bytes, bytes]] = []
        self.address = scope["address"] = whose(scope)
        self._send = send

    @property
    def route(self) -> str:
        """The pattern of the path, which holds nothing that was sent."""
        found = self.scope.get("route")
        return str(getattr(found, "path", "")) or "other"

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            api = self.scope["path"].startswith("/api/")
            headers = [*message.get("headers", ()), (b"x-request-id", self.id.encode()), *self.limits]
            if not any(name == b"cache-control" for name, _ in headers):
                headers.append((b"cache-control", b"no-store" if api else b"no-cache"))
            message["headers"] = [*headers, *(_API_PROTECTING if api else _PROTECTING)]
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

    def wait(self, who: str, now: float, cost: float = 1) -> float:
        """The seconds until a call would be allowed; none is noted."""
        if not self.rate:
            return 0.0
        left, since = self._left.get(who, (float(self.burst), now))
        left = min(self.burst, left + (now - since) * self.rate)
        return max(0.0, (cost - left) / self.rate)

    def left(self, who: str) -> int:
        """How many calls an address could make at once when it last called."""
        return int(self._left.get(who, (self.burst, 0.0))[0])


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


def sound(data: bytes) -> Any:
    """What JSON says; raises Refusal for what is no JSON, or JSON that no honest program writes."""
    try:
        found = _DECODER.decode(data.decode())
        if b"\\u" in data:
            text = json.dumps(found, ensure_ascii=False)
            text.encode()  # a lone surrogate cannot be encoded
            if "\\u0000" in text:
                raise Refusal(422, "What is sent must not hold the character 0.")
    except (ValueError, RecursionError):
        raise Refusal(
            422, "What is sent must be JSON, with finite numbers, whole characters and little depth."
        ) from None
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


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
