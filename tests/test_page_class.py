"""A class in real browsers: a teacher, two pupils, simulated pupils, and servers that are killed.

python tests/test_page_class.py        the long run: 38 simulated pupils, three rounds, two servers on one PostgreSQL
"""

from __future__ import annotations

import random
import re
import secrets
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, expect

from browser import MARKS, PHONE, Visit, Visits, assert_accessible, launch, more, settled, status, until, warm
from databases import start_postgresql
from servers import PATIENCE, Server

pytestmark = MARKS

RECOVERY = 15  # seconds until every page is up to date again, in the long run
DESK = (1280, 900)  # pixels
WALL = (1920, 1080)


class Programs:
    """Simulated pupils: each plays a legal move on its turn, on any of the servers."""

    def __init__(self, urls: list[str], code: str, count: int, rest: float) -> None:
        self._urls, self._code, self._rest = urls, code, rest
        self._client = httpx.Client(timeout=PATIENCE)
        self._rng = random.Random(count)
        self._stop = threading.Event()
        self.moves = 0
        self.tokens = [self._join(f"Pupil {number}") for number in range(1, count + 1)]
        self._thread = threading.Thread(target=self._play)
        self._thread.start()

    def _ask(self, method: str, path: str, token: str | None = None, **body: Any) -> Any:
        """Sends a request until there is a response."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        end = time.monotonic() + PATIENCE
        while True:
            try:
                url = f"{self._rng.choice(self._urls)}{path}"
                answer = self._client.request(method, url, headers=headers, json=body or None)
                if answer.status_code < 500:
                    return answer.json()
            except httpx.TransportError:
                pass
            assert time.monotonic() < end, f"{path} is never answered"
            time.sleep(0.05)

    def _join(self, name: str) -> str:
        joined = self._ask("POST", f"/api/classes/{self._code}/pupils", name=name, key=secrets.token_urlsafe(24))
        return str(joined["token"])

    def _play(self) -> None:
        while not self._stop.is_set():
            for token in self.tokens:
                game = self._ask("GET", f"/api/classes/{self._code}", token).get("game")
                if game is None:
                    continue
                state = self._ask("GET", f"/api/games/{game['id']}")
                if state["player"] == game["seat"] and state["paused"] is None and not state["closed"]:
                    move = self._rng.choice(state["legal"])["move"]
                    body = {"version": state["version"], "move": move, "key": secrets.token_urlsafe(9)}
                    done = self._ask("POST", f"/api/games/{game['id']}/moves", game["token"], **body)
                    self.moves += "accepted" in done
                if self._stop.wait(self._rest):
                    return

    def have_made(self, moves: int) -> bool:
        """Whether they have made this many moves together."""
        return self.moves >= moves

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(PATIENCE)
        self._client.close()


def start_class(visit: Visit, mode: str = "Tournament") -> tuple[Page, str]:
    """Starts a class and returns the teacher's page and the code."""
    teacher = visit("/teach", *DESK)
    form = teacher.locator(".start-class")
    expect(form.locator(".preset").first).to_have_attribute("aria-pressed", "true")
    form.get_by_text("Settings").click()
    form.locator("[name=class-game]").select_option("operation-target")
    form.get_by_role("radio", name=mode).check()
    form.get_by_label(re.compile("^target")).fill("40")
    form.get_by_role("button", name="Start the class").click()
    teacher.wait_for_url("**/class/*")
    settled(teacher, ".class-desk")
    return teacher, teacher.url.rsplit("/", 1)[1]


def headers_of(teacher: Page, code: str) -> dict[str, str]:
    """The headers with which the teacher's browser identifies itself."""
    token = teacher.evaluate(f"localStorage.getItem('class:teacher:{code}')")
    return {"Authorization": f"Bearer {token}"}


def make_link(teacher: Page, name: str) -> str:
    """Makes a link for another device, and returns its path with the token."""
    teacher.get_by_role("button", name=name).click()
    url = teacher.get_by_role("dialog").get_by_label("Link", exact=True).input_value()
    assert_accessible(teacher, "link for another device")
    teacher.get_by_role("dialog").get_by_role("button", name="Done").click()
    return url[url.index("/class/") :]


