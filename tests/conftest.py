"""Shared fixtures and hooks: an isolated home for the program under test, its cache of tables, no skips in CI."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

import digitduels as dd
from databases import Postgresql, start_postgresql
from digitduels.cli.main import main

if TYPE_CHECKING:
    from starlette.testclient import TestClient

# The same examples in every run, unless HYPOTHESIS_PROFILE=random asks for new ones.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

pytest_plugins = ["browser"]

ROOT = Path(__file__).parents[1]
DUELS = [sys.executable, "-m", "digitduels"]
CACHE = pytest.StashKey[str]()
PATIENCE = 60  # seconds without output after which a program counts as hung
HINT = "Type ? at any time for help.\n\n"
LEAVE = "\nr: rematch, u: undo, Enter: leave > "

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session", autouse=True)
def _isolated_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps the games of servers inside the tests out of the real home directory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Postgresql]:
    """A real PostgreSQL server."""
    server = start_postgresql()
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, once of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "games.sqlite")
    server: Postgresql = request.getfixturevalue("postgresql")
    return server.database()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An isolated home directory, so that no test sees or changes real games. Solved tables are shared."""
    for name, folder in (("HOME", "home"), ("XDG_STATE_HOME", "state")):
        (tmp_path / folder).mkdir()
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.setenv("PYTHONUTF8", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("TERM", "dumb")
    for name in ("COLUMNS", "LINES", "NO_COLOR"):  # a terminal knows these better
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture(scope="session")
def tables() -> Path:
    """The cache folder with the tables of all games, computed once for all tests."""
    from digitduels.solver import cache
    from digitduels.solver.tables import Tables
    from variants import solve

    folder = Path(os.environ["XDG_CACHE_HOME"])
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)  # the other test process waits for this one
        for game in map(dd.game, dd.games()):
            if not cache.path_of(game).exists() and isinstance(solution := solve(game), Tables):
                cache.keep(solution)
    finally:
        os.close(handle)
    return folder


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder for this test."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def games_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of `client`."""
    return tmp_path_factory.mktemp("client") / "games.sqlite"


@pytest.fixture(scope="session")
def client(games_file: Path) -> Iterator[TestClient]:
    """A server in the test process, without worker processes, and its client."""
    from starlette.testclient import TestClient

    from web import application

    with TestClient(application(database=str(games_file))) as client:
        yield client


@pytest.fixture
def duels(home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `duels`, or another `program`, with these arguments in this process, and pipes `answers` into it.

    With `columns`, its streams are a terminal of this width, at which somebody types the answers. For signals, closed
    streams, real terminals and everything else that belongs to a process of its own, see `program` and `terminal`.
    """

    def run(
        *arguments: str, answers: str = "", columns: int | None = None, program: Callable[..., int] = main
    ) -> subprocess.CompletedProcess[str]:
        with (
            _Stream(keys=answers) as stdin,
            _Stream() as stdout,
            _Stream("backslashreplace") as stderr,
            monkeypatch.context() as patch,
            warnings.catch_warnings(),
        ):
            patch.chdir(home)
            patch.setattr(sys, "argv", ["duels", *arguments])
            for name, stream in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
                patch.setattr(sys, name, stream)
            if columns is not None:
                patch.setenv("COLUMNS", str(columns))
                stdin.echo = stdout
                for stream in (stdin, stdout, stderr):
                    stream.terminal = True
            warnings.simplefilter("default")  # the program prints its warnings
            warnings.showwarning = _print_warning
            patch.setattr(warnings, "formatwarning", warnings.formatwarning)  # restored afterwards
            try:
                code = program(arguments)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
            return subprocess.CompletedProcess(arguments, code, stdout.written(), stderr.written())

    return run


@pytest.fixture
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets tournaments be played as on a machine with one core: in the process of the test, which is faster."""
    monkeypatch.setattr("digitduels.arena.tournament.cores", lambda: 1)


class _Stream(io.TextIOWrapper):
    """A standard stream of a program in this process: a file that stands for a pipe, or for a terminal."""

    def __init__(self, errors: str = "surrogateescape", keys: str = "") -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  closed with the stream
        self._file.write(keys.encode("utf-8", "surrogateescape"))
        self._file.seek(0)
        self._bytes = os.fdopen(os.dup(self._file.fileno()), "r+b")  # the program may redirect this descriptor
        super().__init__(self._bytes, os.environ.get("PYTHONIOENCODING", "utf-8"), errors, "\n")
        self.terminal = False
        self.echo: _Stream | None = None

    def isatty(self) -> bool:
        return self.terminal

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        if self.echo is None:
            return super().readline(size)
        line = self._bytes.readline().decode(self.encoding, "replace")  # unlike a pipe, not read ahead
        self.echo.write(line)
        return line

    def written(self) -> str:
        """Everything that the program has written, even if it has redirected its output since."""
        self.flush()
        self._file.seek(0)
        return self._file.read().decode("utf-8", "surrogateescape")

    def close(self) -> None:
        super().close()
        self._file.close()


def _print_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object, **__: object
) -> None:
    sys.stderr.write(warnings.formatwarning(message, category, filename, lineno))


