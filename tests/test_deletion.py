"""Deleting is a promise about the disk: no name is left, nobody waits, and no clock deletes a lesson in progress."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from databases import Postgresql
from digitduels.web.app import App
from digitduels.web.classes import class_service
from digitduels.web.rooms.periodic import Clock
from digitduels.web.settings import Settings
from digitduels.web.store import Change, ClassChange, Event, Kept, KeptClass, Seat, Store, open_store
from digitduels.web.store.interface import GAMES_AT_ONCE
from test_classes import Teacher
from web import wait_for

pytestmark = pytest.mark.slow

DAY = 86400.0
NAMES = [f"Zebulon{number}" for number in range(30)]
CLASS = KeptClass("KFMTX", "the id", b"token", {"game": "number-duel"}, 100.0)
GAME = Kept("game", {"game": "number-duel"}, None, "playing", False, 100.0, 100.0, code="KFMTX")


def names_on_disk(folder: Path) -> int:
    """How many of the names are somewhere in the files of a folder."""
    content = b"".join(path.read_bytes() for path in folder.iterdir())
    return sum(name.encode() in content for name in NAMES)


def fill(client: TestClient) -> Teacher:
    """A class with pupils who have played."""
    teacher = Teacher(client)
    tokens = [teacher.join(name)["token"] for name in NAMES]
    teacher.act("pair")
    for token in tokens:
        teacher.move(token)
    return teacher


def server(folder: Path, **settings: Any) -> TestClient:
    return TestClient(App(Settings(rate=0, database=str(folder / "games.sqlite"), **settings)))


async def many_games(store: Store, count: int, code: str = "KFMTX") -> None:
    """Stores a class with many games."""
    await store.create_class(replace(CLASS, code=code, id=code))
    seats = tuple(Seat(seat, b"token", f"{NAMES[seat]} {code}", None, 100.0) for seat in (0, 1))
    games = tuple(replace(GAME, id=f"{code} {number}", seats=seats, code=code) for number in range(count))
    await store.append_class(code, 0, ClassChange((Event(1, None, "pair", {}, "a", 100.0),), games))


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "games.sqlite")
    postgresql: Postgresql = request.getfixturevalue("postgresql")
    return postgresql.database()


# Names


def test_no_name_of_a_deleted_class_is_left_on_disk(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        teacher = fill(client)
        assert names_on_disk(tmp_path) == len(NAMES)
        assert teacher.send("delete").status_code == 201
        assert names_on_disk(tmp_path) == 0


def test_no_name_of_an_expired_class_or_game_is_left_on_disk(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        fill(client)
        client.post("/api/games", json={"game": "number-duel", "name": NAMES[0]})
    with sqlite3.connect(tmp_path / "games.sqlite") as database:
        for table, column in (("class", "created"), ("game", "created"), ("game", "touched"), ("pupil", "seen")):
            database.execute(f"UPDATE {table} SET {column} = 100")
        database.execute("DROP TRIGGER class_event_stays")
        database.execute("UPDATE class_event SET at = 100")
    database.close()
    with server(tmp_path, grace=0):
        wait_for(lambda: names_on_disk(tmp_path) == 0)


def test_deleted_rows_are_overwritten_whatever_sqlite_was_built_with(tmp_path: Path) -> None:
    store: Any = open_store(str(tmp_path / "games.sqlite"))
    assert store._database.execute("PRAGMA secure_delete").fetchone() == (1,)
    asyncio.run(store.close())


def test_names_are_erased_later_if_another_process_is_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("digitduels.web.store.sqlite.ERASE_AGAIN", 0.0)

    async def main() -> None:
        store = open_store(str(tmp_path / "games.sqlite"))
        await many_games(store, 3)
        reader = sqlite3.connect(tmp_path / "games.sqlite")
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM seat").fetchone() == (6,)
        await store.delete_class("KFMTX", 500.0)
        assert names_on_disk(tmp_path) > 0, "the reader still sees the old rows"
        reader.close()
        await store.check()
        assert names_on_disk(tmp_path) == 0
        await store.close()

    asyncio.run(main())


def test_a_clean_stop_leaves_no_log_behind(tmp_path: Path) -> None:
    async def main() -> None:
        store = open_store(str(tmp_path / "games.sqlite"))
        await many_games(store, 1)
        reads = [asyncio.create_task(store.read("KFMTX 0")) for _ in range(50)]
        await asyncio.sleep(0)
        await store.close()
        await asyncio.gather(*reads)

    for _ in range(20):
        asyncio.run(main())
        assert [path.name for path in tmp_path.iterdir()] == ["games.sqlite"]


def test_a_database_is_readable_for_its_owner_only_even_an_old_one(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    file.touch(0o644)
    asyncio.run(open_store(str(file)).close())
    assert file.stat().st_mode & 0o777 == 0o600


# Nobody waits


def test_moves_are_stored_while_a_large_class_is_being_deleted(database: str) -> None:
    async def main() -> None:
        store = open_store(database)
        await many_games(store, 3 * GAMES_AT_ONCE)
        deleting = asyncio.create_task(store.delete_class("KFMTX", 500.0))
        stored = 0
        while not deleting.done():
            await store.create(replace(GAME, id=f"other {stored}", code=None))
            stored += 1
        assert await deleting
        assert stored >= 3, "one for every transaction of the deletion"
        assert await store.read("KFMTX 0") is None
        await store.close()

    asyncio.run(main())


def test_an_interrupted_deletion_is_finished_later(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        store = open_store(database)
        await many_games(store, GAMES_AT_ONCE + 5)
        deleting = asyncio.create_task(store.delete_class("KFMTX", 500.0, b"the act"))
        while await store.read_class("KFMTX") is not None:
            await asyncio.sleep(0)
        deleting.cancel()
        await asyncio.gather(deleting, return_exceptions=True)
        await store.close()
        store = open_store(database)
        assert await store.read_class("KFMTX") is None
        assert await store.deletion("KFMTX") == b"the act", "to whoever repeats the act, it is done"
        change = ClassChange((Event(2, None, "end", {}, "b", 200.0),))
        assert await store.append_class("KFMTX", 1, change) is None
        for code in await store.expired_classes(0.0):
            assert await store.delete_class(code, 500.0)
        assert await store.read(f"KFMTX {GAMES_AT_ONCE + 4}") is None
        assert await store.expired_classes(1e12) == []
        assert await store.deletion("KFMTX") == b"the act"
        await store.close()

    asyncio.run(main())


def test_a_class_that_cannot_be_deleted_stops_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def prepare() -> None:
        store = open_store(str(tmp_path / "games.sqlite"))
        for code in ("AAAAA", "BBBBB", "CCCCC"):
            await many_games(store, 1, code)
        await store.close()

    asyncio.run(prepare())
    with sqlite3.connect(tmp_path / "games.sqlite") as database:
        database.execute(
            "CREATE TRIGGER bad BEFORE DELETE ON class WHEN OLD.code = 'AAAAA' BEGIN SELECT RAISE(ABORT, 'bad'); END"
        )
    with server(tmp_path, grace=0):
        wait_for(lambda: database.execute("SELECT code FROM class").fetchall() == [("AAAAA",)])
    database.close()
    assert any(record.getMessage() == "background" for record in caplog.records)


# Clocks


def test_a_class_expires_by_its_newest_sign_of_life(database: str) -> None:
    async def main() -> None:
        store = open_store(database)
        for code in ("AAAAA", "BBBBB", "CCCCC", "DDDDD"):
            await many_games(store, 1, code)
        await store.append_class("BBBBB", 1, ClassChange((Event(2, None, "pause", {}, "b", 300.0),)))
        await store.see_pupils([("CCCCC", 1)], 300.0)
        move = Event(1, 0, "move", {}, "c", 300.0)
        await store.append("DDDDD 0", 0, Change((move,), "playing", False))
        assert await store.expired_classes(100.0) == []
        assert await store.expired_classes(101.0) == ["AAAAA"]
        assert sorted(await store.expired_classes(301.0)) == ["AAAAA", "BBBBB", "CCCCC", "DDDDD"]
        await store.close()

    asyncio.run(main())


def test_a_clock_that_jumps_deletes_no_lesson_in_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_service, "CLASS_SWEEP", 0.01)
    monkeypatch.setattr(class_service, "CLASS_GRACE", 0.0)
    real, trusted, answers = time.time, Clock.trusted, list[bool]()

    async def recorded(self: Clock, after_start: float, after_jump: float) -> bool:
        answer = await trusted(self, after_start, after_jump)
        if after_start == 0:  # asked by the sweep of classes
            answers.append(answer)
        return answer

    monkeypatch.setattr(Clock, "trusted", recorded)
    with server(tmp_path) as client:
        teacher = fill(client)
        wait_for(lambda: answers.count(True) > 1)
        monkeypatch.setattr(time, "time", lambda: real() + 30 * DAY)
        wait_for(lambda: answers.count(False) > 2)
        assert answers[-1] is False
        assert len(teacher.look()["pupils"]) == len(NAMES)


def test_after_a_start_a_lesson_has_time_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.monotonic()
    clock = Clock()
    assert not asyncio.run(clock.trusted(600, 0))
    offset = time.time() - started
    monkeypatch.setattr(time, "monotonic", lambda: started + 601)
    monkeypatch.setattr(time, "time", lambda: started + 601 + offset)
    assert asyncio.run(clock.trusted(600, 3600))
