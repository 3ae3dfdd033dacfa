"""Measures the books and our editions, and writes docs/lab-reports.md and the reports that come with the package."""

from __future__ import annotations

import json
from pathlib import Path

import digitduels as dd
from digitduels.lab.measures import Report
from digitduels.lab.prose import balance, comparison, first_moves, ladder, outcome
from digitduels.lab.rule_sets import label, presets
from digitduels.lab.stored_reports import STORED_REPORTS

PAGE = Path(__file__).parent / "lab-reports.md"
HEAD = """# Reports of the books and of the repaired editions

Each book as it is, and the edition that the [lab](lab.md) recommends instead: close to the book, fairer and deeper.
Play one with `duels play GAME:repaired`. `python docs/lab_reports.py` writes this page.
"""


def section(reports: list[Report]) -> str:
    """The reports of a game, side by side."""
    rows = comparison(reports)
    table = [f"| {' | '.join(row)} |" for row in rows]
    table.insert(1, "|---|" + "---:|" * len(reports))
    words = [
        f"- **{label(report.game)}.** {outcome(report)} {first_moves(report)} {balance(report)} {ladder(report)}"
        for report in reports
    ]
    return "\n".join([f"## {reports[0].game.title}", "", *words, "", *table, ""])


def main() -> None:
    sections, stored = [], []
    for name in dd.games():
        rule_sets = [{}, *presets(name).values()]
        reports = [dd.lab.measure(dd.game(name, **options)) for options in rule_sets]
        sections.append(section(reports))
        stored += [report.to_dict() for report in reports]
        print(f"{name} measured.", flush=True)
    PAGE.write_text("\n".join([HEAD, *sections]), encoding="utf-8")
    STORED_REPORTS.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
