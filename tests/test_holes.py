"""Security holes reported from outside, each with the request that exploited it."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from conftest import PATIENCE
from digitduels.web.app import App
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import opponents, service
from digitduels.web.rooms.state import visible
from digitduels.web.settings import Settings
from digitduels.web.streams import periodic
from digitduels.web.streams.periodic import Clock
from digitduels.web.workers.supervisor import BUSY, WORKERS_TRIED, Worker
from test_rooms import Friends, sql
from web import application, running, wait_for
from workers import NoProcesses, OnlyBooks

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with running(tmp_path_factory.mktemp("holes"), hosts="127.0.0.1, duels.example") as client:
        yield client


@pytest.mark.parametrize("origin", ["http://[x]", "http://]", "null", "http://[::1"])
def test_an_origin_that_is_not_a_url_is_refused(site: httpx.Client, origin: str) -> None:
    assert site.get("/healthz", headers={"Origin": origin}).status_code == 403


def test_a_request_with_a_foreign_host_header_is_refused(site: httpx.Client) -> None:
    assert site.get("/healthz").status_code == 200
    assert site.get("/healthz", headers={"Host": "Duels.example:8000"}).status_code == 200
    assert site.get("/healthz", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ann", " ann\u200d"),
        ("x" * 36 + " (2)", "x" * 36 + " (2)"),
        ("\u0301\u0302", "\u3164"),
        ("Ａnn (2)", "Ａnn (2)"),
    ],
)
def test_names_that_look_alike_are_made_different(site: httpx.Client, first: str, second: str) -> None:
    created = site.post("/api/games", json={"game": "number-duel", "name": first})
    assert created.status_code == 201
    body = {"invite": created.json()["invite"], "name": second}
    joined = site.post(f"/api/games/{created.json()['id']}/seats", json=body)
    assert joined.status_code == 201, joined.text
    names = joined.json()["state"]["names"]
    assert names[0].casefold() != names[1].casefold()
    assert all(visible(name) == name for name in names)


def test_a_token_opens_its_own_seat_and_a_forged_token_opens_none(site: httpx.Client) -> None:
    created = site.post("/api/games", json={"game": "number-duel", "seat": 2}).json()
    path = f"/api/games/{created['id']}/seat"
    assert site.get(path, headers={"Authorization": f"Bearer {created['token']}"}).json() == {"seat": 2}
    assert site.get(path, headers={"Authorization": f"Bearer {secrets.token_urlsafe(24)}"}).status_code == 403
    assert site.get(path).status_code == 403


def test_a_repeated_idempotency_key_creates_one_game(site: httpx.Client) -> None:
    body = {"game": "number-duel", "key": secrets.token_urlsafe(18)}
    first, again = site.post("/api/games", json=body), site.post("/api/games", json=body)
    assert (first.status_code, again.status_code) == (201, 200)
    for part in ("id", "seat", "token", "invite"):
        assert first.json()[part] == again.json()[part]
    for other in ({"game": "number-quest"}, {"seat": 2}, {"computer": {"level": 2}}, {"moves": ["+5"]}):
        assert site.post("/api/games", json=body | other).status_code == 422, other


def test_a_random_seat_is_the_same_when_the_request_is_repeated(site: httpx.Client) -> None:
    drawn = []
    for _ in range(20):
        body = {"game": "number-duel", "seat": "random", "key": secrets.token_urlsafe(18)}
        first, again = site.post("/api/games", json=body), site.post("/api/games", json=body)
        assert (first.status_code, again.status_code) == (201, 200), again.text
        assert first.json()["seat"] == again.json()["seat"]
        drawn.append(first.json()["seat"])
    assert set(drawn) == {1, 2}


def test_rate_limits_are_reported_and_a_rematch_costs_as_much_as_a_new_game(tmp_path: Path) -> None:
    with running(tmp_path, rate=0.001, burst=60) as site:
        left = [
            site.post(path, json={}).headers["ratelimit"]
            for path in ("/api/games/nosuchgame12/concede", "/api/games/nosuchgame12/rematch")
        ]
        assert left == ['"address";r=59;t=0', '"address";r=49;t=0']


def test_only_the_owner_can_read_the_database_file(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    with TestClient(application(database=str(file))):
        for each in tmp_path.glob("games.sqlite*"):
            assert stat.S_IMODE(os.stat(each).st_mode) == 0o600, each


def test_a_worker_imports_nothing_from_its_working_directory(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('imported from here')")
    program = (
        "import asyncio\n"
        "from digitduels.web.workers.supervisor import Worker\n"
        "async def main():\n"
        "    worker = await Worker.start(1 << 25)\n"
        "    print(await worker.read_line())\n"
        "    await worker.stop()\n"
        "asyncio.run(main())\n"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ran.stdout == "b'ready\\n'\n", ran.stderr


def test_a_game_that_fails_to_replay_is_marked_and_the_others_go_on(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    settings = {"database": str(file), "grace": 0}
    with TestClient(application(**settings)) as client:
        gone, odd, idle = Friends(client), Friends(client), Friends(client)
    sql(file, "UPDATE stream SET touched = 0, created = 0")
    sql(file, "UPDATE stream SET data = replace(data, 'number-quest', 'no-such-game') WHERE id = ?", gone.id)
    sql(file, "UPDATE stream SET data = replace(data, 'target', 'no-such-option'), due = 1 WHERE id = ?", odd.id)
    with TestClient(application(**settings)) as client:
        idle.client = client
        wait_for(lambda: idle.state["closed"])
        for game in (gone, odd):
            answer = client.get(f"/api/games/{game.id}")
            assert (answer.status_code, "cannot be shown here" in answer.json()["detail"]) == (404, True), answer.text
        wait_for(lambda: len(sql(file, "SELECT id FROM stream WHERE broken IS NOT NULL")) == 2)


def test_a_background_loop_survives_exceptions(caplog: pytest.LogCaptureFixture) -> None:
    done: list[int] = []

    async def work() -> None:
        done.append(len(done))
        raise ZeroDivisionError("of the test")

    async def main() -> None:
        loops = periodic.PeriodicTasks()
        loops.every(0.001, work)
        while len(done) < 3:
            await asyncio.sleep(0.001)
        await loops.stop()
        assert loops.failures >= 3

    asyncio.run(main())
    assert any(record.exc_info and "of the test" in str(record.exc_info[1]) for record in caplog.records)


def test_the_computer_plays_at_random_and_says_so_if_its_worker_dies_every_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, levels = Worker.ask, []

    async def die(self: Worker, question: bytes) -> bytes:
        levels.append(json.loads(question)["with"]["who"])
        self.process.kill()
        return await ask(self, question)

    monkeypatch.setattr(Worker, "ask", die)
    monkeypatch.setattr(opponents, "RETRY_SECONDS", 0.0)
    settings = Settings(rate=0, workers=1, database=str(tmp_path / "games.sqlite"))
    with TestClient(App(settings, workers=OnlyBooks(settings))) as client:
        state = Friends(client, join=False, seat=2, computer={"level": 3}).wait(1)
    assert levels == ["3"] * opponents.ATTEMPTS * WORKERS_TRIED
    assert any("chose this move at random" in sentence["text"] for sentence in state["status"])


def test_the_computer_waits_while_its_workers_are_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, refused = NoProcesses.ask, list[tuple[Any, ...]]()

    async def refuse(self: NoProcesses, *question: Any) -> Any:
        if len(refused) <= opponents.ATTEMPTS:
            refused.append(question)
            raise Refusal(503, BUSY)
        return await ask(self, *question)

    monkeypatch.setattr(NoProcesses, "ask", refuse)
    monkeypatch.setattr(opponents, "THINK", 0.0)
    monkeypatch.setattr(service, "THINK", 0.01)
    with TestClient(application(database=str(tmp_path / "games.sqlite"))) as client:
        state = Friends(client, join=False, seat=2, computer={"level": 1}).wait(1)
    assert len(refused) > opponents.ATTEMPTS
    assert not any("random" in sentence["text"] for sentence in state["status"])


def test_nothing_is_deleted_or_closed_during_the_grace_period_after_a_start(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    with TestClient(application(database=str(file))) as client:
        idle, alone = Friends(client), Friends(client, join=False)
    sql(file, "UPDATE stream SET touched = 0, created = 0")
    with TestClient(application(database=str(file), grace=24)) as client:
        rooms: Any = client.app.runtime.rooms  # type: ignore[attr-defined]
        portal: Any = client.portal
        portal.call(rooms._retention.sweep)
        assert not client.get(f"/api/games/{idle.id}").json()["closed"]
        assert client.get(f"/api/games/{alone.id}").status_code == 200


def test_games_that_ended_long_ago_are_deleted_with_their_events(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    with TestClient(application(database=str(file))) as client:
        over, playing = Friends(client), Friends(client)
        over.act(1, "concede")
    sql(file, "UPDATE stream SET touched = touched - 181 * 86400 WHERE id = ?", over.id)
    with pytest.raises(sqlite3.Error, match="only with their stream"):
        sql(file, "DELETE FROM event")
    with TestClient(application(database=str(file), grace=0)) as client:
        wait_for(lambda: client.get(f"/api/games/{over.id}").status_code == 404)
        assert client.get(f"/api/games/{playing.id}").status_code == 200
    assert sql(file, "SELECT count(*) FROM event WHERE stream = ?", over.id) == [(0,)]


def test_a_clock_jump_is_logged_and_restarts_the_grace_period(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    now, passed = time.time(), time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: passed + 7200)
    monkeypatch.setattr(time, "time", lambda: now + 7200 + 3600)
    assert not asyncio.run(clock.trusted(0, 60))
    monkeypatch.setattr(time, "monotonic", lambda: passed + 7300)
    monkeypatch.setattr(time, "time", lambda: now + 7300 + 3600)
    assert asyncio.run(clock.trusted(0, 60))
    assert any(record.getMessage() == "clock" for record in caplog.records)
