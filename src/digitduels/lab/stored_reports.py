"""Reports that come with the package: those of the books and of our editions, some of which take minutes to measure.

Each says which version of the levels it was measured with. One of another version is not used, for its figures may be
wrong.
`python docs/lab_reports.py` measures them again and writes them, and the page in the documentation.
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
VERSION = "levels"  # the key of the version of the levels


def stored_report(rules: AnyGame) -> Report | None:
    """The report of a rule set, if it comes with the package and was measured with these levels."""
    found = _reports().get(report_key(rules.id, rules.values))
    return report_from(found) if found is not None and found[VERSION] == LEVELS_VERSION else None


def read_reports() -> dict[str, dict[str, Any]]:
    """All stored reports by rule set, also those of older levels."""
    reports = json.loads(STORED_REPORTS.read_text(encoding="utf-8"))
    return {report_key(report["game"], report["options"]): report for report in reports}


_reports = cache(read_reports)


def report_key(name: str, values: dict[str, Any]) -> str:
    """A rule set as a key. Options of several integers are the same as tuples and as lists."""
    return json.dumps([name, values])
