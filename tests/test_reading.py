"""Parsing of typed input: spellings, names, partial moves, and typing mistakes."""

from __future__ import annotations

import pytest

import digitduels as dd
from digitduels.asking import answer
from digitduels.core import notation_of

NAMES = ("Ann", "Bob")


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("Reset to 0 on Player 1", "reset-mine"),
        ("reset to 0 on Player 2", "reset-theirs"),
        ("reset Ann", "reset-mine"),
        ("reset Bob's score", "reset-theirs"),
        ("reset to 0 on bob", "reset-theirs"),
        ("reset mine", "reset-mine"),
        ("reset theirs", "reset-theirs"),
        ("reset 2", "reset-theirs"),
    ],
)
def test_the_score_of_a_reset_can_be_named_in_many_ways(text: str, token: str) -> None:
    game = dd.game("numerical-nexus")
    assert str(game.read(text, game.start(), NAMES)) == token


def test_half_a_move_has_a_question_that_completes_it() -> None:
    game = dd.game("numerical-nexus")
    assert game.move_fields[0].completion("Reset") == game.move_fields[0].completion("reset to 0") == "Whose score? "
    assert game.move_fields[0].completion("+5") is None
    assert dd.game("number-duel").move_fields[0].completion("reset") is None


@pytest.mark.parametrize(
    ("name", "text", "token"),
    [
        ("number-quest", "divided by 2", "/2"),
        ("number-quest", ": 2", "/2"),
        ("number-quest", "· 6", "x6"),
        ("equation-duel", "8 : 2", "8/2"),
        ("equation-duel", "3 · 4", "3x4"),
        ("operation-target", "double", "x2"),
        ("operation-target", "[2]", "x2"),
        ("operation-target", "1", "+1"),
    ],
)
def test_signs_and_menu_numbers_are_understood(name: str, text: str, token: str) -> None:
    game = dd.game(name)
    assert str(notation_of(game).partial(answer(game, game.start(), (), text))) == token


def test_a_bare_minus_says_how_to_subtract() -> None:
    game = dd.game("number-quest")
    with pytest.raises(dd.InvalidMove, match="To subtract 9, type 'minus 9', or type 9 and then -"):
        answer(game, game.start(), (), "-9")
    assert answer(game, game.start(), (), "−9") == tuple(game.read("-9"))  # the sign that we print is accepted
    duel = dd.game("number-duel")
    with pytest.raises(dd.InvalidMove, match="Possible: 1, 2"):
        answer(duel, duel.start(), (), "-9")
