"""The page's files: read once and served under a path that changes with their content, so browsers can cache them."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from digitduels.web.bundle import bundle, graph, lean

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
KEEP = "public, max-age=31536000, immutable"
CORE = "js/core.js"  # the bundled scripts of the first view
STYLESHEETS = {
    "style.css": "ground frame board picker game card home tips forms motion",  # the first view
    "room.css": "room",
    "study.css": "study stepper explore review my-games puzzle learn help",
    "class.css": "teach checkbox projector paper invitation desk boards wall pupil results",
    "lab.css": "lab",
}
"""The stylesheets that pages load, each with the files of css/ that it consists of."""
FIRST_VIEW = ("js/pages/play.js", "js/pages/home.js", "js/main.js")


class Asset(NamedTuple):
    """A file: its content, plain and compressed, and its media type."""

    body: bytes
    compressed: bytes
    type: str


class Assets:
    """The files of a folder, with the scripts and styles of the first view bundled.

    `instead` names scripts that take the place of others, and `further_files` are more files, which change the version.
    """

    def __init__(self, folder: Path, instead: Mapping[str, str] = {}, further_files: Mapping[str, bytes] = {}) -> None:
        paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*"))}
        bodies = {name: path.read_bytes() for name, path in paths.items() if path.suffix in MEDIA_TYPES}
        texts = {name: lean(body.decode()) for name, body in bodies.items() if name.endswith((".js", ".css"))}
        texts |= {name: texts[other] for name, other in instead.items()}
        self._scripts = {name: text for name, text in texts.items() if name.endswith(".js")}
        self._core = graph(self._scripts, *FIRST_VIEW)
        texts |= bundle(self._scripts, self._core, CORE)
        for name, parts in STYLESHEETS.items():
            texts[name] = "".join(texts[f"css/{part}.css"] for part in parts.split())
        bodies |= {name: text.encode() for name, text in texts.items()}
        digest = hashlib.sha256()
        for name, body in (bodies | dict(further_files)).items():
            digest.update(f"{name}\n{len(body)}\n".encode() + body)
        self.version = digest.hexdigest()[:12]
        self.files = {name: _asset(name, body) for name, body in bodies.items()}

    def url(self, name: str) -> str:
        """Returns the URL of a file. It changes when any file does, because files refer to each other."""
        return f"/assets/{self.version}/{name}"

    def further(self, name: str) -> list[str]:
        """Returns a script and the scripts that it imports, without those of the first view."""
        if name not in self._scripts:
            return []
        return [script for script in graph(self._scripts, name) if script not in self._core]

    async def answer(self, request: Request) -> Response:
        """Serves a file. An outdated version in the URL gets the current file, which is then not cached."""
        asset = self.files.get(request.path_params["name"])
        if asset is None:
            raise HTTPException(404)
        cache = KEEP if request.path_params["version"] == self.version else "no-cache"
        headers = {"Content-Type": asset.type, "Cache-Control": cache}
        return compressed_response(request, asset.body, asset.compressed, headers)


def compressed_response(request: Request, body: bytes, compressed: bytes | None, headers: dict[str, str]) -> Response:
    """Returns a response, compressed with gzip if the client accepts that."""
    headers = {**headers, "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(compressed or gzip.compress(body, 6), headers={**headers, "Content-Encoding": "gzip"})
    return Response(body, headers=headers)


def _asset(name: str, body: bytes) -> Asset:
    return Asset(body, gzip.compress(body, 9, mtime=0), MEDIA_TYPES[Path(name).suffix])
