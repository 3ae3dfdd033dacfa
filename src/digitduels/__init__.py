"""Digit Duels: five two-player number games, played by the book and solved completely.

>>> import digitduels as dd
>>> game = dd.game("number-duel")
>>> state = game.play(game.start(), game.read("+5"))
>>> state.hands
(5, 0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from digitduels.core import Game, IllegalMove, InvalidMove, Outcome, State, TooLarge
from digitduels.games import game, games
from digitduels.match import Match

if TYPE_CHECKING:
    from digitduels import lab
    from digitduels.players.evaluation import Evaluation
    from digitduels.solver import Solution

__all__ = [
    "Game",
    "IllegalMove",
    "InvalidMove",
    "Match",
    "Outcome",
    "State",
    "TooLarge",
    "evaluate",
    "game",
    "games",
    "lab",
    "solve",
]
__version__ = "0.1.0"


def evaluate(
    policy: Any, game: Game[Any, Any, Any], against: Any = None, starts: Sequence[State[Any, Any]] = ()
) -> Evaluation:
    """What a policy scores against another one, exactly; against itself unless given.

    A policy is the name of a player ("random", 1 to 7, "perfect"), an object with `probabilities(state)`, a mapping
    from positions to move probabilities, or a function of arrays of observations and action masks. Games begin at
    `starts`, on average over them, or at the first position of the game.

    >>> evaluate("perfect", game("operation-target"), against="random").score
    (1.0, 0.5)
    """
    from digitduels.players import evaluation

    return evaluation.evaluate(policy, game, against, starts)


def solve(
    game: Game[Any, Any, Any],
    *,
    cache: bool = True,
    limit: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Solution:
    """The solution of a game: from the cache if it is there, otherwise solved now and cached.

    With `cache=False` the game is solved again and nothing is stored. `limit` is the memory it may use, in bytes
    (default: half of the free memory). A game that needs more raises TooLarge before any work is done. `progress` is
    called with the current step and how much of it is done, from 0 to 1.

    >>> solution = solve(game("operation-target"))
    >>> solution.start
    Verdict(value=1, distance=8)
    """
    from digitduels import solver

    return solver.solve(game, cache=cache, limit=limit, progress=progress)


def __getattr__(name: str) -> Any:
    """The lab, which is loaded when it is first needed."""
    if name == "lab":
        from importlib import import_module

        return import_module("digitduels.lab")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
