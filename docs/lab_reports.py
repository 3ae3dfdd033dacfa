"""Measures the books and our editions, and writes docs/results/lab-reports.md and the package's reports.

`python docs/lab_reports.py` measures what is missing or of older levels, the quickest first, and writes each report as
soon as it is known: stop it at any time, and it continues there. `python docs/lab_reports.py number-duel
equation-duel:repaired` measures these again in any case: a game means its book and its editions.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import digitduels as dd
from digitduels import files
from digitduels.games import AnyGame
from digitduels.lab.lint import LINT_VERSION, lint, measured, ranked, with_remedies
from digitduels.lab.measures import report_from
from digitduels.lab.prose import balance, comparison, first_moves, ladder, outcome
from digitduels.lab.stored_reports import STORED_REPORTS, is_current, read_reports, report_key, stored_findings
from digitduels.players.levels import LEVELS_VERSION
from digitduels.rule_sets import label, presets, rule_set

PAGE = Path(__file__).parent / "results" / "lab-reports.md"
HEAD = """# Reports of the books and of the repaired editions

For players and designers: each book as it is, and the edition that the [lab](../lab.md) recommends instead, close to
the book, and fairer and deeper where such a rule set was found. Play one with `duels play GAME:repaired`. `python
docs/lab_reports.py` writes this page.
"""
SLOWEST = ("number-quest", "number-duel", "numerical-nexus")  # books, the slowest last


def main(names: list[str]) -> None:
    """Measures the rule sets that are named, or all that need it, and writes what is known after each."""
    chosen = [rules for name in names for rules in rule_sets(name)]
    if not names:
        chosen = [rules for name in dd.games() for rules in rule_sets(name) if stored_findings(rules) is None]
    current = {report_key(rules.id, rules.values) for name in dd.games() for rules in rule_sets(name)}
    for rules in sorted(chosen, key=slowness):
        start = time.monotonic()
        key = report_key(rules.id, rules.values)
        entry = report_of(rules, read_reports().get(key), again=bool(names))
        stored = [report for name, report in (read_reports() | {key: entry}).items() if name in current]
        files.write(STORED_REPORTS, (json.dumps(stored, indent=1) + "\n").encode())
        files.write(PAGE, page(stored).encode())
        print(f"{label(rules)}: measured in {time.monotonic() - start:.0f} s.", flush=True)


def report_of(rules: AnyGame, stored: dict[str, Any] | None, again: bool) -> dict[str, Any]:
    """The report of a rule set with the findings of the linter. Measures again only what is not current."""
    solution = dd.solve(rules)
    if again or stored is None or not is_current(stored):
        stored = {"levels": LEVELS_VERSION, **dd.lab.measure(rules, solution=solution).to_dict()}
    findings = with_remedies(rules, ranked([*lint(rules, solution=solution), *measured(report_from(stored))]))
    return {**stored, "lint": LINT_VERSION, "findings": [finding.to_dict() for finding in findings]}


def slowness(rules: AnyGame) -> int:
    """The place of a rule set in the order in which they are measured."""
    return 1 + SLOWEST.index(rules.id) if rules.id in SLOWEST and not rules.changes else 0


def rule_sets(name: str) -> list[AnyGame]:
    """The book of a game and its editions, or the one that is named."""
    found = [name] if ":" in name else [name, *(f"{name}:{preset}" for preset in presets(name))]
    return [dd.game(game_id, **options) for game_id, options in map(rule_set, found)]


def page(stored: list[dict[str, Any]]) -> str:
    """The page of all reports."""
    by_game = sorted({found["game"] for found in stored})
    return "\n".join([HEAD, *(section([found for found in stored if found["game"] == name]) for name in by_game)])


def section(stored: list[dict[str, Any]]) -> str:
    """The reports of a game, side by side, the book first."""
    pairs = sorted(
        ((report_from(found), (found["levels"], found["gauges"])) for found in stored),
        key=lambda pair: len(pair[0].game.changes),
    )
    reports = [report for report, _ in pairs]
    rows = [
        *comparison(reports),
        *(
            [f"version of the {name}", *(str(versions[index]) for _, versions in pairs)]
            for index, name in enumerate(("levels", "gauges"))
        ),
    ]
    table = [f"| {' | '.join(row)} |" for row in rows]
    table.insert(1, "|---|" + "---:|" * len(reports))
    words = [
        f"- **{label(report.game)}.** {outcome(report)} {first_moves(report)} {balance(report)} {ladder(report)}"
        for report in reports
    ]
    return "\n".join([f"## {reports[0].game.title}", "", *words, "", *table, ""])


if __name__ == "__main__":
    main(sys.argv[1:])
