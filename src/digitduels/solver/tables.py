"""The fast solver: retrograde analysis over a table with one code per position."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.signals import uninterrupted
from digitduels.solver.compiled import DRAWN, LOST, WON, Compiled
from digitduels.solver.endings import Endings, endings
from digitduels.solver.layout import Layout, lay_out
from digitduels.solver.lookup import Lookup, Scale
from digitduels.solver.schedule import waves
from digitduels.solver.solution import Counts, Progress
from digitduels.solver.verdict import Verdict

Codes = npt.NDArray[Any]

SLACK = 64  # extra codes after the last one: kernels may read them, but do not use them


class Plan(NamedTuple):
    """Everything needed to fill a table."""

    compiled: Compiled
    layout: Layout
    scale: Scale
    marks: npt.NDArray[np.int32]
    """[take, hand]: the best ending that a move can reach at once, or 0."""
    stuck: npt.NDArray[np.int64]
    """[hand]: see Scale.stuck."""
    endings: Endings

    @property
    def size(self) -> int:
        """The size of the table in bytes."""
        return (self.compiled.positions + SLACK) * self.scale.size

    def final_codes(self) -> Iterator[tuple[slice, Codes]]:
        """Yields the boards of tables without moves: where they are in the table, and their codes."""
        finals = self.endings.by_score | self.endings.by_hands
        if not finals:
            return
        board = len(self.compiled.hands) ** 2
        scores = np.array(self.endings.scores)
        higher = np.sign(scores[:, None] - scores).reshape(-1)
        for table, results in finals.items():
            ended = self.scale.ending(np.array(results))
            yield slice(table * board, (table + 1) * board), ended[higher] if ended.ndim == 1 else ended.reshape(-1)


def prepare(compiled: Compiled) -> Plan:
    """Finds the endings of a game, and chooses the codes for its positions."""
    parts, marks = lay_out(compiled)
    finals = endings(compiled)
    scale = Scale.for_game(compiled, finals)
    return Plan(compiled, parts, scale, marks, np.array(scale.stuck(compiled), np.int64), finals)


def fill(plan: Plan, progress: Progress | None = None) -> Codes:
    """Fills the table of a game on all cores."""
    from digitduels.solver import kernels

    compiled, scale = plan.compiled, plan.scale
    codes = np.empty(compiled.positions + SLACK, scale.dtype)
    for board, final in plan.final_codes():
        codes[board] = final
    ended, done = scale.ending(plan.marks), 0
    with workers() as pool:
        for tasks in waves(compiled, scale.dtype.itemsize):
            share(
                pool,
                tasks,
                lambda part: kernels.fill_tables(codes, part, plan.layout, ended, plan.stuck, scale.typed()),
            )
            done += int(np.prod(tasks[:, 1::2] - tasks[:, ::2], axis=1).sum())
            if progress is not None:
                progress("solving", done / compiled.positions)
    return codes[: compiled.positions]


def verify(plan: Plan, codes: Codes, progress: Progress | None = None) -> bool:
    """Whether the value and distance of every position follow from its successors and from the endings."""
    from digitduels.solver import kernels

    compiled, scale = plan.compiled, plan.scale
    if not same_endings(plan, codes):
        return False
    depth = np.zeros(len(compiled.hands), np.int32) if compiled.depth is None else compiled.depth
    maps = compiled.own, compiled.other, compiled.takes, compiled.stuck, depth
    edges = np.linspace(0, compiled.tables, min(compiled.tables, 64) + 1).astype(np.int64)
    parts = np.stack([edges[:-1], edges[1:]], axis=1)

    def check(part: Any) -> bool:
        tables = int(part[0, 0]), int(part[-1, 1])
        return bool(kernels.verify(codes, tables, maps, compiled.game.longest, compiled.base, scale.typed()) < 0)

    cores = threads()
    with workers() as pool:
        for first in range(0, len(parts), cores):
            if not all(share(pool, parts[first : first + cores], check)):
                return False
            if progress is not None:
                progress("checking", min(1, (first + cores) / len(parts)))
    return True


def same_endings(plan: Plan, codes: Codes) -> bool:
    """Whether the codes agree with the endings at tables without moves."""
    return all(np.array_equal(codes[board], final) for board, final in plan.final_codes())


def threads() -> int:
    """The number of threads that fill a table: DIGITDUELS_THREADS. Default: one per core."""
    setting = os.environ.get("DIGITDUELS_THREADS", "")
    return int(setting) if setting.isdecimal() and 0 < int(setting) < 1000 else os.cpu_count() or 1


def workers() -> ThreadPoolExecutor:
    """A pool of worker threads. The kernels release the GIL."""
    return ThreadPoolExecutor(threads())


def share(pool: ThreadPoolExecutor, tasks: npt.NDArray[Any], work: Callable[[Any], Any]) -> list[Any]:
    """Divides the tasks of a wave among the threads, waits for them, and returns the result of each share."""
    count = min(len(tasks), threads())
    first, *others = [np.ascontiguousarray(tasks[index::count]) for index in range(count)]
    with uninterrupted():
        futures = [pool.submit(work, part) for part in others]
        return [work(first), *(future.result() for future in futures)]  # this thread works too


@lru_cache
def _decoded(scale: Scale) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
    """[code]: value and distance for the player to move."""
    verdicts = np.array([scale.verdict(code) for code in range(scale.top + 1)])
    return verdicts[:, 0].astype(np.int8), verdicts[:, 1].copy()


class Tables(Lookup):
    """A table in memory or in a file, with NumPy."""

    codes: Codes

    # Many positions

    def probe_many(
        self, table: npt.NDArray[Any] | int, mine: npt.NDArray[Any] | int, theirs: npt.NDArray[Any] | int
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
        """The values and distances of encoded positions that are not over."""
        indices = (np.multiply(table, self._hands) + theirs) * self._hands + mine
        codes = self.codes[indices]
        values, distances = _decoded(self.scale)
        return values[codes], distances[codes]

    # All positions

    def by_distance(self) -> dict[Verdict, int]:
        compiled, board = self.compiled, self._hands**2
        totals = np.zeros(self.scale.top + 1, np.int64)
        step = 1 if compiled.depth is not None else max(1, (1 << 22) // board)
        for table in range(0, compiled.tables, step):
            codes = self.codes[table * board : (table + step) * board]
            if compiled.depth is not None:
                movers, waiters = compiled.known(table)
                codes = codes.reshape(self._hands, self._hands)[np.ix_(waiters, movers)].reshape(-1)
            totals += np.bincount(codes, minlength=len(totals))
        return {self.scale.verdict(code): int(totals[code]) for code in np.flatnonzero(totals).tolist()}

    def counts(self, reached: npt.NDArray[np.bool_] | None = None) -> Counts:
        """How many positions there are, by value. `reached` says which can arise from the start, if you know that."""
        if reached is None:
            reached = self.reached([self.index(self.game.start())])
        over = [code for code in map(self.scale.end, (WON, DRAWN, LOST)) if not self.scale.verdict(code).distance]
        finished = sum(int(np.count_nonzero(reached & (self.codes == code))) for code in over)
        return super().counts()._replace(reachable=int(np.count_nonzero(reached)) - finished)

    def reached(self, indices: Sequence[int]) -> npt.NDArray[np.bool_]:
        """[position]: whether it can arise from one of these positions."""
        from digitduels.solver import kernels

        parts, _ = lay_out(self.compiled)
        marks = np.zeros(len(self.codes), np.bool_)
        marks[list(indices)] = True
        for tasks in reversed(list(waves(self.compiled, self.codes.itemsize))):
            kernels.reach(marks, tasks, parts)
        return marks
