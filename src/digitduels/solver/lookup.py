"""Solutions that look up positions in a table with one code per position, and what the codes mean.

It needs no NumPy, so that a browser's Python looks positions up as well.
"""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from digitduels.core import State, TooLarge
from digitduels.solver.compiled import DRAWN, ILLEGAL, LOST, WON, Compiled
from digitduels.solver.endings import Endings
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Judgement, Verdict, final_verdict

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Scale(NamedTuple):
    """How a code encodes value and distance; see kernels.py. Without draws, `low` equals `high`."""

    low: int
    high: int
    top: int

    @classmethod
    def of(cls, longest: int, draws: bool) -> Scale:
        """The smallest scale for a game that lasts at most `longest` plies; raises TooLarge if there is none."""
        for top in (255, 65535):
            low, high = (top // 3 + 1, top - top // 3) if draws else (top // 2 + 1,) * 2
            if longest < low:
                return cls(low, high, top)
        raise TooLarge(f"A game of up to {longest:,} moves lasts too long for a table.")

    @classmethod
    def for_game(cls, compiled: Compiled, endings: Endings) -> Scale:
        """The smallest scale for a game with these endings at tables without moves."""
        draws = endings.drawn or any(DRAWN in marks for marks in (*compiled.maps.own, compiled.maps.stuck))
        return cls.of(compiled.longest, draws)

    @property
    def size(self) -> int:
        """The size of a code in bytes."""
        return self.top.bit_length() // 8

    def end(self, mark: int) -> int:
        """The code of a game that a player WON, DREW or LOST; 0, the lowest code, for any other mark."""
        return self.top if mark == WON else self.low if mark == DRAWN else 0

    def stuck(self, compiled: Compiled) -> list[int]:
        """[hand]: 1 more than the code of a position in which its owner has no move; 0 for a hand with moves."""
        waiting = {WON: LOST, LOST: WON}  # a code is for the waiting player
        return [1 + self.end(waiting.get(mark, mark)) if mark else 0 for mark in compiled.maps.stuck]

    def verdict(self, code: int) -> Verdict:
        """The verdict that a code means, for the player to move."""
        low, high, top = self
        return Verdict(-1, top - code) if code >= high else Verdict(1, code) if code < low else Verdict(0, code - low)

    # For NumPy

    @property
    def dtype(self) -> np.dtype[Any]:
        import numpy as np

        return np.min_scalar_type(self.top)

    def typed(self) -> tuple[Any, Any, Any]:
        """The numbers in the type of the codes, as the kernels need them."""
        kind = self.dtype.type
        return kind(self.low), kind(self.high), kind(self.top)

    def ending(self, marks: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """`end` for many games at once."""
        import numpy as np

        codes = np.array([self.end(-mark) for mark in range(1 - LOST)], self.dtype)
        return np.take(codes, -marks)


class Lookup(Solution):
    """A solution that looks up every position in a table."""

    def __init__(self, compiled: Compiled, codes: Any, scale: Scale) -> None:
        super().__init__(compiled.game)
        self.compiled = compiled
        self.codes = codes
        """[position]: its code. The index of a position is that of arrays.py."""
        self.scale = scale
        self.encode = compiled.encode
        self._hands = len(compiled.hands)

    def index(self, state: State[Any, Any]) -> int:
        """The index in the table of a position that is not over."""
        table, mine, theirs = self.encode(state)
        return (table * self._hands + theirs) * self._hands + mine

    def probe(self, state: State[Any, Any]) -> Verdict:
        outcome = self.game.outcome(state)
        return (
            self.scale.verdict(int(self.codes[self.index(state)]))
            if outcome is None
            else final_verdict(outcome, state.player)
        )

    def judge(self, state: State[Any, Any]) -> Judgement[Any]:
        after = partial(self.game.after, state)
        if self.game.outcome(state) is not None:
            return Judgement((), after)
        table, mine, theirs = self.encode(state)
        count, scale, codes = self._hands, self.scale, self.codes
        maps, needs, held = self.compiled.maps, self.compiled.needs, self.compiled.affordable(state.table)
        found = []
        for move, own, other, need, there in zip(self.game.moves, maps.own, maps.other, needs, held, strict=True):
            hand = own[mine]
            if there and hand != ILLEGAL:
                at = ((table - need) * count + hand) * count + other[theirs]
                found.append((int(codes[at]) if hand >= 0 else scale.end(hand), move))
        found.sort(key=itemgetter(0), reverse=True)  # equal codes stay in order
        verdicts = {code: scale.verdict(code).before for code in {code for code, _ in found}}
        return Judgement([(move, verdicts[code]) for code, move in found], after)
