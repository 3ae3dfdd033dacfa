"""The server answers or refuses every request with a clear message, and other people's games are not disturbed."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from prometheus_client.parser import text_string_to_metric_families
from schemathesis.specs.openapi.checks import response_schema_conformance
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

import digitduels as dd
from conftest import PATIENCE
from digitduels.record import to_record
from digitduels.text import clean
from digitduels.web.app import App
from digitduels.web.buckets import MOST_CLIENTS, Buckets
from digitduels.web.connections import LONGEST_HEAD, MOST_HEADERS
from digitduels.web.description import openapi
from digitduels.web.http.errors import SERVER_FAILED
from digitduels.web.http.limits import client_address
from digitduels.web.http.operations import Endpoint
from digitduels.web.httptools_connection import MOST_PIPELINED
from digitduels.web.logs import JsonFormatter
from digitduels.web.refusal import Refusal
from digitduels.web.settings import OLD_NAMES, Settings, renamed_variables
from digitduels.web.workers import supervisor
from digitduels.web.workers.supervisor import ANSWER_CACHE, Supervisor, TooSlow, Urgency, WorkerPool
from variants import play_on
from web import application, running, until_the_end, wait_for, warmed
from workers import NoProcesses, NoWorkers

pytestmark = pytest.mark.slow

RECORD = to_record(dd.Match(dd.game("number-duel")))
REPLY = json.dumps({"ask": "reply", "record": RECORD, "with": {"who": "1", "seed": "1"}}).encode()
BUSY = 503
LIMIT = 100_000  # bytes in a body, for these tests


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with running(tmp_path_factory.mktemp("site"), max_body=LIMIT) as client:
        yield client


@pytest.fixture(scope="module")
def solving_site(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A server with real workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervisor, "THEORY_DELAY", 3600.0)
        patch.setattr(supervisor, "WAIT_SECONDS", PATIENCE)
        with warmed(tmp_path_factory.mktemp("solving"), tables) as client:
            yield client


@pytest.fixture(scope="module", params=["h11", "httptools"])
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A server, once with each HTTP parser."""
    folder = tmp_path_factory.mktemp("reader")
    with running(folder, max_body=LIMIT, body_timeout=float(PATIENCE), http=request.param) as client:
        yield client


def connect(site: httpx.Client) -> socket.socket:
    return socket.create_connection((site.base_url.host, site.base_url.port or 80), PATIENCE)


def exchange(site: httpx.Client, *parts: bytes) -> bytes:
    """Sends bytes on a socket and returns everything that the server sends back."""
    with connect(site) as connection:
        try:
            for part in parts:
                connection.sendall(part)
        except OSError:  # the server has stopped reading
            pass
        return until_the_end(connection)


