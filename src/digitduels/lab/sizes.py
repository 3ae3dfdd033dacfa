"""Estimates the size of a rule set before it is solved, and finds smaller ones that fit a limit."""

from __future__ import annotations

from contextlib import suppress

from digitduels.core import TooLarge
from digitduels.games import AnyGame, game
from digitduels.options import Integer
from digitduels.solver.compiled import DoesNotFactor
from digitduels.solver.discovery import compile_game


def fits(rules: AnyGame, limit: int) -> bool:
    """Whether a rule set has at most `limit` positions. True for games that cannot be counted without solving them."""

    def grown(positions: int) -> None:
        if positions > limit:
            raise TooLarge(f"{rules.title} with these options has more than {limit:,} positions.")

    try:
        with suppress(DoesNotFactor):
            compile_game(rules, grown)
    except TooLarge:
        return False
    return True


def small_enough(rules: AnyGame, limit: int) -> dict[str, int]:
    """The highest value of each integer option with which the rule set fits, if only that option changes.

    >>> small_enough(game("number-duel"), 2_000_000)["the highest number in the pool"]
    6
    """
    values = {}
    for option in rules.options():
        if not isinstance(option.kind, Integer):
            continue
        low, high = option.kind.low - 1, rules.values[option.name]  # `low` fits or is invalid; `high` does not fit
        while high - low > 1:
            middle = (low + high) // 2
            if _valid_and_fits(rules, option.name, middle, limit):
                low = middle
            else:
                high = middle
        if low >= option.kind.low:
            values[option.about] = low
    return values


def _valid_and_fits(rules: AnyGame, name: str, value: int, limit: int) -> bool:
    try:
        return fits(game(rules.id, **{**rules.values, name: value}), limit)
    except ValueError:
        return False


def refusal(rules: AnyGame, limit: int) -> str:
    """Why a rule set is not measured, and what would be small enough."""
    ways = [f"{about} at most {value:,}" for about, value in small_enough(rules, limit).items()]
    hint = f" Small enough: {', or '.join(ways)}." if ways else " Choose smaller numbers."
    return f"These rules have more than {limit:,} positions, too many to measure here.{hint}"
