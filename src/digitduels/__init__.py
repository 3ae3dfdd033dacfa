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
    from digitduels.players import Player, player
    from digitduels.players.evaluation import AnyPolicy, Evaluation
    from digitduels.players.sheet import Policy
    from digitduels.solver import Counts, Solution, UnknownPosition, Verdict
    from digitduels.study.positions import positions
    from digitduels.study.splits import split

__all__ = [
    "Counts",
    "Evaluation",
    "Game",
    "IllegalMove",
    "InvalidMove",
    "Match",
    "Outcome",
    "Player",
    "Policy",
    "Solution",
    "State",
    "TooLarge",
    "UnknownPosition",
    "Verdict",
    "evaluate",
    "game",
    "games",
    "lab",
    "player",
    "positions",
    "solve",
    "split",
]
# Names that are imported on first use, and their modules.
_LAZY = {
    "Counts": "digitduels.solver",
    "Evaluation": "digitduels.players.evaluation",
    "Player": "digitduels.players",
    "Policy": "digitduels.players.sheet",
    "Solution": "digitduels.solver",
    "UnknownPosition": "digitduels.solver",
    "Verdict": "digitduels.solver",
    "player": "digitduels.players",
    "positions": "digitduels.study.positions",
    "split": "digitduels.study.splits",
}
__version__ = "0.1.0"


def evaluate(
    policy: AnyPolicy,
    game: Game[Any, Any, Any],
    against: AnyPolicy | None = None,
    starts: Sequence[State[Any, Any]] = (),
) -> Evaluation:
    """The exact score of a policy against another one. By default it plays against itself.

    A policy is the name of a player ("random", 1 to 7, "perfect"), an object with `probabilities(state)`, a mapping
    from positions to move probabilities, or a function of arrays of observations and action masks. All figures are
    averages over the positions in `starts`. Default: the first position of the game.

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
    """Solves a game, or loads its solution from the cache.

    With `cache=False` the game is solved again and nothing is stored. `limit` is the memory it may use, in bytes
    (default: half of the free memory). A game that needs more raises TooLarge before any work is done. `progress` is
    called with the name of the current step and the fraction done, from 0 to 1.

    >>> solution = solve(game("operation-target"))
    >>> solution.start
    Verdict(value=1, distance=8)
    """
    from digitduels import solver

    return solver.solve(game, cache=cache, limit=limit, progress=progress)


def __getattr__(name: str) -> Any:
    """Imports heavy parts of the package on first use."""
    from importlib import import_module

    if name == "lab":
        return import_module("digitduels.lab")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
