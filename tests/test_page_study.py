"""The pages for study and teaching in a real browser, by mouse and keyboard, on any screen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

import digitduels as dd
from browser import MARKS, Visit, status
from digitduels.match import Match
from digitduels.record import save

pytestmark = MARKS

# Player 1 throws the win away at once, and so does Player 2.
GAME = "moves=%2B1+%2B1+%2B2"
PUZZLE = "/puzzle/number-duel?tier=2&seed=3"


def asked(page: Page, path: str) -> Any:
    """The server's JSON."""
    answer = page.request.get(path)
    assert answer.ok, answer.text()
    return answer.json()


def press(page: Page, view: Any, move: str) -> None:
    """Chooses a move on the board, field by field."""
    picks = next(each["picks"] for each in view["legal"] if each["move"] == move)
    for field, pick in enumerate(picks):
        page.locator(".tiles").nth(field).get_by_role("button").nth(pick).click()


# Explore


def test_explore_judges_every_move_and_steps_forward_and_back(visit: Visit) -> None:
    page = visit("/explore/number-duel")
    standing = page.get_by_role("region", name="Who is winning")
    expect(standing).to_contain_text("Player 1 is winning: 2 more turns.")
    expect(page.get_by_text("Winning moves: 2")).to_be_visible()
    expect(page.get_by_text("Losing moves: 18")).to_be_visible()
    page.get_by_role("button", name="Play +5").click()
    expect(standing).to_contain_text("Player 1 is winning")
    expect(page).to_have_url(re.compile(r"moves=%2B5$"))
    page.get_by_role("button", name="Back").click()
    expect(page).to_have_url(re.compile(r"number-duel$"))
    # The arrow keys step, digits and signs play.
    page.locator("#main").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"moves=%2B5$"))
    page.keyboard.type("9+")
    expect(page).to_have_url(re.compile(r"moves=%2B5\+%2B9$"))
    page.reload()
    expect(status(page)).to_have_text("Player 2: 0 + 9 = 9. Player 1's turn.")
    page.go_back()
    expect(status(page)).to_have_text("Player 1: 0 + 5 = 5. Player 2's turn.")
    # Without an answer, the values of another position are not left on the screen.
    every_move = page.get_by_role("region", name="Every move")
    expect(every_move).to_be_visible()
    page.route("**/api/solve/**", lambda route: route.fulfill(status=422, json={"detail": "Not now."}))
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.get_by_text("Not now.")).to_be_visible()
    expect(every_move).to_be_hidden()
    page.unroute("**/api/solve/**")
    page.get_by_role("button", name="Try again").click()
    expect(standing).to_contain_text("Player 1 is winning: 2 more turns.")


def test_any_position_can_be_set_up_and_errors_are_explained(visit: Visit) -> None:
    page = visit("/explore/number-duel")
    page.get_by_text("Set up a position").click()
    score = page.get_by_role("textbox", name="Score").first
    score.fill("99")
    score.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="A score")).to_contain_text("from 0 to 50; 99 is not")
    score.fill("49")
    score.press("Enter")
    expect(page.get_by_role("region", name="Who is winning")).to_contain_text("1 more turn")
    expect(page).to_have_url(re.compile("position=1%3B49%3B0%3B2%2C"))
    page.get_by_text("Rules: as in the book").click()
    page.get_by_role("textbox", name="target the score").fill("12")
    page.get_by_role("textbox", name="highest").fill("4")
    page.get_by_role("button", name="Explore these rules").click()
    page.wait_for_url(re.compile(r"/explore/number-duel\?target=12&highest=4$"))
    page.get_by_text("Play on from here").click()
    page.get_by_role("button", name="Play on", exact=True).click()
    page.wait_for_url(re.compile(r"/play/number-duel\?.*vs=\d"))


def test_the_map_shows_the_winner_of_each_score_and_links_to_it(visit: Visit) -> None:
    page = visit("/explore/number-duel?moves=%2B5+%2B10")
    where = page.get_by_role("region", name="Who wins at which scores")
    expect(
        where.get_by_role("application", name=re.compile(r"Player 1 to move wins at \d+ of \d+ pairs"))
    ).to_be_visible()
    expect(where).to_contain_text("While Player 2 has 10: Player 1 wins at")
    picture = where.locator("svg")
    page.get_by_role("button", name="Map").click()
    box = picture.bounding_box()
    assert box
    picture.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(page).to_have_url(re.compile("position=1%3B2"))
    page.go_back()
    expect(status(page)).to_have_text("Player 2: 0 + 10 = 10. Player 1's turn.")
    # The same by keyboard.
    picture.focus()
    page.keyboard.press("ArrowRight")
    expect(where.locator(".readout")).to_contain_text("6 against 10:")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("position=1%3B6%3B10"))


