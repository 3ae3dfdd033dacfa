"""Who chooses moves: chance, the levels, perfect play."""

from __future__ import annotations

from collections.abc import Callable

from digitduels.games import AnyGame
from digitduels.players.base import Forfeit, Player, RandomPlayer
from digitduels.solver.verdict import Solution

__all__ = ["NAMES", "Forfeit", "Player", "RandomPlayer", "player"]

NAMES = ("random", "1", "2", "3", "4", "5", "6", "7", "perfect")


def player(name: str, game: AnyGame, solve: Callable[[AnyGame], Solution], seed: object = None) -> Player:
    """The player of that name, one of NAMES; `solve` is called if it needs the truth about the game.

    A level that the game does not offer plays as the nearest lower one.
    """
    from digitduels.players.levels import Level, Perfect

    if name not in NAMES:
        raise ValueError(f"There is no player {name!r}; there are {', '.join(NAMES)}.")
    if name in ("random", "1"):
        return RandomPlayer(seed)
    solution = solve(game)
    if name in ("perfect", "7"):
        return Perfect(solution, seed)
    level = max(level for level in game.levels if level <= int(name))
    return Level(level, solution, seed) if level > 1 else RandomPlayer(seed)
