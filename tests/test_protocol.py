"""Prompts for models and the parser of their answers: complete questions, strictly parsed answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import digitduels as dd
from digitduels.core import IllegalMove, InvalidMove
from digitduels.evals.protocol import (
    LEGAL,
    NoAnswer,
    Style,
    answer,
    check,
    chosen,
    legal,
    legality_question,
    outcome_question,
    question,
    refusal,
    rules,
    seen,
)
from digitduels.manual import rulings
from digitduels.match import Match
from digitduels.study.positions import positions
from test_docs import DOCS, section
from variants import ALL, describe, games_in_progress, solve

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
OBJECTS = st.dictionaries(st.sampled_from(["move", "why", ""]), JSON, max_size=3)


# Answers


@given(st.text() | st.text('{}[]":,\\ aemov1+-'))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        assert isinstance(answer(text), dict)
    except NoAnswer as error:
        assert str(error)  # noqa: PT017


@given(st.text() | st.text('{}[]":,\\ '), OBJECTS, st.text().filter(lambda text: "{" not in text))
def test_the_last_json_object_is_the_answer_whatever_surrounds_it(
    before: str, found: dict[str, Any], after: str
) -> None:
    assert json.dumps(answer(before + json.dumps(found) + after)) == json.dumps(found)


@given(st.lists(OBJECTS, min_size=1, max_size=4))
def test_the_last_of_several_objects_is_the_answer(found: list[dict[str, Any]]) -> None:
    assert json.dumps(answer(" or ".join(map(json.dumps, found)))) == json.dumps(found[-1])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I play +5.",
        "move: +5",
        '{"move": 5}',
        '{"move": NaN}',
        '{"move": null}',
        '{"move": ["+5"]}',
        '{"move": {"move": "+5"}}',
        '{"answer": {"move": "+5"}}',
        '{"move": "+5"} {"note": "done"}',
        '{"Move": "+5"}',
        "{'move': '+5'}",
        '{"move": "+5"',
        '{"move": ' + "9" * 5000 + "}",
        '{"a":' * 50_000,
        "[" * 100_000 + '{"move": 1}',
        "{" * 1_000_000,
        '{"move": "' * 10_000,
    ],
    ids=lambda text: text[:30],
)
def test_answers_in_another_format_are_refused(text: str) -> None:
    with pytest.raises(NoAnswer):
        chosen(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"move": "+5"}',
        'I think +3 {no, really}.\n```json\n{"move": "+5", "why": "it wins"}\n```\n',
        '{"move": "x2"} was wrong. {"move": "+5"}',
        '[{"move": "+5"}]',
        '{"a":' * 3000 + '{"move": "+5"}',
        "word " * 1_000_000 + '{"move": "+5"}',
    ],
    ids=lambda text: text[:30],
)
def test_an_answer_is_found_after_any_prose(text: str) -> None:
    assert chosen(text) == "+5"


@pytest.mark.parametrize("text", ["+5", "5 +", "add 5", "＋5", " + 5 "])
def test_moves_in_answers_can_be_spelled_in_many_ways(text: str) -> None:
    game = dd.game("number-duel")
    assert str(legal(game, game.start(), chosen(json.dumps({"move": text})))) == "+5"


def test_a_refused_answer_is_invalid_or_illegal_and_says_why() -> None:
    game = dd.game("operation-target")
    state = game.play(game.play(game.start(), game.read("x2")), game.read("x2"))
    with pytest.raises(IllegalMove) as raised:
        legal(game, state, "x2")
    assert raised.value.reason == (
        "x2 is not allowed here. Player 1 cannot Multiply by 2 again: it was their previous operation."
    )
    match = Match(game)
    for token in ("x2", "x2"):
        match.play(game.read(token))
    assert "x2 is not allowed here. You cannot Multiply by 2 again: it was your previous operation.\n" in refusal(
        raised.value.reason, match
    )
    with pytest.raises(InvalidMove, match="not a move in Operation Target"):
        legal(game, state, "+2")


@given(games_in_progress())
def test_every_legal_move_is_accepted_as_an_answer(progress: tuple[Any, list[Any], list[Any]]) -> None:
    game, states, _ = progress
    for move in game.legal_moves(states[-1]):
        assert legal(game, states[-1], chosen(f'So: {{"move": "{move}"}}')) == move


# Questions


def reached(game: Any, count: int = 40) -> list[Match]:
    return list(positions(solve(game), count))


SMALL = [(name, options) for name, options in ALL if options and "target" in options and options["target"] < 50]


@pytest.mark.parametrize("variant", SMALL, ids=describe)
def test_different_positions_have_different_prompts_even_without_the_history(variant: tuple[str, Any]) -> None:
    told: dict[str, Any] = {}
    for match in reached(dd.game(variant[0], **variant[1])):
        prompt = question(match, Style("hidden", history=False))
        assert told.setdefault(prompt, match.state) == match.state
    assert told


def test_a_prompt_without_the_history_says_what_is_left_once() -> None:
    nexus, target = (
        question(Match(dd.game(name)), Style(history=False)) for name in ("numerical-nexus", "operation-target")
    )
    assert nexus.count("+1 (3), +3 (2)") == 2  # once for each player
    assert "Left to you: Add 1 (1), Multiply by 2 (1)\nLeft to Player 2: " in target


@pytest.mark.parametrize("legal_moves", LEGAL)
@pytest.mark.parametrize("history", [True, False])
def test_a_prompt_follows_its_style(legal_moves: str, history: bool) -> None:
    game = dd.game("number-quest", target=9, highest=3)
    for match in reached(game):
        prompt = question(match, Style(legal_moves, history))
        assert all(line in prompt for line in seen(game, match.state, match.state.player))
        assert f"You are Player {match.state.player + 1}," in prompt
        listed = f"Your legal moves: {' '.join(map(str, game.legal_moves(match.state)))}\n"
        assert (listed in prompt) == (legal_moves == "listed")
        names = ["You", "Player 2"] if match.state.player == 0 else ["Player 1", "You"]
        told = [f"\n{index}. {move} ({names[(index - 1) % 2]}: " for index, move in enumerate(match.moves, 1)]
        assert ("The moves so far:" in prompt) == history
        assert all((line in prompt) == history for line in told)
        assert prompt.endswith('{"move": "…"}')


def test_a_prompt_describes_each_move() -> None:
    match = Match(dd.game("number-duel", target=20))
    for token in ("+5", "+10", "x10", "+1"):
        match.play(match.game.read(token))
    assert (
        "The moves so far:\n"
        "1. +5 (You: 0 + 5 = 5.)\n"
        "2. +10 (Player 2: 0 + 10 = 10.)\n"
        "3. x10 (You: 5 x 10 = 50. Over 20: back to 0.)\n"
        "4. +1 (Player 2: 10 + 1 = 11.)\n\n"
    ) in question(match)


def test_no_prompt_contains_a_valid_answer() -> None:
    match = Match(dd.game("number-duel"))
    for text in (question(match), refusal("No.", match), legality_question(match, "+5"), outcome_question(match, "+5")):
        try:
            move = str(answer(text).get("move"))
        except NoAnswer:
            continue
        with pytest.raises(InvalidMove):
            match.game.read(move)


def test_a_refusal_gives_the_reason_and_the_legal_moves() -> None:
    match = Match(dd.game("operation-target"))
    assert refusal("Because.", match).startswith("That is not possible: Because.\nIt is still your turn.\nYour legal")
    assert "+1" not in refusal("Because.", match, Style("hidden"))


@pytest.mark.parametrize("name", dd.games())
def test_the_rules_are_complete_and_contain_no_examples(name: str) -> None:
    game = dd.game(name)
    prompts = rules(game), question(Match(game)), refusal("No.", Match(game))
    assert all(ruling.translate(str.maketrans("×÷−", "x/-")) in prompts[0] for ruling in rulings(game))
    for text in prompts:
        assert "xample" not in text, "no worked example"
        assert "the book" not in text.lower(), "no editing history"
        assert not set("×÷−") & set(text), "one notation"
        assert game.example not in text
    assert "House rules:" not in prompts[0]


@pytest.mark.parametrize("name", dd.games())
def test_copying_the_answer_format_is_not_a_move(name: str) -> None:
    game = dd.game(name)
    match = Match(game)
    with pytest.raises(InvalidMove):
        legal(game, match.state, chosen(rules(game) + question(match)))


def test_the_lengths_of_the_prompts_are_documented() -> None:
    text = section(DOCS / "frameworks" / "inspect.md", "## How a model is asked")
    for name in dd.games():
        game = dd.game(name)
        lengths = len(rules(game)), len(question(Match(game))), len(question(Match(game), Style("hidden")))
        assert f"| {game.title} | {' | '.join(f'{length:,}' for length in lengths)} |\n" in text


def test_the_rules_of_a_variant_list_its_changes_and_omit_the_books_example() -> None:
    text = rules(dd.game("number-quest", target=60, tie="draw"))
    assert "Reach exactly 60 and you win." in text
    assert "50" not in text
    assert "- `target=60`: the score that wins.\n" in text
    assert "## Example" not in text


STYLES: list[Any] = [Style("shown"), Style(retries=-1), Style(retries=11), Style(retries=1.5), Style(history="no")]  # type: ignore[arg-type]


@pytest.mark.parametrize("style", STYLES)
def test_invalid_styles_are_refused(style: Style) -> None:
    with pytest.raises(ValueError, match="must be"):
        check(style)
