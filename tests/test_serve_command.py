"""`duels serve` as a process: how it starts, what it prints, and how it stops."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from conftest import DUELS, PATIENCE, ROOT, Run
from databases import Postgresql
from digitduels.web.streams import migrations
from digitduels.web.streams.connect import open_store
from processes import alive, children_of
from servers import Server
from web import running

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "hosting.md"


@contextmanager
def serving(folder: Path, tables: Path, *arguments: str, **more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Runs the command on a free port; yields the process and the address that it prints."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tables), **more}
    with open(folder / "log", "w") as log:
        server = subprocess.Popen(
            [*DUELS, "serve", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
    try:
        assert server.stdout is not None
        first = server.stdout.readline()
        address = re.search(r"http://\S+", first)
        assert address, first + (folder / "log").read_text()
        yield server, address[0]
    finally:
        server.kill()
        server.wait(PATIENCE)
        assert server.stdout is not None
        server.stdout.close()


def wait_until_healthy(address: str) -> httpx.Response:
    """Waits for a starting server and returns its first response."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return httpx.get(f"{address}healthz", timeout=PATIENCE)
        except httpx.ConnectError:
            assert time.monotonic() < end
            time.sleep(0.05)


def test_it_says_once_which_variables_have_a_new_name(home: Path, duels: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIGITDUELS_LESSON", "12")
    result = duels("serve", "--port", "0", "--check")
    assert result.returncode == 0
    assert result.stderr == (
        "duels: DIGITDUELS_LESSON is now called DIGITDUELS_CLASS_RETENTION. The old name still works.\n"
    )


def test_it_prints_its_address_and_stops_cleanly_on_sigterm(home: Path, tables: Path) -> None:
    with serving(home, tables) as (server, address):
        assert wait_until_healthy(address).json() == {"alive": True}
        workers = children_of(server.pid)
        assert workers
        # Unusual requests must not cause warnings in the log.
        unusual = {"Connection": "Upgrade", "Upgrade": "websocket"}
        upgrade = httpx.get(f"{address}healthz", headers=unusual, timeout=PATIENCE)
        assert upgrade.status_code == 200
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE) == 0
        assert server.stdout is not None
        assert server.stdout.read() == "Ctrl-C stops it.\n"
    lines = [json.loads(line) for line in (home / "log").read_text().splitlines()]
    assert [(line["route"], line["status"]) for line in lines if line["event"] == "request"] == [("/healthz", 200)] * 2
    assert not [line for line in lines if line["level"] not in ("info", "debug")]
    assert not any(map(alive, workers))


def test_ctrl_c_exits_with_code_130(home: Path, tables: Path) -> None:
    with serving(home, tables) as (server, address):
        wait_until_healthy(address)
        server.send_signal(signal.SIGINT)
        assert server.wait(PATIENCE) == 130
    assert "Traceback" not in (home / "log").read_text()


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGINT, 130)],
    ids=["group", "window", "Ctrl-C"],
)
def test_a_signal_to_the_server_and_its_workers_stops_it_without_a_word_about_them(
    home: Path, tables: Path, number: signal.Signals, code: int
) -> None:
    with serving(home, tables) as (server, address):
        wait_until_healthy(address)
        workers = children_of(server.pid)
        assert workers
        os.killpg(server.pid, number)
        assert server.wait(PATIENCE) == code
    lines = [json.loads(line) for line in (home / "log").read_text().splitlines()]  # a traceback is not JSON
    assert not [line for line in lines if line["level"] not in ("info", "debug")]
    assert not any(map(alive, workers))


def test_a_pending_request_is_answered_before_the_server_stops(home: Path, tables: Path) -> None:
    with serving(home, tables) as (server, address):
        wait_until_healthy(address)
        host, port = re.findall(r"http://([^:]+):(\d+)/", address)[0]
        with socket.create_connection((host, int(port)), PATIENCE) as slow:
            body = b"{}"
            head = (
                f"POST /api/review HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
            )
            slow.sendall(f"{head}\r\n\r\n".encode() + body[:1])
            wait_until_healthy(address)  # the server reads requests in the order in which they arrive
            server.send_signal(signal.SIGTERM)
            wait_until_closed(host, int(port))
            slow.sendall(b"}")
            assert slow.recv(1 << 16).startswith(b"HTTP/1.1 422 ")
        assert server.wait(PATIENCE) == 0


