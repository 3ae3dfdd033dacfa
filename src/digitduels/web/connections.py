"""Limits on connections: capped before file handles run out, and reset when the client stops reading."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import struct
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from digitduels.web.sender import address_of
from digitduels.web.settings import Settings, split_list

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as _Protocol
else:
    _Protocol = object  # a mixin for uvicorn's protocols

SPARE_FILES = 500  # for the database, the workers, and connections that are being refused
BACKLOG = 256  # connections accepted per turn of the event loop
ADDRESS_SHARE = 4  # one address may have a quarter of all connections
LONGEST_HEAD = 1 << 16  # bytes of the URL and headers
MOST_HEADERS = 100  # in one request
SEND_BUFFER = 1 << 16  # bytes of unread data in the kernel per connection
FULL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"


class Limits:
    """Counts open connections, in total and by address, and refuses more than the limits allow."""

    def __init__(self, settings: Settings) -> None:
        self.most = min(settings.connections, max(1, open_files() - SPARE_FILES))
        self.stalled, self.head_timeout = settings.stalled, settings.body_timeout
        self.refused = 0
        networks = ["0.0.0.0/0" if proxy == "*" else proxy for proxy in split_list(settings.proxies)]
        self._proxies = [
            ipaddress.ip_network(network) for network in [*networks, *["::/0"] * ("*" in settings.proxies)]
        ]
        self._open: Counter[str] = Counter()

    def enter(self, host: str) -> bool:
        """Counts one more connection from a host and returns True, or returns False if a limit is reached."""
        address, full = address_of(host), self._open.total() >= self.most
        if full or (self._open[address] >= max(1, self.most // ADDRESS_SHARE) and not self._is_proxy(host)):
            self.refused += 1
            return False
        self._open[address] += 1
        return True

    def leave(self, host: str) -> None:
        address = address_of(host)
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def __len__(self) -> int:
        return self._open.total()

    def _is_proxy(self, host: str) -> bool:
        try:
            address = ipaddress.ip_address(host)
        except ValueError:  # a Unix socket
            return True
        mapped = getattr(address, "ipv4_mapped", None) or address
        return any(mapped in network for network in self._proxies)


class OneWrite:
    """A transport that joins all writes of one turn of the event loop, such as headers and body, into one."""

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
    """A connection that counts towards the limits, and is closed if its client sends or reads too slowly."""

    limits: Limits
    _host: str | None = None
    _timeout: asyncio.TimerHandle | None = None
    _arriving: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.transport = OneWrite(transport, self.loop)  # type: ignore[assignment]
        host = self.client[0] if self.client else ""
        if self.limits.enter(host):
            self._host = host
            self._await_head()
        else:
            transport.write(FULL)
            reset(transport)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel_arriving()
        elif self._arriving is None and not self.transport.is_closing():
            self._await_head()

    def _await_head(self) -> None:
        """Starts the timeout of the URL and headers of a request. The guard limits the time for the body."""
        self._arriving = self.loop.call_later(self.limits.head_timeout, self._close_unless_answering)

    def _close_unless_answering(self) -> None:
        self._arriving = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()

    def _cancel_arriving(self) -> None:
        if self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_arriving()
        self._cancel_timeout()
        if self._host is not None:
            self.limits.leave(self._host)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Starts the timeout of a client that does not read."""
        super().pause_writing()
        if self._timeout is None:
            self._timeout = self.loop.call_later(self.limits.stalled, reset, self.transport)

    def resume_writing(self) -> None:
        self._cancel_timeout()
        super().resume_writing()

    def _cancel_timeout(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
            self._timeout = None


def reset(transport: asyncio.Transport) -> None:
    """Resets a connection and discards its unsent data, including the data in the kernel."""
    connection = transport.get_extra_info("socket")
    with suppress(OSError, AttributeError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def bound_kernel(listener: socket.socket, seconds: float) -> None:
    """Limits the kernel's send buffer and timeout for clients that do not read. Connections inherit the limits."""
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        with suppress(OSError):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * seconds))


def open_files() -> int:
    """Returns the limit of open files for this process."""
    try:
        import resource
    except ImportError:
        return 1 << 16
    return int(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
