"""What the tests share: a machine of their own for the program under test, and no silent skips in CI."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("digitduels", deadline=None, derandomize=True)
settings.load_profile("digitduels")

ROOT = Path(__file__).parents[1]
DUELS = [sys.executable, "-m", "digitduels"]

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of its own, so that no test sees or touches a real one's games."""
    for name, folder in (("HOME", "home"), ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache")):
        (tmp_path / folder).mkdir()
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.setenv("PYTHONUTF8", "1")
    monkeypatch.setenv("TERM", "dumb")
    return tmp_path


@pytest.fixture
def duels(home: Path) -> Run:
    """Runs `duels` with these arguments, and with `answers` typed into a pipe."""

    def run(*arguments: str, answers: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*DUELS, *arguments], input=answers, capture_output=True, text=True, cwd=home, timeout=60, check=False
        )

    return run


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI a skipped test is a failed one: whatever a test needs, the project installs."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("CI allows no skipped tests.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