def wait_until_closed(host: str, port: int) -> None:
    """Waits until a server that stops accepts no more connections."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection((host, port), PATIENCE).close()
        except ConnectionRefusedError:
            return
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_farewell_setting_can_be_less_than_a_second(tmp_path: Path, tables: Path) -> None:
    with (
        Server(str(tmp_path / "games.sqlite"), shutdown_timeout=0.3, body_timeout=3600) as server,
        socket.create_connection(("127.0.0.1", server.port)) as slow,
    ):
        head = "POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        slow.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        # The server reads requests in the order in which they arrive, so this one is open when the next is answered.
        assert httpx.get(f"{server.url}/healthz", timeout=PATIENCE).status_code == 200
        assert server.stop() == 0


def test_workers_exit_when_their_server_is_killed(home: Path, tables: Path) -> None:
    with serving(home, tables) as (server, address):
        wait_until_healthy(address)
        workers = children_of(server.pid)
        assert workers
        server.kill()
        server.wait(PATIENCE)
        end = time.monotonic() + PATIENCE
        while any(map(alive, workers)):
            assert time.monotonic() < end, "a worker outlives its server"
            time.sleep(0.05)


def test_a_port_in_use_is_reported_by_its_number(duels: Run) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        for more in ([], ["--check"]):
            ran = duels("serve", "--port", str(port), *more)
            assert (ran.returncode, ran.stderr) == (
                1,
                f"duels: Port {port} is in use. Choose another with --port, or 0 for any free port.\n",
            )


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--port", "70000"], 2, "duels: port must be from 0 to 65535; 70000 is not.\n"),
        (["--port", "-1"], 2, "duels: port must be from 0 to 65535; -1 is not.\n"),
        (["--port", "many"], 2, "invalid int value: 'many'\n"),
        (["--port", "0", "--host", "no such host"], 2, "'no such host' is not.\n"),
        (["--port", "0", "--host", "192.0.2.1"], 2, "--host must be an address of this machine; '192.0.2.1' is not.\n"),
    ],
)
@pytest.mark.parametrize("check", [[], ["--check"]], ids=["", "--check"])
def test_invalid_options_are_refused_with_a_clear_message(
    duels: Run, arguments: list[str], code: int, sentence: str, check: list[str]
) -> None:
    ran = duels("serve", *arguments, *check)
    assert (ran.returncode, ran.stdout) == (code, "")
    assert ran.stderr.endswith(sentence)


def test_check_says_what_a_start_would_change_and_changes_nothing(duels: Run, home: Path) -> None:
    def check(*arguments: str) -> str:
        before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
        ran = duels("serve", "--port", "0", "--check", *arguments)
        assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
        assert (ran.returncode, ran.stderr) == (0, "")
        return ran.stdout.removeprefix("Configuration OK. ")

    new = home / "state" / "digitduels" / "games.sqlite"
    assert check() == f"A new database will be created at {new}.\n"
    assert not new.parent.exists()
    shutil.copy(ROOT / "tests" / "first_edition" / "rooms.sqlite", home / "old.sqlite")
    newest = migrations.NEWEST
    migration = f"The database will be migrated from version 2 to version {newest}. Back it up first.\n"
    assert check("--database", "old.sqlite") == migration
    asyncio.run(open_store(str(home / "old.sqlite")).close())
    assert check("--database", "old.sqlite") == "The database is up to date.\n"


def test_check_looks_at_a_postgresql_database_without_migrating_it(duels: Run, postgresql: Postgresql) -> None:
    database = postgresql.database()
    for expected in ("A new database will be created.\n",) * 2:
        assert duels("serve", "--port", "0", "--check", "--database", database).stdout.endswith(expected)
    asyncio.run(open_store(database).close())
    ran = duels("serve", "--port", "0", "--check", "--database", database)
    assert ran.stdout == "Configuration OK. The database is up to date.\n"


def test_a_mistyped_folder_is_reported_and_not_created(duels: Run, home: Path) -> None:
    for more in ([], ["--check"]):
        ran = duels("serve", "--port", "0", "--database", "typo/games.sqlite", *more)
        assert (ran.returncode, ran.stderr) == (
            1,
            "duels: The database typo/games.sqlite cannot be used: there is no folder typo.\n",
        )
        assert not (home / "typo").exists()


@pytest.mark.parametrize(
    ("database", "reason"),
    [
        ("/proc/no/games.sqlite", "there is no folder /proc/no"),
        ("/dev/null", "The database /dev/null cannot be used"),
        ("postgresql://nobody:s3cr3t@127.0.0.1:1/none", "Connection refused"),
        ("postgresql://nobody:s3cr3t%@127.0.0.1:1/none", "its URL is invalid"),
        ("mysql://nobody:s3cr3t@127.0.0.1/none", "'mysql://…' is neither"),
    ],
)
def test_check_reports_an_unusable_database_without_its_password(duels: Run, database: str, reason: str) -> None:
    for more in ([], ["--check"]):
        ran = duels("serve", "--port", "0", "--database", database, *more)
        assert (ran.returncode, ran.stdout) == (1, "")
        assert re.fullmatch(r"duels: [^\n]+\.\n", ran.stderr), ran.stderr
        assert reason in ran.stderr
        assert "s3cr3t" not in ran.stderr


def test_a_full_disk_refuses_new_games_and_loses_none(tmp_path: Path, tables: Path) -> None:
    with (
        Server(str(tmp_path / "games.sqlite")) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):

        def begin() -> httpx.Response:
            return client.post("/api/games", json={"game": "number-quest"})

        assert server.process is not None
        begun = [begin().json()["id"]]
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        # Not even one more page fits into the log of the database.
        size = (tmp_path / "games.sqlite-wal").stat().st_size
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, most))
        answer = begin()
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert "The database cannot be written" in answer.json()["detail"]
        assert client.get("/readyz").json()["database"] is False
        assert client.get(f"/api/games/{begun[0]}").status_code == 200
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (most, most))
        assert begin().status_code == 201
        server.kill()
        server.start()
        assert all(client.get(f"/api/games/{id}").status_code == 200 for id in begun)


def test_it_warns_when_other_machines_can_connect(home: Path, tables: Path) -> None:
    with serving(home, tables, "--host", "0.0.0.0") as (server, address):
        assert address.startswith("http://localhost:")
        wait_until_healthy(address)
        server.send_signal(signal.SIGTERM)
        server.wait(PATIENCE)
        assert server.stdout is not None
        output = server.stdout.read()
    assert "Anyone who can reach this machine can play here" in output
    match = re.search(r"Others in your network find it at (http://\S+)", output)
    if match:
        assert match[1].rpartition(":")[2] == address.rpartition(":")[2]


def test_open_opens_the_address_in_the_browser(home: Path, tables: Path) -> None:
    opened = home / "seen"
    script = home / "browser"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}\n')
    script.chmod(0o755)
    with serving(home, tables, "--open", BROWSER=f"{script} %s") as (_, address):
        wait_until_healthy(address)
        end = time.monotonic() + PATIENCE
        while not opened.exists() or not opened.read_text():
            assert time.monotonic() < end
            time.sleep(0.05)
        assert opened.read_text() == address


def test_the_server_process_imports_no_heavy_modules(home: Path, tables: Path) -> None:
    program = (
        "import sys; import digitduels.web.server\n"
        "assert not {'numpy', 'numba', 'rich'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE)


# Documentation


def test_every_route_for_the_operator_and_every_metric_is_documented(home: Path, tables: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    with running(home, tables) as site:
        paths = site.get("/openapi.json").json()["paths"]
        metrics = set(re.findall(r"^# TYPE (\w+)", site.get("/metrics").text, re.MULTILINE))
    owned = {f"GET {path}" for path, routes in paths.items() if not path.startswith("/api/")}
    assert set(re.findall(r"^\| `(GET /[^`]*)`", text, re.MULTILINE)) == owned
    assert set(re.findall(r"`(digitduels_\w+)`", text)) == metrics
