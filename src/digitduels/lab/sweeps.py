"""Sweeps: measure every rule set of a grid, on all cores or on a cluster. Each rule set becomes a row.

A journal stores the rows as they arrive. After an interruption of any kind, a sweep continues where it stopped, and
produces the same rows in the same order.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from digitduels import files
from digitduels.core import TooLarge
from digitduels.executors import parallel
from digitduels.games import game, game_class
from digitduels.options import Choice, Integer, Integers, Option, shown
from digitduels.players.levels import LEVELS_VERSION
from digitduels.solver.solution import Progress
from digitduels.text import quoted

SOLVED = "solved"  # the status of a row; the others are too-large and failed
BUDGET = 10_000_000  # the maximum number of positions of a rule set
MOST = 1_000_000  # the maximum number of rule sets in a grid
JOURNAL_VERSION = 1
_LARGEST = 2**63 - 1  # in a Parquet file
_INTEGERS = ("winner", "plies", "first_moves_winning", "first_moves", "reachable", "positions", "longest")

Row = dict[str, Any]


class SweepError(ValueError):
    """A sweep cannot be continued or written to a file. The message says why."""


# The grid


def read_range(option: Option, text: str) -> list[Any]:
    """Parses a range of values: 20..100, 20..100:5 (in steps of 5), 1,2,4, words with commas, or a single value.

    If the option is a list of integers, each of them can be a range.
    """
    if isinstance(option.kind, Integers):
        parts = [_numbers(option, part) for part in text.strip("()[]").split(",")]
        return _checked(option, [tuple(values) for values in product(*parts)])
    if isinstance(option.kind, Integer):
        return _checked(option, list(dict.fromkeys(n for part in text.split(",") for n in _numbers(option, part))))
    return _checked(option, list(dict.fromkeys(option.kind.read(part) for part in text.split(","))))


def _numbers(option: Option, text: str) -> list[Any]:
    low, dots, rest = text.strip().partition("..")
    high, colon, step = rest.partition(":")
    read = Integer(1, 10**9).read
    first, last, by = read(low), read(high) if dots else read(low), read(step) if colon else 1
    if not (isinstance(first, int) and isinstance(last, int) and isinstance(by, int)) or by < 1 or last < first:
        raise ValueError(f"{option.name} takes values such as 20, 20..100, 20..100:5 or 1,2,4, not {quoted(text)}.")
    if (last - first) // by >= MOST:
        raise ValueError(f"{option.name}={quoted(text)} is more than {MOST:,} values.")
    return list(range(first, last + 1, by))


def _checked(option: Option, values: list[Any]) -> list[Any]:
    for value in values:
        if not option.kind.accepts(value):
            raise ValueError(f"{option.name} must be {option.kind}; {shown(value)} is not.")
    return values


def grid(name: str, ranges: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Every combination of the values. The last option varies fastest."""
    options = {option.name for option in game_class(name).options()}
    for option in ranges:
        if option not in options:
            raise ValueError(f"{name} has no option {quoted(option)}. Its options are {', '.join(sorted(options))}.")
    count = prod(map(len, ranges.values()))
    if not 0 < count <= MOST:
        raise ValueError(f"A sweep has 1 to {MOST:,} rule sets, not {count:,}.")
    return [dict(zip(ranges, values, strict=True)) for values in product(*ranges.values())]


# A row


def measured_row(name: str, options: dict[str, Any], budget: int = BUDGET) -> Row:
    """Measures a rule set with at most `budget` positions and returns its row.

    A row has the options, the status, and the measures if it is solved.
    """
    from digitduels.lab.measures import measure
    from digitduels.solver import solve

    values, measures, problem = options, dict.fromkeys(measure_names()), None
    try:
        rules = game(name, **options)
    except ValueError as error:  # the options exclude each other
        status, problem = "failed", str(error)
    else:
        values = rules.values
        try:
            solution = solve(rules, cache=False, positions=budget)
            measures, status = measure(rules, lengths=False, wobble=False, solution=solution).row(), SOLVED
        except TooLarge as error:
            status, problem = "too-large", str(error)
        except MemoryError as error:
            status, problem = "failed", str(error) or "There is not enough memory."
    columns = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
    return {**columns, "status": status, **measures, "problem": problem}


def measure_names() -> list[str]:
    """The names of the measures in a row."""
    from digitduels.lab.measures import ALL_LEVELS, EQUALS, MEASURES

    return [*MEASURES, *(f"seat_{level}" for level in EQUALS), *(f"step_{level}" for level in ALL_LEVELS[1:])]


def versions() -> dict[str, int]:
    """The versions of what rows are measured with. Rows of different versions are not mixed."""
    from digitduels.lab.measures import GAUGES_VERSION

    return {"levels": LEVELS_VERSION, "gauges": GAUGES_VERSION}


# The sweep


