"""Numerical Nexus: each player spends a small stock of operations on the way to exactly 50."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from digitduels.core import Board, Game, Outcome, Side, State, Stock, Whole, Wholes, called, option


class Hand(NamedTuple):
    score: int
    uses: tuple[int, ...]


class Move(NamedTuple):
    operation: str

    def __str__(self) -> str:
        return self.operation


Position = State[Hand, None]

# Of each move: its stock, as the place in `uses`, and by what it multiplies the mover's score before adding what.
EFFECT: Final = {
    "+1": (0, 1, 1),
    "+3": (1, 1, 3),
    "+5": (2, 1, 5),
    "x2": (3, 2, 0),
    "x3": (4, 3, 0),
    "reset-mine": (5, 0, 0),
    "reset-theirs": (5, 1, 0),
}
MOVES: Final = tuple(map(Move, EFFECT))
OPERATIONS: Final = ("+1", "+3", "+5", "×2", "×3", "reset")
NONE_LEFT: Final = tuple(f"You have no {name} left." for name in OPERATIONS)


@dataclass(frozen=True)
class NumericalNexus(Game[Hand, None, Move]):
    """Spend your few operations well and be the first at exactly 50; whoever is left without a move loses.

    Both scores start at 0. Each player owns three +1, two +3, one +5, two ×2, one ×3 and one reset. In your turn you
    must spend one of them. The additions and multiplications change your own score; the reset puts either score, the
    opponent's or your own, back to 0.

    Nothing may take your score past 50. Whoever stands at exactly 50 wins. A player who has no operation left that
    may be used loses.
    """

    target: int = option(50, Whole(1, 10**6), "the score that wins")
    uses: tuple[int, ...] = option(
        (3, 2, 1, 2, 1, 1), Wholes(6, 0, 99), "each player's uses of +1, +3, +5, ×2, ×3, reset"
    )

    rulings = (
        "×2 and ×3 at a score of 0 are legal: the score stays 0 and the use is spent.",
        "The reset is each player's own and may be aimed at either score, even at a score that is 0 already.",
        "A player to move without a legal operation loses at once. With a reset left there always is one.",
    )
    example = "+5 +3 x2 x3 +3 +5 x2 x2 reset-theirs +1"
    levels = (1, 4, 5, 6, 7)  # nothing ends soon enough for levels 2 and 3 to matter
    reaches = (6.0, 10.0, 20.0)

    # The rules

    @property
    def moves(self) -> tuple[Move, ...]:
        return MOVES

    @property
    def longest(self) -> int:
        return 2 * sum(self.uses)

    def start(self) -> Position:
        hand = Hand(0, self.uses)
        return State(0, (hand, hand), None)

    def legality(self, state: Position) -> Hashable:
        return state.mine

    def forbids(self, state: Position, move: Move) -> str | None:
        player, hands, _ = state
        score, uses = hands[player]
        stock, times, plus = EFFECT[move.operation]
        # Every use is spent once.
        if not uses[stock]:
            return NONE_LEFT[stock]
        # A score never passes the target.
        if score * times + plus > self.target:
            return f"{OPERATIONS[stock]} would take your score to {score * times + plus}, past {self.target}."
        return None

    def after(self, state: Position, move: Move) -> Position:
        player, hands, _ = state
        (score, uses), theirs = hands[player], hands[1 - player]
        stock, times, plus = EFFECT[move.operation]
        if move.operation == "reset-theirs":
            theirs = Hand(0, theirs.uses)
        return state.then(Hand(score * times + plus, _spent(uses, stock)), theirs, None)

    def outcome(self, state: Position) -> Outcome | None:
        # Exactly the target wins.
        scores = state.hands[0].score, state.hands[1].score
        if self.target in scores:
            winner = scores.index(self.target)
            return Outcome(winner, f"{called(winner)} has reached exactly {self.target}.")
        # A player without a legal operation loses.
        if not self.permitted(state):
            return Outcome(1 - state.player, f"{called(state.player)} cannot make a valid move and loses.")
        return None

    # How it looks

    def board(self, state: Position) -> Board:
        first, second = (Side(score, tuple(map(Stock, OPERATIONS, uses, self.uses))) for score, uses in state.hands)
        return Board((first, second), Side())

    def arrange(self, player: int, hands: Sequence[Sequence[int]], table: Sequence[int]) -> Position:
        first, second = (Hand(score, tuple(uses)) for score, *uses in hands)
        return State(player, (first, second), None)

    # The words

    labels = dict(zip(EFFECT, (*OPERATIONS[:5], "reset-mine", "reset-theirs"), strict=True))

    def phrases(self, state: Position | None) -> Iterator[tuple[str, Move]]:
        mine, theirs = MOVES[5:]
        for owner in ("me", "my score", "myself", "own", "my own score"):
            yield f"reset {owner}", mine
        for owner in ("opponent", "the opponent", "opponent's score", "other", "them", "their score"):
            yield f"reset {owner}", theirs
        if state is not None:
            for player, move in ((state.player, mine), (1 - state.player, theirs)):
                yield f"reset {player + 1}", move
                yield f"reset {called(player)}", move

    def view(self, state: Position) -> list[str]:
        lines = [f"{called(player)} Score: {state.hands[player].score}" for player in (0, 1)]
        for player in (0, 1):
            stocks = zip(OPERATIONS, state.hands[player].uses, strict=True)
            lines += [f"{called(player)} uses left: {', '.join(f'{name} ({count})' for name, count in stocks)}"]
        return lines

    def announce(self, state: Position, move: Move, after: Position) -> list[str]:
        mover, (score, uses), operation = called(state.player), after.theirs, move.operation
        stock = EFFECT[operation][0]
        left = uses[stock]
        if OPERATIONS[stock] != "reset":
            return [f"{mover}'s score is now {score}. Remaining {OPERATIONS[stock]} uses: {left}."]
        whose = "their own" if operation == "reset-mine" else f"{called(1 - state.player)}'s"
        remaining = f"Remaining resets: {left}." if left else "No remaining resets."
        return [f"{mover} resets {whose} score to 0. {remaining}"]

    def ending(self, state: Position, outcome: Outcome) -> list[str]:
        for player in (0, 1):
            if state.hands[player].score == self.target:
                return [f"Congratulations, {called(player)}! You've reached exactly {self.target} and won the game."]
        return ["", *super().ending(state, outcome)]


@lru_cache(maxsize=10_000)
def _spent(uses: tuple[int, ...], stock: int) -> tuple[int, ...]:
    """The uses that are left after one of a stock is spent."""
    return (*uses[:stock], uses[stock] - 1, *uses[stock + 1 :])
