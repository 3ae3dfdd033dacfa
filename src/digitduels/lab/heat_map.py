"""The cells of a heat map: the best rule sets of a sweep by two of its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from digitduels.options import written


def axes_of(ranges: Mapping[str, Sequence[Any]]) -> tuple[str, str | None]:
    """The options with the most values, for the horizontal and the vertical axis. The second may be None."""
    names = sorted(ranges, key=lambda name: -len(ranges[name]))
    return names[0], names[1] if len(names) > 1 and len(ranges[names[1]]) > 1 else None


def best_cells(
    ranges: Mapping[str, Sequence[Any]], rows: Sequence[Mapping[str, Any]], across: str, down: str | None
) -> list[tuple[int, int, Mapping[str, Any]]]:
    """The best solved row for each cell of a heat map: its vertical index, its horizontal index, and the row."""
    indices = {name: {written(value): index for index, value in enumerate(ranges[name])} for name in ranges}
    best: dict[tuple[int, int], Mapping[str, Any]] = {}
    for row in rows:
        if row["fair"] is None:
            continue
        cell = indices[down][written(row[down])] if down else 0, indices[across][written(row[across])]
        if cell not in best or smaller_gauge(row) > smaller_gauge(best[cell]):
            best[cell] = row
    return [(*cell, row) for cell, row in sorted(best.items(), key=lambda item: item[0])]


def smaller_gauge(row: Mapping[str, Any]) -> float:
    """The smaller of fair and deep."""
    return float(min(row["fair"], row["deep"]))
