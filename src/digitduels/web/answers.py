"""What can be asked about a game, each a function of a match. They run in worker processes; see worker.py."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import digitduels
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.players import player
from digitduels.solver import Solution
from digitduels.study.starts import fair_start

Answer = Callable[..., Any]
Solve = Callable[[AnyGame], Solution]


def warm(match: Match, solve: Solve) -> bool:
    """Nothing but the solution, so that it is there when it is needed."""
    solve(match.game)
    return True


def start(match: Match, solve: Solve, seed: str) -> list[str]:
    """The opening of a fair start."""
    return [str(move) for move in fair_start(solve(match.game), seed)]


def reply(match: Match, solve: Solve, who: str, seed: str) -> str:
    """The move of a computer player."""
    with player(who, match.game, solve, seed=seed) as opponent:
        return str(opponent.choose(match))


ANSWERS: dict[str, Answer] = {answer.__name__: answer for answer in (warm, start, reply)}


class Solutions:
    """Solutions of the games by the book, and of a few variants that were asked for last."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        """Bytes that the solution of a variant may take."""
        self._books: dict[AnyGame, Solution] = {}
        self._variants: OrderedDict[AnyGame, Solution] = OrderedDict()

    def __call__(self, game: AnyGame) -> Solution:
        if game == type(game)():
            if game not in self._books:
                self._books[game] = digitduels.solve(game)
            return self._books[game]
        if game not in self._variants:
            from digitduels.solver import cache

            while len(self._variants) >= KEPT:
                self._variants.popitem(last=False)
            # Whatever a visitor makes up is not kept on disk.
            self._variants[game] = cache.load(game) or digitduels.solve(game, cache=False, limit=self.limit // KEPT)
        self._variants.move_to_end(game)
        return self._variants[game]


KEPT = 2  # variants