def open_wall(visit: Visit, teacher: Page, code: str) -> Page:
    """Opens the wall in a window of its own: the browser slows down a page behind another one."""
    return visit(f"/class/{code}/wall", *WALL, storage_state=teacher.context.storage_state())


def join(visit: Visit, code: str, name: str, url: str = "") -> Page:
    """Joins the class and returns the pupil's page."""
    pupil = visit(f"/j/{code.lower()}", url=url)
    pupil.get_by_label("Your first name").fill(name)
    pupil.get_by_role("button", name="Join").click()
    expect(pupil.get_by_role("heading", name=f"You're in, {name}")).to_be_visible()
    return pupil


def move(pupil: Page) -> None:
    """Plays any legal move if it is the pupil's turn."""
    if "Your turn" in (status(pupil).text_content() or ""):
        pupil.get_by_role("region", name="Your move").locator(".tile:not([aria-disabled])").first.click()
        play = pupil.get_by_role("button", name="Play", exact=True)
        if play.is_visible():
            play.click()


def fits(page: Page) -> None:
    """Asserts that nothing extends beyond the edge of the screen."""
    size = page.evaluate(
        "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
    )
    assert max(size) <= 0, size


def resize(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})


def confirm(teacher: Page, act: str) -> None:
    """Does something that ends games in progress."""
    teacher.get_by_role("button", name=act, exact=True).click()
    teacher.get_by_role("dialog").get_by_role("button", name=act, exact=True).click()


