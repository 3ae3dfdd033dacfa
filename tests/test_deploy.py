"""The files in deploy/ work: socket activation, a rolling restart behind nginx, backup and restore."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import venv
from collections import Counter
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import httpx
import pytest

import digitduels as dd
from conftest import PATIENCE, ROOT
from databases import Postgresql
from digitduels.match import Match
from digitduels.web.rooms import acts
from digitduels.web.rooms.state import Room
from digitduels.web.settings import Settings
from digitduels.web.streams.connect import open_store
from digitduels.web.streams.fold import Act
from digitduels.web.streams.store import Store
from servers import QUICK, Server
from test_proxy import NAME, NGINX, Proxy

DEPLOY = ROOT / "deploy"
MOVES = [f"+{number}" for number in range(1, 7) for _ in range(2)]

pytestmark = pytest.mark.slow


def begin(client: httpx.Client) -> tuple[str, dict[str, str]]:
    created = client.post("/api/games", json={"game": "number-quest"}).json()
    client.post(f"/api/games/{created['id']}/seats", json={"invite": created["invite"]})
    return f"/api/games/{created['id']}", {"Authorization": f"Bearer {created['token']}"}


def play(client: httpx.Client, path: str, headers: dict[str, str]) -> Any:
    body = {"version": 1, "move": "+5", "key": secrets.token_urlsafe(9)}
    answer = client.post(f"{path}/moves", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()["state"]


# systemd


class Activated(Server):
    """A server that inherits its listening socket, as from systemd."""

    def __init__(self, database: str, listener: socket.socket) -> None:
        # As systemd does it: the socket becomes file descriptor 3, and two variables announce it.
        passing = (
            f"import os, sys; os.dup2({listener.fileno()}, 3); "
            "os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid())); os.execv(sys.argv[1], sys.argv[1:])"
        )
        super().__init__(database, (sys.executable, "-c", passing, *QUICK))
        self.port, self._passed = listener.getsockname()[1], listener.fileno()
        self.url = f"http://127.0.0.1:{self.port}"

    def _open(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command, env=self._environment, stdout=self._log, stderr=self._log, pass_fds=(self._passed,)
        )


def test_no_connection_is_refused_while_a_socket_activated_server_restarts(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(100)
        with (
            Activated(str(tmp_path / "games.sqlite"), listener) as server,
            httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
        ):
            path, headers = begin(client)
            assert server.stop() == 0
            waiting = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
            waiting.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            server.start()
            assert waiting.recv(12) == b"HTTP/1.1 200", "the restarted server answers a connection that was waiting"
            waiting.close()
            assert play(client, path, headers)["version"] == 2


def test_the_systemd_units_are_valid(tmp_path: Path) -> None:
    service, port = ConfigParser(strict=False, interpolation=None), ConfigParser(interpolation=None)
    text = (DEPLOY / "digitduels.service").read_text(encoding="utf-8")
    service.read_string(text)
    port.read(DEPLOY / "digitduels.socket", encoding="utf-8")
    assert service["Service"]["ExecStart"].endswith("/bin/duels serve")
    assert service["Unit"]["Requires"] == "digitduels.socket"
    environment = dict(re.findall(r"^Environment=(\w+)=(.*)$", text, re.MULTILINE))
    settings = Settings.read(environment)
    assert settings.database == "/var/lib/digitduels/games.sqlite"
    assert int(service["Service"]["TimeoutStopSec"]) > settings.shutdown_timeout
    assert port["Socket"]["ListenStream"] == f"{settings.host}:{settings.port}"
    if shutil.which("systemd-analyze"):
        verify_with_systemd(text, tmp_path)


def verify_with_systemd(text: str, tmp_path: Path) -> None:
    """Checks every line of the units with systemd itself, where it is installed."""
    (tmp_path / "digitduels.service").write_text(re.sub("(?m)^ExecStart=.*", f"ExecStart={sys.executable}", text))
    shutil.copy(DEPLOY / "digitduels.socket", tmp_path)
    units = [str(tmp_path / name) for name in ("digitduels.service", "digitduels.socket")]
    said = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True)
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")


# The container


def test_the_container_has_valid_settings_and_copies_existing_files() -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    environment = dict(re.findall(r"(\w+)=(\S+)", re.search(r"^ENV (.*)$", text, re.MULTILINE)[1]))  # type: ignore[index]
    settings = Settings.read(environment)
    assert (settings.host, settings.port, settings.database) == ("0.0.0.0", 8000, "/data/games.sqlite")
    for sources in re.findall(r"^COPY ((?!--from)[^\n]*) \S+$", text, re.MULTILINE):
        for source in sources.split():
            assert (ROOT / source).exists(), source
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra in re.search(r"\[([\w,]+)\]\"", text)[1].split(","):  # type: ignore[index]
        assert f"\n{extra} = [" in project
    (probe,) = re.findall(r'"-c", "([^"]*)"', text)
    with pytest.raises(OSError, match="refused"):
        exec(probe.replace(":8000/healthz", ":9/healthz"), {})


@pytest.mark.long
def test_the_steps_of_the_container_build_a_healthy_server(tmp_path: Path) -> None:
    """Every step runs as it is written, in its own folders and environment, except the one that adds a user."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    for index in ("/source", "/wheels", "/data"):
        (tmp_path / index[1:]).mkdir()
    venv.create(tmp_path / "python", with_pip=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])

    def here(step: str) -> str:
        step = re.sub(r"(?<![\w.-])/(source|wheels|data)\b", rf"{tmp_path}/\1", step)
        return step.replace("8000", port).replace("0.0.0.0", "127.0.0.1")

    environment = {**os.environ, "PATH": f"{tmp_path}/python/bin:{os.environ['PATH']}"}
    environment.pop("PYTHONPATH", None)
    folder, command, health = tmp_path, [], []
    for kind, step in re.findall(r"^\s*([A-Z]+) (.*)$", text, re.MULTILINE):
        match kind:
            case "WORKDIR":
                folder = Path(here(step))
            case "COPY" if not step.startswith("--from"):
                *sources, target = step.split()
                for source in sources:
                    if (ROOT / source).is_dir():
                        shutil.copytree(ROOT / source, folder / target)
                    else:
                        shutil.copy(ROOT / source, folder / target)
            case "RUN":
                step = re.sub(r"&& useradd [^&]*", "", here(step)).replace("--no-cache-dir", "--quiet")
                subprocess.run(["sh", "-ec", step], cwd=folder, env=environment, check=True, timeout=4 * PATIENCE)
            case "ENV":
                environment |= dict(re.findall(r"(\w+)=(\S+)", here(step)))
            case "HEALTHCHECK":
                health = json.loads(here(step[step.index("[") :]))
            case "CMD":
                command = json.loads(step)
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL) as server:
        try:
            end = time.monotonic() + PATIENCE
            while subprocess.run(health, env=environment, stderr=subprocess.DEVNULL).returncode:
                assert server.poll() is None
                assert time.monotonic() < end
                time.sleep(0.5)
            assert (tmp_path / "data" / "games.sqlite").exists()
        finally:
            server.terminate()  # as STOPSIGNAL says
        assert server.wait(PATIENCE) == 0
    assert subprocess.run(health, env=environment, stderr=subprocess.DEVNULL).returncode == 1


