"""The page in a real browser with a real server: what players can do, by mouse and keyboard, alone and with friends."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Route, expect

import digitduels as dd
from browser import MARKS, Room, Visit, Visits, assert_accessible, choose, killed, more, settled, status, until
from servers import Server

pytestmark = MARKS
# A short game that is solved at once.
QUICK = "/play/operation-target?target=12"
THINKING = 600  # milliseconds that the computer's reply takes at least


# A new visitor


def test_a_new_visitor_can_move_at_once_and_every_game_offers_a_beginners_opponent(visit: Visit) -> None:
    page = visit("/")
    expect(status(page)).to_contain_text("Your turn.")
    plays = page.locator(".cards a", has_text=re.compile("^Play "))
    expect(plays).to_have_count(len(dd.games()))
    for play in plays.all():
        assert re.search(r"[?&]vs=[12]&", play.get_attribute("href") or "")
    free = page.locator(".tile:not([aria-disabled])")
    free.first.click()
    page.locator(".signs .tile:not([aria-disabled])").first.click()
    page.wait_for_url(re.compile("/play/.*moves="))
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_somebody_who_has_been_here_finds_the_unfinished_game(visit: Visit) -> None:
    page = visit(f"{QUICK}&vs=1&seat=1&seed=1")
    choose(page, "Add 1")
    until(page, lambda: bool(page.evaluate("localStorage.getItem('mine')")))
    page.goto("/")
    back = page.get_by_role("region", name="Welcome back")
    expect(back).to_contain_text("Operation Target against Level 1 is unfinished.")
    assert_accessible(page, "welcome back")
    back.get_by_role("link", name="Continue").click()
    expect(status(page)).to_contain_text("Your turn.")
    assert "moves=" in page.url


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


def test_a_reset_is_typed_and_a_key_shows_the_keys(visit: Visit) -> None:
    page = visit("/play/numerical-nexus?moves=%2B5+%2B3")
    expect(status(page)).to_contain_text("Player 1's turn.")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("resets your score or theirs")
    assert_accessible(page, "keys")
    # A key that follows at once still reaches the closed dialog, which has the focus until the next frame.
    page.evaluate("""() => {
      const button = document.activeElement;
      button.closest("dialog").close();
      button.dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true }));
    }""")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("t")
    expect(status(page)).to_contain_text("Player 2's turn.")
    expect(page).to_have_url(re.compile("reset-theirs$"))


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
    expect(page).to_have_url(re.compile("moves=%2B1\\+"))
    expect(status(page)).to_contain_text("Your turn.")
    page.go_back()
    expect(page.get_by_role("heading", name="Your move.")).to_be_visible()
    page.go_forward()
    expect(status(page)).to_contain_text("Your turn.")
    expect(page).to_have_url(re.compile("moves=%2B1\\+"))


def test_a_turn_against_the_computer_takes_two_requests(visit: Visit) -> None:
    page = visit(f"{QUICK}&vs=7&seat=1&seed=1")
    expect(page.locator(".tile .result")).to_have_count(2)
    paths: list[str] = []
    page.on("request", lambda request: paths.append(urlsplit(request.url).path))
    choose(page, "Add 1")
    expect(page).to_have_url(re.compile(r"moves=%2B1\+[^+&]+&"))
    expect(status(page)).to_contain_text("Your turn.")
    expect(page.locator(".tile .result").first).to_be_visible()
    asked = [path for path in paths if path.startswith("/api/")]
    assert asked == ["/api/position/operation-target", "/api/reply/operation-target"]


def test_a_move_can_be_taken_back_while_the_computer_thinks(visit: Visit) -> None:
    page = visit(f"{QUICK}&vs=7&seat=1&seed=1")
    expect(status(page)).to_have_text("Your turn.")
    replies: list[Route] = []
    page.route("**/api/reply/**", lambda route: replies.append(route))
    choose(page, "Add 1")
    expect(status(page)).to_contain_text("Level 7's turn.")
    until(page, lambda: bool(replies))
    page.get_by_role("button", name="Take back").click()
    expect(status(page)).to_have_text("Your turn.")
    # Now the reply comes too late, and is not played.
    with page.expect_response("**/api/reply/**"):
        replies[0].continue_()
    page.evaluate("pause => new Promise(done => setTimeout(done, pause))", THINKING)
    assert "moves=" not in page.url
    expect(status(page)).to_have_text("Your turn.")
    page.unroute("**/api/reply/**")
    choose(page, "Multiply by 2")
    expect(page).to_have_url(re.compile(r"moves=x2\+[^+&]+&"))


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
    page = visit("about:blank")
    game = "/play/numerical-nexus?moves=%2B5+reset-theirs"
    for path, words in (
        (game, "Player 2: reset Player 1's score."),
        (f"{game}&vs=2&seat=1", "Level 2: reset your score."),
        (f"{game}&vs=2&seat=2", "You: reset Level 2's score."),
    ):
        page.goto(path)
        # The status changes when the computer has moved, but the list of moves keeps the line.
        expect(page.get_by_role("region", name="Moves")).to_contain_text(words)


def test_a_choice_shows_its_result_or_why_it_is_illegal(visit: Visit) -> None:
    page = visit("/play/number-duel?moves=%2B5+%2B5")
    choose(page, "5")
    expect(status(page)).to_contain_text("no 5 in the pool")
    page.keyboard.press("*")
    expect(status(page)).not_to_contain_text("no 5 in the pool")  # it no longer applies
    expect(page.locator(".tile", has_text="▲ 50")).to_have_count(1)
    expect(page.locator(".tile", has_text="= 45")).to_have_count(1)
    page.goto("/play/number-duel?moves=%2B6+%2B5")
    expect(status(page)).to_contain_text("Player 1's turn.")
    page.keyboard.press("*")
    expect(page.locator(".tile", has_text="54 ▼ 0")).to_have_count(1)
    page.goto("/play/equation-duel")
    expect(status(page)).to_contain_text("Player 1's turn.")
    expect(page.locator(".preview")).to_contain_text("Pick two numbers, then a sign")
    choose(page, "8", "−")  # the sign has to wait, and the panel says for what
    expect(page.locator(".preview")).to_contain_text("Pick your second number")
    expect(status(page)).to_have_text("Player 1's turn.")
    page.keyboard.press("Escape")
    page.keyboard.type("6*7")
    expect(status(page)).to_contain_text("Player 1: 6 × 7 = 42.")


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
    assert_accessible(page, "a new game")


def test_keys_and_confirmations_are_settings_of_the_browser(visit: Visit) -> None:
    page = visit("/help")
    page.get_by_role("group", name="Digits and signs as keys").get_by_role("radio", name="Off").check()
    page.get_by_role("group", name="A chosen move waits for Play").get_by_role("radio", name="Always").check()
    page.goto("/play/number-duel")
    expect(status(page)).to_have_text("Player 1's turn.")
    page.keyboard.press("5")
    expect(page.locator(".tile.picked")).to_have_count(0)
    page.goto(QUICK)
    choose(page, "Add 1")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(status(page)).to_contain_text("Player 1: 1 + 1 = 2.")
    more(page, "Play moves at once")
    choose(page, "Multiply by 2")
    expect(status(page)).to_contain_text("Player 2: 2 × 2 = 4.")


def test_an_invalid_game_url_says_what_to_do(visit: Visit) -> None:
    page = visit("/play/number-duel?moves=x99")
    expect(page.get_by_role("alert")).to_contain_text("x99")
    page.get_by_role("link", name="Start again").click()
    expect(status(page)).to_have_text("Player 1's turn.")


def test_a_url_with_a_malformed_percent_sign_is_refused_like_any_other_unknown_one(visit: Visit) -> None:
    page = visit("about:blank")
    for path, words in (
        ("/play/%", "There is no game '%'."),
        ("/explore/%zz", "There is no game '%zz'."),
        ("/g/%E0%A4%A", "There is no such game."),
        ("/learn/%ff", "There is no game '\ufffd'."),
    ):
        page.goto(path)
        expect(page.get_by_role("alert")).to_contain_text("Can't open this page")
        expect(page.get_by_role("alert")).to_contain_text(words)
    page.get_by_role("link", name="See the games").click()
    expect(status(page)).to_contain_text("Your turn.")


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
    page = visit("about:blank")
    questions: list[str] = []
    page.on("request", lambda request: questions.append(request.url))
    page.goto("/play/operation-target?target=5&vs=2&seat=1")
    expect(page.locator(".tile .result")).to_have_count(2)
    expect(page.locator(".chip, .sign")).to_have_count(0)
    assert not re.search("/api/(solve|hint|judge|review)", " ".join(questions))
    page.get_by_role("button", name="Values").click()
    expect(page.get_by_role("region", name="Hints and values")).to_contain_text("You are winning")
    expect(page.locator(".tile .sign")).to_have_count(2)
    assert_accessible(page, "values")
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".chip, .sign")).to_have_count(0)


def test_a_hint_has_four_steps(visit: Visit) -> None:
    page = visit(f"{QUICK}&vs=2&seat=1")
    page.get_by_role("button", name="Hint").click()
    for step in (2, 3, 4):
        expect(page.get_by_role("heading", name=f"Hint {step - 1} of 4")).to_be_visible()
        page.get_by_role("button", name="Next hint").click()
    expect(page.get_by_role("region", name="Hints and values")).to_contain_text("Play ")
    assert_accessible(page, "hint")
    # The last step can be read again.
    with page.expect_response("**/api/hint/**") as answer:
        page.get_by_role("button", name="Hint", exact=True).click()
    assert answer.value.ok
    expect(page.get_by_role("heading", name="Hint 4 of 4")).to_be_visible()


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
    over = "/play/operation-target?target=5&vs=2&seat=1&moves=%2B1&conceded=1"
    explanation = page.get_by_role("region", name="The end").locator(".explanation > p").first
    page.goto(over)
    expect(page.get_by_role("link", name="Try")).to_be_visible()
    words = explanation.inner_text()
    page.goto(f"{over}&hints=off&takebacks=off")
    expect(explanation).to_have_text(words)
    expect(page.get_by_role("link", name="Try")).to_have_count(0)


def test_the_coach_warns_before_a_win_is_thrown_away(visit: Visit) -> None:
    page = visit("/play/operation-target?target=5&vs=coach&seat=1&seed=1")
    expect(status(page)).to_have_text("Your turn.")
    choose(page, "Add 1")
    expect(page.get_by_role("dialog")).to_contain_text("every move of yours loses")
    assert_accessible(page, "coach")
    page.get_by_role("button", name="Take it back").click()
    expect(status(page)).to_have_text("Your turn.")
    choose(page, "Add 1")
    page.get_by_role("button", name="Play it anyway").click()
    expect(page).to_have_url(re.compile("moves="))


def test_the_end_names_the_deciding_move_and_offers_to_replay_it(visit: Visit) -> None:
    page = visit("/play/operation-target?target=5&moves=%2B1+x2+x2")
    expect(page.get_by_role("region", name="The end")).to_contain_text("decided the game")
    row = page.get_by_role("region", name="The end").locator(".row").first
    expect(row.get_by_role("button").or_(row.get_by_role("link"))).to_have_text(["Rematch", "Review"])
    page.get_by_role("link", name="Try that moment again").click()
    expect(page.get_by_role("region", name="The end")).to_have_count(0)
    expect(status(page)).to_have_text("Find a move that keeps your win.")


def test_a_moment_tried_again_hides_the_answer_and_gets_a_verdict(visit: Visit) -> None:
    over = "/play/operation-target?target=5&moves=%2B1+x2+x2&vs=7&seat=1&seed=1"
    page = visit(over)
    end = page.get_by_role("region", name="The end")
    expect(end.get_by_role("button", name="Show me")).to_be_visible()
    expect(end.get_by_text("Only ×2 still won.")).to_be_hidden()
    end.get_by_role("button", name="Show me").click()
    expect(end.get_by_text("Only ×2 still won.")).to_be_focused()
    end.get_by_role("link", name="Try that moment again").click()
    expect(status(page)).to_have_text("Find a move that keeps your win.")
    expect(page.get_by_role("button", name="Hint")).to_be_hidden()
    choose(page, "Add 1")
    verdict = "That is the move that was played. It loses: Level 7 answers with +1. Try again?"
    expect(status(page)).to_have_text(verdict)
    expect(page.locator(".preview.bad")).to_contain_text("1 + 1 = 2")
    assert "moves=" not in page.url
    assert_accessible(page, "a second try")
    page.get_by_role("button", name="Show me").click()
    expect(page.get_by_role("region", name="Hints and values")).to_contain_text("Play ×2.")
    page.evaluate(RECORD)
    choose(page, "Multiply by 2")
    was_shown(page, "Yes! ×2 keeps your win.")
    expect(status(page)).to_contain_text("Your turn.")
    expect(page.get_by_role("button", name="Hint")).to_be_visible()


def test_a_game_lost_from_the_start_offers_the_best_chance_again(visit: Visit) -> None:
    page = visit("/play/number-quest?moves=%2B6+%2F1+%2B4+-2+x5&vs=7&seat=2&seed=1")
    page.get_by_role("link", name="Try your best chance again").click()
    expect(status(page)).to_have_text("Find your toughest move here.")
    page.keyboard.type("1/")
    expect(status(page)).to_have_text("÷1 is easier to answer than another move. Try again?")


# With a friend

TABS = 7  # with the player's own page, two more than a browser's connections to a server
RECORD = """
window.shown = [];
const look = () => window.shown.push(document.body.innerText);
new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
"""


def begin(visit: Visit, name: str = "Ann") -> tuple[Page, str]:
    """Starts a game with a friend and returns the page and the invitation."""
    ann = visit(QUICK)
    more(ann, "New game")
    ann.get_by_role("combobox", name="Against").select_option("friend")
    ann.get_by_label("Your name (optional)").fill(name)
    ann.get_by_role("button", name="Start").click()
    ann.wait_for_url("**/g/*")
    return ann, ann.get_by_label("Invitation").input_value()


def join(page: Page, name: str = "Bob") -> None:
    """Accepts the invitation that a page shows."""
    page.get_by_label("Your name (optional)").fill(name)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("button", name="Ask to take back")).to_be_visible()
    settled(page, ".table")


def was_shown(page: Page, text: str) -> None:
    """Waits until a page has shown a text since `RECORD`, even if the text has disappeared."""
    until(page, lambda: page.evaluate("text => window.shown.some(shown => shown.includes(text))", text))


def meet(visit: Visit, url: str) -> tuple[Page, Page]:
    """Opens a game between two friends on both their screens."""
    with Room(url) as room:
        ann, bob = map(visit, room.addresses)
    return ann, bob


def play(page: Page, move: str) -> None:
    """Plays a move on the player's turn."""
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


