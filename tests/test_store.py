"""The guarantees of a store, the same for SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from conftest import PATIENCE, Run
from databases import Postgresql
from digitduels.web.streams import migrations
from digitduels.web.streams.connect import open_store
from digitduels.web.streams.postgresql import PostgresqlStore
from digitduels.web.streams.store import (
    AT_ONCE,
    Change,
    Event,
    Member,
    Notice,
    Query,
    Store,
    StoreError,
    Stream,
    Token,
)

pytestmark = pytest.mark.slow

RULES = {"game": "number-duel", "options": {"target": 50}, "first": 1, "position": None, "moves": ["+5"]}
ANNA = Member(0, "Anna", None, 100.0, (Token("hash of a token"), Token("of a second screen", reads_only=True)))
GAME = Stream("abcdefghijkl", "game", RULES, "open", False, 100.0, 100.0, members=(ANNA,))


def run(database: str, test: Callable[..., Coroutine[Any, Any, None]], stores: int = 1) -> None:
    """Runs a test with several stores on the same database."""

    async def main() -> None:
        opened = [open_store(database) for _ in range(stores)]
        try:
            async with asyncio.timeout(PATIENCE):
                await test(*opened)
        finally:
            for store in opened:
                await store.close()

    asyncio.run(main())


def sql(database: str, statement: str) -> list[tuple[Any, ...]]:
    """Runs a statement directly in the database."""
    if database.startswith("postgresql://"):
        with psycopg.connect(database) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []
    file = sqlite3.connect(database, isolation_level=None)
    try:
        return file.execute(statement).fetchall()
    finally:
        file.close()


async def append(
    store: Store, id: str, key: str, kind: str = "move", status: str = "playing", due: bool = False, **more: Any
) -> int:
    """Appends an event to a game, whatever its version is, and returns the new version."""
    while True:
        kept = await store.read(id)
        assert kept is not None
        event = Event(kept.head + 1, 0, kind, {"by": key}, key, 200.0 + kept.head)
        if await store.append(id, kept.head, Change((event,), status, due, **more)) is not None:
            return event.version


def test_a_stored_game_is_read_back(database: str) -> None:
    bert = Member(1, "Computer", 3, 150.0)

    async def test(store: Store) -> None:
        await store.create(GAME)
        assert await store.read(GAME.id) == GAME
        assert await append(store, GAME.id, "a", due=True, members=(bert,)) == 1
        event = Event(1, 0, "move", {"by": "a"}, "a", 200.0)
        after = replace(GAME, status="playing", due=True, touched=200.0, head=1, members=(ANNA, bert), events=(event,))
        assert await store.read(GAME.id) == after

    run(database, test)

    async def again(store: Store) -> None:
        kept = await store.read(GAME.id)
        assert kept is not None
        assert (kept.head, [event.key for event in kept.events]) == (1, ["a"])

    run(database, again)


def test_an_unknown_game_is_none(database: str) -> None:
    async def test(store: Store) -> None:
        assert await store.read("no-such-game") is None
        assert await store.append("no-such-game", 0, Change((Event(1, 0, "move", {}, "a", 1.0),), "playing")) is None
        assert await store.glance(["no-such-game"]) == {}
        await store.record_presence([("no-such-game", 0)], 1.0)
        await store.check()

    run(database, test)


def test_a_version_conflict_stores_nothing(database: str) -> None:
    async def test(store: Store) -> None:
        assert await store.create(GAME) is GAME
        assert await store.create(replace(GAME, created=300.0)) == GAME, "the same key is the same game"
        late = Change((Event(3, 0, "move", {}, "late", 300.0),), "playing", begins=(replace(GAME, id="another-game"),))
        assert await store.append(GAME.id, 2, late) is None
        assert await store.read(GAME.id) == GAME
        assert await store.read("another-game") is None, "all of a change is kept, or nothing"

    run(database, test)


def test_reading_from_a_version_returns_only_newer_events(database: str) -> None:
    async def test(store: Store) -> None:
        await store.create(GAME)
        for key in "abc":
            await append(store, GAME.id, key)
        kept = await store.read(GAME.id, 1)
        assert kept is not None
        assert (kept.head, [event.key for event in kept.events]) == (3, ["b", "c"])

    run(database, test)


@pytest.mark.parametrize("stores", [1, 2])
def test_concurrent_changes_get_consecutive_versions(database: str, stores: int) -> None:
    async def test(*stores: Store) -> None:
        await stores[0].create(GAME)
        changes = [append(stores[n % len(stores)], GAME.id, f"key {n}") for n in range(30)]
        assert sorted(await asyncio.gather(*changes)) == list(range(1, 31))
        for store in stores:
            kept = await store.read(GAME.id)
            assert kept is not None
            assert kept.head == 30
            assert [event.version for event in kept.events] == list(range(1, 31))

    run(database, test, stores)


def test_versions_and_keys_are_unique_and_a_failure_does_not_affect_other_games(database: str) -> None:
    async def test(store: Store) -> None:
        await store.create(GAME)
        await store.create(replace(GAME, id="another-game"))
        assert await append(store, GAME.id, "a") == 1
        again = replace(GAME, id="third-game")
        twice = Change((Event(2, 0, "move", {}, "a", 300.0),), "playing", begins=(again,))
        results = await asyncio.gather(
            append(store, "another-game", "b"),
            store.append(GAME.id, 1, twice),
            append(store, "another-game", "c"),
            return_exceptions=True,
        )
        assert sorted(result for result in results if isinstance(result, int)) == [1, 2]
        assert isinstance(results[1], StoreError)
        kept = await store.read(GAME.id)
        assert kept is not None
        assert (kept.head, [event.key for event in kept.events]) == (1, ["a"])
        assert await store.read("third-game") is None, "all of a change is kept, or nothing"

    run(database, test)


def test_an_invalid_event_stops_no_other_one_that_is_stored_with_it(database: str) -> None:
    async def test(store: Store) -> None:
        ids = [f"game-number-{number}" for number in range(8)]
        for id in ids:
            await store.create(replace(GAME, id=id))
            await append(store, id, "a")
        again = Change((Event(2, 0, "move", {}, "a", 300.0),), "playing")
        results = await asyncio.gather(
            store.append(ids[0], 1, again), *(append(store, id, "b") for id in ids[1:]), return_exceptions=True
        )
        assert isinstance(results[0], StoreError)
        assert results[1:] == [2] * 7

    run(database, test)


def test_concurrent_appends_are_checked_against_their_own_game(database: str) -> None:
    def moved(version: int, key: str) -> Change:
        return Change((Event(version, 0, "move", {"by": key}, key, 200.0 + version),), "playing", False)

    async def test(store: Store) -> None:
        ids = [f"game-number-{number}" for number in range(8)]
        for id in ids:
            await store.create(replace(GAME, id=id))
        assert await store.append(ids[0], 0, moved(1, "first")) == {}
        results = await asyncio.gather(
            store.append(ids[0], 0, moved(1, "stale")),
            store.append("no-such-game", 0, moved(1, "nowhere")),
            store.append(ids[1], 0, moved(1, "either")),
            store.append(ids[1], 0, moved(1, "or")),
            *(store.append(id, 0, moved(1, "mine")) for id in ids[2:]),
        )
        assert results[:2] == [None, None]
        assert sorted(results[2:4], key=str) == [None, {}]
        assert results[4:] == [{}] * 6
        for id, keys in zip(ids, [{"first"}, {"either", "or"}, *[{"mine"}] * 6], strict=True):
            kept = await store.read(id)
            assert kept is not None
            (happened,) = kept.events
            assert happened.key in keys
            assert (kept.head, kept.touched, happened.body) == (1, 201.0, {"by": happened.key})

    run(database, test)


def test_a_change_can_begin_another_game(database: str) -> None:
    again = replace(GAME, id="another-game")

    async def test(store: Store) -> None:
        await store.create(GAME)
        await append(store, GAME.id, "a", begins=(again,))
        assert await store.read("another-game") == again

    run(database, test)


def test_a_change_that_begins_a_game_with_a_taken_id_stores_nothing(database: str) -> None:
    async def test(store: Store) -> None:
        await store.create(GAME)
        await store.create(replace(GAME, id="another-game"))
        change = Change((Event(1, 0, "move", {}, "a", 200.0),), "playing", begins=(replace(GAME, id="another-game"),))
        with pytest.raises(StoreError):
            await store.append(GAME.id, 0, change)
        assert await store.read(GAME.id) == GAME

    run(database, test)


@pytest.mark.parametrize("statement", ["UPDATE event SET body = '{}'", "DELETE FROM event"])
def test_events_cannot_be_changed_or_deleted(database: str, statement: str) -> None:
    async def test(store: Store) -> None:
        await store.create(GAME)
        await append(store, GAME.id, "a")

    run(database, test)
    with pytest.raises((sqlite3.Error, psycopg.Error), match=r"never|only with their stream"):
        sql(database, statement)
    assert sql(database, "SELECT body FROM event") == [('{"by": "a"}',)]


def test_a_glance_returns_versions_and_times_of_presence(database: str) -> None:
    async def test(store: Store) -> None:
        await store.create(GAME)
        await append(store, GAME.id, "a", members=(Member(1, "Bert", None, 150.0),))
        await store.record_presence([(GAME.id, 1), (GAME.id, 0)], 400.0)
        await store.record_presence([(GAME.id, 1)], 500.0)
        assert await store.glance([GAME.id, "no-such-game"]) == {GAME.id: (1, 1, {0: 400.0, 1: 500.0})}

    run(database, test)


def test_due_and_idle_games_are_found(database: str) -> None:
    async def test(store: Store) -> None:
        for number in range(3):
            await store.create(replace(GAME, id=f"game {number}"))
        await append(store, "game 0", "a", due=True)
        await append(store, "game 1", "a")
        assert await store.find(Query.DUE, 200.0) == []
        assert await store.find(Query.DUE, 201.0) == ["game 0"]
        assert await store.find(Query.IDLE, 200.0) == []
        assert await store.find(Query.IDLE, 201.0) == ["game 0", "game 1"]
        await append(store, "game 0", "b", status="over")
        assert await store.find(Query.DUE, 1000.0) == []
        assert await store.find(Query.IDLE, 1000.0) == ["game 1"]

    run(database, test)


def test_only_unjoined_games_are_forgotten(database: str) -> None:
    async def test(store: Store) -> None:
        for number in range(AT_ONCE + 3):
            await store.create(replace(GAME, id=f"game {number:03}"))
        await append(store, "game 000", "a", status="open")
        await append(store, "game 001", "a", status="playing")
        await append(store, "game 002", "a", status="closed")
        assert await store.expire(Query.UNJOINED, 100.0) == []
        forgotten = await store.expire(Query.UNJOINED, 101.0)
        assert len(set(forgotten)) == AT_ONCE + 1
        assert await store.expire(Query.UNJOINED, 101.0) == []
        left = [await store.read(f"game {number:03}") is not None for number in range(4)]
        assert left == [False, True, True, False]

    run(database, test)


def test_closing_waits_for_pending_writes(database: str) -> None:
    async def main() -> None:
        store = open_store(database)
        await store.create(GAME)
        begun = [asyncio.create_task(store.create(replace(GAME, id=f"game {n}"))) for n in range(20)]
        await asyncio.sleep(0)
        await store.close()
        await asyncio.gather(*begun)

    asyncio.run(main())
    assert sql(database, "SELECT count(*) FROM stream") == [(21,)]


@pytest.mark.parametrize("version", range(1, migrations.NEWEST))
def test_an_older_database_is_migrated_and_keeps_its_games(database: str, version: int) -> None:
    scripts = migrations.FOR_POSTGRESQL if database.startswith("postgresql://") else migrations.FOR_SQLITE
    sql(database, "CREATE TABLE version (number INTEGER NOT NULL)")
    for number, script in enumerate(scripts[:version], 1):
        for statement in migrations.statements(script):
            sql(database, statement)
        sql(database, f"INSERT INTO version VALUES ({number})")
    rules, columns = json.dumps(RULES), "id, rules, invite, head, status, due, created, touched"
    sql(database, f"INSERT INTO game ({columns}) VALUES ('{GAME.id}', '{rules}', NULL, 0, 'open', false, 100, 100)")

    async def test(store: Store) -> None:
        assert await store.read(GAME.id) == replace(GAME, members=())
        await append(store, GAME.id, "a")

    run(database, test)
    run(database, nothing)
    versions = [(number + 1,) for number in range(migrations.NEWEST)]
    assert sql(database, "SELECT number FROM version ORDER BY number") == versions
    with pytest.raises((sqlite3.Error, psycopg.Error), match="only with their stream"):
        sql(database, "DELETE FROM event")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_migration_that_fails_changes_nothing(database: str) -> None:
    shutil.copy(Path(__file__).parent / "second_edition" / "games.sqlite", database)
    sql(database, "INSERT INTO class_event SELECT class, 99, 'join', 'not JSON', 'x', 1 FROM class_event LIMIT 1")
    with pytest.raises(StoreError, match="malformed JSON"):
        open_store(database)
    assert sql(database, "SELECT max(number) FROM version") == [(5,)]
    assert sql(database, "SELECT count(*) FROM game WHERE status = 'over'") != [(0,)]


async def nothing(store: Store) -> None:
    """A test that only opens and closes the store."""


def test_a_newer_database_is_refused_and_left_unchanged(database: str) -> None:
    run(database, nothing)
    sql(database, "INSERT INTO version VALUES (99)")
    with pytest.raises(StoreError, match=r"has version 99, .* up to 6\. Use the newer Digit Duels that wrote it\."):
        open_store(database)
    assert sql(database, "SELECT max(number) FROM version") == [(99,)]


def test_an_unusable_database_is_refused_with_a_clear_message(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_text("This is not a database. " * 100)
    for database in (str(foreign), str(tmp_path), str(foreign / "below"), "mysql://localhost/x"):
        with pytest.raises(StoreError, match=r"\.$"):
            open_store(database)
    assert foreign.read_text().startswith("This is not")


def test_the_command_reports_what_is_wrong_with_its_database(duels: Run, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_text("This is not a database. " * 100)
    refused = duels("serve", "--check", "--port", "0", "--database", str(foreign))
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"duels: The database {foreign} cannot be used: ")
    assert len(refused.stderr.splitlines()) == 1
    assert duels("serve", "--check", "--port", "0", "--database", str(tmp_path / "new.sqlite")).returncode == 0


def test_error_messages_never_contain_the_password() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("postgresql://duels:sesame@127.0.0.1:9/duels?connect_timeout=1")
    assert "sesame" not in str(caught.value)
    assert "PostgreSQL" in str(caught.value)


def test_other_processes_are_notified_of_changes_and_of_possible_gaps(postgresql: Postgresql) -> None:
    async def test(one: Store, other: Store) -> None:
        notified: asyncio.Queue[dict[str, int] | None] = asyncio.Queue()
        await one.create(GAME)
        other.watch(notified.put_nowait)
        assert await notified.get() is None
        await append(one, GAME.id, "a")
        await append(one, GAME.id, "b")
        heads = []
        while 2 not in heads:
            heads += [change[GAME.id] for change in [await notified.get()] if change]
        await asyncio.to_thread(postgresql.restart)
        while await notified.get() is not None:
            pass
        for key in "cdefgh":  # the first may fail on a dead connection, with its outcome unknown
            try:
                await append(one, GAME.id, key)
            except StoreError:
                continue
            break
        while not await notified.get():
            pass

    run(postgresql.database(), test, 2)


def test_connections_to_postgresql_have_timeouts(postgresql: Postgresql) -> None:
    async def test(store: Store) -> None:
        assert isinstance(store, PostgresqlStore)
        with store._connect() as database:
            limits = {
                name: database.execute(f"SHOW {name}".encode()).fetchone()
                for name in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
            }
        assert list(limits.values()) == [("2s",), ("5s",), ("4s",)]

    run(postgresql.database(), test)


def test_a_locked_game_delays_no_other_one(postgresql: Postgresql, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("digitduels.web.streams.postgresql.ANSWER_SECONDS", PATIENCE)

    async def test(store: Store) -> None:
        for id in ("locked", "free"):
            await store.create(replace(GAME, id=id))
        with psycopg.connect(database) as lock:
            lock.execute("SELECT 1 FROM stream WHERE id = 'locked' FOR UPDATE")
            waiting, other = (asyncio.create_task(append(store, id, "a")) for id in ("locked", "free"))
            assert await other == 1
            assert not waiting.done()
        assert await waiting == 1

    database = postgresql.database()
    patient = "-c lock_timeout=0 -c statement_timeout=0"
    run(f"{database}{'&' if '?' in database else '?'}options={quote(patient)}", test)


# Classes

TEACHER = Member(0, "", None, 100.0, (Token("hash"),))
LESSON = Stream(
    "KFMTX", "class", {"game": "number-duel"}, "playing", False, 100.0, 100.0, origin="secret", members=(TEACHER,)
)


def test_a_class_is_stored_with_a_unique_origin_and_a_unique_code(database: str) -> None:
    async def test(store: Store) -> None:
        assert await store.create(LESSON) is LESSON
        assert await store.create(replace(LESSON, id="BBBBB")) == LESSON, "the same key is the same class"
        assert await store.create(replace(LESSON, origin="other")) is None, "a code is taken"
        assert await store.read("KFMTX") == LESSON
        assert await store.read("BBBBB") is None
        event = Event(1, 1, "join", {"pupil": 1}, "a", 150.0)
        pupils = tuple(Member(number, "Ann", None, 150.0, (Token("the same device"),)) for number in (1, 2))
        assert await store.append("KFMTX", 0, Change((event,), "playing", members=pupils)) == {}
        assert await store.append("KFMTX", 0, Change((event,), "playing")) is None, "a version is past"
        after = replace(LESSON, head=1, touched=150.0, members=(TEACHER, *pupils))
        assert await store.read("KFMTX") == replace(after, events=(event,))
        assert await store.read("KFMTX", 1) == after

    run(database, test)


def test_a_class_and_its_games_change_in_one_transaction(database: str) -> None:
    seats = (ANNA, Member(1, "Bert", None, 100.0, (Token("token"),)))
    games = [replace(GAME, id=f"game {n}", parent="KFMTX", status="playing", due=True, members=seats) for n in range(3)]

    async def test(store: Store) -> None:
        await store.create(LESSON)
        pair = Event(1, 0, "pair", {}, "a", 150.0)
        await store.append("KFMTX", 0, Change((pair,), "playing", begins=tuple(games)))
        assert await store.read("game 1") == games[1]
        await append(store, "game 1", "move")
        await append(store, "game 2", "end", status="over")
        rest = Notice(("game 0", "game 1", "game 2"), "pause", {"message": "!"}, "class:2")
        pause = Change((Event(2, 0, "pause", {}, "b", 300.0),), "playing", notices=(rest,))
        assert await store.append("KFMTX", 1, pause) == {"game 0": 1, "game 1": 2}
        assert await store.append("KFMTX", 1, pause) is None
        kept = await store.read("game 1")
        assert kept is not None
        assert (kept.head, kept.status, kept.touched) == (2, "playing", 300.0)
        assert kept.events[-1] == Event(2, None, "pause", {"message": "!"}, "class:2", 300.0)
        late = Change((Event(1, 0, "move", {}, "late", 301.0),), "playing")
        assert await store.append("game 0", 0, late) is None
        assert await store.glance(["KFMTX", "BBBBB"]) == {"KFMTX": (2, 2 + 1 + 2 + 1, {0: 100.0})}
        close = Notice(("game 0",), "close", {}, "class:3", closes=True)
        end = Change((Event(3, 0, "end", {}, "c", 400.0),), "over", notices=(close,))
        assert await store.append("KFMTX", 2, end) == {"game 0": 2}
        closed = await store.read("game 0")
        assert closed is not None
        assert (closed.status, closed.due) == ("closed", False)

    run(database, test)


def test_a_class_is_deleted_with_its_games_and_its_code_stays_reserved(database: str) -> None:
    async def test(store: Store) -> None:
        for number, code in enumerate(("KFMTX", "BBBBB")):
            await store.create(replace(LESSON, id=code, origin=code, created=100.0 + number))
            begins = replace(GAME, id=f"game {number}", parent=code)
            await store.append(code, 0, Change((Event(1, 0, "pair", {}, "a", 1.0),), "playing", begins=(begins,)))
        assert await store.delete("KFMTX", 500.0)
        assert not await store.delete("KFMTX", 500.0)
        assert (await store.read("KFMTX"), await store.read("game 0")) == (None, None)
        assert await store.read("game 1") is not None
        assert await store.create(replace(LESSON, created=499.0)) is None
        assert await store.deletion("BBBBB") is None
        assert await store.delete("BBBBB", 500.0, "hash of the act")
        assert await store.deletion("BBBBB") == "hash of the act"
        assert await store.deletion("KFMTX") is None, "no act deleted it"
        assert await store.read("game 1") is None
        again = replace(LESSON, created=501.0)
        assert await store.create(again) is again
        await store.delete("KFMTX", 600.0)

    run(database, test)
    for table in ("token", "member", "event", "stream"):
        assert sql(database, f"SELECT count(*) FROM {table}") == [(0,)]
