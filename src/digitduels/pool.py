"""The shared pool of numbers in three of the duels, and how a game ends when the pool runs out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain, compress, repeat
from operator import add, floordiv, mul, sub
from typing import Any, Final, NamedTuple

from digitduels.core import Board, Outcome, Side, State, Stock
from digitduels.options import Choice, option
from digitduels.sentence import Sentence, number_word

ARITHMETIC: Final[dict[str, Callable[[int, int], int]]] = {"+": add, "-": sub, "x": mul, "/": floordiv}
TIES: Final = ("last-mover-loses", "last-mover-wins", "draw")
_TIE_RULES: Final = {
    "last-mover-loses": "If the scores are equal, the player who moved last loses.",
    "last-mover-wins": "If the scores are equal, the player who moved last wins.",
    "draw": "If the scores are equal, the game is a draw.",
}
_SMALL: Final = 100  # numbers in a pool
_TIE_HOUSE_RULES: Final = ("the last mover loses a tie", "the last mover wins a tie", "a tie is a draw")


def tie_option(when: str) -> Any:
    """The option that decides who wins at equal scores."""
    return option(TIES[0], Choice(TIES), f"who wins at equal scores when {when}", rules=_TIE_HOUSE_RULES)


class Pool(NamedTuple):
    """An immutable bag of the numbers 1, 2, … with at most `copies` of each.

    >>> pool = Pool.full(3, 2).take(2)
    >>> list(pool.numbers), pool.distinct, pool.has(2)
    ([1, 1, 2, 3, 3], (1, 2, 3), True)
    """

    counts: tuple[int, ...]
    copies: int

    @classmethod
    def full(cls, highest: int, copies: int) -> Pool:
        """The pool at the start of a game."""
        return cls((copies,) * highest, copies)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers in the pool in ascending order, with repetitions."""
        return tuple(chain.from_iterable(map(repeat, range(1, len(self.counts) + 1), self.counts)))

    @property
    def distinct(self) -> tuple[int, ...]:
        """The different numbers in the pool in ascending order."""
        return tuple(compress(range(1, len(self.counts) + 1), self.counts))

    @property
    def ordinal(self) -> int:
        """The index of this pool among all pools of its shape; the empty pool is 0.

        >>> Pool.full(3, 2).ordinal
        26
        """
        index = 0
        for count in reversed(self.counts):
            index = index * (self.copies + 1) + count
        return index

    def has(self, number: int) -> bool:
        return 0 < number <= len(self.counts) and self.counts[number - 1] > 0

    def take(self, number: int) -> Pool:
        """The pool without one copy of `number`, which must be there."""
        counts = self.counts
        return Pool((*counts[: number - 1], counts[number - 1] - 1, *counts[number:]), self.copies)

    @lru_cache(maxsize=1 << 16)  # noqa: B019  pools are values
    def take_two(self, first: int, second: int) -> Pool:
        """The pool without one copy of each of two numbers, which must be there."""
        return self.take(first).take(second)


@lru_cache(maxsize=64)
def row(pool: Pool) -> str:
    """The numbers in the pool as the books print them."""
    return ", ".join(map(str, pool.numbers)) or "none"


def not_in_pool(number: int, pool: Pool) -> Sentence:
    """The objection to taking a number that is not in the pool."""
    # Random play and searches meet the same objections again and again, but those of a large pool are long.
    small = len(pool.counts) * pool.copies <= _SMALL
    return _cached_objection(number, pool) if small else _objection(number, pool)


def _objection(number: int, pool: Pool) -> Sentence:
    return Sentence("There is no {number} in the pool. Available Numbers: {row}.", number=number, row=row(pool))


_cached_objection = lru_cache(maxsize=4096)(_objection)


def pool_board(state: State[int, Pool], lowest: int = 0) -> Board:
    """The board of a game in which each player has a score and both share the pool."""
    first, second = state.hands
    return Board((Side(first, (), lowest), Side(second, (), lowest)), _side(state.table))


@lru_cache(maxsize=64)  # for several questions about one position
def _side(pool: Pool) -> Side:
    return Side(None, tuple(Stock(str(number), left, pool.copies) for number, left in enumerate(pool.counts, 1)))


def pool_position(player: int, hands: Sequence[Sequence[int]], table: Sequence[int], copies: int) -> State[int, Pool]:
    """The position with these scores and this pool."""
    return State(player, (hands[0][0], hands[1][0]), Pool(tuple(table), copies))


def run_out(state: State[int, Pool], target: int, tie: str) -> Outcome:
    """The outcome when the numbers run out: the higher score wins, and `tie` decides equal scores."""
    return _run_out(*state.hands, 1 - state.player, target, tie)


@lru_cache(maxsize=4096)
def _run_out(first: int, second: int, last_mover: int, target: int, tie: str) -> Outcome:
    if first != second:
        winner = 0 if first > second else 1
        return Outcome(
            winner,
            Sentence(
                "{player} is closest to {target} without exceeding it, with a score of {score}.",
                you="You are closest to {target} without exceeding it, with a score of {score}.",
                player=winner,
                target=target,
                score=max(first, second),
            ),
        )
    if tie == "draw":
        return Outcome(None, Sentence("Both scores are {score}: nobody wins.", score=first))
    if tie == "last-mover-wins":
        winner, verb, you = last_mover, "wins", "win"
    else:
        winner, verb, you = 1 - last_mover, "loses", "lose"
    reason = Sentence(
        f"Both scores are {{score}}: {{player}} took the last turn and {verb}.",
        you=f"Both scores are {{score}}: you took the last turn and {you}.",
        player=last_mover,
        score=first,
    )
    return Outcome(winner, reason)


# The words of a rule card


def each_of(copies: int) -> str:
    """How many copies of each number there are, in words.

    >>> each_of(2)
    'two of each'
    """
    return f"{number_word(copies)} of each"


def tie_rule(tie: str) -> str:
    """The rule for equal scores when the numbers run out."""
    return _TIE_RULES[tie]
