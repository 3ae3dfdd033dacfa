"""Who wins at which scores, with everything else on the board unchanged."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from digitduels.core import State, winning_score
from digitduels.pool import Pool
from digitduels.position_json import position_from_json, position_to_json
from digitduels.solver.solution import Solution, UnknownPosition, has_arrays

ONE_BY_ONE = 200  # with more scores than this, positions are not looked up one by one

Cells = dict[int, dict[int, int]]


def cells(solution: Solution, state: State[Any, Any]) -> Cells:
    """[score of the waiting player][score of the player to move]: the value for the player to move, if there is one.

    Empty if the players have no scores of their own, or if there are too many scores.
    """
    if not isinstance(state.table, Pool) or not has_arrays(solution):
        return _one_by_one(solution, state)
    if not all(type(hand) is int for hand in solution.compiled.hands):
        return _one_by_one(solution, state)
    import numpy as np

    compiled, table = solution.compiled, state.table.ordinal
    scores = np.array(compiled.hands)
    mine, theirs = (np.flatnonzero(hands) for hands in compiled.known(table))
    mine, theirs = mine[np.argsort(scores[mine])], theirs[np.argsort(scores[theirs])]
    values = solution.probe_many(table, mine, theirs[:, None])[0].tolist()
    return {
        score: dict(zip(scores[mine].tolist(), row, strict=True))
        for score, row in zip(scores[theirs].tolist(), values, strict=True)
    }


def _one_by_one(solution: Solution, state: State[Any, Any]) -> Cells:
    """The cells of any game, looked up one position at a time."""
    game, goal = solution.game, winning_score(solution.game)
    hands = game.board(state).hands
    if goal is None or any(hand.score is None for hand in hands) or goal - hands[0].lowest > ONE_BY_ONE:
        return {}
    placed, cells = position_to_json(game, state), Cells()
    mover, waiter = placed["hands"][state.player], placed["hands"][1 - state.player]
    for theirs in range(hands[0].lowest, goal):
        for mine in range(hands[0].lowest, goal):
            mover[0], waiter[0] = mine, theirs
            try:
                position = position_from_json(game, placed)
            except ValueError:  # no such position
                continue
            if game.outcome(position) is None:
                with suppress(UnknownPosition):
                    cells.setdefault(theirs, {})[mine] = solution.probe(position).value
    return cells
