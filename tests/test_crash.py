"""Whatever is killed, no acknowledged act is lost, duplicated or reordered; see crash.py."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from crash import Report, crash
from crash_server import answers_before_commit, ignores_the_version
from databases import Postgresql

pytestmark = pytest.mark.slow


def covered(report: Report) -> bool:
    """Whether the run has covered everything: moves, repeated reads, retries, version conflicts and classes."""
    played = report.looks > len(report.seen) > 50 and report.answers[201] > 50
    return played and report.answers[200] > 0 and report.answers[409] > 0 and len(report.taught) > 5


def test_kill_9_neither_loses_nor_duplicates_an_acknowledged_move(tmp_path: Path) -> None:
    report = asyncio.run(crash(str(tmp_path / "games.sqlite"), 2, until=covered))
    assert not report.faults, str(report)
    assert (report.kills, report.pauses, report.stalls) == (2, 1, 1)
    assert covered(report), str(report)


def test_killing_two_servers_and_postgresql_neither_loses_nor_duplicates_a_move(postgresql: Postgresql) -> None:
    report = asyncio.run(
        crash(postgresql.database(), 3, servers=2, restart=postgresql.restart, pause=postgresql.pause, until=covered)
    )
    assert not report.faults, str(report)
    assert (report.kills, report.restarts) == (2, 1)
    assert (report.pauses, report.stalls) == (1, 1)
    assert covered(report), str(report)


def test_the_harness_detects_a_server_that_answers_before_it_commits(tmp_path: Path) -> None:
    report = asyncio.run(
        crash(str(tmp_path / "games.sqlite"), 1, tables=3, lessons=0, fault=answers_before_commit.__name__)
    )
    assert any(text.startswith("lost: Acknowledged") for text in report.faults), str(report)


def test_the_harness_detects_a_server_that_ignores_the_version(tmp_path: Path) -> None:
    def out_of_turn(report: Report) -> bool:
        return any(act.accepted != act.answered + 1 for act in report.acknowledged)

    fault = ignores_the_version.__name__
    report = asyncio.run(crash(str(tmp_path / "games.sqlite"), 0, tables=3, lessons=0, fault=fault, until=out_of_turn))
    assert any("out of turn" in text for text in report.faults), str(report)
