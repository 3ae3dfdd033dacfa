"""Number Duel: take a number from the pool, add it or multiply by it, hit the target exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from digitduels.core import Effect, Outcome, State, outcome_tone
from digitduels.notation import MoveField
from digitduels.pool import (
    ARITHMETIC,
    Pool,
    PoolGame,
    copies_option,
    highest_option,
    not_in_pool,
    row,
    score_lines,
    target_option,
    tie_option,
)
from digitduels.sentence import Sentence, book_only, equation

Position = State[int, Pool]


class Move(NamedTuple):
    number: int
    operation: str

    def __str__(self) -> str:
        return f"{self.operation}{self.number}"


@dataclass(frozen=True)
class NumberDuel(PoolGame[Move]):
    """Pick a number, then add it or multiply by it. Be the first to hit exactly {target}; go over and you're back at 0.

    Both players start at 0. The pool holds the numbers 1 to {highest}, {each}. On your turn, pick any number that is
    still in the pool, then add it to your score or multiply your score by it. That copy is gone for both players.

    Reach exactly {target} and you win. Going over {target} is allowed, but your score drops back to 0. When the pool is
    empty, the higher score wins. {tie_rule}
    """

    target: int = target_option()
    highest: int = highest_option(10)
    copies: int = copies_option()
    tie: str = tie_option("the pool is empty")

    rulings = (
        "A move past the target is legal: the score drops to 0 and that copy of the number is gone.",
        "The game also ends when the pool is empty, even if nobody has reached the target.",
        "Every number in the pool may be added or multiplied by: no operation is ever unavailable.",
    )
    spellings = ("2", "+2", "add 2", "×2", "2 *", "times 2")
    example = "+5 +10 x10"

    # The rules

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple(Move(number, operation) for number in range(1, self.highest + 1) for operation in "+x")

    def forbids(self, state: Position, move: Move) -> str | None:
        # Only numbers that are still in the pool can be taken.
        return not_in_pool(move.number, state.table)

    def after(self, state: Position, move: Move) -> Position:
        score = ARITHMETIC[move.operation](state.mine, move.number)
        # Past the target the score starts again from 0.
        return state.then(score if score <= self.target else 0, state.theirs, state.table.take(move.number))

    def outcome(self, state: Position) -> Outcome | None:
        # Exactly the target wins.
        if self.target in state.hands:
            winner = state.hands.index(self.target)
            return Outcome(winner, _reached(winner, self.target))
        # When the pool is empty, the higher score wins.
        if not any(state.table.counts):
            return self.run_out(state)
        return None

    def effect(self, state: Position, move: Move) -> Effect:
        after = self.after(state, move)
        result = ARITHMETIC[move.operation](state.mine, move.number)
        outcome = self.outcome(after)
        tone, note = outcome_tone(state.player, outcome), None if outcome is None else outcome.reason
        if result > self.target:
            tone = "bad"
            note = note or Sentence("Over {target}: back to 0.", target=self.target)
        calculation = equation(state.mine, move.operation, move.number, result)
        return Effect(calculation, result, self.scores(after), note, tone)

    # The words

    move_fields = (
        MoveField("Select a number: ", "Pick a number"),
        MoveField("Choose an operation (add/multiply): ", "Add or multiply?", labels={"+": "add", "x": "multiply"}),
    )

    def view(self, state: Position) -> list[str]:
        return ["Number Pool:", row(state.table), "", *score_lines(state)]

    def welcome(self, state: Position) -> list[str]:
        return ["Welcome to Number Duel!", "", *book_only(self.view(state))]

    def turn(self, state: Position) -> list[str]:
        return [
            Sentence("{player}'s Turn:", you="Your Turn:", player=state.player),
            *(Sentence("{line}", book="", line=line) for line in score_lines(state)),
            f"Available Numbers: {row(state.table)}",
        ]

    def announce(self, state: Position, move: Move, after: Position) -> list[str]:
        player, number, score = state.player, move.number, after.theirs
        result = ARITHMETIC[move.operation](state.mine, number)
        lines: list[str] = [""]
        if move.operation == "+":
            lines.append(
                Sentence(
                    "{player} adds {number} to their score.",
                    you="You add {number} to your score.",
                    player=player,
                    number=number,
                )
            )
        else:
            lines.append(
                Sentence(
                    "{player} multiplies their score by {number}.",
                    you="You multiply your score by {number}.",
                    player=player,
                    number=number,
                )
            )
            lines.append(
                Sentence(
                    "Calculation: {equation}",
                    book="Calculation: {score} * {number} = {result}",
                    equation=equation(state.mine, "x", number, result),
                    score=state.mine,
                    number=number,
                    result=result,
                )
            )
        if result > self.target:
            lines.append(f"{result} exceeds {self.target}, so the score is reset to 0.")
        lines.append(Sentence("{player:Whose} New Score: {score}", player=player, score=score))
        if score != self.target:
            # One person reads these when the next turn begins.
            updated = "Number Pool (updated):", f"{row(after.table)} (one {number} is removed)"
            lines += ["", *book_only((*updated, "", *score_lines(after)))]
        return lines

    def ending(self, state: Position, outcome: Outcome) -> list[str]:
        if self.target not in state.hands:
            return ["", *super().ending(state, outcome)]
        won = Sentence(
            "{player} has reached {target} points and wins the game!",
            you="You have reached {target} points and win the game!",
            player=outcome.winner,
            target=self.target,
        )
        return ["", won]


@lru_cache
def _reached(player: int, target: int) -> Sentence:
    return Sentence(
        "{player} has reached {target} points.",
        you="You have reached {target} points.",
        page=Sentence("{player} hit {target}.", you="You hit {target}.", player=player, target=target),
        player=player,
        target=target,
    )
