"""Operation Target: one shared number, +1 or ×2, and never your own previous operation again."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from digitduels.asking import choices
from digitduels.core import Board, Effect, Game, Outcome, Side, State, Stock, outcome_tone
from digitduels.notation import MoveField
from digitduels.options import Integer, option
from digitduels.sentence import Names, Played, Sentence, equation
from digitduels.text import quoted

Position = State["str | None", int]


class Move(NamedTuple):
    operation: str

    def __str__(self) -> str:
        return self.operation


MOVES: Final = (Move("+1"), Move("x2"))
LABELS: Final = {"+1": "Add 1", "x2": "Multiply by 2"}


@dataclass(frozen=True)
class OperationTarget(Game["str | None", int, Move]):
    """Add 1 to a shared number or double it. Land on exactly {target} to win; go over and you lose.

    The number starts at {start}. On your turn you add 1 or multiply by 2, but you can't repeat your own previous
    operation. What your opponent did doesn't matter.

    The player who makes the number exactly {target} wins. The player who takes it past {target} loses.
    """

    target: int = option(23, Integer(2, 10**4000), "the number that wins", rules=("first to {}",))
    begin: int = option(
        1, Integer(1, 10**4000), "the number at the start, below the target", name="start", rules=("starting at {}",)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.begin >= self.target:
            raise ValueError(f"start must be below the target, not {quoted(self.begin)}.")

    rulings = (
        "Your own previous operation is not allowed, so only each player's first move is free. After that every move "
        "is forced: for any target there are at most four different games.",
        "A player always has a move, because at most one of the two operations is not allowed.",
    )
    spellings = ("1", "[2]", "add 1", "+1", "×2", "double")
    example = "x2 x2 +1 +1 x2 x2"

    # The rules

    @property
    def moves(self) -> tuple[Move, ...]:
        return MOVES

    @cached_property
    def longest(self) -> int:
        # After each player's first move every move is forced, so there are at most four games to play through.
        return max(self._length(first, second) for first in MOVES for second in MOVES)

    def _length(self, *opening: Move) -> int:
        """The number of moves in the game that begins with these two."""
        state, length = self.start(), 0
        while self.outcome(state) is None:
            move = opening[length] if length < 2 else self.permitted(state)[0]
            state, length = self.after(state, move), length + 1
        return length

    def start(self) -> Position:
        return State(0, (None, None), self.begin)

    def legality(self, state: Position) -> Hashable:
        return state.mine

    def forbids(self, state: Position, move: Move) -> str | None:
        # Nobody may repeat their own previous operation.
        if state.mine == move.operation:
            return Sentence(
                "{player} cannot {label} again: it was their previous operation.",
                you="You cannot {label} again: it was your previous operation.",
                book="You cannot {label} again: it was your previous operation.",
                player=state.player,
                label=LABELS[move.operation],
            )
        return None

    def after(self, state: Position, move: Move) -> Position:
        number = state.table + 1 if move.operation == "+1" else state.table * 2
        return state.then(move.operation, state.theirs, number)

    def outcome(self, state: Position) -> Outcome | None:
        # Exactly the target wins, more than the target loses.
        last_mover = 1 - state.player
        if state.table == self.target:
            return Outcome(last_mover, _reached(last_mover))
        if state.table > self.target:
            return Outcome(state.player, _exceeded(last_mover))
        return None

    def effect(self, state: Position, move: Move) -> Effect:
        after = self.after(state, move)
        outcome = self.outcome(after)
        calculation = equation(state.table, move.operation[0], int(move.operation[1]), after.table)
        note = None if outcome is None else outcome.reason
        return Effect(calculation, after.table, self.scores(after), note, outcome_tone(state.player, outcome))

    # How it looks

    def board(self, state: Position) -> Board:
        # A player's previous operation is not allowed for one turn, so none of it is left.
        first, second = (
            Side(None, tuple(Stock(LABELS[operation], int(operation != last), 1) for (operation,) in MOVES))
            for last in state.hands
        )
        return Board((first, second), Side(state.table, lowest=1))

    def scores(self, state: Position) -> tuple[int, int]:
        return state.table, state.table

    def arrange(self, player: int, hands: Sequence[Sequence[int]], table: Sequence[int]) -> Position:
        if [0, 0] in hands:
            raise ValueError("One operation is always allowed: only the player's own previous one is not.")
        first, second = (dict(zip(left, ("+1", "x2"), strict=True)).get(0) for left in hands)
        return State(player, (first, second), table[0])

    # The words

    move_fields = (MoveField("Enter the number of your chosen operation: ", labels=LABELS, menu=True),)

    def phrases(self, state: Position | None, names: Names) -> Iterator[tuple[str, Move]]:
        yield from ((word, MOVES[0]) for word in ("add", "plus", "+"))
        yield from ((word, MOVES[1]) for word in ("double", "multiply", "times", "x"))

    def view(self, state: Position) -> list[str]:
        previous = [
            Sentence(
                "{player:Whose} Previous Operation: {operation}",
                player=player,
                operation=LABELS.get(state.hands[player] or "", "None"),
            )
            for player in (0, 1)
        ]
        return [*self._numbers(state), *previous]

    def welcome(self, state: Position) -> list[str]:
        return ["Game Start!", *self._numbers(state)]

    def _numbers(self, state: Position) -> list[str]:
        return [f"Target Number: {self.target}", f"Current Number: {state.table}"]

    def turn(self, state: Position) -> list[str]:
        possible, (field,) = choices(self, state), self.move_fields
        return [
            Sentence("{player}'s Turn:", you="Your Turn:", player=state.player),
            Sentence("Current Number: {number}", book="", number=state.table),
            f"Previous Operation: {LABELS.get(state.mine or '', 'None')}",
            f"Available Operation{'s' if len(possible) > 1 else ''}: {field.offer(possible)}",
        ]

    def announce(self, state: Position, move: Move, after: Position) -> list[str]:
        chosen = Sentence(
            "{player} chooses {move}.",
            you="You choose {move}.",
            book="You chose to {label}.",
            player=state.player,
            move=Played(move, state.player),
            label=LABELS[move.operation],
        )
        return [chosen, f"New Current Number: {after.table}"]

    def ending(self, state: Position, outcome: Outcome) -> list[str]:
        return ["", *super().ending(state, outcome)]


@lru_cache
def _reached(player: int) -> Sentence:
    return Sentence(
        "{player} has reached the Target Number!",
        you="You have reached the Target Number!",
        page=Sentence("{player} hit the target.", you="You hit the target.", player=player),
        player=player,
    )


@lru_cache
def _exceeded(player: int) -> Sentence:
    return Sentence(
        "{player} has exceeded the Target Number!",
        you="You have exceeded the Target Number!",
        page=Sentence("{player} went over the target.", you="You went over the target.", player=player),
        player=player,
    )
