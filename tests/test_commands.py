"""All commands except play: their output and their refusals."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

import digitduels as dd
from conftest import HINT, Open, Run
from digitduels import __version__
from digitduels.cli import saved_games
from digitduels.manual import manual, rulings, summary
from digitduels.players.levels import CHARACTERS, characters
from digitduels.record import load

pytestmark = pytest.mark.slow

COMMANDS = [
    "play",
    "resume",
    "saved",
    "games",
    "rules",
    "solve",
    "cache",
    "review",
    "puzzle",
    "match",
    "tournament",
    "lab",
]
COMMANDS += ["serve", "class", "site", "eval", "suite", "dataset", "completion"]
SUBCOMMANDS = ["cache list", "cache verify", "cache clear", "lab report", "lab compare", "lab lint"]
SUBCOMMANDS += ["lab sweep", "lab search", "suite run", "suite report", "suite reference", "suite private"]
SUBCOMMANDS += ["suite package"]


def test_games_lists_every_game_with_its_options_for_programs(duels: Run) -> None:
    listing = json.loads(duels("games", "--json").stdout)
    assert [game["game"] for game in listing["games"]] == dd.games()
    for game in listing["games"]:
        defaults = {option["name"]: option["default"] for option in game["options"]}
        assert defaults == dd.game(game["game"]).values


def test_games_lists_every_game_for_people(duels: Run) -> None:
    lines = duels("games").stdout.splitlines()
    assert [line for line in lines if line in dd.games()] == dd.games()
    for name in dd.games():
        about, levels = lines[lines.index(name) + 1 :][:2]
        assert about == f"    {summary(dd.game(name))}"
        assert levels == f"    Levels: {' '.join(map(str, characters(dd.game(name))))}"
    assert all(f"    {level}  {called}. {about}" in lines for level, (called, about) in CHARACTERS.items())


@pytest.mark.parametrize("name", dd.games())
def test_rules_shows_the_rule_page_of_a_game(duels: Run, name: str) -> None:
    output = duels("rules", name).stdout
    assert output == manual(dd.game(name))
    assert all(f"`{option.name}=" in output for option in dd.game(name).options())
    assert all(f"- {ruling}\n" in output for ruling in rulings(dd.game(name)))


@pytest.mark.parametrize("command", ["", *COMMANDS, *SUBCOMMANDS])
def test_help_fits_a_narrow_terminal_except_for_the_examples(command: str, duels: Run) -> None:
    output = duels(*command.split(), "-h", columns=40).stdout
    about, _, examples = output.partition("\nexamples:\n")
    assert about.startswith("usage: duels")
    assert examples
    assert max(map(len, about.splitlines())) <= 40


@pytest.mark.parametrize("group", ["", "cache", "lab", "suite"])
def test_the_summary_of_a_command_starts_beside_its_name(group: str, duels: Run) -> None:
    page = duels(*group.split(), "-h", columns=80).stdout.partition("  COMMAND\n")[2].partition("\n\n")[0]
    names = [line.split() for line in page.splitlines() if re.match(r"    \w", line)]
    assert names
    assert all(len(words) > 1 for words in names)


def test_version_names_the_program_and_its_version(duels: Run) -> None:
    assert duels("--version").stdout == f"duels {__version__}\n"


@pytest.mark.parametrize("command", ["", *COMMANDS, *SUBCOMMANDS])
def test_help_has_examples_everywhere(duels: Run, command: str) -> None:
    result = duels(*command.split(), "-h")
    assert result.returncode == 0
    assert f"examples:\n  {'eval' if command == 'completion' else f'duels {command}'.strip()}" in result.stdout


def test_every_command_is_in_the_help_and_tested_here(duels: Run) -> None:
    listed = {group: _listed(duels(*group.split(), "-h").stdout) for group in ("", "cache", "lab", "suite")}
    assert listed.pop("") == COMMANDS
    assert [f"{group} {name}" for group, names in listed.items() for name in names] == SUBCOMMANDS


def _listed(page: str) -> list[str]:
    """The commands on a help page."""
    lines = page.partition("commands:")[2].partition("examples:")[0].splitlines()
    return [line.split()[0] for line in lines if line.startswith("    ") and line[4] != " "]


def test_without_a_terminal_duels_prints_its_help_and_fails(duels: Run) -> None:
    result = duels()
    assert (result.returncode, result.stdout, result.stderr) == (2, duels("-h").stdout, "")


# A quick game


def test_duels_without_arguments_starts_a_game_with_one_key(terminal: Open) -> None:
    person = terminal()
    menu = person.read("1 to 5, or Enter for 2: ")
    for index, name in enumerate(dd.games(), 1):
        assert f"\n{index}  {dd.game(name).title}: " in menu
    person.type("\n")
    person.read("Enter, a level, or c: ")
    person.type("\n")
    assert person.read("Select a number: ").startswith(f"\n\n{HINT}Welcome to Number Duel!\n")


@pytest.mark.parametrize("name", dd.games())
def test_the_menu_offers_and_explains_the_levels_that_the_game_has(name: str, duels: Run) -> None:
    output = duels(answers=f"[{dd.games().index(name) + 1}]\n8\n1\n", columns=200).stdout
    _, menu, refusal, begun = re.split("Enter for 2: |Enter, a level, or c: ", output)
    offered = re.findall(r"^(\d) {6}(\w+)\. (.+)$", menu, re.M)
    assert {int(level): (called, about) for level, called, about in offered} == characters(dd.game(name))
    assert "is not possible here. Possible: 1, " in refusal
    assert begun.startswith(f"1\n\n{HINT}")


def test_the_menu_offers_the_coach(duels: Run) -> None:
    output = duels(answers="5\nc\n2\n", columns=80).stdout
    assert "\nCoach chooses" in output
    assert load(saved_games.path_of("operation-target-1")).players == ("human", "coach")


def test_the_menu_accepts_a_number_and_repeats_the_question_otherwise(duels: Run) -> None:
    wrong = ("6", "0", "-1", "x\u202e", "9" * 500)
    output = duels(answers="\n".join((*wrong, " 5 ", "", "")), columns=2000).stdout
    _, *refusals, begun = output.split("1 to 5, or Enter for 2: ")
    assert len(refusals) == len(wrong)
    assert all(refusal.endswith("Possible: 1, 2, 3, 4, 5, or quit.\n") for refusal in refusals)
    assert "Game Start!\n" in begun


@pytest.mark.parametrize(
    ("game", "who", "plays"),
    [
        ("Operation Target", "Level 4", "4"),
        ("operation-target", "dice", "1"),
        ("operation target", "Perfect", "7"),
        ("5", "Coach", "coach"),
    ],
)
def test_the_menu_takes_names_as_people_read_them(game: str, who: str, plays: str, duels: Run) -> None:
    duels(answers=f"{game}\n{who}\n2\n", columns=80)
    assert load(saved_games.path_of("operation-target-1")).players == ("human", plays)


def test_the_name_of_a_game_leads_to_the_game(duels: Run) -> None:
    output = duels("operation-target", answers="\n", columns=80).stdout
    assert output.startswith("Who is your opponent?\nEnter  Another person")
    assert "Game Start!\n" in output
    piped = duels("operation-target", "--vs", "1", "--seed", "1", answers="add\n").stdout
    assert piped.startswith("Game Start!\n")
    assert piped == duels("play", "operation-target", "--vs", "1", "--seed", "1", answers="add\n").stdout.replace(
        "target-2", "target-1"
    )


def test_play_without_a_game_asks_for_one(duels: Run) -> None:
    assert duels("play", answers="5\n\n", columns=80).stdout == duels(answers="5\n\n", columns=80).stdout
    assert "the following arguments are required: GAME" in duels("play").stderr


def test_the_menu_suggests_the_last_game(duels: Run) -> None:
    duels("play", "numerical-nexus", answers="+5\n")
    duels("play", "equation-duel", answers="3x8\n")
    assert "Enter for 1: \n\nWho is your opponent?\n" in duels(answers="\n", columns=80).stdout


def test_the_menu_helps_and_can_be_left(duels: Run) -> None:
    left = duels(answers="?\n3\nquit\n", columns=200)
    assert "Type quit to leave.\n1 to 5, or Enter for 2: 3\n" in left.stdout
    assert left.stdout.endswith("Enter, a level, or c: quit\n")
    assert left.returncode == 0


@pytest.mark.parametrize("word", ["r", "Resume"])
def test_the_menu_resumes_the_last_unfinished_game(word: str, duels: Run) -> None:
    duels("play", "equation-duel", answers="3x8\n")
    menu, _, resumed = duels(answers=f"{word}\n", columns=80).stdout.partition("1 to 5, r, or Enter for 1: ")
    assert "\nr  Resume Equation Duel: Player 1 against Player 2, today, 1 move, Player 2's\n   move.\n" in menu
    assert "\nEquation Duel, resumed after 1 move.\n" in resumed


# Refusals


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["play", "number-duel", "--set", "target=0"], "target must be an integer from 1 to 10^6; 0 is not."),
        (["play", "number-duel", "--set", "target=-3"], "target must be an integer from 1 to 10^6"),
        (["play", "number-duel", "--set", "target=fifty"], "target must be an integer from 1 to 10^6"),
        (["play", "number-duel", "--set", f"target={'9' * 5000}"], "target must be an integer from 1 to 10^6"),
        (["play", "number-duel", "--set", "highest=0"], "highest must be an integer from 1 to 99"),
        (["play", "number-duel", "--set", "copies=1000000000"], "copies must be an integer from 1 to 99"),
        (["play", "number-duel", "--set", "tie=maybe"], "tie must be last-mover-loses, last-mover-wins or draw"),
        (["play", "numerical-nexus", "--set", "uses=1,2"], "uses must be 6 integers from 0 to 99, not all zero"),
        (["play", "numerical-nexus", "--set", "uses=0,0,0,0,0,0"], "uses must be 6 integers from 0 to 99"),
        (["play", "operation-target", "--set", "start=23"], "start must be below the target"),
        (["play", "number-duel", "--set", "target"], "--set takes NAME=VALUE, not 'target'."),
        (["play", "number-duel", "--set", "=5"], "number-duel has no option ''"),
        (["play", "number-duel", "--set", "\x1b[2J=5"], "Its options are target, highest, copies, tie."),
        (["play", "number-dual"], "There is no game 'number-dual'. Did you mean number-duel?"),
        (["rules", "chess"], f"There is no game 'chess'. The games are {', '.join(dd.games())}."),
        (["rules", ""], "There is no game ''."),
        (["play", "number-duel", "--names", "Player 2"], "The players need two different names."),
        (["play", "number-duel", "--names", "Ann", "ANN"], "The players need two different names."),
        (["play", "number-duel", "--names", "\x1b", "\u202e"], "The players need two different names."),
        (["play", "number-duel", "--first", "3"], "invalid choice: '3'"),
        (["play", "number-duel", "--vs", "3", "--first", "1"], "choose your seat with --seat"),
        (["play", "number-duel", "--fir", "1"], "there is no option '--fir'. Did you mean --first?"),
        (["play", "number-duel", "--seed", "x"], "invalid int value: 'x'"),
        (["play"], "the following arguments are required: GAME"),
        (["win"], "there is no command 'win'. `duels -h` lists the commands."),
        (["completion", "cmd"], "invalid choice: 'cmd'"),
    ],
    ids=lambda value: " ".join(value)[:50].replace("\x1b", "ESC") if isinstance(value, list) else "",
)
def test_a_wrong_command_line_is_refused_with_the_reason(duels: Run, arguments: list[str], reason: str) -> None:
    result = duels(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert reason in result.stderr
    assert "\x1b" not in result.stderr


# The game by position


@pytest.mark.parametrize("command", ["match", "tournament"])
def test_the_game_is_named_by_position_or_by_option(command: str, duels: Run, one_core: None) -> None:
    first = duels(command, "operation-target", "1", "perfect", "--games", "2", "--json")
    second = duels(command, "1", "perfect", "--game", "operation-target", "--games", "2", "--json")
    assert (first.returncode, first.stdout) == (0, second.stdout)
    assert json.loads(first.stdout)["game"] == "operation-target"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["match", "1", "2"], "Which game? Use duels match GAME A B. The games are equation-duel, "),
        (["tournament", "1", "2"], "Which game? Use duels tournament GAME PLAYERS. The games are equation-duel, "),
        (["match", "number-duel", "1"], "A match needs 2 players, not 1."),
        (["match", "number-duel", "1", "2", "3"], "A match needs 2 players, not 3."),
        (["match", "number-duel", "1", "2", "--game", "number-quest"], "A match needs 2 players, not 3."),
        (["match", "1", "2", "--game", "chess"], "There is no game 'chess'."),
    ],
    ids=" ".join,
)
def test_a_match_without_a_game_or_two_players_is_refused(arguments: list[str], reason: str, duels: Run) -> None:
    result = duels(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert reason in result.stderr


# The last game


def test_review_without_a_file_opens_the_last_game(duels: Run) -> None:
    result = duels("review")
    assert (result.returncode, result.stderr) == (1, "duels: There is no saved game. Play one with: duels play GAME\n")
    duels("play", "operation-target", "--names", "Ann", "Bob", answers="1\nconcede\n")
    duels("play", "operation-target", answers="2\n")
    saved_games.path_of("number-duel-7").write_text("nonsense")
    assert duels("review").stdout == duels("review", "operation-target-2").stdout
    assert "Player 1 against Player 2, 1 move." in duels("review").stdout


# Saved games


def test_saved_games_are_listed_with_their_status_newest_first(duels: Run) -> None:
    assert duels("saved").stdout == "No saved games.\n"
    duels("play", "numerical-nexus", "--names", "Ann", "Bob", answers="+5\n")
    duels("play", "number-duel", answers="+5\n+10\nx10\n")
    saved_games.path_of("number-duel-7").write_text("nonsense")
    saved_games.path_of("number-duel-8").symlink_to("nowhere")
    (saved_games.folder() / "notes.txt").write_text("not a game")
    lines = duels("saved").stdout.splitlines()
    assert lines[0].startswith("number-duel-7: cannot be resumed. ")
    assert lines[1:] == [
        "number-duel-1: Player 1 against Player 2, today, 3 moves, Player 1 won",
        "numerical-nexus-1: Ann against Bob, today, 1 move, Bob's move",
    ]


def test_saved_games_are_described_to_the_person_who_played_them(duels: Run) -> None:
    duels("play", "number-duel", "--vs", "1", "--seat", "2", "--seed", "1", "--names", "Ann", answers="+5\n")
    duels("play", "operation-target", "--vs", "1", "--set", "target=2", answers="1\n")
    assert duels("saved").stdout.splitlines() == [
        "operation-target-1: you against Level 1, today, 1 move, you won",
        "number-duel-1: you against Level 1, today, 3 moves, your move",
    ]
    menu = duels(answers="quit\n", columns=80).stdout
    assert "\nr  Resume Number Duel: you against Level 1, today, 3 moves, your move.\n" in menu


def test_old_finished_games_are_counted_and_kept(duels: Run) -> None:
    for age in (0, 1, 3, 30):
        duels("play", "operation-target", "--set", "target=2", answers="1\n")
        played = time.time() - age * 24 * 60 * 60
        os.utime(saved_games.path_of(f"operation-target-{len(saved_games.names())}"), (played, played))
    duels("play", "operation-target", answers="1\n")
    long_ago = datetime(2001, 5, 9, 12).timestamp()
    os.utime(saved_games.path_of("operation-target-5"), (long_ago, long_ago))
    assert duels("saved").stdout.splitlines() == [
        "operation-target-1: Player 1 against Player 2, today, 1 move, Player 1 won",
        "operation-target-2: Player 1 against Player 2, yesterday, 1 move, Player 1 won",
        "operation-target-3: Player 1 against Player 2, 3 days ago, 1 move, Player 1 won",
        "operation-target-5: Player 1 against Player 2, 9 May 2001, 1 move, Player 2's move",
        "",
        "And 1 older finished game: `duels saved --all` lists it as well.",
    ]
    assert "operation-target-4: " in duels("saved", "--all").stdout
    assert len(saved_games.names()) == 5


def test_a_saved_game_that_does_not_exist_is_refused_by_name(duels: Run) -> None:
    for command in ("resume", "review"):
        result = duels(command, "number-duel-99")
        assert (result.returncode, result.stdout) == (4, "")
        assert result.stderr == "duels: There is no saved game 'number-duel-99'. `duels saved` lists them.\n"
    duels("play", "numerical-nexus", answers="+5\n")
    refused = duels("resume", "numerical-nexus").stderr
    hint = "Did you mean numerical-nexus-1? `duels saved` lists them."
    assert refused == f"duels: There is no saved game 'numerical-nexus'. {hint}\n"
    assert "cannot be read" in duels("resume", "numerical-nexus.json").stderr


def test_saved_games_can_be_deleted_by_name(duels: Run) -> None:
    for _ in range(3):
        duels("play", "numerical-nexus", answers="+5\n")
    assert duels("saved", "--delete", "numerical-nexus-1", "numerical-nexus-3").stdout == (
        "Deleted numerical-nexus-1.\nDeleted numerical-nexus-3.\n"
    )
    assert saved_games.names() == ["numerical-nexus-2"]
    again = duels("saved", "--delete", "numerical-nexus-2", "numerical-nexus-2")
    assert (again.returncode, again.stdout) == (0, "Deleted numerical-nexus-2.\n")


@pytest.mark.parametrize("name", ["number-duel-1", "../../victim", "", "victim.json", "numerical-nexus-1.json"])
def test_only_saved_games_can_be_deleted(duels: Run, home: Path, name: str) -> None:
    duels("play", "numerical-nexus", answers="+5\n")
    (home / "state" / "victim.json").write_text("precious")
    result = duels("saved", "--delete", "numerical-nexus-1", name)
    assert (result.returncode, result.stdout) == (4, "")
    hint = "Did you mean numerical-nexus-1? " if name == "numerical-nexus-1.json" else ""
    assert result.stderr == f"duels: There is no saved game '{name}'. {hint}`duels saved` lists them.\n"
    assert saved_games.names() == ["numerical-nexus-1"]


def test_all_finished_games_can_be_deleted_at_once(duels: Run) -> None:
    duels("play", "numerical-nexus", answers="+5\n")
    duels("play", "number-duel", answers="+5\n+10\nx10\n")
    duels("play", "number-quest", answers="concede\n")
    saved_games.path_of("number-duel-7").write_text("nonsense")
    duels("saved", "--delete-finished")
    assert sorted(saved_games.names()) == ["number-duel-7", "numerical-nexus-1"]


def test_resume_opens_the_last_unfinished_game(duels: Run) -> None:
    duels("play", "numerical-nexus", answers="+5\n")
    duels("play", "equation-duel", answers="3x8\n")
    duels("play", "number-duel", answers="concede\n")
    saved_games.path_of("number-duel-7").write_text("nonsense")
    assert duels("resume").stdout.startswith("Equation Duel, resumed after 1 move.\n")
    assert duels("resume", "numerical-nexus-1").stdout.startswith("Numerical Nexus, resumed after 1 move.\n")


def test_a_file_is_opened_rather_than_a_saved_game_of_the_same_name(duels: Run, home: Path) -> None:
    duels("play", "numerical-nexus", answers="+5\n")
    duels("play", "equation-duel", "--save", "numerical-nexus-1", answers="3x8\n")
    assert duels("resume", "numerical-nexus-1").stdout.startswith("Equation Duel, resumed after 1 move.\n")


def test_a_finished_game_can_be_opened_and_continued_after_undo(duels: Run) -> None:
    duels("play", "number-duel", "--set", "target=5", answers="+5\n")
    output = duels("resume", "number-duel-1", answers="undo\n+4\n").stdout
    assert "Player 1 has reached 5 points and wins the game!\n" in output
    assert [str(move) for move in load(saved_games.path_of("number-duel-1")).moves] == ["+4"]


def test_resume_without_a_saved_game_says_how_to_start_one(duels: Run) -> None:
    result = duels("resume")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "duels: There is no unfinished game. Start one with: duels play GAME\n"


def test_a_game_is_saved_in_the_named_file(duels: Run, home: Path) -> None:
    output = duels("play", "numerical-nexus", "--save", "our game.json", answers="+5\n").stdout
    assert output.endswith("The game is saved. Resume with: duels resume 'our game.json'\n")
    duels("resume", "our game.json", answers="+3\n")
    assert [str(move) for move in load(home / "our game.json").moves] == ["+5", "+3"]
    assert saved_games.names() == []


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("taken.json", "already exists. Resume it with `duels resume`, or choose another name."),
        (".", "cannot be written: it is not a regular file."),
        ("no/such/folder/x", "cannot be written: No such file or directory."),
        ("x" * 300, "cannot be written: File name too long."),
    ],
)
def test_an_unwritable_file_is_refused_before_the_game_starts(duels: Run, home: Path, file: str, reason: str) -> None:
    (home / "taken.json").write_text("precious")
    result = duels("play", "numerical-nexus", "--save", file, answers="+5\n")
    assert (result.returncode, result.stdout, result.stderr) == (4, "", f"duels: '{file}' {reason}\n")
    assert (home / "taken.json").read_text() == "precious"


# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_every_shell_has_a_completion_script(duels: Run, shell: str) -> None:
    result = duels("completion", shell)
    assert (result.returncode, result.stderr) == (0, "")
    assert "duels" in result.stdout


def test_a_shell_completes_commands_games_and_options(terminal: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    shell = terminal(command=["bash", "--norc", "--noprofile", "-i"])
    shell.type("""PS1='ready'; eval "$(duels completion bash)"\n""")
    shell.read("\nready")
    for typed, completed in (("duels pl", "ay "), ("operation", "-target "), ("--na", "mes ")):
        shell.type(f"{typed}\t")
        shell.read(completed)


def completed(words: str, terminal: Open) -> str:
    """What a shell shows for a command line that ends with two tabs."""
    shell = terminal(command=["bash", "--norc", "--noprofile", "-i"])
    shell.type("""PS1='ready'; eval "$(duels completion bash)"\n""")
    shell.read("\nready")
    shell.type(f"{words}\t\t")
    return shell.read(f"\nready{words}")


def test_a_shell_completes_levels_options_and_saved_games(
    terminal: Open, duels: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for _ in range(2):
        duels("play", "numerical-nexus", answers="+5\n")
    assert "numerical-nexus-1  numerical-nexus-2" in completed("duels resume ", terminal)
    assert "perfect" in completed("duels play number-duel --vs ", terminal)
    assert "tie=last-mover-loses" in completed("duels play number-duel --set ", terminal)
