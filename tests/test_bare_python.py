"""The rules, the terminal and levels 1 to 6 need nothing but Python; what needs a package says what to install."""

from __future__ import annotations

import os
import re
import subprocess
import venv
from pathlib import Path

import pytest

import digitduels as dd
from conftest import PATIENCE, ROOT
from digitduels.players.levels import tuning

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python without any package. Programs that it starts have none either."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder)
    return folder / "bin" / "python"


def run(python: Path, *arguments: str, answers: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [python, *arguments],
        input=answers,
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE,
        check=False,
    )


def duels(python: Path, *arguments: str, answers: str = "") -> subprocess.CompletedProcess[str]:
    return run(python, "-m", "digitduels", *arguments, answers=answers)


def test_the_rules_need_only_python(python: Path) -> None:
    ran = run(python, "-c", "import digitduels as dd\nfor name in dd.games(): print(dd.game(name).start())")
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) == len(dd.games())


def test_two_people_play_a_whole_game(python: Path, home: Path) -> None:
    ran = duels(python, "play", "number-duel", answers="+5\n+10\nx10\n")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("Player 1 has reached 50 points and wins the game!\n")


@pytest.mark.parametrize("name", dd.games())
def test_levels_1_to_6_move(python: Path, name: str, home: Path) -> None:
    for level in (level for level in tuning(dd.game(name)).levels if level <= 6):
        ran = duels(python, "play", name, "--vs", str(level), "--seat", "2", "--seed", "1", answers="hint\nquit\n")
        assert ran.returncode == 0, f"level {level}: {ran.stderr}"
        assert "The game is saved." in ran.stdout


def test_a_game_against_the_computer_ends_with_a_word_about_the_missing_review(python: Path, home: Path) -> None:
    ran = duels(python, "play", "number-duel", "--vs", "3", "--seed", "1", answers="+1\nhint\nconcede\n")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Solving a game requires numpy: pip install digitduels." in ran.stdout.split("You concede.")[1]
    assert "too large" not in ran.stdout


@pytest.mark.parametrize(
    ("command", "package"),
    [
        (("solve", "number-duel"), "numpy"),
        (("play", "number-duel", "--vs", "7"), "numpy"),
        (("play", "number-duel", "--start", "fair"), "numpy"),
        (("completion", "bash"), "argcomplete"),
        (("puzzle",), "numpy"),
        (("serve", "--check"), "starlette"),
        (("class", "--no-open"), "starlette"),
        (("match", "1", "2", "--game", "number-duel"), "numpy"),
        (("suite", "reference"), "numpy"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_what_needs_a_package_says_what_to_install(
    python: Path, command: tuple[str, ...], package: str, home: Path
) -> None:
    ran = duels(python, *command)
    assert ran.returncode == 1, ran.stderr
    assert re.fullmatch(
        rf"duels: [\w ]+ requires {package}(, which is not installed)?: pip install digitduels\.\n", ran.stderr
    )
