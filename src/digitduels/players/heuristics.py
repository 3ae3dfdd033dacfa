"""Players with a simple rule, which benchmarks compare with: a model that is no better has not looked ahead.

None of them is an opponent for people. `dd.evaluate` takes them as policies.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from digitduels.core import State, outcome_tone
from digitduels.games import AnyGame
from digitduels.players.levels import candidates, most_natural, natural_weights
from digitduels.players.policy import PolicyPlayer, evenly
from digitduels.solver.solution import Truth

_TONES = ("bad", "neutral", "good")


class Greedy(PolicyPlayer):
    """Takes a win, does not lose at once, and otherwise plays for its own highest score. Ties are drawn."""

    name = "greedy"

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        merits = {move: self._merit(state, move) for move in self.game.legal_moves(state)}
        chosen = self._chosen(sorted(set(merits.values()), reverse=True))
        return evenly(merits, [move for move, merit in merits.items() if merit == chosen])

    def _chosen(self, merits: list[tuple[int, int]]) -> tuple[int, int]:
        """The merit of the moves that are played, of all merits, the highest first."""
        return merits[0]

    def _merit(self, state: State[Any, Any], move: Any) -> tuple[int, int]:
        after = self.game.after(state, move)
        tone = outcome_tone(state.player, self.game.outcome(after))
        return _TONES.index(tone), self.game.scores(after)[state.player] or 0


class MostNatural(PolicyPlayer):
    """Plays the move that looks most natural, as the levels judge it. Ties are drawn."""

    name = "natural"

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        natural = natural_weights(self.game, state)
        return evenly(natural, most_natural(natural))


class NotGreedy(Greedy):
    """Plays any move but those of the greedy player, if there are others.

    It gains where positions were selected because greedy moves are wrong in them.
    """

    name = "not greedy"

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        greedy = super().probabilities(state)
        return evenly(greedy, [move for move, likely in greedy.items() if not likely] or list(greedy))


class RunnerUp(Greedy):
    """Plays for its second-highest score, but does not lose at once. It plays as Greedy if there is no other score."""

    name = "runner-up"

    def _chosen(self, merits: list[tuple[int, int]]) -> tuple[int, int]:
        best, *others = merits
        return next((merit for merit in others if _TONES[merit[0]] != "bad"), best)


class First(PolicyPlayer):
    """Plays the first legal move, as a model may that copies from the list in its prompt."""

    name = "first listed"

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        legal = self.game.legal_moves(state)
        return evenly(legal, legal[:1])


HEURISTICS: dict[str, type[Greedy | MostNatural]] = {player.name: player for player in (Greedy, MostNatural)}


class Searcher(PolicyPlayer):
    """Plays the quickest win within its depth, else a move that does not lose within it, else the slowest loss.

    Among these moves it plays the most natural one, or all equally.
    """

    def __init__(self, truth: Truth, depth: int, natural: bool = True) -> None:
        super().__init__(truth.game, seed=0)
        self.truth, self.depth, self.natural = truth, depth, natural

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        natural = natural_weights(self.game, state)
        moves = candidates(natural, self.truth.within(state, self.depth))
        return evenly(natural, most_natural(moves) if self.natural else moves)


def greedy_chance(game: AnyGame, state: State[Any, Any], moves: Collection[str]) -> float:
    """The probability that the greedy player plays one of some moves, given as tokens."""
    return sum(likely for move, likely in Greedy(game, seed=0).probabilities(state).items() if str(move) in moves)
