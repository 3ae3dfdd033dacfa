"""The interface of every solution of a game."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.solver.verdict import Judgement, Verdict

if TYPE_CHECKING:
    from digitduels.solver.tables import Tables


class Counts(NamedTuple):
    """How many positions a solution knows. Values are for the player to move."""

    positions: int
    wins: int
    draws: int
    losses: int
    reachable: int
    """How many of them can arise from the start."""
    longest: int
    """The longest forced win, in plies."""


Progress = Callable[[str, float], None]
"""Called with the name of the current step and the fraction done, from 0 to 1."""


class Truth(Protocol):
    """A source of exact results that are near, with or without a table."""

    game: AnyGame

    def within(self, state: State[Any, Any], plies: int) -> dict[Any, Verdict | None]:
        """Every legal move with its verdict if the game then ends within `plies`, else None.

        A search that reaches its limit of positions answers None for nearer results, too.
        """


class UnknownPosition(ValueError):
    """A position that a solution does not know, because no game can lead to it."""


class Solution(ABC):
    """The value and distance of every position of a game."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    @abstractmethod
    def probe(self, state: State[Any, Any]) -> Verdict:
        """The verdict on a position; raises UnknownPosition if the solution does not know it."""

    @abstractmethod
    def judge(self, state: State[Any, Any]) -> Judgement[Any]:
        """Every legal move with its verdict for the player who makes it, best first; equal moves by action id."""

    def within(self, state: State[Any, Any], plies: int) -> dict[Any, Verdict | None]:
        """Every legal move, by action id, with its verdict if the game then ends within `plies`, else None."""
        judgement = self.judge(state)
        return {
            move: judgement[move] if judgement[move].distance <= plies else None
            for move in self.game.legal_moves(state)
        }

    def counts(self) -> Counts:
        """How many positions there are, by value."""
        verdicts, values = self.by_distance(), Counter[int]()
        for verdict, count in verdicts.items():
            values[verdict.value] += count
        total = values.total()
        longest = max((verdict.distance for verdict in verdicts if verdict.value > 0), default=0)
        return Counts(total, values[1], values[0], values[-1], total, longest)

    @abstractmethod
    def by_distance(self) -> dict[Verdict, int]:
        """How many positions have each verdict."""

    @property
    def start(self) -> Verdict:
        """The verdict on the first position."""
        return self.probe(self.game.start())

    def best(self, state: State[Any, Any]) -> list[Any]:
        """The best moves, all of them: the quickest wins, else the longest draws, else the slowest losses."""
        return self.judge(state).best_moves

    def line(self, state: State[Any, Any]) -> list[Any]:
        """The moves of a perfect game from a position to the end."""
        moves = []
        while legal := self.game.legal_moves(state):
            moves.append(legal[0] if len(legal) == 1 else next(iter(self.judge(state))))
            state = self.game.after(state, moves[-1])
        return moves


def has_arrays(solution: Solution) -> TypeGuard[Tables]:
    """Whether a solution is a table of NumPy arrays. Does not import NumPy, because then nobody has such a table."""
    tables = sys.modules.get("digitduels.solver.tables")
    return tables is not None and isinstance(solution, tables.Tables)
