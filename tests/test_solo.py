"""One person against the computer in the terminal: moves, hints, mistakes and lessons."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import digitduels as dd
from conftest import Open, Run
from digitduels.cli import solo
from digitduels.match import Match
from digitduels.record import load, save
from digitduels.solver import Solution

pytestmark = pytest.mark.slow

SMALL = ("--set", "target=23", "--set", "highest=5", "--set", "copies=1")
PYTHON = sys.executable


@pytest.fixture(autouse=True)
def _no_background(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a Python to start, nothing is solved in the background: the game solves itself when it has to."""
    monkeypatch.setattr(sys, "executable", "/no/python")


def saved_game(home: Path) -> Match:
    """The only saved game."""
    (path,) = (home / "state" / "digitduels" / "games").glob("*.json")
    return load(path)


def test_a_whole_game_against_a_level_is_played_saved_and_reviewed(duels: Run, home: Path) -> None:
    answers = "\n".join(["+5", "+4", "+3", "+2", "+1"] * 4)
    played = duels("play", "number-duel", "--vs", "2", "--seed", "5", *SMALL, answers=answers)
    assert played.returncode == 0, played.stderr
    assert "Level 2's New Score: " in played.stdout
    match = saved_game(home)
    assert match.players == ("human", "2")
    assert match.seed == "5"
    assert match.outcome is not None


def test_a_level_that_a_game_does_not_offer_has_the_name_of_the_level_that_plays(duels: Run, home: Path) -> None:
    played = duels("play", "operation-target", "--vs", "3", answers="2\n")
    assert played.stdout.startswith("Operation Target has no level 3: you play Level 1.\n\n")
    assert "\nLevel 1 chooses " in played.stdout
    assert saved_game(home).players == ("human", "1")
    assert saved_game(home).names == ("Player 1", "Level 1")


def test_the_same_seed_gives_the_same_game(duels: Run) -> None:
    answers = "\n".join(["+5", "+4", "+3", "+2", "+1"] * 4)
    games = [duels("play", "number-duel", "--vs", "3", "--seed", "9", *SMALL, answers=answers).stdout for _ in "12"]
    assert games[0] == games[1]


def test_a_session_with_hints_the_coach_a_take_back_and_another_try(terminal: Open, home: Path) -> None:
    # Operation Target at 23: x2 wins, +1 loses.
    screen = terminal("play", "operation-target", "--vs", "coach", "--seed", "1")
    question = "Enter the number of your chosen operation: "
    screen.read(question)
    output, waits = "Ask again", 0
    while "Ask again" in output:  # until the game is solved
        screen.type("values\n")
        output, waits = screen.read(question), waits + 1
    for _ in range(4):
        screen.type("hint\n")
        screen.read(question)
    screen.type("values\n")
    assert "▲ wins in 4 turns: ×2\n" in screen.read(question)
    screen.type("1\n")
    screen.read("After that I can win in 3 turns, starting with +1. Take it back? (y/n) ")
    screen.type("y\n")
    screen.read(question)
    screen.type("1\n")
    screen.read("Take it back? (y/n) ")
    screen.type("n\n")
    # The coach answers; the rest of the game is forced.
    output = ""
    while "Coach wins the game!" not in output:
        output = screen.read("\n")
        if output.startswith("Available Operation: [1]"):
            screen.type("1\n")
    assert "\nMove 1 decided the game. You played +1 and turned a win into a loss.\n" in screen.read("Enter: leave > ")
    screen.type("t\n")
    assert "Current Number: 1" in screen.read(question)
    screen.type("quit\n")
    assert "Traceback" not in screen.rest()
    assert screen.program.returncode == 0
    records = [json.loads(path.read_text()) for path in (home / "state" / "digitduels" / "games").glob("*.json")]
    asked = [what for record in records for _, what in record["asked"]]
    assert asked[:waits] == ["values"] * waits
    assert asked[waits:] == ["hint 1", "hint 2", "hint 3", "hint 4", "values", "take-back"]


