"""The HTTP server: starts the application on a socket, and shuts it down gracefully."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import os
import signal
import socket
import sys
from contextlib import suppress
from importlib.util import find_spec
from types import FrameType

import uvicorn

from digitduels.web.app import App
from digitduels.web.connections import BACKLOG, Limits, bound_kernel
from digitduels.web.settings import Settings, split_list
from digitduels.web.workers.supervisor import Supervisor

FIRST_PASSED = 3  # the file descriptor of the first socket from systemd


class Server(uvicorn.Server):
    """Serves until a signal. Then it accepts no more connections, ends the live feeds and finishes open requests."""

    def __init__(
        self, settings: Settings, workers: Supervisor | None = None, bound: tuple[str, int] | None = None
    ) -> None:
        self.stopping = asyncio.Event()
        limits, http = Limits(settings), parser(settings.http)
        app = App(settings, self.stopping, workers, bound)
        app.metrics.gauge("connections_open", "Open connections.", lambda: len(limits))
        app.metrics.counter("connections_refused_total", "Refused connections.", lambda: limits.refused)
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
            timeout_graceful_shutdown=settings.shutdown_timeout,  # type: ignore[arg-type]
        )
        super().__init__(config)

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        await super().serve(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.loop.call_soon_threadsafe(self.stopping.set)
        super().handle_exit(sig, frame)


def serve(settings: Settings, listener: socket.socket, workers: Supervisor | None = None) -> None:
    """Serves until a signal, in a process that does nothing else."""
    # SIGTERM shuts the server down cleanly and is not a failure.
    signal.signal(signal.SIGTERM, lambda *_: None)
    # So does closing its terminal, unless nohup has started the server.
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    allow_many_connections()
    take_turns_quickly()
    server = Server(settings, workers, listener.getsockname()[:2])
    collect_garbage_rarely()
    server.run([listener])


def protocol(limits: Limits, http: str) -> type[asyncio.Protocol]:
    """Returns the connection class of a server, with these limits and an HTTP parser."""
    if http == "h11":
        from digitduels.web.h11_connection import H11Connection

        return type("Connection", (H11Connection,), {"limits": limits})
    from digitduels.web.httptools_connection import HttptoolsConnection

    return type("Connection", (HttptoolsConnection,), {"limits": limits})


def parser(http: str) -> str:
    """Returns the HTTP parser for a setting. For `auto`, the faster httptools if it is installed."""
    if http == "auto":
        return "httptools" if find_spec("httptools") else "h11"
    return http


def trusted(proxies: str) -> list[str]:
    """Returns the trusted proxies, with each IPv4 network also mapped to IPv6, as a dual-stack socket reports it.

    >>> trusted("192.0.2.0/24, ::1")
    ['192.0.2.0/24', '::ffff:192.0.2.0/120', '::1']
    """
    networks = []
    for proxy in split_list(proxies):
        networks.append(proxy)
        if "." in proxy:
            network = ipaddress.ip_network(proxy)
            networks.append(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
    return networks


def listen(settings: Settings) -> socket.socket:
    """Returns the socket from systemd, or a new one at the configured address. Raises OSError if that fails."""
    if os.environ.get("LISTEN_PID") == str(os.getpid()) and os.environ.get("LISTEN_FDS") == "1":
        listener = socket.socket(fileno=FIRST_PASSED)
        bound_kernel(listener, settings.stalled)
        return listener
    family, kind, protocol, _, address = socket.getaddrinfo(
        settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # on Windows, this would take the port from another program
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        bound_kernel(listener, settings.stalled)
        listener.listen(2048)
    except OSError:
        listener.close()
        raise
    return listener


def take_turns_quickly() -> None:
    """Shortens Python's thread switch interval, so that the event loop waits less for the database threads."""
    sys.setswitchinterval(0.0005)


def collect_garbage_rarely() -> None:
    """Exempts loaded modules from garbage collection, and makes it rarer. By default it takes a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def allow_many_connections() -> None:
    """Raises the soft limit of open files, since every live feed needs one."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65536)), hard))
