"""Measures the books and our editions, and writes docs/lab-reports.md and the reports that come with the package."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import digitduels as dd
from digitduels.lab.measures import Report, report_from
from digitduels.lab.prose import balance, comparison, first_moves, ladder, outcome
from digitduels.lab.rule_sets import label, presets, rule_set
from digitduels.lab.stored_reports import STORED_REPORTS

PAGE = Path(__file__).parent / "lab-reports.md"
HEAD = """# Reports of the books and of the repaired editions

Each book as it is, and the edition that the [lab](lab.md) recommends instead: close to the book, fairer and deeper.
Play one with `duels play GAME:repaired`. `python docs/lab_reports.py` writes this page.
"""


SLOWEST = ("numerical-nexus", "number-quest", "number-duel")


def section(reports: list[Report]) -> str:
    """The reports of a game, side by side, the book first."""
    reports = sorted(reports, key=lambda report: len(report.game.changes))
    rows = comparison(reports)
    table = [f"| {' | '.join(row)} |" for row in rows]
    table.insert(1, "|---|" + "---:|" * len(reports))
    words = [
        f"- **{label(report.game)}.** {outcome(report)} {first_moves(report)} {balance(report)} {ladder(report)}"
        for report in reports
    ]
    return "\n".join([f"## {reports[0].game.title}", "", *words, "", *table, ""])


def names() -> list[str]:
    """The books and the editions, the quickest to measure first."""
    found = [f"{name}:{preset}" for name in dd.games() for preset in presets(name)] + dd.games()
    return sorted(found, key=lambda name: name in SLOWEST)


def main() -> None:
    """Measures everything, or the rule sets that are named, and writes what is known after each."""
    stored = {json.dumps([found["game"], found["options"]]): found for found in json.loads(STORED_REPORTS.read_text())}
    for name in sys.argv[1:] or names():
        game_id, options = rule_set(name)
        found = dd.lab.measure(dd.game(game_id, **options)).to_dict()
        stored[json.dumps([found["game"], found["options"]])] = found
        STORED_REPORTS.write_text(json.dumps(list(stored.values()), indent=1) + "\n", encoding="utf-8")
        reports = [report_from(found) for found in stored.values()]
        sections = [section([report for report in reports if report.game.id == name]) for name in games_of(reports)]
        PAGE.write_text("\n".join([HEAD, *sections]), encoding="utf-8")
        print(f"{name} measured.", flush=True)


def games_of(reports: list[Report]) -> list[str]:
    return sorted({report.game.id for report in reports})


if __name__ == "__main__":
    main()
