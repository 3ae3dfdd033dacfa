"""Solutions in memory, so that a process solves each game only once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from digitduels.games import AnyGame
from digitduels.solver import solve
from digitduels.solver.solution import Solution


class SolutionCache:
    """The solutions of the games by the book, and of the most recently used variants. Solves games on first use."""

    def __init__(self, variants: int = 4, solve: Callable[[AnyGame], Solution] = solve) -> None:
        self.variants = variants
        self._solve = solve
        self._books: dict[AnyGame, Solution] = {}
        self._latest: OrderedDict[AnyGame, Solution] = OrderedDict()

    def __call__(self, game: AnyGame) -> Solution:
        solution = self.known(game)
        if solution is None and not game.changes:
            solution = self._books[game] = self._solve(game)
        elif solution is None:
            while self._latest and len(self._latest) >= self.variants:
                self._latest.popitem(last=False)  # before solving, to free its memory
            solution = self._solve(game)
            if self.variants > 0:
                self._latest[game] = solution
        return solution

    def known(self, game: AnyGame) -> Solution | None:
        """The solution of a game, if it is in memory."""
        if not game.changes:
            return self._books.get(game)
        if game in self._latest:
            self._latest.move_to_end(game)
        return self._latest.get(game)


solution_of = SolutionCache()
"""The cache that this process shares by default."""
