"""The interface of all players."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from typing import Any

from digitduels.match import Match


class Forfeit(Exception):
    """A player loses the game because it did not play a legal move in time; says why."""


class Player(ABC):
    """Chooses moves in a match. With the same seed, a player chooses the same moves in the same game."""

    name: str

    @abstractmethod
    def choose(self, match: Match) -> Any:
        """Chooses a legal move in a game that is not over; raises Forfeit if the player fails to."""

    def close(self) -> None:  # noqa: B027  most players hold no resources
        """Releases the player's resources when the game is over."""

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def chance(seed: object, match: Match) -> random.Random:
    """Random numbers that depend only on the seed and the game so far, even after moves are taken back or replayed."""
    return random.Random(f"{seed} {match.first} {' '.join(map(str, match.moves))}")


class RandomPlayer(Player):
    """Plays any legal move."""

    name = "random"

    def __init__(self, seed: object = None) -> None:
        self.seed = random.getrandbits(64) if seed is None else seed

    def choose(self, match: Match) -> Any:
        return chance(self.seed, match).choice(match.game.legal_moves(match.state))
