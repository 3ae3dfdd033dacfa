"""How each game looks: its sign and its colours. A game that is not in the table looks like the site itself."""

from __future__ import annotations

from typing import Any, NamedTuple

from digitduels.lab.rule_sets import presets
from digitduels.options import written


class Look(NamedTuple):
    """The sign of a game, its colour on light and on dark ground, and what to expect of it."""

    emblem: str
    light: str
    dark: str
    difficulty: str = ""
    length: str = ""
    """How long a game between two players of level 4 lasts, on average."""
    suggested: dict[str, str] = {}
    """The options of the recommended edition."""


PLAIN = Look("#", "#17694f", "#74d3ab")
LOOKS = {
    "equation-duel": Look("=", "#854d0e", "#facc15", "Quick sums", "4 moves"),
    "number-duel": Look("×", "#b93a0a", "#fb923c", "Quick", "4 moves"),
    "number-quest": Look("÷", "#17694f", "#74d3ab", "Balanced", "7 moves"),
    "numerical-nexus": Look("↺", "#6d28d9", "#b79cff", "A long fight", "18 moves"),
    "operation-target": Look("◎", "#0e7490", "#67e8f9", "First steps", "7 moves"),
}


def look(game: str) -> dict[str, Any]:
    """The look of a game, for the page.

    >>> look("take-away")["emblem"]
    '#'
    """
    edition = presets(game).get("repaired", {})
    suggested = {name: written(value) for name, value in edition.items()}
    return LOOKS.get(game, PLAIN)._replace(suggested=suggested)._asdict()
