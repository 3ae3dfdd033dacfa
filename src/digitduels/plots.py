"""Plots of solutions, rule sets and results of language models, drawn with Matplotlib."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from digitduels.core import State
from digitduels.lab.heat_map import axes_of, best_cells
from digitduels.lab.measures import CLEAR, Report
from digitduels.options import written
from digitduels.pool import Pool
from digitduels.rule_sets import label
from digitduels.sentence import Count, player_name
from digitduels.solver import Solution
from digitduels.study.score_map import Cells, cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_BLUE, _ORANGE, _GREY, _EMPTY = "#0072B2", "#B84A00", "#777777", "#F2F2F2"
_COLOURS = {1: _BLUE, 0: "#999999", -1: _ORANGE}
_WORDS = {1: "▲ the player to move wins", 0: "= nobody wins", -1: "▼ the player to move loses"}
_BARS = 40  # at most this many bars of each kind
_LISTED = 24  # pools with more numbers are not listed
_COLUMNS = 3  # panels in a row


def render(figure: Figure, suffix: str) -> bytes:
    """Renders a plot as SVG or PNG. The same plot gives the same bytes."""
    import matplotlib

    data, kind = io.BytesIO(), suffix.lower().lstrip(".")
    metadata = {"Date": None, "Title": figure.get_label()} if kind == "svg" else {}
    with matplotlib.rc_context({"svg.hashsalt": "digitduels", "svg.fonttype": "none"}):
        figure.savefig(data, format=kind, dpi=120, metadata=metadata)
    return data.getvalue()


def _figure(width: float, height: float, title: str) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    figure.set_label(title)
    figure.suptitle(title, fontweight="bold")
    return figure


# Solutions


def draw_solution(solution: Solution, state: State[Any, Any]) -> Figure:
    """Draws how far positions are from the end and, if there is a pool, who wins at which scores."""
    scores = cells(solution, state) if isinstance(state.table, Pool) else {}
    if not scores:
        figure = _figure(8, 4, f"{solution.game.title}: how soon games end")
        _draw_distances(figure.subplots(), solution)
        return figure
    figure = _figure(8, 9.5, f"{solution.game.title}: who wins at which scores, and how soon games end")
    score_map, distances = figure.subplots(2, 1, height_ratios=(3, 2))
    _draw_score_map(score_map, state, scores)
    _draw_distances(distances, solution)
    return figure


def _draw_score_map(axes: Axes, state: State[Any, Any], scores: Cells) -> None:
    """Draws who wins at which scores, for the pool and the player to move of a position."""
    from matplotlib.colors import ListedColormap

    known = {*scores, *(mine for row in scores.values() for mine in row)}
    low, count = min(known), max(known) - min(known) + 1
    values = np.full((count, count), np.nan)
    for theirs, row in scores.items():
        for mine, value in row.items():
            values[theirs - low, mine - low] = value
    axes.set_facecolor(_EMPTY)
    edges = (low - 0.5, low + count - 0.5)
    colours = ListedColormap([_COLOURS[value] for value in (-1, 0, 1)])
    axes.imshow(values, colours, origin="lower", interpolation="none", vmin=-1, vmax=1, extent=(*edges, *edges))
    numbers = state.table.numbers
    pool = " ".join(map(str, numbers)) if len(numbers) <= _LISTED else str(Count(len(numbers), "number"))
    mover, waiter = player_name(state.player), player_name(1 - state.player)
    axes.set_title(f"{mover} to move. In the pool: {pool or 'nothing'}.", fontsize=10)
    axes.set_xlabel(f"score of {mover}, who is to move")
    axes.set_ylabel(f"score of {waiter}")
    _integers(axes.xaxis)
    _integers(axes.yaxis)
    handles = _patches(set(values[~np.isnan(values)].astype(int).tolist()))
    if np.isnan(values).any():
        handles.append(_patch(_EMPTY, "no such scores here"))
    if state.mine in scores.get(state.theirs, {}):
        ring: dict[str, Any] = {
            "marker": "o",
            "markerfacecolor": "none",
            "linestyle": "none",
            "markersize": 9,
            "clip_on": False,
        }
        axes.plot(state.mine, state.theirs, **ring, markeredgecolor="white", markeredgewidth=4)
        here = axes.plot(state.mine, state.theirs, **ring, markeredgecolor="black", label="this position")
        handles += here
    _legend(axes, handles)


def _draw_distances(axes: Axes, solution: Solution) -> None:
    """Draws how many positions are how many moves from the end, on a logarithmic scale."""
    from matplotlib.ticker import NullLocator

    verdicts = solution.by_distance()
    last = max(verdict.distance for verdict in verdicts)
    width = -(-(last + 1) // _BARS)
    counts: dict[int, Counter[int]] = {value: Counter() for value in (1, 0, -1)}
    for verdict, count in verdicts.items():
        counts[verdict.value][verdict.distance // width * width] += count
    shown = [value for value in counts if counts[value]]
    bar = 0.84 * width / len(shown)
    for index, value in enumerate(shown):
        left = [first + (index - len(shown) / 2) * bar for first in counts[value]]
        axes.bar(left, list(counts[value].values()), bar, align="edge", color=_COLOURS[value])
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.5)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda count, _: f"{count:,.0f}" if count >= 1 else "")
    axes.yaxis.grid(color="#CCCCCC")
    axes.set_axisbelow(True)
    axes.set_title("Positions by the moves that are left, with best play", fontsize=10)
    span = "" if width == 1 else f" ({width} together)"
    axes.set_xlabel(f"moves to the end of the game, counting both players{span}")
    axes.set_ylabel("positions")
    _integers(axes.xaxis)
    _legend(axes, _patches(set(shown)))


def _patches(values: set[int]) -> list[Any]:
    return [_patch(_COLOURS[value], _WORDS[value]) for value in (1, 0, -1) if value in values]


def _patch(colour: str, words: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, edgecolor=_GREY if colour == _EMPTY else colour, label=words)


def _legend(axes: Axes, handles: list[Any]) -> None:
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False, borderaxespad=0)


def _integers(axis: Axis) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=11, integer=True))


# Rule sets


def draw_reports(reports: Sequence[Report]) -> Figure:
    """Draws reports, one below the other: the balance of seats, the steps between levels, the lengths of games."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.6 * len(reports)), layout="constrained")
    figure.set_label(" and ".join(label(report.game) for report in reports))
    parts = figure.subfigures(len(reports), 1, squeeze=False)
    for part, report in zip(parts[:, 0], reports, strict=True):
        part.suptitle(f"{label(report.game)}: fair {report.fair:.2f}, deep {report.deep:.2f}", fontweight="bold")
        seats, steps, lengths = part.subplots(1, 3)
        _draw_shares(seats, report.seats, "Player 1 against an equal", 0.5)
        seats.set_xlabel("level of both players")
        _draw_shares(steps, report.steps, "Each level against the one below", CLEAR)
        steps.set_xlabel("level")
        shares = {} if report.lengths is None else report.lengths.shares
        margins = None if report.lengths is None else report.lengths.margins
        bars = [margins[plies] for plies in shares] if margins else None
        lengths.bar(list(shares), list(shares.values()), color=_BLUE, yerr=bars, ecolor=_GREY)
        lengths.set_title("Lengths of games, level 4", fontsize=10)
        lengths.set_xlabel("plies")
        lengths.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        _integers(lengths.xaxis)
    return figure


