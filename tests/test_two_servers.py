"""Two servers with one PostgreSQL, started with the documented commands."""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import PATIENCE, ROOT
from databases import Postgresql
from servers import SOURCE, free_port

pytestmark = pytest.mark.slow


def commands(database: str, ports: list[int]) -> str:
    """The documented commands, with another database and other ports."""
    page = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    (script_text,) = re.findall(r"^```bash\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    script = script_text.replace("postgresql://duels@localhost/duels", f"'{database}'")
    for documented, port in zip(("8001", "8002"), ports, strict=True):
        assert script.count(documented) == 1
        script = script.replace(documented, str(port))
    return str(script)


def wait_for(url: str) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            if httpx.get(f"{url}/healthz", timeout=PATIENCE).status_code == 200:
                return
        except httpx.TransportError:
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.05)


def test_two_servers_share_their_games_when_started_as_documented(postgresql: Postgresql, tmp_path: Path) -> None:
    program = tmp_path / "duels"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m digitduels "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(SOURCE)}
    ports = [free_port(), free_port()]
    script = commands(postgresql.database(), ports)
    with subprocess.Popen(
        ["sh", "-c", script], env=environment, stderr=subprocess.DEVNULL, start_new_session=True
    ) as shell:
        try:
            play([f"http://127.0.0.1:{port}" for port in ports], postgresql)
        finally:
            os.killpg(shell.pid, signal.SIGTERM)


def play(urls: list[str], postgresql: Postgresql) -> None:
    """Plays a game with Anna on one server and Bert on the other, who watches the live feed."""
    here, there = urls
    for url in urls:
        wait_for(url)

    def post(url: str, token: str = "", **body: object) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.post(url, json=body, headers=headers, timeout=PATIENCE)

    created: Any = post(f"{here}/api/games", game="number-duel").json()
    game = f"/api/games/{created['id']}"
    joined = post(f"{there}{game}/seats", invite=created["invite"]).json()
    with httpx.stream("GET", f"{there}{game}/events", timeout=PATIENCE) as feed:
        states = (json.loads(line[6:]) for line in feed.iter_lines() if line.startswith("data: "))
        assert next(states)["version"] == 1
        turns = [(here, created, "+5"), (there, joined, "+10"), (here, created, "x10")]
        for version, (url, player, move) in enumerate(turns, 1):
            body = {"version": version, "move": move, "key": secrets.token_urlsafe(9)}
            while (answer := post(f"{url}{game}/moves", player["token"], **body)).status_code == 503:
                time.sleep(0.05)  # the connections to the database are lost
            assert answer.status_code in (200, 201), answer.text
            state = next(state for state in states if state["version"] > version)
            assert (state["move_count"], state["last"]["move"]) == (version, move)
            if version == 2:
                postgresql.restart()
    assert state["outcome"]["winner"] == 1
