"""Number Quest: take a number from the pool and use any of the four operations on your score."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from digitduels.core import Effect, Outcome, State, outcome_tone
from digitduels.notation import MoveField
from digitduels.options import Choice, option
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
class NumberQuest(PoolGame[Move]):
    """Pick a number, then +, −, × or ÷. Hit exactly {target} to win. Go over and you lose.

    Both players start at 0. The pool holds the numbers 1 to {highest}, {each}. On your turn, pick any number that is
    still in the pool and add it to your score, subtract it, multiply by it or divide by it. That copy is gone for both
    players. {division_rule}

    {invalid_rule}

    Reach exactly {target} and you win. Go over {target} and you lose at once. When the pool is empty, the higher score
    wins. {tie_rule}
    """

    target: int = target_option()
    highest: int = highest_option(9)
    copies: int = copies_option()
    division: str = option(
        "floor",
        Choice(("floor", "exact")),
        "whether a division drops its remainder (floor) or must leave none (exact)",
        rules=("divisions drop their remainder", "divisions must leave no remainder"),
    )
    invalid: str = option(
        "lost-turn",
        Choice(("lost-turn", "refused")),
        "whether an invalid operation costs the turn or is refused",
        rules=("an invalid operation costs the turn", "an invalid operation is refused"),
    )
    tie: str = tie_option("the pool is empty")

    rulings = (
        "{division_ruling}",
        "{invalid_ruling}",
        "A player always has a move while the pool lasts, because adding is always valid.",
        "An empty pool ends the game. Nobody passes.",
        "Division by zero cannot happen: the pool has no zero.",
    )
    spellings = ("2", "+2", "minus 2", "×2", "divided by 2")
    example = "+5 x2 +9 +8 x6"

    @property
    def facts(self) -> dict[str, object]:
        exact, refused = self.division == "exact", self.invalid == "refused"
        division = "A division must leave no remainder." if exact else "A division drops its remainder."
        faults = "make your score negative or leave a remainder" if exact else "make your score negative"
        costs = (
            "is not allowed." if refused else "costs you the turn: your score stays as it is and the number is gone."
        )
        invalid = f"An operation that would {faults} {costs}"
        division_ruling = "A division that leaves a remainder is invalid." if exact else "Fractions are dropped."
        results = "a result below 0 or with a remainder" if exact else "a result below 0"
        if refused:
            invalid_ruling = f"An invalid operation ({results}) is not a legal move."
        else:
            invalid_ruling = (
                f"An invalid operation ({results}) is a legal move that costs the turn. The number is gone, because it "
                "was selected, so every turn uses up a number and every game ends."
            )
        return super().facts | {
            "division_rule": division,
            "division_ruling": division_ruling,
            "invalid_rule": invalid,
            "invalid_ruling": invalid_ruling,
        }

    # The rules

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple(Move(number, operation) for number in range(1, self.highest + 1) for operation in "+-x/")

    def legality(self, state: Position) -> Hashable:
        numbers = state.table.distinct
        return numbers if self.invalid == "lost-turn" else (numbers, state.mine)

    def forbids(self, state: Position, move: Move) -> str | None:
        # Only numbers that are still in the pool can be selected. The operation may not be chosen yet.
        missing = not_in_pool(move.number, state.table)
        if missing is None and self.invalid == "refused" and move.operation is not None:
            return None if self._valid(state.mine, move) else _refusal(state.mine, move)
        return missing

    def _valid(self, score: int, move: Move) -> bool:
        """Whether the operation is valid on this score."""
        number, operation = move
        # A score is never negative.
        if operation == "-":
            return score >= number
        # With division=exact it is never a fraction either.
        return operation != "/" or self.division == "floor" or score % number == 0

    def after(self, state: Position, move: Move) -> Position:
        score = state.mine
        # An invalid operation costs the turn and the number.
        if self._valid(score, move):
            score = ARITHMETIC[move.operation](score, move.number)
        return state.then(score, state.theirs, state.table.take(move.number))

    def outcome(self, state: Position) -> Outcome | None:
        # Exactly the target wins, more than the target loses.
        for player in (0, 1):
            score = state.hands[player]
            if score >= self.target:
                return _reached(player, self.target) if score == self.target else _exceeded(player, self.target)
        # When the pool is empty, the higher score wins.
        if not any(state.table.counts):
            return self.run_out(state)
        return None

    def effect(self, state: Position, move: Move) -> Effect:
        after, player, (number, operation) = self.after(state, move), state.player, move
        result = ARITHMETIC[operation](state.mine, number)
        calculation = equation(state.mine, operation, number, result)
        outcome = self.outcome(after)
        tone = outcome_tone(player, outcome)
        remainder = state.mine % number if operation == "/" else 0
        note = Sentence("The remainder is dropped.") if remainder else None
        if not self._valid(state.mine, move):
            tone = "bad"
            why = "Below zero" if result < 0 else "It leaves a remainder"
            note = Sentence(
                "{why}: {player} loses the turn and the {number} is gone.",
                you="{why}: you lose the turn and the {number} is gone.",
                player=player,
                why=why,
                number=number,
            )
        if outcome is not None:
            note = outcome.reason
        return Effect(calculation, result, self.scores(after), note, tone)

    # The words

    move_fields = (
        MoveField("Select a number: ", "Pick a number"),
        MoveField("Choose an operation (+, -, *, /): ", "Pick an operation", labels={"x": "*"}),
    )

    def view(self, state: Position) -> list[str]:
        return [f"Number Pool: {row(state.table)}", *score_lines(state)]

    def welcome(self, state: Position) -> list[str]:
        title, *view = super().welcome(state)
        return [title, *book_only(view)]  # one person reads the position when the turn begins

    def turn(self, state: Position) -> list[str]:
        player = state.player
        return [
            Sentence("{player}'s Turn", you="Your Turn", player=player),
            Sentence("{other:Whose} Score: {score}", player=player, score=state.theirs),
            Sentence("{player:Whose} Score: {score}", book="Current Score: {score}", player=player, score=state.mine),
            f"Available Numbers: {row(state.table)}",
        ]

    def announce(self, state: Position, move: Move, after: Position) -> list[str]:
        player, score, (number, operation) = state.player, state.mine, move
        if not self._valid(score, move):
            lost = Sentence(
                "{player} loses their turn, and the {number} is gone. Their score is still {score}.",
                you="You lose your turn, and the {number} is gone. Your score is still {score}.",
                book="You lose your turn, and the {number} is gone. Your score is still {score}",
                player=player,
                number=number,
                score=score,
            )
            return [_fault(score, move), lost]
        result = ARITHMETIC[operation](score, number)
        return [
            Sentence(
                "{player} takes the {number}: {equation}.",
                you="You take the {number}: {equation}.",
                book="Calculation: {score} {sign} {number} = {result}",
                player=player,
                equation=equation(score, operation, number, result),
                score=score,
                sign=self.move_fields[1].label(operation),
                number=number,
                result=result,
            ),
            Sentence("", book="Your score is now {score}", score=result),
        ]

    def ending(self, state: Position, outcome: Outcome) -> list[str]:
        last, reason = state.theirs, outcome.reason
        if last >= self.target:
            # The book says twice who wins. One person reads it once.
            book = (
                "You have reached exactly {target} points. You win!"
                if last == self.target
                else "You have exceeded {target} points. You lose!"
            )
            reason = Sentence("{reason}", book=book, reason=reason, target=self.target)
        return [reason, "", self.victory(outcome.winner)]

    def victory(self, winner: int | None) -> str:
        if winner is None:
            return Sentence("It Is a Draw!")
        wins = Sentence("{player} wins!", you="You win!", player=winner)
        return Sentence("{player} Wins the Game!", you="You Win the Game!", page=wins, player=winner)


def _fault(score: int, move: Move) -> Sentence:
    """Why an operation is invalid on this score."""
    if move.operation == "-":
        return Sentence(
            "{equation}, and a score can't be negative.",
            book="{score} - {number} = {result}, and a score can't be negative.",
            equation=equation(score, "-", move.number, score - move.number),
            score=score,
            number=move.number,
            result=score - move.number,
        )
    return Sentence(
        "{score} ÷ {number} leaves a remainder.",
        book="{score} / {number} leaves a remainder.",
        score=score,
        number=move.number,
    )


# Cached, because random play and searches meet the same refusals and endings again and again.


@lru_cache(maxsize=4096)
def _refusal(score: int, move: Move) -> Sentence:
    return Sentence("{fault} Adding is always possible.", fault=_fault(score, move))


@lru_cache(maxsize=64)
def _reached(player: int, target: int) -> Outcome:
    reason = Sentence(
        "{player} has reached exactly {target} points.",
        you="You have reached exactly {target} points.",
        page=Sentence("{player} hit {target}.", you="You hit {target}.", player=player, target=target),
        player=player,
        target=target,
    )
    return Outcome(player, reason)


@lru_cache(maxsize=64)
def _exceeded(player: int, target: int) -> Outcome:
    reason = Sentence(
        "{player} has exceeded {target} points.",
        you="You have exceeded {target} points.",
        page=Sentence("{player} went over {target}.", you="You went over {target}.", player=player, target=target),
        player=player,
        target=target,
    )
    return Outcome(1 - player, reason)
