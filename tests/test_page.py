"""The page in a real browser with a real server: what visitors can do, by mouse and keyboard, on any screen."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Route, expect, sync_playwright

import digitduels as dd
from servers import PATIENCE, Server

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    f"--{argument}"
    for argument in ("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync")
] + ["--disable-background-networking", "--disable-component-update"]
FIRST_VIEW = 48_000  # bytes, with headers and prefetched files
EXPLAINED = re.compile(r"status of (4\d\d|503)|net::ERR_")
# A short game that is solved at once: a variant does not wait for the tables of the games by the book.
QUICK = "/play/operation-target?target=12"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="No Chromium on the PATH; on Debian and Ubuntu: apt-get install chromium"
    ),
    pytest.mark.usefixtures("tables"),
]
expect.set_options(timeout=PATIENCE * 500)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(str(tmp_path_factory.mktemp("server") / "games.db"), away=4) as server:
        yield server


Visit = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    """Opens a URL in a new browser context; fails on requests to other machines and on script errors."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def check_request(request: Request) -> None:
        if not request.url.startswith((f"{server.url}/", "data:")):
            wrong.append(f"asked {request.url}")

    def check_message(message: ConsoleMessage) -> None:
        # A refusal that the page explains is not an error of the page.
        if message.type == "error" and not EXPLAINED.search(message.text):
            wrong.append(message.text)

    def open(path: str, width: int = 390, height: int = 844, **settings: Any) -> Page:
        context = browser.new_context(
            base_url=server.url, viewport={"width": width, "height": height}, reduced_motion="reduce", **settings
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", check_request)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", check_message)
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
        button = page.get_by_role("region", name="Your move").get_by_role("button", name=name).first
        button.scroll_into_view_if_needed()  # waits until the page stops moving
        # Forced, because an illegal choice can be pressed too, and explains itself.
        button.click(force=True)


def more(page: Page, name: str) -> None:
    """Chooses a command from the "More" menu."""
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name=name).click()


# A new visitor


def test_a_new_visitor_can_move_on_the_home_page(visit: Visit) -> None:
    page = visit("/")
    expect(status(page)).to_contain_text("Your turn.")
    free = page.locator(".tile:not([aria-disabled])")
    free.first.click()
    page.locator(".signs .tile:not([aria-disabled])").first.click()
    page.wait_for_url(re.compile("/play/.*moves="))
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_every_game_offers_a_beginners_opponent_first(visit: Visit) -> None:
    page = visit("/")
    plays = page.locator(".cards a", has_text=re.compile("^Play "))
    expect(plays.first).to_be_visible()
    for play in plays.all():
        assert re.search(r"[?&]vs=[12]&", play.get_attribute("href") or "")


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
    expect(status(page)).to_have_text("Player 1: 0 + 5 = 5. Player 2's turn.")
    page.keyboard.type("+1")
    expect(page.locator(".slots")).to_contain_text("1…")
    page.keyboard.press("Backspace")
    page.keyboard.type("10")
    expect(status(page)).to_have_text("Player 2: 0 + 10 = 10. Player 1's turn.")
    # The same with Tab and Enter.
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


def test_the_url_contains_the_whole_game(visit: Visit) -> None:
    page = visit(QUICK)
    choose(page, "Multiply by 2")
    expect(status(page)).to_contain_text("Player 1: 1 × 2 = 2.")
    assert page.url.endswith("&moves=x2")
    choose(page, "Add 1")
    expect(status(page)).to_contain_text("Player 2: 2 + 1 = 3.")
    page.reload()
    expect(status(page)).to_have_text("Player 2: 2 + 1 = 3. Player 1's turn.")
    page.get_by_role("button", name="Take back").press("Enter")
    expect(status(page)).to_have_text("Player 1: 1 × 2 = 2. Player 2's turn.")
    page.get_by_role("button", name="Take back").press("Enter")
    expect(status(page)).to_have_text("Player 1's turn.")
    expect(page.get_by_role("button", name="Take back")).to_be_disabled()
    expect(page.get_by_role("button", name="Add 1")).to_be_focused()


