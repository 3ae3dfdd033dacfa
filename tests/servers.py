"""Real servers for the tests: `duels serve` as a process that can be killed and restarted at the same address."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SERVE = (sys.executable, "-m", "digitduels", "serve")
QUICK = (sys.executable, str(Path(__file__).with_name("crash_server.py")), "none")
"""The same without worker processes, which starts sooner."""
SOURCE = Path(__file__).parents[1] / "src"
PATIENCE = 60  # seconds


_reserved: list[socket.socket] = []


def free_port() -> int:
    """A port for a server, which nobody else gets while this process runs: not before it listens, nor between restarts.

    A socket that is bound but does not listen reserves it. A server may listen there, because it sets the same option.
    """
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("", 0))
    _reserved.append(reserved)
    return int(reserved.getsockname()[1])


class Server:
    """A server process on its own port, which it keeps after a restart."""

    def __init__(self, database: str, command: tuple[str, ...] = SERVE, **settings: object) -> None:
        self.database = database
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [*command, "--port", str(self.port), "--database", database]
        values = {
            f"DIGITDUELS_{name.upper()}": str(value)
            for name, value in {"rate": 0, "origins": self.url, **settings}.items()
        }
        self._environment = {**os.environ, "PYTHONPATH": str(SOURCE), **values}
        self._log = tempfile.NamedTemporaryFile()  # noqa: SIM115  closed with the server
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._log.close()

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        self.process = self._open()
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/api/games/no-such-game", timeout=5):
                    pass
            except urllib.error.HTTPError as answer:
                if answer.code == 404:
                    return
            except OSError:
                pass
            assert self.process.poll() is None, f"the server ended: {self.log()[-2000:]}"
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.02)

    def _open(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, env=self._environment, stdout=self._log, stderr=self._log)

    def log(self) -> str:
        """Everything that the server has logged."""
        return Path(self._log.name).read_text(encoding="utf-8")

    def kill(self) -> None:
        """Sends SIGKILL, so that the server can't clean up."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGKILL)
            self.process.wait(PATIENCE)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Suspends the process, whatever it is doing."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def pause(self, seconds: float) -> None:
        """Suspends the process for some seconds."""
        with self.suspended():
            time.sleep(seconds)

    def stop(self) -> int:
        """Asks the server to stop and returns its exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(PATIENCE)
