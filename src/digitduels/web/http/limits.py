"""Rate limits: what a request costs, who pays for it, and whose request starts next."""

from __future__ import annotations

import asyncio
import math
import re
import time
from typing import NamedTuple, Protocol

from starlette.types import Scope

from digitduels.web.buckets import Buckets
from digitduels.web.refusal import Refusal
from digitduels.web.rotation import Rotation
from digitduels.web.sender import Asker, address_of
from digitduels.web.settings import Settings

CHEAP = 1 << 14  # bytes of a body that cost as much as a request
CHEAP_LINK = 400  # characters of a link that cost as much as a request
DEAREST_LINK = 150  # requests
COSTS = (  # what requests cost, by method and path; all others cost 1
    (None, re.compile("/healthz|/assets/.*"), 0),
    ("POST", re.compile("/api/games|/api/games/[^/]*/rematch"), 10),  # a game is stored for months
    ("GET", re.compile("/api/games/[^/]*/history"), 3),
    ("POST", re.compile("/api/classes"), 30),  # a class may have many games
    ("POST", re.compile("/api/classes/[^/]*/pupils"), 3),
    ("GET", re.compile("/api/classes/[^/]*/results(.csv)?"), 10),
    (None, re.compile("/api/qr"), 15),  # 4 ms of a thread
    ("POST", re.compile("/api/reach"), 20),  # only some checks are kept
    (None, re.compile("(?!/api/).*"), 2),  # pages, and what is for the owner of the server
)
_JOINING = re.compile("/api/classes/([^/]*)/pupils")
MEMBER_SHARE = 2  # the members of classes at one address may make twice its requests, whatever the number of classes
ASKING_SHARE = 3  # and may have three times as many questions open
FREE_SHARE = 10  # an address may make ten times as many requests that cost nothing
REFUSALS = (50.0, 1000)  # per second and at once, for an address; further refusals are held back
LONGEST_HOLD = 5.0  # seconds; the page waits longer for an answer
TOKEN_SHARE = 3  # one player may make a third of the requests of an address, which several players may share


class Members(Protocol):
    """Who may use the allowance of a group, such as a class, and how large it is."""

    def class_of(self, authorization: bytes | None) -> str | None:
        """The group of the member who sends a header, or None."""

    def remember_address(self, code: str, address: str) -> None:
        """Remembers an address from which a member has sent a token."""

    def has_member_at(self, code: str, address: str) -> bool:
        """Whether a member has used an address."""

    def share(self, code: str) -> int:
        """How many times the allowance of an address a group has."""


class Payment(NamedTuple):
    """How a charge went: the seconds to wait, or 0, and the tokens that the address has left if it paid."""

    wait: float
    left: int | None


