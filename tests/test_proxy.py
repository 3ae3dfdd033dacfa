"""The server behind a real nginx with the documented configuration: visitors notice nothing, floods end at nginx."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import PATIENCE, ROOT
from servers import QUICK, Server, free_port
from web import until_the_end, wait_for

# Debian installs nginx in a directory that is only on root's PATH.
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
NAME = "duels.example.org"
STREAMS = 200
BURST = 300  # more than STREAMS, so that nginx refuses streams before the server does
_visitors = count(1)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NGINX is None, reason="No nginx on the PATH; on Debian and Ubuntu: apt-get install nginx"),
]

AROUND = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/other-error.log;
events {{ worker_connections 2048; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/duels.conf;
}}
"""


def exchanged(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, f"the configuration has no single {old!r}"
    return text.replace(old, new)


class Proxy:
    """nginx as documented, except for the ports, and for the seconds that a request may take to arrive."""

    def __init__(self, folder: Path, *behind: int, patience: int = PATIENCE) -> None:
        self.port = free_port()
        site = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
        first, *others = behind
        site = exchanged(site, "server 127.0.0.1:8000 ", f"server 127.0.0.1:{first} ")
        for other in others:
            site = exchanged(site, "# server 127.0.0.1:8001 ", f"server 127.0.0.1:{other} ")
        site = exchanged(site, "listen 80;", f"listen 127.0.0.1:{self.port};")
        site = exchanged(site, "client_header_timeout 10s;", f"client_header_timeout {patience}s;")
        site = exchanged(site, "client_body_timeout 10s;", f"client_body_timeout {patience}s;")
        site = exchanged(site, "/var/log/nginx/duels.log", str(folder / "access.log"))
        site = exchanged(site, "/var/log/nginx/duels-error.log", str(folder / "error.log"))
        (folder / "duels.conf").write_text(site, encoding="utf-8")
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder), encoding="utf-8")
        self.folder = folder

    def __enter__(self) -> Proxy:
        assert NGINX is not None
        command = [NGINX, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), "-e", "stderr"]
        with open(self.folder / "stderr", "wb") as log:
            self.process = subprocess.Popen(command, stderr=log)
        end = time.monotonic() + PATIENCE
        while True:
            assert self.process.poll() is None, (self.folder / "stderr").read_text()
            assert time.monotonic() < end
            try:
                self.connect().close()
                return self
            except ConnectionRefusedError:
                time.sleep(0.02)

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    def log(self) -> str:
        """Everything that nginx has logged."""
        return "".join((self.folder / name).read_text(encoding="utf-8") for name in ("access.log", "error.log"))

    def connect(self, visitor: str = "127.0.0.1") -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE, (visitor, 0))

    def visitor(self, address: str) -> httpx.Client:
        """A client at an address, which uses the public host name."""
        transport = httpx.HTTPTransport(local_address=address)
        base = f"http://127.0.0.1:{self.port}"
        return httpx.Client(transport=transport, base_url=base, headers={"Host": NAME}, timeout=PATIENCE)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(str(tmp_path_factory.mktemp("server") / "games.sqlite"), QUICK, rate=0.001, burst=BURST) as server:
        yield server


