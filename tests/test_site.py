"""A site without a server: its folder, its answers in the real runtime, and whole visits in a browser, also offline."""

from __future__ import annotations

import fcntl
import functools
import http.server
import io
import json
import os
import re
import struct
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.testclient import TestClient

import node
from browser import MARKS, Visits, status
from conftest import Run
from digitduels.web.site.export import LIST, write_site
from digitduels.web.site.interpreter import LIBRARY, LOCK, PROGRAMS
from questions import questions

MOST_ON_DISK = 16_000_000  # bytes
MOST_TO_FIRST_MOVE = 6_000_000
PATH = "/games/duels"  # a site works under any path
FIRST_MOVE = re.compile(
    r"index\.html|assets/\w+/(style\.css|js/(core|site/worker)\.js|digitduels\.zip|runtime/.*|answers\.json)"
)
SMALL_RULES = "target=20&highest=4"
ANSWER = """
import fs from "node:fs";
const [root, asked] = process.argv.slice(1);
const { loadPyodide } = await import(`${root}/runtime/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${root}/runtime/` });
python.unpackArchive(new Uint8Array(fs.readFileSync(`${root}/digitduels.zip`)), "zip", { extractDir: "/digitduels" });
const ask = python.runPython(`
  import sys
  sys.path.insert(0, "/digitduels")
  from digitduels.web.local import LocalAnswers
  LocalAnswers()
`);
const answers = JSON.parse(fs.readFileSync(asked, "utf8")).map(([path, query]) => ask(path, query).toJs());
console.log(JSON.stringify(answers));
"""
"""A program for Node.js that answers questions as the page's worker does."""


# The folder


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site with the real runtime, written once for all tests."""
    node.install()
    folder = Path(os.environ["XDG_CACHE_HOME"])
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)  # another test process may write it
        if not (folder / "site" / LIST).exists():
            write_site(folder / "site", node.ROOT / "node_modules" / "pyodide")
    finally:
        os.close(handle)
    return folder / "site"


@pytest.fixture
def small_runtime(tmp_path: Path) -> Path:
    """A folder with the files of a runtime, each of a few bytes."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    for name in PROGRAMS:
        (folder / name).write_text("//")
    (folder / LOCK).write_text('{"info": {}, "packages": {"numpy": {}}}')
    with zipfile.ZipFile(folder / LIBRARY, "w") as library:
        for name in ("re/__init__.py", "email/__init__.py", "encodings/utf_8.py", "encodings/cp1250.py"):
            library.writestr(name, "")
    return folder


@pytest.mark.slow
def test_the_folder_is_small(site: Path) -> None:
    sizes = {name: (site / name).stat().st_size for name in json.loads((site / LIST).read_text())}
    assert sum(sizes.values()) <= MOST_ON_DISK
    needed = [name for name in sizes if FIRST_MOVE.fullmatch(name) and not name.endswith(".br")]
    assert len(needed) > 6
    assert sum(sizes.get(f"{name}.br", sizes[name]) for name in needed) <= MOST_TO_FIRST_MOVE


def test_the_command_writes_a_folder_and_replaces_it(duels: Run, small_runtime: Path, home: Path) -> None:
    folder = home / "public"
    done = duels("site", str(folder), "--runtime", str(small_runtime))
    assert done.returncode == 0, done.stderr
    assert "copies of large files" in done.stdout
    first = json.loads((folder / LIST).read_text())
    (folder / "note.txt").write_text("mine")
    (folder / "index.html").write_text("old")
    assert duels("site", str(folder), "--runtime", str(small_runtime)).returncode == 0
    assert json.loads((folder / LIST).read_text()) == first
    assert (folder / "note.txt").read_text() == "mine"
    assert "<!doctype html>" in (folder / "index.html").read_text()


def test_other_folders_are_left_alone(duels: Run, small_runtime: Path, home: Path) -> None:
    (home / "thesis").mkdir()
    (home / "thesis" / "index.html").write_text("mine")
    done = duels("site", str(home / "thesis"), "--runtime", str(small_runtime))
    assert done.returncode == 4
    assert "contains other files" in done.stderr
    done = duels("site", str(home / "public"), "--runtime", str(home / "thesis"))
    assert done.returncode == 4
    assert "npm install pyodide" in done.stderr
    assert not (home / "public").exists()


