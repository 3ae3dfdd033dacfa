"""The page in a real browser, before a real server: what a visitor can do, by mouse, by keyboard, on any screen."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from conftest import DUELS, PATIENCE

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    f"--{argument}"
    for argument in ("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync")
] + ["--disable-background-networking", "--disable-component-update"]
FIRST_VIEW = 100_000  # bytes
EXPLAINED = re.compile(r"status of (4\d\d|503)")
# A short game that is solved at once, for a variant never waits until the games by the book are worked out.
QUICK = "/play/operation-target?target=12"

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="No Chromium on the PATH; on Debian and Ubuntu: apt-get install chromium"
)
expect.set_options(timeout=PATIENCE * 500)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Server:
    """`duels serve` with a folder of its own, which can be killed and started again at the same place."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.start()

    def start(self) -> None:
        environment = os.environ | {
            "HOME": str(self.folder),
            "XDG_STATE_HOME": str(self.folder),
            "XDG_CACHE_HOME": str(self.folder),
            "DIGITDUELS_RATE": "0",
        }
        command = [*DUELS, "serve", "--port", str(self.port)]
        self.program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.program.stdout
        found = re.search(r"http://[\d.]+:(\d+)", self.program.stdout.readline())
        assert found
        self.address, self.port = found[0], int(found[1])

    def kill(self) -> None:
        self.program.kill()
        self.program.wait()
        assert self.program.stdout
        self.program.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.kill()


