"""Number Duel: take a number from the pool, add it or multiply by it, hit the target exactly."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from digitduels.core import Board, Choice, Game, Outcome, State, Whole, called, option
from digitduels.pool import ARITHMETIC, TIES, Pool, laid_out, run_out, set_up

Position = State[int, Pool]


class Move(NamedTuple):
    number: int
    operation: str

    def __str__(self) -> str:
        return f"{self.operation}{self.number}"


@dataclass(frozen=True)
class NumberDuel(Game[int, Pool, Move]):
    """Take numbers from a shared pool, add or multiply, and be the first at exactly 50.

    Both scores start at 0. In the pool lie the numbers 1 to 10, two of each. In your turn you take any number that
    is still there and either add it to your score or multiply your score by it. The number is gone for both of you.

    Whoever stands at exactly 50 wins. Going past 50 is allowed but throws your score back to 0. When the pool is
    empty, the higher score wins; if the scores are equal, the player who moved last loses.
    """

    target: int = option(50, Whole(1, 10**6), "the score that wins")
    highest: int = option(10, Whole(1, 99), "the highest number in the pool")
    copies: int = option(2, Whole(1, 99), "how many of each number the pool holds")
    tie: str = option(TIES[0], Choice(TIES), "who wins at equal scores when the pool is empty")

    rulings = (
        "A move past the target is legal: the score falls to 0 and the number is used up.",
        "The book says both that a game goes on until somebody wins and that an empty pool ends it by the higher "
        "score. The empty pool decides, because there is nothing left to play with.",
        "The book's paragraph on operations that are unavailable forbids nothing: every number in the pool may be "
        "added or multiplied.",
    )
    example = "+5 +10 x10"
    reaches = (1.2, 3.5, 11.0)

    # The rules

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple(Move(number, operation) for number in range(1, self.highest + 1) for operation in "+x")

    @property
    def longest(self) -> int:
        return self.highest * self.copies

    def start(self) -> Position:
        return State(0, (0, 0), Pool.full(self.highest, self.copies))

    def legality(self, state: Position) -> Hashable:
        return state.table.distinct

    def forbids(self, state: Position, move: Move) -> str | None:
        # Only numbers that are still in the pool can be taken.
        if not state.table.has(move.number):
            return f"There is no {move.number} in the pool. Available Numbers: {_row(state.table)}."
        return None

    def after(self, state: Position, move: Move) -> Position:
        score = ARITHMETIC[move.operation](state.mine, move.number)
        # Past the target the score starts again from 0.
        return state.then(score if score <= self.target else 0, state.theirs, state.table.take(move.number))

    def outcome(self, state: Position) -> Outcome | None:
        # Exactly the target wins.
        if self.target in state.hands:
            winner = state.hands.index(self.target)
            return Outcome(winner, f"{called(winner)} has reached {self.target} points.")
        # When the pool is empty, the higher score wins.
        if not any(state.table.counts):
            return run_out(state, self.target, self.tie)
        return None

    # How it looks

    def board(self, state: Position) -> Board:
        return laid_out(state)

    def arrange(self, player: int, hands: Sequence[Sequence[int]], table: Sequence[int]) -> Position:
        return set_up(player, hands, table, self.copies)

    # The words

    prompts = ("Select a number: ", "Choose an operation (add/multiply): ")
    labels = {"+": "add", "x": "multiply"}

    def view(self, state: Position) -> list[str]:
        first, second = state.hands
        return ["Number Pool:", _row(state.table), "", f"{called(0)} Score: {first}", f"{called(1)} Score: {second}"]

    def welcome(self, state: Position) -> list[str]:
        return ["Welcome to Number Duel!", "", *self.view(state)]

    def turn(self, state: Position) -> list[str]:
        return [f"{called(state.player)}'s Turn:", f"Available Numbers: {_row(state.table)}"]

    def announce(self, state: Position, move: Move, after: Position) -> list[str]:
        mover, number, score = called(state.player), move.number, after.theirs
        result = ARITHMETIC[move.operation](state.mine, number)
        if move.operation == "+":
            lines = ["", f"{mover} adds {number} to their score."]
        else:
            lines = [
                "",
                f"{mover} multiplies their score by {number}.",
                f"Calculation: {state.mine} * {number} = {result}",
            ]
        if result > self.target:
            lines += [f"{result} exceeds {self.target}, so the score is reset to 0."]
        lines += [f"{mover}'s New Score: {score}"]
        if score != self.target:
            lines += ["", "Number Pool (updated):", f"{_row(after.table)} (one {number} is removed)"]
        return lines

    def ending(self, state: Position, outcome: Outcome) -> list[str]:
        if self.target in state.hands:
            return ["", f"{outcome.reason.removesuffix('.')} and wins the game!"]
        return ["", *super().ending(state, outcome)]


def _row(pool: Pool) -> str:
    return ", ".join(map(str, pool.numbers)) or "none"
