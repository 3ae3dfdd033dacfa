"""Charts of reports and sweeps, as SVG or PNG, drawn with Matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from digitduels.lab.measures import STRONGER, Report
from digitduels.options import written
from digitduels.rule_sets import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BLUE, _ORANGE, _GREY = "#0072B2", "#B84A00", "#777777"


def draw_report(reports: Sequence[Report]) -> Figure:
    """Draws reports, one below the other: the balance of seats, the steps between levels, the lengths of games."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.6 * len(reports)), layout="constrained")
    parts = figure.subfigures(len(reports), 1, squeeze=False)
    for part, report in zip(parts[:, 0], reports, strict=True):
        part.suptitle(f"{label(report.game)}: fair {report.fair:.2f}, deep {report.deep:.2f}", fontweight="bold")
        seats, steps, lengths = part.subplots(1, 3)
        _bars(seats, report.seats, "Player 1 against an equal", 0.5)
        seats.set_xlabel("level of both players")
        _bars(steps, report.steps, "Each level against the one below", STRONGER)
        steps.set_xlabel("level")
        shares = {} if report.lengths is None else report.lengths.shares
        margins = None if report.lengths is None else report.lengths.margins
        bars = [margins[plies] for plies in shares] if margins else None
        lengths.bar(list(shares), list(shares.values()), color=_BLUE, yerr=bars, ecolor=_GREY)
        lengths.set_title("Lengths of games, level 4", fontsize=10)
        lengths.set_xlabel("plies")
        lengths.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        lengths.xaxis.get_major_locator().set_params(integer=True)
    return figure


def _bars(axes: Any, shares: Mapping[int, float], title: str, mark: float) -> None:
    """Draws bars from 0 to 100 %: blue if they reach the mark, orange if not."""
    colours = [_BLUE if share >= mark else _ORANGE for share in shares.values()]
    bars = axes.bar([str(level) for level in shares], list(shares.values()), color=colours)
    axes.bar_label(bars, [f"{share:.0%}" for share in shares.values()], fontsize=8)
    axes.axhline(mark, color=_GREY, linewidth=1, linestyle="--")
    axes.set_ylim(0, 1.1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.set_title(title, fontsize=10)


def draw_heat_map(title: str, ranges: Mapping[str, Sequence[Any]], rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draws heat maps of fair and deep over the two options with the most values.

    A cell shows the rule set with the best smaller gauge among those that differ only in other options.
    """
    import numpy as np
    from matplotlib.figure import Figure

    across, down = axes_of(ranges)
    figure = Figure(figsize=(12, 5), layout="constrained")
    figure.suptitle(title, fontweight="bold")
    for axes, gauge in zip(figure.subplots(1, 2), ("fair", "deep"), strict=True):
        cells = np.full((len(ranges[down]) if down else 1, len(ranges[across])), np.nan)
        for row, column, best in best_cells(ranges, rows, across, down):
            cells[row, column] = best[gauge]
        picture = axes.imshow(cells, origin="lower", aspect="auto", vmin=0, vmax=1, cmap="cividis")
        axes.set_title(gauge)
        _ticks(axes.xaxis, across, ranges[across])
        if down:
            _ticks(axes.yaxis, down, ranges[down])
        else:
            axes.set_yticks([])
        figure.colorbar(picture, ax=axes)
    return figure


def _ticks(axis: Any, name: str, values: Sequence[Any]) -> None:
    step = -(-len(values) // 12)
    indices = list(range(0, len(values), step))
    axis.set_ticks(indices, labels=[written(values[index]) for index in indices])
    axis.set_label_text(name)


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


def rendered(figure: Figure, path: Path) -> bytes:
    """Renders a chart in the format of the file name's extension."""
    import matplotlib

    data = io.BytesIO()
    kind = path.suffix.lower().lstrip(".")
    with matplotlib.rc_context({"svg.hashsalt": "digitduels", "svg.fonttype": "none"}):
        figure.savefig(data, format=kind, dpi=120, metadata={"Date": None} if kind == "svg" else None)
    return data.getvalue()
