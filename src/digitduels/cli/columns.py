"""Text tables, and the formatting of their cells."""

from __future__ import annotations

from collections.abc import Mapping


def columns(rows: list[list[str]], width: int | None = None) -> list[str]:
    """Rows as lines: the first column aligned to the left, the others to the right.

    A table wider than `width` becomes a list: the first cell of each row, and the others below it with their headings.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if width is not None and sum(widths) + 2 * len(widths[1:]) > width:
        headings, *entries = rows
        return [
            line
            for head, *cells in entries
            for line in (head, *(f"  {name}: {cell}" for name, cell in zip(headings[1:], cells, strict=True)))
        ]
    lines = []
    for head, *cells in rows:
        aligned = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append("  ".join([head.ljust(widths[0]), *aligned]))
    return lines


def part(count: int, of: int) -> str:
    """A count and its total; a dash if the total is 0."""
    return f"{count} of {of}" if of else "–"


def about(chance: float, of: int) -> str:
    """How many a random mover would find; a dash if there were none to find."""
    return f"about {chance:.1f}" if of else "–"


def skill(estimate: Mapping[str, float | None]) -> tuple[str, str]:
    """Skill and its interval; dashes if no turn was critical."""
    value, low, high = (estimate[name] for name in ("value", "low", "high"))
    if value is None or low is None or high is None:
        return "–", "–"
    return f"{value:.3f}", f"{low:.2f} to {high:.2f}"