def test_the_map_depends_on_what_the_players_have_left(visit: Visit) -> None:
    page = visit("/explore/numerical-nexus")
    where = page.get_by_role("region", name="Who wins at which scores")
    expect(where.get_by_text("Only one pair of scores is possible")).to_be_visible()
    for player in ("Player 1", "Player 2"):
        where.get_by_label(f"Left for {player}: +5").select_option("0")
    picture = where.get_by_role("application", name="wins at 0 of 4 pairs of scores")
    expect(picture).to_be_visible(visible=False)
    page.get_by_role("button", name="Map").click()
    picture.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(where.locator(".readout")).to_contain_text("5 against 0:")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("position=1%3B5%2C3%2C2%2C0%2C2%2C1%2C1%3B0%2C3%2C2%2C0%2C2%2C1%2C1"))


# Review


def test_a_review_hides_the_answer_until_it_is_found_or_requested(visit: Visit) -> None:
    page = visit(f"/review/number-duel?{GAME}&vs=4&seat=1&seed=1")
    moment = page.get_by_role("region", name="This moment")
    expect(moment).to_contain_text("Your turning point 1 of 2")
    expect(status(page)).to_have_text("Your turning point 1 of 2. Find a move that keeps your win.")
    expect(page.locator("#main")).not_to_contain_text("still won")
    page.keyboard.type("1+")
    page.keyboard.press("Enter")
    expect(page.locator(".answer .told.loss")).to_contain_text("That is the move that was played. It loses: Level 4 ")
    page.keyboard.type("5+")
    expect(page.locator(".answer .told.win")).to_have_text("Yes! +5 keeps your win.")
    expect(moment).to_contain_text("You played +1 and turned a win into a loss.")
    page.get_by_role("button", name="Next turning point").click()
    expect(page).to_have_url(re.compile("at=2$"))
    # The opponent's come on request. Nobody asks "you" about them, and what is bad for the opponent is no failure.
    page.get_by_role("button", name="Level 4's turning points").click()
    expect(page).to_have_url(re.compile("at=1$"))
    expect(status(page)).to_have_text("Move 1, you: +1. Level 4 to move. Could Level 4 have kept the win?")
    page.keyboard.type("9x")
    expect(page.locator(".answer .told")).to_contain_text(
        re.compile(r"^That loses for Level 4 too: .* then wins for you")
    )
    expect(page.locator(".answer .told.loss")).to_have_count(0)
    page.get_by_role("button", name="Show me").click()
    expect(moment).to_contain_text("still won")
    # A line of best play has steps that move the board, and one press leads back.
    line = page.get_by_role("group", name="Best play after +1")
    line.get_by_role("button").last.click()
    expect(status(page)).to_contain_text("You win!")
    expect(line.get_by_role("button").last).to_have_attribute("aria-current", "step")
    expect(page.get_by_role("img", name="Number line")).to_have_attribute("aria-label", re.compile("You at 50"))
    page.get_by_role("button", name="Back to the game").click()
    expect(status(page)).to_have_text("Move 1, you: +1.")
    expect(page.get_by_role("button", name="Back to the game")).to_be_hidden()
    page.get_by_role("button", name="Move 3, Player 1: +2").click()
    expect(moment).to_contain_text("Move 3, you: +2.")
    page.reload()
    expect(moment).to_contain_text("Move 3, you: +2.")
    page.locator("#main").focus()
    page.keyboard.press("ArrowLeft")
    expect(moment).to_contain_text("Move 2, Level 4: +1.")


def test_a_review_lists_the_moves_with_signs_from_the_readers_point_of_view(visit: Visit) -> None:
    page = visit(f"/review/number-duel?{GAME}&vs=4&seat=2&seed=1")
    strip = page.get_by_role("list", name="Who was winning after each move")
    expect(strip.locator(".sign")).to_have_text(["▼", "▲", "▼", "▲"])
    page.goto(f"/review/number-duel?{GAME}")
    expect(strip.locator(".sign")).to_have_text(["●", "○", "●", "○"])
    page.goto("/play/operation-target?target=5&vs=7&seat=1&seed=1")
    page.get_by_role("button", name="Multiply by 2").click()
    expect(page).to_have_url(re.compile("moves="))
    tabs = page.get_by_role("navigation", name="Operation Target")
    expect(tabs.get_by_role("link", name="Review")).to_have_attribute("href", re.compile("moves=x2"))
    tabs.get_by_role("link", name="Rules").click()
    expect(page).to_have_url(re.compile("/learn/"))
    tabs.get_by_role("link", name="Play").click()  # back to this game, not to a new one
    expect(page).to_have_url(re.compile("moves=x2"))
    page.goto("/review/number-quest")
    expect(page.get_by_text("Play Number Quest, then come back")).to_be_visible()
    page.goto("/review/operation-target")
    mine = page.get_by_role("main").get_by_role("listitem").filter(has_text="Operation Target")
    expect(mine).to_contain_text("Level 7")
    mine.get_by_role("link", name="Review").click()
    expect(strip).to_be_visible()
    page.goto("/review")
    mine.get_by_role("link", name="Continue").click()
    expect(status(page)).to_contain_text("Level 7")
    page.goto("/review")
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("dialog").get_by_role("button", name="Clear").click()
    expect(page.get_by_text("You have not played here yet.")).to_be_visible()


