"""The user's folders, and atomic file replacement: a reader sees the old file or the new one, never half of one."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_OURS = "digitduels"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def state_folder() -> Path:
    """The user's folder for saved games and the server's database, which may not exist yet."""
    return _user_folder("XDG_STATE_HOME", "~/.local/state", "~/Library/Application Support", "")


def cache_folder() -> Path:
    """The user's folder for what can be computed again, which may not exist yet."""
    return _user_folder("XDG_CACHE_HOME", "~/.cache", "~/Library/Caches", "Cache")


def _user_folder(variable: str, default: str, mac: str, windows: str) -> Path:
    """Our folder where the system, or on Unix the variable, wants it."""
    if sys.platform == "win32":
        path = Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local", _OURS, windows)
    else:
        usual = mac if sys.platform == "darwin" else default
        path = Path(os.environ.get(variable, "").strip() or usual, _OURS)
    return path.expanduser()


@contextmanager
def writing(path: Path, follow_links: bool = True) -> Iterator[BinaryIO]:
    """Opens a temporary file that atomically replaces `path` when the block ends without an error.

    A symbolic link at `path` stays and its target is replaced, unless `follow_links` is False: then the file replaces
    the link.
    """
    path = path.resolve() if follow_links else path.absolute()
    mode = stat.S_IMODE(path.lstat().st_mode) if path.is_file() and not path.is_symlink() else None
    name = path.with_name(f".{path.name[:50]}.{os.urandom(6).hex()}")
    # The system applies the umask to a new file.
    handle = os.open(name, _NEW, 0o666 if mode is None else mode)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if mode is not None:  # by its handle: in a shared folder, somebody may have put a link in its place
                os.chmod(file.fileno() if os.chmod in os.supports_fd else name, mode)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def write(path: Path, data: bytes) -> None:
    """Atomically writes `data` to the file at `path`."""
    with writing(path) as file:
        file.write(data)


def read(path: Path, most: int) -> bytes:
    """Reads an ordinary file of at most `most` bytes; for anything else, raises an OSError that says why."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it is not an ordinary file")
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError("it is too large")
    return data
