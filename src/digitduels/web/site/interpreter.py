"""Python for browsers (Pyodide): the files that a site needs of it, without the modules that it does not."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path, PurePosixPath

from digitduels.web.site.archive import archive_of

INTERPRETER = "pyodide.asm.wasm"
PROGRAMS = ("pyodide.mjs", "pyodide.asm.mjs", INTERPRETER)
LOCK, LIBRARY = "pyodide-lock.json", "python_stdlib.zip"
UNUSED = {
    *("_pydatetime", "_pyio", "_pyrepl", "_strptime", "argparse", "bdb", "cProfile", "calendar", "cmd", "code"),
    *("colorsys", "compileall", "configparser", "csv", "ctypes", "decimal", "doctest", "email", "filecmp"),
    *("fileinput", "fractions", "ftplib", "getopt", "getpass", "gettext", "graphlib", "gzip", "http", "imaplib"),
    *("mailbox", "mimetypes", "modulefinder", "multiprocessing", "netrc", "nturl2path", "optparse", "pdb"),
    *("pickletools", "platform", "plistlib", "poplib", "pprint", "profile", "pstats", "pty", "py_compile"),
    *("pyclbr", "pydoc", "rlcompleter", "runpy", "sched", "shelve", "smtplib", "socketserver", "sqlite3"),
    *("statistics", "stringprep", "symtable", "tabnanny", "tarfile", "this", "timeit", "tomllib", "trace"),
    *("tracemalloc", "unittest", "uuid", "wave", "webbrowser", "wsgiref", "xml", "xmlrpc", "zipapp", "zoneinfo"),
}
"""Modules of the standard library that no answer imports, by name; the rest is kept."""
PARTS_UNUSED = {
    *("asyncio/windows_events.py", "asyncio/windows_utils.py", "asyncio/proactor_events.py", "asyncio/tools.py"),
    *("concurrent/futures/interpreter.py", "concurrent/futures/process.py", "html/parser.py"),
    *("importlib/_bootstrap.py", "importlib/_bootstrap_external.py"),  # these two are part of the interpreter
    *("logging/config.py", "logging/handlers.py", "urllib/request.py", "urllib/response.py", "urllib/robotparser.py"),
}
"""The same for modules of packages that are imported."""
ENCODINGS = {"__init__", "aliases", "ascii", "cp437", "latin_1", "utf_8"}


class NotARuntime(Exception):
    """The folder is not that of Pyodide. The message says what is missing or damaged."""


def runtime_files(folder: Path) -> dict[str, bytes]:
    """Returns the files of a Pyodide folder that a site needs. Raises NotARuntime if it lacks one.

    The interpreter is compressed, and the page unpacks it. Its name does not end with .gz, because some hosts declare
    that as the encoding of a response, and the browser would unpack it before the page does.
    """
    files = {name: _read(folder / name) for name in PROGRAMS}
    files[f"{INTERPRETER}.bin"] = gzip.compress(files.pop(INTERPRETER), 9, mtime=0)
    try:
        lock = json.loads(_read(folder / LOCK))
        files[LOCK] = json.dumps({**lock, "packages": {}}).encode()
    except (ValueError, TypeError):
        raise NotARuntime(f"{LOCK} is damaged") from None
    try:
        with zipfile.ZipFile(io.BytesIO(_read(folder / LIBRARY))) as library:
            names = [info.filename for info in library.infolist() if not info.is_dir()]
            files[LIBRARY] = archive_of((name, library.read(name)) for name in sorted(names) if _is_used(name))
    except zipfile.BadZipFile:
        raise NotARuntime(f"{LIBRARY} is damaged") from None
    return files


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise NotARuntime(f"{path.name} is missing") from None


def _is_used(name: str) -> bool:
    """Whether an answer may import a file of the standard library."""
    path = PurePosixPath(name)
    if path.parts[0] == "encodings":
        return path.stem in ENCODINGS
    return path.parts[0].removesuffix(".py") not in UNUSED and name not in PARTS_UNUSED
