"""The sender of a request, as the services see them: who asks, from where, and who pays for the work."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple, Protocol

GAME_COST = 3  # of every game that a teacher's act begins, in requests


class Asker(NamedTuple):
    """Who asks: the key that takes turns, and how many times the usual number of open questions it may have."""

    key: str
    share: int = 1


class Sender(Protocol):
    """The sender of a request."""

    @property
    def address(self) -> str: ...

    @property
    def asker(self) -> Asker:
        """For whom a question to a worker counts."""

    def pay(self, cost: float) -> object:
        """Takes the cost of work that a request causes, in requests. Raises Refusal if the sender must wait."""


def address_of(host: str) -> str:
    """The address that somebody counts as: the IPv4 address or the IPv6 /64 prefix."""
    if ":" not in host:
        return host
    try:
        address = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    # A server that listens on all addresses sees IPv4 addresses mapped to IPv6.
    return str(address.ipv4_mapped or int(address) >> 64)
