"""The results of games at tables from which no move can take anything."""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.solver.compiled import DRAWN, Compiled, DoesNotFactor, ending_for, holds


class Endings(NamedTuple):
    """The results for the waiting player, by table without moves."""

    by_score: dict[int, list[int]]
    """If only the higher final score counts: if the waiting player has an equal score, a higher one, a lower one.

    All three are the same where every hand has the same final score.
    """
    scores: array[int]
    """[hand]: the index of its final score in ascending order; all zero if more than the final score counts."""
    by_hands: dict[int, list[array[int]]]
    """If more counts: [hand of the waiting player][hand to move]."""

    @property
    def drawn(self) -> bool:
        """Whether any of them is a draw."""
        boards = [*self.by_score.values(), *(row for board in self.by_hands.values() for row in board)]
        return any(DRAWN in results for results in boards)


def endings(compiled: Compiled) -> Endings:
    """Asks the rules for the results at tables without moves.

    If only the higher final score counts, it asks about one pair of hands for each case.
    """
    game, hands, tables = compiled.game, compiled.hands, _without_moves(compiled)

    def ending(table: int, waiting: Any, moving: Any) -> int:
        outcome = game.outcome(State(0, (moving, waiting), compiled.table(table)))
        if outcome is None:
            raise DoesNotFactor("a position without moves is not over")
        return ending_for(outcome.winner, 1)

    finals: list[Any] = [game.final_score(hand) for hand in hands]
    if None in finals:
        boards = {
            table: [array("i", (ending(table, waiting, moving) for moving in hands)) for waiting in hands]
            for table in tables
        }
        return Endings({}, array("i", [0]) * len(hands), boards)
    ranks = {score: rank for rank, score in enumerate(sorted(set(finals)))}
    low, high = hands[finals.index(min(finals))], hands[finals.index(max(finals))]
    pairs = (low, low), (high, low), (low, high)
    by_score = {table: [ending(table, *pair) for pair in pairs] for table in tables}
    return Endings(by_score, array("i", map(ranks.__getitem__, finals)), {})


def _without_moves(compiled: Compiled) -> list[int]:
    """The tables from which no move can take anything."""
    takes = set(compiled.maps.takes)
    pools: list[tuple[int, ...]] = [] if any(not any(take) for take in takes) else [(0,) * compiled.digits]
    for digit in range(compiled.digits):
        more = [(*pool[:digit], count, *pool[digit + 1 :]) for pool in pools for count in range(1, compiled.base)]
        pools += [pool for pool in more if not any(holds(pool, take) for take in takes)]
    return sorted(map(compiled.ordinal, pools))
