"""A site without a server: its folder, its answers in the real runtime, and whole visits in a browser, also offline."""

from __future__ import annotations

import fcntl
import functools
import gzip
import http.server
import io
import json
import os
import re
import shutil
import struct
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from starlette.testclient import TestClient

import digitduels as dd
import node
from browser import MARKS, Visits, status, until
from conftest import Run
from digitduels import files
from digitduels.match import Match
from digitduels.web.app import PAGE
from digitduels.web.assets import CORE, Assets
from digitduels.web.positions.analysis import TOO_LARGE, hints
from digitduels.web.site import export
from digitduels.web.site.export import LIST, SCRIPT, site_files, write_site
from digitduels.web.site.interpreter import INTERPRETER, LIBRARY, LOCK, PROGRAMS
from digitduels.web.workers.process import refuse
from questions import questions, questions_about_books

Files = dict[str, bytes]
RUNTIME = node.ROOT / "node_modules" / "pyodide"

MOST_ON_DISK = 8_000_000  # bytes in whole blocks, as `du` counts, with the folders
MOST_TO_FIRST_MOVE = 6_000_000
PATH = "/games/duels"  # a site works under any path
FIRST_MOVE = re.compile(
    r"index\.html|assets/\w+/(style\.css|js/(core|site/worker)\.js|digitduels\.zip|runtime/.*|answers\.json)"
)
SMALL_RULES = "target=20&highest=4"
ANSWER = """
import fs from "node:fs";
const [root, runtime, asked, large] = process.argv.slice(1);
const { loadPyodide } = await import(`${runtime}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${runtime}/` });
python.unpackArchive(new Uint8Array(fs.readFileSync(`${root}/digitduels.zip`)), "zip", { extractDir: "/digitduels" });
const begin = () => python.runPython(`
  import sys
  sys.path.insert(0, "/digitduels")
  from digitduels.web.local import LocalAnswers
  LocalAnswers()
`);
const read = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
const answers = (ask, file) => read(file).map(([path, query]) => ask(path, query).toJs());
const enough = answers(begin(), asked);
const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (pages > 100) throw new RangeError("There is no more memory.");
  return grow.call(this, pages);
};
console.log(JSON.stringify([enough, answers(begin(), large)]));
"""
"""A program for Node.js that answers questions as the page's worker does, also on a device with little memory."""
QUICK_TIMERS = "{ const wait = setTimeout; window.setTimeout = (act, time) => wait(act, time / 20); }"
"""A script that shortens the pauses of a page, in which people look at a move."""
CACHES = "caches.keys()"


