"""Foresight: what is known about a position of a game that is not solved, and why the rest is not known.

A bounded search supplies the near results. No move with an unknown result is called good or bad.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from digitduels.core import State
from digitduels.sentence import Sentence
from digitduels.solver.solution import Truth
from digitduels.solver.verdict import Verdict

PLIES = 6
"""The depth of the search."""
LATER = Sentence("This game is still being solved. Ask again in a moment for the rest.")
NEVER = Sentence("This game is too large to solve, so nobody knows more.")


class PartialJudgement(Mapping[Any, Verdict | None]):
    """The legal moves of a position with their verdicts for the player who makes them; None if a verdict is unknown.

    The known verdicts come first, best first. `rest` says why the others are unknown.
    """

    def __init__(self, verdicts: Mapping[Any, Verdict | None], rest: Sentence) -> None:
        known = [(move, verdict) for move, verdict in verdicts.items() if verdict is not None]
        known.sort(key=lambda pair: pair[1], reverse=True)
        self._verdicts: dict[Any, Verdict | None] = dict(known)
        self._verdicts |= dict.fromkeys(move for move, verdict in verdicts.items() if verdict is None)
        self.rest = rest

    def __getitem__(self, move: Any) -> Verdict | None:
        return self._verdicts[move]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._verdicts)

    def __len__(self) -> int:
        return len(self._verdicts)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the position: known if a move wins, or if all moves are known."""
        best = next(iter(self._verdicts.values()), None)
        return best if best is not None and (best.value > 0 or None not in self._verdicts.values()) else None


class Foresight:
    """A source of partial judgements: near results from a search or a table, and why there are no others."""

    def __init__(self, truth: Truth, rest: Sentence) -> None:
        self.game, self.truth, self.rest = truth.game, truth, rest
        self._judgements: dict[State[Any, Any], PartialJudgement] = {}  # a second search could see further

    def knows(self, state: State[Any, Any]) -> bool:
        """Whether the result of any move is known."""
        return any(verdict is not None for verdict in self.judge(state).values())

    def judge(self, state: State[Any, Any]) -> PartialJudgement:
        """Every legal move with its verdict if the game then ends soon, else None."""
        if state not in self._judgements:
            self._judgements[state] = PartialJudgement(self.truth.within(state, PLIES), self.rest)
        return self._judgements[state]