def post(body: bytes, *headers: str) -> bytes:
    """The bytes of a request with a body."""
    lines = ["POST /api/review HTTP/1.1", "Host: x", "Content-Type: application/json", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


# Bodies


def test_the_size_limit_applies_to_bodies_with_and_without_a_content_length(reader: httpx.Client) -> None:
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    answer = exchange(reader, post(b"", "Transfer-Encoding: chunked"), *[chunk] * 2000)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"A request body may have at most 100,000 bytes." in answer
    declared = exchange(reader, post(b" " * (LIMIT + 1), f"Content-Length: {LIMIT + 1}"))
    assert declared.startswith(b"HTTP/1.1 413 ")


STAYS = post(b"", "Transfer-Encoding: chunked").replace(b"Connection: close\r\n", b"")
"""The client does not ask for the connection to be closed, and the body never ends."""


@pytest.mark.parametrize("http", ["h11", "httptools"])
def test_incomplete_bodies_are_refused_after_a_while(tmp_path: Path, http: str) -> None:
    with running(tmp_path, body_timeout=0.5, http=http) as site, connect(site) as declared, connect(site) as chunked:
        declared.sendall(post(b"{", "Content-Length: 1000"))
        chunked.sendall(STAYS + b"1\r\n{\r\n")
        for incomplete in (declared, chunked):
            assert until_the_end(incomplete).startswith(b"HTTP/1.1 408 ")


def test_oversized_and_foreign_bodies_are_refused_without_reading_the_rest(reader: httpx.Client) -> None:
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    assert exchange(reader, STAYS, *[chunk] * 2).startswith(b"HTTP/1.1 413 ")
    foreign = STAYS.replace(b"Host: x", b"Host: x\r\nOrigin: https://example.org")
    assert exchange(reader, foreign).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b"[" * 50_000,
        b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
        b'{"a": "\\ud800"}',
        b'{"a": "\\u0000"}',
        json.dumps(RECORD | {"asked": [[1e308 * 10, "x"]]}).encode(),
        json.dumps(RECORD | {"options": {"target": 10**4000}}).encode(),
        json.dumps(RECORD | {"options": {"target": "50"}}).encode(),
        json.dumps(RECORD | {"options": {"__class__": 1}}).encode(),
        json.dumps(RECORD | {"names": ["\u202ea", "\u202ea"]}).encode(),
        json.dumps(RECORD | {"moves": ["+1"] * 1001}).encode(),
        json.dumps(RECORD | {"asked": [[0, "x"]] * 1001}).encode(),
        json.dumps(RECORD | {"moves": ["+11"]}).encode(),
        json.dumps(RECORD | {"game": "../../etc/passwd"}).encode(),
        json.dumps(RECORD | {"version": 2}).encode(),
        json.dumps(RECORD | {"words": [[0, "\ud800"]]}).encode(),
        json.dumps(RECORD | {"names": ["Ann", "B\0b"]}).encode(),
    ],
    ids=lambda body: body[:30].decode("latin-1"),
)
@pytest.mark.parametrize("path", ["/api/review", "/api/games", "/api/games/aaaaaaaaaaaa/moves"])
def test_malformed_json_is_refused(site: httpx.Client, path: str, body: bytes) -> None:
    answer = site.post(path, content=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500, answer.text
    assert set(answer.json()) == {"detail"}


MOVE = {"version": 1, "key": "key-of-a-move", "move": "+1"}


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/moves", {**MOVE, "version": "1"}, "version: expected an integer, got a string."),
        ("/moves", {**MOVE, "version": 1.0}, "version: expected an integer, got a number."),
        ("/moves", {**MOVE, "version": True}, "version: expected an integer, got true or false."),
        ("/moves", {**MOVE, "version": -1}, "version: expected an integer at least 0."),
        ("/moves", {**MOVE, "move": "x" * 41}, "move: expected a string of length at most 40."),
        ("/moves", {"version": 1, "move": "+1"}, "key: this field is required."),
        ("/moves", {**MOVE, "more\n" * 30: 1}, f"{clean('more ' * 30, 60)}: there is no such field."),
        ("/moves", {**MOVE, "key": "a-line-break\n"}, "key: expected a string matching regex '^[A-Za-z0-9_-]{8,64}$'."),
        ("/moves", {**MOVE, "key": "short"}, "key: expected a string matching regex '^[A-Za-z0-9_-]{8,64}$'."),
        ("/moves", [MOVE], "The request: expected an object, got a list."),
        (
            "/takeback",
            {"version": 1, "key": "key-of-a-move", "answer": "secret"},
            "answer: this is not one of the possible values.",
        ),
        ("", {"game": "number-duel", "computer": {"level": 8}}, "computer.level: expected an integer at most 7."),
        ("", {"game": "number-duel", "options": {"target": [1, "x"]}}, "options.1: expected an integer, got a string."),
        ("", {"game": "number-duel", "seat": 3}, "seat: this is not one of the possible values."),
    ],
)
def test_an_invalid_field_is_named_and_explained(site: httpx.Client, path: str, body: Any, sentence: str) -> None:
    answer = site.post(f"/api/games{path and '/aaaaaaaaaaaa'}{path}", json=body)
    assert (answer.status_code, answer.json()) == (422, {"detail": sentence})


