"""Every page on every screen: accessible, small, without scrolling or shifting, in light and dark mode, with motion."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from playwright.sync_api import Page, Request, expect

import digitduels as dd
from browser import MARKS, Visit, assert_accessible, choose, more, settled, until
from digitduels.web.positions.looks import PLAIN
from servers import PATIENCE, Server
from test_page_styles import palette

pytestmark = MARKS

FIRST_VIEW = 48_000  # bytes, with headers and prefetched files
STATES = {
    "playing": {
        "home": ("/", ".card.puzzle p:has-text(':')"),
        "play": ("/play/number-quest?moves=%2B5+x2", ".tile"),
        "uses": ("/play/numerical-nexus?moves=%2B5", ".tile .result"),
        "one number": ("/play/operation-target?target=12", ".tile .result"),
        "three fields": ("/play/equation-duel?moves=6x7", ".tile"),
        "over": ("/play/number-duel?moves=%2B5+%2B10+x10", ".end .explanation p"),
        "help": ("/help", "main h1"),
    },
    "exploring": {
        "games": ("/explore", ".cards"),
        "position": ("/explore/number-quest?moves=%2B5+x2", ".flip"),
        "uses": ("/explore/numerical-nexus?moves=%2B5", ".flip"),
        "one number": ("/explore/operation-target?moves=x2", ".flip"),
        "the end": ("/explore/number-duel?moves=%2B5+%2B10+x10", ".standing:has-text('The game is over')"),
        "lab": ("/lab", ".cards"),
        "lab of a game": ("/lab/number-duel?highest=4&target=20", ".lab-strip"),
    },
    "learning": {
        "review": ("/review/number-duel?moves=%2B1+%2B1+%2B2", ".moment .kicker"),
        "records": ("/review", "main .opener"),
        "records of a game": ("/review/number-quest", "main .opener"),
        "puzzle": ("/puzzle/number-duel?tier=2&seed=3", ".tile"),
        "today": ("/puzzle", ".tile"),
        "rules": ("/learn/equation-duel", "section[aria-label='With perfect play'] li"),
    },
    "teaching": {
        "desk": ("/teach?game=number-quest", ".preset[aria-pressed=true]"),
        "link": ("/teach?show=link&game=number-duel&vs=4&seed=1", ".projector .url"),
        "board": ("/teach?show=board&game=number-quest&values=on", ".projector .quest:has-text('is winning')"),
        "sheet": ("/teach?show=sheet&game=number-duel&count=2", ".exercise"),
        "plan": ("/teach?game=number-quest&show=plan", ".plan"),
        "privacy": ("/privacy", "main h1"),
        "reach": ("/reach/abc", "main h1"),
    },
    "missing": {
        "class": ("/class/BBBBB", "main h1"),
        "game": ("/play/nothing", "[role=alert] h1"),
        "page": ("/nothing", "main h1"),
    },
}
"""Every page in groups: its path, and what it shows last."""


@pytest.mark.parametrize("group", STATES)
def test_every_page_is_accessible_on_every_screen(visit: Visit, group: str) -> None:
    page = visit("about:blank")
    for name, (path, shown) in STATES[group].items():
        page.goto(path)
        settled(page, shown)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
        assert_accessible(page, f"{group}: {name}")


def test_the_theme_follows_the_system_until_the_reader_chooses_one(visit: Visit) -> None:
    page = visit("/help", color_scheme="dark")
    settled(page, "main h1")

    def is_dark(dark: bool) -> None:
        paper = ", ".join(str(round(255 * part)) for part in palette(PLAIN, dark)["paper"])
        expect(page.locator("body")).to_have_css("background-color", f"rgb({paper})")

    is_dark(True)
    page.emulate_media(color_scheme="light")
    is_dark(False)
    page.get_by_role("button", name="Theme").click()
    is_dark(True)
    page.reload()
    is_dark(True)
    page.get_by_role("button", name="Theme").click()
    is_dark(False)


# Size and layout

SHIFTS = """
window.shifts = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def test_the_first_view_is_small_and_does_not_shift(visit: Visit) -> None:
    page = visit("about:blank", width=360, height=740)
    page.add_init_script(SHIFTS)
    sent: list[Request] = []
    arrived: list[Request] = []
    page.on("request", lambda request: sent.append(request))
    page.on("requestfinished", lambda request: arrived.append(request))
    page.on("requestfailed", lambda request: sent.remove(request))
    page.goto("/")
    settled(page, STATES["playing"]["home"][1])  # today's puzzle, which comes last
    until(page, lambda: len(arrived) == len(sent))
    # The browser has the second copy of a file in its cache, and reports a negative size.
    sizes = [
        max(0, size["responseBodySize"]) + size["responseHeadersSize"]
        for size in (request.sizes() for request in arrived)
    ]
    assert len(sizes) > 5
    assert sum(sizes) < FIRST_VIEW
    assert page.evaluate("window.shifts") <= 0.02