def lesson(
    browser: Browser, servers: list[Server], programs: int, rounds: int, rest: float, recovery: float = PATIENCE
) -> dict[str, Any]:
    """Plays a whole lesson, and in its second round kills and restarts the servers one by one."""
    urls = [server.url for server in servers]
    with Visits(browser, urls[0]) as visit:
        teacher, code = start_class(visit)
        ann, bob = join(visit, code, "Ann", urls[-1]), join(visit, code, "Bob")
        wall = open_wall(visit, teacher, code)
        others = Programs(urls, code, programs, rest)
        try:
            expect(wall.get_by_text(f"{programs + 2} pupils are here")).to_be_visible()
            teacher.get_by_role("button", name="Pair and start").click()
            for number in range(1, rounds + 1):
                expect(wall.get_by_role("heading", level=1)).to_contain_text(f"Round {number}")
                # The desk shows all boards. Those that are over leave the wall.
                expect(teacher.locator(".tile-board")).to_have_count((programs + 3) // 2)
                for pupil in (ann, bob):
                    expect(pupil.locator(".class-head")).to_contain_text(f"Round {number}")
                    expect(pupil.locator(".class-game .board")).to_be_visible()
                    move(pupil)
                if number == 2:
                    for server in servers:
                        server.kill()
                        server.start()
                    current(teacher, wall, ann, recovery)
                until(teacher, partial(others.have_made, number * programs))
                if number < rounds:
                    confirm(teacher, "Next round")
            confirm(teacher, "End the class")
            expect(ann.get_by_role("heading", name="The class is over")).to_be_visible()
        finally:
            others.stop()
        expect(wall.get_by_role("list", name="Podium")).to_be_visible()
        expect(wall.locator(".together")).to_contain_text(f"{programs + 2} pupils")
        fits(wall)
        teacher.get_by_role("link", name="Results").click()
        expect(teacher.get_by_role("table")).to_be_visible()
        path = f"{urls[0]}/api/classes/{code}/results"
        results: Any = httpx.get(path, headers=headers_of(teacher, code), timeout=PATIENCE).json()
        agree(urls[0], results, teacher, programs + 2, rounds)
        own = next(row for row in results["pupils"] if row["name"] == "Ann")
        expect(ann.locator(".class-games li")).to_have_count(own["games"])
        return {"code": code, "results": results, "moves": others.moves}


def current(teacher: Page, wall: Page, pupil: Page, seconds: float) -> None:
    """Asserts that some seconds after a restart, everybody sees what the teacher does."""
    teacher.get_by_role("button", name="Pause").click()
    teacher.get_by_label("What the boards say").fill("Pens down.")
    teacher.get_by_role("dialog").get_by_role("button", name="Pause").click()
    expect(wall.get_by_text("Pens down.")).to_be_visible(timeout=1000 * seconds)
    expect(pupil.get_by_role("heading", name="Paused")).to_be_visible(timeout=1000 * seconds)
    teacher.get_by_role("button", name="Resume").click()
    expect(pupil.get_by_role("heading", name="Paused")).to_be_hidden()


def agree(url: str, results: Any, teacher: Page, pupils: int, rounds: int) -> None:
    """Asserts that the results agree with the records of the games."""
    assert len(results["pupils"]) == pupils
    assert results["rounds"] == rounds
    points = dict.fromkeys((row["name"] for row in results["pupils"]), 0.0)
    for game in results["games"]:
        state = httpx.get(f"{url}/api/games/{game['id']}", timeout=PATIENCE).json()
        assert state["outcome"] is not None or state["closed"]
        if not state["move_count"]:
            assert game["points"] is None
            continue
        winner = state["outcome"] and state["outcome"]["winner"]
        expected = [0.5, 0.5] if not winner else [float(winner == 1), float(winner == 2)]
        assert game["points"] == expected
        for name, got in zip(game["names"], expected, strict=True):
            if name in points:
                points[name] += got
    assert {row["name"]: row["points"] for row in results["pupils"]} == points
    for row in results["pupils"]:
        shown = teacher.get_by_role("row", name=re.compile(rf"^\d+ {row['name']} "))
        expect(shown).to_contain_text(f"{row['found']} of {row['critical']}" if row["critical"] else "–")


def test_a_lesson_survives_a_kill_and_its_results_equal_the_records(browser: Browser, server: Server) -> None:
    try:
        lesson(browser, [server], programs=3, rounds=2, rest=0.05)
    finally:
        warm(server)


def test_class_pages_are_accessible(visit: Visit) -> None:
    early = visit("/j")
    expect(early.get_by_label("Code on the wall")).to_be_focused()
    early.keyboard.type("bbbbb")
    early.keyboard.press("Tab")
    early.keyboard.type("A name that is far too long")
    expect(early.get_by_text("A name has at most 20 characters.")).to_be_visible()
    early.get_by_label("Your first name").fill("Ann")
    early.keyboard.press("Enter")
    expect(early.get_by_role("alert")).to_contain_text("There is no class with this code.")
    assert_accessible(early, "join")
    teacher, code = start_class(visit)
    assert_accessible(teacher, "desk")
    ann = join(visit, code, "Ann")
    assert_accessible(ann, "lobby")
    bob = join(visit, code, "Bob")
    teacher.goto(f"/class/{code}/wall")
    expect(teacher.get_by_text("2 pupils are here")).to_be_visible()
    assert_accessible(teacher, "wall before the first round")
    for size in (WALL, (1366, 768), (1024, 768)):
        resize(teacher, *size)
        fits(teacher)
        for line in (".join-url", ".code"):
            lines = "each => each.offsetHeight / parseFloat(getComputedStyle(each).lineHeight)"
            assert round(teacher.locator(line).evaluate(lines)) == 1
    resize(teacher, *DESK)
    teacher.goto(f"/class/{code}")
    teacher.get_by_role("button", name="Pair and start").press("Enter")
    expect(bob.locator(".class-game .board")).to_be_visible()
    expect(bob.locator(".class-goal")).to_contain_text("Land on exactly 40 to win")
    assert_accessible(bob, "board")
    teacher.get_by_role("button", name=re.compile("Edit Ann")).press("Enter")
    assert_accessible(teacher, "edit")
    teacher.get_by_label("First name").fill("Dora Maximiliane-Sue")
    teacher.keyboard.press("Enter")
    expect(ann.locator(".class-head")).to_contain_text("Dora")
    expect(bob.locator(".class-game")).to_contain_text("Dora")
    teacher.get_by_text("Settings for the next games").click()
    teacher.get_by_label("Numbers instead of names").check()
    teacher.get_by_role("button", name="Save settings").click()
    expect(status(teacher)).to_contain_text("Settings saved.")
    assert_accessible(teacher, "desk while they play")
    resize(teacher, *WALL)
    teacher.goto(f"/class/{code}/wall")
    expect(teacher.locator(".tile-board")).to_contain_text("Pupil 1")
    expect(teacher.locator("body")).not_to_contain_text("Dora")
    assert teacher.locator(".tile-board").evaluate("each => each.offsetWidth <= each.parentElement.offsetWidth")
    expect(teacher.locator(".join-url")).to_contain_text(f"/j/{code}")
    fits(teacher)
    assert_accessible(teacher, "wall")
    resize(teacher, 320, 1200)  # the code for latecomers grows with the height
    assert teacher.evaluate("document.documentElement.scrollWidth") <= 320
    teacher.locator(".tile-board").click()
    settled(teacher, ".projector .table")
    teacher.get_by_role("button", name="Values").click()
    expect(teacher.locator(".quest")).to_contain_text(re.compile(r"Pupil \d is winning"))
    expect(teacher.locator("body")).not_to_contain_text(re.compile("Dora|Bob"))
    for size in (WALL, PHONE):
        resize(teacher, *size)
        fits(teacher)
    assert_accessible(teacher, "big board")
    teacher.goto(f"/class/{code}/results")
    expect(teacher.get_by_role("table")).to_be_visible()
    assert_accessible(teacher, "results")


def test_a_pupil_can_change_devices_and_be_removed(visit: Visit) -> None:
    teacher, code = start_class(visit)
    old = join(visit, code, "Ann")
    new = visit(f"/j/{code}")
    new.get_by_label("Your first name").fill("Ann")
    new.get_by_role("button", name="Join").click()
    expect(new.get_by_role("heading", name="You're in, Ann 2")).to_be_visible()
    teacher.get_by_role("button", name="This is Ann").click()
    # The first Ann is still present, so these may be two pupils.
    teacher.get_by_role("dialog").get_by_role("button", name="This is Ann").click()
    expect(new.locator(".class-head")).to_have_text(f"Ann · Class {code}")
    expect(old.get_by_role("heading", name="You are not in this class any more")).to_be_visible()
    expect(old.locator("main")).to_contain_text("on another device")
    new.reload()
    expect(new.locator(".class-head")).to_have_text(f"Ann · Class {code}")
    teacher.get_by_role("button", name=re.compile("Edit Ann")).click()
    teacher.get_by_role("dialog").get_by_role("button", name="Remove…").click()
    teacher.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    expect(new.get_by_role("heading", name="You are not in this class any more")).to_be_visible()
    expect(new.locator("main")).to_contain_text("Your teacher removed you")
    teacher.get_by_role("button", name="Let Ann in again").click()
    expect(teacher.get_by_role("button", name="Let Ann in again")).to_be_hidden()
    new.goto(f"/j/{code}")
    expect(new.locator(".class-head")).to_have_text(f"Ann · Class {code}")
    wall = open_wall(visit, teacher, code)
    expect(wall.locator(".names")).to_contain_text("Ann")
    teacher.goto("/teach")
    teacher.get_by_role("link", name=f"Class {code}").click()
    teacher.get_by_role("button", name="Delete it now").click()
    teacher.get_by_role("dialog").get_by_role("button", name="Delete it").click()
    teacher.wait_for_url(re.compile(r"/teach\b"))
    assert teacher.evaluate("Object.keys(localStorage).filter(name => name.startsWith('class:'))") == []
    expect(wall.get_by_role("heading", name="This class has been deleted")).to_be_visible()
    expect(wall.locator("main")).not_to_contain_text("Ann")
    expect(new.get_by_role("heading", name="This class has been deleted")).to_be_visible()


def test_a_class_pairs_itself_on_several_devices_and_ends_with_a_podium(visit: Visit) -> None:
    teacher, code = start_class(visit, "Pairs")
    ann, bob = join(visit, code, "Ann"), join(visit, code, "Bob")
    expect(ann.get_by_text("1 other pupil is here.")).to_be_visible()
    # It would be read out for every pupil.
    expect(ann.locator(".class-note [aria-live]")).not_to_contain_text("other pupil")
    ann.get_by_role("button", name="Practise against the computer").click()
    expect(ann.get_by_role("region", name="Practice").locator(".board")).to_be_visible()
    assert_accessible(ann, "practice")
    teacher.get_by_role("button", name="Pair and start").click()
    expect(ann.locator(".class-game .board")).to_be_visible()
    expect(ann.get_by_role("region", name="Practice")).to_be_hidden()
    # Nobody else is free, so after a while Cem plays the computer.
    cem = join(visit, code, "Cem")
    expect(cem.locator(".class-game .board")).to_be_visible()
    wall = visit(make_link(teacher, "Link for the wall"), *WALL)
    expect(wall.locator(".tile-board")).to_have_count(2)
    expect(wall.locator(".race:visible").first).to_be_visible()
    assert wall.url.endswith(f"/class/{code}/wall"), "the token is not left in the address"
    expect(wall.get_by_role("link", name="Desk")).to_have_count(0)
    assert_accessible(wall, "wall of a link")
    wall.reload()
    expect(wall.locator(".tile-board")).to_have_count(2)
    second = visit(make_link(teacher, "Link for a second desk"))
    settled(second, ".class-desk")
    assert second.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    second.get_by_role("button", name="Pause").click()
    second.get_by_role("dialog").get_by_role("button", name="Pause").click()
    expect(ann.get_by_role("heading", name="Paused")).to_be_visible()
    expect(wall.get_by_text("Eyes to the front")).to_be_visible()
    second.get_by_role("button", name="Resume").click()
    expect(ann.get_by_role("heading", name="Paused")).to_be_hidden()
    more(ann, "Concede")
    ann.get_by_role("dialog").get_by_role("button", name="Concede").click()
    expect(teacher.locator(".lead")).to_contain_text("1 finished")
    confirm(teacher, "End the class")
    expect(wall.get_by_role("list", name="Podium")).to_contain_text("Bob")
    expect(wall.locator(".together")).to_contain_text("3 pupils")
    fits(wall)
    assert_accessible(wall, "podium")
    expect(bob.get_by_text("You came 1st of 3 pupils.")).to_be_visible()
    assert_accessible(bob, "a pupil's own place")
    teacher.get_by_role("button", name="Withdraw").first.click()
    teacher.get_by_role("dialog").get_by_role("button", name="Withdraw").click()
    expect(wall.get_by_role("heading", name="This link doesn't open the class any more")).to_be_visible()


def test_a_changed_name_is_told_and_a_large_tie_on_the_podium_names_nobody(visit: Visit, server: Server) -> None:
    teacher, code = start_class(visit, "Pairs")
    ann, second = join(visit, code, "Ann"), join(visit, code, "Ann")
    expect(second.locator(".class-note")).to_contain_text("Your name in this class is Ann 2.")
    expect(ann.locator(".class-note")).not_to_contain_text("Your name")
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:

        def ask(method: str, path: str, token: str = "", **body: Any) -> Any:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            answer = client.request(method, path, headers=headers, json=body or None)
            return answer.raise_for_status().json()

        pupils = f"/api/classes/{code}/pupils"
        tokens = [ask("POST", pupils, name=name, key=secrets.token_urlsafe(24))["token"] for name in ("Bo", "Cy", "Di")]
        tokens += [page.evaluate(f"localStorage.getItem('class:pupil:{code}')") for page in (ann, second)]
        tokens.append(ask("POST", pupils, name="Ed", key=secrets.token_urlsafe(24))["token"])
        teacher.get_by_role("button", name="Pair and start").click()
        expect(teacher.locator(".tile-board")).to_have_count(3)
        for token in tokens:
            game = ask("GET", f"/api/classes/{code}", token)["game"]
            state = ask("GET", f"/api/games/{game['id']}")
            if state["player"] == game["seat"]:
                body = {"version": state["version"], "move": state["legal"][0]["move"], "key": secrets.token_urlsafe(9)}
                ask("POST", f"/api/games/{game['id']}/moves", game["token"], **body)
    wall = open_wall(visit, teacher, code)
    confirm(teacher, "End the class")
    # Every game ended early, so everybody has half a point.
    expect(wall.get_by_role("list", name="Podium").locator(".who")).to_have_text(["6 pupils"])
    fits(wall)


def test_between_rounds_the_wall_shows_the_standings(visit: Visit) -> None:
    teacher, code = start_class(visit)
    ann, _ = join(visit, code, "Ann"), join(visit, code, "Bob")
    wall = open_wall(visit, teacher, code)
    teacher.get_by_role("button", name="Pair and start").click()
    expect(wall.locator(".tile-board")).to_be_visible()
    more(ann, "Concede")
    ann.get_by_role("dialog").get_by_role("button", name="Concede").click()
    expect(wall.get_by_role("list", name="Standings").get_by_role("listitem")).to_have_count(2)
    expect(wall.get_by_role("list", name="Standings").get_by_role("listitem").first).to_contain_text("Bob")
    expect(wall.locator(".tile-board:visible")).to_have_count(0)
    fits(wall)
    assert_accessible(wall, "wall between rounds")


def page_count(page: Page) -> int:
    """How many pages a page takes on paper."""
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format="A4", prefer_css_page_size=True)))


