"""Files that are either the old one or the new one, whatever happens in between."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """Puts `data` into the file at `path` at once: no reader and no crash ever sees half of it."""
    path = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:50]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask()
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def read(path: Path, most: int) -> bytes:
    """The contents of an ordinary file of at most `most` bytes; anything else raises an OSError that says why."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it is not an ordinary file")
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError("it is too large")
    return data


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