def test_the_computer_replies_and_the_back_button_leaves_the_game(visit: Visit) -> None:
    page = visit("/")
    expect(status(page)).to_contain_text("Your turn.")
    page.goto(f"{QUICK}&vs=7&seat=1&seed=1&takebacks=off")
    choose(page, "Add 1")
    page.get_by_role("button", name="Play", exact=True).click()
    # On a fresh machine, the first reply has to compile the kernels.
    expect(status(page)).to_contain_text("Your turn.", timeout=PATIENCE * 2000)
    expect(page).to_have_url(re.compile("moves=%2B1\\+"))
    page.go_back()
    expect(page.get_by_role("heading", name="Your move.")).to_be_visible()
    page.go_forward()
    expect(status(page)).to_contain_text("Your turn.")
    expect(page).to_have_url(re.compile("moves=%2B1\\+"))


def test_a_move_can_be_taken_back_while_the_computer_thinks(visit: Visit) -> None:
    page = visit(f"{QUICK}&vs=7&seat=1&seed=1")
    expect(status(page)).to_have_text("Your turn.")
    choose(page, "Add 1")
    expect(status(page)).to_contain_text("Level 7's turn.")
    page.get_by_role("button", name="Take back").click()
    expect(status(page)).to_have_text("Your turn.")
    choose(page, "Multiply by 2")
    expect(page).to_have_url(re.compile(r"moves=x2\+[^+]+&"))


def test_a_rematch_swaps_the_seats_and_player_1_begins(visit: Visit) -> None:
    page = visit(f"{QUICK}&moves=%2B1&conceded=1&vs=7&seat=1&seed=1")
    page.get_by_role("button", name="Rematch").click()
    expect(page).to_have_url(re.compile(r"moves=[^&+]+&vs=7&seat=2"))
    assert "first=" not in page.url
    expect(status(page)).to_contain_text("Level 7: 1 ")
    expect(status(page)).to_contain_text("Your turn.")


def test_a_first_edition_link_in_which_player_2_begins_still_opens(visit: Visit) -> None:
    page = visit(f"{QUICK}&first=2&vs=7&seat=2&seed=1")
    expect(status(page)).to_have_text("Your turn.")


def test_a_move_is_described_from_the_point_of_view_of_its_reader(visit: Visit) -> None:
    game = "/play/numerical-nexus?moves=%2B5+reset-theirs"
    for path, words in (
        (game, "Player 2: reset Player 1's score."),
        (f"{game}&vs=2&seat=1", "Level 2: reset your score."),
        (f"{game}&vs=2&seat=2", "You: reset Level 2's score."),
    ):
        # The status changes when the computer has moved, but the list of moves keeps the line.
        expect(visit(path).get_by_role("region", name="Moves")).to_contain_text(words)


def test_a_choice_shows_its_result_or_why_it_is_illegal(visit: Visit) -> None:
    page = visit("/play/number-duel?moves=%2B5+%2B5")
    choose(page, "5")
    expect(status(page)).to_contain_text("no 5 in the pool")
    page.keyboard.press("*")
    expect(page.locator(".tile", has_text="▲ 50")).to_have_count(1)
    expect(page.locator(".tile", has_text="= 45")).to_have_count(1)
    page.goto("/play/number-duel?moves=%2B6+%2B5")
    expect(status(page)).to_contain_text("Player 1's turn.")
    page.keyboard.press("*")
    expect(page.locator(".tile", has_text="54 ▼ 0")).to_have_count(1)
    page.goto("/play/equation-duel")
    expect(status(page)).to_contain_text("Player 1's turn.")
    page.keyboard.type("8-")
    expect(status(page)).to_have_text("Pick your second number.")


