"""Number Quest: take a number from the pool and use any of the four operations on your score."""

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
class NumberQuest(Game[int, Pool, Move]):
    """Take numbers from a shared pool, use + - * / on your score, and be the first at exactly 50; past it you lose.

    Both scores start at 0. In the pool lie the numbers 1 to 9, two of each. In your turn you take any number that is
    still there and add it to your score, subtract it, multiply by it or divide by it. The number is gone for both of
    you. A division drops its remainder.

    A score is never negative: an operation that would make it so costs you the turn. Your score stays and the number
    is gone all the same.

    Whoever stands at exactly 50 wins; whoever stands above 50 loses at once. When the pool is empty, the higher score
    wins; if the scores are equal, the player who moved last loses.
    """

    target: int = option(50, Whole(1, 10**6), "the score that wins")
    highest: int = option(9, Whole(1, 99), "the highest number in the pool")
    copies: int = option(2, Whole(1, 99), "how many of each number the pool holds")
    division: str = option("floor", Choice(("floor", "exact")), "whether a division drops its remainder or is invalid")
    invalid: str = option("lost-turn", Choice(("lost-turn", "refused")), "what becomes of an invalid operation")
    tie: str = option(TIES[0], Choice(TIES), "who wins at equal scores when the pool is empty")

    rulings = (
        "The book says both that fractions are dropped and that a fraction makes an operation invalid. They are "
        "dropped; with division=exact a division that leaves a remainder is invalid.",
        "An invalid operation (a result below 0; with division=exact also a remainder) costs the turn. The number is "
        "gone, because it was selected; so every turn uses up a number and every game ends. With invalid=refused such "
        "an operation may not be chosen at all.",
        "Nobody is ever without a move while the pool lasts, because adding is always valid.",
        "The book does not say what happens when the pool is empty: the higher score wins, and of equal scores the "
        "one whose owner did not move last.",
        "Nothing is ever divided by zero: the pool has no zero.",
        "The book asks to show both scores, its sample shows one. The opponent's score stands above it.",
    )
    example = "+5 x2 +9 +8 x6"
    reaches = (1.3, 4.0, 13.0)

    # The rules

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple(Move(number, operation) for number in range(1, self.highest + 1) for operation in "+-x/")

    @property
    def longest(self) -> int:
        return self.highest * self.copies

    def start(self) -> Position:
        return State(0, (0, 0), Pool.full(self.highest, self.copies))

    def legality(self, state: Position) -> Hashable:
        return state.table.distinct if self.invalid == "lost-turn" else (state.table.distinct, state.mine)

    def forbids(self, state: Position, move: Move) -> str | None:
        # Only numbers that are still in the pool can be selected; the operation may not be chosen yet.
        if not state.table.has(move.number):
            return f"There is no {move.number} in the pool. Available Numbers: {_row(state.table)}."
        if self.invalid == "refused" and move.operation is not None:
            fault = self._fault(state.mine, move)
            return fault and f"{fault} Adding is always possible."
        return None

    def _fault(self, score: int, move: Move) -> str | None:
        """Why the operation is invalid on this score, or None."""
        number, operation = move
        # A score is never negative.
        if operation == "-" and score < number:
            return f"{score} - {number} is negative, and a score cannot be."
        # With division=exact it is never a fraction either.
        if operation == "/" and self.division == "exact" and score % number:
            return f"{score} / {number} leaves a remainder."
        return None

    def after(self, state: Position, move: Move) -> Position:
        score = state.mine
        # An invalid operation costs the turn and the number.
        if self._fault(score, move) is None:
            score = ARITHMETIC[move.operation](score, move.number)
        return state.then(score, state.theirs, state.table.take(move.number))

    def outcome(self, state: Position) -> Outcome | None:
        # Exactly the target wins, more than the target loses.
        for player in (0, 1):
            score = state.hands[player]
            if score == self.target:
                return Outcome(player, f"{called(player)} has reached exactly {self.target} points.")
            if score > self.target:
                return Outcome(1 - player, f"{called(player)} has exceeded {self.target} points.")
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

    prompts = ("Select a number: ", "Choose an operation (+, -, *, /): ")
    labels = {"x": "*"}

    def view(self, state: Position) -> list[str]:
        first, second = state.hands
        return [f"Number Pool: {_row(state.table)}", f"{called(0)} Score: {first}", f"{called(1)} Score: {second}"]

    def turn(self, state: Position) -> list[str]:
        return [
            f"{called(state.player)}'s Turn",
            f"{called(1 - state.player)}'s Score: {state.theirs}",
            f"Current Score: {state.mine}",
            f"Available Numbers: {_row(state.table)}",
        ]

    def announce(self, state: Position, move: Move, after: Position) -> list[str]:
        score, (number, operation) = state.mine, move
        fault = self._fault(score, move)
        if fault is not None:
            return [fault, f"You lose your turn. Your score is still {score}"]
        result = ARITHMETIC[operation](score, number)
        return [
            f"Calculation: {score} {self.labels.get(operation, operation)} {number} = {result}",
            f"Your score is now {result}",
        ]

    def ending(self, state: Position, outcome: Outcome) -> list[str]:
        last = state.theirs
        if last > self.target:
            reason = f"You have exceeded {self.target} points. You lose!"
        elif last == self.target:
            reason = f"You have reached exactly {self.target} points. You win!"
        else:
            reason = outcome.reason
        return [reason, "", self.victory(outcome.winner)]

    def victory(self, winner: int | None) -> str:
        return "Nobody Wins the Game: It Is a Draw!" if winner is None else f"{called(winner)} Wins the Game!"


def _row(pool: Pool) -> str:
    return ", ".join(map(str, pool.numbers)) or "none"
