"""The lab's strip: who wins for each value of an option."""

from __future__ import annotations

from typing import Any

import pytest

from digitduels.games import game
from digitduels.lab.strip import winner_for, winners
from digitduels.match import Match
from digitduels.options import first_integer
from digitduels.solver import solve
from digitduels.solver.solution_cache import SolutionCache
from digitduels.web.positions import analysis

PLENTY = 400_000_000, 600.0  # bytes and seconds


def cells(name: str, solutions: SolutionCache, **options: Any) -> dict[int, int | None]:
    strip = analysis.lab_strip(Match(game(name, **options)), solutions)
    assert strip is not None
    return {cell["value"]: cell["winner"] for cell in strip["cells"]}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["number-duel", "number-quest"])
def test_every_cell_is_filled_for_the_largest_books(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "STRIP_SECONDS", PLENTY[1])  # however busy the machine is
    monkeypatch.setattr(analysis, "STRIP", 2)  # values on each side
    strip = cells(name, SolutionCache())
    assert list(strip) == [48, 49, 50, 51, 52]
    for value, winner in strip.items():
        assert winner == winner_for(solve(game(name, target=value), cache=False).start.value)


def test_the_strip_agrees_with_the_solutions_of_a_variant() -> None:
    rules = game("number-duel", target=12, highest=3)
    option = first_integer(rules.options())
    assert option is not None
    for value, winner in winners(rules, option, range(5, 20), limit=PLENTY[0], seconds=PLENTY[1]):
        variant = game("number-duel", target=value, highest=3)
        assert winner == winner_for(solve(variant, cache=False).start.value)


@pytest.mark.parametrize("options", [{}, {"target": 12, "highest": 3}])
def test_the_current_value_is_known_even_when_there_is_no_time(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STRIP_SECONDS", "VARIANT_STRIP_SECONDS"):
        monkeypatch.setattr(analysis, name, 0.0)
    small = game("number-duel", target=12, highest=3)
    strip = cells("number-duel", SolutionCache(solve=lambda _: solve(small, cache=False)), **options)
    here = options.get("target", 50)
    assert {value: winner for value, winner in strip.items() if winner is not None} == {
        here: winner_for(solve(small, cache=False).start.value)
    }


def test_rules_that_are_too_large_or_invalid_have_no_winner() -> None:
    rules = game("operation-target", target=9, start=5)
    option = first_integer(rules.options())
    assert option is not None
    assert dict(winners(rules, option, [5, 6], limit=PLENTY[0], seconds=PLENTY[1])) == {5: None, 6: 1}
    large = game("number-quest")
    option = first_integer(large.options())
    assert option is not None
    assert dict(winners(large, option, [50], limit=1000, seconds=PLENTY[1])) == {50: None}
