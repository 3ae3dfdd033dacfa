"""Rule pages: every variant is described with its own numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest

import digitduels as dd
from digitduels.asking import answer
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


@pytest.mark.parametrize("division", ["floor", "exact"])
@pytest.mark.parametrize("invalid", ["lost-turn", "refused"])
@pytest.mark.parametrize("tie", ["last-mover-loses", "last-mover-wins", "draw"])
def test_the_rule_page_of_a_variant_states_its_own_rulings(division: str, invalid: str, tie: str) -> None:
    game = dd.game("number-quest", division=division, invalid=invalid, tie=tie)
    page = " ".join(manual(game).partition("## Moves")[0].split())
    assert ("Fractions are dropped." in page) == (division == "floor")
    assert ("A division that leaves a remainder is invalid." in page) == (division == "exact")
    assert ("costs the turn" in page.partition("## Rulings")[2]) == (invalid == "lost-turn")
    assert ("is not a legal move. " in page) == (invalid == "refused")
    rules = page.partition("## Options")[0]
    assert sum(text in rules for text in ("moved last loses", "moved last wins", "the game is a draw")) == 1
    assert "{" not in page


@pytest.mark.parametrize("name", dd.games())
def test_no_rule_page_contradicts_itself(name: str) -> None:
    rulings = manual(dd.game(name)).partition("## Rulings")[2].partition("## Moves")[0]
    assert rulings.count("always begins") == 1
    assert rulings.count("coin") == 1
    assert rulings.count("`tie`") == 0
    assert rulings.count("is rejected") == 1
    assert "An invalid" not in rulings or "is a legal move that costs the turn" in rulings


@pytest.mark.parametrize("uses", [(3, 0, 0, 0, 0, 0), (0, 0, 0, 1, 0, 0), (0, 0, 0, 0, 0, 2), (1, 1, 1, 1, 1, 0)])
def test_a_rule_page_says_nothing_about_operations_that_nobody_has(uses: tuple[int, ...]) -> None:
    page = " ".join(manual(dd.game("numerical-nexus", uses=uses)).split())
    page = page.partition("## Options")[0] + page.partition("## Rulings")[2].partition("Each of the 7 moves")[0]
    page = page.partition("House rules")[0] + page.partition("## Rules")[2]
    for operation, count in zip(("`+1`", "`+3`", "+5", "×2", "×3", "eset"), uses, strict=True):
        assert (operation in page) <= bool(count), operation
    assert ("dditions" in page) == any(uses[:3])
    assert ("ultiplications" in page) == any(uses[3:5])


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, {}) for name in dd.games()]
    + [
        ("number-duel", {"highest": 1}),
        ("number-quest", {"invalid": "refused", "division": "exact"}),
        ("numerical-nexus", {"uses": (3, 0, 0, 0, 0, 0)}),
    ],
)
def test_every_example_of_how_to_type_a_move_is_possible_in_the_first_turn(name: str, options: dict[str, Any]) -> None:
    game = dd.game(name, **options)
    examples = re.search(r"For example, you can type (.*)\.\n", manual(game))
    assert examples is not None
    for text in examples[1].split(", "):
        assert answer(game, game.start(), (), text.strip("`"))


def test_a_rule_page_has_no_examples_of_moves_if_none_is_possible() -> None:
    for uses in ((0, 1, 0, 0, 0, 0), (0, 1, 1, 0, 0, 0)):
        page = manual(dd.game("numerical-nexus", target=1, uses=uses))
        assert "For example" not in page
        assert "\n\n## Moves\n\nEach of the 7 moves" in page
