"""Pictures of a solution as handwritten SVG: who wins at which scores, and how far positions are from the end."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby
from math import log10
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.pool import Pool
from digitduels.sentence import Count, player_name
from digitduels.solver import Solution
from digitduels.study.score_map import Cells, cells

COLOURS = {1: "#0072B2", 0: "#999999", -1: "#B84A00"}
WORDS = {1: "▲ the player to move wins", 0: "= nobody wins", -1: "▼ the player to move loses"}
_EMPTY = "#F2F2F2"
WIDE = 780
LEFT = 110
SIDE = 400  # the side of the map
HIGH = 260  # the height of the chart
_LEGEND = LEFT + SIDE + 40
BARS = 40  # at most this many bars of each kind
ROW = 24  # pools with more numbers are not listed


class Panel(NamedTuple):
    """A drawing: its height and its SVG elements."""

    height: int
    parts: list[str]


def draw(solution: Solution, state: State[Any, Any]) -> str:
    """The picture of a solution: the map of scores at a position, if there is a pool, and the chart of distances."""
    panels = [chart(solution)]
    title = f"{solution.game.title}: positions by the moves that are left"
    if isinstance(state.table, Pool) and (scores := cells(solution, state)):
        panels.insert(0, score_map(solution, state, scores))
        title = f"{solution.game.title}: who wins at which scores, and how soon games end"
    height = 20
    body: list[str] = []
    for panel in panels:
        body += [f'<g transform="translate(0 {height})">', *panel.parts, "</g>"]
        height += panel.height
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height}" width="{WIDE}" height="{height}" '
        'font-family="sans-serif" font-size="13" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDE}" height="{height}" fill="white"/>',
    ]
    return "\n".join([*head, *body, "</svg>"]) + "\n"


# The map of scores


def score_map(solution: Solution, state: State[Any, Any], cells: Cells) -> Panel:
    """The map of who wins at which scores, for the pool and the player to move of a position."""
    scores = {*cells, *(score for row in cells.values() for score in row)}
    low, count = min(scores), max(scores) - min(scores) + 1
    side = SIDE / count
    mover, waiter = player_name(state.player), player_name(1 - state.player)
    numbers = state.table.numbers
    left = " ".join(map(str, numbers)) if len(numbers) <= ROW else str(Count(len(numbers), "number"))

    parts = [
        text(LEFT, 14, f"{solution.game.title}: who wins at which scores", weight="bold"),
        text(LEFT, 34, f"{mover} to move. In the pool: {left or 'nothing'}."),
        f'<g transform="translate({LEFT} 50)">',
        f'<rect width="{SIDE}" height="{SIDE}" fill="{_EMPTY}"/>',
        f'<g transform="translate(0 {SIDE}) scale({side:.6g} {-side:.6g})" shape-rendering="crispEdges">',
    ]
    for value in sorted({value for row in cells.values() for value in row.values()}, reverse=True):
        runs = "".join(_runs(cells, value, low))
        parts.append(f'<path fill="{COLOURS[value]}" d="{runs}"/>')
    parts.append("</g>")
    here = state.theirs in cells and state.mine in cells[state.theirs]
    if here:
        x, y = (state.mine - low + 0.5) * side, SIDE - (state.theirs - low + 0.5) * side
        parts.append(_ring(x, y))
    step = _step(count)
    for score in range(-(-low // step) * step, low + count, step):
        index = (score - low + 0.5) * side
        parts += [text(index, SIDE + 18, score, "middle"), text(-8, SIDE - index + 5, score, "end")]
    parts += [
        text(SIDE / 2, SIDE + 40, f"score of {mover}, who is to move", "middle"),
        f'<g transform="translate(-48 {SIDE / 2}) rotate(-90)">{text(0, 0, f"score of {waiter}", "middle")}</g>',
        "</g>",
    ]
    blank = any(len(row) < count for row in cells.values()) or len(cells) < count
    extra = [(_EMPTY, "no such scores here")] if blank else []
    rows = legend({value for row in cells.values() for value in row.values()}, 66, extra)
    parts += rows
    if here:
        y = 66 + 26 * (len(rows) // 2)
        parts += [_ring(_LEGEND + 7, y - 5), text(_LEGEND + 22, y, "this position")]
    return Panel(50 + SIDE + 70, parts)


def _runs(cells: Cells, value: int, low: int) -> Iterator[str]:
    """The cells with a value as rectangles of an SVG path; neighbours in a row are joined."""
    for theirs, row in cells.items():
        scores = [mine for mine, cell in row.items() if cell == value]
        for _, run in groupby(enumerate(scores), lambda pair: pair[1] - pair[0]):
            joined = [mine for _, mine in run]
            yield f"M{joined[0] - low} {theirs - low}h{len(joined)}v1h{-len(joined)}z"


def _ring(x: float, y: float) -> str:
    return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="6" fill="none" stroke="white" stroke-width="4"/>' + (
        f'<circle cx="{x:.2f}" cy="{y:.2f}" r="6" fill="none" stroke="black" stroke-width="2"/>'
    )


# The chart of distances


def chart(solution: Solution) -> Panel:
    """The chart of how many positions are how many moves from the end, on a logarithmic scale."""
    distribution = solution.by_distance()
    last = max(verdict.distance for verdict in distribution)
    bin = -(-(last + 1) // BARS)
    values = sorted({verdict.value for verdict in distribution}, reverse=True)
    counts: dict[tuple[int, int], int] = {}
    for verdict, count in distribution.items():
        key = verdict.distance // bin, verdict.value
        counts[key] = counts.get(key, 0) + count
    bins = last // bin + 1
    top = max(1.0, log10(max(counts.values())) * 1.03)
    foot = 0.3  # makes a single position visible

    def height(count: int) -> float:
        return HIGH * (log10(count) + foot) / (top + foot)

    parts = [
        text(LEFT, 14, f"{solution.game.title}: positions by the moves that are left", weight="bold"),
        text(LEFT, 34, "With best play. Each line stands for ten times as many positions as the one below."),
        f'<g transform="translate({LEFT} 50)">',
    ]
    for power in range(int(top) + 1):
        y = HIGH - height(10**power)
        parts.append(f'<path d="M0 {y:.2f}h{SIDE}" stroke="#CCCCCC"/>')
        parts.append(text(-8, y + 5, f"{10**power:,}", "end"))
    slot = SIDE / bins
    bar = slot * 0.84 / len(values)
    for (index, value), count in sorted(counts.items()):
        x = index * slot + slot * 0.08 + values.index(value) * bar
        tall = height(count)
        first = index * bin
        moves = str(Count(first, "move")) if bin == 1 else f"{first} to {first + bin - 1} moves"
        parts.append(
            f'<rect x="{x:.2f}" y="{HIGH - tall:.2f}" width="{bar:.2f}" height="{tall:.2f}" fill="{COLOURS[value]}">'
            f"<title>{moves} left, {escape(WORDS[value][2:])}: {count:,}</title></rect>"
        )
    parts.append(f'<path d="M0 {HIGH}h{SIDE}" stroke="black"/>')
    step = _step(bins)
    parts += [text((index + 0.5) * slot, HIGH + 18, index * bin, "middle") for index in range(0, bins, step)]
    parts += [
        text(SIDE / 2, HIGH + 40, "moves to the end of the game, counting both players", "middle"),
        f'<g transform="translate(-92 {HIGH / 2}) rotate(-90)">{text(0, 0, "positions", "middle")}</g>',
        "</g>",
        *legend(set(values), 66),
    ]
    return Panel(50 + HIGH + 60, parts)


# Legend, text and axes


def legend(values: set[int], y: int, extra: list[tuple[str, str]] | None = None) -> list[str]:
    """The legend of the colours."""
    rows = [(COLOURS[value], WORDS[value]) for value in (1, 0, -1) if value in values] + (extra or [])
    parts = []
    for index, (colour, words) in enumerate(rows):
        parts.append(f'<rect x="{_LEGEND}" y="{y + 26 * index - 12}" width="14" height="14" fill="{colour}"/>')
        parts.append(text(_LEGEND + 22, y + 26 * index, words))
    return parts


def text(x: float, y: float, words: object, anchor: str = "start", weight: str = "normal") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-weight="{weight}">{escape(str(words))}</text>'


def _step(count: int) -> int:
    """A round step that puts at most eleven labels on an axis."""
    step = 1
    while count > 11 * step:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return step
