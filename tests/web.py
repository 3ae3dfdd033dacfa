"""Real servers for tests, on a socket: in a thread of their own, or in the event loop of a test."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import PATIENCE
from digitduels.web.app import App
from digitduels.web.server import Server, listen
from digitduels.web.settings import Settings
from digitduels.web.workers.supervisor import Supervisor
from workers import NoWorkers


def application(**settings: Any) -> App:
    """The application with these settings, without worker processes."""
    wanted = Settings(**{"rate": 0.0, **settings})
    return App(wanted, workers=NoWorkers(wanted))


@contextmanager
def running(
    folder: Path, tables: Path | None = None, *, processes: bool = False, **settings: Any
) -> Iterator[httpx.Client]:
    """A server with its own folder and these settings, and its client. With `processes`, it has real workers.

    Workers look for solutions in `tables`.
    """
    wanted = Settings(**{"port": 0, "rate": 0.0, "database": str(folder / "games.sqlite"), **settings})
    with pytest.MonkeyPatch.context() as patch:
        if tables is not None:
            patch.setenv("XDG_CACHE_HOME", str(tables))
        with _running(wanted, None if processes else NoWorkers(wanted)) as client:
            yield client


@contextmanager
def _running(settings: Settings, workers: Supervisor | None) -> Iterator[httpx.Client]:
    listener = listen(settings)
    server = Server(settings, workers)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        with httpx.Client(base_url=address(listener), timeout=PATIENCE) as client:
            wait_for(lambda: server.started)
            yield client
    finally:
        server.handle_exit(15, None)
        thread.join(PATIENCE)
        assert not thread.is_alive(), "the server does not stop"


@asynccontextmanager
async def serving(database: str, **settings: Any) -> AsyncIterator[tuple[Server, httpx.AsyncClient]]:
    """A server in this event loop, on a real socket, and its client."""
    wanted = Settings(**{"port": 0, "rate": 0.0, "database": database, **settings})
    listener = listen(wanted)
    server = Server(wanted, NoWorkers(wanted))
    running = asyncio.create_task(server.serve([listener]))
    try:
        async with (
            asyncio.timeout(5 * PATIENCE),
            httpx.AsyncClient(base_url=address(listener), timeout=PATIENCE) as client,
        ):
            while not server.started:
                assert not running.done()
                await asyncio.sleep(0.01)
            yield server, client
    finally:
        server.stopping.set()
        server.should_exit = True
        await running


def address(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def warmed(folder: Path, tables: Path, **settings: Any) -> Iterator[httpx.Client]:
    """A server with real workers that has all its tables."""
    with running(folder, tables, processes=True, **settings) as client:
        wait_for(lambda: client.get("/readyz").status_code == 200)
        yield client


def wait_for(true: Any) -> None:
    """Waits until a condition holds; fails after a timeout."""
    end = time.monotonic() + 5 * PATIENCE
    while not true():
        assert time.monotonic() < end, "nothing happens"
        time.sleep(0.02)


def until_the_end(connection: socket.socket) -> bytes:
    """Everything received until the other side closes the connection."""
    answer = b""
    try:
        while chunk := connection.recv(1 << 16):
            answer += chunk
    except ConnectionError:
        pass
    return answer
