"""A sixth game is one new file and no other edit: the example of CONTRIBUTING.md is listed, documented and played."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import digitduels as dd
from conftest import PATIENCE, ROOT, Run
from test_docs import blocks

pytestmark = pytest.mark.slow

(EXAMPLE,) = blocks(ROOT / "CONTRIBUTING.md", "python file=take_away.py")
PLAIN = EXAMPLE.text.partition("\n    # The words\n")[0] + "\n"
"""The same game in the words that every game has by default."""

ABOUT = "Take one, two or three counters from a heap; take the last one and you win."


@pytest.fixture
def six(request: pytest.FixtureRequest, duels: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """`duels` with one more file in its folder of games."""
    games = import_module("digitduels.games")
    (tmp_path / "take_away.py").write_text(getattr(request, "param", EXAMPLE.text), encoding="utf-8")
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(tmp_path)])
    games._books.cache_clear()
    yield duels
    sys.modules.pop("digitduels.games.take_away", None)
    games._books.cache_clear()


def test_a_copy_of_the_package_with_one_more_file_has_the_game(home: Path) -> None:
    shutil.copytree(ROOT / "src" / "digitduels", home / "digitduels", copy_function=os.symlink)
    (home / "digitduels" / "games" / "take_away.py").write_text(EXAMPLE.text, encoding="utf-8")
    for arguments, text in (("games", f"take-away\n    {ABOUT}\n"), ("play take-away", "Welcome to Take Away!\n")):
        ran = subprocess.run(
            [sys.executable, "-m", "digitduels", *arguments.split()],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=home,
            timeout=PATIENCE,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, "")
        assert text in ran.stdout


def test_a_sixth_game_is_listed(six: Run) -> None:
    assert f"take-away\n    {ABOUT}\n" in six("games").stdout
    listing = json.loads(six("games", "--json").stdout)["games"]
    assert [game["game"] for game in listing] == dd.games()
    assert len(listing) == 6
    option = {"name": "heap", "default": 21, "about": "the counters at the start"}
    assert option.items() <= listing[-1]["options"][0].items()


def test_a_sixth_game_is_documented(six: Run) -> None:
    page = six("rules", "take-away").stdout
    assert page.startswith(f"# Take Away\n\n{ABOUT}\n")
    for text in (
        "The heap starts with 21 counters.",
        "- `heap=21`: the counters at the start; an integer from 1 to 1000.\n",
        "- You cannot take more counters than there are.",
        "`take-2`",
        "Player 1, how many do you take? 1\nPlayer 1 plays take 1.\n",
    ):
        assert text in page


def test_a_sixth_game_is_played_to_its_end_in_its_own_words(six: Run) -> None:
    played = six("play", "take-away", "--set", "heap=4", answers="2\n3\n2\n")
    assert (played.returncode, played.stderr) == (0, "")
    assert played.stdout == (
        "Welcome to Take Away!\nOn the heap: 4\n\n"
        "On the heap: 4\nPlayer 1, how many do you take? 2\nPlayer 1 plays take 2.\n\n"
        "On the heap: 2\nPlayer 2, how many do you take? 3\nError: There are only 2 left.\n"
        "Player 2, how many do you take? 2\nPlayer 2 plays take 2.\n"
        "Player 2 took the last counter.\nPlayer 2 wins the game!\n"
    )


@pytest.mark.parametrize("six", [PLAIN], indirect=True, ids=[""])
def test_a_sixth_game_is_played_to_its_end_in_default_words(six: Run) -> None:
    arguments = ("play", "take-away", "--set", "heap=4", "--names", "Ann", "Bob")
    played = six(*arguments, answers="4\n2\ntake-3\ntake-1\n1\n")
    assert (played.returncode, played.stderr) == (0, "")
    assert played.stdout.startswith("Welcome to Take Away!\n")
    assert "Ann, enter your move: 4\nError: '4' is not possible here. Possible: 1, 2, 3.\n" in played.stdout
    assert "Error: There are only 2 left. Possible: 1, 2.\n" in played.stdout
    assert played.stdout.endswith("Ann plays take 1.\nAnn took the last counter.\nAnn wins the game!\n")


def test_a_sixth_game_is_saved_and_resumed(six: Run) -> None:
    assert "Resume with: duels resume take-away-1\n" in six("play", "take-away", answers="3\n").stdout
    assert six("saved").stdout == "take-away-1: Player 1 against Player 2, today, 1 move, Player 2's move\n"
    shown = six("resume", answers="moves\n3\n3\n3\n3\n3\n3\n").stdout
    assert "1. Player 1: take 3. Now: 18.\n" in shown
    assert shown.endswith("Player 1 plays take 3.\nPlayer 1 took the last counter.\nPlayer 1 wins the game!\n")


def test_a_sixth_game_is_solved_explained_and_drawn(six: Run, home: Path) -> None:
    shown = six("solve", "take-away", "--plot", "heap.svg").stdout
    assert "\nPlayer 1 is winning: 6 more turns.\n\n▲ Winning: 1 of 3\n  wins in 6 turns: take 1\n" in shown
    assert "<svg " in (home / "heap.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("six", [EXAMPLE.text.replace("1000", "99")], indirect=True, ids=[""])
def test_the_theory_of_a_sixth_game_says_with_which_options_each_player_wins(six: Run) -> None:
    told = six("solve", "take-away", "--set", "heap=4", "--theory").stdout
    assert "\nOf the values 1 to 99 of heap, Player 1 wins with 75 and Player 2 wins with 24.\n" in told