def test_undo_also_takes_back_the_computers_reply_and_shows_the_position(duels: Run) -> None:
    played = duels("play", "operation-target", "--vs", "perfect", "--seed", "1", answers="2\nundo\nmoves\nundo\n")
    assert "Perfect takes back +1.\nYou take back ×2.\n\nYour Turn:\nCurrent Number: 1\n" in played.stdout
    assert "No moves yet." in played.stdout
    assert "There is nothing to take back." in played.stdout


def test_undo_after_the_game_is_lost_goes_back_to_your_own_last_move(duels: Run) -> None:
    played = duels("play", "operation-target", "--vs", "perfect", "--seed", "1", answers="1\n1\n1\n1\nundo\n")
    assert "You have exceeded the Target Number!\nPerfect wins the game!\n" in played.stdout
    assert "You take back ×2.\n\nYour Turn:\nCurrent Number: 20\nPrevious Operation: Add 1\n" in played.stdout


def test_another_try_says_what_to_look_for(duels: Run) -> None:
    played = duels("play", "operation-target", "--vs", "perfect", "--seed", "1", answers="1\n1\n1\n1\ntry\n")
    assert "\nFind a move that keeps your win.\n\nGame Start!\n" in played.stdout


def test_undo_after_a_concession_takes_back_only_the_concession(duels: Run) -> None:
    played = duels("play", "operation-target", "--vs", "perfect", "--seed", "1", answers="2\nconcede\nu\nmoves\n")
    assert "You concede.\nPerfect wins the game!\n" in played.stdout
    assert "You take back the concession.\n\nYour Turn:\nCurrent Number: 3\n" in played.stdout
    assert "1. You: 1 × 2 = 2.\n2. Perfect: 2 + 1 = 3.\n" in played.stdout


def test_a_game_against_a_level_is_resumed_against_that_level(duels: Run, home: Path) -> None:
    duels("play", "number-duel", "--vs", "3", "--seed", "4", *SMALL, answers="+1\n")
    before = saved_game(home).moves
    resumed = duels("resume", answers="+2\n+3\n+4\n+5\n")
    assert resumed.returncode == 0
    match = saved_game(home)
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


@pytest.mark.parametrize("seat", ["1", "2"])
def test_the_person_is_named_before_the_computer(seat: str, duels: Run) -> None:
    played = duels("play", "equation-duel", "--vs", "1", "--seat", seat).stdout
    assert "You and Level 1 start with 0 points.\n" in played


@pytest.mark.parametrize("seat", ["1", "2", "random"])
def test_the_person_can_choose_a_seat(seat: str, duels: Run) -> None:
    played = duels("play", "number-duel", "--vs", "1", "--seat", seat, "--seed", "3", *SMALL, answers="+1\n")
    assert played.returncode == 0
    assert "Your Turn:" in played.stdout
    if seat != "random":
        mine, theirs = "Your Score: 0\n", "Level 1's Score: 0\n"
        assert (mine + theirs if seat == "1" else theirs + mine) in played.stdout


def test_a_seat_can_be_chosen_after_seeing_the_start(duels: Run) -> None:
    played = duels("play", "number-duel", "--vs", "1", "--seat", "pick", "--seed", "3", *SMALL, answers="3\n2\n+1\n")
    before, _, after = played.stdout.partition("Which side do you want? (1/2) 2")
    assert "Player 1 moves next." in before
    assert "Error: answer 1 or 2, or quit." in before
    assert "Level 1's Score: 0\nYour Score: 0\n" in after
    assert "Your Turn:" in after


