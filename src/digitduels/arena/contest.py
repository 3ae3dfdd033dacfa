"""One game between two players."""

from __future__ import annotations

from digitduels.core import IllegalMove, InvalidMove
from digitduels.match import Match
from digitduels.players import Forfeit, Player


def contest(match: Match, one: Player, two: Player) -> Match:
    """Plays a match to its end from its current position. A player that gives no legal move forfeits."""
    while match.outcome is None:
        seat = match.state.player
        try:
            match.play((one, two)[seat].choose(match))
        except (Forfeit, IllegalMove, InvalidMove) as reason:
            match.concede(seat, str(reason))
    return match
