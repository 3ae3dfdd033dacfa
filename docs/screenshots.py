"""Takes the pictures of docs/images and those that links are shared with. `make screenshots` runs it.

A real server, a real Chromium, fixed games.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

import digitduels as dd
from digitduels.manual import summary
from digitduels.web.positions.looks import LOOKS, PLAIN

IMAGES = Path(__file__).parent / "images"
PAGE = Path(dd.__file__).parent / "web" / "page"
LARGEST = 130_000  # bytes of a picture
SOLVED = 120_000  # milliseconds in which a game is solved for the first time
PHONE, DESKTOP = (390, 844), (1280, 800)
GAME = "/play/number-quest?moves=%2B6+%2B5+%2B8+%2B7&vs=3&seat=1&seed=1"


def choose_number(page: Page) -> None:
    """Chooses a number; the operation is still open."""
    page.keyboard.press("3")


def show_map(page: Page) -> None:
    """Scrolls to the map of who wins where."""
    page.get_by_role("button", name="Map").click(timeout=60_000)
    heading = page.get_by_role("heading", name="Who wins where")
    expect(heading).to_be_visible()
    heading.evaluate("heading => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 90)")


def show_values(page: Page) -> None:
    """Shows what every choice leads to."""
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".chip").first).to_be_visible(timeout=60_000)


PICTURES = {
    "play": (GAME, PHONE, "light", choose_number),
    "truth": (GAME, DESKTOP, "light", show_values),
    "map": ("/explore/number-quest?moves=%2B6+%2B5+%2B8+%2B7", PHONE, "light", show_map),
    "dark": ("/play/numerical-nexus?moves=%2B5+%2B3+x2+x3+%2B3+%2B5&vs=4&seat=1&seed=1", PHONE, "dark", None),
}


# Every page, to be looked at: `python docs/screenshots.py FOLDER [PAGE …]` takes each of them, or some, in four forms.
PAGES = {
    "home": "/",
    "number-duel": "/play/number-duel?moves=%2B9+%2B9+x5+%2B2&vs=3&seat=1&seed=1",
    "number-quest": GAME,
    "numerical-nexus": "/play/numerical-nexus?moves=%2B5+%2B3+x2+x3+%2B3+%2B5&vs=4&seat=1&seed=1",
    "equation-duel": "/play/equation-duel?moves=6x7+1x3&vs=3&seat=1&seed=1",
    "operation-target": "/play/operation-target?moves=x2+%2B1&vs=4&seat=1&seed=1",
    "end": "/play/number-duel?moves=%2B5+%2B10+x10&vs=3&seat=1",
    "learn": "/learn/number-quest",
    "explore": "/explore/number-quest?moves=%2B6+%2B5",
    "explore-nexus": "/explore/numerical-nexus?moves=%2B5+%2B3+x2+x3",
    "explore-games": "/explore",
    "puzzle": "/puzzle/number-duel?tier=2&seed=3",
    "review": "/review/number-duel?moves=%2B1+%2B1+%2B2&vs=4&seat=1&seed=1",
    "review-tab": "/review/number-quest",
    "my-games": "/review",
    "lab-games": "/lab",
    "lab": "/lab/number-duel",
    "teach": "/teach",
    "join": "/j",
    "help": "/help",
    "privacy": "/privacy",
    "lost": "/play/nothing",
}
FORMS: dict[str, tuple[tuple[int, int], Literal["light", "dark"]]] = {
    "phone": ((360, 740), "light"),
    "dark": ((360, 740), "dark"),
    "landscape": ((740, 360), "light"),
    "desktop": (DESKTOP, "light"),
}


def take_all(browser: Browser, base: str, folder: Path, names: list[str]) -> None:
    """Takes pages in every form."""
    folder.mkdir(parents=True, exist_ok=True)
    for form, ((width, height), scheme) in FORMS.items():
        size: ViewportSize = {"width": width, "height": height}
        page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        for name in names:
            page.goto(base + PAGES[name])
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            page.wait_for_load_state("networkidle", timeout=SOLVED)
            page.screenshot(path=folder / f"{name}-{form}.png")
        page.close()


def take(browser: Browser, base: str, name: str) -> None:
    path, (width, height), scheme, prepare = PICTURES[name]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
    page.goto(base + path)
    expect(page.get_by_role("status")).to_contain_text("turn.")
    if prepare is not None:
        prepare(page)
    page.wait_for_load_state("networkidle", timeout=SOLVED)
    picture = IMAGES / f"{name}.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size <= LARGEST, f"{picture.name} has {picture.stat().st_size:,} bytes"
    page.close()


CARD = """
<body style="margin:0;width:1200px;height:630px;display:grid;align-content:center;gap:28px;box-sizing:border-box;
padding:90px;background:{light};color:#fff;font-family:'Liberation Sans',sans-serif">
<div style="display:flex;gap:40px;align-items:center"><span style="display:grid;place-items:center;width:150px;
height:150px;border-radius:40px;background:#fff;color:{light};font-size:104px;font-weight:800">{emblem}</span>
<b style="font-size:92px;letter-spacing:-3px">{title}</b></div>
<div style="font-size:42px;line-height:1.35">{about}</div>
<div style="font-size:32px;opacity:.85">Digit Duels · play at once, no account</div>
"""


def draw_cards(browser: Browser) -> None:
    """Draws the picture that a link to each game is shared with, and the icon of a phone's home screen."""
    page = browser.new_page(viewport={"width": 1200, "height": 630})
    cards = {name: (LOOKS.get(name, PLAIN), dd.game(name).title, summary(dd.game(name))) for name in dd.games()}
    cards["plain"] = (PLAIN, "Digit Duels", "Five quick number games for two.")
    for name, (look, title, about) in cards.items():
        page.set_content(CARD.format(light=look.light, emblem=look.emblem, title=title, about=about))
        page.screenshot(path=PAGE / "og" / f"{name}.png")
    page.set_viewport_size({"width": 180, "height": 180})
    icon = (PAGE / "icon.svg").read_text(encoding="utf-8")
    page.set_content(f'<body style="margin:0;background:{PLAIN.light}">{icon}<style>svg{{width:180px;height:180px}}')
    page.screenshot(path=PAGE / "touch-icon.png")
    page.close()


def main() -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("No Chromium on the PATH; on Debian and Ubuntu: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "digitduels", "serve", "--port", "0", "--database", f"{folder}/games.db"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # noqa: S603
        try:
            assert server.stdout is not None
            address = re.search(r"http://[\d.:]+", server.stdout.readline())
            assert address is not None, "The server did not start."
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
                if sys.argv[1:]:
                    take_all(browser, address[0], Path(sys.argv[1]), sys.argv[2:] or list(PAGES))
                else:
                    draw_cards(browser)
                    for name in PICTURES:
                        take(browser, address[0], name)
                browser.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
