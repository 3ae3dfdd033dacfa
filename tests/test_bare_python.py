"""The rules, the terminal and levels 1 to 6 need no NumPy, Rich or web packages; what does says what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import digitduels as dd
from conftest import PATIENCE
from digitduels.players.levels import tuning

pytestmark = pytest.mark.slow

BARE = """
import sys
MISSING = {"numpy", "numba", "llvmlite", "rich", "starlette", "uvicorn", "msgspec", "h11", "segno"}
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""
DUELS = f"{BARE}\nfrom digitduels.cli.main import main\nsys.exit(main(sys.argv[1:]))"


def bare(program: str, *arguments: str, answers: str = "") -> subprocess.CompletedProcess[str]:
    """Runs Python without those packages."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, input=answers, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_the_rules_need_only_python() -> None:
    ran = bare(f"{BARE}\nimport digitduels as dd\nfor name in dd.games(): print(dd.game(name).start())")
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) == len(dd.games())


def test_two_people_play_a_whole_game(home: Path) -> None:
    ran = bare(DUELS, "play", "number-duel", answers="+5\n+10\nx10\n")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("Player 1 has reached 50 points and wins the game!\n")


@pytest.mark.parametrize("name", dd.games())
def test_levels_1_to_6_move(name: str, home: Path) -> None:
    for level in (level for level in tuning(dd.game(name)).levels if level <= 6):
        ran = bare(DUELS, "play", name, "--vs", str(level), "--seat", "2", "--seed", "1", answers="hint\nquit\n")
        assert ran.returncode == 0, f"level {level}: {ran.stderr}"
        assert "The game is saved." in ran.stdout


@pytest.mark.parametrize(
    ("command", "package"),
    [
        (("solve", "number-duel"), "numpy"),
        (("puzzle",), "numpy"),
        (("serve", "--check"), "starlette"),
        (("class", "--no-open"), "starlette"),
        (("match", "1", "2", "--game", "number-duel"), "numpy"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_what_needs_a_package_says_what_to_install(command: tuple[str, ...], package: str, home: Path) -> None:
    ran = bare(DUELS, *command)
    assert ran.returncode in (1, 5), ran.stderr
    assert "Traceback" not in ran.stderr
    assert f"requires {package}" in ran.stderr
    assert "pip install digitduels" in ran.stderr
