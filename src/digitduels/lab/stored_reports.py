"""Reports that come with the package: the books and our editions. Some of them take minutes to measure.

Each report stores the version of the levels. A report with another version is ignored, because its figures may be
wrong. `python docs/lab_reports.py` measures them again and writes them, and the page in the documentation.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from digitduels.games import AnyGame
from digitduels.lab.measures import Report, report_from
from digitduels.players.levels import LEVELS_VERSION

STORED_REPORTS = Path(__file__).parent / "reports.json"
VERSION = "levels"  # the key of the levels' version


def stored_report(rules: AnyGame) -> Report | None:
    """The stored report of a rule set; None if there is none for the current version of the levels."""
    report = _reports().get(report_key(rules.id, rules.values))
    return report_from(report) if report is not None and report[VERSION] == LEVELS_VERSION else None


def read_reports() -> dict[str, dict[str, Any]]:
    """All stored reports by rule set, including those of older levels."""
    reports = json.loads(STORED_REPORTS.read_text(encoding="utf-8"))
    return {report_key(report["game"], report["options"]): report for report in reports}


_reports = cache(read_reports)


def report_key(name: str, values: dict[str, Any]) -> str:
    """A key for a rule set. Tuples and lists of integers give the same key."""
    return json.dumps([name, values])
