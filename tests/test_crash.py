"""Nothing that was acknowledged is lost, doubled or out of order, whatever is killed; see crash.py."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from crash import Report, crash
from crash_server import FAULTS
from databases import Postgresql


def seen_all(report: Report) -> bool:
    """Whether people played, were shown a version twice, sent twice, came too late, and were taught."""
    played = report.looks > len(report.seen) > 50 and report.answers[201] > 50
    return played and report.answers[200] > 0 and report.answers[409] > 0 and len(report.taught) > 5


def test_kill_9_loses_no_acknowledged_move_and_doubles_none(tmp_path: Path) -> None:
    report = asyncio.run(crash(str(tmp_path / "games.sqlite"), 4, until=seen_all))
    assert not report.faults, str(report)
    assert (report.kills, report.pauses, report.stalls) == (4, 2, 2)
    assert seen_all(report), str(report)


def test_two_servers_and_a_killed_postgresql_lose_and_double_nothing(postgresql: Postgresql) -> None:
    report = asyncio.run(
        crash(postgresql.database(), 4, servers=2, restart=postgresql.restart, pause=postgresql.pause, until=seen_all)
    )
    assert not report.faults, str(report)
    assert (report.kills, report.restarts) == (2, 2)
    assert (report.pauses, report.stalls) == (1, 1)
    assert seen_all(report), str(report)


@pytest.mark.parametrize(("fault", "seen"), [("answers_before_commit", "lost"), ("ignores_the_version", "out of turn")])
def test_the_harness_finds_the_fault(tmp_path: Path, fault: str, seen: str) -> None:
    assert fault in FAULTS
    report = asyncio.run(crash(str(tmp_path / "games.sqlite"), 2, tables=3, lessons=1, fault=fault))
    assert any(seen in each for each in report.faults), str(report)
