"""Take Away: a heap of counters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from digitduels.core import Game, Outcome, State
from digitduels.options import Whole, option
from digitduels.sentence import Sentence

Position = State[None, int]


class Move(NamedTuple):
    number: int

    def __str__(self) -> str:
        return f"take-{self.number}"


@dataclass(frozen=True)
class TakeAway(Game[None, int, Move]):
    """Take one or two counters from a heap. The player who takes the last one wins.

    There are seven counters.
    """

    heap: int = option(7, Whole(1, 99), "the counters at the start")
    rulings = ("Nobody may pass.",)
    example = "take-1 take-2"

    @property
    def moves(self) -> tuple[Move, ...]:
        return (Move(1), Move(2))

    @property
    def longest(self) -> int:
        return self.heap

    def start(self) -> Position:
        return State(0, (None, None), self.heap)

    def forbids(self, state: Position, move: Move) -> Sentence | None:
        return Sentence("There are not so many.") if move.number > state.table else None

    def after(self, state: Position, move: Move) -> Position:
        return state.then(None, None, state.table - move.number)

    def outcome(self, state: Position) -> Outcome | None:
        if state.table:
            return None
        winner = 1 - state.player
        return Outcome(winner, Sentence("{player} took the last one.", you="You took the last one.", player=winner))
