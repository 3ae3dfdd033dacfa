"""The backward pass over a table: fills columns for all positions that can arise, from the last move to the first.

The moves of levels, random play, perfect play and best responses follow from the table. A function is called for its
move probabilities, many positions at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.core import State, TooLarge
from digitduels.players.expectation import BEST_RESPONSE, NO_COLUMN, Column
from digitduels.players.levels import Level
from digitduels.players.perfect import Perfect
from digitduels.players.policy import CHANCE_STEPS, HALF, FunctionPolicy, Uniform
from digitduels.solver import memory
from digitduels.solver.arrays import Indices, legal_moves
from digitduels.solver.compiled import Compiled
from digitduels.solver.schedule import BLOCK, numbers_held, waves
from digitduels.solver.solution import Progress
from digitduels.solver.tables import Tables, share, workers

if TYPE_CHECKING:
    from digitduels.players.policy_kernels import KernelColumns

_SHARE = 0.4  # the share of the free memory that rows may use
POLICY_LIMIT = 10_000_000  # the maximum number of positions for a function
_BATCH = 1 << 15  # positions per call of a function


def is_supported(columns: Sequence[Column]) -> bool:
    """Whether `expected_values` supports these columns."""
    return all(
        column.policy is BEST_RESPONSE
        or type(column.policy) in (Uniform, Level, Perfect)  # not a subclass, which may play differently
        or (type(column.policy) is FunctionPolicy and not any(column.flags))
        for column in columns
    )


def expected_values(
    solution: Tables,
    columns: Sequence[Column],
    starts: Sequence[State[Any, Any]],
    reached: npt.NDArray[np.bool_] | None,
    progress: Progress | None,
) -> npt.NDArray[np.float64]:
    """[start, column]: the expected values of the columns in the positions `starts`; see evaluation.expect."""
    if reached is None:
        reached = solution.reached([solution.index(start) for start in starts])
    if any(isinstance(column.policy, FunctionPolicy) for column in columns):
        count = int(np.count_nonzero(reached))
        if count > POLICY_LIMIT:
            raise TooLarge(
                f"{count:,} positions of {solution.game.title} can arise here. The limit for your own policy is "
                f"{POLICY_LIMIT:,}. Start nearer to the end of the game, or choose a smaller variant."
            )
    batches, expected = list(_batches(solution, columns)), np.zeros((len(starts), len(columns)))
    before = 0
    for batch in batches:

        def report(done: float, before: int = before, count: int = len(batch)) -> None:
            if progress is not None:
                progress("measuring", (before + done * count) / len(columns))

        chosen = _renumbered(columns, batch)
        expected[:, batch] = _expected(solution, chosen, starts, reached, report)
        before += len(batch)
    return expected


def error_steps(solution: Tables) -> npt.NDArray[np.uint8]:
    """[position]: how likely the player to move makes the error that perfect play hopes for, in CHANCE_STEPS."""
    columns, board = _hope_columns(Perfect(solution, seed=0), 0), len(solution.compiled.hands) ** 2
    _check_room(solution, len(columns))
    chances = np.zeros((solution.compiled.tables, board), np.uint8)

    def keep(tables: Indices, step: _Step) -> None:
        boards = step.rows[:-3].reshape(-1, board, len(columns))
        for table, index in zip(tables.tolist(), (step.first[tables] // board).tolist(), strict=True):
            chances[table] = np.clip(boards[index, :, -1], 0.0, 1.0) * CHANCE_STEPS + HALF

    for step in _pass(solution, columns, {}, np.ones(len(solution.codes), np.bool_)):
        if step.recycles:
            keep(step.tables, step)
    if not step.recycles:
        keep(np.arange(solution.compiled.tables), step)
    return chances.reshape(-1)


# Which columns to fill at once


def _batches(solution: Tables, columns: Sequence[Column]) -> Iterator[list[int]]:
    """Yields the indices of columns in batches that fit into memory. A column refers only to columns of its batch."""
    hopes = len(_with_hopes(columns)[0]) - len(columns)
    batch: list[int] = []
    for group in _groups(columns):
        _check_room(solution, len(group) + hopes)
        if batch and not _has_room(solution, len(batch) + len(group) + hopes):
            yield batch
            batch = []
        batch += group
    yield batch


def _groups(columns: Sequence[Column]) -> list[list[int]]:
    """The indices of the columns in groups. A column refers only to columns of its own group."""
    group = list(range(len(columns)))
    for index, column in enumerate(columns):
        for after in (column.onward, column.aside):
            if after != NO_COLUMN:
                joined, gone = group[index], group[after]
                group = [joined if number == gone else number for number in group]
    return [[index for index, number in enumerate(group) if number == first] for first in dict.fromkeys(group)]


def _renumbered(columns: Sequence[Column], indices: list[int]) -> list[Column]:
    """The columns with these indices. They refer to each other by their new indices."""
    numbers = {index: number for number, index in enumerate(indices)} | {NO_COLUMN: NO_COLUMN}
    chosen = (columns[index] for index in indices)
    return [column._replace(onward=numbers[column.onward], aside=numbers[column.aside]) for column in chosen]


def _column_size(solution: Tables) -> int:
    """The size of a column in bytes during a pass."""
    return _Ring(solution.compiled).boards * len(solution.compiled.hands) ** 2 * 4


def _has_room(solution: Tables, columns: int) -> bool:
    """Whether this many columns fit into memory."""
    return columns * _column_size(solution) <= _SHARE * memory.available()


def _check_room(solution: Tables, columns: int) -> None:
    """Raises TooLarge if this many columns do not fit into memory."""
    if not _has_room(solution, columns):
        raise TooLarge(
            f"Measuring {solution.game.title} with these options needs at least "
            f"{memory.human_size(columns * _column_size(solution))} of memory."
        )


# The error that perfect play hopes for


def _with_hopes(columns: Sequence[Column]) -> tuple[list[Column], dict[Hashable, int]]:
    """The columns, followed by those that perfect play needs, and the one that each perfect policy reads."""
    every, hopes = list(columns), dict[Hashable, int]()
    for signature, policy in _policies(columns).items():
        if isinstance(policy, Perfect):
            every += _hope_columns(policy, len(every))
            hopes[signature] = len(every) - 1
    return every, hopes


def _hope_columns(perfect: Perfect, at: int) -> list[Column]:
    """Columns for the error that perfect play hopes for, to be placed from index `at` on.

    The last one is the probability that the player to move makes it.
    """
    fallible, replies = perfect.chances.opponent, perfect.chances.replies
    columns = [Column(fallible, factor=0.0, swing=float(replies > 0))]
    for _ in range(1, replies):
        columns.append(Column(BEST_RESPONSE, at + len(columns) - 1, keeping=True))
        columns.append(Column(fallible, factor=0.0, swing=1.0, aside=at + len(columns) - 1))
    return columns


def _policies(columns: Sequence[Column]) -> dict[Hashable, Any]:
    """The different policies of the columns, by signature."""
    return {_signature(column): column.policy for column in columns}


def _signature(column: Column) -> Hashable:
    return None if column.policy is BEST_RESPONSE else column.policy.signature  # type: ignore[attr-defined]


# The pass


class _Step(NamedTuple):
    """The state of a pass after a wave."""

    rows: npt.NDArray[np.float32]
    """[row, column]; the last three rows are for finished games."""
    first: Indices
    """[table]: the row of its first position."""
    tables: Indices
    """The tables of this wave."""
    recycles: bool
    """Whether later waves reuse the memory of these tables."""
    done: float
    """The fraction of the reached positions that is filled."""


def _pass(
    solution: Tables, columns: Sequence[Column], hopes: Mapping[Hashable, int], reached: npt.NDArray[np.bool_]
) -> Iterator[_Step]:
    """Fills the columns of the reached positions, from the last moves to the first."""
    from digitduels.players import policy_kernels as kernels

    compiled, board = solution.compiled, len(solution.compiled.hands) ** 2
    ring, rules = _Ring(compiled), kernels.rules_of(solution)
    kernel_columns = _kernel_columns(columns, hopes, compiled.longest)
    rows = np.zeros((ring.boards * board + 3, len(columns)), np.float32)
    rows[-3:] = np.array([column.over for column in columns]).T
    functions = [policy for policy in _policies(columns).values() if isinstance(policy, FunctionPolicy)]
    boards, done, total = reached.reshape(-1, len(compiled.hands), len(compiled.hands)), 0, np.count_nonzero(reached)
    with workers() as pool:
        for wave in waves(compiled, 4 * len(columns), 1 if ring.recycles else BLOCK):
            first = ring.first(wave) * board

            def work(part: Any, first: Indices = first) -> None:
                kernels.fill_rows(rows, reached, part, first, rules, kernel_columns)

            share(pool, wave, work)
            for policy in functions:
                listed = np.array([index for index, column in enumerate(columns) if column.policy is policy])
                for indices in _open_positions(solution, wave, reached):
                    given = policy.batch(solution, indices)
                    kernels.fill_rows_from(rows, indices, given, first, rules, listed, kernel_columns)
            done += sum(int(np.count_nonzero(boards[a:b, e:f, c:d])) for a, b, c, d, e, f in wave.tolist())
            yield _Step(rows, first, wave[:, 0].astype(np.int64), ring.recycles, done / total)


def _kernel_columns(columns: Sequence[Column], hopes: Mapping[Hashable, int], plies: int) -> KernelColumns:
    """The columns as the kernels read them. Those of functions are filled separately."""
    from digitduels.players import policy_kernels as kernels

    policies = {key: policy for key, policy in _policies(columns).items() if not isinstance(policy, FunctionPolicy)}
    listed = [[index for index, column in enumerate(columns) if _signature(column) == key] for key in policies]
    return kernels.KernelColumns(
        kinds=np.array([kernels.MAXIMUM if policy is None else policy.kind for policy in policies.values()], np.int64),
        sights=np.array([kernels.sight_table(policy, plies) for policy in policies.values()]).reshape(
            len(policies), -1
        ),
        hopes=np.array([hopes.get(key, NO_COLUMN) for key in policies], np.int64),
        begin=np.append(0, np.cumsum([len(indices) for indices in listed])).astype(np.int64),
        listed=np.array([index for indices in listed for index in indices], np.int64),
        onward=np.array([column.onward for column in columns]),
        aside=np.array([column.aside for column in columns]),
        keeping=np.array([column.keeping for column in columns]),
        constant=np.array([column.constant for column in columns]),
        factor=np.array([column.factor for column in columns]),
        swing=np.array([column.swing for column in columns]),
        flags=np.array([column.flags for column in columns]),
    )


def _open_positions(solution: Tables, wave: npt.NDArray[Any], reached: npt.NDArray[np.bool_]) -> Iterator[Indices]:
    """Yields the reached positions of a wave that are not over, in batches for a function."""
    hands = len(solution.compiled.hands)
    boards, parts = reached.reshape(-1, hands, hands), [np.empty(0, np.int64)]
    for table0, table1, mover0, mover1, waiter0, waiter1 in wave.tolist():
        table, theirs, mine = np.nonzero(boards[table0:table1, waiter0:waiter1, mover0:mover1])
        parts.append(((table + table0) * hands + theirs + waiter0) * hands + mine + mover0)
    indices = np.concatenate(parts)
    indices = indices[legal_moves(solution.compiled, indices).any(axis=1)] if len(indices) else indices
    for begin in range(0, len(indices), _BATCH):
        yield indices[begin : begin + _BATCH]


def _expected(
    solution: Tables,
    columns: list[Column],
    starts: Sequence[State[Any, Any]],
    reached: npt.NDArray[np.bool_],
    progress: Callable[[float], None],
) -> npt.NDArray[np.float64]:
    """[start, column]: the expected values in the positions `starts`, from one pass."""
    hands, encoded = len(solution.compiled.hands), [solution.encode(start) for start in starts]
    values = np.zeros((len(encoded), len(columns)))
    for step in _pass(solution, *_with_hopes(columns), reached):
        for number, (table, mine, theirs) in enumerate(encoded):
            if not step.recycles or table in step.tables:
                values[number] = step.rows[step.first[table] + theirs * hands + mine, : len(columns)]
        progress(step.done)
    return values


class _Ring:
    """Where the boards of the tables are in memory during a pass.

    If every move takes equally many numbers from the pool, a board is needed only for the next few layers of tables.
    Then its memory is reused.
    """

    def __init__(self, compiled: Compiled) -> None:
        taken = compiled.takes.sum(axis=1)
        indices = np.arange(compiled.tables)
        held = numbers_held(indices, compiled.base, compiled.digits)
        self.recycles = bool(taken.any() and (taken == taken[0]).all())
        self._held = held
        self._layers = int(taken[0]) + 1 if self.recycles else 1  # the layers that are in memory at a time
        self._boards_of_layer = int(np.bincount(held).max()) if self.recycles else compiled.tables
        self.boards = self._boards_of_layer * self._layers
        self._first = np.zeros(compiled.tables, np.int64) if self.recycles else indices

    def first(self, wave: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """[table]: the index of its board during a wave."""
        if self.recycles:
            tables = wave[:, 0].astype(np.int64)
            layer = self._held[tables] % self._layers
            self._first[tables] = layer * self._boards_of_layer + np.arange(len(tables))
        return self._first