def test_a_fair_start_gives_an_opening_that_cannot_be_taken_back(duels: Run, home: Path) -> None:
    arguments = ("play", "number-quest", "--start", "fair", "--seed", "3", "--set", "highest=5", "--save", "game.json")
    played = duels(*arguments, answers="undo\n+1\n")
    match = load(home / "game.json")
    assert match.opening > 0
    assert "There is nothing to take back." in played.stdout
    solution = dd.solve(match.game, cache=False)
    assert solution.probe(match.states[match.opening]).value == 1


def test_an_unknown_opponent_is_a_usage_error_that_lists_the_opponents(duels: Run) -> None:
    played = duels("play", "number-duel", "--vs", "nobody-we-know")
    assert played.returncode == 2
    assert (
        "The players are human, coach, random, 1, 2, 3, 4, 5, 6, 7, perfect, or the command of a program."
        in played.stderr
    )
    assert "Did you mean beginner? The players are" in duels("play", "number-duel", "--vs", "begginer").stderr


def test_another_try_is_offered_only_after_a_mistake(duels: Run, home: Path) -> None:
    # Operation Target at 23: ×2 wins, +1 loses.
    won = duels("play", "operation-target", "--vs", "perfect", "--seed", "1", answers="2\n1\n1\n1\ntry\n").stdout
    assert "You win the game!" in won
    assert "\nr: rematch, u: undo, Enter: leave > try\nThe game is over.\nrematch " in won
    assert "try   " not in won
    lost = duels("play", "operation-target", "--vs", "perfect", "--seed", "1", answers="1\n1\n1\n1\n?\nt\n").stdout
    assert "\nt: try, r: rematch, u: undo, Enter: leave > ?\ntry      play on from before your last mistake\n" in lost
    assert lost.rstrip().endswith("Enter the number of your chosen operation:")


@pytest.mark.parametrize(
    ("scores", "blunder", "warning"),
    [
        ((45, 3), "x9", "That loses at once. You have exceeded 50 points. Take it back? (y/n) "),
        ((0, 0), "x1", "After that I can win in 4 turns, starting with +5. Take it back? (y/n) "),
    ],
)
def test_the_coach_says_what_is_wrong_with_a_move(
    scores: tuple[int, int], blunder: str, warning: str, duels: Run, home: Path
) -> None:
    game = dd.game("number-quest", copies=1)
    match = Match(game, names=("Player 1", "Coach"), position=dd.State(0, scores, game.start().table))
    match.players = ("human", "coach")
    save(match, home / "coach.json")
    output = duels("resume", "coach.json", answers=f"{blunder}\n\ny\n").stdout
    assert f"{warning}\n{warning}y\n" in output  # an empty answer repeats the question
    assert load(home / "coach.json").moves == []


def test_every_turn_of_numerical_nexus_shows_both_hands_and_names_the_computers_move(duels: Run, program: str) -> None:
    settings = ("--set", "uses=3,2,1,2,1,0")  # the program plays the last legal move
    played = duels("play", "numerical-nexus", "--vs", program, *settings, answers="+1\n+3\n").stdout
    assert (
        "You play +1: 0 + 1 = 1.\n\n"
        "The program plays ×3: 0 × 3 = 0.\n\n"
        "You: 1. Left: +1 (2), +3 (2), +5 (1), ×2 (2), ×3 (1), reset (0)\n"
        "The program: 0. Left: +1 (3), +3 (2), +5 (1), ×2 (2), ×3 (0), reset (0)\n"
        "Enter your move: +3\n"
    ) in played


@pytest.mark.parametrize("name", dd.games())
def test_a_person_sees_both_scores_and_what_is_left_once_in_each_turn(name: str, duels: Run) -> None:
    game = dd.game(name)
    move = str(game.legal_moves(game.start())[0])
    played = duels("play", name, "--vs", "1", "--seed", "1", answers=f"{move}\n").stdout
    last = played.rpartition("\n\n")[2].splitlines()
    labels = {
        "equation-duel": ["Available Numbers", "Used Numbers", "Your Score", "Level 1's Score"],
        "number-duel": ["Your Turn", "Your Score", "Level 1's Score", "Available Numbers"],
        "number-quest": ["Your Turn", "Level 1's Score", "Your Score", "Available Numbers"],
        "numerical-nexus": ["You", "Level 1"],
        "operation-target": ["Your Turn", "Current Number", "Previous Operation", "Available Operation"],
    }[name]
    assert [line.partition(":")[0] for line in last][: len(labels)] == labels
    assert "\n\n\n" not in played
    assert played.count("Pool") == 0