def test_critical_moves_are_counted_and_zero_is_shown_as_a_dash(visit: Visit) -> None:
    page = visit("/play/number-duel?moves=%2B5+%2B10+x10")
    page.get_by_role("main").get_by_role("link", name="Review").click()
    found = page.get_by_role("region", name="Critical moves found")
    expect(found.get_by_role("definition")).to_have_text(["2 of 2 (guessing finds about 0)", "–"])
    expect(page.get_by_role("region", name="What decided it")).to_contain_text("Going first wins here")
    page.get_by_role("button", name="Best play from here").click()
    line = page.get_by_role("group", name="Best play from here")
    line.get_by_role("button").last.click()
    expect(status(page)).to_contain_text("wins!")


def test_a_record_is_opened_with_the_comments_of_its_players(visit: Visit, tmp_path: Path) -> None:
    match = Match(dd.game("number-duel"), names=("Ann; Lee", "Ben"))
    for move in ("+1", "+5"):
        match.say(f"I like {move}.")
        match.play(match.game.read(move))
    path = tmp_path / "game.json"
    save(match, path)
    page = visit("/review")
    page.get_by_label("Open a saved game").set_input_files(path)
    page.wait_for_url(re.compile(r"/review/number-duel\?moves="))
    page.get_by_role("button", name="Forward").click()
    expect(page.get_by_role("region", name="This moment")).to_contain_text("Move 1, Ann; Lee: +1.")
    expect(page.locator("blockquote")).to_contain_text("I like +1.")
    expect(page.get_by_role("region", name="What decided it")).to_contain_text("Ann; Lee")
    # Or by dropping the file. A file that is not a record is refused.
    make = "text => { const all = new DataTransfer(); all.items.add(new File([text], 'game.json')); return all; }"
    for text, told in ((json.dumps({"format": "something else"}), "not a record"), ("[", "not a saved game")):
        dropped = page.evaluate_handle(make, text)
        page.locator("#main").dispatch_event("drop", {"dataTransfer": dropped})
        expect(page.get_by_role("alert")).to_contain_text(told)
    dropped = page.evaluate_handle(make, path.read_text(encoding="utf-8"))
    page.locator("#main").dispatch_event("drop", {"dataTransfer": dropped})
    expect(page.get_by_role("region", name="This moment")).to_contain_text("The start.")


# Puzzles


def test_a_puzzle_is_solved_against_best_defence_and_a_wrong_move_is_refuted(visit: Visit) -> None:
    page = visit(PUZZLE)
    puzzle = asked(page, "/api/puzzle?game=number-duel&tier=2&seed=3")
    expect(page.get_by_role("region", name="The puzzle")).to_contain_text(puzzle["question"]["you"])
    moves = re.findall(r"moves=([^&]*)", puzzle["link"])[0]
    solved = asked(page, f"/api/solve/number-duel?moves={moves}")
    view = asked(page, f"/api/position/number-duel?moves={moves}")
    press(page, view, solved["each"][-1]["move"])
    expect(page.locator(".told.loss")).to_contain_text("gives the win away")
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_role("region", name="Hints and values")).to_contain_text("You are winning: 2 more turns.")
    press(page, view, solved["best"][0])
    expect(page.get_by_text("Right")).to_be_visible()
    expect(status(page)).to_contain_text("Now finish it.")
    page.reload()
    expect(status(page)).to_contain_text("Now finish it.")
    made = re.findall(r"moves=([^&]*)", page.url)[0].replace("+", "%20")
    solved = asked(page, f"/api/solve/number-duel?moves={moves}%20{made}")
    view = asked(page, f"/api/position/number-duel?moves={moves}%20{made}")
    press(page, view, solved["each"][-1]["move"])
    expect(page.locator(".told.loss")).to_contain_text("gives the win away")
    press(page, view, solved["best"][0])
    expect(page.get_by_role("heading", name="Solved")).to_be_focused()
    expect(page.get_by_text("Solved on your 3rd try.")).to_be_visible()  # one of them before the reload
    page.get_by_role("link", name="Next puzzle").click()
    page.wait_for_url(re.compile(r"tier=2&seed=(?!3$)\d+$"))
    expect(status(page)).to_have_text("Find the move.")