@pytest.fixture(scope="module")
def proxy(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with Proxy(tmp_path_factory.mktemp("nginx"), server.port) as proxy:
        yield proxy


def test_a_move_is_seen_at_once_through_the_proxy(proxy: Proxy) -> None:
    with proxy.visitor("127.0.0.2") as ann, proxy.visitor("127.0.0.3") as bob:
        created = ann.post("/api/games", json={"game": "number-quest"}).json()
        path = f"/api/games/{created['id']}"
        joined = bob.post(f"{path}/seats", json={"invite": created["invite"]}).json()
        tokens = [{"Authorization": f"Bearer {seat['token']}"} for seat in (created, joined)]
        with bob.stream("GET", f"{path}/events", headers=tokens[1]) as answer:
            messages = (json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: "))
            assert next(messages)["version"] == 1
            for version, move in enumerate(["+5", "+6", "+7"], 1):
                body = {"version": version, "move": move, "key": secrets.token_urlsafe(9)}
                player = (version - 1) % 2
                answered = (ann, bob)[player].post(f"{path}/moves", json=body, headers=tokens[player])
                assert answered.status_code == 201, answered.text
                # If nginx buffered the feed, this would hang.
                assert next(messages) == answered.json()["state"]


def test_pages_and_files_have_security_headers(proxy: Proxy) -> None:
    with proxy.visitor("127.0.0.2") as visitor:
        for path in ("/", "/play/number-quest", "/js/main.js"):
            answer = visitor.get(path)
            assert answer.status_code == 200
            assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_only_origins_with_the_public_host_name_are_allowed(proxy: Proxy) -> None:
    with proxy.visitor("127.0.0.4") as visitor:
        for origin, status in ((f"http://{NAME}", 201), (f"https://{NAME}", 201), ("https://example.com", 403)):
            answer = visitor.post("/api/games", json={"game": "number-quest"}, headers={"Origin": origin})
            assert answer.status_code == status, origin


def test_the_rate_limit_uses_the_real_address_and_ignores_forged_headers(proxy: Proxy, server: Server) -> None:
    with proxy.visitor("127.0.0.5") as busy, proxy.visitor("127.0.0.6") as other:
        statuses = [busy.get("/api/games").status_code for _ in range(BURST + 1)]
        assert statuses == [200] * BURST + [429]
        forged = {"X-Forwarded-For": "192.0.2.1", "X-Real-IP": "192.0.2.1", "Forwarded": "for=192.0.2.1"}
        assert busy.get("/api/games", headers=forged).status_code == 429
        assert other.get("/api/games").status_code == 200
    seen = clients(server, proxy)
    assert {"127.0.0.5", "127.0.0.6"} <= seen
    assert "192.0.2.1" not in seen


def clients(server: Server, proxy: Proxy) -> set[str]:
    """The addresses of the clients whose requests have reached the server."""
    last = f"127.0.1.{next(_visitors)}"
    with proxy.visitor(last) as visitor:
        visitor.get("/healthz")
    wait_for(lambda: last in logged_addresses(server))
    return logged_addresses(server)


def logged_addresses(server: Server) -> set[str]:
    lines = [json.loads(line) for line in server.log().splitlines() if line.startswith("{") and line.endswith("}")]
    return {line["client"] for line in lines if line["event"] == "request"}


def test_slow_requests_time_out_in_the_proxy(server: Server, tmp_path: Path) -> None:
    head = f"POST /api/games HTTP/1.1\r\nHost: {NAME}\r\nContent-Type: application/json\r\n".encode()
    unfinished = [b"", b"GET / HT", head + b"X-Slow: ", head + b"Content-Length: 100\r\n\r\n{"]
    with ExitStack() as stack:
        proxy = stack.enter_context(Proxy(tmp_path, server.port, patience=1))
        slow = [stack.enter_context(proxy.connect("127.0.0.7")) for _ in unfinished]
        for connection, sent in zip(slow, unfinished, strict=True):
            connection.sendall(sent)
        assert [until_the_end(connection) for connection in slow] == [b""] * len(slow), "nginx closes them"
        assert "127.0.0.7" not in clients(server, proxy)


def test_oversized_bodies_are_refused_by_the_proxy(proxy: Proxy, server: Server) -> None:
    head = f"POST /api/review HTTP/1.1\r\nHost: {NAME}\r\nContent-Type: application/json\r\n".encode()
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    for sent in (head + b"Content-Length: 1048577\r\n\r\n", head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 17):
        with proxy.connect("127.0.0.8") as large:
            large.sendall(sent)
            assert large.recv(13) == b"HTTP/1.1 413 "
    with proxy.visitor("127.0.0.8") as visitor:
        answer = visitor.post("/api/review", content=b" " * (10 << 20), headers={"Content-Type": "application/json"})
        assert answer.status_code == 413
    assert "127.0.0.8" not in clients(server, proxy)


def test_long_urls_of_long_games_are_accepted(proxy: Proxy) -> None:
    with proxy.visitor("127.0.0.9") as visitor:
        answer = visitor.get(f"/api/position/number-quest?moves={'%2B5+' * 4000}")
        assert (answer.status_code, set(answer.json())) == (422, {"detail"})
        assert visitor.get(f"/api/position/number-quest?moves={'%2B5+' * 10000}").status_code == 414


# The log


class Visitor:
    """A person who uses the proxy as the page does, and knows some secrets."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.requests = 0

    def ask(self, method: str, path: str, token: str = "", **body: Any) -> Any:
        """Sends a request, again while the server is busy."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        while True:
            answer = self.client.request(method, path, headers=headers, json=body or None)
            self.requests += 1
            if answer.status_code != 503:
                break
            time.sleep(0.1)
        assert answer.status_code < 300, f"{path}: {answer.text}"
        return answer.json() if "json" in answer.headers["content-type"] else answer.text

    def follow(self, path: str, token: str = "") -> None:
        """Reads the first message of a live feed."""
        with self.client.stream("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {}) as answer:
            next(line for line in answer.iter_lines() if line.startswith("data: "))
        self.requests += 1


NAMES = ["Xanthippe", "Quirinus"]
VARIANT: dict[str, Any] = {"game": "operation-target", "options": {"target": 12}}


def play_a_game(visitor: Visitor) -> set[str]:
    """Plays a game between friends to its end and reviews it. Returns its secrets."""
    ask = visitor.ask
    new = ask("POST", "/api/games", **VARIANT, name=NAMES[0])
    id, path = new["id"], f"/api/games/{new['id']}"
    ask("POST", "/api/qr", text=f"http://{NAME}/g/{id}#invite={new['invite']}")
    ask("GET", f"/g/{id}")
    joined = ask("POST", f"{path}/seats", invite=new["invite"], key=secrets.token_urlsafe(24), name=NAMES[1])
    tokens = [new["token"], joined["token"]]
    ask("GET", f"{path}/seat", tokens[0])
    visitor.follow(f"{path}/events", tokens[1])
    ask("POST", f"{path}/moves", tokens[0], version=1, move="x2", key=secrets.token_urlsafe(9))
    ask("POST", f"{path}/concede", tokens[1], version=2, key=secrets.token_urlsafe(9))
    ask("GET", f"{path}/history?from=0")
    ask("POST", "/api/review/operation-target", target="12", moves="x2", conceded="2", names="\n".join(NAMES))
    ask("POST", f"{path}/rematch", tokens[0], version=3, key=secrets.token_urlsafe(9))
    # An older page, and links that people have saved.
    ask("GET", f"/api/qr?text=http://{NAME}/g/{id}%23invite={new['invite']}")
    ask("GET", f"/api/solve/operation-target?target=12&moves=x2&names={'%0A'.join(NAMES)}")
    ask("GET", f"/review/operation-target?target=12&moves=x2&names={'%0A'.join(NAMES)}")
    return {id, new["invite"], *tokens}


def hold_a_lesson(visitor: Visitor) -> set[str]:
    """Runs a class to its end, and looks at its results. Returns its secrets."""
    ask = visitor.ask
    new = ask("POST", "/api/classes", **VARIANT, mode="pairs", key=secrets.token_urlsafe(24))
    code, teacher, path = new["code"], new["token"], f"/api/classes/{new['code']}"
    ask("GET", f"/class/{code}")
    ask("GET", f"/class/{code}/wall")
    ask("POST", "/api/qr", teacher, text=f"http://{NAME}/j/{code}")
    pupils = []
    for name, typed in zip(NAMES, (f"/j/{code}", f"/J/{code.lower()}/"), strict=True):
        visitor.client.get(typed)
        visitor.requests += 1
        pupils.append(ask("POST", f"{path}/pupils", name=name, key=secrets.token_urlsafe(24))["token"])
    visitor.follow(f"{path}/events", teacher)

    def act(kind: str, **more: Any) -> Any:
        version = ask("GET", path, teacher)["version"]
        return ask("POST", f"{path}/acts", teacher, act=kind, version=version, key=secrets.token_urlsafe(9), **more)

    act("settings", locked=True)
    (board,) = act("pair")["state"]["boards"]
    id, game = board["id"], f"/api/games/{board['id']}"
    ask("GET", f"/class/{code}/{id}")
    for token in pupils:
        visitor.follow(f"{path}/events", token)
        if (pupil := ask("GET", path, token)["game"])["seat"] == 1:
            ask("POST", f"{game}/moves", pupil["token"], version=0, move="x2", key=secrets.token_urlsafe(9))
    ask("POST", "/api/solve/operation-target", target="12", moves="x2", names="\n".join(NAMES))
    act("end")
    results = ask("GET", f"{path}/results", teacher)
    for name in NAMES:
        assert name in results["games"][0]["review"]
    ask("GET", results["games"][0]["review"].partition("#")[0])  # browsers do not send the fragment
    assert NAMES[0] in ask("GET", f"{path}/results.csv", teacher)
    return {code, code.lower(), teacher, *pupils, id}


def test_no_name_code_token_or_invitation_is_logged(proxy: Proxy) -> None:
    with proxy.visitor("127.0.0.20") as one, proxy.visitor("127.0.0.21") as two:
        friends, school = Visitor(one), Visitor(two)
        before = len(proxy.log().splitlines())
        learned = play_a_game(friends) | hold_a_lesson(school) | {*NAMES}
        code = min(learned, key=len)
        large = two.post(f"/api/classes/{code}/pupils?name={NAMES[0]}", content=b" " * (2 << 20))
        assert large.status_code == 413
    requests = friends.requests + school.requests + 1
    wait_for(lambda: len(proxy.log().splitlines()) >= before + requests)
    log = proxy.log()
    for secret in learned:
        assert secret not in log
    assert "?" not in log
    for line in (
        '"POST /api/games" 201',
        '"POST /api/games/..." 201',
        '"GET /j/..." 200',
        '"GET /class/..." 200',
        '"POST /api/classes/..." 413',
        '"POST /api/solve/operation-target" 200',
    ):
        assert line in log


def test_metrics_and_readiness_are_hidden_from_visitors(proxy: Proxy) -> None:
    with proxy.visitor("127.0.0.2") as visitor, proxy.visitor("127.0.0.1") as here:
        for path in ("/metrics", "/readyz"):
            assert visitor.get(path).status_code == 403
            assert here.get(path).status_code == 200
        assert visitor.get("/healthz").status_code == 200


def test_one_address_cannot_use_up_all_live_feeds(proxy: Proxy) -> None:
    with proxy.visitor("127.0.0.10") as other, ExitStack() as open:
        game = other.post("/api/games", json={"game": "number-quest"}).json()["id"]
        request = f"GET /api/games/{game}/events HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode()
        begun = [open.enter_context(proxy.connect("127.0.0.11")) for _ in range(STREAMS + 5)]
        for connection in begun:
            connection.sendall(request)
        answers = [connection.recv(12) for connection in begun]
        assert (answers.count(b"HTTP/1.1 200"), answers.count(b"HTTP/1.1 429")) == (STREAMS, 5)
        assert other.get(f"/api/games/{game}").status_code == 200


def test_the_proxy_reconnects_after_a_restart_of_the_server(proxy: Proxy, server: Server) -> None:
    with proxy.visitor("127.0.0.12") as visitor:
        server.kill()
        assert visitor.get("/healthz").status_code == 502
        server.start()
        assert visitor.get("/healthz").status_code == 200
