"""Rule pages: every variant is described with its own numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest

import digitduels as dd
from digitduels.manual import briefing, card, manual
from digitduels.sentence import number_word

# Values that no book uses, so that a number of the book left in the text is detected.
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
def test_the_rule_page_of_a_variant_has_its_own_numbers(name: str) -> None:
    book, variant = dd.game(name), dd.game(name, **CHANGED[name])
    about, rules = card(variant)
    text = f"{about} {rules}"
    for option in variant.options():
        for number in numbers(getattr(variant, option.field)):
            assert re.search(rf"\b({number}|{number_word(number)})\b", text), option.name
        gone = numbers(getattr(book, option.field)) - {0, 1}  # numbers that any rule may contain
        for number in gone:
            left = re.sub(r"[+×]\d|multiply by 2|two numbers|odd one", "", text)  # names of moves
            assert not re.search(rf"\b({number}|{number_word(number)})\b", left), (option.name, number)
        if isinstance(option.default, str) and getattr(variant, option.field) != option.default:
            assert card(variant) != card(dd.game(name, **CHANGED[name] | {option.name: option.default}))


@pytest.mark.parametrize("name", CHANGED)
def test_the_rule_page_of_a_variant_never_names_the_books_target(name: str) -> None:
    target = str(dd.game(name).values["target"])
    variant = dd.game(name, **CHANGED[name])
    for page in (manual(variant), briefing(variant)):
        assert not re.search(rf"\b{target}\b", page)


def test_the_rule_page_of_a_book_has_its_example_and_how_to_type_moves() -> None:
    page = manual(dd.game("numerical-nexus"))
    assert "`reset mine`" in page
    assert "## Example" in page
