"""How large a rule set is, before it is solved, and how small would be small enough."""

from __future__ import annotations

from digitduels.core import TooLarge
from digitduels.games import AnyGame, game
from digitduels.options import Whole
from digitduels.solver.compiled import DoesNotFactor, compile_game


def fits(rules: AnyGame, limit: int) -> bool:
    """Whether a rule set has at most `limit` positions, as far as that can be known without solving it."""

    def grown(positions: int) -> None:
        if positions > limit:
            raise TooLarge(f"{rules.title} with these options has more than {limit:,} positions.")

    try:
        compile_game(rules, grown)
    except TooLarge:
        return False
    except DoesNotFactor:
        return True
    return True


def small_enough(rules: AnyGame, limit: int) -> dict[str, int]:
    """For each integer option that makes a rule set fit if it alone is lowered: the highest value with which it does.

    >>> small_enough(game("number-duel"), 2_000_000)["the highest number in the pool"]
    6
    """
    found = {}
    for option in rules.options():
        if not isinstance(option.kind, Whole):
            continue
        low, high = option.kind.low - 1, rules.values[option.name]  # `low` fits, or is no value at all; `high` does not
        while high - low > 1:
            middle = (low + high) // 2
            if _valid_and_fits(rules, option.name, middle, limit):
                low = middle
            else:
                high = middle
        if low >= option.kind.low:
            found[option.about] = low
    return found


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
