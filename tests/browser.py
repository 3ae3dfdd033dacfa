"""A real browser for the tests of the page: one Chromium and one server for all tests of a process."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

from servers import PATIENCE, QUICK, Server

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    f"--{argument}"
    for argument in ("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync")
] + ["--disable-background-networking", "--disable-component-update"]
MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="No Chromium on the PATH; on Debian and Ubuntu: apt-get install chromium"
    ),
]
"""The marks of a file with tests in the browser."""
EXPLAINED = re.compile(r"status of (4\d\d|50[23])|net::ERR_")
PHONE = (390, 844)  # pixels
WIDTHS = (320, 1280, 390)
AXE = Axe()
OPEN = pytest.StashKey[tuple[ExitStack, Browser]]()

expect.set_options(timeout=PATIENCE * 1000)


# The browser and the servers


@contextmanager
def launch() -> Iterator[Browser]:
    """Starts Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Browser:
    """The browser of this process."""
    stash = request.session.stash
    if OPEN not in stash:
        stack = ExitStack()
        stash[OPEN] = stack, stack.enter_context(launch())
    return stash[OPEN][1]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Closes the browser before a test that does not use it: Playwright's event loop lets no other one run."""
    stash = item.session.stash
    if OPEN in stash and "browser" not in getattr(nextitem, "fixturenames", ()):
        stash[OPEN][0].close()
        del stash[OPEN]


@pytest.fixture(scope="session")
def server(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that is ready for every question. It gives its workers time, even on a busy machine."""
    with Server(str(tmp_path_factory.mktemp("server") / "games.sqlite"), away=4, variant_timeout=PATIENCE) as server:
        warm(server)
        yield server


def warm(server: Server) -> None:
    """Waits until the server has its tables, and until its worker for variants has answered a question."""
    for path in ("/readyz", "/api/reply/operation-target?target=5&vs=7&seed=1"):
        end = time.monotonic() + 5 * PATIENCE
        while httpx.get(f"{server.url}{path}", timeout=PATIENCE).status_code != 200:
            assert time.monotonic() < end, f"the server is never ready for {path}"
            time.sleep(0.05)


@pytest.fixture(scope="session")
def fragile_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without workers, which starts quickly: for tests that kill it."""
    with Server(str(tmp_path_factory.mktemp("fragile") / "games.sqlite"), QUICK) as server:
        yield server


@contextmanager
def killed(server: Server) -> Iterator[None]:
    """Kills the server, and starts it again after the body."""
    server.kill()
    try:
        yield
    finally:
        server.start()


# Visitors

Visit = Callable[..., Page]


class Visits:
    """Opens pages, each in its own browser context, and collects what goes wrong there."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser, self._url = browser, url
        self._contexts: list[BrowserContext] = []
        self._faults: list[str] = []

    def __enter__(self) -> Visits:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for context in self._contexts:
            context.close()
        if kind is None:
            assert not self._faults

    def __call__(
        self, path: str, width: int = PHONE[0], height: int = PHONE[1], url: str = "", **settings: Any
    ) -> Page:
        """Opens a path of the server. Requests to other machines and script errors are faults."""
        context = self._browser.new_context(
            base_url=url or self._url,
            viewport={"width": width, "height": height},
            reduced_motion="reduce",
            **settings,
        )
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE * 1000)
        allowed = (f"{url or self._url}/", "data:", "blob:")
        page = context.new_page()
        context.on("request", lambda request: self._check_request(request, allowed))
        context.on("weberror", lambda error: self._faults.append(str(error.error)))
        context.on("console", self._check_message)
        page.goto(path)
        return page

    def forgive(self) -> None:
        """Forgets the faults so far, which a test has caused."""
        self._faults.clear()

    def _check_request(self, request: Request, allowed: tuple[str, ...]) -> None:
        if not request.url.startswith(allowed):
            self._faults.append(f"asked {request.url}")

    def _check_message(self, message: ConsoleMessage) -> None:
        # A refusal that the page explains is not an error of the page.
        if message.type == "error" and not EXPLAINED.search(message.text):
            self._faults.append(message.text)


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Visits]:
    """Opens a path of the server in a new browser context; fails if anything goes wrong on a page."""
    with Visits(browser, server.url) as visits:
        yield visits


class Room:
    """A game between Ann, who begins, and Bob."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=PATIENCE)
        created = self._post("/api/games", game="operation-target", options={"target": 12}, name="Ann")
        self._path = f"/api/games/{created['id']}"
        joined = self._post(f"{self._path}/seats", invite=created["invite"], name="Bob")
        self._token = created["token"]
        self.addresses = [
            f"/g/{created['id']}#seat={seat}.{answer['token']}" for seat, answer in enumerate((created, joined), 1)
        ]

    def __enter__(self) -> Room:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def play(self, move: str) -> None:
        """Plays a move for Ann."""
        version = self._client.get(self._path).json()["version"]
        self._post(f"{self._path}/moves", version=version, move=move, key=secrets.token_urlsafe(9))

    def _post(self, path: str, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self._token}"} if "key" in body else {}
        answer = self._client.post(path, json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        return answer.json()


# What visitors see and do


def status(page: Page) -> Locator:
    """The status line."""
    return page.locator("#status[role=status]")


def settled(page: Page, shown: str) -> None:
    """Waits until a page has replaced the previous one and shows an element."""
    expect(page.locator(shown).first).to_be_visible()
    expect(page.locator("main")).not_to_have_class(re.compile("leaving"))


def choose(page: Page, *names: str) -> None:
    """Presses choices on the board."""
    for name in names:
        button = page.get_by_role("region", name="Your move").get_by_role("button", name=name).first
        button.scroll_into_view_if_needed()  # waits until the page stops moving
        # Forced, because an illegal choice can be pressed too, and explains itself.
        button.click(force=True)


def more(page: Page, name: str) -> None:
    """Chooses a command from the "More" menu."""
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name=name).click()


def until(page: Page, true: Callable[[], bool]) -> None:
    """Waits until a condition holds. The page's security policy forbids Playwright's `wait_for_function`."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "nothing happens"
        page.wait_for_timeout(20)


def assert_accessible(page: Page, state: str) -> None:
    """Asserts that a page has no accessibility violations and never scrolls sideways.

    This is checked in light mode; `test_page_styles.py` checks the contrast of the colours in both modes.
    """
    violations = AXE.run(page, options={"resultTypes": ["violations"]})
    assert violations.violations_count == 0, f"{state}: {violations.generate_report()}"
    size = page.viewport_size
    assert size is not None
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": PHONE[1]})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{state} at {width}"
    if size != page.viewport_size:
        page.set_viewport_size(size)
