"""The application on a socket: started, and stopped without losing anything."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import os
import socket
import sys
from contextlib import suppress
from importlib.util import find_spec
from types import FrameType

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from digitduels.web.app import create
from digitduels.web.connections import BACKLOG, Bounded, Limits, bound_kernel
from digitduels.web.settings import Settings, listed

FIRST_PASSED = 3  # the file descriptor of a socket that systemd passes


class Server(uvicorn.Server):
    """Serves until a signal comes; then accepts nothing more, ends what streams, and lets the rest finish."""

    def __init__(self, settings: Settings) -> None:
        self.stopping = asyncio.Event()
        limits, http = Limits(settings), parser(settings.http)
        app = create(settings, self.stopping)
        app.metrics.gauge("connections_open", "Connections.", lambda: len(limits))
        app.metrics.counter("connections_refused_total", "Connections that were refused.", lambda: limits.refused)
        config = uvicorn.Config(
            app,
            http=protocol(limits, http),
            loop="asyncio" if http == "h11" else "auto",
            backlog=BACKLOG,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=True,
            forwarded_allow_ips=trusted(settings.proxies),
            timeout_graceful_shutdown=settings.farewell,  # type: ignore[arg-type]
        )
        super().__init__(config)

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        await super().serve(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.loop.call_soon_threadsafe(self.stopping.set)
        super().handle_exit(sig, frame)


def protocol(limits: Limits, http: str) -> type[asyncio.Protocol]:
    """The connections of one server, with a parser of HTTP."""
    if http == "h11":
        return type("H11Connection", (Bounded, H11Protocol), {"limits": limits})
    from digitduels.web.httptools_connection import HttptoolsConnection

    return type("Connection", (HttptoolsConnection,), {"limits": limits})


def parser(wanted: str) -> str:
    """The parser of HTTP that a setting means: the quicker one if it is installed."""
    if wanted == "auto":
        return "httptools" if find_spec("httptools") else "h11"
    return wanted


def trusted(proxies: str) -> list[str]:
    """Proxies as the server sees them: IPv4 also mapped to IPv6, where it listens on all addresses.

    >>> trusted("192.0.2.0/24, ::1")
    ['192.0.2.0/24', '::ffff:192.0.2.0/120', '::1']
    """
    found = []
    for proxy in listed(proxies):
        found.append(proxy)
        if "." in proxy:
            network = ipaddress.ip_network(proxy)
            found.append(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
    return found


def listen(settings: Settings) -> socket.socket:
    """The socket that systemd passes, or one at the address of the settings; raises OSError if it cannot be had."""
    if os.environ.get("LISTEN_PID") == str(os.getpid()) and os.environ.get("LISTEN_FDS") == "1":
        listener = socket.socket(fileno=FIRST_PASSED)
        bound_kernel(listener, settings.stalled)
        return listener
    family, kind, protocol, _, where = socket.getaddrinfo(
        settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere this would take the port from another program
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        bound_kernel(listener, settings.stalled)
        listener.listen(2048)
    except OSError:
        listener.close()
        raise
    return listener


def take_turns_quickly() -> None:
    """The event loop gets the interpreter back from the thread of the database sooner than by default."""
    sys.setswitchinterval(0.002)


def collect_garbage_rarely() -> None:
    """What is loaded stays, and few of our objects refer to each other in circles: looking for them costs a tenth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def allow_many_connections() -> None:
    """Every stream is an open file; systems allow more than they grant at first."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65536)), hard))