def test_the_results_of_thirty_pupils_print_on_two_pages(visit: Visit, server: Server) -> None:
    teacher, code = start_class(visit, "Pairs")
    path, headers = f"/classes/{code}", headers_of(teacher, code)
    with httpx.Client(base_url=f"{server.url}/api", timeout=PATIENCE) as client:

        def send(path: str, headers: dict[str, str], **body: Any) -> Any:
            answer = client.post(path, json=body, headers=headers)
            assert answer.status_code == 201, answer.text
            return answer.json()

        names = [f"Maximiliane {number}" for number in range(30)]
        tokens = [send(f"{path}/pupils", {}, name=name, key=secrets.token_urlsafe(24))["token"] for name in names]
        for act in ("pair", "next", "next"):
            version = client.get(path, headers=headers).json()["version"]
            send(f"{path}/acts", headers, act=act, version=version, key=secrets.token_urlsafe(9))
            for own in ({"Authorization": f"Bearer {token}"} for token in tokens):
                state = client.get(path, headers=own).json()
                if state["playing"] and state["round"]:
                    game = f"/games/{state['game']['id']}"
                    key, version = secrets.token_urlsafe(9), client.get(game).json()["version"]
                    send(f"{game}/concede", own, version=version, key=key)
    teacher.goto(f"/class/{code}/results")
    expect(teacher.get_by_role("row", name=re.compile("Maximiliane 29"))).to_be_visible()
    assert page_count(teacher) == 2
    teacher.emulate_media(media="print")
    expect(teacher.locator(".games-on-paper li")).to_have_count(30)
    for screen in (".top", ".foot", ".status", ".no-print"):
        expect(teacher.locator(f"{screen}:visible")).to_have_count(0)


