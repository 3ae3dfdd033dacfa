"""The folder of a site: its pages with their first positions, its files under a version, its service worker."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from digitduels.games import games
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

LIST = "files.json"  # the files of a site, by which a later version replaces an earlier one
SCRIPT = "service-worker.js"
MANIFEST = "site.webmanifest"
INSTEAD = {"js/transport.js": "js/site/transport.js"}
RETENTION = 0.0  # hours for which nobody stores a class
ICONS = {"icon-192.png": (192, False), "icon-512.png": (512, False), "icon-maskable.png": (512, True)}
COMPRESSIBLE = (".css", ".html", ".js", ".json", ".mjs", ".svg", ".wasm", ".webmanifest")
WORTH_COMPRESSING = 1000  # bytes
SERVER_AREAS = {"g", "j", "class", "lab", "privacy", "reach", "teach"}  # pages that say that they need a server
LEFT_OUT = re.compile(
    rf"css/|js/(class|room|teach)/|js/pages/({'|'.join(SERVER_AREAS)}|join|room)\.js|(class|lab)\.css|og/[^p]"
)
"""Files that a site does not use: parts of style sheets, pages that need a server, pictures of games."""
BROTLI = """
const fs = require("node:fs"), zlib = require("node:zlib");
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = zlib.constants;
const params = { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 24 };
for (const file of JSON.parse(fs.readFileSync(0, "utf8")))
  fs.writeFileSync(`${file}.br`, zlib.brotliCompressSync(fs.readFileSync(file), { params }));
"""


class NotASite(Exception):
    """The folder contains something else."""


class Written(NamedTuple):
    """What was written: how many bytes, and how the copies beside large files are compressed."""

    size: int
    compression: str


def write_site(folder: Path, runtime: Path) -> Written:
    """Writes a site into a new folder, or in place of an earlier one.

    Raises NotASite if the folder contains other files, and OSError if files are missing or cannot be written.
    """
    files = site_files(runtime)
    _clear(folder)
    for name, body in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    large = [
        folder / name
        for name, body in files.items()
        if name.endswith(COMPRESSIBLE) and len(body) > WORTH_COMPRESSING and name != SCRIPT
    ]
    compression = _compress(large)
    suffix = {"Brotli": ".br", "gzip": ".gz"}[compression]
    copies = [path.with_name(path.name + suffix) for path in large]
    names = [*files, *(copy.relative_to(folder).as_posix() for copy in copies)]
    (folder / LIST).write_text(json.dumps(sorted(names), indent=1), encoding="utf-8")
    return Written(sum((folder / name).stat().st_size for name in names), compression)


def site_files(runtime: Path) -> dict[str, bytes]:
    """Returns the files of a site, by their paths in its folder."""
    further = {
        "digitduels.zip": package_archive(),
        "answers.json": _json(dict(_answers())),
        **{f"runtime/{name}": body for name, body in runtime_files(runtime).items()},
        **{name: icon(size, maskable) for name, (size, maskable) in ICONS.items()},
    }
    assets = Assets(PAGE, INSTEAD, further)
    bodies = {name: file.body for name, file in assets.files.items() if not LEFT_OUT.match(name)} | further
    del bodies["index.html"]
    files = {f"assets/{assets.version}/{name}": body for name, body in bodies.items()}
    files[MANIFEST] = _manifest(bodies[MANIFEST], assets.version)
    document = Document(assets, RETENTION)
    for area, name in _pages():
        way = "/".join(filter(None, (area, name)))
        shown = "needs-server" if area in SERVER_AREAS else area
        page = document.render("", shown, name, _given(area, name))
        files[f"{way}/index.html".lstrip("/")] = _relative(page, assets.url(MANIFEST), way).encode()
    files[SCRIPT] = _service_worker(assets, files)
    return files


def _pages() -> Iterator[tuple[str, str | None]]:
    """Yields all pages of a site: their area, and their game if they have one."""
    for path in PAGES:
        _, area, *rest = path.split("/")
        if not rest:
            yield area, None
        elif rest == ["{game}"] and area not in SERVER_AREAS:
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


def _answers() -> Iterator[tuple[str, object]]:
    """Yields answers for the time before Python is ready: the games, their rules and their first positions."""
    answer = LocalAnswers()
    requests = [("/api/games", "")]
    for name in games():
        first = urlencode(first_pairs(name))
        requests += [(f"/api/learn/{name}", "theory=later")]
        requests += [(f"/api/position/{name}", "&".join(filter(None, (pairs, "effects=on")))) for pairs in ("", first)]
    for path, query in requests:
        _, text = answer(path, query)
        yield "?".join(filter(None, (path, query))), json.loads(text)


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


def _service_worker(assets: Assets, files: Mapping[str, bytes]) -> bytes:
    """Returns the service worker, with the version and the addresses of the files that it stores."""
    addresses = [re.sub(r"(^|/)index\.html$", r"\1", name) or "./" for name in files]
    setting = json.dumps({"version": assets.version, "files": addresses})
    return f"globalThis.SITE = {setting};\n".encode() + assets.files[f"js/site/{SCRIPT}"].body


def _clear(folder: Path) -> None:
    """Removes the files of an earlier site. Raises NotASite if the folder contains something else."""
    if not folder.exists() or not any(folder.iterdir()):
        return
    try:
        names = json.loads((folder / LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise NotASite from None
    for name in names:
        path = folder / name
        if path.resolve().is_relative_to(folder.resolve()):
            path.unlink(missing_ok=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _compress(paths: list[Path]) -> str:
    """Writes a compressed copy beside each file: with Brotli if there is Node.js, else with gzip."""
    node = shutil.which("node")
    if node is not None:
        names = json.dumps([str(path) for path in paths])
        command = [node, "-e", BROTLI]
        subprocess.run(command, input=names, text=True, check=True, capture_output=True)  # noqa: S603  our own script
        return "Brotli"
    for path in paths:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    return "gzip"


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
