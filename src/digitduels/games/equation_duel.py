"""Equation Duel: combine two numbers from the pool and add the result to your score."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from typing import Final, NamedTuple

from digitduels.core import Effect, Outcome, State, outcome_tone
from digitduels.notation import MoveField
from digitduels.pool import ARITHMETIC, Pool, PoolGame, highest_option, target_option, tie_option
from digitduels.sentence import Sentence, book_only, equation

Position = State[int, Pool]
UNAVAILABLE: Final = Sentence("Numbers must be different and unused.")


class Move(NamedTuple):
    first: int
    second: int
    operation: str

    def __str__(self) -> str:
        return f"{self.first}{self.operation}{self.second}"


@dataclass(frozen=True)
class EquationDuel(PoolGame[Move]):
    """Combine two numbers and add the result to your score. Be the first to hit exactly {target}; go over and you lose.

    Both players start at 0. The pool holds the numbers 1 to {highest}, one of each. On your turn, pick two numbers and
    then an operation: +, −, × or ÷. The result of first number, operation, second number is added to your score, and
    both numbers are gone. A division drops its remainder. A subtraction can be negative and lower your score, even
    below 0.

    Reach exactly {target} and you win. Go over {target} and you lose at once. When fewer than two numbers are left, the
    higher score wins, because it is closest to {target}. {tie_rule}
    """

    target: int = target_option()
    highest: int = highest_option(9, low=2)
    tie: str = tie_option("the numbers run out")

    rulings = (
        "Numbers are used two at a time, so an odd one at the end is never used. The game ends when fewer than two are "
        "left.",
        "Order matters for − and ÷: the number you pick first comes first.",
        "A player who goes over the target has lost at once. The other player does not move again.",
    )
    spellings = ("2 * 1", "2×1", "1-2", "2/1")
    example = "6x7 9-5 8x1"

    # The rules

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        pairs = permutations(range(1, self.highest + 1), 2)
        return tuple(Move(first, second, operation) for first, second in pairs for operation in "+-x/")

    @property
    def longest(self) -> int:
        return self.highest // 2

    def legality(self, state: Position) -> Hashable:
        return state.table

    def forbids(self, state: Position, move: Move) -> str | None:
        # Two different unused numbers. The second may not be chosen yet.
        pool, first, second = state.table, move.first, move.second
        if pool.has(first) and (second is None or (second != first and pool.has(second))):
            return None
        return UNAVAILABLE

    def after(self, state: Position, move: Move) -> Position:
        player, hands, pool = state
        first, second, operation = move
        score = hands[player] + ARITHMETIC[operation](first, second)
        return state.then(score, hands[1 - player], pool.take_two(first, second))

    def outcome(self, state: Position) -> Outcome | None:
        # Exactly the target wins, more than the target loses.
        for player in (0, 1):
            score = state.hands[player]
            if score == self.target:
                return _reached(player, self.target)
            if score > self.target:
                return _exceeded(player, self.target)
        # An equation needs two numbers; without them the higher score wins.
        if sum(state.table.counts) < 2:
            return self.run_out(state, "Fewer than two numbers are left.")
        return None

    def effect(self, state: Position, move: Move) -> Effect:
        after, (first, second, operation) = self.after(state, move), move
        result, outcome = ARITHMETIC[operation](first, second), self.outcome(after)
        note = Sentence("The remainder is dropped.") if operation == "/" and first % second else None
        if outcome is not None:
            note = outcome.reason
        calculation = equation(first, operation, second, result)
        return Effect(calculation, result, self.scores(after), note, outcome_tone(state.player, outcome))

    # How it looks

    @property
    def lowest(self) -> int:
        # Every pair subtracts the highest number left from the lowest.
        return -sum(range(self.highest - 1, 0, -2))

    # The words

    move_fields = (
        MoveField("{player}, select your first number:\n> ", "Pick two numbers, then a sign", slot=0),
        MoveField("{player}, select your second number:\n> ", "Pick your second number", slot=2),
        MoveField("{player}, choose an operation (+, -, *, /):\n> ", "Pick a sign", labels={"x": "*"}, slot=1),
    )

    def view(self, state: Position) -> list[str]:
        scores = [Sentence("{player:Whose} Score: {score}", player=seat, score=state.hands[seat]) for seat in (0, 1)]
        return [_available(state.table), _used(state.table), *scores]

    def welcome(self, state: Position) -> list[str]:
        first, second = state.hands
        if first == second:
            points = Sentence(
                "{other:Whom} and {player} start with {score} points.",
                you="You and {other} start with {score} points.",
                player=1,
                score=first,
            )
        else:
            points = Sentence(
                "{player} starts with {first} points, {other:whom} with {second}.",
                you="You start with {first} points, {other} with {second}.",
                player=0,
                first=first,
                second=second,
            )
        goes = Sentence("{player} will go first.", you="You will go first.", player=state.player)
        return ["Welcome to Equation Duel!", points, *book_only([_available(state.table)]), goes]

    def turn(self, state: Position) -> list[str]:
        # The book's sample leaves out the used numbers and the other score, but both players may see them.
        return [
            _available(state.table),
            Sentence("{used}", book="", used=_used(state.table)),
            Sentence("{player:Whose} Score: {score}", player=state.player, score=state.mine),
            Sentence("{other:Whose} Score: {score}", book="", player=state.player, score=state.theirs),
        ]

    def announce(self, state: Position, move: Move, after: Position) -> list[str]:
        first, second, operation = move
        result = ARITHMETIC[operation](first, second)
        lines: list[str] = [
            Sentence(
                "{player:Whose} equation: {equation}",
                book="Equation: {first} {sign} {second} = {result}",
                player=state.player,
                equation=equation(first, operation, second, result),
                first=first,
                sign=self.move_fields[2].label(operation),
                second=second,
                result=result,
            ),
            Sentence(
                "{player:Whose} new score: {sum}",
                book="{player}'s new score: {score} + {result} = {total}",
                player=state.player,
                sum=equation(state.mine, "+", result, after.theirs),
                score=state.mine,
                result=result,
                total=after.theirs,
            ),
        ]
        if after.theirs < self.target:
            lines.append(f"Numbers {first} and {second} are now used.")
        return lines

    def victory(self, winner: int | None) -> str:
        if winner is None:
            return Sentence("It is a draw!")
        loses = Sentence("{player} loses.", you="You lose.", player=1 - winner)
        wins = Sentence("{player} wins!", you="You win!", player=winner)
        return Sentence("{loses} {wins}", loses=loses, wins=wins)


def _available(pool: Pool) -> str:
    return f"Available Numbers: {' '.join(map(str, pool.numbers)) or 'none'}"


def _used(pool: Pool) -> str:
    used = [str(number) for number, left in enumerate(pool.counts, 1) if not left]
    return f"Used Numbers: {' '.join(used) or 'none'}"


@lru_cache(maxsize=64)
def _reached(player: int, target: int) -> Outcome:
    reason = Sentence(
        "{player} reaches exactly {target} points.",
        you="You reach exactly {target} points.",
        page=Sentence("{player} hit {target}.", you="You hit {target}.", player=player, target=target),
        player=player,
        target=target,
    )
    return Outcome(player, reason)


@lru_cache(maxsize=64)
def _exceeded(player: int, target: int) -> Outcome:
    page = Sentence("{player} went over {target}.", you="You went over {target}.", player=player, target=target)
    reason = Sentence("{player:Whose} score exceeds {target}.", page=page, player=player, target=target)
    return Outcome(1 - player, reason)
