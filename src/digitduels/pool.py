"""The shared pool of numbers in three of the duels, and what these games have in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from itertools import chain, compress, repeat
from operator import add, floordiv, mul, sub
from typing import Any, Final, NamedTuple, TypeVar

from digitduels.core import Board, Game, Outcome, Side, State, Stock
from digitduels.options import Choice, Integer, option
from digitduels.sentence import Sentence, number_word

ARITHMETIC: Final[dict[str, Callable[[int, int], int]]] = {"+": add, "-": sub, "x": mul, "/": floordiv}
TIES: Final = ("last-mover-loses", "last-mover-wins", "draw")
_TIE_RULES: Final = {
    "last-mover-loses": "If the scores are equal, the player who moved last loses.",
    "last-mover-wins": "If the scores are equal, the player who moved last wins.",
    "draw": "If the scores are equal, the game is a draw.",
}
_TIE_HOUSE_RULES: Final = ("the last mover loses a tie", "the last mover wins a tie", "a tie is a draw")
_SMALL: Final = 100  # numbers in a pool

Move = TypeVar("Move", bound=tuple[Any, ...])


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


def not_in_pool(number: int, pool: Pool) -> Sentence | None:
    """The objection to taking a number that is not in the pool; None if it is there."""
    if pool.has(number):
        return None
    # Random play and searches meet the same objections again and again, but those of a large pool are long.
    small = len(pool.counts) * pool.copies <= _SMALL
    return _cached_objection(number, pool) if small else _objection(number, pool)


def _objection(number: int, pool: Pool) -> Sentence:
    return Sentence("There is no {number} in the pool. Available Numbers: {row}.", number=number, row=row(pool))


_cached_objection = lru_cache(maxsize=4096)(_objection)


class PoolGame(Game[int, Pool, Move]):
    """A game in which both players have a score and take numbers from a shared pool."""

    # The options. A game defines these, in the order of its book.
    target: int
    highest: int
    copies: int = 1
    tie: str

    @property
    def facts(self) -> dict[str, object]:
        each = f"{number_word(self.copies)} of each"
        return super().facts | {"each": each, "tie_rule": _TIE_RULES[self.tie]}

    # The rules

    @property
    def longest(self) -> int:
        return self.highest * self.copies

    def start(self) -> State[int, Pool]:
        return State(0, (0, 0), Pool.full(self.highest, self.copies))

    def legality(self, state: State[int, Pool]) -> Hashable:
        return state.table.distinct

    def final_score(self, hand: int) -> int:
        return hand

    def run_out(self, state: State[int, Pool], why: str = "The pool is empty.") -> Outcome:
        """The outcome when the numbers run out: the higher score wins, and `tie` decides equal scores."""
        return _run_out(*state.hands, 1 - state.player, self.target, self.tie, why)

    # How it looks

    @property
    def lowest(self) -> int:
        """The lowest possible score."""
        return 0

    def board(self, state: State[int, Pool]) -> Board:
        first, second = state.hands
        return Board((Side(first, (), self.lowest), Side(second, (), self.lowest)), _side(state.table))

    def scores(self, state: State[int, Pool]) -> tuple[int, int]:
        return state.hands

    def arrange(self, player: int, hands: Sequence[Sequence[int]], table: Sequence[int]) -> State[int, Pool]:
        return State(player, (hands[0][0], hands[1][0]), Pool(tuple(table), self.copies))


def target_option() -> Any:
    """The option for the score that wins."""
    return option(50, Integer(1, 10**6), "the score that wins", rules=("first to {}",))


def highest_option(default: int, low: int = 1) -> Any:
    """The option for the highest number in the pool."""
    return option(default, Integer(low, 99), "the highest number in the pool", rules=("numbers 1 to {}",))


def copies_option() -> Any:
    """The option for the copies of each number."""
    return option(2, Integer(1, 99), "how many of each number the pool holds", rules=("{} of each number",))


def tie_option(when: str) -> Any:
    """The option that decides who wins at equal scores."""
    return option(TIES[0], Choice(TIES), f"who wins at equal scores when {when}", rules=_TIE_HOUSE_RULES)


def score_lines(state: State[int, Pool]) -> list[str]:
    """The lines that show both scores."""
    return [Sentence("{player:Label} Score: {score}", player=seat, score=state.hands[seat]) for seat in (0, 1)]


@lru_cache(maxsize=64)  # for several questions about one position
def _side(pool: Pool) -> Side:
    return Side(None, tuple(Stock(str(number), left, pool.copies) for number, left in enumerate(pool.counts, 1)))


@lru_cache(maxsize=4096)
def _run_out(first: int, second: int, last_mover: int, target: int, tie: str, why: str) -> Outcome:
    if first != second:
        winner = 0 if first > second else 1
        return Outcome(
            winner,
            Sentence(
                "{why} {player} is closest to {target} without exceeding it, with a score of {score}.",
                you="{why} You are closest to {target} without exceeding it, with a score of {score}.",
                page=Sentence(
                    "{why} {player} is closest to {target}, with {score}.",
                    you="{why} You're closest to {target}, with {score}.",
                    player=winner,
                    why=why,
                    target=target,
                    score=max(first, second),
                ),
                player=winner,
                why=why,
                target=target,
                score=max(first, second),
            ),
        )
    if tie == "draw":
        return Outcome(None, Sentence("{why} Both scores are {score}: nobody wins.", why=why, score=first))
    if tie == "last-mover-wins":
        winner, verb, you = last_mover, "wins", "win"
    else:
        winner, verb, you = 1 - last_mover, "loses", "lose"
    reason = Sentence(
        f"{{why}} Both scores are {{score}}: {{player}} took the last turn and {verb}.",
        you=f"{{why}} Both scores are {{score}}: you took the last turn and {you}.",
        player=last_mover,
        why=why,
        score=first,
    )
    return Outcome(winner, reason)
