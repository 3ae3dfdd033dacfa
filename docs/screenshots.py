"""Takes the pictures of docs/images: a real server, a real Chromium, fixed games. `make screenshots` runs it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

IMAGES = Path(__file__).parent / "images"
LARGEST = 100_000  # bytes of a picture
PHONE, DESKTOP = (390, 844), (1280, 800)
GAME = "/play/number-quest?moves=%2B5+x2+%2B9+%2B8&vs=3&seat=1&seed=1"


def choose_number(page: Page) -> None:
    """Chooses a number; the operation is still open."""
    page.keyboard.press("3")


def show_map(page: Page) -> None:
    """Scrolls to the map of who wins where."""
    heading = page.get_by_role("heading", name="Who wins where")
    expect(heading).to_be_visible(timeout=60_000)
    heading.evaluate("heading => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 90)")


def show_values(page: Page) -> None:
    """Shows what every choice leads to."""
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".chip").first).to_be_visible(timeout=60_000)


PICTURES = {
    "play": (GAME, PHONE, "light", choose_number),
    "truth": (GAME, DESKTOP, "light", show_values),
    "map": ("/explore/number-quest?moves=%2B5+x2+%2B9+%2B8", PHONE, "light", show_map),
    "dark": ("/play/numerical-nexus?moves=%2B5+%2B3+x2+x3+%2B3+%2B5&vs=4&seat=1&seed=1", PHONE, "dark", None),
}


def take(browser: Browser, base: str, name: str) -> None:
    path, (width, height), scheme, prepare = PICTURES[name]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
    page.goto(base + path)
    expect(page.get_by_role("status")).to_contain_text("turn.")
    if prepare is not None:
        prepare(page)
    page.wait_for_load_state("networkidle")
    picture = IMAGES / f"{name}.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size <= LARGEST, f"{picture.name} has {picture.stat().st_size:,} bytes"
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
                for name in PICTURES:
                    take(browser, address[0], name)
                browser.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