def test_a_new_game_is_set_up_in_a_dialog(visit: Visit) -> None:
    page = visit(QUICK)
    more(page, "New game")
    expect(page.get_by_role("radio", name="Operation Target")).to_be_focused()
    page.get_by_text("Rules of this game").click()
    page.get_by_role("textbox", name="target the number").fill("5")
    page.get_by_role("combobox", name="Against").select_option("7")
    page.get_by_role("radio", name="Player 2").check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile("target=5.*seat=2"))
    expect(status(page)).to_contain_text("Your turn.")
    more(page, "New game")
    page.get_by_text("Rules of this game").click()
    page.get_by_role("textbox", name="target the number").fill("1")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("target must be")


def test_an_invalid_game_url_says_what_to_do(visit: Visit) -> None:
    page = visit("/play/number-duel?moves=x99")
    expect(page.get_by_role("alert")).to_contain_text("x99")
    page.get_by_role("link", name="Start again").click()
    expect(status(page)).to_have_text("Player 1's turn.")


@pytest.mark.parametrize("path", ["/play/%", "/explore/%zz", "/g/%E0%A4%A", "/learn/%ff"])
def test_a_url_with_a_malformed_percent_sign_shows_a_page(visit: Visit, path: str) -> None:
    page = visit(path)
    expect(page.get_by_role("main")).to_contain_text(re.compile(r"\w+ \w+"))
    expect(
        page.get_by_role("main").get_by_role("link").or_(page.get_by_role("navigation").get_by_role("link")).first
    ).to_be_visible()


def test_conceding_asks_for_confirmation(visit: Visit) -> None:
    page = visit(QUICK)
    more(page, "Concede")
    page.get_by_role("button", name="Keep playing").click()
    expect(status(page)).to_have_text("Player 1's turn.")
    more(page, "Concede")
    page.get_by_role("dialog").get_by_role("button", name="Concede").click()
    expect(page.get_by_role("heading", name="Player 2 wins")).to_be_visible()


# Hints and values


def test_values_are_hidden_until_asked_for(visit: Visit) -> None:
    page = visit("/play/operation-target?target=5&vs=2&seat=1")
    expect(status(page)).to_have_text("Your turn.")
    expect(page.locator(".chip, .sign")).to_have_count(0)
    page.get_by_role("button", name="Values").click()
    expect(page.get_by_role("region", name="Hints and values")).to_contain_text("You are winning")
    expect(page.locator(".tile .sign")).to_have_count(2)
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".chip, .sign")).to_have_count(0)


def test_a_hint_has_four_steps(visit: Visit) -> None:
    page = visit(f"{QUICK}&vs=2&seat=1")
    page.get_by_role("button", name="Hint").click()
    for step in (2, 3, 4):
        expect(page.get_by_role("heading", name=f"Hint {step - 1} of 4")).to_be_visible()
        page.get_by_role("button", name="Next hint").click()
    expect(page.get_by_role("region", name="Hints and values")).to_contain_text("Play ")


def test_a_link_can_turn_off_hints_and_take_backs(visit: Visit) -> None:
    page = visit(f"{QUICK}&vs=2&hints=off&takebacks=off")
    expect(status(page)).to_have_text("Your turn.")
    choose(page, "Add 1")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page).to_have_url(re.compile("moves=.*hints=off.*takebacks=off"))
    for name in ("Hint", "Values", "Take back"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    # They stay off in a new game and at the end of a game.
    more(page, "New game")
    page.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile("seed=.*hints=off.*takebacks=off"))
    page.goto(f"{QUICK}&vs=2&seat=1&moves=%2B1&conceded=1&hints=off&takebacks=off")
    expect(page.get_by_role("region", name="The end").locator(".lesson")).not_to_be_empty()
    expect(page.get_by_role("link", name="Try")).to_have_count(0)


