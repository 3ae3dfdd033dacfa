"""Exact expectations when policies play: many quantities for many pairs of policies at once.

If the game has a table, a backward pass fills its positions on all cores; see propagation.py. Other games, and policies
that handle one position at a time, are evaluated by plain recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.core import State, TooLarge
from digitduels.players.levels import Level, Sight
from digitduels.players.natural import weights
from digitduels.players.perfect import FALLIBLE, Perfect, Uniform
from digitduels.players.propagation import can_fill, fill
from digitduels.players.sheet import BY_CHANCE, HOPE, NO_COLUMN, PERFECTLY, Column, Kind, Policy, Sheet
from digitduels.solver.solution import Solution
from digitduels.solver.tables import Tables
from digitduels.solver.verdict import Judgement, final_verdict

_DEEPEST = 200  # the maximum length of a game without a table, in plies
REACHABLE = 2_000_000  # the maximum number of positions for the recursion


def expect(
    solution: Solution,
    sheet: Sheet,
    starts: Sequence[State[Any, Any]] = (),
    reached: npt.NDArray[np.bool_] | None = None,
    progress: Callable[[str, float], None] | None = None,
    hope: tuple[int, int] = HOPE,
) -> npt.NDArray[np.float64]:
    """[start, column]: the expected values in the positions `starts`. Default: the first position of the game.

    Pass `reached`, the positions that can arise from the starts, if you have it already. `hope` is the level whose
    mistakes perfect play hopes for, and the number of its turns.
    """
    if isinstance(solution, Tables) and can_fill(solution, sheet):
        return fill(solution, sheet, starts or [solution.game.start()], reached, progress, hope)
    return plain(solution, sheet, starts, hope)


def plain(
    solution: Solution, sheet: Sheet, starts: Sequence[State[Any, Any]] = (), hope: tuple[int, int] = HOPE
) -> npt.NDArray[np.float64]:
    """Does the same as `expect`, by plain recursion over the positions that can arise."""
    if solution.game.longest > _DEEPEST:
        raise TooLarge(f"{solution.game.title} with these options lasts too long to be evaluated.")
    recursion = _Recursion(solution, sheet.columns, hope)
    return np.array([recursion.row(start) for start in starts or [solution.game.start()]])


class _Recursion:
    def __init__(self, solution: Solution, columns: Sequence[Column], hope: tuple[int, int]) -> None:
        self.solution, self.game, self.columns, self.hope = solution, solution.game, columns, hope
        self._policies = {column.policy: self._policy(column.policy) for column in columns}
        self._rows: dict[State[Any, Any], list[float]] = {}

    def _policy(self, kind: Kind) -> Policy | None:
        if isinstance(kind, Sight):
            level = Level(FALLIBLE, self.solution, seed=0)
            level.sight = kind
            return level
        if isinstance(kind, str):
            perfect = Perfect(self.solution, 0, *self.hope)
            words: dict[str, Policy] = {BY_CHANCE: Uniform(self.game), PERFECTLY: perfect}
            return words.get(kind)
        return kind

    def row(self, state: State[Any, Any]) -> list[float]:
        """The expected value of every column in a position."""
        if state not in self._rows:
            if len(self._rows) > REACHABLE:
                raise TooLarge(f"{self.game.title} with these options has too many positions to evaluate this policy.")
            outcome = self.game.outcome(state)
            if outcome is not None:
                result = 1 - final_verdict(outcome, state.player).value
                self._rows[state] = [column.over[result] for column in self.columns]
            else:
                self._rows[state] = self._expected(state)
        return self._rows[state]

    def _expected(self, state: State[Any, Any]) -> list[float]:
        judgement = self.solution.judge(state)
        after = {move: self.row(self.game.after(state, move)) for move in judgement}
        likely = {kind: policy.probabilities(state) for kind, policy in self._policies.items() if policy is not None}
        flags = self.flags(state, judgement)
        row = []
        for column in self.columns:
            gains = {}
            for move, values in after.items():
                throws = judgement[move].value < judgement.best_verdict.value
                gain = column.constant + column.swing * throws
                if column.onward != NO_COLUMN:
                    gain += column.factor * values[column.onward]
                if column.aside != NO_COLUMN and not throws:
                    gain += values[column.aside]
                gains[move] = gain
            chosen = likely.get(column.policy)
            mean = max(gains.values()) if chosen is None else sum(chosen[move] * gains[move] for move in chosen)
            row.append(mean + sum(weight * flag for weight, flag in zip(column.flags, flags, strict=True)))
        return row

    def flags(self, state: State[Any, Any], judgement: Judgement[Any]) -> tuple[bool, bool, bool, bool]:
        """Whether a position is critical, has an only move, is a trap, has a single legal move."""
        natural = weights(self.game, state)
        going_on = [move for move, verdict in judgement.items() if verdict.distance > 1]
        kept, thrown = (
            max((natural[move] for move in going_on if move in moves), default=0.0)
            for moves in (judgement.keeping, judgement.throwing)
        )
        trap = judgement.critical and judgement.best_verdict != (1, 1) and thrown > kept
        return judgement.critical, judgement.only, trap, len(judgement) == 1
