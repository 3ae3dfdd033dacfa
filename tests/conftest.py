"""What the tests share: which of them are slow, a home of its own for the program under test, no skips in CI."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import digitduels as dd
from databases import Postgresql, start_postgresql

# The same examples each time, unless HYPOTHESIS_PROFILE=random asks for others.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

ROOT = Path(__file__).parents[1]
DUELS = [sys.executable, "-m", "digitduels"]
PATIENCE = 60  # seconds without a word after which a program counts as hung
# The test files that `make check` leaves out, by how their names begin: browsers, servers, databases, frameworks,
# and all that solve large games or start many programs. A slow test in another file is marked with @pytest.mark.slow.
SLOW = (
    "test_arena",
    "test_background",
    "test_cache",
    "test_classes",
    "test_commands",
    "test_compiled",
    "test_crash",
    "test_dataset",
    "test_deploy",
    "test_docs",
    "test_evals",
    "test_first_edition",
    "test_fuzz",
    "test_ggbench",
    "test_gymnasium",
    "test_hints",
    "test_isolation",
    "test_lab",
    "test_live",
    "test_openspiel",
    "test_package",
    "test_page",
    "test_pettingzoo",
    "test_players",
    "test_programs",
    "test_proxy",
    "test_puzzles",
    "test_rooms",
    "test_search",
    "test_serve_command",
    "test_sixth_game",
    "test_solo",
    "test_solve_command",
    "test_solver",
    "test_store",
    "test_suite",
    "test_terminal",
    "test_textarena",
    "test_two_servers",
    "test_vector",
    "test_web_api",
    "test_web_guard",
    "test_web_search",
)
# The longest tests, by how their names begin. `make long` runs them; `make test` leaves them out, to stay below twenty
# minutes on two cores.
LONG = (
    "test_crash",
    "test_deploy",
    "test_isolation",
    "test_lab_commands",
    "test_page_class",
    "test_plugins",
    "test_rooms_model",
    "test_serve_command",
    "test_nobody_who_is_you_is_also_player_1",
    "test_people_read_signs_and_no_tokens",
    "test_in_every_position_value_and_distance_follow_from_the_successors",
    "test_tables_and_reference_agree_in_every_position_of_small_variants[number-duel target=70",
    "test_the_number_of_move_sequences[equation-duel-options3",
    "test_ten_huge_variants_at_once",
    "test_a_variant_that_takes_too_long_is_stopped",
)
HINT = "Type ? at any time for help.\n\n"
LEAVE = "\nr: rematch, u: undo, Enter: leave > "

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session", autouse=True)
def _nobodys_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Servers inside the tests keep their games in nobody's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Postgresql]:
    """A real PostgreSQL server."""
    server = start_postgresql()
    yield server
    server.stop()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of its own, so that no test sees or touches a real one's games."""
    for name, folder in (("HOME", "home"), ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache")):
        (tmp_path / folder).mkdir()
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.setenv("PYTHONUTF8", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("TERM", "dumb")
    for name in ("COLUMNS", "LINES", "NO_COLOR"):  # what a terminal knows better
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache folder with the tables of all games, for servers: made once, and without the checks of a first time."""
    from digitduels.solver import cache
    from digitduels.solver.tables import Tables
    from variants import solve

    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        for name in dd.games():
            solution = solve(dd.game(name))
            if isinstance(solution, Tables):
                cache.keep(solution)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def shared_tables(tables: Path) -> Iterator[None]:
    """Servers that the tests of a module start find the tables of all games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tables))
        yield


@pytest.fixture
def duels(home: Path) -> Run:
    """Runs `duels` with these arguments, and with `answers` typed into a pipe."""

    def run(*arguments: str, answers: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.run(
            [*DUELS, *arguments],
            input=answers,
            encoding="utf-8",
            errors="surrogateescape",
            cwd=home,
            timeout=PATIENCE,
            check=False,
            **streams,
        )

    return run


class Terminal:
    """A program on a pseudo-terminal of its own, before which somebody sits who reads and types."""

    def __init__(self, command: list[str], folder: Path, columns: int) -> None:
        self.screen, keyboard = pty.openpty()
        termios.tcsetwinsize(keyboard, (24, columns))
        self.program = subprocess.Popen(
            command,
            stdin=keyboard,
            stdout=keyboard,
            stderr=keyboard,
            cwd=folder,
            env=dict(os.environ),  # without the COLUMNS that line editing hides in the environment of the tests
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(keyboard)
        self._unread = b""

    def read(self, until: str) -> str:
        """What is shown next, up to and with `until`."""
        mark = until.replace("\n", "\r\n").encode()
        while mark not in self._unread:
            assert self._look(), f"{until!r} never came; the end was {self._unread.decode()!r}"
        seen, _, self._unread = self._unread.partition(mark)
        return (seen + mark).decode().replace("\r\n", "\n")

    def type(self, text: str | bytes) -> None:
        """Presses these keys."""
        keys = text.encode() if isinstance(text, str) else text
        while keys:
            shown, ready, _ = select.select([self.screen], [self.screen], [], PATIENCE)
            if shown and not self._look():
                return
            if ready:
                keys = keys[os.write(self.screen, keys[:100]) :]

    def interrupt(self) -> None:
        """Presses Ctrl-C, and once more if nobody listened: line editing misses a signal that comes as it begins."""
        self.type("\x03")
        end = time.monotonic() + PATIENCE
        while not select.select([self.screen], [], [], 3)[0]:
            assert time.monotonic() < end, "nobody listens to Ctrl-C"
            self.type("\x03")

    def rest(self) -> str:
        """What is shown until the program ends."""
        while self._look():
            pass
        self.program.wait(PATIENCE)
        return self._unread.decode(errors="replace").replace("\r\n", "\n")

    def close(self) -> None:
        """Closes the window."""
        with suppress(OSError):
            os.close(self.screen)

    def _look(self) -> bool:
        """Waits for more to be shown; False when the program has ended."""
        assert select.select([self.screen], [], [], PATIENCE)[0], f"no end, after {self._unread.decode()!r}"
        try:
            shown = os.read(self.screen, 1 << 16)
        except OSError:  # how Linux says that nobody writes any more
            return False
        self._unread += shown
        return bool(shown)


Open = Callable[..., Terminal]


@pytest.fixture
def terminal(home: Path) -> Iterator[Open]:
    """Starts a command, `duels` with these arguments unless another is named, on a terminal of its own."""
    opened: list[Terminal] = []

    def start(*arguments: str, command: list[str] = DUELS, columns: int = 200) -> Terminal:
        opened.append(Terminal([*command, *arguments], home, columns))
        return opened[-1]

    yield start
    for each in opened:
        each.program.kill()
        each.program.wait(PATIENCE)
        each.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the longest tests only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Chooses the long tests or the others, and marks the tests of the files that are listed as slow."""
    long = [item for item in items if item.path.stem.startswith(LONG) or item.name.startswith(LONG)]
    others = [item for item in items if item not in set(long)]
    # A file or a test that is named on the command line runs, however long it takes.
    if not any(".py" in argument for argument in config.args):
        items[:], rest = (long, others) if config.getoption("--long") else (others, long)
        config.hook.pytest_deselected(items=rest)
    for item in items:
        if item.path.stem.startswith(SLOW):
            item.add_marker(pytest.mark.slow)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI a skipped test is a failed one: `make system` installs everything that a test needs."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("CI allows no skipped tests.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