# The folder


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site with the real runtime, written once for all tests, with quickly compressed copies."""
    node.install()
    folder = Path(os.environ["XDG_CACHE_HOME"])
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)  # another test process may write it
        if not (folder / "site" / "finished").exists():
            write_site(folder / "site", RUNTIME, quality=1)
            (folder / "site" / "finished").touch()
    finally:
        os.close(handle)
    return folder / "site"


def small_runtime(folder: Path, program: str = "//") -> Path:
    """Writes a folder with the files of a runtime, each of a few bytes."""
    folder.mkdir()
    for name in PROGRAMS:
        (folder / name).write_text(program)
    (folder / LOCK).write_text('{"info": {}, "packages": {"numpy": {}}}')
    with zipfile.ZipFile(folder / LIBRARY, "w") as library:
        for name in ("re/__init__.py", "email/__init__.py", "encodings/utf_8.py", "encodings/cp1250.py"):
            library.writestr(name, "")
    return folder


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Files, Files]:
    """The files of two versions of a site, with small runtimes."""
    folder = tmp_path_factory.mktemp("runtimes")
    first, second = (site_files(small_runtime(folder / text, f"// {text}")) for text in ("old", "new"))
    return first, second


@pytest.fixture
def write(versions: tuple[Files, Files], monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, int], object]:
    """Writes one of the two versions into a folder."""

    def write(folder: Path, version: int) -> object:
        monkeypatch.setattr(export, "site_files", lambda _: versions[version])
        return write_site(folder, folder, quality=1)

    return write


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_whole(folder: Path) -> list[Path]:
    """Asserts that the files exist to which the pages of a site link, and returns the pages."""
    pages = list(folder.rglob("index.html"))
    for page in pages:
        text = page.read_text().partition('id="given"')[0]
        assert not re.search(r'(href|src|content)="/', text), page
        for link in re.findall(r'(?:href|src)="([^"#]+)"', text):
            target = (page.parent / link).resolve()
            assert target.is_file() or (target / "index.html").is_file(), f"{page}: {link}"
    return pages


@pytest.mark.slow
@pytest.mark.parametrize(("compression", "ending"), [("Brotli", ".br"), ("gzip", ".gz")])
def test_the_folder_is_small(compression: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node.install()
    if compression == "gzip":
        monkeypatch.setattr(shutil, "which", lambda _: None)
    folder = tmp_path / "public"
    written = write_site(folder, RUNTIME)
    assert sum(path.stat().st_blocks * 512 for path in folder.rglob("*")) <= MOST_ON_DISK
    sizes = {name: len(body) for name, body in files_of(folder).items()}
    assert written == (sum(sizes.values()) - sizes[LIST], compression)
    needed = [name for name in sizes if FIRST_MOVE.fullmatch(name) and not name.endswith(ending)]
    assert len(needed) > 6
    assert sum(sizes.get(f"{name}{ending}", sizes[name]) for name in needed) <= MOST_TO_FIRST_MOVE


def test_the_command_writes_a_folder_and_replaces_it(duels: Run, home: Path) -> None:
    folder, runtime = home / "public", small_runtime(home / "runtime")
    done = duels("site", str(folder), "--runtime", str(runtime))
    assert done.returncode == 0, done.stderr
    assert "copies of large files" in done.stdout
    first = files_of(folder)
    (folder / "note.txt").write_text("mine")
    (folder / "index.html").write_text("old")
    assert duels("site", str(folder), "--runtime", str(runtime)).returncode == 0
    assert files_of(folder) == {**first, "note.txt": b"mine"}


def test_other_folders_are_left_alone(duels: Run, home: Path) -> None:
    runtime = small_runtime(home / "runtime")
    for content in ('["index.html"]', '{"files": ["index.html"]}', "{"):
        (home / "thesis").mkdir(exist_ok=True)
        (home / "thesis" / "index.html").write_text("mine")
        (home / "thesis" / LIST).write_text(content)
        done = duels("site", str(home / "thesis"), "--runtime", str(runtime))
        assert done.returncode == 4
        assert "contains other files" in done.stderr
        assert files_of(home / "thesis") == {"index.html": b"mine", LIST: content.encode()}


def test_a_folder_without_a_whole_runtime_is_refused(duels: Run, home: Path) -> None:
    runtime = small_runtime(home / "runtime")
    damages: list[tuple[str, str | None, str]] = [
        (LIBRARY, "{", f"{LIBRARY} is damaged"),
        (LOCK, "{", f"{LOCK} is damaged"),
        (PROGRAMS[2], None, f"{PROGRAMS[2]} is missing"),
    ]
    for name, content, reason in damages:
        if content is None:
            (runtime / name).unlink()
        else:
            (runtime / name).write_text(content)
        done = duels("site", str(home / "public"), "--runtime", str(runtime))
        assert done.returncode == 4
        assert reason in done.stderr
        assert "npm install pyodide" in done.stderr
        assert not (home / "public").exists()


def test_a_folder_that_cannot_be_written_is_an_error(duels: Run, home: Path) -> None:
    runtime = small_runtime(home / "runtime")
    (home / "note.txt").write_text("mine")
    for folder in (home / "note.txt", home / "note.txt" / "public"):
        done = duels("site", str(folder), "--runtime", str(runtime))
        assert done.returncode == 4
        assert "cannot be written" in done.stderr


def test_a_folder_is_a_site_when_the_command_is_stopped(
    write: Callable[[Path, int], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)  # without Node.js, which takes a while to start
    folder = tmp_path / "public"
    write(folder, 1)
    new = files_of(folder)
    assert f"{SCRIPT}.gz" not in new
    assert "index.html.gz" in new
    writes = len(new) + 2  # the list is written three times
    real = files.write
    for count in (0, 2, writes // 2, writes - 40, writes - 1):
        write(folder, 0)
        left = iter(range(count))

        def stop(path: Path, data: bytes, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            real(path, data)

        with monkeypatch.context() as patch:
            patch.setattr(files, "write", stop)
            with pytest.raises(KeyboardInterrupt):
                write(folder, 1)
        assert len(assert_whole(folder)) > 30
        write(folder, 1)
        assert files_of(folder) == new


def test_pages_are_relative_and_have_their_own_policy(
    write: Callable[[Path, int], object], tmp_path: Path, client: TestClient
) -> None:
    folder = tmp_path / "public"
    write(folder, 0)
    pages = assert_whole(folder)
    assert len(pages) > 30
    assert all("script-src 'self' 'wasm-unsafe-eval'" in page.read_text() for page in pages)
    given = re.search(r'id="given">(.*?)</script>', (folder / "play/number-duel/index.html").read_text())
    assert given
    assert json.loads(given[1])["query"] == "vs=2&seat=1"
    server = client.get("/play/number-duel")
    assert "wasm" not in server.text + server.headers["content-security-policy"]
    core = Assets(PAGE).files[CORE].body
    assert b"Worker" not in core + server.content
    assert b"answers.json" not in core


def test_the_app_has_icons_and_the_library_is_trimmed(write: Callable[[Path, int], object], tmp_path: Path) -> None:
    folder = tmp_path / "public"
    write(folder, 0)
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
def test_the_answers_in_the_runtime_equal_those_of_a_server(
    site: Path, tables: Path, client: TestClient, tmp_path: Path
) -> None:
    asked = [*questions(), *questions_about_books()]
    large = [("/api/solve/number-duel", ""), ("/api/hint/number-duel", "step=4"), ("/api/reply/number-duel", "vs=6")]
    for name, content in (("asked", asked), ("large", large)):
        (tmp_path / name).write_text(json.dumps(content))
    (root,) = (site / "assets").iterdir()
    runtime = shutil.copytree(root / "runtime", tmp_path / "runtime")
    (runtime / INTERPRETER).write_bytes(gzip.decompress((runtime / f"{INTERPRETER}.bin").read_bytes()))
    arguments = [str(root), str(runtime), str(tmp_path / "asked"), str(tmp_path / "large")]
    enough, little = json.loads(node.run("node", "--input-type=module", "-e", ANSWER, *arguments))
    for (path, query), (code, text) in zip(asked, enough, strict=True):
        answer = client.get(f"{path}?{query}")
        assert (code, json.loads(text)) == (answer.status_code, answer.json()), f"{path}?{query}"
    # With too little memory for the table, the answers are those for a game that is too large.
    assert [code for code, _ in little] == [413, 200, 200]
    assert json.loads(little[0][1])["detail"] == TOO_LARGE
    hint = hints(Match(dd.game("number-duel")), refuse, step=4, searching=True)
    assert json.loads(little[1][1])["lines"] == hint


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
            page = visits(f"{PATH}/help/")
            page.context.add_init_script(QUICK_TIMERS)
            page.goto(f"{PATH}/")
            for name in ("number-duel", "number-quest", "equation-duel", "numerical-nexus", "operation-target"):
                go(page, f"{PATH}/play/{name}/?vs=3&seat=1&seed=5")
                play_to_the_end(page)
            page.get_by_role("link", name="Review", exact=True).first.click()
            expect(page.locator("main")).to_contain_text("critical")
            assert f"{PATH}/review/operation-target/?" in page.url
            page.get_by_role("link", name="Help and keys").click()
            expect(page).to_have_url(re.compile(f"{PATH}/help/$"))
            go(page, f"{PATH}/teach/")
            expect(page.locator("main")).to_contain_text("need a server")
            go(page, f"{PATH}/privacy/")
            expect(page.locator("main")).to_contain_text("runs without a server")
            expect(page.locator("main")).not_to_contain_text("class")
            until(page, lambda: bool(page.evaluate("!!navigator.serviceWorker.controller")))
            host.stop()
            page.context.set_offline(True)
            # The same visit goes on with modules that it has not loaded before.
            go(page, f"{PATH}/puzzle/number-duel/?{SMALL_RULES}")
            expect(page.locator("main")).to_contain_text("Which move")
            page.goto(f"{PATH}/play/number-quest?vs=3&seat=1&seed=6")
            assert f"{PATH}/play/number-quest/?" in page.url
            page.reload()
            play_to_the_end(page)
            go(page, f"{PATH}/learn/number-quest/")
            expect(page.locator("main")).to_contain_text("50")

    def test_a_runtime_that_does_not_start_is_one_sentence(self, browser: Browser, host: Host) -> None:
        with Visits(browser, host.url) as visits:
            page = visits(f"{PATH}/help/")
            page.context.add_init_script(QUICK_TIMERS)
            page.context.route(f"**/{INTERPRETER}.bin", lambda route: route.abort())
            page.goto(f"{PATH}/")
            expect(page.locator(".tile").first).to_be_visible()  # the first board needs no Python
            page.goto(f"{PATH}/play/number-duel/?moves=%2B5")
            expect(page.get_by_role("alert")).to_contain_text("The computer could not be started.")
            expect(page.get_by_role("alert")).to_contain_text("two people can play Operation Target at this screen")
            page.goto(f"{PATH}/play/operation-target/")
            play_to_the_end(page)
            page.goto(f"{PATH}/learn/number-duel/")
            expect(page.locator("main")).to_contain_text("50")
            page.context.unroute(f"**/{INTERPRETER}.bin")
            # A file that ends too early, as when the connection is lost.
            page.context.route(f"**/{INTERPRETER}.bin", lambda route: route.fulfill(body=gzip.compress(b"\0asm")[:-9]))
            page.goto(f"{PATH}/play/number-duel/?moves=%2B6")
            expect(page.get_by_role("alert")).to_contain_text("The computer could not be started.")
            page.context.unroute(f"**/{INTERPRETER}.bin")
            page.goto(f"{PATH}/play/number-duel/?moves=%2B5")
            expect(status(page)).to_contain_text("turn")
            visits.forgive()

    def test_a_slow_runtime_is_one_sentence(self, browser: Browser, host: Host) -> None:
        with Visits(browser, host.url) as visits:
            page = visits(f"{PATH}/help/")
            page.context.add_init_script(QUICK_TIMERS)
            held: list[Route] = []
            quick = False

            def hold(route: Route) -> None:
                if quick:
                    route.continue_()
                else:
                    held.append(route)

            page.context.route(f"**/{INTERPRETER}.bin", hold)
            page.goto(f"{PATH}/play/number-duel/?moves=%2B5")
            expect(status(page)).to_contain_text("Still loading: up to a minute on a slow line.")
            until(page, lambda: bool(held))
            quick = True
            for route in held:  # perhaps also one of the page before
                route.continue_()
            expect(status(page)).to_contain_text("turn")

    def test_a_new_version_replaces_the_old_one_and_nothing_else(
        self, browser: Browser, write: Callable[[Path, int], object], tmp_path: Path
    ) -> None:
        write(tmp_path / "public", 0)
        host = Host(tmp_path / "public", tmp_path / "host")
        with Visits(browser, host.url) as visits:
            page = visits(f"{PATH}/help/")
            page.evaluate("caches.open('of another page').then(() => true)")
            # The page does this when Python runs, which it does not with this runtime.
            page.evaluate(f"navigator.serviceWorker.register('{PATH}/service-worker.js').then(() => true)")
            until(page, lambda: bool(page.evaluate("!!navigator.serviceWorker.controller")))
            old = page.evaluate(CACHES)
            assert len(old) == 2
            write(tmp_path / "public", 1)
            page.evaluate("navigator.serviceWorker.getRegistration().then((it) => it.update()).then(() => true)")
            until(page, lambda: len(page.evaluate(CACHES)) == 3)
            outside = page.context.new_page()  # a page of the same host, which the service worker leaves alone
            outside.goto("/")
            page.close()
            until(outside, lambda: len(outside.evaluate(CACHES)) == 2)
            assert "of another page" in outside.evaluate(CACHES)
            assert outside.evaluate(CACHES) != old
            host.stop()
            outside.goto(f"{PATH}/help/")
            expect(outside.locator("main")).to_contain_text("Help")
            outside.close()  # it may still fail to start Python
            visits.forgive()