# A rolling restart


@pytest.mark.skipif(NGINX is None, reason="No nginx on the PATH; on Debian and Ubuntu: apt-get install nginx")
def test_no_request_fails_during_a_rolling_restart(postgresql: Postgresql, tmp_path: Path) -> None:
    database = postgresql.database()
    with (
        Server(database, QUICK) as one,
        Server(database, QUICK) as other,
        Proxy(tmp_path, one.port, other.port) as proxy,
    ):
        report = asyncio.run(play_while_restarting(proxy, one, other))
    assert set(report) == {200, 201}, report


async def play_while_restarting(proxy: Proxy, *running: Server) -> Counter[int]:
    """Restarts servers one by one while clients play; counts the status codes of their responses."""
    answers: Counter[int] = Counter()
    enough = asyncio.Event()
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{proxy.port}", headers={"Host": NAME}, timeout=PATIENCE
    ) as client:

        async def ask(method: str, path: str, **more: Any) -> Any:
            answer = await client.request(method, path, **more)
            assert answer.status_code < 300, (method, answer.status_code, answer.text)
            answers[answer.status_code] += 1
            return answer.json()

        async def people() -> None:
            while not enough.is_set():
                created = await ask("POST", "/api/games", json={"game": "number-quest"})
                path = f"/api/games/{created['id']}"
                joined = await ask("POST", f"{path}/seats", json={"invite": created["invite"]})
                for version, move in enumerate(MOVES, 1):
                    token = (created, joined)[(version - 1) % 2]["token"]
                    body = {"version": version, "move": move, "key": secrets.token_urlsafe(9)}
                    await ask("POST", f"{path}/moves", json=body, headers={"Authorization": f"Bearer {token}"})
                    assert (await ask("GET", path))["version"] == version + 1
                    await asyncio.sleep(0.02)

        async def wait_for_answers() -> None:
            end = answers.total() + 60
            while answers.total() < end:
                await asyncio.sleep(0.01)

        async def restart() -> None:
            for server in running:
                await wait_for_answers()
                assert await asyncio.to_thread(server.stop) == 0
                await wait_for_answers()
                await asyncio.to_thread(server.start)
                await wait_for_answers()
            enough.set()

        async with asyncio.TaskGroup() as group:
            for work in (restart, *[people] * 4):
                group.create_task(work())
    return answers


