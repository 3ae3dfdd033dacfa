"""A sixth game is one new file and no other edit: it is listed, documented, played and saved."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import digitduels as dd
from conftest import ROOT, Run

pytestmark = pytest.mark.slow

TAKE_AWAY = ROOT / "tests" / "plugin" / "take_away.py"


@pytest.fixture
def six(duels: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`duels` from a copy of the package with an additional game."""
    shutil.copytree(ROOT / "src" / "digitduels", tmp_path / "copy" / "digitduels")
    shutil.copy(TAKE_AWAY, tmp_path / "copy" / "digitduels" / "games")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "copy"))
    return duels


def test_a_sixth_game_is_listed(six: Run) -> None:
    assert (
        "take-away\n    Take one or two counters from a heap. The player who takes the last one wins.\n"
        in six("games").stdout
    )
    listing = json.loads(six("games", "--json").stdout)["games"]
    assert [game["game"] for game in listing] == sorted([*dd.games(), "take-away"])
    assert {"name": "heap", "default": 7, "about": "the counters at the start"}.items() <= listing[-1]["options"][
        0
    ].items()


def test_a_sixth_game_is_documented(six: Run) -> None:
    page = six("rules", "take-away").stdout
    assert page.startswith(
        "# Take Away\n\nTake one or two counters from a heap. The player who takes the last one wins.\n"
    )
    for text in ("There are seven counters.", "`heap=7`: the counters at the start;", "- Nobody may pass.", "`take-2`"):
        assert text in page
    assert "Player 1, enter your move: 1\nPlayer 1 plays take 1.\n" in page


def test_a_sixth_game_is_played_to_its_end(six: Run) -> None:
    done = six("play", "take-away", "--set", "heap=4", "--names", "Ann", "Bob", answers="3\n2\ntake-1\ntake-2\n1\n")
    assert done.stdout.startswith("Welcome to Take Away!\n")
    assert "Error: '3' is not possible here. Possible: 1, 2.\n" in done.stdout
    assert "Error: There are not so many. Possible: 1.\n" in done.stdout
    assert done.stdout.endswith("Ann plays take 1.\nAnn took the last one.\nAnn wins the game!\n")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_sixth_game_is_saved_and_resumed(six: Run) -> None:
    assert "Resume with: duels resume take-away-1\n" in six("play", "take-away", answers="2\n").stdout
    assert six("saved").stdout == "take-away-1: Player 1 against Player 2, 1 move. Player 2 to move.\n"
    shown = six("resume", answers="moves\n2\n2\n1\n").stdout
    assert "1. Player 1: take 2. Now: 5.\n" in shown
    assert shown.endswith("Player 2 plays take 1.\nPlayer 2 took the last one.\nPlayer 2 wins the game!\n")


def test_a_sixth_game_is_solved_explained_and_drawn(six: Run, tmp_path: Path) -> None:
    shown = six("solve", "take-away", "--plot", "heap.svg").stdout
    assert "\nPlayer 1 is winning: 3 more turns.\n\n▲ Winning: 1 of 2\n  wins in 3 turns: take 1\n" in shown
    assert (tmp_path / "heap.svg").read_text(encoding="utf-8").startswith("<svg ")
    told = six("solve", "take-away", "--theory").stdout
    assert "\nOf the values 1 to 99 of heap, Player 1 wins with 66 and Player 2 wins with 33.\n" in told
