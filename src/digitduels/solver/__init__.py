"""Solvers: who wins every position of a game, and how soon."""

from __future__ import annotations

from digitduels.core import TooLarge
from digitduels.games import AnyGame
from digitduels.solver import memory
from digitduels.solver.reference import Reference
from digitduels.solver.solution import Counts, Progress, Solution
from digitduels.solver.verdict import Verdict

__all__ = ["Counts", "Progress", "Reference", "Solution", "Verdict", "solve"]

SHARE = 0.5  # the share of the free memory that a solution may use


def solve(
    game: AnyGame,
    *,
    cache: bool = True,
    limit: int | None = None,
    positions: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Implements digitduels.solve. Games with more than `positions` positions are TooLarge as well."""
    most = int(SHARE * memory.available()) if limit is None else limit
    # Imported here because it takes a while, and code that needs only a Verdict should not wait for it.
    from digitduels.solver import cache as store
    from digitduels.solver.compiled import DoesNotFactor, compile_game
    from digitduels.solver.tables import Tables, fill, prepare, verify

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

    if cache and (cached := store.load(game)) is not None:
        return cached
    try:
        compiled = compile_game(game, grown, thorough=cache)
        plan = prepare(compiled)
    except DoesNotFactor:
        return Reference(game, most, positions)
    fits(plan.size)
    solution = Tables(compiled, fill(plan, progress), plan.scale)
    if cache:
        if not verify(plan, solution.codes, progress):
            return Reference(game, most, positions)
        store.keep(solution)
    return solution
