"""Rule pages: every variant is described with its own numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest

import digitduels as dd
from digitduels.manual import briefing, card, manual
from digitduels.sentence import number_word

# Values that no book uses, so that none of the book's own numbers may be left in the text.
CHANGED: dict[str, dict[str, Any]] = {
    "numerical-nexus": {"target": 77, "uses": (4, 5, 6, 7, 8, 9)},
    "operation-target": {"target": 77, "start": 6},
    "number-duel": {"target": 77, "highest": 13, "copies": 4, "tie": "draw"},
    "equation-duel": {"target": 77, "highest": 13, "tie": "last-mover-wins"},
    "number-quest": {
        "target": 77,
        "highest": 13,
        "copies": 4,
        "tie": "draw",
        "division": "exact",
        "invalid": "refused",
    },
}


def numbers(value: object) -> set[int]:
    return {value} if isinstance(value, int) else {*value} if isinstance(value, tuple) else set()


@pytest.mark.parametrize("name", CHANGED)
def test_a_variant_speaks_with_its_own_numbers(name: str) -> None:
    book, variant = dd.game(name), dd.game(name, **CHANGED[name])
    about, rules = card(variant)
    text = f"{about} {rules}"
    for option in variant.options():
        for number in numbers(getattr(variant, option.field)):
            assert re.search(rf"\b({number}|{number_word(number)})\b", text), option.name
        gone = numbers(getattr(book, option.field)) - {0, 1}  # which any rule may name
        for number in gone:
            left = re.sub(r"[+×]\d|multiply by 2|two numbers|odd one", "", text)  # what moves are called
            assert not re.search(rf"\b({number}|{number_word(number)})\b", left), (option.name, number)
        if isinstance(option.default, str) and getattr(variant, option.field) != option.default:
            assert card(variant) != card(dd.game(name, **CHANGED[name] | {option.name: option.default}))


@pytest.mark.parametrize("name", CHANGED)
def test_no_page_of_a_variant_names_the_target_of_the_book(name: str) -> None:
    target = str(dd.game(name).values["target"])
    variant = dd.game(name, **CHANGED[name])
    for page in (manual(variant), briefing(variant)):
        assert not re.search(rf"\b{target}\b", page)


def test_the_page_of_a_book_shows_its_example_and_how_moves_are_typed() -> None:
    page = manual(dd.game("numerical-nexus"))
    assert "`reset mine`" in page
    assert "## Example" in page
