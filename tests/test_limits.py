"""Limits: what a request costs, who pays, and that nobody learns a secret from an answer or keeps others out."""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from conftest import PATIENCE
from digitduels.web.buckets import Buckets
from digitduels.web.classes import acts
from digitduels.web.classes import service as class_service
from digitduels.web.classes.acts import MOST_PUPILS
from digitduels.web.classes.pairing import pair
from digitduels.web.classes.results import results
from digitduels.web.connections import Limits
from digitduels.web.http import guard, limits
from digitduels.web.http.limits import COSTS, FREE_SHARE, Turns, cost_of
from digitduels.web.reach import MOST_CHECKS, MOST_DEVICES
from digitduels.web.routes import reach_check
from digitduels.web.sender import GAME_COST
from digitduels.web.settings import Settings
from digitduels.web.streams import service as stream_service
from digitduels.web.streams.sqlite import SqliteStore
from servers import QUICK, Server
from test_classes import Teacher
from web import application, until_the_end

pytestmark = pytest.mark.slow

STRANGER, SCHOOL, TEACHER = "192.0.2.1", "192.0.2.2", "192.0.2.3"


@contextmanager
def site(folder: Path, **settings: Any) -> Iterator[TestClient]:
    """A server with the default limits whose clients say from which address they come."""
    app = application(**{"rate": 30.0, "burst": 300, "database": str(folder / "games.sqlite")} | settings)

    async def from_anywhere(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope["client"] = (dict(scope["headers"]).get(b"x-test-address", TEACHER.encode()).decode(), 1)
        await app(scope, receive, send)

    with TestClient(from_anywhere) as client:
        yield client


def at(address: str, token: str | None = None) -> dict[str, str]:
    return {"X-Test-Address": address} | ({"Authorization": f"Bearer {token}"} if token else {})


@pytest.fixture
def slow_refill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes how many codes an address may guess, and how many bots may join, independent of the time of a test."""
    for name in ("WRONG_CODES", "NEW_PUPILS"):
        monkeypatch.setattr(class_service, name, (1e-6, getattr(class_service, name)[1]))


def join(client: TestClient, code: str, address: str, name: str = "Eve", token: str | None = None) -> Any:
    body = {"name": name, "key": secrets.token_urlsafe(24)}
    return client.post(f"/api/classes/{code}/pupils", json=body, headers=at(address, token))


def seen(answer: Any) -> tuple[int, bytes, list[tuple[str, str]]]:
    """An answer as its reader sees it, apart from the id of the request and the seconds to wait."""
    variable = ("x-request-id", "ratelimit", "retry-after")
    return answer.status_code, answer.content, [item for item in answer.headers.items() if item[0] not in variable]


# Class codes


def test_right_and_wrong_codes_look_alike_to_a_stranger_who_has_guessed_too_often(
    tmp_path: Path, slow_refill: None
) -> None:
    with site(tmp_path) as client:
        code = Teacher(client).code
        statuses = [join(client, f"BBBB{letter}", STRANGER).status_code for letter in "BCDFGHJKLMNP"]
        assert statuses == [404] * 10 + [429] * 2
        right, wrong = join(client, code, STRANGER), join(client, "ZZZZZ", STRANGER)
        assert seen(right) == seen(wrong)
        assert right.headers.keys() == wrong.headers.keys()


@pytest.mark.parametrize("path", ["", "/events", "/results", "/results.csv"])
def test_without_a_token_a_right_code_looks_like_a_wrong_one(path: str, tmp_path: Path) -> None:
    with site(tmp_path) as client:
        code = Teacher(client).code
        for token in (None, "x" * 32):
            right, wrong = (
                client.get(f"/api/classes/{word}{path}", headers=at(STRANGER, token)) for word in (code, "ZZZZZ")
            )
            assert right.status_code == 404
            assert seen(right) == seen(wrong)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("acts", {"act": "pair", "version": 0, "key": "k" * 16}),
        ("acts", {"act": "delete", "version": 0, "key": "k" * 16}),
        ("links", {"kind": "desk", "key": "k" * 16}),
    ],
)
def test_without_a_token_an_act_in_a_right_class_is_refused_like_one_in_a_wrong_class(
    path: str, body: dict[str, Any], tmp_path: Path
) -> None:
    with site(tmp_path) as client:
        code = Teacher(client).code
        for token in (None, "x" * 32):
            right, wrong = (
                client.post(f"/api/classes/{word}/{path}", json=body, headers=at(STRANGER, token))
                for word in (code, "ZZZZZ")
            )
            assert right.status_code == 404
            assert seen(right) == seen(wrong)


@pytest.mark.parametrize("known", [True, False])
def test_after_too_many_guesses_the_work_is_the_same_for_every_code(
    known: bool, tmp_path: Path, slow_refill: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, reads = SqliteStore._read, list[Any]()

    async def count(store: SqliteStore, work: Any) -> Any:
        reads.append(work)
        return await read(store, work)

    def reads_for(code: str) -> int:
        reads.clear()
        assert client.get(f"/api/classes/{code}", headers=at(STRANGER, "x" * 32)).status_code == 429
        return len(reads)

    with site(tmp_path) as client:
        teacher = Teacher(client)
        ann = teacher.join("Ann")["token"]
    with site(tmp_path) as client:
        if known:
            assert client.get(teacher.path, headers=at(TEACHER, teacher.token)).status_code == 200
        for letter in "BCDFGHJKLMNP":
            join(client, f"BBBB{letter}", STRANGER)
        monkeypatch.setattr(SqliteStore, "_read", count)
        assert reads_for(teacher.code) == reads_for("ZZZZZ") == 1
        assert client.get(teacher.path, headers=at(STRANGER, ann)).status_code == 200, "a member at the same address"


def test_guesses_with_the_token_of_another_class_count_for_the_address(tmp_path: Path, slow_refill: None) -> None:
    with site(tmp_path) as client:
        own = Teacher(client)
        tokens = [own.token, *(own.join(f"Pupil {number}")["token"] for number in range(5))]
        statuses = [
            join(client, f"BBBB{letter}", STRANGER, token=tokens[index % 6]).status_code
            for index, letter in enumerate("BCDFGHJKLMNPRSTVWXZ")
        ]
        assert statuses.count(404) == 10


def test_what_a_stranger_pays_does_not_depend_on_the_code(tmp_path: Path) -> None:
    with site(tmp_path, rate=0.001) as client:
        code = Teacher(client).code
        left = []
        for word in ("ZZZZZ", code, "ZZZZZ", code):
            answer = join(client, word, STRANGER)
            left.append(int(answer.headers["ratelimit"].split("r=")[1].split(";")[0]))
        paid = [before - after for before, after in pairwise(left)]
        assert paid == [3, 3, 3]


# A class pays for itself


def test_a_class_from_one_address_has_no_more_than_its_share(tmp_path: Path) -> None:
    with site(tmp_path, rate=0.01, burst=300) as client:
        teachers = [Teacher(client) for _ in range(4)]
        done = sum(
            client.get(teacher.path, headers=at(TEACHER, teacher.token)).status_code == 200
            for _ in range(100)
            for teacher in teachers
        )
        assert done <= 4 * 100  # each token has a third of the burst
        tokens = [teacher.join(f"Pupil {number}")["token"] for teacher in teachers for number in range(3)]
        more = sum(
            client.get(teachers[index // 3].path, headers=at(TEACHER, token)).status_code == 200
            for _ in range(100)
            for index, token in enumerate(tokens)
        )
        assert done + more <= 600, "twice the burst of an address for all its classes together"


def test_the_allowance_of_a_class_grows_with_the_addresses_of_its_pupils(tmp_path: Path) -> None:
    def requests(addresses: list[str]) -> int:
        (folder := tmp_path / str(len(addresses))).mkdir()
        with site(folder, rate=0.01, burst=60) as client:
            teacher = Teacher(client)
            tokens = {address: join(client, teacher.code, address).json()["token"] for address in addresses}
            return sum(
                client.get(teacher.path, headers=at(address, token)).status_code == 200
                for _ in range(60)
                for address, token in tokens.items()
            )

    few, many = requests(["192.0.2.10"]), requests([f"192.0.2.{number}" for number in range(10, 14)])
    assert many > 2 * few


def test_an_address_can_start_only_some_classes(tmp_path: Path) -> None:
    with site(tmp_path, rate=1e6, burst=10**6) as client:
        for _ in range(class_service.NEW_CLASSES[1]):
            Teacher(client)
        body = {"game": "number-duel", "mode": "pairs", "key": secrets.token_urlsafe(24)}
        refused = client.post("/api/classes", json=body, headers=at(TEACHER))
        assert refused.status_code == 429
        assert "Too many classes" in refused.json()["detail"]
        assert client.post("/api/classes", json=body, headers=at(SCHOOL)).status_code == 201


def test_pairing_costs_as_much_as_the_games_that_it_begins(tmp_path: Path) -> None:
    with site(tmp_path, rate=0.01, burst=100) as client:
        teacher = Teacher(client)
        for number in range(20):
            teacher.join(f"Pupil {number}")
        rounds = ["pair", *["next"] * 9]
        statuses = [teacher.send(act).status_code for act in rounds]
        assert statuses.count(201) == 6  # of 32 requests each, out of 200
        assert set(statuses) == {201, 429}


@pytest.mark.parametrize(("mode", "count"), [("computer", 30), ("pairs", MOST_PUPILS)])
def test_a_full_class_can_begin_a_round_within_the_limits(mode: str, count: int, tmp_path: Path) -> None:
    with site(tmp_path) as client:
        teacher = Teacher(client, mode=mode)
        for number in range(count):
            answer = join(client, teacher.code, f"198.51.100.{number}", f"Pupil {number}")
            assert answer.status_code == 201, answer.text
        assert len(teacher.act("pair")["boards"]) == (count if mode == "computer" else count // 2)


def test_nobody_is_paired_before_the_teacher_has_paid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paired: list[Any] = []

    def count(*arguments: Any) -> Any:
        paired.append(arguments)
        return pair(*arguments)

    monkeypatch.setattr(acts, "pair", count)
    with site(tmp_path, rate=0.01, burst=100) as client:
        teacher = Teacher(client)
        for number in range(20):
            join(client, teacher.code, f"198.51.100.{number}", f"Pupil {number}")
        statuses = [teacher.send(act).status_code for act in ["pair", *["next"] * 9]]
        assert 429 in statuses
        assert len(paired) == statuses.count(201) > 0


def test_the_results_of_a_class_are_put_together_outside_the_event_loop(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[object] = []

    def note(*arguments: Any) -> Any:
        threads.append(threading.current_thread())
        return results(*arguments)

    monkeypatch.setattr(class_service, "results", note)
    teacher = Teacher(client)
    teacher.join("Ann")
    for part in ("results", "results.csv"):
        assert client.get(f"{teacher.path}/{part}", headers=teacher.headers()).status_code == 200
    portal: Any = client.portal
    assert len(threads) == 2
    assert portal.call(threading.current_thread) not in threads


def test_classes_of_one_address_pair_their_pupils_only_as_fast_as_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(class_service, "LOOK_FOR_WAITING", 3600.0)
    with TestClient(application(database=str(tmp_path / "games.sqlite"))) as client:
        service: Any = client.app.runtime.classes  # type: ignore[attr-defined]
        portal: Any = client.portal
        pupils = []
        for _ in range(2):
            teacher = Teacher(client, mode="computer", auto_pairing=True)
            teacher.join("Ann")
            teacher.act("pair")
            pupils.append((teacher, teacher.join("Late")["token"]))

        def playing() -> int:
            portal.call(service.pair_waiting_pupils)
            return sum(teacher.look(token)["playing"] for teacher, token in pupils)

        service._paired = Buckets(1e-6, GAME_COST)
        assert [playing() for _ in range(5)] == [1] * 5
        service._paired = Buckets(1e-6, GAME_COST)
        assert playing() == 2
    assert not [record for record in caplog.records if record.getMessage() == "background"]


# Joining


def test_forty_pupils_join_beside_a_stranger_who_floods(tmp_path: Path, slow_refill: None) -> None:
    with site(tmp_path) as client:
        teacher = Teacher(client)
        teacher.look()
        joined = 0
        for number in range(40):
            for _ in range(3):
                join(client, teacher.code, STRANGER, "Bot")
                join(client, teacher.code, STRANGER, "")
            joined += join(client, teacher.code, TEACHER, f"Pupil {number}").status_code == 201
        assert joined == 40
        assert len(teacher.look()["pupils"]) <= MOST_PUPILS


def test_pupils_join_at_the_address_of_every_desk(tmp_path: Path, slow_refill: None) -> None:
    with site(tmp_path) as client:
        teacher = Teacher(client)
        assert client.get(teacher.path, headers=at("198.51.100.1", teacher.token)).status_code == 200
        for number in range(30):
            assert join(client, teacher.code, TEACHER, f"Pupil {number}").status_code == 201


def test_pupils_with_addresses_of_their_own_join_beside_a_stranger_who_floods(
    tmp_path: Path, slow_refill: None
) -> None:
    with site(tmp_path) as client:
        teacher = Teacher(client)
        joined = 0
        for number in range(40):
            for _ in range(3):
                join(client, teacher.code, STRANGER, "Bot")
            joined += join(client, teacher.code, f"198.51.100.{number}", f"Pupil {number}").status_code == 201
        assert joined == 40


def test_a_locked_class_takes_no_pupils_until_it_is_unlocked(client: TestClient) -> None:
    teacher = Teacher(client)
    ann = teacher.join("Ann", key="a" * 32)
    assert teacher.act("settings", locked=True)["rules"]["locked"] is True
    refused = client.post(f"{teacher.path}/pupils", json={"name": "Eve", "key": "e" * 32})
    assert (refused.status_code, "locked" in refused.json()["detail"]) == (423, True)
    assert teacher.join("Ann", key="a" * 32)["pupil"] == ann["pupil"], "a pupil who is in can open the class again"
    teacher.act("settings", locked=False)
    teacher.join("Eve")


def test_newcomers_are_removed_with_one_act_and_pupils_who_have_played_stay(client: TestClient) -> None:
    teacher = Teacher(client)
    teacher.join("Ann")
    teacher.join("Ben")
    assert teacher.send("remove-newcomers", version=99).status_code == 409
    teacher.act("pair")
    bots = [teacher.join(f"Bot {number}") for number in range(5)]
    state = teacher.act("remove-newcomers")
    assert [pupil["name"] for pupil in state["pupils"]] == ["Ann", "Ben"]
    told = client.get(teacher.path, headers=teacher.headers(bots[0]["token"]))
    assert (told.status_code, "removed you" in told.json()["detail"]) == (403, True)
    assert teacher.send("remove-newcomers").status_code == 422


@pytest.mark.parametrize("name", ["\u0410nn", "A\u0301nn", "\uff21\uff4e\uff4e", "An\u200bn", "ANN", "Ann"])
def test_a_name_that_looks_like_another_gets_a_number(client: TestClient, name: str) -> None:
    teacher = Teacher(client)
    teacher.join("Ann")
    teacher.join(name)
    shown = [pupil["name"] for pupil in teacher.look()["pupils"]]
    assert shown[1].endswith(" 2"), shown


def test_a_class_whose_game_is_not_installed_any_more_says_so(tmp_path: Path) -> None:
    with site(tmp_path) as client:
        teacher = Teacher(client)
    with sqlite3.connect(tmp_path / "games.sqlite") as database:
        database.execute("""UPDATE stream SET data = replace(data, 'operation-target', 'gone-game')""")
    database.close()
    with site(tmp_path) as client:
        answer = client.get(teacher.path, headers=at(TEACHER, teacher.token))
        assert answer.status_code == 404
        assert join(client, teacher.code, TEACHER).json()["detail"].startswith("This class cannot be shown here. ")


# Costs


@pytest.mark.parametrize(
    ("method", "path", "query", "cost"),
    [
        ("GET", "/healthz", b"", 0),
        ("GET", "/assets/0123/js/core.js", b"", 0),
        ("GET", "/", b"", 2),
        ("GET", "/readyz", b"", 2),
        ("GET", "/openapi.json", b"", 2),
        ("GET", "/play/number-duel", b"m" * 2000, 27),
        ("GET", "/api/solve/number-duel", b"m" * 2000, 26),
        ("GET", "/api/solve/number-duel", b"m" * 60_000, 151),
        ("GET", "/api/qr", b"", 15),
        ("POST", "/api/games/x/moves", b"", 1),
        ("POST", "/api/games", b"", 10),
        ("POST", "/api/classes/KFMTX/acts", b"", 1),
    ],
)
def test_every_request_is_charged_by_what_it_costs(method: str, path: str, query: bytes, cost: float) -> None:
    assert cost_of(method, path, query) == cost


def test_every_path_with_a_cost_of_its_own_exists(client: TestClient) -> None:
    paths = [*client.get("/openapi.json").json()["paths"], "/assets/1/js/core.js", "/"]
    for _, pattern, _ in COSTS:
        assert any(pattern.fullmatch(path.replace("{id}", "x").replace("{code}", "x")) for path in paths), pattern


def test_a_missing_file_costs_nothing_and_gets_no_page(tmp_path: Path) -> None:
    with site(tmp_path, rate=0.01, burst=2) as client:
        headers = at(STRANGER) | {"Accept": "text/html"}
        for path in ["/assets/0123456789ab/nothing.js"] * 5:
            answer = client.get(path, headers=headers)
            assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found."})
        page = client.get("/nothing", headers=headers)
        assert (page.status_code, "<main" in page.text) == (404, True)
        assert client.get("/nothing", headers=headers).status_code == 429


def test_a_query_with_too_many_parameters_is_refused(client: TestClient) -> None:
    for path in ("/api/position/number-duel", "/play/number-duel"):
        answer = client.get(f"{path}?{'&'.join(f'x{number}=1' for number in range(31))}")
        assert (answer.status_code, answer.json()["detail"]) == (422, "A query may have at most 30 parameters.")


def test_a_long_path_is_refused_before_anybody_looks_for_it(tmp_path: Path) -> None:
    with site(tmp_path, rate=0.01, burst=5) as client:
        statuses = [client.get(f"/{'a/' * 20_000}", headers=at(STRANGER)).status_code for _ in range(6)]
        assert statuses == [414] * 5 + [429]


def test_pages_are_limited_too(tmp_path: Path) -> None:
    with site(tmp_path, rate=0.01, burst=20) as client:
        statuses = [client.get("/learn", headers=at(STRANGER)).status_code for _ in range(12)]
        assert statuses == [200] * 10 + [429] * 2


def test_a_qr_code_is_drawn_only_for_short_links_of_this_server(client: TestClient) -> None:
    own = "http://testserver/g/abc#invite=secret"
    drawn = client.post("/api/qr", json={"text": own})
    assert (drawn.status_code, drawn.headers["cache-control"]) == (200, "no-store")
    assert drawn.content == client.get("/api/qr", params={"text": own}).content
    for text in ("http://elsewhere.example/g/abc", "http://testserver.example/", f"http://testserver/{'x' * 100}", "x"):
        assert client.get("/api/qr", params={"text": text}).status_code == 422, text
        assert client.post("/api/qr", json={"text": text}).status_code == 422, text


def test_the_database_is_probed_at_most_once_a_second(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    state: Any = client.app.runtime  # type: ignore[attr-defined]
    checks = 0

    async def check() -> None:
        nonlocal checks
        checks += 1

    monkeypatch.setattr("digitduels.web.runtime.PROBE_SECONDS", 3600.0)
    monkeypatch.setattr(state.probe._store, "check", check)
    monkeypatch.setattr(state.probe, "_last", (-7200.0, False))
    for _ in range(20):
        assert client.get("/readyz").json()["database"] is True
    assert checks == 1


def test_metrics_and_readiness_are_for_monitors_only(tmp_path: Path) -> None:
    with site(tmp_path, monitors="198.51.100.0/24") as client:
        for path in ("/metrics", "/readyz"):
            assert client.get(path, headers=at(STRANGER)).status_code == 404
            assert client.get(path, headers=at("198.51.100.7")).status_code in (200, 503)
        assert client.get("/healthz", headers=at(STRANGER)).status_code == 200


# Requests that two programs could read in two ways


@pytest.fixture(scope="module", params=["h11", "httptools"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server, once with each HTTP parser."""
    database = str(tmp_path_factory.mktemp("limits") / "games.sqlite")
    with Server(database, QUICK, http=request.param, body_timeout=PATIENCE) as server:
        yield server


@pytest.fixture(scope="module", params=["h11", "httptools"])
def impatient_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The same with little time for a request to arrive."""
    database = str(tmp_path_factory.mktemp("impatient") / "games.sqlite")
    with Server(database, QUICK, http=request.param, body_timeout=0.5) as server:
        yield server


def connect(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), PATIENCE)


def exchange(server: Server, *parts: bytes) -> bytes:
    with connect(server) as connection:
        for part in parts:
            connection.sendall(part)
        return until_the_end(connection)


@pytest.mark.parametrize(
    "head",
    [
        b"Host: a\r\nHost: b",
        b"Host: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b",
        b"Host: a\r\nContent-Length: 2\r\nContent-Length: 3",
        b"Host: a\r\nContent-Length: 2\r\nX: y\r\ncontent-length: 2",
        b"Host: a\r\nContent-Length: 2, 2",
        b"Host: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked",
    ],
)
def test_ambiguous_headers_are_refused(server: Server, head: bytes) -> None:
    answer = exchange(server, b"POST /api/review HTTP/1.1\r\nConnection: close\r\n" + head + b"\r\n\r\n{}")
    assert answer.startswith(b"HTTP/1.1 400 "), answer[:200]


CHUNKED = b"Host: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"


def test_a_token_behind_the_body_opens_nothing(server: Server) -> None:
    rules = {"game": "number-quest", "computer": {"level": 2}}
    game = httpx.post(f"{server.url}/api/games", json=rules, timeout=PATIENCE).json()
    body = json.dumps({"version": game["state"]["version"], "move": "+5", "key": "k" * 16}).encode()
    token = b"Authorization: Bearer %s\r\n" % game["token"].encode()
    head = b"POST /api/games/%s/moves HTTP/1.1\r\n" % game["id"].encode() + CHUNKED
    chunks = b"\r\n%x\r\n%s\r\n0\r\n" % (len(body), body)
    assert exchange(server, head + chunks + token + b"\r\n").startswith(b"HTTP/1.1 403 ")
    assert exchange(server, head + token + chunks + b"\r\n").startswith(b"HTTP/1.1 201 ")


@pytest.mark.parametrize("count", [5_000, 20_000])
def test_thousands_of_short_headers_are_refused_before_and_behind_a_body(server: Server, count: int) -> None:
    lines = b"a:b\r\n" * count
    begun = b"POST /api/review HTTP/1.1\r\n" + CHUNKED
    for sent in (begun + lines, begun + b"\r\n2\r\n{}\r\n0\r\n" + lines):
        with connect(server) as connection:
            with suppress(ConnectionError):  # the server has refused and closed before everything was sent
                connection.sendall(sent + b"\r\n")
            with suppress(ConnectionError):
                assert until_the_end(connection)[:13] in (b"HTTP/1.1 400 ", b"")
    assert httpx.get(f"{server.url}/healthz", timeout=PATIENCE).status_code == 200


def test_a_body_of_many_lines_and_some_headers_behind_it_are_accepted(server: Server) -> None:
    body = b"{%s}" % (b"\n" * 5000)
    sent = b"POST /api/review HTTP/1.1\r\n" + CHUNKED + b"\r\n%x\r\n%s\r\n0\r\nA: b\r\nC: d\r\n\r\n" % (len(body), body)
    answer = exchange(server, sent)
    assert answer.startswith(b"HTTP/1.1 422 "), answer[:200]
    assert b"not a record" in answer


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HTTP/1.1\r\nHost: a", b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET / HT"]
)
def test_a_connection_whose_request_does_not_arrive_is_closed(impatient_server: Server, sent: bytes) -> None:
    answer = exchange(impatient_server, sent)
    assert answer.count(b"HTTP/1.1 200 ") == (b"healthz" in sent)


def test_a_slow_answer_is_not_cut_off_by_the_timeout_of_the_request(impatient_server: Server) -> None:
    body = b'{"game": "number-duel"}'
    head = b"POST /api/games HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    with (
        closing(sqlite3.connect(impatient_server.database, isolation_level=None)) as other,
        connect(impatient_server) as connection,
    ):
        other.execute("BEGIN IMMEDIATE")  # the new game waits for this
        connection.sendall(head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert exchange(impatient_server, b"") == b"", "closed, so the same time has passed for the other connection"
        other.execute("ROLLBACK")
        assert connection.recv(12) == b"HTTP/1.1 201"


# Checks whether a phone reaches the server


def test_a_check_counts_some_devices_and_asks_the_system_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[None] = []

    def addresses() -> list[str]:
        asked.append(None)
        return ["2001:db8::1"]

    monkeypatch.setattr(reach_check, "machine_addresses", addresses)
    with site(tmp_path, rate=0) as client:
        path = f"/api/reach/{client.post('/api/reach').json()['id']}"
        for number in range(1, MOST_DEVICES + 20):  # of one network
            client.post(path, headers=at(f"2001:db8::{number:x}"))
        asked.clear()
        assert client.get(path).json() == {"devices": MOST_DEVICES - 1, "here": True}
        assert len(asked) == 1


def test_one_visitor_cannot_displace_the_checks_of_others(tmp_path: Path) -> None:
    with site(tmp_path, rate=0.01) as client:
        path = f"/api/reach/{client.post('/api/reach').json()['id']}"
        begun = [client.post("/api/reach", headers=at(STRANGER)).status_code for _ in range(MOST_CHECKS)]
        assert begun.count(201) < MOST_CHECKS // 10
        assert client.get(path).status_code == 200


# Floods


def test_requests_that_cost_nothing_are_limited_too(tmp_path: Path) -> None:
    with site(tmp_path, rate=0.001, burst=2) as client:
        for path in ("/healthz", "/assets/1/js/core.js"):
            headers = at(f"192.0.2.{len(path)}")
            statuses = [client.get(path, headers=headers).status_code for _ in range(2 * FREE_SHARE + 1)]
            assert statuses == [200] * 2 * FREE_SHARE + [429]
            assert client.get("/api/games", headers=headers).status_code == 200, "they have an allowance of their own"


def test_the_refusals_of_a_flood_are_held_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[float] = []

    async def hold(receive: Any, seconds: float) -> None:
        held.append(seconds)

    monkeypatch.setattr(guard, "_wait_for_disconnect", hold)
    monkeypatch.setattr(limits, "REFUSALS", (1e-6, 3))
    with site(tmp_path, rate=0.001, burst=5) as client:
        assert [client.get("/api/games", headers=at(STRANGER)).status_code for _ in range(10)] == [200] * 5 + [429] * 5
        assert held == [limits.LONGEST_HOLD] * 2
        for _ in range(8):
            client.get("/api/games", headers=at(SCHOOL))
        assert len(held) == 2


def test_a_refusal_that_is_held_back_ends_with_its_connection() -> None:
    async def main() -> None:
        messages: list[Any] = [{"type": "http.request", "body": b""}, {"type": "http.disconnect"}]

        async def receive() -> Any:
            return messages.pop(0)

        await guard._wait_for_disconnect(receive, 3600.0)
        assert not messages

    asyncio.run(main())


# Turns


def test_addresses_take_turns() -> None:
    async def main() -> list[str]:
        turns, started = Turns(), list[str]()

        async def request(address: str) -> None:
            await turns.wait(address)
            started.append(address)

        await asyncio.gather(*(request("flood") for _ in range(50)), request("a"), *(request("b") for _ in range(2)))
        return started

    started = asyncio.run(main())
    assert len(started) == 53
    assert started.index("a") <= 3
    assert [index for index, address in enumerate(started) if address == "b"][1] <= 6


class Watching:
    """Stands for a live feed of a game."""

    member, view = None, ""

    def __init__(self) -> None:
        self.versions: list[int] = []

    def enqueue(self, version: int, message: bytes) -> None:
        self.versions.append(version)

    def end(self) -> None:
        pass


def test_many_live_feeds_of_one_founder_delay_no_other_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_service, "MESSAGES", (1e-6, 3))
    with site(tmp_path, rate=1e6) as client:
        app: Any = client.app
        hub = app.__closure__[0].cell_contents.runtime.rooms.hub
        watching = {address: [Watching() for _ in range(count)] for address, count in ((STRANGER, 3), (SCHOOL, 1))}
        for address, watchers in watching.items():
            game = client.post("/api/games", json={"game": "number-quest"}, headers=at(address)).json()
            hub.watched[game["id"]] = set(watchers)
            path = f"/api/games/{game['id']}"
            joined = client.post(f"{path}/seats", json={"invite": game["invite"]}, headers=at(address)).json()
            for version, (token, move) in enumerate([(game["token"], "+5"), (joined["token"], "+6")], 1):
                body = {"version": version, "move": move, "key": secrets.token_urlsafe(9)}
                assert client.post(f"{path}/moves", json=body, headers=at(address, token)).status_code == 201
        assert [watcher.versions for watcher in watching[STRANGER]] == [[1]] * 3, "later ones wait"
        assert [watcher.versions for watcher in watching[SCHOOL]] == [[1, 2, 3]]
        hub.watched.clear()


def test_a_cancelled_request_holds_up_nobody() -> None:
    async def main() -> None:
        turns = Turns()
        tasks = [asyncio.create_task(turns.wait("a")) for _ in range(10)]
        await asyncio.sleep(0)
        for task in tasks[3:7]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await turns.wait("b")

    asyncio.run(main())


def test_every_address_counts_as_a_proxy_if_all_are_trusted() -> None:
    connections = Limits(Settings(proxies="*", connections=8))
    assert all(connections.enter("192.0.2.1") for _ in range(8))
    assert not connections.enter("192.0.2.1")
    connections = Limits(Settings(connections=8))
    assert [connections.enter("192.0.2.1") for _ in range(3)] == [True, True, False], "a quarter for any other address"


def test_the_source_of_the_page_leads_to_the_page(client: TestClient) -> None:
    answer = client.get("/index.html", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, "/")
