"""Columns: the quantities that are worked out when policies play each other.

A column is one quantity while one policy is to move. Its value in a position is the mean, over the moves of that
policy, of what the move adds and of the column that goes on afterwards. So "level 4 against level 3" is two columns
that name each other, and "level 4 against itself" one that names itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from digitduels.core import State
from digitduels.players.levels import Sight
from digitduels.players.perfect import FALLIBLE, REPLIES
from digitduels.solver.tables import Tables

NO_COLUMN = -1
BY_CHANCE, PERFECTLY, BEST_REPLY, BEST_KEEPING = (
    "by chance",
    "perfectly",
    "best reply",
    "best reply that keeps the value",
)
HOPE = (FALLIBLE, REPLIES)  # for whose mistakes perfect play hopes, and in how many turns


class Policy(Protocol):
    """Chooses moves with known probabilities."""

    def probabilities(self, state: State[Any, Any]) -> Mapping[Any, float]:
        """How likely each legal move of a position is."""


@runtime_checkable
class BatchPolicy(Policy, Protocol):
    """A policy that answers for many positions of a table at once."""

    def shares(self, solution: Tables, places: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """[place, move]: how likely each move is in some positions of a table."""


Kind = Sight | str | Policy
"""A policy: how far a level sees, one of the words above, or somebody's own."""


class Column(NamedTuple):
    """One quantity while one policy is to move. What a move adds to it, and what goes on afterwards."""

    policy: Kind
    onward: int = NO_COLUMN
    """The column that goes on after the move, times `factor`."""
    constant: float = 0.0
    factor: float = 1.0
    swing: float = 0.0
    """What a move that throws the value of the position away adds."""
    aside: int = NO_COLUMN
    """A second column that goes on, but only after a move that keeps the value of the position."""
    flags: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """What a position adds that is critical, has an only move, is a trap, has a single legal move."""
    over: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Its value when the game is over and the player to move has won, drawn or lost."""


class Sheet:
    """Columns that are filled together."""

    def __init__(self) -> None:
        self.columns: list[Column] = []

    def add(self, *columns: Column) -> int:
        """Adds columns and returns the index of the first."""
        self.columns += columns
        return len(self.columns) - len(columns)

    def score(self, one: Kind, other: Kind | None = None) -> tuple[int, int]:
        """The score of the player to move: when the first policy is, and when the second one is."""
        at = len(self.columns)
        over = (1.0, 0.5, 0.0)
        if other is None or other == one:
            return (self.add(Column(one, at, 1.0, -1.0, over=over)),) * 2
        self.add(Column(one, at + 1, 1.0, -1.0, over=over), Column(other, at, 1.0, -1.0, over=over))
        return at, at + 1

    def total(self, one: Kind, other: Kind | None = None, **adds: Any) -> tuple[int, int]:
        """What both players' moves add up to: when the first policy begins, and when the second one does."""
        at = len(self.columns)
        if other is None or other == one:
            return (self.add(Column(one, at, **adds)),) * 2
        self.add(Column(one, at + 1, **adds), Column(other, at, **adds))
        return at, at + 1

    def settled(self, policy: Kind) -> int:
        """The plies that a policy plays against itself after the last swing."""
        holds = self.add(Column(policy, factor=0.0, aside=len(self.columns), over=(1.0, 1.0, 1.0)))
        return self.add(Column(policy, len(self.columns), aside=holds))

    def lasts(self, policy: Kind, plies: int) -> int:
        """How likely a policy's game against itself lasts 0, 1, … plies, in that many columns and one more."""
        begin = self.add(Column(policy, factor=0.0, over=(1.0, 1.0, 1.0)))
        for _ in range(plies):
            self.add(Column(policy, len(self.columns) - 1))
        return begin
