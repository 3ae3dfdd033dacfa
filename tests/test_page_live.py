"""The page when the connection breaks: however it is lost, the page is up to date soon after it is back."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import MARKS, Room, Visit, Visits, killed, status, until
from servers import PATIENCE, Server
from test_proxy import NGINX, Proxy

pytestmark = MARKS

SILENCE = 25  # seconds of silence after which the page gives up a connection


class Line:
    """A proxy between a browser and a server, which can silence the open feeds, as if a machine slept."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._ends: list[socket.socket] = []
        self.feeds: list[threading.Event] = []
        """The open feeds, each with its end."""
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
        for dead in self.feeds:
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
                    self.feeds.append(dead)
                if not dead.is_set():
                    sink.sendall(data)
            if not dead.is_set():
                sink.shutdown(socket.SHUT_WR)


def waits(page: Page) -> None:
    """Asserts that the page waits for the friend's move."""
    expect(status(page)).to_contain_text("turn.")
    expect(status(page)).not_to_contain_text("Your turn.")


def is_current(page: Page) -> None:
    """Asserts that the page shows the friend's move."""
    expect(status(page)).to_contain_text("Your turn.")


BROKEN = "Connection lost."


def test_a_page_updates_when_the_network_is_back(visit: Visit, server: Server) -> None:
    with Room(server.url) as room:
        page = visit(room.addresses[1])
        waits(page)
        page.context.set_offline(True)
        expect(page.get_by_text(BROKEN)).to_be_visible()
        room.play("+1")
        waits(page)
        page.context.set_offline(False)
        is_current(page)
        expect(page.get_by_text(BROKEN)).to_be_hidden()


def test_a_page_updates_when_its_machine_wakes_up(visit: Visit, server: Server) -> None:
    with Room(server.url) as room, Line(server.port) as line:
        page = visit("about:blank", url=line.url)
        page.clock.install()
        page.goto(room.addresses[1])
        waits(page)
        until(page, lambda: bool(line.feeds))
        # From here on, timers are suspended.
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + SILENCE / 2)
        line.cut()
        room.play("+1")
        waits(page)
        # By the clock, the feed has been silent for a long time.
        page.clock.set_system_time(page.evaluate("Date.now()") / 1000 + 3600)
        page.clock.run_for(2000)
        page.clock.resume()
        is_current(page)
        page.close()


@pytest.mark.skipif(NGINX is None, reason="No nginx on the PATH; on Debian and Ubuntu: apt-get install nginx")
def test_behind_a_proxy_pages_reconnect_after_the_server_is_killed(
    browser: Browser, fragile_server: Server, tmp_path: Path
) -> None:
    with (
        Proxy(tmp_path, fragile_server.port) as proxy,
        Visits(browser, url := f"http://127.0.0.1:{proxy.port}") as visit,
        Room(url) as room,
    ):
        page = visit(room.addresses[1])
        waits(page)
        room.play("+1")
        is_current(page)
        with killed(fragile_server):
            expect(page.get_by_text(BROKEN)).to_be_visible()
            # A move made meanwhile gets an error from the proxy and is sent again later.
            page.get_by_role("button", name="Add 1").click()
            page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_text(BROKEN)).to_be_hidden()
        waits(page)
        room.play("x2")
        is_current(page)