def test_printed_pages_fit_on_paper(visit: Visit) -> None:
    teacher = visit("about:blank", *DESK)

    def pages(path: str, ready: str) -> int:
        teacher.goto(path)
        expect(teacher.locator(ready).first).to_be_visible()
        return page_count(teacher)

    for game in ("operation-target", "number-quest"):
        assert pages(f"/teach?show=plan&game={game}", ".plan") == 1
    assert pages("/teach?show=sheet&game=number-duel&count=6&sheet=1", ".exercise") == 4
    headings = teacher.locator(".exercise h2").all_text_contents()
    order = ["at once", "two turns", "three turns", "four turns"]
    indices = [next(index for index, words in enumerate(order) if words in heading) for heading in headings]
    assert indices == sorted(indices)
    expect(teacher.locator(".number-line")).to_have_count(6)
    marks = """async () => {
        const { numberLine } = await import("/js/teach/number-line.js");
        const line = numberLine(50, [7, 7, null]);
        document.querySelector(".exercise").append(line);
        return [...line.querySelectorAll(".mark")].map((mark) => mark.getBoundingClientRect());
    }"""
    one, other = teacher.evaluate(marks)
    assert one["right"] <= other["left"], "both players are visible at the same score"


def main() -> None:
    """The long run."""
    database = start_postgresql()
    try:
        with launch() as browser, tempfile.TemporaryDirectory() as folder:
            shared = database.database()
            for address, count in ((str(Path(folder) / "games.sqlite"), 1), (shared, 2)):
                servers = [Server(address) for _ in range(count)]
                try:
                    for server in servers:
                        server.start()
                    told = lesson(browser, servers, programs=38, rounds=3, rest=0.02, recovery=RECOVERY)
                    print(f"{count} servers: {len(told['results']['games'])} games, {told['moves']} moves of programs")
                finally:
                    for server in servers:
                        server.__exit__()
    finally:
        database.stop()


if __name__ == "__main__":
    main()
