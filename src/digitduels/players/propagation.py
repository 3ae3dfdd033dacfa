"""The backward pass over a table: fills columns for all positions that can arise, from the last move to the first.

The moves of levels, random play, perfect play and best responses follow from the table. A custom policy is called for
its move probabilities, many positions at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.core import State, TooLarge
from digitduels.players.levels import Sight, sight, tuning
from digitduels.players.natural import WASTED, nature
from digitduels.players.perfect import CHANCE_STEPS, HALF
from digitduels.players.sheet import (
    BEST_KEEPING,
    BEST_RESPONSE,
    BY_CHANCE,
    HOPE,
    NO_COLUMN,
    PERFECTLY,
    BatchPolicy,
    Column,
    Kind,
    Sheet,
)
from digitduels.solver import memory
from digitduels.solver.compiled import DRAWN, ILLEGAL, LOST, WON, Compiled, distinct
from digitduels.solver.schedule import BLOCK, waves
from digitduels.solver.tables import Tables, share, workers

_SHARE = 0.4  # the share of the free memory that rows may use
_FAR = 65535  # the highest code that the kernels support
POLICY_LIMIT = 10_000_000  # the maximum number of positions for a custom policy
_BATCH = 1 << 15  # positions per call of a custom policy

Indices = npt.NDArray[np.int64]


def can_fill(solution: Tables, sheet: Sheet) -> bool:
    """Whether `fill` supports the columns of a sheet."""
    return solution.scale.top <= _FAR and all(
        isinstance(column.policy, Sight | str) or (isinstance(column.policy, BatchPolicy) and not any(column.flags))
        for column in sheet.columns
    )


def fill(
    solution: Tables,
    sheet: Sheet,
    starts: Sequence[State[Any, Any]],
    reached: npt.NDArray[np.bool_] | None,
    progress: Callable[[str, float], None] | None,
    hope: tuple[int, int],
) -> npt.NDArray[np.float64]:
    """[start, column]: the expected values of the columns in the positions `starts`; see expectation.py."""
    if reached is None:
        reached = solution.reached([solution.index(start) for start in starts])
    if any(isinstance(column.policy, BatchPolicy) for column in sheet.columns):
        count = int(np.count_nonzero(reached))
        if count > POLICY_LIMIT:
            raise TooLarge(
                f"{count:,} positions of {solution.game.title} can arise here. The limit for your own policy is "
                f"{POLICY_LIMIT:,}. Start nearer to the end of the game, or choose a smaller variant."
            )
    perfect = any(column.policy == PERFECTLY for column in sheet.columns)
    hopes = len(_hope_columns(solution, hope)) if perfect else 0
    batches, expected = list(_batches(solution, sheet, hopes)), np.zeros((len(starts), len(sheet.columns)))
    for number, (indices, columns) in enumerate(batches):

        def report(done: float, number: int = number) -> None:
            if progress is not None:
                progress("measuring", (number + done) / len(batches))

        if hopes:
            columns = [*columns, *_hope_columns(solution, hope, len(columns))]
        expected[:, indices] = _expected(solution, columns, starts, reached, report)[:, : len(indices)]
    return expected


def error_steps(solution: Tables, hope: tuple[int, int] = HOPE) -> npt.NDArray[np.uint8]:
    """[position]: the probability that the player to move makes the mistake hoped for, in CHANCE_STEPS."""
    columns, board = _hope_columns(solution, hope), len(solution.compiled.hands) ** 2
    _check_room(solution, len(columns))
    chances = np.zeros((solution.compiled.tables, board), np.uint8)

    def keep(tables: Indices, step: _Step) -> None:
        boards = step.rows.reshape(-1, board, len(columns))
        for table, index in zip(tables.tolist(), (step.first[tables] // board).tolist(), strict=True):
            chances[table] = np.clip(boards[index, :, -1], 0.0, 1.0) * CHANCE_STEPS + HALF

    for step in _pass(solution, columns, np.ones(len(solution.codes), np.bool_)):
        if step.recycles:
            keep(step.tables, step)
    if not step.recycles:
        keep(np.arange(solution.compiled.tables), step)
    return chances.reshape(-1)


def _batches(solution: Tables, sheet: Sheet, more: int) -> Iterator[tuple[list[int], list[Column]]]:
    """Yields columns with their indices on the sheet, in batches that fit into memory together with `more` columns."""
    batch: list[int] = []
    for group in _groups(sheet.columns):
        _check_room(solution, len(group) + more)
        if batch and not _has_room(solution, len(batch) + len(group) + more):
            yield batch, _renumbered(sheet.columns, batch)
            batch = []
        batch += group
    yield batch, _renumbered(sheet.columns, batch)


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


class _Step(NamedTuple):
    """The state of a pass after a wave."""

    rows: npt.NDArray[np.float32]
    """[row, column]"""
    first: Indices
    """[table]: the row of its first position."""
    tables: Indices
    """The tables of this wave."""
    recycles: bool
    """Whether later waves reuse the memory of these tables."""
    done: float
    """The fraction of positions that is filled."""


def _pass(solution: Tables, columns: Sequence[Column], reached: npt.NDArray[np.bool_]) -> Iterator[_Step]:
    """Fills the columns of the reached positions, from the last moves to the first."""
    from digitduels.players import policy_kernels as kernels

    compiled, board = solution.compiled, len(solution.compiled.hands) ** 2
    levels = list(dict.fromkeys(column.policy for column in columns if isinstance(column.policy, Sight)))
    plies = compiled.longest + 2
    sees = np.array([[level.sees(distance) for distance in range(plies)] for level in levels]).reshape(-1, plies)
    ring, scale, table = _Ring(compiled), tuple(map(int, solution.scale)), _kernel_columns(columns, levels)
    natural = *map(np.array, nature(solution.game, compiled.hands)), WASTED
    arguments = *_steps(compiled), natural, scale, sees, table
    rows = np.zeros((ring.boards * board, len(columns)), np.float32)
    custom = list(dict.fromkeys(column.policy for column in columns if isinstance(column.policy, BatchPolicy)))
    maps = tuple(map(np.ascontiguousarray, (compiled.own.T, compiled.other.T, np.array(compiled.needs, np.int64))))
    done = 0
    with workers() as pool:
        for wave in waves(compiled, 4 * len(columns), 1 if ring.recycles else BLOCK):
            first = ring.first(wave) * board

            def work(part: Any, first: Indices = first) -> None:
                kernels.fill(rows, solution.codes, reached, part, first, *arguments)

            share(pool, wave, work)
            for policy in custom:
                listed = np.array([index for index, column in enumerate(columns) if column.policy is policy])
                for indices in _open_positions(solution, wave, reached):
                    shares = policy.shares(solution, indices)
                    kernels.mix(rows, indices, shares, solution.codes, first, maps, scale, listed, table)
            done += int(np.prod(wave[:, 1::2] - wave[:, ::2], axis=1).sum())
            yield _Step(rows, first, wave[:, 0].astype(np.int64), ring.recycles, done / compiled.positions)


def _open_positions(solution: Tables, wave: npt.NDArray[Any], reached: npt.NDArray[np.bool_]) -> Iterator[Indices]:
    """Yields the reached positions of a wave that are not over, in batches for a custom policy."""
    hands = len(solution.compiled.hands)
    boards, parts = reached.reshape(-1, hands, hands), [np.empty(0, np.int64)]
    for table0, table1, mover0, mover1, waiter0, waiter1 in wave.tolist():
        table, theirs, mine = np.nonzero(boards[table0:table1, waiter0:waiter1, mover0:mover1])
        parts.append(((table + table0) * hands + theirs + waiter0) * hands + mine + mover0)
    indices = np.concatenate(parts)
    indices = indices[legal_moves(solution, indices).any(axis=1)] if len(indices) else indices
    for begin in range(0, len(indices), _BATCH):
        yield indices[begin : begin + _BATCH]


def split(solution: Tables, indices: Indices) -> tuple[Indices, Indices, Indices]:
    """Splits positions into table, hand of the player to move, and hand of the waiting player."""
    hands = len(solution.compiled.hands)
    return indices // (hands * hands), indices % hands, indices // hands % hands


def legal_moves(solution: Tables, indices: Indices) -> npt.NDArray[np.bool_]:
    """[position, move]: whether the move is legal. No move is legal in a finished game."""
    compiled = solution.compiled
    table, mine, _ = split(solution, indices)
    counts = table[:, None] // compiled.weights % compiled.base
    legal: npt.NDArray[np.bool_] = compiled.own.T[mine] != ILLEGAL
    for move, takes in enumerate(compiled.takes):
        legal[:, move] &= (counts >= takes).all(axis=1)
    return legal


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
    for step in _pass(solution, columns, reached):
        for number, (table, mine, theirs) in enumerate(encoded):
            if not step.recycles or table in step.tables:
                values[number] = step.rows[step.first[table] + theirs * hands + mine]
        progress(step.done)
    return values


def _hope_columns(solution: Tables, hope: tuple[int, int], at: int = 0) -> list[Column]:
    """Columns for the mistake that perfect play hopes for, to be placed from index `at` on.

    The last one is the probability that the player to move makes it.
    """
    level, replies = hope
    fallible: Kind = BY_CHANCE if level == 1 else sight(level, tuning(solution.game).reaches)
    columns = [Column(fallible, factor=0.0, swing=float(replies > 0))]
    for _ in range(1, replies):
        columns.append(Column(BEST_KEEPING, at + len(columns) - 1))
        columns.append(Column(fallible, factor=0.0, swing=1.0, aside=at + len(columns) - 1))
    return columns


class _Ring:
    """Where the boards of the tables are in memory during a pass.

    If every move takes equally many numbers from the pool, a board is needed only for the next few levels of tables.
    Then its memory is reused.
    """

    def __init__(self, compiled: Compiled) -> None:
        taken = compiled.takes.sum(axis=1)
        indices = np.arange(compiled.tables)
        held = np.zeros(compiled.tables, np.int64)
        for digit in range(compiled.digits):
            held += indices // compiled.base**digit % compiled.base
        self.recycles = bool(taken.any() and (taken == taken[0]).all())
        self._held = held
        self._levels = int(taken[0]) + 1 if self.recycles else 1  # the levels that are in memory at a time
        self._boards_of_level = int(np.bincount(held).max()) if self.recycles else compiled.tables
        self.boards = self._boards_of_level * self._levels
        self._first = np.zeros(compiled.tables, np.int64) if self.recycles else indices

    def first(self, wave: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """[table]: the index of its board during a wave."""
        if self.recycles:
            tables = wave[:, 0].astype(np.int64)
            level = self._held[tables] % self._levels
            self._first[tables] = level * self._boards_of_level + np.arange(len(tables))
        return self._first


def _steps(compiled: Compiled) -> tuple[Any, Any]:
    """The distinct takes, and the distinct results of each with every hand, in the form that the kernels read."""
    hands = len(compiled.hands)
    takes, group = distinct(compiled.takes)
    maps, which = distinct(np.vstack([np.arange(hands, dtype=np.int32), compiled.other]))
    move, hand = np.nonzero(compiled.own >= 0)
    keys = ((group[move] * hands + hand) * hands + compiled.own[move, hand]) * len(maps) + which[1:][move]
    keys, counts = np.unique(keys, return_counts=True)
    rest, mapping = np.divmod(keys, len(maps))
    where, to = np.divmod(rest, hands)
    start = np.searchsorted(where, np.arange(len(takes) * hands + 1))
    ends = np.zeros((len(takes) * hands, 3), np.int64)
    indices = np.zeros((len(takes) * hands, 2), np.int64)
    for number, mark in enumerate((WON, DRAWN, LOST)):
        at, ended = np.nonzero(compiled.own == mark)
        cells, many = np.unique(group[at] * hands + ended, return_counts=True)
        ends[cells, number] = many
        if number < 2:
            indices[cells, number] = 1
            for cell in cells[many > 1].tolist():
                moves = at[group[at] * hands + ended == cell].tolist()
                indices[cell, number] = _endings(compiled, cell % hands, moves)
    pool = takes, (takes @ compiled.weights).astype(np.int64), compiled.base
    return pool, (start, to, mapping, counts, ends, indices, maps.astype(np.int64))


def _endings(compiled: Compiled, hand: int, moves: Sequence[int]) -> int:
    """The number of different hands that these moves, which end the game, lead to."""
    game, start = compiled.game, compiled.game.start()
    state = State(0, (compiled.hands[hand], start.theirs), start.table)
    return len({game.after(state, game.moves[move]).theirs for move in moves})


def _kernel_columns(columns: Sequence[Column], levels: Sequence[Sight]) -> tuple[Any, ...]:
    """The columns in the form that the kernels read."""
    from digitduels.players import policy_kernels as kernels

    kinds = {
        BY_CHANCE: kernels.UNIFORM_POLICY,
        PERFECTLY: kernels.PERFECT_POLICY,
        BEST_RESPONSE: kernels.BEST_RESPONSE_POLICY,
        BEST_KEEPING: kernels.BEST_KEEPING_POLICY,
    }
    of_levels = [[index for index, column in enumerate(columns) if column.policy == level] for level in levels]
    plain = [(index, kinds[column.policy]) for index, column in enumerate(columns) if isinstance(column.policy, str)]
    return (
        np.append(0, np.cumsum([len(indices) for indices in of_levels])),
        np.array([index for indices in of_levels for index in indices], np.int64),
        np.array(plain, np.int64).reshape(-1, 2),
        np.array([column.onward for column in columns]),
        np.array([column.aside for column in columns]),
        np.array([column.constant for column in columns]),
        np.array([column.factor for column in columns]),
        np.array([column.swing for column in columns]),
        np.array([column.flags for column in columns]),
        np.array([column.over for column in columns]).T.copy(),
        len(columns) - 1,
    )
