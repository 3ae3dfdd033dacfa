"""The look of each game: its emblem and colours. A game that is not in the table gets the site's own."""

from __future__ import annotations

from typing import NamedTuple

from digitduels.options import written
from digitduels.rule_sets import presets
from digitduels.web.positions import answers


class Look(NamedTuple):
    """The emblem of a game, its colours in light and dark mode, and what to expect of it."""

    emblem: str
    light: str
    dark: str
    difficulty: str = ""
    length: str = ""
    """The average length of a game between two players of level 4."""
    tip: str = ""
    """A rule that beginners overlook."""


PLAIN = Look("#", "#17694f", "#74d3ab")
LOOKS = {
    "equation-duel": Look(
        "=", "#854d0e", "#facc15", "Quick sums", "4 moves", "With fewer than two numbers left, the higher score wins."
    ),
    "number-duel": Look("×", "#46700d", "#a3e635", "Quick", "4 moves", "Going over sends you back to 0."),
    "number-quest": Look("÷", "#17694f", "#74d3ab", "Balanced", "7 moves", "Going over loses at once."),
    "numerical-nexus": Look(
        "↺", "#6d28d9", "#b79cff", "A long fight", "18 moves", "Operations run out. Without a move, you lose."
    ),
    "operation-target": Look(
        "◎", "#0e7490", "#67e8f9", "First steps", "7 moves", "You can't use the same operation twice in a row."
    ),
}


def look(game: str) -> answers.Look:
    """Returns the look of a game for the page.

    >>> look("take-away")["emblem"]
    '#'
    """
    own, edition = LOOKS.get(game, PLAIN), presets(game).get("repaired", {})
    return {
        "emblem": own.emblem,
        "light": own.light,
        "dark": own.dark,
        "difficulty": own.difficulty,
        "length": own.length,
        "tip": own.tip,
        "suggested": {name: written(value) for name, value in edition.items()},
    }