# Backup


def test_a_backup_of_a_running_server_is_restored(tmp_path: Path) -> None:
    file, copy = tmp_path / "games.sqlite", tmp_path / "copy.sqlite"
    with Server(str(file), QUICK) as server, httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        path, headers = begin(client)
        state = play(client, path, headers)
        command = [sys.executable, str(DEPLOY / "backup.py"), str(file), str(copy)]
        for _ in range(2):  # the second run replaces the first backup
            ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
            assert ran.stdout == f"1 games are in {copy}.\n"
        assert copy.stat().st_mode & 0o777 == 0o600
        later, _ = begin(client)
        server.stop()
        for old in tmp_path.glob("games.sqlite*"):
            old.unlink()
        shutil.copy(copy, file)
        server.start()
        assert client.get(path).json() == state
        assert client.get(later).status_code == 404, "a game that began after the backup is not in it"
        body = {"version": 2, "move": "+6", "key": secrets.token_urlsafe(9)}
        assert client.post(f"{path}/moves", json=body, headers=headers).status_code == 422, "not this player's turn"


def test_a_database_of_an_earlier_edition_is_backed_up_before_the_update(tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    command = [sys.executable, str(DEPLOY / "backup.py"), str(ROOT / "tests/second_edition/games.sqlite"), str(copy)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert re.fullmatch(r"\d\d games are in .*\.\n", ran.stdout)


def test_a_damaged_database_does_not_replace_a_good_backup(tmp_path: Path) -> None:
    file, copy = tmp_path / "games.sqlite", tmp_path / "copy.sqlite"
    copy.write_text("the good one")
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE game (id TEXT)")
        database.executemany("INSERT INTO game VALUES (?)", [(secrets.token_hex(500),) for _ in range(100)])
    database.close()
    content = bytearray(file.read_bytes())
    content[4096 * 3 : 4096 * 4] = os.urandom(4096)
    file.write_bytes(content)
    command = [sys.executable, str(DEPLOY / "backup.py"), str(file), str(copy)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("backup.py: ")
    assert copy.read_text() == "the good one"


def test_a_game_uses_as_much_disk_space_as_documented(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    moves, kilobytes = re.search(r"game of (\d+) moves.*?about ([\d.]+) KB in an SQLite file", page, re.DOTALL).groups()  # type: ignore[union-attr]
    file, games = tmp_path / "games.sqlite", 300

    async def play(store: Store) -> None:
        kept, _, invite = acts.begin(Match(dd.game("number-duel")), 0, "Annabel", None, 1.0, secrets.token_hex(16))
        await store.create(kept)
        assert invite is not None
        result = acts.join(Room(kept), invite, secrets.token_hex(16), "Bob", 2.0)
        for number in range(int(moves) + 1):
            assert result.change is not None
            await store.append(kept.id, number, result.change)
            room = result.value
            move = str(room.match.game.legal_moves(room.match.state)[0])  # small steps keep the game going
            act = Act("move", room.head, secrets.token_hex(16), {"move": move}, room.match.state.player)
            result = acts.act(room, act, 3.0)

    async def fill() -> None:
        store = open_store(str(file))
        for _ in range(games // 50):
            await asyncio.gather(*(play(store) for _ in range(50)))  # which share their commits
        await store.close()

    asyncio.run(fill())
    assert file.stat().st_size / games == pytest.approx(1000 * float(kilobytes), rel=0.35)


def test_a_postgresql_dump_is_restored(postgresql: Postgresql) -> None:
    database, empty, dump = postgresql.database(), postgresql.database(), postgresql.folder / "games.dump"
    with Server(database, QUICK) as server, httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        path, headers = begin(client)
        state = play(client, path, headers)
        postgresql.run("pg_dump", "--format=custom", f"--file={dump}", database)
    postgresql.run("pg_restore", "--exit-on-error", f"--dbname={empty}", str(dump))
    with Server(empty, QUICK) as server, httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        assert client.get(path).json() == state
