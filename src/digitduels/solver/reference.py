"""The reference solver: backward induction with a dictionary, for any game. Slow, but obviously correct."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from typing import Any

from digitduels.core import State, TooLarge
from digitduels.games import AnyGame
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Judgement, Verdict, final_verdict

_BYTES = 500  # approximate memory per stored position


class Reference(Solution):
    """Solves positions on demand, and stores the verdict on every position with more than one legal move."""

    def __init__(self, game: AnyGame, limit: int | None = None, positions: int | None = None) -> None:
        """`limit` is the memory it may use, in bytes; `positions` is how many positions it may store."""
        super().__init__(game)
        self._known: dict[State[Any, Any], Verdict] = {}
        self._most = min(
            math.inf if limit is None else limit // _BYTES,
            math.inf if positions is None else positions,
        )

    def probe(self, state: State[Any, Any]) -> Verdict:
        known, stack = self._known, [state]
        while stack:
            verdict = self._solve(stack[-1])
            if isinstance(verdict, Verdict):
                known[stack.pop()] = verdict
            else:
                stack.extend(verdict)
            self._check_size(len(known) + len(stack))
        return known[state]

    def _check_size(self, positions: int) -> None:
        if positions > self._most:
            raise TooLarge(f"{self.game.title} with these options has too many positions to solve in memory.")

    def _solve(self, state: State[Any, Any]) -> Verdict | list[State[Any, Any]]:
        """The verdict on a position, or the positions to solve first. Follows forced moves without storing them."""
        known, game = self._known, self.game
        plies = 0
        while True:
            if state in known:
                verdict = known[state]
                break
            outcome = game.outcome(state)
            if outcome is not None:
                verdict = final_verdict(outcome, state.player)
                break
            successors = [game.after(state, move) for move in game.permitted(state)]
            if len(successors) > 1:
                unknown = [after for after in successors if after not in known]
                if unknown:
                    return [state, *unknown] if plies else unknown
                verdict = max(known[after].before for after in successors)
                break
            if not successors:
                raise ValueError(f"{game.title} has a position that is not over and allows no move: {state}")
            state = successors[0]
            plies += 1
        return Verdict(-verdict.value if plies % 2 else verdict.value, verdict.distance + plies)

    def judge(self, state: State[Any, Any]) -> Judgement[Any]:
        after = partial(self.game.after, state)
        verdicts = [(move, self.probe(after(move)).before) for move in self.game.legal_moves(state)]
        return Judgement(sorted(verdicts, key=lambda pair: pair[1], reverse=True), after)

    def by_distance(self) -> dict[Verdict, int]:
        """How many positions have each verdict, among the unfinished positions that can arise from the start."""
        states = all_positions(self.game, self._most)
        # In reverse order, so that all successors of a position are solved before it.
        return dict(Counter(self.probe(state) for state in reversed(states) if self.game.outcome(state) is None))


def all_positions(game: AnyGame, most: float) -> list[State[Any, Any]]:
    """All positions that can arise, nearest to the start first; raises TooLarge if there are more than `most`."""
    states = [game.start()]
    known = set(states)
    for state in states:  # grows meanwhile
        after = {game.after(state, move): None for move in game.legal_moves(state)}
        states += [position for position in after if position not in known]
        known |= after.keys()
        if len(states) > most:
            raise TooLarge(f"{game.title} with these options has too many positions to solve in memory.")
    return states
