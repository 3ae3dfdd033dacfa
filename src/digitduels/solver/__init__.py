"""Solvers: who wins every position of a game, and how soon."""

from __future__ import annotations

import sys

from digitduels.core import TooLarge
from digitduels.games import AnyGame
from digitduels.solver import memory
from digitduels.solver.reference import Reference
from digitduels.solver.solution import Counts, Progress, Solution, UnknownPosition
from digitduels.solver.verdict import Verdict

__all__ = ["Counts", "Progress", "Reference", "Solution", "UnknownPosition", "Verdict", "solve"]


class Unsolvable(TooLarge):
    """A package that the solver needs is missing. Players and hints look ahead, as in a game too large to solve."""


SHARE = 0.5  # the share of the free memory that a solution may use
IN_BROWSER = sys.platform == "emscripten"  # a browser's Python, which has no NumPy


def solve(
    game: AnyGame,
    *,
    cache: bool = True,
    limit: int | None = None,
    positions: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Solves a game, or loads its solution from the cache.

    With `cache=False` the game is solved again and nothing is stored. `limit` is the memory it may use, in bytes
    (default: half of the free memory). A game that needs more, or has more than `positions` positions, raises TooLarge
    before any work is done. `progress` is called with the name of the current step and the fraction done, from 0 to 1.
    A browser's Python has no cache.

    >>> from digitduels.games import game
    >>> solve(game("operation-target")).start
    Verdict(value=1, distance=8)
    """
    most = int(SHARE * memory.available()) if limit is None else limit

    def fits(size: int) -> None:
        if size > most:
            raise TooLarge(
                f"Solving {game.title} with these options needs at least {memory.human_size(size)} of memory. "
                f"The limit is {memory.human_size(most)}."
            )

    def grown(count: int) -> None:
        if positions is not None and count > positions:
            raise TooLarge(f"{game.title} with these options has more than {positions:,} positions.")
        fits(count)  # a position takes at least a byte

    # Imported here because it takes a while, and code that needs only a Verdict should not wait for it.
    from digitduels.solver.compiled import DoesNotFactor
    from digitduels.solver.discovery import compile_game

    try:
        if IN_BROWSER:
            from digitduels.solver.wasm import Wasm

            return Wasm(compile_game(game, grown), fits, progress)
        from digitduels.solver import cache as store
        from digitduels.solver.tables import Tables, fill, prepare, verify

        if cache and (cached := store.load(game)) is not None:
            return cached
        plan = prepare(compile_game(game, grown))
    except DoesNotFactor:
        return Reference(game, most, positions)
    except ModuleNotFoundError as error:
        raise Unsolvable(f"Solving a game requires {error.name}: pip install digitduels.") from None
    fits(plan.size)
    solution = Tables(plan.compiled, fill(plan, progress), plan.scale)
    if cache:
        if not verify(plan, solution.codes, progress):
            return Reference(game, most, positions)
        store.keep(solution)
    return solution