def test_a_game_with_a_friend_is_created_once_although_the_response_was_lost(visit: Visit) -> None:
    ann = visit(QUICK)
    statuses: list[int] = []

    def lose_the_first(route: Route) -> None:
        if route.request.method != "POST":
            route.continue_()
            return
        response = route.fetch()
        statuses.append(response.status)
        if len(statuses) == 1:
            route.abort()
        else:
            route.fulfill(response=response)

    ann.route("**/api/games", lose_the_first)
    begin(lambda _: ann)
    assert statuses == [201, 200], "the second request has the key of the first one"


def test_start_cannot_be_pressed_again_while_a_game_is_created(visit: Visit) -> None:
    ann = visit(QUICK)
    sent: list[Route] = []
    ann.route("**/api/games", lambda route: sent.append(route) if route.request.method == "POST" else route.continue_())
    more(ann, "New game")
    ann.get_by_role("combobox", name="Against").select_option("friend")
    start = ann.get_by_role("button", name="Start")
    start.click()
    expect(start).to_be_disabled()
    until(ann, lambda: len(sent) == 1)
    sent[0].fulfill(status=422, json={"detail": "Not now."})
    expect(ann.get_by_text("Not now.")).to_be_visible()
    expect(start).to_be_enabled()


def test_friends_play_a_whole_game_and_a_rematch_while_somebody_watches(visit: Visit) -> None:
    ann, invitation = begin(visit)
    assert_accessible(ann, "invite")
    bob = visit(invitation)
    expect(bob.get_by_role("heading", name="Ann invites you to Operation Target")).to_be_visible()
    assert_accessible(bob, "join")
    join(bob)
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
    expect(ann.get_by_role("button", name="Decline")).to_be_visible()
    assert_accessible(ann, "take-back")
    bob.evaluate(RECORD)
    ann.get_by_role("button", name="Allow").click()
    expect(status(bob)).to_have_text("Ann: 1 × 2 = 2. Your turn.")
    was_shown(bob, "The last move was taken back.")
    expect(ann.get_by_text("Waiting for Bob…")).to_be_visible()
    choose(bob, "Add 1")
    expect(bob.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert_accessible(bob, "chosen")
    bob.get_by_role("button", name="Play", exact=True).click()
    play(ann, "Add 1")
    play(bob, "Multiply by 2")
    play(ann, "Multiply by 2")
    for page, heading in ((ann, "You lose"), (bob, "You win"), (carl, "Bob wins")):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    # Ann reads on, and goes to the new game when she likes. Both stay on the left of their screens, in their colour.
    reading = ann.url
    bob.get_by_role("button", name="Rematch").click()
    expect(ann.get_by_text("Bob is ready for a rematch.")).to_be_visible()
    play(bob, "Add 1")
    assert ann.url == reading
    expect(ann.get_by_role("heading", name="You lose")).to_be_visible()
    ann.evaluate(RECORD)
    ann.get_by_role("button", name="Rematch").click()
    was_shown(ann, "The rematch begins.")
    for page, name in ((ann, "Ann"), (bob, "Bob")):
        expect(page.locator(".players > .player.seat-1:first-child .name")).to_have_text(name)
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
    join(visit(invitation), "")
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


def test_the_computer_substitutes_for_a_friend_who_left_and_can_return(visit: Visit, server: Server) -> None:
    ann, bob = meet(visit, server.url)
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


# A bad connection


def test_pages_reconnect_after_a_server_is_killed_and_nothing_is_lost(browser: Browser, fragile_server: Server) -> None:
    with Visits(browser, fragile_server.url) as visit:
        ann, bob = meet(visit, fragile_server.url)
        alone = visit(QUICK)
        expect(status(alone)).to_have_text("Player 1's turn.")
        play(ann, "Add 1")
        expect(status(bob)).to_contain_text("Your turn.")
        with killed(fragile_server):
            expect(bob.get_by_text("Connection lost.")).to_be_visible()
            expect(bob.locator("#whisper[aria-live]")).to_have_text("The connection is lost. Reconnecting.")
            # A move made meanwhile is sent when the server is back.
            choose(bob, "Add 1")
            bob.get_by_role("button", name="Play", exact=True).click()
            choose(alone, "Add 1")
            expect(alone.get_by_role("alert")).to_contain_text("Can't reach the server.")
        expect(status(ann)).to_have_text("Bob: 2 + 1 = 3. Your turn.")
        expect(bob.get_by_text("Connection lost.")).to_be_hidden()
        # A game on one screen goes on by itself, too.
        expect(status(alone)).to_have_text("Player 1: 1 + 1 = 2. Player 2's turn.")
        expect(alone.get_by_role("alert")).to_be_hidden()


def test_hidden_tabs_close_their_streams_so_that_many_tabs_stay_live(visit: Visit, server: Server) -> None:
    ann, bob = meet(visit, server.url)
    tabs: list[Page] = []
    for _ in range(TABS):
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


def test_a_game_against_the_computer_goes_on_when_the_line_is_back(visit: Visit) -> None:
    page = visit(f"{QUICK}&vs=1&seat=1&seed=1")
    expect(status(page)).to_have_text("Your turn.")
    expect(page.locator(".tile .result")).to_have_count(2)
    page.context.set_offline(True)
    choose(page, "Add 1")
    expect(page.get_by_role("alert")).to_contain_text("goes on when the connection is back")
    page.context.set_offline(False)
    expect(page).to_have_url(re.compile(r"moves=%2B1\+[^+&]+&"))
    expect(status(page)).to_contain_text("Your turn.")
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_move_is_sent_again_and_played_once_over_a_slow_and_lossy_connection(visit: Visit) -> None:
    page = visit(f"{QUICK}&vs=1&seat=1&seed=1")
    expect(status(page)).to_have_text("Your turn.")
    tile = page.get_by_role("button", name="Add 1")
    sent: list[Route] = []

    def lose_the_first(route: Route) -> None:
        sent.append(route)
        if len(sent) == 1:
            route.abort()

    page.route("**/api/position/**", lose_the_first)
    choose(page, "Add 1")
    expect(page.get_by_text("sending…")).to_be_visible()
    expect(tile).to_have_attribute("aria-pressed", "true")
    expect(tile).to_have_attribute("aria-disabled", "true")
    tile.click(force=True)  # a second click does nothing
    until(page, lambda: len(sent) == 2)  # the lost request is sent again
    # A move that is refused stays selected, and can be sent again.
    sent[1].fulfill(status=422, json={"detail": "Not now."})
    expect(page.get_by_role("alert")).to_contain_text("Not now.")
    expect(tile).to_have_attribute("aria-pressed", "true")
    expect(tile).not_to_have_attribute("aria-disabled", "true")
    page.unroute("**/api/position/**")
    urls: set[str] = set()

    def lose_the_first_of_each(route: Route) -> None:
        lost = route.request.url not in urls
        urls.add(route.request.url)
        (route.abort if lost else route.continue_)()

    page.route("**/api/**", lose_the_first_of_each)
    page.get_by_role("button", name="Try again").click()
    expect(page).to_have_url(re.compile(r"moves=%2B1\+[^+&]+&"))
    expect(status(page)).to_contain_text("Your turn.")
    assert len(urls) == 2  # the move, and the reply with the new position