def _draw_shares(axes: Axes, shares: Mapping[int, float], title: str, mark: float) -> None:
    """Draws bars from 0 to 100 %: blue if they reach the mark, orange if not."""
    colours = [_BLUE if share >= mark else _ORANGE for share in shares.values()]
    bars = axes.bar([str(level) for level in shares], list(shares.values()), color=colours)
    axes.bar_label(bars, [f"{share:.0%}" for share in shares.values()], fontsize=8)
    axes.axhline(mark, color=_GREY, linewidth=1, linestyle="--")
    axes.set_ylim(0, 1.1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.set_title(title, fontsize=10)


def draw_heat_maps(title: str, ranges: Mapping[str, Sequence[Any]], rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draws heat maps of fair and deep over the two options with the most values.

    A cell shows the rule set with the best smaller gauge among those that differ only in other options.
    """
    across, down = axes_of(ranges)
    figure = _figure(12, 5, title)
    for axes, gauge in zip(figure.subplots(1, 2), ("fair", "deep"), strict=True):
        values = np.full((len(ranges[down]) if down else 1, len(ranges[across])), np.nan)
        for row, column, best in best_cells(ranges, rows, across, down):
            values[row, column] = best[gauge]
        image = axes.imshow(values, "cividis", origin="lower", aspect="auto", interpolation="none", vmin=0, vmax=1)
        axes.set_title(gauge)
        _name_values(axes.xaxis, across, ranges[across])
        if down:
            _name_values(axes.yaxis, down, ranges[down])
        else:
            axes.set_yticks([])
        figure.colorbar(image, ax=axes)
    return figure


def _name_values(axis: Axis, name: str, values: Sequence[Any]) -> None:
    step = -(-len(values) // 12)
    indices = list(range(0, len(values), step))
    axis.set_ticks(indices, labels=[written(values[index]) for index in indices])
    axis.set_label_text(name)


# Language models


Panel = tuple[str, Sequence[Mapping[str, Any]]]
"""A heading, and an estimate for each row: `value`, `low` and `high`, all None if there is nothing to draw."""


def draw_skill(name: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draws skill with its interval, for every player of a suite: overall, and in each game."""
    panels: list[Panel] = [("all games", [row["skill"] for row in rows])]
    panels += [(game, [row["games"][game] for row in rows]) for game in rows[0]["games"]]
    note = "Skill with its 95 % interval: 0 is a random mover, 1 is no mistake."
    return _draw_estimates(f"Skill on {name}", note, rows, panels)


def draw_gap(name: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draws skill by the book, skill in the variants, and the gap between them, with intervals."""
    panels: list[Panel] = [("the book's games", [row["book"] for row in rows])]
    panels += [("variants", [row["variants"] for row in rows]), ("gap", [row["gap"] for row in rows])]
    note = "The gap is skill by the book minus skill in the variants. Far above 0, it suggests memorisation."
    return _draw_estimates(f"Book and variants on {name}", note, rows, panels)


def _draw_estimates(title: str, note: str, rows: Sequence[Mapping[str, Any]], panels: Sequence[Panel]) -> Figure:
    """Draws a grid of panels, with one line for each row."""
    lowest = min([-0.25, *(part["value"] for _, parts in panels for part in parts if part["value"] is not None)])
    columns, bands = min(_COLUMNS, len(panels)), -(-len(panels) // _COLUMNS)
    figure = _figure(2 + 2.4 * columns, 0.9 + bands * (0.7 + 0.26 * len(rows)), title)
    grid = figure.subplots(bands, columns, sharey=True, squeeze=False).ravel()
    for axes, (heading, estimates) in zip(grid, panels, strict=False):
        axes.set_title(heading, fontsize=10)
        for line, estimate in enumerate(estimates):
            value, low, high = estimate["value"], estimate["low"], estimate["high"]
            if value is not None:
                axes.errorbar(value, line, xerr=[[value - low], [high - value]], fmt="o", color=_BLUE)
        axes.set_xlim(lowest - 0.05, 1.05)
        axes.set_xticks([0, 0.5, 1])
        axes.xaxis.grid(color="#CCCCCC")
        axes.set_axisbelow(True)
        axes.spines[["left", "right", "top"]].set_visible(False)
        axes.tick_params(left=False)
        # Without this, Matplotlib reads two dollar signs as a formula.
        axes.set_yticks(range(len(rows)), [row["model"].replace("$", r"\$") for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
    for axes in grid[len(panels) :]:
        axes.remove()
    figure.supxlabel(note, fontsize=10)
    return figure