def test_unknown_fields_are_refused_by_name_without_echoing_their_values(site: httpx.Client) -> None:
    answer = site.post("/api/games", json={"game": "number-duel", "admin": "secret-value"})
    assert (answer.status_code, "admin" in answer.text) == (422, True)
    assert "secret-value" not in answer.text


def test_only_json_bodies_are_accepted(site: httpx.Client) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = site.post("/api/review", content=json.dumps(RECORD), headers={"Content-Type": kind})
        assert answer.status_code == 415


# Clients


@pytest.mark.parametrize(
    "origin", ["https://example.org", "null", "http://127.0.0.1:1", "http://127.0.0.1.evil.org", ""]
)
def test_requests_from_other_origins_are_refused(site: httpx.Client, origin: str) -> None:
    for answer in (
        site.get("/api/games", headers={"Origin": origin}),
        site.post("/api/games", json={"game": "number-duel"}, headers={"Origin": origin}),
    ):
        assert answer.status_code == 403
        assert answer.json()["detail"] == "This server only accepts requests from its own pages."
        assert "access-control-allow-origin" not in answer.headers


def test_the_servers_own_origin_and_configured_origins_are_allowed(tmp_path: Path, site: httpx.Client) -> None:
    own = str(site.base_url).rstrip("/")
    assert site.get("/api/games", headers={"Origin": own}).status_code == 200
    with running(tmp_path, origins="https://example.org, https://example.net/") as other:
        for origin in ("https://example.org", "https://example.net"):
            assert other.get("/api/games", headers={"Origin": origin}).status_code == 200
        assert other.get("/api/games", headers={"Origin": "https://example.com"}).status_code == 403