LATE = {"offline": False, "latency": 600, "downloadThroughput": -1, "uploadThroughput": -1}
"""A line on which every answer comes too late for its shifts to count as caused by a key or a click."""


def test_the_first_move_the_end_of_a_game_and_pages_for_study_shift_nothing(visit: Visit, server: Server) -> None:
    page = visit("/")
    page.add_init_script(SHIFTS)
    # From the first page to the page of the game, the tiles stay under the finger.
    for width, height in ((360, 740), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("localStorage.clear()")
        page.goto("/")
        tile = page.locator(".tiles").first.get_by_role("button", name="5")
        before = tile.bounding_box()
        page.keyboard.type("5+")
        page.wait_for_url(re.compile("/play/"))
        settled(page, ".actions")
        assert tile.bounding_box() == before
    page.set_viewport_size({"width": 360, "height": 740})
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        for name in dd.games():
            *moves, last = finish(client, name)
            seat = 1 + len(moves) % 2
            page.goto(f"/play/{name}?{urlencode({'moves': ' '.join(moves)})}&vs=2&seat={seat}&seed=1")
            expect(page.locator(".tile:not([aria-disabled])").first).to_be_visible()
            session = page.context.new_cdp_session(page)
            session.send("Network.emulateNetworkConditions", LATE)
            page.keyboard.type(last)
            if page.locator(".slots").count():  # 1, where 10 is possible too
                page.keyboard.press("Enter")
            expect(page.locator(".end .explanation > p:not(.wait)").first).to_be_visible()
            assert page.evaluate("window.shifts") <= 0.02, name
            session.detach()
    page.set_viewport_size({"width": 1280, "height": 800})
    for path, shown in (
        ("/review/number-duel?moves=%2B1+%2B1+%2B2&vs=4&seat=1&seed=1", ".moment .kicker"),
        ("/explore/number-duel?moves=%2B5+%2B10", ".mapped:not([hidden]) svg"),
    ):
        page.goto(path)
        settled(page, shown)
        assert page.evaluate("window.shifts") <= 0.02, path


def test_the_end_of_a_game_in_explore_shifts_nothing(visit: Visit, server: Server) -> None:
    page = visit("/")
    page.add_init_script(SHIFTS)
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        games = {name: finish(client, name) for name in dd.games()}
    for width, height in ((360, 740), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        for name, (*moves, last) in games.items():
            page.goto(f"/explore/{name}?{urlencode({'moves': ' '.join(moves)})}")
            expect(page.get_by_role("region", name="Every move")).to_be_visible()
            session = page.context.new_cdp_session(page)
            session.send("Network.emulateNetworkConditions", LATE)
            page.evaluate("window.shifts = 0")
            page.keyboard.type(last)
            if page.locator(".slots").count():  # 1, where 10 is possible too
                page.keyboard.press("Enter")
            expect(page.get_by_role("heading", name="The game is over")).to_be_visible()
            page.keyboard.press("ArrowLeft")
            expect(page.get_by_role("region", name="Every move")).to_be_visible()
            assert page.evaluate("window.shifts") <= 0.02, (name, width)
            session.detach()


def test_a_game_has_one_header_and_its_names_have_room(visit: Visit) -> None:
    page = visit("/play/number-quest?vs=3&seat=1&seed=1", width=1280, height=800)
    settled(page, ".tile")
    expect(page.get_by_role("navigation")).to_have_count(1)
    boxes = [page.locator(part).bounding_box() for part in (".brand", "#head h1", ".tabs")]
    middles = {round(box["y"] + box["height"] / 2) for box in boxes if box}
    assert max(middles) - min(middles) <= 2, "one row"
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Learn").click()
    settled(page, ".cards")
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    expect(page.get_by_role("button", name="Menu")).to_be_hidden()
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/play/number-quest?vs=3&seat=1&seed=1&moves=%2B9+%2B5")
    settled(page, ".tile")
    expect(page.locator(".aim")).to_have_text("first to exactly 50")
    cut = "all => all.filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent)"
    assert page.locator(".player .name, .aim, .preview, .preview p").evaluate_all(cut) == []


def finish(client: httpx.Client, name: str) -> list[str]:
    """The best moves of a whole game."""
    moves: list[str] = []
    while best := client.get(f"/api/solve/{name}", params={"moves": " ".join(moves)}).json()["best"]:
        moves.append(best[0])
    return moves


def lowest(page: Page, parts: str) -> float:
    """The lower edge of the lowest of these parts, once the page has adapted to the size of the screen."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    edge: float = page.locator(parts).evaluate_all("all => Math.max(...all.map(e => e.getBoundingClientRect().bottom))")
    return edge


def test_a_move_needs_no_scrolling(visit: Visit) -> None:
    page = visit("about:blank")
    for name in dd.games():
        page.goto(f"/play/{name}?vs=2&seat=1&seed=1")
        expect(page.locator(".tile:not([aria-disabled])").first).to_be_visible()
        for width, height in ((360, 740), (740, 360), (640, 400)):
            page.set_viewport_size({"width": width, "height": height})
            parts = ".board, .preview, .tile, .actions button" if width < height else ".tile"
            assert lowest(page, parts) <= height, f"{name} at {width}×{height}"


def test_a_move_on_a_page_for_study_needs_no_scrolling_on_a_phone(visit: Visit, server: Server) -> None:
    page = visit("about:blank", width=360, height=740)
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        for name in dd.games():
            moves = urlencode({"moves": " ".join(slip(client, name))})
            for path, shown in ((f"/review/{name}?{moves}", ".moment .kicker"), (f"/explore/{name}?{moves}", ".flip")):
                page.goto(path)
                settled(page, shown)
                expect(page.locator(".tile:not([aria-disabled])").first).to_be_visible()
                assert lowest(page, ".board, .preview, .tile") <= 740, path


def slip(client: httpx.Client, name: str) -> list[str]:
    """The best moves of a game until one of them could throw the result away, and then such a move."""
    moves: list[str] = []
    while True:
        solved: Any = client.get(f"/api/solve/{name}", params={"moves": " ".join(moves)}).json()
        slips = [move["move"] for move in solved["each"] if move["value"] != solved["value"]]
        if slips:
            return [*moves, slips[0]]
        moves.append(solved["best"][0])


# Motion and sound

COUNT = """
window.flights = window.sounds = 0;
addEventListener("DOMContentLoaded", () => new MutationObserver(changes => {
  for (const { addedNodes } of changes)
    for (const node of addedNodes) if (node.classList?.contains("flight")) window.flights += 1;
}).observe(document.body, { childList: true }));
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) {
  window.sounds += 1;
  start.apply(this, when);
};
"""


def win(page: Page) -> tuple[int, int]:
    """Plays the winning move of a game, and counts the tiles that fly and the tones."""
    page.goto("/play/operation-target?target=5&moves=x2+x2&vs=1&seat=1&seed=1")
    with page.expect_response(re.compile(r"/js/feel\.js")) as effects:
        choose(page, "Add 1")
    expect(page.get_by_role("heading", name="You win")).to_be_visible()
    # The page waits for this module, too, and has started everything when it is there.
    page.evaluate("url => import(url).then(() => {})", effects.value.url)
    flights, sounds = page.evaluate("[window.flights, window.sounds]")
    expect(page.locator(".flight")).to_have_count(0)
    return flights, sounds


def test_wins_are_animated_unless_reduced_motion_is_set_and_heard_unless_sounds_are_off(visit: Visit) -> None:
    page = visit("about:blank")
    page.add_init_script(COUNT)
    flights, sounds = win(page)
    assert flights == 0
    assert sounds > 1
    page.emulate_media(reduced_motion="no-preference")
    flights, _ = win(page)
    assert flights > 1
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture of your win").click()
    assert download.value.suggested_filename == "operation-target.png"
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    more(page, "Turn sounds off")
    _, sounds = win(page)
    assert sounds == 0
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("button", name="Turn sounds on")).to_be_visible()
