"""The truth about one position."""

from __future__ import annotations

from typing import NamedTuple

from digitduels.core import Outcome


class Verdict(NamedTuple):
    """The truth about a position for the player to move.

    `value` is +1 for a win, 0 for a draw, -1 for a loss with best play; `distance` the plies to the end of the game,
    when the winner hurries and the loser delays (in a draw both delay). Verdict(1, 3) wins with this move, a reply and
    one move more; a finished game has distance 0.
    """

    value: int
    distance: int

    @property
    def merit(self) -> tuple[int, int]:
        """Sorts verdicts from worst to best for the player they are for."""
        return self.value, -self.distance if self.value > 0 else self.distance

    @property
    def before(self) -> Verdict:
        """The verdict on a move to this position, for the player who makes it."""
        return Verdict(-self.value, self.distance + 1)


def finished(outcome: Outcome, player: int) -> Verdict:
    """The verdict on a finished game for a player."""
    return Verdict(0 if outcome.winner is None else 1 if outcome.winner == player else -1, 0)
