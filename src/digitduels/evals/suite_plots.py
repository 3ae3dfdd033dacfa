"""Plots of the results of the suite as SVG: skill by game, and the gap between the book and the variants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

_LABELS, _PANEL, _LINE, _HEAD, _FOOT = 180, 210, 24, 44, 56
_COLUMNS = 3  # panels in a row
_INK, _GRID = "#0072B2", "#CCC"
Panel = tuple[str, Sequence[Mapping[str, Any]]]
"""A heading, and an estimate for each row: `value`, `low` and `high`, all None if there is nothing to draw."""


def skill_plot(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Skill with its interval, for every player: overall, and in each game."""
    panels: list[Panel] = [("all games", [row["skill"] for row in rows])]
    panels += [(game, [row["games"][game] for row in rows]) for game in (rows[0]["games"] if rows else ())]
    low = min([-0.25, *(part["value"] for _, parts in panels for part in parts if part["value"] is not None)])
    title, note = f"Skill on {name}", "Skill with its 95 % interval: 0 is a random mover, 1 is no mistake."
    return _plot(title, note, rows, panels, (low, 1.0), (0, 0.5, 1))


def gap_plot(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Skill by the book, skill in the variants, and the gap between them, with intervals."""
    panels: list[Panel] = [("the book's games", [row["book"] for row in rows])]
    panels += [("variants", [row["variants"] for row in rows]), ("gap", [row["gap"] for row in rows])]
    values = [part["value"] for _, parts in panels for part in parts if part["value"] is not None]
    title = f"Book and variants on {name}"
    note = "The gap is skill by the book minus skill in the variants. Far above 0, it suggests memorisation."
    return _plot(title, note, rows, panels, (min([-0.25, *values]), 1.0), (0, 0.5, 1))


def _plot(
    title: str,
    note: str,
    rows: Sequence[Mapping[str, Any]],
    panels: Sequence[Panel],
    span: tuple[float, float],
    ticks: Sequence[float],
) -> str:
    """Draws a grid of panels, with one line for each row."""
    low, high = span
    tall = _HEAD + _LINE * len(rows) + 24
    width, bands = _LABELS + _PANEL * min(_COLUMNS, len(panels)) + 10, -(-len(panels) // _COLUMNS)
    height = tall * bands + _FOOT - 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="13" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for number, (heading, values) in enumerate(panels):
        top, left = number // _COLUMNS * tall, _LABELS + number % _COLUMNS * _PANEL
        x = _scale(left, low, high)
        parts.append(f'<text x="{left}" y="{top + 22}" font-weight="bold">{escape(heading)}</text>')
        foot = top + _HEAD + _LINE * len(rows) - 8
        for tick in ticks:
            parts.append(f'<path d="M{x(tick):.1f} {top + 30}V{foot}" stroke="{_GRID}"/>')
            parts.append(f'<text x="{x(tick):.1f}" y="{foot + 15}" text-anchor="middle" font-size="11">{tick:g}</text>')
        for index, (row, estimate) in enumerate(zip(rows, values, strict=True)):
            y = top + _HEAD + index * _LINE
            if number % _COLUMNS == 0:
                parts.append(f'<text x="{_LABELS - 12}" y="{y + 4}" text-anchor="end">{escape(row["model"])}</text>')
            if estimate["value"] is not None:
                ends = f"M{x(max(low, estimate['low'])):.1f} {y}H{x(min(high, estimate['high'])):.1f}"
                parts.append(f'<path d="{ends}" stroke="{_INK}" stroke-width="2"/>')
                parts.append(f'<circle cx="{x(estimate["value"]):.1f}" cy="{y}" r="4" fill="{_INK}"/>')
    parts.append(f'<text x="12" y="{height - 12}">{escape(note)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _scale(left: float, low: float, high: float) -> Callable[[float], float]:
    """The function that maps a value to its x coordinate in a panel."""
    return lambda value: left + (_PANEL - 30) * (value - low) / (high - low)