def test_the_coach_warns_before_a_win_is_thrown_away(visit: Visit) -> None:
    page = visit("/play/operation-target?target=5&vs=coach&seat=1&seed=1")
    expect(status(page)).to_have_text("Your turn.")
    choose(page, "Add 1")
    expect(page.get_by_role("dialog")).to_contain_text("lets me win")
    page.get_by_role("button", name="Take it back").click()
    expect(status(page)).to_have_text("Your turn.")
    choose(page, "Add 1")
    page.get_by_role("button", name="Play it anyway").click()
    expect(page).to_have_url(re.compile("moves="))


def test_the_end_names_the_deciding_move_and_offers_to_replay_it(visit: Visit) -> None:
    page = visit("/play/operation-target?target=5&moves=%2B1+x2+x2")
    expect(page.get_by_role("region", name="The end")).to_contain_text("turned on move")
    expect(page.get_by_role("region", name="The end")).to_contain_text("Only ×2 still won.")
    page.get_by_role("link", name="Try that moment again").click()
    expect(page.get_by_role("region", name="The end")).to_have_count(0)
    expect(status(page)).to_have_text("Find a move that keeps your win.")


# With a friend


def begin(visit: Visit, name: str = "Ann") -> tuple[Page, str]:
    """Starts a game with a friend and returns the page and the invitation."""
    ann = visit(QUICK)
    more(ann, "New game")
    ann.get_by_role("combobox", name="Against").select_option("friend")
    ann.get_by_label("Your name (optional)").fill(name)
    ann.get_by_role("button", name="Start").click()
    ann.wait_for_url("**/g/*")
    return ann, ann.get_by_label("Invitation").input_value()


def join(visit: Visit, invitation: str, name: str = "Bob") -> Page:
    bob = visit(invitation)
    bob.get_by_label("Your name (optional)").fill(name)
    bob.get_by_role("button", name="Join").click()
    expect(bob.get_by_role("button", name="Ask to take back")).to_be_visible()
    return bob


def play(page: Page, move: str) -> None:
    expect(page.locator(".lobby, .table:visible").first).to_be_visible()
    # A player who still waits for a friend can already move.
    page.evaluate("document.querySelector('.lobby .plain')?.click()")
    expect(status(page)).to_contain_text("Your turn.")
    choose(page, move)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(status(page)).not_to_contain_text("Your turn.")


def test_a_half_typed_name_survives_a_move_of_the_friend(visit: Visit) -> None:
    ann, invitation = begin(visit)
    bob = visit(invitation)
    bob.get_by_label("Your name (optional)").press_sequentially("Bo")
    play(ann, "Multiply by 2")
    expect(bob.get_by_text("Moves played: 1.")).to_be_visible()
    bob.keyboard.type("b")
    expect(bob.get_by_label("Your name (optional)")).to_have_value("Bob")
    bob.keyboard.press("Enter")
    expect(status(bob)).to_have_text("Ann: 1 × 2 = 2. Your turn.")


def test_friends_play_a_whole_game_and_a_rematch_while_somebody_watches(visit: Visit) -> None:
    ann, invitation = begin(visit)
    bob = join(visit, invitation)
    assert "#" not in bob.url
    carl = visit(bob.url)
    expect(carl.get_by_text("You are watching.")).to_be_visible()
    expect(carl.get_by_text("House rules: first to 12.")).to_be_visible()
    play(ann, "Multiply by 2")
    expect(status(carl)).to_have_text("Ann: 1 × 2 = 2. Bob's turn.")
    play(bob, "Multiply by 2")
    ann.reload()
    play(ann, "Add 1")
    bob.get_by_role("button", name="Ask to take back").click()
    expect(status(ann)).to_have_text("You: 4 + 1 = 5. Bob's turn. Bob asks to take back a move.")
    ann.get_by_role("button", name="Allow").click()
    expect(status(bob)).to_have_text("Ann: 1 × 2 = 2. Your turn.")
    expect(ann.get_by_text("Waiting for Bob…")).to_be_visible()
    play(bob, "Add 1")
    play(ann, "Add 1")
    play(bob, "Multiply by 2")
    play(ann, "Multiply by 2")
    for page, heading in ((ann, "You lose"), (bob, "You win"), (carl, "Bob wins")):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    bob.get_by_role("button", name="Rematch").click()
    # Ann is taken to the new game and notified.
    expect(ann.get_by_text("The rematch begins.").first).to_be_attached()
    play(bob, "Add 1")
    expect(status(ann)).to_contain_text("Bob: 1 + 1 = 2. Your turn.")
    more(ann, "Concede")
    ann.get_by_role("dialog").get_by_role("button", name="Concede").click()
    expect(bob.get_by_role("heading", name="You win")).to_be_visible()


