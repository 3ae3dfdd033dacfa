"""Shared fixtures and hooks: the slow and long tests, an isolated home for the program under test, no skips in CI."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

import digitduels as dd
from databases import Postgresql, start_postgresql

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

# The same examples in every run, unless HYPOTHESIS_PROFILE=random asks for new ones.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

ROOT = Path(__file__).parents[1]
DUELS = [sys.executable, "-m", "digitduels"]
CACHE = pytest.StashKey[str]()
PATIENCE = 60  # seconds without output after which a program counts as hung
# The test files that `make check` leaves out: browsers, servers, databases, frameworks, and tests that solve large
# games or start many programs. `make test` starts them in this order, the longest first, to keep all cores busy.
# A slow test in another file is marked with @pytest.mark.slow.
SLOW = (
    "test_solver",
    "test_page",
    "test_solo",
    "test_isolation",
    "test_crash",
    "test_cache",
    "test_page_lessons",
    "test_docs",
    "test_page_class",
    "test_web_guard",
    "test_terminal",
    "test_serve_command",
    "test_evals",
    "test_background",
    "test_lab_commands",
    "test_plugins",
    "test_web_api",
    "test_puzzles",
    "test_deploy",
    "test_commands",
    "test_vector",
    "test_policies",
    "test_package",
    "test_suite",
    "test_solve_command",
    "test_arena",
    "test_players",
    "test_compiled",
    "test_search",
    "test_rooms_model",
    "test_page_tools",
    "test_fuzz",
    "test_web_search",
    "test_live",
    "test_lab",
    "test_page_types",
    "test_page_live",
    "test_page_lab",
    "test_classes",
    "test_first_edition",
    "test_hints",
    "test_dataset",
    "test_vector_modes",
    "test_proxy",
    "test_store",
    "test_gymnasium",
    "test_openspiel",
    "test_programs",
    "test_rooms",
    "test_two_servers",
    "test_pettingzoo",
    "test_sixth_game",
    "test_ggbench",
    "test_textarena",
)
# The longest tests, by the beginning of their names or of their files' names. `make long` runs them, and `make test`
# leaves them out, to stay below twenty minutes on two cores. A file named on the command line runs completely.
LONG = (
    "test_a_level_replies_with_its_exact_probabilities[2-number-quest",
    "test_a_level_replies_with_its_exact_probabilities[4-number-quest",
    "test_exact_evaluation_agrees_with_plain_recursion[number-quest target=12 highest=4 copies=1-random-random",
    "test_the_search_agrees_with_the_table_and_is_undecided_beyond_its_horizon[number-quest division=exact",
    "test_the_example_learns_and_draws_its_score",
    "test_a_random_player_finds_the_expected_share",
    "test_a_process_killed_while_it_writes_never_leaves_a_wrong_table",
    "test_exact_evaluation_agrees_with_plain_recursion[number-quest target=12 highest=4 copies=1-3-random",
    "test_the_search_saves_rules_that_every_command_accepts",
    "test_the_number_of_move_sequences_is_known[number-duel-options2",
    "test_perfect_play_wins_every_won_start_against_every_player[equation-duel",
    "test_perfect_play_wins_every_won_start_against_every_player[number-quest",
    "test_a_killed_sweep_resumes_and_gives_the_same_file",
    "test_tables_and_reference_agree_in_every_position_of_small_variants[number-duel target=20",
    "test_the_harness_detects_an_injected_fault",
    "test_rooms_model",
    "test_the_steps_of_the_container",
    "test_in_every_position_the_verdict_follows_from_the_successors",
    "test_an_opponent_replies_by_the_rules[equation-duel-options2-perfect",
    "test_the_number_of_move_sequences_is_known[equation-duel-options3",
    "test_huge_variants_are_played_to_the_end[num",
    "test_a_person_addressed_as_you_is_never_called_player_1",
    "test_people_see_signs_instead_of_tokens",
    "test_large_targets_and_long_games_are_solved",
    "test_ten_huge_variants_at_once",
    "test_a_variant_that_takes_too_long_is_stopped",
    "test_the_review_route_agrees_with_the_command[operation-target target=1000",
    "test_the_perfect_player_finds_every_move",
    "test_larger_spaces_are_searched",
    "test_no_table_is_reused_when_a_rule_or_an_ending_changes",
    "test_a_lesson_survives_a_kill_and_its_results_equal_the_records",
    "test_a_table_is_reused_when_only_texts_change",
    "test_no_request_fails_during_a_rolling_restart",
    "test_a_game_uses_as_much_disk_space_as_documented",
    "test_inspect_finds_our_tasks_by_the_entry_point",
    "test_a_variant_that_is_too_large_is_played_to_the_end",
)
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


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tables: Path) -> Path:
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


@pytest.fixture(scope="module")
def client(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server in the test process, and its client."""
    from fastapi.testclient import TestClient

    from digitduels.web.app import create
    from digitduels.web.settings import Settings

    file = tmp_path_factory.mktemp("client") / "games.sqlite"
    with TestClient(create(Settings(rate=0, database=str(file)))) as client:
        yield client


@pytest.fixture
def duels(home: Path) -> Run:
    """Runs `duels` with these arguments, and pipes `answers` into it."""

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
        """Presses Ctrl-C, and again if nothing happens: line editing misses a signal that arrives just as it starts."""
        self.type("\x03")
        end = time.monotonic() + PATIENCE
        while not select.select([self.screen], [], [], 3)[0]:
            assert time.monotonic() < end, "the program ignores Ctrl-C"
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
    """Gives all test processes one cache folder of their own."""
    if not hasattr(config, "workerinput"):
        # Only pip may use its existing cache.
        caches = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
        os.environ.setdefault("PIP_CACHE_DIR", str(caches / "pip"))
        os.environ["XDG_CACHE_HOME"] = config.stash[CACHE] = tempfile.mkdtemp(prefix="cache-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if CACHE in config.stash:
        shutil.rmtree(config.stash[CACHE])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that are listed as slow or long, and runs the slow files first, in the listed order."""
    places = {name: place for place, name in enumerate(SLOW)}
    for item in items:
        if item.path.stem in places:
            item.add_marker(pytest.mark.slow)
        if item.path.stem.startswith(LONG) or item.name.startswith(LONG):
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: places.get(item.path.stem, len(SLOW)))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI, a skipped test is a failure: `make system` installs everything that a test needs."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("CI allows no skipped tests.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
