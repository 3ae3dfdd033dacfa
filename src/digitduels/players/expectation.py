"""Columns: the expected quantities when policies play each other.

A column is one quantity in the positions in which one policy is to move. Its value is the mean, over the moves of that
policy, of what the move adds plus the value of the next column after the move. So "level 4 against level 3" is two
columns that refer to each other, and "level 4 against itself" is one column that refers to itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from digitduels.players.policy import Policy

BEST_RESPONSE = None
"""In place of a policy: whatever moves maximise this column."""
NO_COLUMN = -1


class Column(NamedTuple):
    """One quantity while one policy is to move: what a move adds to it, and the next column after the move."""

    policy: Policy | None
    onward: int = NO_COLUMN
    """The next column after the move. It is multiplied by `factor`."""
    constant: float = 0.0
    factor: float = 1.0
    swing: float = 0.0
    """What a move that throws the value of the position away adds."""
    aside: int = NO_COLUMN
    """A second next column, which counts only after a move that keeps the value of the position."""
    keeping: bool = False
    """Whether a best response is limited to moves that keep the value of the position."""
    flags: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """What a position adds if it is critical, has an only move, is a trap, has a single legal move."""
    over: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The value in a finished game that the player to move has won, drawn or lost."""


class Sheet:
    """A list of columns to fill in one pass."""

    def __init__(self) -> None:
        self.columns: list[Column] = []

    def add(self, *columns: Column) -> int:
        """Adds columns and returns the index of the first."""
        self.columns += columns
        return len(self.columns) - len(columns)

    def score(self, one: Policy | None, other: Policy | None) -> tuple[int, int]:
        """Adds columns for the score of the player to move: one with the first policy to move, one with the second."""
        return self.total(one, other, constant=1.0, factor=-1.0, over=(1.0, 0.5, 0.0))

    def total(self, one: Policy | None, other: Policy | None, **adds: Any) -> tuple[int, int]:
        """Adds columns for a sum over all moves: one for games that the first policy begins, one for the second."""
        at = len(self.columns)
        if other is one:
            return (self.add(Column(one, at, **adds)),) * 2
        self.add(Column(one, at + 1, **adds), Column(other, at, **adds))
        return at, at + 1

    def settled(self, policy: Policy) -> int:
        """Adds columns for the plies after the last swing when a policy plays itself, and returns the main one."""
        holds = self.add(Column(policy, factor=0.0, aside=len(self.columns), over=(1.0, 1.0, 1.0)))
        return self.add(Column(policy, len(self.columns), aside=holds))

    def lasts(self, policy: Policy, plies: int) -> int:
        """Adds columns for the probability that a policy's game against itself lasts 0, 1, … `plies` plies.

        Returns the first of them.
        """
        begin = self.add(Column(policy, factor=0.0, over=(1.0, 1.0, 1.0)))
        for _ in range(plies):
            self.add(Column(policy, len(self.columns) - 1))
        return begin