def sweep(
    name: str,
    /,
    *,
    workers: int = 1,
    cluster: str | None = None,
    budget: int = BUDGET,
    **ranges: Sequence[Any],
) -> Iterator[Row]:
    """Yields the row of every rule set of a grid, in order. Rule sets with more than `budget` positions are too large.

    `workers` processes share the work, or the Dask cluster at the address `cluster` does it. A script that uses more
    than one process needs the usual `if __name__ == "__main__"`.

    >>> for row in sweep("number-duel", target=[10, 12], highest=[3]):
    ...     print(row["target"], row["status"], row["winner"], row["plies"])
    10 solved 1 6
    12 solved 1 6
    """
    rule_sets = grid(name, ranges)
    with parallel(workers, cluster) as run:
        yield from _rows_in_order(run(measured_row, [(name, options, budget) for options in rule_sets]))


def _rows_in_order(results: Iterator[tuple[int, Row]]) -> Iterator[Row]:
    """Sorts rows into the order of the grid, and yields each as soon as possible."""
    waiting, position = dict[int, Row](), 0
    for index, row in results:
        waiting[index] = row
        while position in waiting:
            yield waiting.pop(position)
            position += 1


class Journal:
    """The rows of an unfinished sweep, in a file of JSON lines: first the settings of the sweep, then the rows."""

    def __init__(self, path: Path, name: str, ranges: Mapping[str, Sequence[Any]], budget: int) -> None:
        self.path = path
        head = {"version": JOURNAL_VERSION, **versions(), "game": name, "ranges": {**ranges}}
        self.head = json.loads(json.dumps({**head, "budget": budget}))
        self.rows: dict[int, Row] = {}
        if path.exists():
            self._read()

    def _read(self) -> None:
        lines = self.path.read_bytes().split(b"\n")
        if lines[:1] == [b""]:
            return
        try:
            head = json.loads(lines[0])
        except ValueError:
            head = {}
        if not isinstance(head, dict) or {**head, **versions()} != self.head:
            raise SweepError(f"{quoted(str(self.path))} belongs to another sweep. Delete it or choose another file.")
        if head != self.head:
            raise SweepError(
                f"The rows in {quoted(str(self.path))} were measured with another version of our levels or gauges. "
                "Delete it to measure all rule sets with this one."
            )
        for line in lines[1:-1]:  # without the last line, which is empty or incomplete
            try:
                entry = json.loads(line)
                self.rows[entry["index"]] = entry["row"]
            except (ValueError, KeyError, TypeError):
                raise SweepError(f"{quoted(str(self.path))} is damaged. Delete it to begin again.") from None

    @contextmanager
    def writing(self) -> Iterator[Callable[[int, Row], None]]:
        """Opens the journal and yields a function that adds a row. Removes an incomplete last line first."""
        entries = [self.head, *({"index": index, "row": row} for index, row in self.rows.items())]
        files.write(self.path, b"".join(json.dumps(entry).encode() + b"\n" for entry in entries))
        with self.path.open("ab") as file:

            def add(index: int, row: Row) -> None:
                self.rows[index] = row
                file.write(json.dumps({"index": index, "row": row}).encode() + b"\n")
                file.flush()

            yield add
            os.fsync(file.fileno())


def sweep_to_file(
    name: str,
    ranges: Mapping[str, Sequence[Any]],
    path: Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    budget: int = BUDGET,
    progress: Progress | None = None,
) -> list[Row]:
    """Sweeps a grid, writes the rows to a Parquet file and returns them. Continues an interrupted sweep."""
    rule_sets = grid(name, ranges)
    for option, values in ranges.items():
        if any(isinstance(value, int) and value > _LARGEST for value in values):
            raise SweepError(f"A Parquet file cannot contain values of {option} above {_LARGEST:,}.")
    journal = Journal(journal_path(path), name, ranges, budget)
    missing = [index for index in range(len(rule_sets)) if index not in journal.rows]
    if missing:
        work = [(name, rule_sets[index], budget) for index in missing]
        with journal.writing() as add, parallel(workers, cluster) as run:
            for index, row in run(measured_row, work):
                add(missing[index], row)
                if progress is not None:
                    progress(f"{len(journal.rows):,} of {len(rule_sets):,}", len(journal.rows) / len(rule_sets))
    rows = [journal.rows[index] for index in range(len(rule_sets))]
    write_parquet(name, rows, path)
    journal.path.unlink(missing_ok=True)
    return rows


def journal_path(path: Path) -> Path:
    """The path of the journal of an unfinished sweep."""
    return path.with_name(f"{path.name}.journal")


def write_parquet(name: str, rows: Sequence[Row], path: Path) -> None:
    """Writes the rows of a game to a Parquet file, atomically. All files of a game have the same columns and types."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {Integer: pa.int64(), Integers: pa.list_(pa.int64()), Choice: pa.string()}
    schema = pa.schema(
        {
            **{option.name: types[type(option.kind)] for option in game_class(name).options()},
            "status": pa.string(),
            **{measure: pa.int64() if measure in _INTEGERS else pa.float64() for measure in measure_names()},
            "problem": pa.string(),
        },
        {"digitduels.game": name, **{f"digitduels.{key}": str(version) for key, version in versions().items()}},
    )
    with files.writing(path) as file:
        pq.write_table(pa.Table.from_pylist(rows, schema), file)