def test_a_seat_can_move_to_another_browser_and_an_invitation_works_once(visit: Visit) -> None:
    ann, invitation = begin(visit, "")
    key = ann.evaluate("Object.entries(localStorage).find(([key]) => key.startsWith('seat:'))[1]")
    token = re.search('"token":"([^"]+)"', key)
    assert token
    elsewhere = visit(f"{ann.url}#seat=1.{token[1]}")
    expect(status(elsewhere)).to_contain_text("Your turn.")
    assert "#" not in elsewhere.url
    join(visit, invitation, "")
    late = visit(invitation)
    expect(late.get_by_text("You are watching.")).to_be_visible()


def test_a_forged_link_does_not_take_a_seat_away(visit: Visit) -> None:
    ann, _ = begin(visit)
    kept = "Object.entries(localStorage).filter(([key]) => key.startsWith('seat:')).join()"
    before = ann.evaluate(kept)
    for seat in (1, 2):
        ann.goto("about:blank")
        ann.goto(f"{before.partition(',')[0].replace('seat:', '/g/')}#seat={seat}.{'x' * 32}")
        expect(status(ann)).to_have_text("Waiting for your friend.")
        assert ann.evaluate(kept) == before
        assert "#" not in ann.url


def test_the_computer_substitutes_for_a_friend_who_left_and_can_return(visit: Visit) -> None:
    ann, invitation = begin(visit)
    bob = join(visit, invitation)
    play(ann, "Add 1")
    address, home = bob.url, bob.context
    bob.close()
    ann.get_by_role("button", name="Let the computer play").click()
    expect(status(ann)).to_contain_text("Your turn.")
    # The two players must alternate, whatever the computer did for Bob.
    left = "Multiply by 2" if re.search(r"\+\s1", status(ann).inner_text()) else "Add 1"
    bob = home.new_page()
    bob.goto(address)
    bob.get_by_role("button", name="Take your seat back").click()
    play(ann, "Multiply by 2")
    play(bob, left)


@contextmanager
def gone(server: Server) -> Iterator[None]:
    """Runs the body while the server is down."""
    server.kill()
    try:
        yield
    finally:
        server.start()


def test_pages_reconnect_after_a_server_is_killed_and_nothing_is_lost(visit: Visit, server: Server) -> None:
    ann, invitation = begin(visit)
    bob = join(visit, invitation)
    play(ann, "Add 1")
    expect(status(bob)).to_contain_text("Your turn.")
    with gone(server):
        expect(bob.get_by_text("Connection lost.")).to_be_visible()
        # A move made meanwhile is sent when the server is back.
        choose(bob, "Add 1")
        bob.get_by_role("button", name="Play", exact=True).click()
    expect(status(ann)).to_have_text("Bob: 2 + 1 = 3. Your turn.")
    expect(bob.get_by_text("Connection lost.")).to_be_hidden()


def test_hidden_tabs_close_their_streams_so_that_many_tabs_stay_live(visit: Visit) -> None:
    ann, invitation = begin(visit)
    bob = join(visit, invitation)
    tabs: list[Page] = []
    for _ in range(12):
        if tabs:
            show(tabs[-1], hidden=True)
        tabs.append(bob.context.new_page())
        tabs[-1].goto(bob.url)
        expect(status(tabs[-1])).to_contain_text("turn.")
    show(bob, hidden=True)
    play(ann, "Add 1")
    expect(status(tabs[-1])).to_contain_text("Your turn.")
    expect(status(tabs[0])).not_to_contain_text("Your turn.")
    show(tabs[0], hidden=False)
    expect(status(tabs[0])).to_contain_text("Your turn.")