def test_values_do_not_list_hundreds_of_moves(duels: Run) -> None:
    played = duels("play", "equation-duel", "--set", "highest=6", "--vs", "1", answers="values\n").stdout
    groups = [line for line in played.replace("\n    ", " ").splitlines() if line.startswith(("▲", "▼", "="))]
    assert any(re.search(r", and \d+ others$", line) for line in groups)
    assert max(line.count(",") for line in groups) <= 20


@pytest.mark.parametrize(
    ("who", "plays"), [("beginner", "2"), ("Level 3", "3"), ("Coach", "coach"), ("PERFECT", "perfect"), ("Dice", "1")]
)
def test_an_opponent_can_be_named_as_people_read_it(who: str, plays: str, duels: Run, home: Path) -> None:
    played = duels("play", "number-duel", "--vs", who, *SMALL, answers="+5\ny\n+1\n")
    assert played.returncode == 0
    assert saved_game(home).players == ("human", plays)


def test_choosing_a_seat_can_be_left(duels: Run) -> None:
    left = duels("play", "number-duel", "--vs", "1", "--seat", "pick", *SMALL, answers="quit\n")
    assert (left.returncode, left.stdout.count("Which side do you want?")) == (0, 1)


def test_the_running_score_names_the_person_first(duels: Run) -> None:
    answers = "concede\nr\nconcede\n"
    played = duels("play", "number-duel", "--vs", "1", "--seed", "1", *SMALL, answers=answers).stdout
    assert "You swap seats: Level 1 is now Player 1, and you Player 2.\n" in played
    assert "\nGames won: You 0, Level 1 2.\n" in played


def test_a_person_cannot_concede_for_the_computer(duels: Run) -> None:
    played = duels("play", "number-duel", "--vs", "1", *SMALL, answers="concede Level 1\nconcede Player 1\n").stdout
    assert "Error: you can't concede for Level 1. To give up, type concede.\n" in played
    assert "You concede.\nLevel 1 wins the game!\n" in played


class Unsolved:
    """A game that is still being solved for a while: nothing is near, and then everything is known."""

    def __init__(self, game: dd.Game[Any, Any, Any], until: int) -> None:
        self.game, self.left = game, until
        self.solution: Solution | None = None
        self.failure: str | None = None

    def ready(self, seconds: float = 0.0) -> bool:
        self.left -= 1
        return self.left < 0

    def wait(self) -> Solution:
        self.solution = self.solution or dd.solve(self.game, cache=False)
        return self.solution

    def within(self, state: Any, plies: int) -> dict[Any, None]:
        return dict.fromkeys(self.game.legal_moves(state))

    def start(self) -> None: ...

    def close(self) -> None: ...


def test_a_hint_that_says_nothing_does_not_count_as_a_step(
    duels: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solo, "Background", lambda game, patient: Unsolved(game, 3))
    answers = "hint\nhint\nhint\nhint\nhint\n+1\n"
    played = duels("play", "number-duel", "--vs", "1", *SMALL, answers=answers, columns=200).stdout
    nothing = "I see no win or loss in the next few moves.\nThis game is still being solved."
    assert played.count(nothing) == 3
    first, second = (step.partition("Select a number: ")[0] for step in played.split("Select a number: hint\n")[4:6])
    assert "keep" in first
    assert "Tempting, but wrong" in second
    assert [what for _, what in saved_game(home).asked] == ["hint 1", "hint 2"]


