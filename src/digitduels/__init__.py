"""Digit Duels: five two-player number duels, played by the book.

>>> import digitduels as dd
>>> game = dd.game("number-duel")
>>> state = game.play(game.start(), game.read("+5"))
>>> state.hands
(5, 0)
"""

from digitduels.core import Game, IllegalMove, InvalidMove, Outcome, State
from digitduels.games import game, games
from digitduels.match import Match

__all__ = ["Game", "IllegalMove", "InvalidMove", "Match", "Outcome", "State", "game", "games"]
__version__ = "0.1.0"
