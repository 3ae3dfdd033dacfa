"""The probability of a fallible player's mistake, computed from a solved table."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.core import State
from digitduels.players import error_kernels
from digitduels.players.levels import sight, tuning
from digitduels.players.natural import WASTED, nature
from digitduels.solver.tables import Tables


class ErrorTables:
    """A solved game, and a level that plays it, in the form that the kernels read."""

    def __init__(self, solution: Tables, level: int) -> None:
        self.solution, compiled = solution, solution.compiled
        own, other = np.ascontiguousarray(compiled.own.T), np.ascontiguousarray(compiled.other.T)
        level_sight = None if level == 1 else sight(level, tuning(solution.game).reaches)
        sees = [] if level_sight is None else [level_sight.sees(distance) for distance in range(compiled.longest + 2)]
        self._arguments = (
            (own, other, compiled.takes, np.array(compiled.needs, np.int64), compiled.base),
            self._nature(own, other),
            tuple(map(int, solution.scale)),
            np.array(sees, np.float64),
        )

    def _nature(self, own: npt.NDArray[Any], other: npt.NDArray[Any]) -> tuple[Any, ...]:
        """The parts of the weights of moves, by hand; see natural.py."""
        near_own, near_other, values = map(np.array, nature(self.solution.game, self.solution.compiled.hands))
        same_own = np.where(own >= 0, values[np.maximum(own, 0)] == values[:, None], False)
        return near_own, near_other, same_own, values[other] == values[:, None], WASTED

    def error(self, state: State[Any, Any], replies: int) -> float:
        """The probability that the level, which is to move, throws the value of a position away in this many turns."""
        index = self.solution.index(state)
        return min(1.0, float(error_kernels.error(index, replies, self.solution.codes, *self._arguments)))


error_tables = lru_cache(4)(ErrorTables)
"""The error tables of a solution and a level. The most recent ones are cached."""
