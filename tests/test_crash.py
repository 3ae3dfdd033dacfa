"""Nothing that was acknowledged is lost, doubled or out of order, whatever is killed; see crash.py."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from crash import crash
from crash_server import FAULTS
from databases import Postgresql


def test_kill_9_loses_no_acknowledged_move_and_doubles_none(tmp_path: Path) -> None:
    report = asyncio.run(crash(str(tmp_path / "games.sqlite"), 4))
    assert not report.faults, str(report)
    assert (report.kills, report.pauses, report.stalls) == (4, 2, 2)
    assert report.looks > len(report.seen) > 50, "no version was looked at twice"
    assert report.answers[201] > 50
    assert report.answers[200] > 0, "nothing was ever sent twice"
    assert report.answers[409] > 0, "nobody was ever too late"
    assert len(report.taught) > 5, "no class was taught"


def test_two_servers_and_a_killed_postgresql_lose_and_double_nothing(postgresql: Postgresql) -> None:
    report = asyncio.run(crash(postgresql.database(), 4, servers=2, restart=postgresql.restart, pause=postgresql.pause))
    assert not report.faults, str(report)
    assert (report.kills, report.restarts) == (2, 2)
    assert report.answers[201] > 50
    assert (report.pauses, report.stalls) == (1, 1)
    assert report.looks > len(report.seen) > 50, "no version was looked at twice"
    assert report.taught


@pytest.mark.parametrize(("fault", "seen"), [("answers_before_commit", "lost"), ("ignores_the_version", "out of turn")])
def test_the_harness_finds_the_fault(tmp_path: Path, fault: str, seen: str) -> None:
    assert fault in FAULTS
    report = asyncio.run(crash(str(tmp_path / "games.sqlite"), 2, tables=3, lessons=1, fault=fault))
    assert any(seen in each for each in report.faults), str(report)