def show(page: Page, hidden: bool) -> None:
    """Tells a page whether it is visible; a headless browser treats all its pages as visible."""
    page.evaluate(
        """hidden => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_a_game_survives_an_unreachable_server(visit: Visit, server: Server) -> None:
    page = visit(QUICK)
    expect(status(page)).to_have_text("Player 1's turn.")
    page.wait_for_load_state("networkidle")  # so that no request is interrupted
    with gone(server):
        choose(page, "Add 1")
        expect(page.get_by_role("alert")).to_contain_text("Can't reach the server.")
    page.get_by_role("button", name="Try again").click()
    expect(status(page)).to_have_text("Player 1: 1 + 1 = 2. Player 2's turn.")


def test_a_move_stays_selected_while_it_is_sent_and_is_released_when_refused(visit: Visit) -> None:
    page = visit(QUICK)
    expect(status(page)).to_have_text("Player 1's turn.")
    tile = page.get_by_role("button", name="Add 1")
    held: list[Route] = []

    def lose_the_first(route: Route) -> None:
        held.append(route)
        if len(held) == 1:
            route.abort()

    page.route("**/api/position/**", lose_the_first)
    choose(page, "Add 1")
    expect(page.get_by_text("sending…")).to_be_visible()
    expect(tile).to_have_attribute("aria-pressed", "true")
    expect(tile).to_have_attribute("aria-disabled", "true")
    while len(held) < 2:  # the lost request is sent again
        page.wait_for_timeout(50)
    held[1].fulfill(status=422, json={"detail": "Not now."})
    expect(page.get_by_role("alert")).to_contain_text("Not now.")
    expect(tile).to_have_attribute("aria-pressed", "true")
    expect(tile).not_to_have_attribute("aria-disabled", "true")
    page.unroute("**/api/position/**")
    page.get_by_role("button", name="Try again").click()
    expect(status(page)).to_have_text("Player 1: 1 + 1 = 2. Player 2's turn.")


def test_a_game_goes_on_over_a_slow_and_lossy_connection(visit: Visit) -> None:
    page = visit("/play/operation-target?target=12&vs=1&seat=1&seed=1")
    expect(status(page)).to_have_text("Your turn.")
    page.wait_for_load_state("networkidle")
    urls: set[str] = set()

    def lose_the_first(route: Route) -> None:
        lost = route.request.url not in urls
        urls.add(route.request.url)
        (route.abort if lost else route.continue_)()

    page.route("**/api/**", lose_the_first)
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    line.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 800, "downloadThroughput": 50_000, "uploadThroughput": 50_000},
    )
    tile = page.get_by_role("button", name="Add 1")
    tile.click()
    tile.click(force=True)  # a second click does nothing
    expect(page.get_by_text("sending…")).to_be_visible()
    expect(tile).to_have_attribute("aria-disabled", "true")
    expect(status(page)).to_contain_text("Level 1's turn.")
    expect(page).to_have_url(re.compile(r"moves=%2B1&"))  # played once, not twice
    expect(status(page)).to_contain_text("Your turn.")
    assert len(urls) >= 3  # the move, the reply and the new position


FLIGHTS = """
window.flights = 0;
addEventListener("DOMContentLoaded", () => new MutationObserver(changes => {
  for (const { addedNodes } of changes)
    for (const node of addedNodes) if (node.classList?.contains("flight")) window.flights += 1;
}).observe(document.body, { childList: true }));
"""


def test_moves_and_wins_are_animated_unless_reduced_motion_is_set(visit: Visit) -> None:
    page = visit("about:blank")
    page.add_init_script(FLIGHTS)
    flights = []
    for motion in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=motion)
        page.goto("/play/operation-target?target=5&moves=x2+x2&vs=1&seat=1&seed=1")
        choose(page, "Add 1")
        expect(page.get_by_role("heading", name="You win")).to_be_visible()
        page.wait_for_load_state("networkidle")
        flights.append(page.evaluate("window.flights"))
        expect(page.locator(".flight")).to_have_count(0)
    still, lively = flights
    assert still == 0
    assert lively > 1
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture of your win").click()
    assert download.value.suggested_filename == "operation-target.png"
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    more(page, "Turn sounds off")
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("button", name="Turn sounds on")).to_be_visible()


# Accessibility

SHIFTS = """
window.shifts = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def test_a_move_needs_no_scrolling_and_causes_no_layout_shift(visit: Visit) -> None:
    page = visit("about:blank", width=360, height=740)
    page.add_init_script(SHIFTS)
    page.goto("/")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.shifts") <= 0.02
    for width, height in ((360, 740), (740, 360), (640, 400)):
        page.set_viewport_size({"width": width, "height": height})
        for name in dd.games():
            page.goto(f"/play/{name}?vs=2&seat=1&seed=1")
            expect(page.locator(".tile:not([aria-disabled])").first).to_be_visible()
            parts = ".board, .preview, .tile, .actions button" if width < height else ".tile"
            lowest = page.locator(parts).evaluate_all(
                "all => Math.max(...all.map(e => e.getBoundingClientRect().bottom))"
            )
            assert lowest <= height, f"{name} at {width}×{height}"


STATES = {
    "home": "/",
    "play": "/play/number-quest?moves=%2B5+x2",
    "uses": "/play/numerical-nexus?moves=%2B5",
    "one number": QUICK,
    "three fields": "/play/equation-duel?moves=6x7",
    "help": "/help",
    "over": "/play/number-duel?moves=%2B5+%2B10+x10",
    "lab": "/lab",
    "lab of a game": "/lab/number-duel?highest=4&target=20",
    "no such game": "/play/nothing",
    "no such page": "/nothing",
}


def assert_accessible(page: Page, state: str) -> None:
    """Asserts that a page has no accessibility violations and never scrolls sideways.

    The themes differ only in their colours, so the second one is checked only for contrast.
    """
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        rules = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}
        violations = Axe().run(page, options={"resultTypes": ["violations"], **rules})
        assert violations.violations_count == 0, f"{state}, {scheme}: {violations.generate_report()}"
    for width in (320, 1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{state} at {width}"


def test_every_page_is_accessible_on_every_screen(visit: Visit) -> None:
    page = visit("about:blank")
    for name, path in STATES.items():
        page.goto(path)
        page.wait_for_load_state("networkidle")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert_accessible(page, name)


def test_every_dialog_is_accessible(visit: Visit) -> None:
    page = visit("/play/operation-target?target=5&vs=coach&seat=1&seed=1")
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_role("heading", name="Hint 1")).to_be_visible()
    assert_accessible(page, "hint")
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".chip").first).to_be_visible()
    assert_accessible(page, "values")
    choose(page, "Add 1")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert_accessible(page, "coach")
    page.get_by_role("button", name="Take it back").click()
    more(page, "New game")
    page.get_by_text("Rules of this game").click()
    assert_accessible(page, "a new game")


def test_rooms_are_accessible(visit: Visit) -> None:
    ann, invitation = begin(visit)
    assert_accessible(ann, "invite")
    bob = visit(invitation)
    expect(bob.get_by_role("heading", name="Ann invites you to Operation Target")).to_be_visible()
    assert_accessible(bob, "join")
    bob.get_by_role("button", name="Join").click()
    play(ann, "Add 1")
    ann.get_by_role("button", name="Ask to take back").click()
    expect(bob.get_by_role("button", name="Decline")).to_be_visible()
    assert_accessible(bob, "take-back")
    choose(bob, "Add 1")
    expect(bob.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert_accessible(bob, "chosen")
