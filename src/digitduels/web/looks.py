"""How each game looks: its sign and its colours. A game that is not in the table looks like the site itself."""

from __future__ import annotations

from typing import Any, NamedTuple


class Look(NamedTuple):
    """The sign of a game, and its colour on light and on dark ground."""

    emblem: str
    light: str
    dark: str


PLAIN = Look("#", "#17694f", "#74d3ab")
LOOKS = {
    "equation-duel": Look("=", "#854d0e", "#facc15"),
    "number-duel": Look("×", "#b93a0a", "#fb923c"),
    "number-quest": Look("÷", "#17694f", "#74d3ab"),
    "numerical-nexus": Look("↺", "#6d28d9", "#b79cff"),
    "operation-target": Look("◎", "#0e7490", "#67e8f9"),
}


def look(game: str) -> dict[str, Any]:
    """The look of a game, for the page.

    >>> look("take-away")
    {'emblem': '#', 'light': '#17694f', 'dark': '#74d3ab'}
    """
    return LOOKS.get(game, PLAIN)._asdict()
