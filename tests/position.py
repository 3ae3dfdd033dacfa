"""Continues a game from a position that a book shows but its rules can't reach: `python position.py NAME`."""

from __future__ import annotations

import sys

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


if __name__ == "__main__":
    game, state = POSITIONS[sys.argv[1]]
    match = dd.Match(dd.game(game))
    match.states = [state]
    raise SystemExit(Midway(match, Save(), Console()).run())