def test_the_rate_limit_applies_to_each_address_separately(tmp_path: Path) -> None:
    with running(tmp_path, rate=0.01, burst=5) as site:
        answers = [site.get("/api/games") for _ in range(8)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 3
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 101
        assert site.get("/healthz").status_code == 200
        page = site.get("/", headers={"Accept": "text/html"})
        assert (page.status_code, page.headers["refresh"]) == (429, page.headers["retry-after"])
        assert "<p>Too many requests. Try again in a moment.</p>" in page.text
        # A proxy on this machine may name the client's address.
        assert site.get("/api/games", headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 200


def test_an_incomplete_body_counts_against_the_rate_limit(tmp_path: Path) -> None:
    with running(tmp_path, rate=0.01, burst=10, body_timeout=float(PATIENCE)) as site:
        half = post(b" " * 500_000, "Content-Length: 1000000")
        assert exchange(site, half).startswith(b"HTTP/1.1 429 ")


def test_a_body_in_small_parts_costs_as_much_as_in_one() -> None:
    parts, sent = [b" " * 1000] * 1000, list[Any]()
    headers = [(b"host", b"x"), (b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")]
    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "path": "/api/review", "query_string": b"",
        "headers": headers, "client": ("192.0.2.1", 1), "server": ("x", 80), "scheme": "http",
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": parts.pop(), "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(application(rate=0.001, burst=20)(scope, receive, send))
    assert sent[0]["status"] == 429
    assert len(parts) > 500


def test_one_player_cannot_use_up_the_rate_limit_of_a_shared_address(tmp_path: Path) -> None:
    with running(tmp_path, rate=0.01, burst=30) as site:
        calls = [site.get("/api/games", headers={"Authorization": "Bearer mine"}).status_code for _ in range(12)]
        assert calls == [200] * 10 + [429] * 2
        assert site.get("/api/games", headers={"Authorization": "Bearer yours"}).status_code == 200
        # A new game counts as ten requests.
        begun = [site.post("/api/games", json={"game": "number-duel"}).status_code for _ in range(3)]
        assert begun == [201, 429, 429]


def test_forwarded_headers_are_ignored_unless_they_come_from_a_proxy(tmp_path: Path) -> None:
    with running(tmp_path, rate=0.01, burst=5, proxies="192.0.2.0/24, ::1") as site:
        answers = [site.get("/api/games", headers={"X-Forwarded-For": f"192.0.2.{number}"}) for number in range(6)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429]


def test_token_buckets_refill_and_their_number_is_bounded() -> None:
    buckets = Buckets(rate=1, burst=2)
    assert [buckets.take("a", 0) for _ in range(3)] == [0, 0, 1]
    assert buckets.take("a", 1.5) == 0
    assert buckets.take("a", 1.5) == 0.5
    assert buckets.take("a", 9, cost=99) == 0  # a request that costs more than a full bucket empties it
    assert buckets.take("a", 9) == 1
    buckets.owe("b", 9, 5)
    assert buckets.wait("b", 9) == 4
    assert buckets.take("b", 12) == 1
    assert buckets.take("b", 13) == 0
    for number in range(3 * MOST_CLIENTS):
        buckets.take(str(number), 2)
    assert len(buckets._left) == MOST_CLIENTS


def test_an_ipv6_64_prefix_counts_as_one_address() -> None:
    def who(host: str) -> str:
        return client_address({"type": "http", "client": (host, 1)})

    assert who("2001:db8:1:2::1") == who("2001:db8:1:2:ffff::9") != who("2001:db8:1:3::1")
    assert who("192.0.2.1") != who("192.0.2.2")
    assert who("fe80::1%eth0") == who("fe80::2%eth0")
    assert who("::ffff:192.0.2.1") == who("192.0.2.1") != who("::ffff:192.0.2.2")


# Responses


@pytest.mark.parametrize(
    "path", ["/", "/play/number-duel", "/api/games", "/api/nothing", "/healthz", "/metrics", "/api"]
)
def test_every_response_has_security_headers(site: httpx.Client, path: str) -> None:
    headers = site.get(path).headers
    policy = headers["content-security-policy"]
    api = path.startswith("/api/")
    assert f"default-src '{'none' if api else 'self'}'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert api or headers["referrer-policy"] == "no-referrer"
    assert re.fullmatch("[0-9a-f]{16}", headers["x-request-id"])
    assert "set-cookie" not in headers
    assert "server" not in headers


def test_the_api_page_uses_no_scripts_and_no_external_resources(site: httpx.Client) -> None:
    text = site.get("/api").text
    assert "<script" not in text
    assert not re.search(r"(src|href)=.?(https?:)?//", text)
    for path in site.get("/openapi.json").json()["paths"]:
        assert f" {path}<" in text


def test_path_traversal_is_refused(site: httpx.Client) -> None:
    for path in ("/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "/js/../../app.py", "//etc/passwd", "/%00"):
        answer = exchange(site, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        assert re.match(rb"HTTP/1.1 (400|404) ", answer), answer[:200]


@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 100_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A:b\r\n" * MOST_HEADERS + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + (b"A: " + b"b" * 1000 + b"\r\n") * 80 + b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP\r\nHost: x\r\n\r\n",
        b"POST /api/games HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        b"POST /api/games HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n{}",
        b"POST /api/games HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}",
    ],
    ids=lambda raw: raw[:25].decode("latin-1"),
)
def test_malformed_http_is_refused(reader: httpx.Client, raw: bytes) -> None:
    assert re.match(rb"HTTP/1.1 4\d\d ", exchange(reader, raw + b"\r\n"))
    assert reader.get("/healthz").status_code == 200


def test_many_headers_are_accepted(reader: httpx.Client) -> None:
    lines = b"A: b\r\n" * (MOST_HEADERS - 2) + b"Connection: close\r\n"
    answer = exchange(reader, b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + lines + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_endless_request_headers_are_refused(reader: httpx.Client) -> None:
    begun = b"GET / HTTP/1.1\r\nHost: x\r\nA: "
    assert exchange(reader, begun.ljust(LONGEST_HEAD + 1, b"b")).startswith(b"HTTP/1.1 400 ")
    assert reader.get("/healthz").status_code == 200


@pytest.mark.parametrize("begun", [b"0\r\nA: ", b"0;a=", b"5;a=", b"2\r\n{}\r\n0\r\nA: b\r\nC: "])
def test_endless_lines_behind_a_body_are_refused(reader: httpx.Client, begun: bytes) -> None:
    head = b"POST /api/review HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = exchange(reader, head + begun + b"b" * 8 * LONGEST_HEAD)
    assert answer[:13] in (b"HTTP/1.1 400 ", b""), answer[:200]
    assert reader.get("/healthz").status_code == 200


def test_pipelined_requests_are_answered_in_order(reader: httpx.Client) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /api/games/nosuchgame12 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answers = exchange(reader, request * 3 + last)
    assert re.findall(rb"HTTP/1.1 (\d+) ", answers) == [b"200"] * 3 + [b"404"]


def test_thousands_of_pipelined_requests_are_refused(tmp_path: Path) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with running(tmp_path, http="httptools") as site:
        answers = re.findall(rb"HTTP/1.1 (\d+) ", exchange(site, request * 5000))
        assert answers.count(b"200") <= MOST_PIPELINED + 1
        assert site.get("/healthz").status_code == 200


# Logs and metrics


def test_the_log_has_every_request_but_no_secrets(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    secret = "s3cr3tt0ken"
    with caplog.at_level(logging.INFO, "digitduels"), running(tmp_path) as site:
        answer = site.get(
            f"/api/games/{secret}?token={secret}", headers={"Authorization": f"Bearer {secret}", "Cookie": secret}
        )
        site.post("/api/games", json={"game": secret})
        site.get(f"/{secret}")
    lines = [JsonFormatter().format(record) for record in caplog.records]
    events = [json.loads(line) for line in lines]
    assert secret not in "".join(lines)
    (row,) = [event for event in events if event.get("id") == answer.headers["x-request-id"]]
    assert (row["event"], row["method"], row["status"]) == ("request", "GET", 404)
    assert row["route"] == "/api/games/{id}"


def test_an_unexpected_error_is_logged_and_answered_in_a_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("digitduels.web.positions.questions.view", fail)
    with running(tmp_path) as site:
        answer = site.get("/api/position/number-duel")
        assert site.get("/healthz").status_code == 200
    assert (answer.status_code, answer.json()) == (500, {"detail": SERVER_FAILED})
    (failure,) = [
        json.loads(JsonFormatter().format(record)) for record in caplog.records if record.getMessage() == "failure"
    ]
    assert (failure["route"], failure["id"]) == ("/api/position/{game}", answer.headers["x-request-id"])
    assert "ZeroDivisionError" in failure["traceback"]


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/healthz"), ("DELETE", "/api/games"), ("POST", "/api/games/aaaaaaaaaaaa/events")]
)
def test_another_method_is_refused_in_a_sentence(site: httpx.Client, method: str, path: str) -> None:
    answer = site.request(method, path)
    assert (answer.status_code, answer.json()) == (405, {"detail": "Method Not Allowed."})
    assert method not in answer.headers["allow"]


def test_every_route_leads_from_the_guard_through_the_router_to_an_endpoint() -> None:
    app = App(Settings())
    *routes, static = app.router.routes
    assert isinstance(static, Mount)
    endpoints = [route.endpoint for route in routes if isinstance(route, Route)]
    assert len(endpoints) == len(routes) > len(app.endpoints) > 40
    assert all(isinstance(endpoint, Endpoint) for endpoint in endpoints)


def test_metrics_count_requests_by_route_and_not_by_path(site: httpx.Client) -> None:
    def count() -> float:
        text = site.get("/metrics").text
        match = re.search(r'requests_total\{method="GET",route="/api/position/\{game\}",status="200"\} (\d+)', text)
        return float(match[1]) if match else 0

    before = count()
    for target in range(50, 60):
        site.get(f"/api/position/number-duel?target={target}")
    assert count() == before + 10
    assert 'digitduels_questions_open{pool="variants"} 0' in site.get("/metrics").text


def test_metrics_follow_prometheus_conventions(site: httpx.Client) -> None:
    site.get("/api/games/nosuchgame12")  # queries the database
    answer = site.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    for name, family in families.items():
        assert re.fullmatch("digitduels(_[a-z]+)+", name)
        assert family.documentation.endswith("."), name
        assert family.type in ("counter", "gauge", "histogram"), name
        assert (family.type == "histogram") == name.endswith("_seconds"), "times are in seconds, and by how long"
        assert family.samples, name
        for sample in family.samples:
            assert sample.name.endswith("_total") == (family.type == "counter"), sample
    assert {sample.labels["reason"] for sample in families["digitduels_refusals"].samples} >= {"rate", "busy", "large"}
    counts = {sample.name: sample.value for sample in families["digitduels_database_duration_seconds"].samples}
    assert counts["digitduels_database_duration_seconds_count"] > 0
    (built,) = families["digitduels_build_info"].samples
    assert (built.value, built.labels["version"]) == (1, dd.__version__)


# Huge variants


HUGE = [
    "number-quest?highest=99&copies=99&target=1000000",
    "number-duel?highest=99&copies=99&target=1000000",
    "number-duel?target=1000000",
    "number-quest?target=999999&highest=30&copies=1",
    "numerical-nexus?uses=99,99,99,99,99,99&target=1000000",
    "numerical-nexus?uses=99,99,99,99,99,99",
    "numerical-nexus?uses=20,20,20,3,3,1&target=1000",
    "equation-duel?highest=16&target=1000000",
    "equation-duel?highest=15&target=900",
    "equation-duel?highest=99",
]


def test_ten_huge_variants_at_once_are_refused_while_games_go_on(solving_site: httpx.Client) -> None:
    site = solving_site
    with ThreadPoolExecutor(len(HUGE)) as crowd:
        futures = [crowd.submit(site.get, f"/api/solve/{query}") for query in HUGE]
        meanwhile = 0
        while not all(future.done() for future in futures) or meanwhile < 3:
            moves = " ".join(f"+{number}" for number in range(1, 2 + meanwhile % 9))
            assert site.get("/api/reply/number-quest", params={"moves": moves, "vs": 4}).status_code == 200
            meanwhile += 1
        answers = [future.result() for future in futures]
    assert {answer.status_code for answer in answers} <= {413, 422, 429, BUSY}
    for answer in answers:
        assert answer.json()["detail"].endswith(".")
        assert (answer.status_code in (429, BUSY)) == ("retry-after" in answer.headers)
    wait_for(lambda: site.get("/api/solve/number-duel?target=20").status_code == 200)


def slow_question() -> bytes:
    """A question that takes very long: the review of a game with large numbers."""
    match = dd.Match(dd.game("operation-target", target=10**4000))
    for move in play_on(match.game, match.state, random.Random(1), 1000)[1]:
        match.play(move)
    return json.dumps({"ask": "game_review", "record": to_record(match), "with": {}}).encode()


def test_a_question_that_takes_too_long_ends_its_worker_and_the_next_one_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "WAIT_SECONDS", PATIENCE)  # until a worker has started

    async def ask() -> None:
        pool = WorkerPool(1, 9, PATIENCE, 1 << 28)
        pool.start()
        try:
            with pytest.raises(Refusal, match="longer than this server gives") as refusal:
                await pool.ask(slow_question(), seconds=0.5)
            assert (refusal.value.status, pool.killed) == (413, 1)
            assert dd.game("number-duel").read(await pool.ask(REPLY))
            assert pool.killed == 1
        finally:
            await pool.stop()

    asyncio.run(ask())


def test_a_worker_for_variants_ends_itself_if_nobody_stops_it() -> None:
    # A limit of -1 seconds ends it after one second, since a worker gives the server two more to stop it.
    program = "from digitduels.web.workers import process\nprocess.warm_up = lambda: None\nprocess.main(1 << 28, -1.0)"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(slow_question() + b"\n")
        worker.stdin.flush()
        assert worker.stdout.read() == b"ready\n"
    assert worker.returncode == -signal.SIGALRM


class Warming(NoWorkers):
    """Computes tables like a server with workers, but with another pool."""

    _warm = Supervisor._warm

    def __init__(self, settings: Settings, pool: NoProcesses) -> None:
        super().__init__(settings)
        self.books = pool


@contextmanager
def warming(folder: Path, pool: NoProcesses) -> Iterator[TestClient]:
    settings = Settings(rate=0, database=str(folder / "games.sqlite"))
    with TestClient(App(settings, workers=Warming(settings, pool))) as client:
        yield client


class WaitingPool(NoProcesses):
    """Computes tables when the test allows it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.allowed = asyncio.Semaphore(0)

    async def ask(
        self, question: bytes, urgency: Urgency = Urgency.QUICK, seconds: float | None = None, asker: str = ""
    ) -> Any:
        task = json.loads(question)
        if task["ask"] != "warm":
            return await super().ask(question, urgency, seconds, asker)
        self.asked.append(task["record"]["game"])
        await self.allowed.acquire()
        return None


def test_pages_are_served_while_tables_are_being_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_SECONDS", 0.1)
    pool = WaitingPool()
    with warming(tmp_path, pool) as site:
        assert site.portal is not None
        assert site.get("/").status_code == 200
        assert site.get("/api/position/number-duel").status_code == 200
        assert site.get("/readyz").status_code == BUSY
        late = site.get("/api/solve/operation-target")
        assert (late.status_code, late.headers["retry-after"]) == (BUSY, "5")
        assert "is being worked out for the first time" in late.json()["detail"]
        first, *_ = dd.games()
        assert pool.asked == [first]
        site.portal.call(pool.allowed.release)
        wait_for(lambda: pool.asked == [first, "operation-target"])  # a table that was asked for comes first
        site.portal.call(pool.allowed.release)
        wait_for(lambda: site.get("/api/solve/operation-target").status_code == 200)
        assert site.get("/readyz").json() == {"ready": False, "tables": False, "database": True, "running": True}
        for _ in dd.games()[2:]:
            site.portal.call(pool.allowed.release)
        wait_for(lambda: site.get("/readyz").status_code == 200)
        assert sorted(pool.asked) == dd.games()


class FailingPool(NoProcesses):
    """Fails to compute one table, computes it again when the test allows it, and never computes the theory."""

    def __init__(self) -> None:
        super().__init__()
        self.failed = False
        self.again = asyncio.Event()

    async def ask(
        self, question: bytes, urgency: Urgency = Urgency.QUICK, seconds: float | None = None, asker: str = ""
    ) -> None:
        task = json.loads(question)
        if task["ask"] == "theory_lines":
            raise RuntimeError
        if task["record"]["game"] == "operation-target":
            if not self.failed:
                self.failed = True
                raise TooSlow  # as if a worker were killed
            await self.again.wait()


def test_failed_tables_are_reported_and_retried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "THEORY_DELAY", 0.0)
    monkeypatch.setattr(supervisor, "AGAIN_SECONDS", 0.0)
    pool = FailingPool()
    with warming(tmp_path, pool) as site:
        assert site.portal is not None
        wait_for(lambda: pool.failed)
        assert site.get("/readyz").json() == {"ready": False, "tables": False, "database": True, "running": True}
        site.portal.call(pool.again.set)
        wait_for(lambda: site.get("/readyz").status_code == 200)


def test_an_unresponsive_database_is_reported_and_blocks_nothing_else(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        with closing(sqlite3.connect(tmp_path / "games.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            expected = {"ready": False, "tables": True, "database": False, "running": True}
            wait_for(lambda: site.get("/readyz").json() == expected)
            assert site.get("/healthz").status_code == 200
            assert site.get("/api/position/number-duel").status_code == 200
        wait_for(lambda: site.get("/readyz").status_code == 200)
        assert site.post("/api/games", json={"game": "number-duel"}).status_code == 201


# Requests generated from the API description


API = schemathesis.openapi.from_dict(openapi(App(Settings()).endpoints))
OPERATIONS: list[Any] = [found.ok() for found in API.get_all_operations()]  # type: ignore[union-attr]


@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")  # schemathesis does
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_generated_requests_never_cause_a_server_error(operation: Any, solving_site: httpx.Client) -> None:
    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def check(case: Any) -> None:
        answer = case.call(base_url=str(solving_site.base_url), timeout=PATIENCE)
        if answer.status_code < 500:
            case.validate_response(answer, checks=[response_schema_conformance])
        assert answer.status_code < 500 or answer.status_code == BUSY, answer.text

    check()


# Settings


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"DIGITDUELS_PORT": "many"}, "DIGITDUELS_PORT must be a number; 'many' is not."),
        ({"DIGITDUELS_PORT": "70000"}, "port must be from 0 to 65535; 70000 is not."),
        ({"DIGITDUELS_RATE": "nan"}, "rate must be at least 0; nan is not."),
        ({"DIGITDUELS_WORKERS": "0"}, "workers must be from 1 to 64; 0 is not."),
        ({"DIGITDUELS_PROXIES": "::1, localhost"}, "addresses or networks, not names; 'localhost' is neither."),
        ({"DIGITDUELS_ORIGINS": "example.org"}, "sites such as https://example.org; 'example.org' is not."),
    ],
)
def test_invalid_settings_are_refused_with_a_clear_message(environment: dict[str, str], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        Settings.read(environment)


def test_a_variable_of_an_earlier_edition_works_unless_the_new_one_is_set() -> None:
    for new, old in OLD_NAMES.items():
        variables = {f"DIGITDUELS_{old.upper()}": "1024"}
        assert getattr(Settings.read(variables), new) == 1024
        assert renamed_variables(variables) == [
            f"DIGITDUELS_{old.upper()} is now called DIGITDUELS_{new.upper()}. The old name still works."
        ]
        assert getattr(Settings.read({**variables, f"DIGITDUELS_{new.upper()}": "2048"}), new) == 2048
    with pytest.raises(ValueError, match="DIGITDUELS_BODY must be a number; 'many' is not"):
        Settings.read({"DIGITDUELS_BODY": "many"})


# Workers


def test_a_worker_cannot_exceed_its_memory_limit() -> None:
    program = (
        "from digitduels.web.workers.process import confine\n"
        "confine(32 << 20)\n"
        "bytearray(48 << 20)\n"
        "try:\n    bytearray(1 << 30)\n"
        "except MemoryError:\n    print('no more')"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.stdout == "no more\n", ran.stderr


def test_an_exception_in_a_worker_is_reported_and_the_worker_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "WAIT_SECONDS", PATIENCE)  # until a worker has started

    async def ask_twice() -> tuple[str, object]:
        pool = WorkerPool(1, 9, PATIENCE, 1 << 25)
        pool.start()
        try:
            with pytest.raises(RuntimeError) as failure:
                await pool.ask(json.dumps({"ask": "nonsense", "record": RECORD, "with": {}}).encode())
            return str(failure.value), await pool.ask(REPLY)
        finally:
            await pool.stop()

    message, answer = asyncio.run(ask_twice())
    assert "KeyError: 'nonsense'" in message
    assert dd.game("number-duel").read(str(answer))


def test_the_cache_of_answers_is_bounded() -> None:
    workers = Supervisor(Settings())
    for number in range(100):
        workers._cache_answer(str(number).encode(), "x" * (ANSWER_CACHE // 50))
        workers._cache_answer(str(number).encode(), "x" * (ANSWER_CACHE // 50))
    assert len(workers._cache) < 50
    assert workers._cache_size <= ANSWER_CACHE
    assert b"99" in workers._cache