def test_pages_are_relative_and_have_their_own_policy(small_runtime: Path, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    write_site(folder, small_runtime)
    pages = list(folder.rglob("index.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text().partition('id="given"')[0]
        assert not re.search(r'(href|src|content)="/', text), page
        for link in re.findall(r'(?:href|src)="([^"#]+)"', text):
            target = (page.parent / link).resolve()
            assert target.is_file() or (target / "index.html").is_file(), f"{page}: {link}"
        assert "script-src 'self' 'wasm-unsafe-eval'" in text
    given = re.search(r'id="given">(.*?)</script>', (folder / "play/number-duel/index.html").read_text())
    assert given
    assert json.loads(given[1])["query"] == "vs=2&seat=1"


def test_the_app_has_icons_and_the_library_is_trimmed(small_runtime: Path, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    write_site(folder, small_runtime)
    manifest = json.loads((folder / "site.webmanifest").read_text())
    assert {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]} == {
        ("192x192", "any"),
        ("512x512", "any"),
        ("512x512", "maskable"),
    }
    for icon in manifest["icons"]:
        width, height = struct.unpack(">II", (folder / icon["src"]).read_bytes()[16:24])
        assert f"{width}x{height}" == icon["sizes"]
    (library,) = folder.rglob(LIBRARY)
    assert zipfile.ZipFile(io.BytesIO(library.read_bytes())).namelist() == ["encodings/utf_8.py", "re/__init__.py"]


# The answers


@pytest.mark.slow
def test_the_answers_in_the_runtime_equal_those_of_a_server(site: Path, client: TestClient, tmp_path: Path) -> None:
    asked = questions()
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    (root,) = (site / "assets").iterdir()
    output = node.run("node", "--input-type=module", "-e", ANSWER, str(root), str(tmp_path / "asked.json"))
    for (path, query), (code, text) in zip(asked, json.loads(output), strict=True):
        answer = client.get(f"{path}?{query}")
        assert (code, json.loads(text)) == (answer.status_code, answer.json()), f"{path}?{query}"


# Visits


class Host(http.server.ThreadingHTTPServer):
    """A web space with the site under a path."""

    def __init__(self, site: Path, folder: Path) -> None:
        (folder / PATH.strip("/")).parent.mkdir(parents=True)
        (folder / PATH.strip("/")).symlink_to(site)
        super().__init__(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """Says nothing about a browser that has left."""

    def stop(self) -> None:
        self.shutdown()
        self.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def host(site: Path, tmp_path: Path) -> Iterator[Host]:
    host = Host(site, tmp_path)
    yield host
    host.stop()


def play_to_the_end(page: Page) -> None:
    """Plays a game to its end, each time with the first value that is possible in each field of a move."""
    end, tile = page.locator(".end:visible"), page.locator(".tile:not([aria-disabled]):not([aria-pressed=true])")
    empty = page.locator(".tiles:not(:has([aria-pressed=true]))").locator(tile)
    for _ in range(200):
        expect(end.or_(tile.first).first).to_be_visible()
        if end.count():
            return
        (empty if empty.count() else tile).first.click(force=True)
        page.wait_for_timeout(50)
    pytest.fail("the game does not end")


def go(page: Page, path: str) -> None:
    """Opens another page of the site, as a link does, so that Python goes on running."""
    page.evaluate("path => (history.pushState(null, '', path), dispatchEvent(new PopStateEvent('popstate')))", path)
    expect(page.locator("main")).not_to_have_class(re.compile("leaving"))


class TestVisit:
    pytestmark = MARKS

    def test_a_visit_with_and_then_without_a_network(self, browser: Browser, host: Host) -> None:
        with Visits(browser, host.url) as visits:
            page = visits(f"{PATH}/")
            expect(page.locator(".tile").first).to_be_visible()  # before Python is ready
            for name in ("number-duel", "number-quest", "equation-duel", "numerical-nexus", "operation-target"):
                go(page, f"{PATH}/play/{name}/?vs=3&seat=1&seed=5")
                play_to_the_end(page)
            page.get_by_role("link", name="Review", exact=True).first.click()
            expect(page.locator("main")).to_contain_text("critical")
            assert f"{PATH}/review/operation-target/?" in page.url
            go(page, f"{PATH}/puzzle/number-duel/?{SMALL_RULES}")
            expect(page.locator("main")).to_contain_text("Which move")
            go(page, f"{PATH}/teach/")
            expect(page.locator("main")).to_contain_text("need a server")
            page.evaluate("navigator.serviceWorker.ready.then(() => true)")
            host.stop()
            page.context.set_offline(True)
            page.goto(f"{PATH}/play/number-quest?vs=3&seat=1&seed=6")
            assert f"{PATH}/play/number-quest/?" in page.url
            page.reload()
            play_to_the_end(page)
            go(page, f"{PATH}/learn/number-quest/")
            expect(page.locator("main")).to_contain_text("50")

    def test_a_runtime_that_does_not_start_is_one_sentence(self, browser: Browser, host: Host) -> None:
        with Visits(browser, host.url) as visits:
            page = visits(f"{PATH}/help/")
            page.context.route("**/pyodide.asm.wasm", lambda route: route.abort())
            page.goto(f"{PATH}/")
            page.goto(f"{PATH}/play/number-duel/?moves=%2B5")
            expect(page.get_by_role("alert")).to_contain_text("The computer could not be started.")
            page.goto(f"{PATH}/learn/number-duel/")
            expect(page.locator("main")).to_contain_text("50")
            page.context.unroute("**/pyodide.asm.wasm")
            page.goto(f"{PATH}/play/number-duel/?moves=%2B5")
            expect(status(page)).to_contain_text("turn")
            visits.forgive()