def test_keys_pressed_during_the_lesson_are_ignored(terminal: Open) -> None:
    screen = terminal("play", "operation-target", "--vs", "1", "--set", "target=2")
    screen.read("Enter the number of your chosen operation: ")
    screen.type("1\n")
    screen.read("You win the game!")  # the lesson follows
    screen.type("r\n")
    end = screen.read("Enter: leave > ")
    assert "r\n" not in end.replace("\nr: ", "")
    screen.type("\n")
    assert screen.rest() == "\n"


def test_a_reset_may_name_the_computer(duels: Run, home: Path) -> None:
    settings = ("--set", "target=12", "--set", "uses=1,1,1,1,0,1")
    played = duels("play", "numerical-nexus", "--vs", "coach", *settings, answers="reset\nCoach\nn\n").stdout
    assert "Whose score? Coach\n" in played
    assert [str(move) for move in saved_game(home).moves][:1] == ["reset-theirs"]


def test_a_program_plays_a_game_that_is_too_large_to_solve(duels: Run, program: str) -> None:
    played = duels("play", "number-duel", "--set", "highest=99", "--vs", program, answers="hint\nvalues\n+50\n")
    assert played.returncode == 0
    assert "▲ wins at once: +50\n" in played.stdout
    assert "memory" not in played.stdout
    assert "You have reached 50 points" in played.stdout


@pytest.mark.parametrize("columns", [40, 80, 160])
def test_hints_values_and_reviews_fit_a_terminal(columns: int, duels: Run) -> None:
    answers = "\n".join(("hint", "hint", "hint", "hint", "values", "?", "+1", "concede", "y", ""))
    output = duels("play", "number-quest", "--vs", "perfect", *SMALL[2:], answers=answers, columns=columns).stdout
    assert max(map(len, output.splitlines())) <= columns
    words = " ".join(output.split())
    assert "wins in" in words
    assert "decided the game. You played" in words


# Addressing the person


@pytest.fixture
def program(tmp_path: Path) -> str:
    """The command of a program that resets its opponent's score, or else plays the last legal move."""
    path = tmp_path / "program.py"
    path.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    legal = json.loads(line)['legal']\n"
        "    print(json.dumps({'move': legal[-1]}), flush=True)\n"
    )
    return shlex.join([PYTHON, str(path)])


def test_the_loser_never_reads_that_they_win(duels: Run) -> None:
    arguments = ("--set", "target=9", "--set", "highest=5", "--set", "copies=1", "--seed", "1")
    played = duels("play", "number-quest", "--vs", "perfect", *arguments, answers="+1\n+2\n+3\n+4\n+5\n").stdout
    assert "Perfect has reached exactly 9 points.\n\nPerfect Wins the Game!\n" in played
    assert "You have reached" not in played
    assert "You win" not in played


def test_the_winner_is_told_that_they_win(duels: Run) -> None:
    played = duels("play", "number-quest", "--vs", "perfect", "--set", "target=5", answers="+5\n").stdout
    assert "You have reached exactly 5 points.\n\nYou Win the Game!\n" in played


