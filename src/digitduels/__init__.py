"""Digit Duels: five two-player number games, played by the book and solved completely.

>>> import digitduels as dd
>>> game = dd.game("number-duel")
>>> state = game.play(game.start(), game.read("+5"))
>>> state.hands
(5, 0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from digitduels.core import Game, IllegalMove, InvalidMove, Outcome, State, TooLarge
from digitduels.games import game, games
from digitduels.match import Match

if TYPE_CHECKING:
    from digitduels import lab
    from digitduels.players import Player, player
    from digitduels.players.evaluation import Evaluation, evaluate
    from digitduels.players.policy import Policy
    from digitduels.solver import Counts, Solution, UnknownPosition, Verdict, solve
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
    "Policy": "digitduels.players.policy",
    "Solution": "digitduels.solver",
    "UnknownPosition": "digitduels.solver",
    "Verdict": "digitduels.solver",
    "evaluate": "digitduels.players.evaluation",
    "player": "digitduels.players",
    "positions": "digitduels.study.positions",
    "solve": "digitduels.solver",
    "split": "digitduels.study.splits",
}
__version__ = "1.0.0"


def __getattr__(name: str) -> Any:
    """Imports heavy parts of the package on first use."""
    from importlib import import_module

    if name == "lab":
        return import_module("digitduels.lab")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
