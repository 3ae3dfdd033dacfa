"""The fast solver: retrograde analysis over a table with one code per position."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.core import State
from digitduels.pool import Pool
from digitduels.signals import uninterrupted
from digitduels.solver.compiled import DRAWN, ILLEGAL, LOST, WON, Compiled, DoesNotFactor, distinct, ending_for
from digitduels.solver.layout import Layout, Scale, lay_out
from digitduels.solver.schedule import waves
from digitduels.solver.solution import Counts, Progress, Solution, UnknownPosition
from digitduels.solver.verdict import Judgement, Verdict, final_verdict

Codes = npt.NDArray[Any]

SLACK = 64  # extra codes after the last one: kernels may read them, but do not use them


class Plan(NamedTuple):
    """Everything needed to fill a table."""

    compiled: Compiled
    layout: Layout
    scale: Scale
    marks: npt.NDArray[np.int32]
    """[take, hand]: the best ending that a move can reach at once, or 0."""
    stuck: Codes
    final_results: dict[int, npt.NDArray[np.int8]]
    """By table without moves, [waiting hand, hand to move]: the result for the waiting player."""

    @property
    def size(self) -> int:
        """The size of the table in bytes."""
        return (self.compiled.positions + SLACK) * self.scale.dtype.itemsize


def prepare(compiled: Compiled) -> Plan:
    """Finds the endings of a game, and chooses the codes for its positions."""
    parts, marks = lay_out(compiled)
    final_results = _final_results(compiled, _without_moves(compiled))
    draws = any(np.any(marks == DRAWN) for marks in (compiled.own, compiled.stuck, *final_results.values()))
    scale = Scale.of(compiled.longest, draws)
    swapped = np.select([compiled.stuck == WON, compiled.stuck == LOST], [LOST, WON], compiled.stuck)
    return Plan(compiled, parts, scale, marks, scale.ending(swapped), final_results)


def _without_moves(compiled: Compiled) -> list[int]:
    """The tables from which no move can take anything."""
    ended = np.ones((compiled.base,) * compiled.digits, np.bool_)  # the digit with the highest weight comes first
    for take in distinct(compiled.takes)[0].tolist():
        ended[tuple(slice(need, None) for need in reversed(take))] = False
    return np.flatnonzero(ended).tolist()


def _final_results(compiled: Compiled, tables: Sequence[int]) -> dict[int, npt.NDArray[np.int8]]:
    """By table without moves, [waiting hand, hand to move]: the result for the waiting player.

    If only the higher final score counts, it asks the rules about one pair of hands for each case.
    """
    game, hands = compiled.game, compiled.hands

    def ending(table: int, waiting: Any, moving: Any) -> int:
        outcome = game.outcome(State(0, (moving, waiting), compiled.table(table)))
        if outcome is None:
            raise DoesNotFactor("a position without moves is not over")
        return ending_for(outcome.winner, 1)

    finals = [game.final_score(hand) for hand in hands]
    if None in finals:
        return {
            table: np.array([[ending(table, waiting, moving) for moving in hands] for waiting in hands], np.int8)
            for table in tables
        }
    scores = np.array(finals, np.int64)
    order = np.sign(scores[:, None] - scores)
    pairs = {case: divmod(int(np.argmax(order == case)), len(hands)) for case in np.unique(order).tolist()}
    final_results = {}
    for table in tables:
        marks = np.zeros(3, np.int8)  # [case]; -1 is the last one
        for case, (waiting, moving) in pairs.items():
            marks[case] = ending(table, hands[waiting], hands[moving])
        final_results[table] = marks[order]
    return final_results


def fill(plan: Plan, progress: Progress | None = None) -> Codes:
    """Fills the table of a game on all cores."""
    from digitduels.solver import kernels

    compiled, scale = plan.compiled, plan.scale
    codes = np.empty(compiled.positions + SLACK, scale.dtype)
    board = len(compiled.hands) ** 2
    for table, marks in plan.final_results.items():
        codes[table * board : (table + 1) * board] = scale.ending(marks).reshape(-1)
    endings, done = scale.ending(plan.marks), 0
    with workers() as pool:
        for tasks in waves(compiled, scale.dtype.itemsize):
            share(
                pool,
                tasks,
                lambda part: kernels.fill_tables(codes, part, plan.layout, endings, plan.stuck, scale.typed()),
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
    board = len(plan.compiled.hands) ** 2
    return all(
        np.array_equal(codes[table * board : (table + 1) * board], plan.scale.ending(marks).reshape(-1))
        for table, marks in plan.final_results.items()
    )


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


class Tables(Solution):
    """A solution that looks up every position in a table."""

    def __init__(self, compiled: Compiled, codes: Codes, scale: Scale) -> None:
        super().__init__(compiled.game)
        self.compiled = compiled
        self.codes = codes
        self.scale = scale
        self._hands = len(compiled.hands)
        self._needs = np.array(compiled.needs)
        self._ended = scale.ending(compiled.own)

    # One position

    def encode(self, state: State[Any, Any]) -> tuple[int, int, int]:
        """The indices of a position that is not over: table, hand of the mover, hand of the waiting player."""
        compiled = self.compiled
        mine, theirs = compiled.indices.get(state.mine), compiled.indices.get(state.theirs)
        if mine is None or theirs is None:
            raise UnknownPosition(f"{self.game.title} has no position with the hands {state.hands}.")
        index = 0
        if compiled.digits:
            full = self.game.start().table
            pool = state.table
            if not isinstance(pool, Pool) or pool.copies != full.copies or len(pool.counts) != compiled.digits:
                raise UnknownPosition(f"{self.game.title} is not played with the pool {pool}.")
            if not 0 <= min(pool.counts) <= max(pool.counts) <= full.copies:
                raise UnknownPosition(f"{self.game.title} is not played with the pool {pool}.")
            index = pool.ordinal
        if not compiled.contains(index, mine, theirs):
            raise UnknownPosition(
                f"{self.game.title} cannot reach the scores {state.hands} with this many numbers left."
            )
        return index, mine, theirs

    def index(self, state: State[Any, Any]) -> int:
        """The index in the table of a position that is not over."""
        table, mine, theirs = self.encode(state)
        return (table * self._hands + theirs) * self._hands + mine

    def probe(self, state: State[Any, Any]) -> Verdict:
        outcome = self.game.outcome(state)
        return (
            self._verdict(int(self.codes[self.index(state)]))
            if outcome is None
            else final_verdict(outcome, state.player)
        )

    def judge(self, state: State[Any, Any]) -> Judgement[Any]:
        after = partial(self.game.after, state)
        if self.game.outcome(state) is not None:
            return Judgement((), after)
        table, mine, theirs = self.encode(state)
        compiled, moves, count = self.compiled, self.game.moves, self._hands
        legal = compiled.own[:, mine] != ILLEGAL
        if compiled.digits:
            legal &= compiled.affordable(state.table.counts)
        ids = legal.nonzero()[0]
        hands = compiled.own[ids, mine]
        indices = ((table - self._needs[ids]) * count + hands) * count + compiled.other[ids, theirs]
        codes = np.where(hands >= 0, self.codes[indices], self._ended[ids, mine])
        order = np.argsort(self.scale.top - codes, kind="stable")
        verdicts = {code: self._verdict(code).before for code in set(codes.tolist())}
        ordered = zip(ids[order].tolist(), codes[order].tolist(), strict=True)
        return Judgement([(moves[index], verdicts[code]) for index, code in ordered], after)

    def _verdict(self, code: int) -> Verdict:
        """The verdict that a code means, for the player to move."""
        low, high, top = self.scale
        return Verdict(-1, top - code) if code >= high else Verdict(1, code) if code < low else Verdict(0, code - low)

    # Many positions

    def probe_many(
        self, table: npt.NDArray[Any] | int, mine: npt.NDArray[Any] | int, theirs: npt.NDArray[Any] | int
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
        """The values and distances of encoded positions that are not over."""
        indices = (np.multiply(table, self._hands) + theirs) * self._hands + mine
        codes = self.codes[indices]
        values, distances = self._decoded
        return values[codes], distances[codes]

    @cached_property
    def _decoded(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
        """[code]: value and distance for the player to move."""
        low, high, top = self.scale
        codes = np.arange(top + 1)
        values = np.where(codes >= high, -1, np.where(codes < low, 1, 0)).astype(np.int8)
        return values, np.where(codes >= high, top - codes, np.where(codes < low, codes, codes - low))

    # All positions

    @property
    def size(self) -> int:
        return self.compiled.positions

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
        return {self._verdict(code): int(totals[code]) for code in np.flatnonzero(totals).tolist()}

    def counts(self, reached: npt.NDArray[np.bool_] | None = None) -> Counts:
        """How many positions there are, by value. `reached` says which can arise from the start, if you know that."""
        if reached is None:
            reached = self.reached([self.index(self.game.start())])
        unfinished = self._decoded[1] > 0
        return super().counts()._replace(reachable=int(np.count_nonzero(unfinished[self.codes] & reached)))

    def reached(self, indices: Sequence[int]) -> npt.NDArray[np.bool_]:
        """[position]: whether it can arise from one of these positions."""
        from digitduels.solver import kernels

        parts, _ = lay_out(self.compiled)
        marks = np.zeros(len(self.codes), np.bool_)
        marks[list(indices)] = True
        for tasks in reversed(list(waves(self.compiled, self.codes.itemsize))):
            kernels.reach(marks, tasks, parts)
        return marks
