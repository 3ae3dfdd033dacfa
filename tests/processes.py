"""What the system says about processes: which ones run, and which belong to another one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def alive(process: int | str) -> bool:
    """Whether a process runs. One that has ended may stay in the table until its parent asks for it."""
    with suppress(OSError):
        return _fields(Path("/proc", str(process), "stat"))[0] not in "ZX"
    return False


def children_of(parent: int) -> set[int]:
    """The processes that a process has started and that run."""
    return {process for process, of, _ in _running() if of == parent}


def processes_of(session: int) -> set[int]:
    """The processes of a session that run."""
    return {process for process, _, of in _running() if of == session}


def _running() -> Iterator[tuple[int, int, int]]:
    """Yields every process that runs, with its parent and its session."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            state, parent, _, session = _fields(path)[:4]
            if state not in "ZX":
                yield int(path.parent.name), int(parent), int(session)


def _fields(path: Path) -> list[str]:
    """The fields that follow the name of a program, which may contain anything."""
    return path.read_text().rpartition(")")[2].split()
