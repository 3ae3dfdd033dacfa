"""Reports that come with the package: the books and our editions. Some of them take minutes to measure.

Each report stores the versions of the levels and of the gauges. A report with other versions is ignored, because its
figures may be wrong. `python docs/lab_reports.py` measures them again and writes them, and the page in the
documentation.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from digitduels.games import AnyGame
from digitduels.lab.lint import LINT_VERSION, Finding, finding_from
from digitduels.lab.measures import GAUGES_VERSION, Report, report_from
from digitduels.players.levels import LEVELS_VERSION

STORED_REPORTS = Path(__file__).parent / "reports.json"


def stored_report(rules: AnyGame) -> Report | None:
    """The stored report of a rule set; None if there is none for the current levels and gauges."""
    report = _reports().get(report_key(rules.id, rules.values))
    return report_from(report) if report is not None and is_current(report) else None


def stored_findings(rules: AnyGame) -> list[Finding] | None:
    """The stored findings about a rule set; None if there are none of the current versions."""
    report = _reports().get(report_key(rules.id, rules.values))
    if report is None or not is_current(report) or report.get("lint") != LINT_VERSION:
        return None
    return [finding_from(finding) for finding in report["findings"]]


def is_current(report: dict[str, Any]) -> bool:
    """Whether a stored report has the current versions."""
    return (report.get("levels"), report.get("gauges")) == (LEVELS_VERSION, GAUGES_VERSION)


def read_reports() -> dict[str, dict[str, Any]]:
    """All stored reports by rule set, including those of older levels."""
    reports = json.loads(STORED_REPORTS.read_text(encoding="utf-8"))
    return {report_key(report["game"], report["options"]): report for report in reports}


_reports = cache(read_reports)


def report_key(name: str, values: dict[str, Any]) -> str:
    """A key for a rule set. Tuples and lists of integers give the same key."""
    return json.dumps([name, values])
