"""Custom policies: a table of move probabilities, or a function from many observations to probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.players.observation import Mask, Observation, Row
from digitduels.players.propagation import legal_moves, split
from digitduels.solver.tables import Tables

Shares = npt.NDArray[np.float64]
_SLACK = 1e-3  # tolerance for the sum of probabilities: learners often compute with 32-bit floats


class TablePolicy:
    """Plays by a table from positions to the probabilities of moves, or of all actions in order."""

    def __init__(self, game: AnyGame, table: Mapping[State[Any, Any], Mapping[Any, float] | Sequence[float]]) -> None:
        self.game, self.table = game, table

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        """The probability of each legal move."""
        try:
            row = self.table[state]
        except KeyError:
            raise ValueError(f"The table has no probabilities for {state}.") from None
        moves = self.game.moves
        if isinstance(row, Mapping):
            if unknown := [move for move in row if move not in moves]:
                raise ValueError(f"The table has {unknown[0]!r} as a move; give moves of game.moves.")
            row = [row.get(move, 0.0) for move in moves]
        legal = set(self.game.legal_moves(state))
        mask = np.array([[move in legal for move in moves]])
        shares = normalized(np.array([row], np.float64), mask)[0].tolist()
        return {move: share for move, share in zip(moves, shares, strict=True) if move in legal}


class FunctionPolicy:
    """Plays by a function that maps observations and action masks, one row per position, to action probabilities."""

    def __init__(self, game: AnyGame, function: Callable[[Row, Mask], Any]) -> None:
        self.game, self.function, self.view = game, function, Observation(game)
        self._features: Row | None = None

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        """The probability of each legal move."""
        mask = self.view.mask(state)[None]
        shares = self._call(self.view.array(state)[None], mask)[0].tolist()
        return {move: share for move, share, legal in zip(self.game.moves, shares, mask[0], strict=True) if legal}

    def shares(self, solution: Tables, indices: npt.NDArray[np.int64]) -> Shares:
        """[position, move]: the probability of each move in some positions of a table."""
        compiled = solution.compiled
        if self._features is None:
            self._features = np.array([list(self.view.hand(hand)) for hand in compiled.hands], np.int32)
        table, mine, theirs = split(solution, indices)
        counts = table[:, None] // compiled.weights % compiled.base
        rows = np.hstack([self._features[mine], self._features[theirs], counts]).astype(np.int32)
        return self._call(rows, legal_moves(solution, indices).astype(np.int8))

    def _call(self, rows: Row, mask: Mask) -> Shares:
        return normalized(np.asarray(self.function(rows, mask), np.float64), mask)


def normalized(shares: Shares, mask: npt.NDArray[Any]) -> Shares:
    """Scales probabilities to add up to exactly 1; raises ValueError if they are not probabilities of legal moves."""
    if shares.shape != mask.shape:
        raise ValueError(f"There must be {mask.shape[1]} probabilities for each of {mask.shape[0]} positions.")
    if not np.isfinite(shares).all() or shares.min(initial=0.0) < 0:
        raise ValueError("A probability must be a number from 0 to 1.")
    if shares[np.asarray(mask) == 0].max(initial=0.0) > _SLACK:
        raise ValueError("An illegal move has a probability above 0; the second argument says which moves are legal.")
    shares = np.where(mask, shares, 0.0)
    totals: Shares = shares.sum(axis=1, keepdims=True)
    if np.abs(totals - 1).max(initial=0.0) > _SLACK:
        raise ValueError("The probabilities of the legal moves of a position must add up to 1.")
    return np.divide(shares, totals)