@pytest.fixture
def program(home: Path) -> Run:
    """Runs `duels` with these arguments in a process of its own, and pipes `answers` into it."""

    def run(*arguments: str, answers: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.run(
            [*DUELS, *arguments],
            input=answers,
            encoding="utf-8",
            errors="surrogateescape",
            cwd=home,
            env=dict(os.environ),  # without the COLUMNS that readline puts into the environment
            timeout=PATIENCE,
            check=False,
            **streams,
        )

    return run


class Terminal:
    """A program on its own pseudo-terminal, and the person who reads and types there."""

    def __init__(self, command: list[str], folder: Path, columns: int) -> None:
        self.screen, keyboard = pty.openpty()
        termios.tcsetwinsize(keyboard, (24, columns))
        self.program = subprocess.Popen(
            command,
            stdin=keyboard,
            stdout=keyboard,
            stderr=keyboard,
            cwd=folder,
            env=dict(os.environ),  # without the COLUMNS that readline puts into the environment
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(keyboard)
        self._unread = b""

    def read(self, until: str) -> str:
        """Waits for `until` and returns everything shown up to it."""
        mark = until.replace("\n", "\r\n").encode()
        while mark not in self._unread:
            assert self._look(), f"{until!r} never came; the end was {self._unread.decode()!r}"
        seen, _, self._unread = self._unread.partition(mark)
        return (seen + mark).decode().replace("\r\n", "\n")

    def type(self, text: str | bytes) -> None:
        """Presses these keys."""
        keys = text.encode() if isinstance(text, str) else text
        while keys:
            readable, ready, _ = select.select([self.screen], [self.screen], [], PATIENCE)
            if readable and not self._look():
                return
            if ready:
                keys = keys[os.write(self.screen, keys[:100]) :]

    def interrupt(self) -> None:
        """Presses Ctrl-C."""
        self.type("\x03")

    def rest(self) -> str:
        """Everything shown until the program ends."""
        while self._look():
            pass
        self.program.wait(PATIENCE)
        return self._unread.decode(errors="replace").replace("\r\n", "\n")

    def close(self) -> None:
        """Closes the window."""
        with suppress(OSError):
            os.close(self.screen)

    def _look(self) -> bool:
        """Waits for more output; returns False when the program has ended."""
        assert select.select([self.screen], [], [], PATIENCE)[0], f"no end, after {self._unread.decode()!r}"
        try:
            output = os.read(self.screen, 1 << 16)
        except OSError:  # on Linux, this means that the program has closed the terminal
            return False
        self._unread += output
        return bool(output)


Open = Callable[..., Terminal]


@pytest.fixture
def terminal(home: Path) -> Iterator[Open]:
    """Starts a command on its own terminal, by default `duels` with these arguments."""
    opened: list[Terminal] = []

    def start(*arguments: str, command: list[str] = DUELS, columns: int = 200) -> Terminal:
        opened.append(Terminal([*command, *arguments], home, columns))
        return opened[-1]

    yield start
    for window in opened:
        window.program.kill()
        window.program.wait(PATIENCE)
        window.close()


def pytest_configure(config: pytest.Config) -> None:
    """Gives all test processes one cache folder of their own, and lets signals end what they start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job that a shell has started in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as nohup leaves it
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if not hasattr(config, "workerinput"):
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # with it, every process would compile all modules
        # Only pip may use its existing cache.
        caches = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
        os.environ.setdefault("PIP_CACHE_DIR", str(caches / "pip"))
        os.environ["XDG_CACHE_HOME"] = config.stash[CACHE] = tempfile.mkdtemp(prefix="cache-")


def pytest_xdist_auto_num_workers() -> int:
    """Three test processes for two processors: tests of servers and browsers mostly wait."""
    processors = os.cpu_count() or 1
    return processors + max(1, processors // 2)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """In `make check`, does not import test files that are slow as a whole: their frameworks alone take seconds."""
    if "not slow" not in config.getoption("markexpr") or collection_path.suffix != ".py":
        return None
    slow = re.search(r"^pytestmark = \[?\s*pytest\.mark\.slow\b", collection_path.read_text(encoding="utf-8"), re.M)
    return True if slow else None


def pytest_unconfigure(config: pytest.Config) -> None:
    if CACHE in config.stash:
        shutil.rmtree(config.stash[CACHE])


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI, a skipped test is a failure: `make system` installs everything that a test needs."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("CI allows no skipped tests.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
