"""Deleting is a promise about the disk: no name is left, nobody waits, and no clock deletes a lesson in progress."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from conftest import PATIENCE, ROOT
from digitduels.web.classes import service as class_service
from digitduels.web.streams.connect import open_store
from digitduels.web.streams.periodic import Clock
from digitduels.web.streams.sqlite import SqliteStore
from digitduels.web.streams.store import (
    AT_ONCE,
    CHILDREN_AT_ONCE,
    Change,
    Event,
    Member,
    Query,
    Store,
    StoreError,
    Stream,
    Token,
)
from test_classes import Teacher
from web import application, wait_for

pytestmark = pytest.mark.slow

DAY = 86400.0
NAMES = [f"Zebulon{number}" for number in range(30)]
CLASS = Stream("KFMTX", "class", {"game": "number-duel"}, "playing", False, 100.0, 100.0)
GAME = Stream("game", "game", {"game": "number-duel"}, "playing", False, 100.0, 100.0, parent="KFMTX")


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
    return TestClient(application(database=str(folder / "games.sqlite"), **settings))


async def many_games(store: Store, count: int, code: str = "KFMTX") -> None:
    """Stores a class with many games."""
    pupils = tuple(Member(number, NAMES[number], None, 100.0, (Token("token"),)) for number in (0, 1))
    await store.create(replace(CLASS, id=code, origin=code, members=pupils))
    seats = tuple(Member(seat, f"{NAMES[seat]} {code}", None, 100.0, (Token("token"),)) for seat in (0, 1))
    games = tuple(replace(GAME, id=f"{code} {number}", members=seats, parent=code) for number in range(count))
    await store.append(code, 0, Change((Event(1, None, "pair", {}, "a", 100.0),), "playing", begins=games))


# Names


def test_no_name_of_a_deleted_class_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("digitduels.web.streams.sqlite.ERASE_SECONDS", PATIENCE)  # the server may be reading
    with server(tmp_path) as client:
        teacher = fill(client)
        assert names_on_disk(tmp_path) == len(NAMES)
        assert teacher.send("delete").status_code == 201
        assert names_on_disk(tmp_path) == 0


def test_another_server_forgets_a_deleted_class_with_its_games(tmp_path: Path) -> None:
    with server(tmp_path) as here, server(tmp_path) as there:
        teacher = fill(here)
        headers = teacher.headers()
        assert there.get(teacher.path, headers=headers).json()["boards"]
        services: Any = there.app.runtime  # type: ignore[attr-defined]
        assert len(services.rooms.cache) == len(NAMES) // 2
        assert teacher.send("delete").status_code == 201
        assert there.get(teacher.path, headers=headers).status_code == 404
        assert (len(services.classes.cache), len(services.rooms.cache)) == (0, 0)


def test_no_name_of_an_expired_class_or_game_is_left_on_disk(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        fill(client)
        client.post("/api/games", json={"game": "number-duel", "name": NAMES[0]})
    with sqlite3.connect(tmp_path / "games.sqlite") as database:
        for table, column in (("stream", "created"), ("stream", "touched"), ("member", "seen")):
            database.execute(f"UPDATE {table} SET {column} = 100")
    database.close()
    with server(tmp_path, grace=0):
        wait_for(lambda: names_on_disk(tmp_path) == 0)


@pytest.mark.parametrize("count", [1, AT_ONCE, AT_ONCE + 1])
def test_no_name_is_left_however_many_games_expire_at_once(tmp_path: Path, count: int) -> None:
    async def main() -> None:
        store = open_store(str(tmp_path / "games.sqlite"))
        for number in range(count):
            alone = (Member(0, NAMES[number % len(NAMES)], None, 100.0, (Token("token"),)),)
            await store.create(replace(GAME, id=str(number), parent=None, status="open", members=alone))
        assert names_on_disk(tmp_path) > 0
        assert len(await store.expire(Query.UNJOINED, 101.0)) == count
        assert names_on_disk(tmp_path) == 0
        await store.close()

    asyncio.run(main())


def test_deleted_rows_are_overwritten_whatever_sqlite_was_built_with(tmp_path: Path) -> None:
    store: Any = open_store(str(tmp_path / "games.sqlite"))
    assert store._database.execute("PRAGMA secure_delete").fetchone() == (1,)
    asyncio.run(store.close())


def test_names_that_an_earlier_edition_deleted_are_erased_when_its_database_is_migrated(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    shutil.copy(ROOT / "tests" / "first_edition" / "rooms.sqlite", file)
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("PRAGMA secure_delete = OFF")
        database.execute("CREATE TABLE pupil (name TEXT)")
        database.executemany("INSERT INTO pupil VALUES (?)", [(name,) for name in NAMES])
        database.execute("DROP TABLE pupil")
    assert names_on_disk(tmp_path) == len(NAMES)
    store = open_store(str(file))
    assert names_on_disk(tmp_path) == 0
    asyncio.run(store.close())


def test_names_are_erased_later_if_another_process_is_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("digitduels.web.streams.sqlite.ERASE_AGAIN", 0.0)

    async def main() -> None:
        store = open_store(str(tmp_path / "games.sqlite"))
        await many_games(store, 3)
        reader = sqlite3.connect(tmp_path / "games.sqlite")
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM member").fetchone() == (8,)
        await store.delete("KFMTX", 500.0)
        assert names_on_disk(tmp_path) > 0, "the reader still sees the old rows"
        reader.close()
        await store.check()
        assert names_on_disk(tmp_path) == 0
        await store.close()

    asyncio.run(main())


def test_names_are_erased_later_even_if_nobody_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("digitduels.web.streams.sqlite.ERASE_AGAIN", 0.01)

    async def delete() -> Store:
        store = open_store(str(tmp_path / "games.sqlite"))
        await many_games(store, 3)
        await store.delete("KFMTX", 500.0)
        return store

    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as reader:
        asyncio.run(open_store(str(tmp_path / "games.sqlite")).close())
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM member").fetchone()
        store = asyncio.run(delete())
        assert names_on_disk(tmp_path) > 0
    wait_for(lambda: names_on_disk(tmp_path) == 0)
    asyncio.run(store.close())


def test_names_that_a_killed_server_left_in_the_log_are_erased_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def delete_and_be_killed(file: Path, copy: Path) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(SqliteStore, "_erase", lambda *_: None)
            store = open_store(str(file))
            await many_games(store, 3)
            await store.delete("KFMTX", 500.0)
            shutil.copytree(file.parent, copy)
            await store.close()

    (folder := tmp_path / "first").mkdir()
    asyncio.run(delete_and_be_killed(folder / "games.sqlite", copy := tmp_path / "second"))
    assert names_on_disk(copy) > 0
    store = open_store(str(copy / "games.sqlite"))
    wait_for(lambda: names_on_disk(copy) == 0)
    asyncio.run(store.close())


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
        await many_games(store, 3 * CHILDREN_AT_ONCE)
        deleting = asyncio.create_task(store.delete("KFMTX", 500.0))
        stored = 0
        while not deleting.done():
            await store.create(replace(GAME, id=f"other {stored}", parent=None))
            stored += 1
        assert await deleting
        assert stored >= 3, "one for every transaction of the deletion"
        assert await store.read("KFMTX 0") is None
        await store.close()

    asyncio.run(main())


def test_an_interrupted_deletion_is_finished_later(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        store = open_store(database)
        await many_games(store, CHILDREN_AT_ONCE + 5)
        deleting = asyncio.create_task(store.delete("KFMTX", 500.0, "the act"))
        while await store.read("KFMTX") is not None:
            await asyncio.sleep(0)
        deleting.cancel()
        await asyncio.gather(deleting, return_exceptions=True)
        await store.close()
        store = open_store(database)
        assert await store.read("KFMTX") is None
        assert await store.deletion("KFMTX") == "the act", "to whoever repeats the act, it is done"
        change = Change((Event(2, None, "end", {}, "b", 200.0),), "over")
        assert await store.append("KFMTX", 1, change) is None
        for code in await store.find(Query.FORGOTTEN, 0.0):
            assert await store.delete(code, 500.0)
        assert await store.read(f"KFMTX {CHILDREN_AT_ONCE + 4}") is None
        assert await store.find(Query.FORGOTTEN, 1e12) == []
        assert await store.deletion("KFMTX") == "the act"
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
            "CREATE TRIGGER bad BEFORE DELETE ON stream WHEN OLD.id = 'AAAAA' BEGIN SELECT RAISE(ABORT, 'bad'); END"
        )
    with server(tmp_path, grace=0):
        wait_for(lambda: database.execute("SELECT id FROM stream").fetchall() == [("AAAAA",)])
    database.close()
    assert any(record.getMessage() == "background" for record in caplog.records)


@pytest.mark.parametrize("bad", [("g000",), ("g003", "g150", "g249")])
def test_a_game_that_cannot_be_deleted_stops_no_other(tmp_path: Path, bad: tuple[str, ...]) -> None:
    async def main() -> None:
        store = open_store(str(tmp_path / "games.sqlite"))
        for number in range(250):
            assert await store.create(replace(GAME, id=f"g{number:03}", parent=None, status="open"))
        with closing(sqlite3.connect(tmp_path / "games.sqlite", isolation_level=None)) as database:
            condition = " OR ".join(f"OLD.id = '{id}'" for id in bad)
            database.execute(
                f"CREATE TRIGGER bad BEFORE DELETE ON stream WHEN {condition} BEGIN SELECT RAISE(ABORT, 'bad'); END"
            )
            with pytest.raises(StoreError, match="bad"):
                await store.expire(Query.UNJOINED, 101.0)
            assert database.execute("SELECT id FROM stream ORDER BY id").fetchall() == [(id,) for id in bad]
        await store.close()

    asyncio.run(main())


# Clocks


def test_a_class_expires_by_its_newest_sign_of_life(database: str) -> None:
    async def main() -> None:
        store = open_store(database)
        for code in ("AAAAA", "BBBBB", "CCCCC", "DDDDD"):
            await many_games(store, 1, code)
        await store.append("BBBBB", 1, Change((Event(2, None, "pause", {}, "b", 300.0),), "playing"))
        await store.record_presence([("CCCCC", 1)], 300.0)
        move = Event(1, 0, "move", {}, "c", 300.0)
        await store.append("DDDDD 0", 0, Change((move,), "playing", False))
        assert await store.find(Query.FORGOTTEN, 100.0) == []
        assert await store.find(Query.FORGOTTEN, 101.0) == ["AAAAA"]
        assert sorted(await store.find(Query.FORGOTTEN, 301.0)) == ["AAAAA", "BBBBB", "CCCCC", "DDDDD"]
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
