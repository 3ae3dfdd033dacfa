"""The page when the connection breaks: however it is lost, the page is up to date soon after it is back."""

from __future__ import annotations

import datetime
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from servers import PATIENCE, Server
from test_page import browser, pytestmark
from test_proxy import NGINX, Proxy

__all__ = ["browser", "pytestmark"]

SILENCE = 25  # seconds of silence after which the page gives up a connection


class Line:
    """A proxy between a browser and a server, which can silence the open feeds, as if a machine slept."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._ends: list[socket.socket] = []
        self._feeds: list[threading.Event] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        for end in (self._listener, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE)
        for end in (self._listener, *self._ends):
            end.close()

    def cut(self) -> None:
        """Drops everything on the open feeds from now on."""
        assert self._feeds
        for dead in self._feeds:
            dead.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                self._ends.append(here)
                there = socket.create_connection(("127.0.0.1", self._behind))
                self._ends.append(there)
                dead = threading.Event()
                for source, sink in ((here, there), (there, here)):
                    self._threads.append(threading.Thread(target=self._carry, args=(source, sink, dead)))
                    self._threads[-1].start()

    def _carry(self, source: socket.socket, sink: socket.socket, dead: threading.Event) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if b"text/event-stream" in data:
                    self._feeds.append(dead)
                if not dead.is_set():
                    sink.sendall(data)
            if not dead.is_set():
                sink.shutdown(socket.SHUT_WR)


class Game:
    """A game between friends, one of whom uses the browser."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=PATIENCE)
        created = self._post("/api/games", game="operation-target", options={"target": 12})
        self.path = f"/api/games/{created['id']}"
        joined = self._post(f"{self.path}/seats", invite=created["invite"])
        self.token = created["token"]
        self.address = f"/g/{created['id']}#seat=2.{joined['token']}"

    def __enter__(self) -> Game:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def play(self, move: str) -> None:
        """Plays a move for the friend."""
        version = self.client.get(self.path).json()["version"]
        self._post(f"{self.path}/moves", version=version, move=move, key=secrets.token_urlsafe(9))

    def _post(self, path: str, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"} if "key" in body else {}
        answer = self.client.post(path, json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        return answer.json()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture(scope="module")
def server(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(str(tmp_path_factory.mktemp("server") / "games.sqlite")) as server:
        yield server


def waits(page: Page) -> None:
    """Asserts that the page waits for the friend's move."""
    expect(page.get_by_role("status")).to_contain_text("turn.")
    expect(page.get_by_role("status")).not_to_contain_text("Your turn.")


def is_current(page: Page, seconds: float = PATIENCE) -> None:
    """Asserts that the page shows the friend's move."""
    expect(page.get_by_role("status")).to_contain_text("Your turn.", timeout=1000 * seconds)


BROKEN = "Connection lost."


def test_a_page_updates_when_the_network_is_back(context: BrowserContext, server: Server) -> None:
    with Game(server.url) as game:
        page = context.new_page()
        page.goto(server.url + game.address)
        waits(page)
        context.set_offline(True)
        expect(page.get_by_text(BROKEN)).to_be_visible()
        game.play("+1")
        waits(page)
        context.set_offline(False)
        is_current(page)
        expect(page.get_by_text(BROKEN)).to_be_hidden()


def test_a_page_updates_when_its_machine_wakes_up(context: BrowserContext, server: Server) -> None:
    with Game(server.url) as game, Line(server.port) as line:
        page = context.new_page()
        page.clock.install()
        page.goto(line.url + game.address)
        waits(page)
        line.cut()
        game.play("+1")
        waits(page)
        # Timers were suspended. By the clock, the feed has been silent for a long time.
        page.clock.set_system_time(datetime.datetime.now() + datetime.timedelta(hours=1))
        is_current(page, SILENCE - 5)
        page.close()


@pytest.mark.skipif(NGINX is None, reason="No nginx on the PATH; on Debian and Ubuntu: apt-get install nginx")
def test_behind_a_proxy_pages_reconnect_after_the_server_is_killed(
    context: BrowserContext, server: Server, tmp_path: Path
) -> None:
    with Proxy(tmp_path, server.port) as proxy, Game(url := f"http://127.0.0.1:{proxy.port}") as game:
        page = context.new_page()
        page.goto(url + game.address)
        waits(page)
        game.play("+1")
        is_current(page)
        server.kill()
        expect(page.get_by_text(BROKEN)).to_be_visible()
        # A move made meanwhile gets an error from the proxy and is sent again later.
        page.get_by_role("button", name="Add 1").click()
        page.get_by_role("button", name="Play", exact=True).click()
        server.start()
        expect(page.get_by_text(BROKEN)).to_be_hidden()
        waits(page)
        game.play("x2")
        is_current(page)
