"""The lab in a real browser, used by a game designer."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from browser import MARKS, Visit, assert_accessible

pytestmark = MARKS


def test_a_designer_changes_rules_by_keyboard_compares_and_plays(visit: Visit) -> None:
    page = visit("/lab/number-duel?highest=3&target=12")
    expect(page.get_by_role("meter", name="Fair")).to_be_visible()
    expect(page.get_by_role("meter", name="Deep")).to_be_visible()
    page.get_by_role("button", name="Keep to compare").click()
    slider = page.get_by_role("slider", name=re.compile("The score that wins"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("target=13"))
    expect(page.get_by_role("heading", name="Side by side")).to_be_visible()
    heads = page.get_by_role("columnheader")
    expect(heads).to_have_text(["Number Duel: first to 12, numbers 1 to 3", "Number Duel: first to 13, numbers 1 to 3"])
    expect(page.get_by_role("button", name=re.compile("^13: "))).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name=re.compile("^14: ")).click()
    expect(page).to_have_url(re.compile("target=14"))
    assert_accessible(page, "lab")
    page.get_by_role("link", name="Play this").click()
    expect(page).to_have_url(re.compile("/play/number-duel.*target=14"))
    expect(page.get_by_text("House rules: first to 14, numbers 1 to 3.")).to_be_visible()
    page.get_by_role("link", name="Change these rules").click()
    expect(page).to_have_url(re.compile(r"/lab/number-duel\?.*target=14"))


def test_the_lab_shows_what_the_linter_finds_with_a_game_that_shows_it(visit: Visit) -> None:
    page = visit("/lab/operation-target")
    expect(page.get_by_role("heading", name="What to know about these rules")).to_be_visible()
    finding = page.get_by_role("listitem").filter(has_text="Nobody can ever reach exactly 23.")
    expect(finding).to_contain_text("Warning: ")
    expect(finding).to_contain_text("Not with first to 24.")
    finding.get_by_text("A game that shows it").click()
    expect(finding.get_by_text("Player 1 ×2, Player 2 +1,")).to_be_visible()


PATIENCE = """
window.patience = {};
let last = 0;
const { fetch } = window;
const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = milliseconds => timeout(last = milliseconds);
window.fetch = (url, ...rest) => {
  window.patience[String(url).split("?")[0]] = last;
  return fetch(url, ...rest);
};
"""
WAIT = 15_000  # milliseconds that the server lets a question to the lab wait at most


def test_the_lab_waits_for_an_answer_as_long_as_the_server_does(visit: Visit) -> None:
    page = visit("about:blank")
    page.add_init_script(PATIENCE)
    page.goto("/lab/number-duel?highest=3&target=12")
    expect(page.get_by_role("region", name="Other values")).to_be_visible()
    patience = page.evaluate("window.patience")
    for path in ("solve/number-duel", "lab/number-duel/report", "map/number-duel", "lab/number-duel/strip"):
        assert patience[f"/api/{path}"] > WAIT


def test_rules_that_are_too_large_are_refused_with_a_suggestion(visit: Visit) -> None:
    page = visit("/lab/number-duel?target=99&copies=3")
    expect(page.get_by_text("Small enough: ").first).to_be_visible()
    page.get_by_label("Who wins at equal scores when the pool is empty").select_option("draw")
    expect(page).to_have_url(re.compile("tie=draw"))


def test_a_game_with_rules_that_are_too_large_can_still_be_stepped_through(visit: Visit) -> None:
    page = visit("/review/number-duel?target=1000000&moves=%2B1+%2B2&vs=2&seat=1&seed=1")
    expect(page.get_by_text("too large to be worked out here")).to_be_visible()
    expect(page.locator(".ply")).to_have_text("2 / 2")
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator(".ply")).to_have_text("1 / 2")
    page.get_by_role("button", name="Forward").click()
    expect(page.locator(".ply")).to_have_text("2 / 2")
    assert page.url.endswith("seed=1"), "the whole game stays in the address"
    assert_accessible(page, "a game without a review")


def test_figures_of_previous_rules_are_cleared(visit: Visit) -> None:
    page = visit("/lab/number-duel?highest=3&target=12")
    parts = [page.get_by_role("region", name=name) for name in ("Who wins at which scores", "Other values")]
    for part in parts:
        expect(part).to_be_visible()
    page.get_by_role("button", name="Keep to compare").click()
    page.get_by_label("How many of each number the pool holds").fill("9")
    with page.expect_response(lambda response: "/strip" in response.url and "highest=13" in response.url):
        page.get_by_role("slider", name=re.compile("The highest number")).fill("13")
    expect(page.get_by_text("Small enough: ").first).to_be_visible()
    expect(page.get_by_role("columnheader")).to_have_text(["Number Duel: first to 12, numbers 1 to 3"])
    expect(page.get_by_role("meter", name="Fair")).to_have_count(0)
    expect(parts[0]).to_be_hidden()  # a short search finds who wins with other values, even if a game is too large
