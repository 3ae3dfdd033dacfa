"""A real server for tests: on a socket, in its own thread, with its own home folder."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import PATIENCE
from digitduels.web.server import Server, listen
from digitduels.web.settings import Settings


@contextmanager
def running(folder: Path, tables: Path, **settings: Any) -> Iterator[httpx.Client]:
    """A server with its own folder and these settings, and its client."""
    wanted = Settings(**{"port": 0, "rate": 0.0, "database": str(folder / "games.sqlite"), **settings})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tables))
        with _running(wanted) as client:
            yield client


@contextmanager
def _running(settings: Settings) -> Iterator[httpx.Client]:
    listener = listen(settings)
    server = Server(settings)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=PATIENCE) as client:
            wait_for(lambda: server.started)
            yield client
    finally:
        server.handle_exit(15, None)
        thread.join(PATIENCE)
        assert not thread.is_alive(), "the server does not stop"


@contextmanager
def warmed(folder: Path, tables: Path, **settings: Any) -> Iterator[httpx.Client]:
    """A server that has all its tables."""
    with running(folder, tables, **settings) as client:
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
