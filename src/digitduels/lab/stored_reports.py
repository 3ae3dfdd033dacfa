"""Reports that come with the package: those of the books and of our editions, some of which take minutes to measure.

`python docs/lab_reports.py` measures them again and writes them, and the page in the documentation.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from digitduels.games import AnyGame
from digitduels.lab.measures import Report, report_from

STORED_REPORTS = Path(__file__).parent / "reports.json"


def stored_report(rules: AnyGame) -> Report | None:
    """The report of a rule set, if it comes with the package."""
    found = _reports().get(_key(rules.id, rules.values))
    return None if found is None else report_from(found)


@cache
def _reports() -> dict[str, dict[str, Any]]:
    reports = json.loads(STORED_REPORTS.read_text(encoding="utf-8"))
    return {_key(report["game"], report["options"]): report for report in reports}


def _key(name: str, values: dict[str, Any]) -> str:
    return json.dumps([name, values])
