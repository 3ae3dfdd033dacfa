"""Whatever is killed, no acknowledged act is lost, duplicated or reordered; see crash.py."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from crash import Report, crash
from crash_server import FAULTS
from databases import Postgresql

pytestmark = pytest.mark.slow


def covered(report: Report) -> bool:
    """Whether the run has covered everything: moves, repeated reads, retries, version conflicts and classes."""
    played = report.looks > len(report.seen) > 50 and report.answers[201] > 50
    return played and report.answers[200] > 0 and report.answers[409] > 0 and len(report.taught) > 5


def test_kill_9_neither_loses_nor_duplicates_an_acknowledged_move(tmp_path: Path) -> None:
    report = asyncio.run(crash(str(tmp_path / "games.sqlite"), 4, until=covered))
    assert not report.faults, str(report)
    assert (report.kills, report.pauses, report.stalls) == (4, 2, 2)
    assert covered(report), str(report)


def test_killing_two_servers_and_postgresql_neither_loses_nor_duplicates_a_move(postgresql: Postgresql) -> None:
    report = asyncio.run(
        crash(postgresql.database(), 4, servers=2, restart=postgresql.restart, pause=postgresql.pause, until=covered)
    )
    assert not report.faults, str(report)
    assert (report.kills, report.restarts) == (2, 2)
    assert (report.pauses, report.stalls) == (1, 1)
    assert covered(report), str(report)


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "message"), [("answers_before_commit", "lost"), ("ignores_the_version", "out of turn")]
)
def test_the_harness_detects_an_injected_fault(tmp_path: Path, fault: str, message: str) -> None:
    assert fault in FAULTS
    report = asyncio.run(crash(str(tmp_path / "games.sqlite"), 2, tables=3, lessons=1, fault=fault))
    assert any(message in text for text in report.faults), str(report)
