"""One person against the computer, in the terminal: playing, asking, blundering, learning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import digitduels as dd
from conftest import Open, Run
from digitduels.match import Match
from digitduels.record import load

SMALL = ("--set", "target=23", "--set", "highest=5", "--set", "copies=1")


def kept(home: Path) -> Match:
    """The one game that was kept."""
    (path,) = (home / "state" / "digitduels" / "games").glob("*.json")
    return load(path)


def test_a_whole_game_against_a_level_is_played_kept_and_reviewed(duels: Run, home: Path) -> None:
    answers = "\n".join(["+5", "+4", "+3", "+2", "+1"] * 4)
    played = duels("play", "number-duel", "--vs", "2", "--seed", "5", *SMALL, answers=answers)
    assert played.returncode == 0, played.stderr
    assert "Level 2's Turn:" in played.stdout
    match = kept(home)
    assert match.players == ("human", "2")
    assert match.seed == "5"
    assert match.outcome is not None


def test_the_same_seed_gives_the_same_game(duels: Run) -> None:
    answers = "\n".join(["+5", "+4", "+3", "+2", "+1"] * 4)
    games = [duels("play", "number-duel", "--vs", "3", "--seed", "9", *SMALL, answers=answers).stdout for _ in "12"]
    assert games[0] == games[1]


def test_a_session_with_hints_a_coach_a_take_back_and_another_try(terminal: Open, home: Path) -> None:
    # Operation Target at 23: x2 wins, +1 loses.
    screen = terminal("play", "operation-target", "--vs", "coach", "--seed", "1")
    question = "Enter the number of your chosen operation: "
    screen.read(question)
    for _ in range(4):
        screen.type("hint\n")
        screen.read(question)
    screen.type("values\n")
    assert "x2" in screen.read(question)
    screen.type("1\n")
    screen.read("That lets me win. Take it back? (y/n) ")
    screen.type("y\n")
    screen.read(question)
    screen.type("1\n")
    screen.read("Take it back? (y/n) ")
    screen.type("n\n")
    # The coach answers; the rest of the game is forced.
    shown = ""
    while "wins the game!" not in shown:
        shown = screen.read("\n")
        if shown.startswith("Available Operation: [1]"):
            screen.type("1\n")
    screen.read("Enter: leave > ")
    screen.type("t\n")
    assert "Current Number: 1" in screen.read(question)
    screen.type("quit\n")
    assert "Traceback" not in screen.rest()
    assert screen.program.returncode == 0
    records = [json.loads(path.read_text()) for path in (home / "state" / "digitduels" / "games").glob("*.json")]
    asked = [what for record in records for _, what in record["asked"]]
    assert asked == ["hint 1", "hint 2", "hint 3", "hint 4", "values", "take-back"]


def test_undo_takes_back_the_answer_of_the_computer_too(duels: Run) -> None:
    played = duels("play", "number-duel", "--vs", "1", "--seed", "2", *SMALL, answers="+1\nundo\nmoves\n")
    assert "takes back +1." in played.stdout
    assert "No moves yet." in played.stdout


def test_a_game_against_a_level_is_resumed_against_that_level(duels: Run, home: Path) -> None:
    duels("play", "number-duel", "--vs", "3", "--seed", "4", *SMALL, answers="+1\n")
    before = kept(home).moves
    resumed = duels("resume", answers="+2\n+3\n+4\n+5\n")
    assert resumed.returncode == 0
    match = kept(home)
    assert match.moves[: len(before)] == before
    assert match.players == ("human", "3")
    assert len(match.moves) > len(before)


def test_a_rematch_can_be_replayed_too(duels: Run, home: Path) -> None:
    answers = "\n".join(["+1", "concede", "rematch", "+2", "+1"])
    games = []
    for _ in "12":
        played = duels("play", "number-duel", "--vs", "3", "--seed", "4", *SMALL, answers=answers)
        games.append(played.stdout.replace("number-duel-4", "number-duel-2"))
    assert games[0] == games[1]
    seeds = {load(path).seed for path in (home / "state" / "digitduels" / "games").glob("*.json")}
    assert seeds == {"4", "4 again"}


@pytest.mark.parametrize("seat", ["1", "2", "random"])
def test_the_person_sits_where_they_want(seat: str, duels: Run) -> None:
    played = duels("play", "number-duel", "--vs", "1", "--seat", seat, "--seed", "3", *SMALL, answers="+1\n")
    assert played.returncode == 0
    if seat != "random":
        assert f"Player {seat}'s Turn:" in played.stdout
        assert f"Player {3 - int(seat)}'s Turn:" not in played.stdout


def test_a_seat_is_picked_after_a_look_at_the_start(duels: Run) -> None:
    played = duels("play", "number-duel", "--vs", "1", "--seat", "pick", "--seed", "3", *SMALL, answers="3\n2\n+1\n")
    before, _, after = played.stdout.partition("Which side do you want? (1/2) 2")
    assert "Player 1 moves first." in before
    assert "Error: answer 1 or 2." in before
    assert "Player 2's Turn:" in after


def test_a_fair_start_gives_an_opening_that_cannot_be_taken_back(duels: Run, home: Path) -> None:
    arguments = ("play", "number-quest", "--start", "fair", "--seed", "3", "--set", "highest=5", "--save", "game.json")
    played = duels(*arguments, answers="undo\n+1\n")
    match = load(home / "game.json")
    assert match.opening > 0
    assert "There is nothing to take back." in played.stdout
    solution = dd.solve(match.game, cache=False)
    assert solution.probe(match.states[match.opening]).value == 1


def test_an_opponent_that_is_none_is_a_usage_error_with_the_choices(duels: Run) -> None:
    played = duels("play", "number-duel", "--vs", "nobody-we-know")
    assert played.returncode == 2
    assert "there are human, coach, random, 1, 2, 3, 4, 5, 6, 7, perfect, or the command of a program." in played.stderr


def test_a_game_too_large_to_solve_is_played_between_people_only(duels: Run) -> None:
    played = duels("play", "number-duel", "--set", "highest=99", "--vs", "4")
    assert played.returncode == 5
    assert "of memory" in played.stderr
