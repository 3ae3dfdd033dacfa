"""The page in Chromium: transfer size and time to a playable board on a slow phone, and layout shifts."""

from __future__ import annotations

import http.server
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from digitduels.cli.commands.site import RUNTIME
from digitduels.web.site.export import write_site

RUNS = 3
# A round trip of 400 ms, 400 kbit/s, and a CPU slowed down by a factor of four.
SLOW = {"offline": False, "latency": 400, "downloadThroughput": 400_000 / 8, "uploadThroughput": 400_000 / 8}
SLOWER = 4
PHONE: ViewportSize = {"width": 360, "height": 740}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
FIRST_VIEWS = {
    "home": "/",
    "a game against the computer": "/play/number-quest?moves=%2B5+x2&vs=3&seat=1&seed=1",
    "a game with many moves to choose from": "/play/equation-duel?vs=3&seat=1&seed=1",
}
# The same views of a site without a server. Its pages contain the first position of a game against level 2.
SITE_VIEWS = {"home": "/", "a game against the computer": "/play/number-quest/?vs=2&seat=1&seed=1"}
# A game as keyboard input. The seed fixes the computer's replies.
GAME = ("/play/number-quest?vs=2&seat=1&seed=7", ("9+", "8+", "7+", "6+", "5+"))
# The last move of a game as keyboard input, over a line so slow that no shift counts as caused by the keys.
LAST_MOVES = (
    ("/play/number-quest?moves=%2B5+x2+%2B9+%2B8&vs=2&seat=1&seed=1", "6*"),
    ("/play/operation-target?moves=x2+x2+%2B1+%2B1+x2&vs=2&seat=2&seed=1", "x2"),
)
LATE = {**SLOW, "latency": 700, "downloadThroughput": -1, "uploadThroughput": -1}
STUDY = {
    "review": ("/review/number-duel?moves=%2B1+%2B1+%2B2&vs=4&seat=1&seed=1", ".moment .kicker"),
    "explore": ("/explore/number-duel?moves=%2B5+%2B10", "[aria-label='Who wins at which scores']:not([hidden])"),
}
SHIFTS = """
window.shifts = [];
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });
"""
PLAYABLE = ".tile:not([aria-disabled])"
# Records in the page when the first playable board is drawn, because polling from outside would be throttled too.
FIRST_BOARD = f"""
new MutationObserver((_, watch) => {{
  if (!document.querySelector("{PLAYABLE}")) return;
  watch.disconnect();
  requestAnimationFrame(() => {{ window.firstBoard = performance.now(); }});
}}).observe(document, {{ childList: true, subtree: true }});
"""


def table() -> str:
    with serving() as base, hosting() as site, sync_playwright() as playwright:
        chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
        for path in FIRST_VIEWS.values():  # warm up the server
            open_page(browser, base + path).close()
        rows = ["| first view | requests | compressed | first playable board |", "|---|---:|---:|---:|"]
        views = [(name, base + path) for name, path in FIRST_VIEWS.items()]
        views += [(f"{name}, without a server", site + path) for name, path in SITE_VIEWS.items()]
        for name, url in views:
            runs = [first_view(browser, url) for _ in range(RUNS)]
            seconds = statistics.median(run[2] for run in runs)
            rows.append(f"| {name} | {runs[0][0]} | {runs[0][1] / 1000:.1f} kB | {seconds:.1f} s |")
        rows += ["", "| at 360×740, study at 1280×800 | sum of layout shifts without input |", "|---|---:|"]
        rows += [f"| {name} | {value:.3f} |" for name, value in layout_shifts(browser, base).items()]
        browser.close()
    return "\n".join(rows)


def first_view(browser: Browser, url: str) -> tuple[int, int, float]:
    """The requests and the bytes that arrive before the board is playable, and the seconds until then; no cache."""
    context = browser.new_context(viewport=PHONE)
    context.add_init_script(FIRST_BOARD)
    page = context.new_page()
    session = context.new_cdp_session(page)
    sent: list[float] = []
    arrived: list[tuple[float, int]] = []
    session.on("Network.requestWillBeSent", lambda event: sent.append(event["timestamp"]))
    session.on(
        "Network.loadingFinished", lambda event: arrived.append((event["timestamp"], int(event["encodedDataLength"])))
    )
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(url, wait_until="commit")
    page.wait_for_selector(PLAYABLE)
    page.wait_for_timeout(200)
    seconds = float(page.evaluate("window.firstBoard")) / 1000
    context.close()
    # What the page asks for after the board may arrive before the wait above ends, or not.
    sizes = [size for time, size in arrived if time <= sent[0] + seconds]
    return len(sizes), sum(sizes), seconds


def layout_shifts(browser: Browser, base: str) -> dict[str, float]:
    """The sum of layout shifts on the home page, in a whole game, at its end, and on pages for study."""
    shifts = {}
    page = open_page(browser, base + "/")
    page.wait_for_load_state("networkidle")
    shifts["home"] = total(page)
    path, moves = GAME
    page = open_page(browser, base + path)
    for move in moves:
        page.wait_for_selector(f"{PLAYABLE}, .end:not([hidden])")
        if page.locator(".end:not([hidden])").count():
            break
        page.keyboard.type(move, delay=700)  # late enough that shifts do not count as caused by input
        page.wait_for_timeout(2000)
    page.wait_for_timeout(1500)
    shifts[f"a game of {len(moves)} moves each, at most"] = total(page)
    ends = []
    for path, keys in LAST_MOVES:
        page = open_page(browser, base + path)
        page.wait_for_timeout(1000)
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", LATE)
        page.keyboard.type(keys)
        page.wait_for_selector(".end .explanation > p:not(.wait)")
        page.wait_for_timeout(500)
        ends.append(total(page))
    shifts["the end of a game on a slow line"] = max(ends)
    for name, (path, last) in STUDY.items():
        page = open_page(browser, base + path, DESKTOP)
        page.wait_for_selector(last)
        page.wait_for_timeout(1000)
        shifts[name] = total(page)
    return shifts


def open_page(browser: Browser, url: str, viewport: ViewportSize = PHONE) -> Page:
    page = browser.new_page(viewport=viewport)
    page.add_init_script(SHIFTS)
    page.goto(url)
    expect(page.locator(PLAYABLE).first).to_be_visible()
    return page


def total(page: Page) -> float:
    shifts: list[Any] = page.evaluate("window.shifts")
    return float(sum(shifts))


class Compressed(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and of each file the copy that is compressed with Brotli, if there is one."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        packed = path.with_name(f"{path.name}.br")
        compressed = packed.is_file() and "br" in self.headers["Accept-Encoding"]
        body = (packed if compressed else path).read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(len(body)))
        if compressed:
            self.send_header("Content-Encoding", "br")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def hosting() -> Iterator[str]:
    """Writes a site without a server, serves its folder and yields the address."""
    with tempfile.TemporaryDirectory() as folder:
        write_site(Path(folder), RUNTIME)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Compressed, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        server.server_close()


@contextmanager
def serving() -> Iterator[str]:
    """Starts a server and yields its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "digitduels", "serve", "--port", "0", "--database", str(Path(folder) / "db")]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            assert server.stdout is not None
            address = re.search(r"http://[\d.:]+", server.stdout.readline())
            assert address is not None, "The server did not start."
            yield address[0]
        finally:
            server.terminate()
            server.wait()