class RateLimits:
    """The limits of one server process.

    Everybody pays from the bucket of their address. Only a member of a class, who sends a valid token, and a newcomer
    at the address of a member pay from the bucket of the class, and from a second bucket of the address for all its
    classes together. So what a stranger pays, and reads, does not depend on whether a guessed code is right.
    """

    def __init__(self, settings: Settings, members: Members) -> None:
        rate, burst = settings.rate, settings.burst
        self.enabled = bool(rate)
        self._members_of = members
        self._addresses = Buckets(rate, burst)
        self._members = Buckets(MEMBER_SHARE * rate, MEMBER_SHARE * burst)
        self._classes = Buckets(rate, burst)
        self._tokens = Buckets(rate / TOKEN_SHARE, burst // TOKEN_SHARE or 1)
        self._free = Buckets(FREE_SHARE * rate, FREE_SHARE * burst)
        self._refused = Buckets(*REFUSALS)
        window = f";w={max(1, round(burst / rate))}" if rate else ""
        self.policy = f'"address";q={burst}{window}'.encode()

    def sender(self, address: str, authorization: bytes | None, path: str) -> Client:
        """Returns the client of a request."""
        code = self._members_of.class_of(authorization)
        if code is not None:
            self._members_of.remember_address(code, address)
        elif (joining := _JOINING.fullmatch(path)) and self._members_of.has_member_at(joining[1].upper(), address):
            code = joining[1].upper()
        return Client(self, address, authorization, code)

    def charge(self, client: Client, cost: float, work: bool) -> Payment:
        """Takes the cost of a request from the buckets of its client.

        For work, only the address pays: a teacher may begin sixty games at once, which no other bucket can afford.
        """
        if not self.enabled:
            return Payment(0.0, None)
        now, left, address, code = time.monotonic(), None, client.address, client.code
        if not cost:
            return Payment(self._free.take(address, now), None)
        if code is None:
            wait = self._addresses.take(address, now, cost)
            left = self._addresses.left(address)
        else:
            wait = self._members.take(address, now, cost)
        if work:
            return Payment(wait, left)
        if code is not None and not wait:
            wait = self._classes.take(code, now, cost / self._members_of.share(code))
        if client.authorization is not None and not wait:
            wait = self._tokens.take(str(hash(client.authorization)), now, cost)
        return Payment(wait, left)

    def hold(self, address: str) -> float:
        """Counts a refusal, and returns the seconds to hold it back, so that a flood takes little time."""
        now = time.monotonic()
        wait = self._refused.wait(address, now)
        if wait < LONGEST_HOLD:
            self._refused.owe(address, now, 1)
        return min(wait, LONGEST_HOLD)


class Client:
    """The sender of a request: the address, and the class that pays, if any."""

    def __init__(self, limits: RateLimits, address: str, authorization: bytes | None, code: str | None) -> None:
        self.address, self.authorization, self.code = address, authorization, code
        self._limits = limits

    @property
    def asker(self) -> Asker:
        """For whom a question to a worker counts: the address, or all members of classes there."""
        return Asker(self.address) if self.code is None else Asker(f"members at {self.address}", ASKING_SHARE)

    def pay(self, cost: float, work: bool = True) -> int | None:
        """Takes the cost of the work that a request causes, or of the request. Raises Refusal if the sender must wait.

        Returns the tokens that the address has left, if the address pays.
        """
        wait, left = self._limits.charge(self, cost, work)
        if wait:
            raise TooManyRequests(wait, left)
        return left


class TooManyRequests(Refusal):
    """The refusal of a request whose sender must wait."""

    def __init__(self, wait: float, left: int | None) -> None:
        super().__init__(429, "Too many requests. Try again in a moment.", again=math.ceil(wait))
        self.left = left


def client_address(scope: Scope) -> str:
    """Returns the address that a request is counted for."""
    return address_of(str((scope.get("client") or ("",))[0]))


def cost_of(method: str, path: str, query: bytes) -> float:
    """What a request costs, in requests: by its route, and by the length of its query.

    >>> cost_of("GET", "/api/games", b""), cost_of("POST", "/api/games", b""), cost_of("GET", "/", b"x" * 800)
    (1.0, 10.0, 6.0)
    """
    cost = next((cost for verb, paths, cost in COSTS if verb in (None, method) and paths.fullmatch(path)), 1)
    return cost + link_cost(len(query)) if cost else 0.0


def link_cost(length: int) -> float:
    """What a link of this many characters costs. People's links are short, and long ones take long to replay.

    >>> link_cost(100), link_cost(400), link_cost(4000), link_cost(60_000)
    (0.0625, 1.0, 100.0, 150)
    """
    return min(DEAREST_LINK, (length / CHEAP_LINK) ** 2)


class Turns:
    """Lets one request start per turn of the event loop, the addresses in rotation.

    So a burst of hundreds of requests from one address delays a request from another by about one of them.
    """

    def __init__(self) -> None:
        self._waiting: Rotation[asyncio.Future[None]] = Rotation()
        self._busy = False

    async def wait(self, address: str) -> None:
        """Waits until a request of an address may start."""
        loop = asyncio.get_running_loop()
        if not self._busy:
            self._busy = True
            loop.call_soon(self._start_next, loop)
            return
        turn = loop.create_future()
        self._waiting.add(address, turn)
        await turn

    def _start_next(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            turn = self._waiting.take()
            if not turn.done():
                turn.set_result(None)
                loop.call_soon(self._start_next, loop)
                return
        self._busy = False