@pytest.mark.parametrize(
    ("answers", "line"),
    [("+5\n", "\x1b[1;32mYou Win the Game!\x1b[0m\n"), ("+1\n", "\x1b[1;31mPerfect Wins the Game!\x1b[0m\n")],
    ids=["won", "lost"],
)
def test_a_terminal_shows_a_win_in_green_and_a_loss_in_red(
    answers: str, line: str, duels: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    arguments = ("--set", "target=5", "--set", "highest=5", "--set", "copies=1")
    assert line in duels("play", "number-quest", "--vs", "perfect", *arguments, answers=answers, columns=80).stdout


def test_after_a_lost_game_the_person_learns_of_a_better_defence(duels: Run) -> None:
    settings = ("--set", "target=24", "--seed", "1")
    lost = duels("play", "operation-target", "--vs", "perfect", *settings, answers="+1\nx2\n+1\nx2\n").stdout
    assert "\nPerfect wins the game!\n" in lost
    assert "\nMove 1: ×2 was harder to answer than +1. Within two turns, a level 4 opponent goes wrong 28 times" in lost


def test_moves_of_the_computer_are_not_described_as_the_persons(duels: Run) -> None:
    played = duels("play", "operation-target", "--vs", "perfect", "--seed", "1", answers="1\n1\n1\n1\n").stdout
    assert "You choose +1.\nNew Current Number: 2\n\nPerfect chooses ×2.\nNew Current Number: 4\n" in played
    assert "You chose to" not in played
    # The computer's answers are not typed at the prompt.
    assert played.count("Enter the number of your chosen operation: ") == played.count("You choose ") == 4


def test_a_reset_of_the_persons_score_is_addressed_to_them(duels: Run, program: str) -> None:
    played = duels("play", "numerical-nexus", "--vs", program, answers="+5\nmoves\nundo\n").stdout
    assert "You play +5: 0 + 5 = 5.\n" in played
    assert "The program resets your score to 0. No remaining resets.\n" in played
    assert "1. You: 0 + 5 = 5. (You: 5, The program: 0)\n" in played
    assert "2. The program: reset your score. Your score is 0. (You: 0, The program: 0)\n" in played
    assert "The program takes back the reset of your score.\nYou take back +5.\n" in played


def test_only_the_winner_is_congratulated(duels: Run, program: str) -> None:
    settings = ("--set", "target=5", "--set", "uses=3,1,1,0,0,0")
    lost = duels("play", "numerical-nexus", "--vs", program, *settings, answers="+1\n").stdout
    assert "The program has reached exactly 5 and won the game.\n" in lost
    assert "Congratulations" not in lost
    won = duels("play", "numerical-nexus", "--vs", program, *settings, answers="+5\n").stdout
    assert "Congratulations! You've reached exactly 5 and won the game.\n" in won


EVERY_GAME = pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("equation-duel", ("--set", "highest=5")),
        ("number-duel", SMALL),
        ("number-quest", ("--set", "highest=4")),
        ("numerical-nexus", ("--set", "target=12", "--set", "uses=1,1,1,1,0,1")),
        ("operation-target", ()),
    ],
)


@EVERY_GAME
def test_a_person_addressed_as_you_is_never_called_player_1(name: str, settings: tuple[str, ...], duels: Run) -> None:
    moves = [str(move) for move in dd.game(name).moves]
    for seat, who in (("1", "Player 1"), ("2", "Player 2")):
        answers = ["?", "hint", "values", *moves[::-1], "moves", "undo", "concede"]
        played = duels("play", name, "--vs", "4", "--seat", seat, "--seed", "1", *settings, answers="\n".join(answers))
        assert "Level 4" in played.stdout
        assert who not in played.stdout


@EVERY_GAME
def test_people_see_signs_instead_of_tokens(name: str, settings: tuple[str, ...], duels: Run) -> None:
    game = dd.game(name)
    answers = ["hint", "hint", "hint", "hint", "values", *map(str, game.moves), "moves", "undo"]
    played = duels("play", name, "--vs", "2", "--seed", "1", *settings, answers="\n".join(answers))
    assert (played.returncode, played.stderr) == (0, "")
    # Typed text is echoed after a question, and quoted in a refusal.
    prompts = [field.prompt.removeprefix("{player}, ").capitalize() for field in game.move_fields]
    typed = ("Error: ", *(prompt.split("\n")[-1] for prompt in prompts))
    output = [line for line in played.stdout.splitlines() if not line.startswith(typed) and " > " not in line]
    assert not [line for line in output if re.search(r"(?<!\w)\d*[x*/]\d|reset-", line)]
    assert any("×" in line for line in output)
