"""Verdicts on positions and on moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from digitduels.core import Outcome

Move = TypeVar("Move", bound=tuple[Any, ...])


class Verdict(NamedTuple):
    """The value of a position for the player to move, and the distance to the end of the game.

    With best play, `value` is +1 for a win, 0 for a draw and -1 for a loss. `distance` is the number of plies to the
    end when the winner hurries and the loser delays. In a draw, both delay. Verdict(1, 3) wins with this move, a reply
    and one more move. A finished game has distance 0.

    Verdicts are ordered for their player: a quick win is best, a quick loss is worst.

    >>> max(Verdict(1, 3), Verdict(1, 5), Verdict(0, 2), Verdict(-1, 8))
    Verdict(value=1, distance=3)
    """

    value: int
    distance: int

    @property
    def before(self) -> Verdict:
        """The verdict on a move that leads to this position, for the player who makes it."""
        return Verdict(-self.value, self.distance + 1)

    def _rank(self) -> tuple[int, int]:
        return self.value, -self.distance if self.value > 0 else self.distance

    def __lt__(self, other: tuple[int, ...]) -> bool:
        return self._rank() < Verdict(*other)._rank()

    def __le__(self, other: tuple[int, ...]) -> bool:
        return self._rank() <= Verdict(*other)._rank()

    def __gt__(self, other: tuple[int, ...]) -> bool:
        return self._rank() > Verdict(*other)._rank()

    def __ge__(self, other: tuple[int, ...]) -> bool:
        return self._rank() >= Verdict(*other)._rank()


def final_verdict(outcome: Outcome, player: int) -> Verdict:
    """The verdict on a finished game for a player."""
    return Verdict(0 if outcome.winner is None else 1 if outcome.winner == player else -1, 0)


class Judgement(Mapping[Move, Verdict], Generic[Move]):
    """The legal moves of a position with their verdicts for the player who makes them, best first.

    A move *keeps* the value of the position or *throws* it away. A position is *critical* when it is not lost and some
    move throws its value away.
    """

    def __init__(self, verdicts: Iterable[tuple[Move, Verdict]], after: Callable[[Move], Any]) -> None:
        self._verdicts = dict(verdicts)
        self._after = after

    def __getitem__(self, move: Move) -> Verdict:
        return self._verdicts[move]

    def __iter__(self) -> Iterator[Move]:
        return iter(self._verdicts)

    def __len__(self) -> int:
        return len(self._verdicts)

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{move}: {verdict.value:+} in {verdict.distance}" for move, verdict in self.items())
        return f"Judgement({verdicts})"

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the position; None when the game is over."""
        return next(iter(self._verdicts.values()), None)

    @property
    def best_verdict(self) -> Verdict:
        """The verdict on the position; raises ValueError when the game is over."""
        verdict = self.verdict
        if verdict is None:
            raise ValueError("The game is over: there is nothing to judge.")
        return verdict

    @cached_property
    def best_moves(self) -> list[Move]:
        """The quickest wins, else the longest draws, else the slowest losses."""
        verdict = self.verdict
        return [move for move, other in self._verdicts.items() if other == verdict]

    @cached_property
    def keeping(self) -> list[Move]:
        """The moves that keep the value of the position, best first."""
        best = self.verdict
        return [move for move, verdict in self._verdicts.items() if best and verdict.value == best.value]

    @cached_property
    def throwing(self) -> list[Move]:
        """The moves that throw the value of the position away, best first."""
        best = self.verdict
        return [move for move, verdict in self._verdicts.items() if best and verdict.value < best.value]

    @property
    def critical(self) -> bool:
        """Whether the position is not lost and some move throws its value away."""
        return bool(self.throwing)  # a lost position has nothing to throw away

    @cached_property
    def only(self) -> bool:
        """Whether the position is critical and all moves that keep its value lead to the same position."""
        return self.critical and len({self._after(move) for move in self.keeping}) == 1
