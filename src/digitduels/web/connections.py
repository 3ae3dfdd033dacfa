"""Connections as the server takes them: capped before file handles run out, and ended when nobody reads."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import struct
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from digitduels.web.settings import Settings, listed

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as _Protocol
else:
    _Protocol = object  # it stands before one of uvicorn's protocols

SPARE_FILES = 500  # for the database, the workers, and connections that are being refused
BACKLOG = 256  # connections that the system accepts for us at once
ADDRESS_SHARE = 4  # one address may have a quarter of all connections
SEND_BUFFER = 1 << 16  # bytes in the kernel that a client has not read
FULL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"


class Limits:
    """How many connections there are, and how many there may be."""

    def __init__(self, settings: Settings) -> None:
        self.most = min(settings.connections, max(1, open_files() - SPARE_FILES))
        self.stalled = settings.stalled
        self.refused = 0
        self._proxies = [ipaddress.ip_network(proxy) for proxy in listed(settings.proxies) if proxy != "*"]
        self._open: Counter[str] = Counter()

    def enter(self, host: str) -> bool:
        """Whether one more connection from an address is taken; then it counts until it leaves."""
        full = self._open.total() >= self.most
        if full or (self._open[host] >= max(1, self.most // ADDRESS_SHARE) and not self._is_proxy(host)):
            self.refused += 1
            return False
        self._open[host] += 1
        return True

    def leave(self, host: str) -> None:
        self._open[host] -= 1
        if not self._open[host]:
            del self._open[host]

    def __len__(self) -> int:
        return self._open.total()

    def _is_proxy(self, host: str) -> bool:
        try:
            address = ipaddress.ip_address(host)
        except ValueError:  # a socket without addresses
            return True
        mapped = getattr(address, "ipv4_mapped", None) or address
        return any(mapped in network for network in self._proxies)


class OneWrite:
    """A transport that sends together what is written in one turn of the event loop: headers with their body."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._unsent: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._unsent:
            self._loop.call_soon(self._send)
        self._unsent.append(data)

    def close(self) -> None:
        self._send()
        self._transport.close()

    def _send(self) -> None:
        if self._unsent and not self._transport.is_closing():
            self._transport.write(b"".join(self._unsent))
        self._unsent.clear()


class Bounded(_Protocol):
    """One connection, counted, and ended if its client stops reading."""

    limits: Limits
    _host: str | None = None
    _stalling: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.transport = OneWrite(transport, self.loop)  # type: ignore[assignment]
        host = self.client[0] if self.client else ""
        if self.limits.enter(host):
            self._host = host
        else:
            transport.write(FULL)
            reset(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._read_again()
        if self._host is not None:
            self.limits.leave(self._host)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client reads too little: it has some time to go on."""
        super().pause_writing()
        if self._stalling is None:
            self._stalling = self.loop.call_later(self.limits.stalled, reset, self.transport)

    def resume_writing(self) -> None:
        self._read_again()
        super().resume_writing()

    def _read_again(self) -> None:
        if self._stalling is not None:
            self._stalling.cancel()
            self._stalling = None


def reset(transport: asyncio.Transport) -> None:
    """Ends a connection at once, with all that was not sent, in the kernel too."""
    connected = transport.get_extra_info("socket")
    with suppress(OSError, AttributeError):
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def bound_kernel(listener: socket.socket, seconds: float) -> None:
    """Bounds what the kernel keeps for clients that do not read; connections inherit it from their listener."""
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        with suppress(OSError):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * seconds))


def open_files() -> int:
    """How many files this process may have open."""
    try:
        import resource
    except ImportError:
        return 1 << 16
    return int(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
