"""What the page keeps to itself, in a real browser: names, codes, invitations and seats; and damaged storage."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus, urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from browser import MARKS, Visit, assert_accessible, more, settled, status
from servers import QUICK, Server
from test_page import begin, play
from test_page import join as accept
from test_page_class import confirm, make_link, start_class
from test_page_class import join as join_class

pytestmark = MARKS
ANN, BOB = "Xanthippe", "Quirinus"


class Sent:
    """The URLs that the pages of a test request, as a server or a proxy sees them."""

    def __init__(self) -> None:
        self.urls: list[str] = []

    def watch(self, page: Page) -> Page:
        def note(request: Request) -> None:
            if not request.url.startswith("data:"):
                parts = urlsplit(request.url)
                self.urls.append(unquote_plus(f"{parts.path}?{parts.query}"))

        page.on("request", note)
        return page

    def check(self, *secrets: str, codes: tuple[str, ...] = ()) -> None:
        """Asserts that no secret is in a URL, and no code in a query."""
        assert self.urls
        for url in self.urls:
            assert not [secret for secret in secrets if secret.lower() in url.lower()], url
            query = url.partition("?")[2]
            assert not [code for code in codes if code.lower() in query.lower()], url


def stored(page: Page) -> dict[str, str]:
    values: dict[str, str] = page.evaluate("({ ...localStorage })")
    return values


def tokens(page: Page) -> list[str]:
    """All tokens, invitations and keys in the storage of a page."""
    found: list[str] = []
    for name, text in stored(page).items():
        if name.startswith("seat:"):
            found += filter(None, (json.loads(text)["token"], json.loads(text)["invite"]))
        elif re.match("key:|invite:|class:(key|pupil|teacher|wall):", name):
            found.append(text)
    return found


class Watched:
    """Opens pages, and watches what they request."""

    def __init__(self, visit: Visit, sent: Sent) -> None:
        self._visit, self._sent = visit, sent

    def __call__(self, path: str, *size: int, **settings: Any) -> Page:
        page = self._sent.watch(self._visit("about:blank", *size, **settings))
        page.goto(path)
        return page


def join(visit: Visit, invitation: str, name: str) -> Page:
    """Opens an invitation and accepts it."""
    page = visit(invitation)
    accept(page, name)
    return page


# URLs


def test_no_name_invitation_or_token_of_a_game_between_friends_is_in_a_url(visit: Visit) -> None:
    sent = Sent()
    watched = Watched(visit, sent)
    ann, invitation = begin(watched, ANN)
    image = ann.get_by_role("img", name="QR code of the link")
    expect(image).to_have_attribute("src", re.compile("^data:image/svg"))
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 20
    bob = join(watched, invitation, BOB)
    play(ann, "Multiply by 2")
    more(bob, "Concede")
    bob.get_by_role("dialog").get_by_role("button", name="Concede").click()
    for page, who in ((ann, BOB), (bob, "You")):
        expect(page.get_by_role("region", name="The end").locator(".explanation")).to_contain_text(f"{who} conceded")
    secrets = [*tokens(ann), *tokens(bob)]
    assert len(set(secrets)) >= 4
    sent.check(ANN, BOB, *secrets)


def test_no_name_or_token_of_a_lesson_is_in_a_url_and_no_code_in_a_query(visit: Visit) -> None:
    sent = Sent()
    watched = Watched(visit, sent)
    teacher, code = start_class(watched)
    expect(teacher.locator("img.qr")).to_have_attribute("src", re.compile("^data:image/svg"))
    ann, bob = (join_class(watched, code, name) for name in (ANN, BOB))
    teacher.get_by_role("button", name="Pair and start").click()
    expect(teacher.locator(".tile-board")).to_have_count(1)
    teacher.locator(".tile-board").click()
    settled(teacher, ".class-board")
    teacher.get_by_role("button", name="Values").click()
    expect(teacher.locator(".quest")).to_contain_text(re.compile(ANN + "|" + BOB))
    teacher.get_by_role("link", name="Desk").click()
    wall, second = (watched(make_link(teacher, f"Link for {device}")) for device in ("the wall", "a second desk"))
    expect(wall.locator(".tile-board")).to_have_count(1)
    settled(second, ".class-desk")
    mover = ann if "Your turn" in (status(ann).text_content() or "") else bob
    play(mover, "Multiply by 2")
    confirm(teacher, "End the class")
    expect(ann.get_by_role("heading", name="The class is over")).to_be_visible()
    expect(teacher.get_by_text("The class is over.")).to_be_visible()
    teacher.get_by_role("link", name="Results").click()
    with teacher.expect_popup() as opened:
        teacher.get_by_role("link", name="review").click()
    review = opened.value
    sent.watch(review)
    expect(review.get_by_role("region", name="What decided it")).to_be_visible()
    review.reload()
    # The names reach the review in the fragment, and stay there while the reader steps through the game.
    expect(review.get_by_role("region", name="What decided it")).to_contain_text(re.compile(ANN + "|" + BOB))
    review.get_by_role("list", name="Who was winning after each move").get_by_role("button").last.click()
    expect(review).to_have_url(re.compile(f"/review/.*&at=1#names=.*{ANN}"))
    everybody = [token for page in (teacher, wall, second, ann, bob) for token in tokens(page)]
    assert len(set(everybody)) == 7
    sent.check(ANN, BOB, *everybody, codes=(code,))
    assert any(url.startswith("/api/solve/") for url in sent.urls)
    assert any(url.startswith("/api/review/") for url in sent.urls)


def test_an_older_link_with_names_in_its_query_still_opens_and_hides_them(visit: Visit) -> None:
    page = visit(f"/review/operation-target?target=5&moves=%2B1+x2+x2&names={ANN}%0A{BOB}")
    expect(page.get_by_role("region", name="What decided it")).to_contain_text(re.compile(ANN + "|" + BOB))
    expect(page).to_have_url(re.compile(f"moves=.*#names={ANN}%0A{BOB}$"))
    assert "names" not in urlsplit(page.url).query
    # Another game against the computer has other players.
    page.get_by_role("link", name="Play on from here").click()
    expect(page).to_have_url(re.compile("/play/operation-target.*vs="))
    assert ANN not in page.url


# Seats


def test_a_link_to_another_seat_replaces_the_readers_seat_only_if_they_agree(visit: Visit) -> None:
    ann, invitation = begin(visit, ANN)
    bob = join(visit, invitation, BOB)
    own = ann.evaluate("Object.values(localStorage).find((text) => text.includes('token'))")
    other = json.loads(bob.evaluate("Object.values(localStorage).find((text) => text.includes('token'))"))
    game = ann.url
    link = f"{game}#seat={other['seat']}.{other['token']}"
    for answer, kept in (("Keep my seat", own), ("Use the link", None)):
        ann.goto("about:blank")
        ann.goto(link)
        question = ann.get_by_role("dialog", name="This link opens another seat")
        expect(question).to_contain_text("In this game you are Player 1. The link makes you Player 2")
        question.get_by_role("button", name=answer).click()
        expect(status(ann)).to_have_text("Your turn." if kept else f"{ANN}'s turn.")
        assert "#" not in ann.url
        after = json.loads(stored(ann)[f"seat:{game.rsplit('/', 1)[1]}"])
        assert after["token"] == (json.loads(own)["token"] if kept else other["token"])
    # The reader's own link asks nothing.
    ann.goto("about:blank")
    ann.goto(link)
    expect(status(ann)).to_have_text(f"{ANN}'s turn.")
    expect(ann.get_by_role("dialog")).to_have_count(0)


def test_a_pupils_own_token_in_a_link_to_the_desk_replaces_nobodys_seat(visit: Visit) -> None:
    _, code = start_class(visit)
    ann, eve = (join_class(visit, code, name) for name in (ANN, "Eve"))
    own, foreign = (stored(page)[f"class:pupil:{code}"] for page in (ann, eve))
    for part in ("", "/wall"):
        ann.goto("about:blank")
        ann.goto(f"/class/{code}{part}#token={foreign}")
        expect(ann.get_by_role("heading", name="This is the teacher's page")).to_be_visible()
        assert stored(ann)[f"class:pupil:{code}"] == own
    ann.get_by_role("link", name="Join the class").click()
    expect(ann.get_by_role("heading", name=f"You're in, {ANN}")).to_be_visible()


# Damaged storage


@pytest.mark.parametrize("damage", ["{", "null", '{"seat":7}', '{"games":[null],"best":5,"puzzles":1}', "\u0000\ud83d"])
def test_a_page_opens_whatever_the_storage_contains(visit: Visit, damage: str) -> None:
    ann, invitation = begin(visit, ANN)
    bob = join(visit, invitation, BOB)
    play(ann, "Multiply by 2")
    damaged = "damage => Object.keys(localStorage).forEach((name) => localStorage.setItem(name, damage))"
    names = {
        "mine",
        "theme",
        "confirm",
        "keys",
        "sound",
        "marks:operation-target",
        "class:pupil:BBBBB",
        "class:teacher:BBBBB",
    }
    for name in names:
        bob.evaluate("name => localStorage.setItem(name, 'x')", name)
    bob.evaluate(damaged, damage)
    assert set(stored(bob).values()) == {damage}
    bob.reload()
    # Without a readable seat, Bob watches.
    expect(bob.get_by_text("You are watching.")).to_be_visible()
    expect(status(bob)).to_contain_text(f"{ANN}: 1 × 2 = 2.")
    for path, heading in (
        ("/review", "My games"),
        ("/teach", "Teach"),
        ("/j/BBBBB", "Join your class"),
        ("/help", "Help"),
    ):
        bob.goto(path)
        expect(bob.get_by_role("heading", level=1)).to_contain_text(heading)


def test_a_player_with_damaged_lists_still_plays(visit: Visit) -> None:
    ann, invitation = begin(visit, ANN)
    bob = join(visit, invitation, BOB)
    play(ann, "Multiply by 2")
    for damage in ("{", '{"games":5}', '{"games":[null],"best":{"x":null}}'):
        bob.evaluate("damage => localStorage.setItem('mine', damage)", damage)
        bob.reload()
        expect(status(bob)).to_have_text(f"{ANN}: 1 × 2 = 2. Your turn.")
        expect(bob.get_by_role("button", name="Ask to take back")).to_be_visible()


# The desk, and how long a class is stored


def test_pages_say_how_long_this_server_stores_a_class(visit: Visit, tmp_path: Path) -> None:
    with Server(str(tmp_path / "games.sqlite"), QUICK, class_retention=36) as server:
        page = visit("about:blank", url=server.url)
        for path, sentence in (
            ("/teach", "Everything is deleted 36 hours after the last move or your last action."),
            ("/privacy", "Everything about a class is deleted 36 hours after the last thing that happened in it"),
        ):
            page.goto(path)
            expect(page.get_by_role("main")).to_contain_text(sentence)
        page.goto("/j/BBBBB")
        page.get_by_label("Your first name").fill(ANN)
        page.get_by_role("button", name="Join").click()
        expect(page.get_by_role("alert")).to_have_text(
            "There is no class with this code. Check the letters. The class may have been deleted."
        )


def test_a_teacher_locks_the_class_and_removes_newcomers(visit: Visit) -> None:
    teacher, code = start_class(visit)
    lock = teacher.get_by_role("switch", name="Lock the class")
    expect(lock).not_to_be_checked()
    expect(lock).to_have_accessible_description("Anyone with the code can join.")
    expect(teacher.get_by_role("button", name="Remove newcomers")).to_be_hidden()
    ann, bob = (join_class(visit, code, name) for name in (ANN, BOB))
    teacher.get_by_role("button", name="Pair and start").click()
    expect(teacher.locator(".tile-board")).to_have_count(1)
    eve = join_class(visit, code, "Eve")
    teacher.get_by_role("button", name="Remove newcomers").click()
    question = teacher.get_by_role("dialog", name="Remove 1 pupil who has not played?")
    expect(question).to_contain_text("Eve")
    expect(question).to_contain_text("Anyone with the code can still join.")
    assert_accessible(teacher, "removal")
    question.get_by_role("button", name="Cancel").click()
    lock.check()
    expect(status(teacher)).to_have_text("The class is locked. Nobody else can join.")
    expect(lock).to_have_accessible_description("Nobody else can join.")
    teacher.get_by_role("button", name="Remove newcomers").click()
    expect(question).not_to_contain_text("Anyone with the code")
    question.get_by_role("button", name="Remove").click()
    expect(eve.get_by_role("heading", name="You are not in this class any more")).to_be_visible()
    expect(teacher.get_by_role("list", name="Removed")).to_contain_text("Eve")
    expect(teacher.get_by_role("button", name="Remove newcomers")).to_be_hidden()
    for pupil in (ann, bob):
        expect(pupil.locator(".class-game .board")).to_be_visible()
    # A newcomer reads why they cannot join, and can as soon as the class is open again.
    late = visit(f"/j/{code}")
    late.get_by_label("Your first name").fill("Zoe")
    late.get_by_role("button", name="Join").click()
    expect(late.get_by_role("alert")).to_have_text("This class is locked. Ask your teacher to let you in.")
    teacher.reload()
    expect(lock).to_be_checked()
    lock.uncheck()
    expect(status(teacher)).to_have_text("The class is open again.")
    late.get_by_role("button", name="Join").click()
    expect(late.get_by_role("heading", name="You're in, Zoe")).to_be_visible()
    assert_accessible(teacher, "desk")


def test_a_switch_that_the_server_refuses_goes_back(visit: Visit) -> None:
    teacher, code = start_class(visit)
    refusal: Any = {"status": 422, "json": {"detail": "Not now."}}
    teacher.route(f"**/api/classes/{code}/acts", lambda route: route.fulfill(**refusal))
    lock = teacher.get_by_role("switch", name="Lock the class")
    lock.click()
    expect(teacher.get_by_role("alert").filter(has_text="Not now.")).to_be_visible()
    expect(lock).not_to_be_checked()
