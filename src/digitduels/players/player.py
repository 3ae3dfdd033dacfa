"""Who chooses moves."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from typing import Any

from digitduels.match import Match


class Forfeit(Exception):
    """A player loses the game for not playing by the rules; says why."""


class Player(ABC):
    """Chooses moves in a match. A player made with the same seed chooses the same moves in the same games."""

    name: str

    @abstractmethod
    def choose(self, match: Match) -> Any:
        """A legal move in a game that is not over; raises Forfeit if the player does not come up with one."""

    def close(self) -> None:  # noqa: B027  most players hold nothing
        """Lets go of whatever the player holds, when the game is over."""

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def chance(seed: object, match: Match) -> random.Random:
    """Chance that depends on the seed and the game so far only, so that taking back and replaying change nothing."""
    return random.Random(f"{seed} {match.first} {' '.join(map(str, match.moves))}")


class RandomPlayer(Player):
    """Plays any legal move."""

    name = "random"

    def __init__(self, seed: object = None) -> None:
        self.seed = random.getrandbits(64) if seed is None else seed

    def choose(self, match: Match) -> Any:
        return chance(self.seed, match).choice(match.game.legal_moves(match.state))
