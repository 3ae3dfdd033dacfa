"""Python for browsers (Pyodide): the files that a site needs of it, without the modules that it does not."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path, PurePosixPath

from digitduels.web.site.archive import archive_of

PROGRAMS = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
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
ENCODINGS = {"__init__", "aliases", "ascii", "cp437", "latin_1", "utf_8"}


def runtime_files(folder: Path) -> dict[str, bytes]:
    """Returns the files of a Pyodide folder that a site needs. Raises OSError if one is missing."""
    files = {name: (folder / name).read_bytes() for name in PROGRAMS}
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    files[LOCK] = json.dumps({**lock, "packages": {}}).encode()
    with zipfile.ZipFile(io.BytesIO((folder / LIBRARY).read_bytes())) as library:
        names = [info.filename for info in library.infolist() if not info.is_dir()]
        files[LIBRARY] = archive_of((name, library.read(name)) for name in sorted(names) if _is_used(name))
    return files


def _is_used(name: str) -> bool:
    """Whether an answer may import a file of the standard library."""
    path = PurePosixPath(name)
    if path.parts[0] == "encodings":
        return path.stem in ENCODINGS
    return path.parts[0].removesuffix(".py") not in UNUSED
