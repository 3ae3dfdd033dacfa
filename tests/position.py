"""A program that continues a game from a position that a book shows but its rules can't reach."""

from __future__ import annotations

from collections.abc import Sequence

import digitduels as dd
from digitduels.cli.console import Console
from digitduels.cli.saved_games import Save
from digitduels.cli.session import Session
from digitduels.games.numerical_nexus import Hand
from digitduels.pool import Pool

AT_48 = Hand(48, (3, 2, 1, 2, 1, 1))
POSITIONS: dict[str, tuple[str, dd.State[object, object]]] = {
    "equation-duel-exceeding": ("equation-duel", dd.State(0, (45, 9), Pool((1, 0, 0, 1, 1, 1, 0, 0, 1), 1))),
    "number-quest": ("number-quest", dd.State(0, (14, 8), Pool((2, 1, 2, 2, 1, 2, 2, 1, 1), 2))),
    "numerical-nexus-ending": ("numerical-nexus", dd.State(0, (AT_48, AT_48), None)),
}


class Midway(Session):
    """A session that starts with a turn, like the book's fragment."""

    def open(self) -> None:
        """Prints nothing before the first turn."""


def main(arguments: Sequence[str]) -> int:
    """Continues the named game, and returns the exit code."""
    game, state = POSITIONS[arguments[0]]
    match = dd.Match(dd.game(game))
    match.states = [state]
    return Midway(match, Save(), Console()).run()