Visit = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    """Opens an address in a browser of its own. Nothing may be asked of other machines, nor any script fail."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def asked(request: Request) -> None:
        if not request.url.startswith((f"{server.address}/", "data:")):
            wrong.append(f"asked {request.url}")

    def heard(message: ConsoleMessage) -> None:
        # A refusal that the page explains is no fault of it.
        if message.type == "error" and not EXPLAINED.search(message.text):
            wrong.append(message.text)

    def open(path: str, width: int = 390, height: int = 844, **settings: Any) -> Page:
        context = browser.new_context(
            base_url=server.address, viewport={"width": width, "height": height}, reduced_motion="reduce", **settings
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", asked)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", heard)
        page.goto(path)
        return page

    yield open
    for context in contexts:
        context.close()
    assert not wrong


def status(page: Page) -> Any:
    return page.get_by_role("status")


def choose(page: Page, *names: str) -> None:
    for name in names:
        # By force, for a choice that is not possible can be pressed too, and says why.
        page.get_by_role("region", name="Your move").get_by_role("button", name=name).first.click(force=True)


# A stranger


def test_a_stranger_makes_a_first_move_from_the_first_page(visit: Visit) -> None:
    page = visit("/")
    expect(status(page)).to_contain_text("Your turn.")
    free = page.locator(".tile:not([aria-disabled])")
    free.first.click()
    page.locator(".signs .tile:not([aria-disabled])").first.click()
    page.wait_for_url(re.compile("/play/.*moves="))
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_the_first_view_is_small(visit: Visit, server: Server) -> None:
    page = visit("about:blank")
    sizes: list[int] = []

    def finished(request: Request) -> None:
        size = request.sizes()
        sizes.append(size["responseBodySize"] + size["responseHeadersSize"])

    page.on("requestfinished", finished)
    page.goto("/")
    expect(status(page)).to_contain_text("Your turn.")
    page.wait_for_load_state("networkidle")
    assert len(sizes) > 5
    assert sum(sizes) < FIRST_VIEW


# A game on one screen


def test_a_whole_game_is_played_by_keyboard_alone(visit: Visit) -> None:
    page = visit("/play/number-duel")
    expect(status(page)).to_have_text("Player 1's turn.")
    page.keyboard.type("5+")
    expect(status(page)).to_have_text("Player 1 played +5. Player 2's turn.")
    page.keyboard.type("+1")
    expect(page.locator(".slots")).to_contain_text("1…")
    page.keyboard.press("Backspace")
    page.keyboard.type("10")
    expect(status(page)).to_have_text("Player 2 played +10. Player 1's turn.")
    # Or with what every page has: Tab and Enter.
    page.locator("#main").focus()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").startswith("10"):
            break
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Player 1 wins")).to_be_focused()


def test_a_game_is_its_address(visit: Visit) -> None:
    page = visit(QUICK)
    choose(page, "Multiply by 2")
    expect(status(page)).to_contain_text("Player 1 played ×2.")
    assert page.url.endswith("&moves=x2")
    choose(page, "Add 1")
    expect(status(page)).to_contain_text("Player 2 played +1.")
    page.reload()
    expect(status(page)).to_have_text("Player 2 played +1. Player 1's turn.")
    page.go_back()
    expect(status(page)).to_have_text("Player 1 played ×2. Player 2's turn.")
    page.go_back()
    expect(status(page)).to_have_text("Player 1's turn.")
    page.go_forward()
    expect(status(page)).to_contain_text("Player 1 played ×2.")
    page.get_by_role("button", name="Take back").click()
    expect(status(page)).to_have_text("Player 1's turn.")


def test_the_computer_answers_and_back_goes_to_the_reader_s_move(visit: Visit) -> None:
    page = visit(f"{QUICK}&vs=7&seat=1&seed=1")
    choose(page, "Add 1")
    expect(status(page)).to_contain_text("Your turn.")
    expect(page).to_have_url(re.compile("moves=%2B1\\+"))
    page.go_back()
    expect(page).to_have_url(re.compile("target=12&vs=7"))
    expect(status(page)).to_have_text("Your turn.")


def test_a_choice_that_is_not_possible_says_why(visit: Visit) -> None:
    page = visit("/play/number-duel?moves=%2B5+%2B5")
    choose(page, "5")
    expect(status(page)).to_contain_text("no 5 in the pool")


def test_a_new_game_is_set_up_on_a_sheet(visit: Visit) -> None:
    page = visit(QUICK)
    page.get_by_role("button", name="New game").click()
    page.get_by_text("Rules of this game").click()
    page.get_by_role("textbox", name="target the number").fill("5")
    page.get_by_role("combobox", name="Against").select_option("7")
    page.get_by_role("radio", name="Player 2").check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile("target=5.*seat=2"))
    expect(status(page)).to_contain_text("Your turn.")
    page.get_by_role("button", name="New game").click()
    page.get_by_text("Rules of this game").click()
    page.get_by_role("textbox", name="target the number").fill("1")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("target must be")


def test_an_address_that_is_no_game_says_what_to_do(visit: Visit) -> None:
    page = visit("/play/number-duel?moves=x99")
    expect(page.get_by_role("alert")).to_contain_text("x99")
    page.get_by_role("link", name="Begin anew").click()
    expect(status(page)).to_have_text("Player 1's turn.")


def test_conceding_asks_first(visit: Visit) -> None:
    page = visit(QUICK)
    page.get_by_role("button", name="Concede").click()
    page.get_by_role("button", name="Play on").click()
    expect(status(page)).to_have_text("Player 1's turn.")
    page.get_by_role("button", name="Concede").click()
    page.get_by_role("dialog").get_by_role("button", name="Concede").click()
    expect(page.get_by_role("heading", name="Player 2 wins")).to_be_visible()


# For everybody


STATES = {
    "home": "/",
    "play": "/play/number-quest?moves=%2B5+x2",
    "uses": "/play/numerical-nexus?moves=%2B5",
    "one number": QUICK,
    "three fields": "/play/equation-duel?moves=6x7",
    "over": "/play/number-duel?moves=%2B5+%2B10+x10",
    "no such game": "/play/nothing",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_in_the_way_of_anybody(visit: Visit, scheme: str) -> None:
    page = visit("about:blank", color_scheme=scheme)
    for name, path in STATES.items():
        page.goto(path)
        page.wait_for_load_state("networkidle")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        found = Axe().run(page)
        assert found.violations_count == 0, f"{name}: {found.generate_report()}"


@pytest.mark.parametrize("width", [320, 1280])
def test_no_page_scrolls_sideways(visit: Visit, width: int) -> None:
    page = visit("about:blank", width=width)
    for name, path in STATES.items():
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
