"""The folder of a site: its pages with their first positions, its files under a version, its service worker."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from digitduels import files
from digitduels.core import State
from digitduels.games import AnyGame, games
from digitduels.web.app import PAGE, PAGES
from digitduels.web.assets import Assets
from digitduels.web.document import WITH_POSITION, Document, Given, first_pairs, home
from digitduels.web.http.guard import PROTECTION
from digitduels.web.local import LocalAnswers
from digitduels.web.positions import link
from digitduels.web.positions.view import view
from digitduels.web.site.archive import package_archive
from digitduels.web.site.icons import icon
from digitduels.web.site.interpreter import runtime_files

LIST, OF_SITE = "files.json", "digit-duels"  # the files of a site, by which a later version replaces an earlier one
SCRIPT = "service-worker.js"
MANIFEST = "site.webmanifest"
INSTEAD = {"js/transport.js": "js/site/transport.js"}
MOST_LINES = 200  # of a game that is stored as a whole
RETENTION = 0.0  # hours for which nobody stores a class
ICONS = {"icon-192.png": (192, False), "icon-512.png": (512, False), "icon-maskable.png": (512, True)}
COMPRESSIBLE = (".css", ".html", ".js", ".json", ".mjs", ".svg", ".webmanifest")
WORTH_COMPRESSING = 4000  # bytes
BEST_QUALITY = 11  # of Brotli: a few seconds for the runtime
SERVER_AREAS = {"g", "j", "class", "lab", "reach", "teach"}  # pages that say that they need a server
LEFT_OUT = re.compile(
    rf"css/|js/(class/(?!retention)|room/|teach/)|js/pages/({'|'.join(SERVER_AREAS)}|join|room)\.js|(class|lab)\.css|og/[^p]"
)
"""Files that a site does not use: parts of style sheets, pages that need a server, pictures of games."""
BROTLI = """
const fs = require("node:fs"), zlib = require("node:zlib");
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = zlib.constants;
const [quality, ...files] = process.argv.slice(1);
const params = { [BROTLI_PARAM_QUALITY]: Number(quality), [BROTLI_PARAM_LGWIN]: 24 };
for (const file of files) fs.writeFileSync(file, zlib.brotliCompressSync(fs.readFileSync(file), { params }));
"""


class NotASite(Exception):
    """The folder contains something else."""


class Written(NamedTuple):
    """What was written: how many bytes, and how the copies beside large files are compressed."""

    size: int
    compression: str


def write_site(folder: Path, runtime: Path, quality: int = BEST_QUALITY) -> Written:
    """Writes a site into a new folder, or in place of an earlier one.

    At any moment, also if the program ends early, the folder is a site that works or one that the next call completes.
    Raises NotASite if the folder contains other files, NotARuntime if `runtime` is incomplete, and OSError if the
    folder cannot be written.
    """
    old = _names_of(folder)
    bodies = site_files(runtime)
    folder.mkdir(parents=True, exist_ok=True)
    _write_list(folder, old)  # makes it the folder of a site, and fails at once if it cannot be written
    compression, copies = _compressed(bodies, quality)
    bodies |= copies
    _write_list(folder, {*old, *bodies})
    # The pages come after the files that they load, and the service worker after all that it stores.
    for name in sorted(bodies, key=lambda name: (not name.startswith("assets/"), name.startswith(SCRIPT))):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, bodies[name])
    for name in old - bodies.keys():
        _remove(folder, name)
    _write_list(folder, bodies)
    return Written(sum(map(len, bodies.values())), compression)


def site_files(runtime: Path) -> dict[str, bytes]:
    """Returns the files of a site, by their paths in its folder."""
    further = {
        "digitduels.zip": package_archive(),
        "answers.json": _json(stored_answers()),
        **{f"runtime/{name}": body for name, body in runtime_files(runtime).items()},
        **{name: icon(size, maskable) for name, (size, maskable) in ICONS.items()},
    }
    assets = Assets(PAGE, INSTEAD, further)
    bodies = {name: file.body for name, file in assets.files.items() if not LEFT_OUT.match(name)} | further
    del bodies["index.html"]
    site = {f"assets/{assets.version}/{name}": body for name, body in bodies.items()}
    site[MANIFEST] = _manifest(bodies[MANIFEST], assets.version)
    document = Document(assets, RETENTION)
    for area, name in _pages():
        way = "/".join(filter(None, (area, name)))
        shown = "needs-server" if area in SERVER_AREAS else area
        page = document.render("", shown, name, _given(area, name))
        site[f"{way}/index.html".lstrip("/")] = _relative(page, assets.url(MANIFEST), way).encode()
    site[SCRIPT] = _service_worker(assets, site)
    return site


def _pages() -> Iterator[tuple[str, str | None]]:
    """Yields all pages of a site: their area, and their game if they have one."""
    for path in PAGES:
        _, area, *rest = path.split("/")
        if not rest:
            yield area, None
        elif rest == ["{game}"] and area not in SERVER_AREAS - {"lab"}:
            yield from ((area, name) for name in games())


def _given(area: str, name: str | None) -> Given:
    """Returns what a page shows first: the position of a new game."""
    if not area:
        return home()
    if name is None or area not in WITH_POSITION:
        return {}
    pairs = first_pairs(name) if area == "play" else []
    position = view(link.read(name, pairs)[0], effects=True)
    return {"position": position, "query": urlencode(pairs)}


def stored_answers() -> dict[str, Any]:
    """Returns answers for the time before Python is ready, by their requests, and the titles of whole games.

    These are the games, their rules and their first positions, and all positions of games that have few of them.
    """
    answer = LocalAnswers()
    requests, whole = [("/api/games", "")], []
    for name in games():
        rules = link.book(name)
        if lines := _all_lines(rules):
            whole.append(rules.title)
        pairs = [first_pairs(name), *([("moves", " ".join(line))] if line else [] for line in lines or [()])]
        requests += [(f"/api/learn/{name}", "theory=later")]
        requests += [(f"/api/position/{name}", urlencode([*query, ("effects", "on")])) for query in pairs]
    answers = {"?".join(filter(None, request)): json.loads(answer(*request)[1]) for request in requests}
    return {"answers": answers, "whole": whole}


def _all_lines(rules: AnyGame) -> list[tuple[str, ...]]:
    """Returns all sequences of moves of a game; none if there are too many."""
    lines: list[tuple[str, ...]] = [()]
    todo: list[tuple[tuple[str, ...], State[Any, Any]]] = [((), rules.start())]
    while todo:
        line, state = todo.pop()
        if rules.outcome(state) is None:
            following = [((*line, str(move)), rules.play(state, move)) for move in rules.legal_moves(state)]
            lines += [longer for longer, _ in following]
            todo += following
        if len(lines) > MOST_LINES:
            return []
    return lines


def _manifest(body: bytes, version: str) -> bytes:
    """Returns the manifest of the app, whose paths are relative to the folder."""
    icons = [
        {
            "src": f"assets/{version}/{name}",
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": "maskable" if maskable else "any",
        }
        for name, (size, maskable) in ICONS.items()
    ]
    return _json({**json.loads(body), "id": "./", "start_url": "./", "scope": "./", "icons": icons})


def _relative(page: str, manifest: str, way: str) -> str:
    """Returns a page with relative links, so that the folder works under any path, and with its own policy."""
    root = "../" * len(way.split("/")) if way else "./"
    policy = PROTECTION["Content-Security-Policy"].replace("frame-ancestors 'none'; ", "")
    head = (
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}; script-src 'self' 'wasm-unsafe-eval'\" />\n"
        f'    <meta name="referrer" content="no-referrer" />\n    '
    )
    page = page.replace(f'"{manifest}"', f'"/{MANIFEST}"').replace("<meta name=", f"{head}<meta name=", 1)
    page = re.sub(r'(<a [^>]*href="/[^"/]+)"', r'\1/"', page)
    page = re.sub(r"/og/[\w-]+\.png", "/og/plain.png", page)
    return re.sub(r'="/(?!/)', f'="{root}', page)


def _service_worker(assets: Assets, site: Mapping[str, bytes]) -> bytes:
    """Returns the service worker, with the version and the addresses of the files that it stores."""
    addresses = [re.sub(r"(^|/)index\.html$", r"\1", name) or "./" for name in site]
    setting = json.dumps({"version": assets.version, "files": addresses})
    return f"globalThis.SITE = {setting};\n".encode() + assets.files[f"js/site/{SCRIPT}"].body


def _names_of(folder: Path) -> set[str]:
    """Returns the files of an earlier site. Raises NotASite if the folder contains something else."""
    if not folder.exists() or not any(folder.iterdir()):
        return set()
    try:
        names: list[str] = json.loads((folder / LIST).read_text(encoding="utf-8"))[OF_SITE]
        return set(names)
    except (OSError, ValueError, TypeError, KeyError):
        raise NotASite from None


def _write_list(folder: Path, names: Iterable[str]) -> None:
    files.write(folder / LIST, json.dumps({OF_SITE: sorted(names)}, indent=1).encode())


def _remove(folder: Path, name: str) -> None:
    """Removes a file of an earlier site, and the folders that are empty then."""
    path = folder / name
    if not path.parent.resolve().is_relative_to(folder.resolve()):
        return
    path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == folder or not parent.is_dir() or any(parent.iterdir()):
            break
        parent.rmdir()


def _compressed(bodies: Mapping[str, bytes], quality: int) -> tuple[str, dict[str, bytes]]:
    """Returns compressed copies of the large files: with Brotli if there is Node.js, else with gzip."""
    large = {
        name: body
        for name, body in bodies.items()
        if name.endswith(COMPRESSIBLE) and len(body) > WORTH_COMPRESSING and name != SCRIPT
    }
    node = shutil.which("node")
    if node is not None:
        with tempfile.TemporaryDirectory() as folder, suppress(OSError, subprocess.SubprocessError):
            paths = {name: Path(folder, str(index)) for index, name in enumerate(large)}
            for name, path in paths.items():
                path.write_bytes(large[name])
            command = [node, "-e", BROTLI, str(quality), *map(str, paths.values())]
            subprocess.run(command, check=True, capture_output=True)  # noqa: S603  our own script
            return "Brotli", {f"{name}.br": path.read_bytes() for name, path in paths.items()}
    return "gzip", {f"{name}.gz": gzip.compress(body, 9, mtime=0) for name, body in large.items()}


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