def test_the_daily_puzzle_links_to_the_puzzles_of_every_game(visit: Visit) -> None:
    page = visit("/puzzle")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Today's puzzle")
    page.get_by_role("link", name="Number Duel", exact=True).click()
    page.get_by_role("link", name="win in three turns").click()
    expect(page).to_have_url(re.compile(r"/puzzle/number-duel\?tier=3$"))
    expect(page.get_by_role("region", name="The puzzle")).to_contain_text("win in three turns")
    page.get_by_role("link", name="Operation Target", exact=True).click()
    expect(page.get_by_text("There is no such puzzle.")).to_be_visible()


# Learn


def test_the_rules_have_an_example_to_step_through(visit: Visit) -> None:
    page = visit("/learn")
    page.get_by_role("link", name="Learn it Operation Target").click()
    for name in ("The rules", "Options", "Rulings"):
        expect(page.get_by_role("region", name=name)).to_be_visible()
    expect(page.get_by_role("region", name="With perfect play")).to_contain_text("With best play")
    first, second, *_, last = dd.game("operation-target").example.replace("x", "×").split()
    example = page.get_by_role("region", name="An example")
    example.get_by_role("button", name="Forward").click()
    expect(example).to_contain_text(f"Player 1: {first}")
    page.locator("#main").focus()
    page.keyboard.press("ArrowRight")
    expect(example).to_contain_text(f"Player 2: {second}")
    expect(page).to_have_url(re.compile("at=2$"))
    page.reload()
    expect(example).to_contain_text(f"Player 2: {second}")
    example.get_by_role("button", name="Go to the end").click()
    expect(example).to_contain_text(f": {last}")
    page.get_by_role("link", name="Play it now").click()
    page.wait_for_url(re.compile(r"/play/operation-target\?vs="))


# Teach


def test_a_class_link_carries_its_settings(visit: Visit) -> None:
    page = visit("/teach")
    page.get_by_role("radio", name="Number Duel").check()
    page.wait_for_url(re.compile("game=number-duel"))
    page.get_by_role("combobox", name="Against").select_option("7")
    page.get_by_role("checkbox", name="Hints").uncheck()
    page.get_by_role("checkbox", name="Take-backs").uncheck()
    page.get_by_role("radio", name="Balanced start").check()
    url = page.locator(".url")
    expect(url).to_contain_text("hints=off&takebacks=off")
    expect(url).to_contain_text("opening=")
    page.reload()
    expect(url).to_contain_text("hints=off&takebacks=off")
    expect(url).to_contain_text("opening=")
    expect(page.get_by_role("checkbox", name="Hints")).not_to_be_checked()
    link = url.inner_text()
    page.get_by_role("link", name="Show it large").click()
    expect(page.locator(".projector .url")).to_have_text(link)
    page.get_by_role("link", name="Back").click()
    page.get_by_role("link", name="Try it").click()
    expect(page.get_by_role("button", name="More")).to_be_visible()
    expect(page.get_by_role("button", name="Hint")).to_have_count(0)
    expect(page.get_by_role("button", name="Take back")).to_have_count(0)


def test_the_board_for_projectors_shows_values_on_request(visit: Visit) -> None:
    page = visit("/teach?game=number-duel", width=1280, height=800)
    page.get_by_role("button", name="Open the board").click()
    expect(status(page)).to_have_text("Player 1's turn.")
    page.keyboard.type("5+")
    expect(status(page)).to_have_text("Player 1: 0 + 5 = 5. Player 2's turn.")
    expect(page.locator(".tile .sign")).to_have_count(0)
    page.get_by_role("button", name="Values").click()
    expect(page.locator("#main")).to_contain_text("Player 1 is winning")
    page.reload()
    expect(page.locator("#main")).to_contain_text("Player 1 is winning")
    assert page.locator(".score").first.evaluate("each => parseFloat(getComputedStyle(each).fontSize)") > 100


def test_a_sheet_is_printed_with_its_answers_on_a_separate_page(visit: Visit) -> None:
    page = visit("about:blank", color_scheme="dark")
    page.route("**/api/lessons", lambda route: None)  # a request that is still open when the teacher leaves the page
    page.goto("/teach?game=number-duel")
    page.get_by_role("spinbutton", name="How many").fill("1")
    page.get_by_role("button", name="Make a sheet").click()
    expect(page.get_by_role("heading", name=re.compile(r"Puzzle \d"))).to_have_count(1)
    expect(page.get_by_role("region", name="Answers").get_by_role("listitem")).to_have_count(1)
    page.emulate_media(media="print")
    for hidden in (".top", ".foot", ".no-print"):
        expect(page.locator(hidden)).to_be_hidden()
    assert page.locator("body").evaluate("each => getComputedStyle(each).backgroundColor") == "rgb(255, 255, 255)"
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf())) == 2
