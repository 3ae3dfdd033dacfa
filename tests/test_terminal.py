"""A game at the terminal: its commands, and that nothing is lost, whatever happens."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import digitduels as dd
from conftest import DUELS, HINT, LEAVE, PATIENCE, Open, Run, Terminal
from digitduels import asking
from digitduels.cli import saved_games
from digitduels.cli.columns import columns
from digitduels.cli.console import LONGEST, Console, wrap
from digitduels.cli.session import HELP, Session
from digitduels.manual import card
from digitduels.record import load, save
from digitduels.sentence import Sentence

pytestmark = pytest.mark.slow

MOVE = ", enter your move: "
RESUMABLE = "The game is saved. Resume with: duels resume numerical-nexus-1\n"


def saved_game(name: str) -> dd.Match:
    """A saved game, replayed by the rules."""
    return load(saved_games.path_of(name))


def moves(match: dd.Match) -> list[str]:
    return [str(move) for move in match.moves]


def typed(match: dd.Match) -> list[str]:
    """The moves of a match as a person types them: a bare "-3" is not parsed as a move."""
    return [re.sub("^-", "minus ", str(move)) for move in match.moves]


def random_game(name: str) -> dd.Match:
    """A whole random game, always the same one."""
    match, chance = dd.Match(dd.game(name)), random.Random(name)
    while match.outcome is None:
        match.play(chance.choice(match.game.legal_moves(match.state)))
    return match


def lines(*answers: str) -> str:
    return "".join(f"{answer}\n" for answer in answers)


# Commands


@pytest.mark.parametrize("name", dd.games())
def test_no_command_is_a_move_or_part_of_one(name: str) -> None:
    game = dd.game(name)
    start = game.start()
    session = Session(dd.Match(game), saved_games.Save(), Console())
    for word in {*session.commands, "rematch"}:
        for state in (None, start):
            with pytest.raises(dd.InvalidMove):
                game.read(word, state)
        for count in range(len(game.move_fields)):
            with pytest.raises(dd.InvalidMove):
                asking.answer(game, start, game.moves[0][:count], word)


@pytest.mark.parametrize("word", ["?", "help", "HELP"])
def test_help_shows_the_position_the_legal_moves_and_every_command(duels: Run, word: str) -> None:
    output = duels("play", "numerical-nexus", "--names", "Ann", "Bob", answers=lines("+5", word)).stdout
    assert "Ann's Score: 5\nBob's Score: 0\n" in output
    assert "Bob can answer: +1, +3, +5, ×2, ×3, reset-mine, reset-theirs\n" in output
    assert "\n".join(HELP) in output


def test_every_command_has_a_line_of_help() -> None:
    session = Session(dd.Match(dd.game("number-duel")), saved_games.Save(), Console())
    explained = {line.split()[0] for line in HELP}
    assert explained == session.commands.keys() - {"help", "exit", "q"}


def test_help_in_the_middle_of_a_move_shows_how_to_continue(duels: Run) -> None:
    output = duels("play", "equation-duel", answers=lines("3", "?")).stdout
    assert "Player 1 can answer: 1, 2, 4, 5, 6, 7, 8, 9\n" in output


@pytest.mark.parametrize("name", dd.games())
def test_the_rules_command_fits_a_screen_and_asks_again_with_what_was_chosen(name: str, duels: Run) -> None:
    game = dd.game(name, target=37)
    first = str(asking.choices(game, game.start())[0])
    chosen = [first] if len(game.move_fields) > 1 else []
    output = duels("play", name, "--set", "target=37", answers=lines(*chosen, "rules")).stdout
    _, _, rules = output.partition(" ".join(card(game)[0].split()[:3]))
    assert "House rules: first to 37.\n" in rules
    assert f"\nMore: duels rules {name}\n" in rules
    assert not set("#`") & set(rules)
    assert "Example" not in rules
    assert "for programs" not in rules
    assert max(map(len, rules.splitlines())) <= 80
    assert (f"Chosen so far: {first}\n" in rules) == bool(chosen)
    question = game.move_fields[len(chosen)].ask("Player 1").splitlines()[-1]
    assert 2 + rules.partition(question)[0].count("\n") <= 24


def test_the_list_of_moves_has_players_and_scores(duels: Run) -> None:
    answers = lines("moves", "5", "add", "10", "add", "9", "multiply", "10", "multiply", "moves")
    output = duels("play", "number-duel", "--names", "Ann", "Bob", answers=answers).stdout
    assert "No moves yet.\n" in output
    assert output.endswith(
        "1. Ann: 0 + 5 = 5. (Ann: 5, Bob: 0)\n"
        "2. Bob: 0 + 10 = 10. (Ann: 5, Bob: 10)\n"
        "3. Ann: 5 × 9 = 45. (Ann: 45, Bob: 10)\n"
        "4. Bob: 10 × 10 = 100. Over 50: back to 0. (Ann: 45, Bob: 0)\n"
        "Select a number: \nThe game is saved. Resume with: duels resume number-duel-1\n"
    )


@pytest.mark.parametrize("name", dd.games())
def test_the_list_of_moves_has_the_score_after_each_move(name: str, duels: Run) -> None:
    match = random_game(name)
    output = duels("play", name, answers=lines(*typed(match), "moves")).stdout
    listed = re.findall(r"^(\d+)\. (Player \d): (.*)$", output, re.M)
    assert [int(number) for number, _, _ in listed] == list(range(1, len(match.moves) + 1))
    for state, after, (_, player, line) in zip(match.states, match.states[1:], listed, strict=False):
        assert player == f"Player {state.player + 1}"
        first, second = match.game.scores(after)
        shared = match.game.board(after).table.score
        assert (f"= {shared}." if shared is not None else f"(Player 1: {first}, Player 2: {second})") in line


def test_undo_in_the_middle_of_a_move_takes_back_the_last_answer_only(duels: Run) -> None:
    answers = lines("3", "8", "*", "7", "2", "undo", "undo", "9", "1", "+", "quit")
    output = duels("play", "equation-duel", answers=answers).stdout
    assert "Player 2 takes back 2.\nPlayer 2, select your second number:" in output
    assert "Player 2 takes back 7.\nPlayer 2, select your first number:" in output
    assert moves(saved_game("equation-duel-1")) == ["3x8", "9+1"]


def test_undo_takes_back_the_last_move_and_it_is_that_players_turn_again(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("+5", "+3", "undo", "+1", "quit")).stdout
    assert "Player 2 takes back +3.\nPlayer 1 Score: 5\nPlayer 2 Score: 0\n" in output
    assert moves(saved_game("numerical-nexus-1")) == ["+5", "+1"]


def test_undo_with_nothing_to_take_back_says_so_and_goes_on(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("undo", "+5", "quit")).stdout
    assert "There is nothing to take back.\n" in output
    assert moves(saved_game("numerical-nexus-1")) == ["+5"]


def test_undo_after_the_end_goes_on_with_the_game(duels: Run) -> None:
    answers = lines("5", "add", "undo", "4", "add", "quit")
    output = duels("play", "number-duel", "--set", "target=5", answers=answers).stdout
    assert "wins the game!\n\nr: rematch, u: undo, Enter: leave > undo\nPlayer 1 takes back +5.\n" in output
    assert moves(saved_game("number-duel-1")) == ["+4"]


def test_a_concession_can_be_taken_back(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("+5", "concede", "u", "+3", "quit")).stdout
    assert "Player 2 concedes.\nPlayer 1 wins the game!\n" in output
    assert "Player 2 takes back the concession.\n" in output
    assert saved_game("numerical-nexus-1").outcome is None


def test_a_conceded_game_is_saved_as_conceded(duels: Run) -> None:
    duels("play", "numerical-nexus", answers=lines("+5", "concede"))
    outcome = saved_game("numerical-nexus-1").outcome
    assert outcome == dd.Outcome(0, Sentence("Player 2 concedes."))


def test_a_player_may_concede_on_the_other_players_turn(duels: Run) -> None:
    output = duels("play", "numerical-nexus", "--names", "Ann", "Bob", answers=lines("+5", "concede ann")).stdout
    assert output.endswith("Bob, enter your move: concede ann\n\nAnn concedes.\nBob wins the game!\n")
    assert saved_game("numerical-nexus-1").conceded == 0


@pytest.mark.parametrize(("word", "who"), [("concede", "Bob"), ("concede Ann", "Ann"), ("concede 1", "Ann")])
def test_a_terminal_asks_the_player_who_concedes_by_name(word: str, who: str, duels: Run) -> None:
    answers = lines("+5", word, "n", "quit")
    output = duels("play", "numerical-nexus", "--names", "Ann", "Bob", answers=answers, columns=80).stdout
    assert f"Bob, enter your move: {word}\n{who}, do you concede? (y/n) n\nBob, enter your move: quit\n" in output


def test_only_a_player_can_concede(duels: Run) -> None:
    output = duels(
        "play", "numerical-nexus", "--names", "Ann", "Bob", answers=lines("+5", "concede Zed", "quit")
    ).stdout
    assert "Error: 'Zed' does not play here. Type concede Ann or concede Bob.\nBob, enter your move: " in output
    assert saved_game("numerical-nexus-1").outcome is None


def test_a_rematch_says_who_sits_where_and_how_many_games_each_player_has_won(duels: Run) -> None:
    answers = lines("concede", "r", "concede", "r", "+5", "concede Ann")
    output = duels("play", "numerical-nexus", "--names", "Ann", "Bob", answers=answers).stdout
    assert "You swap seats: Bob is now Player 1, and Ann Player 2.\n\nWelcome" in output
    assert "You swap seats: Ann is now Player 1, and Bob Player 2.\n\nWelcome" in output
    assert re.findall("Games won: .*", output) == ["Games won: Bob 1, Ann 1.", "Games won: Ann 1, Bob 2."]


def test_a_game_that_is_taken_up_again_counts_once(duels: Run) -> None:
    answers = lines("concede", "undo", "concede Bob", "r", "concede")
    output = duels("play", "numerical-nexus", "--names", "Ann", "Bob", answers=answers).stdout
    assert re.findall("Games won: .*", output) == ["Games won: Bob 0, Ann 2."]


def test_a_rematch_between_nameless_players_says_who_begins(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("concede", "r")).stdout
    assert "You swap seats: the player who was Player 2 is now Player 1.\n" in output


def test_a_rematch_of_a_named_and_a_nameless_player_says_where_the_named_one_sits(duels: Run) -> None:
    output = duels("play", "numerical-nexus", "--names", "Ann", answers=lines("concede", "r", "concede", "r")).stdout
    seats = re.findall("You swap seats: .*", output)
    assert seats == ["You swap seats: Ann is now Player 2.", "You swap seats: Ann is now Player 1."]


def test_a_rematch_swaps_the_seats_and_all_games_are_saved(duels: Run) -> None:
    answers = lines("concede", "rematch", "+5", "concede", "r", "+3", "quit")
    output = duels("play", "numerical-nexus", "--names", "Ann", "Player 2", answers=answers).stdout
    assert output.count("Welcome to Numerical Nexus!") == 3
    games = [saved_game(f"numerical-nexus-{number}") for number in (1, 2, 3)]
    assert [game.first for game in games] == [0, 0, 0]
    assert [game.names for game in games] == [("Ann", "Player 2"), ("Player 1", "Ann"), ("Ann", "Player 2")]
    assert [moves(saved_game(f"numerical-nexus-{number}")) for number in (1, 2, 3)] == [[], ["+5"], ["+3"]]


def test_at_the_end_other_input_is_answered_with_the_possible_commands(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("concede", "+5", "?", "moves", "save")).stdout
    assert output.count("rematch  play again with the seats swapped") == 2
    assert "The game is over.\n" in output
    assert "No moves yet.\n" in output
    assert f"The game is saved after every move, in this file:\n{saved_games.path_of('numerical-nexus-1')}\n" in output


def test_save_writes_a_copy_that_can_be_resumed_and_overwrites_nothing(duels: Run, home: Path) -> None:
    output = duels("play", "numerical-nexus", answers=lines("+5", "save my copy.json", "save my copy.json", "+3"))
    assert "Saved a copy to my copy.json.\n" in output.stdout
    assert "Error: my copy.json already exists. Choose another name.\n" in output.stdout
    assert moves(load(home / "my copy.json")) == ["+5"]
    assert "Numerical Nexus, resumed after 1 move.\n" in duels("resume", "my copy.json").stdout


@pytest.mark.parametrize("file", ["~nobody-of-this-name/x", "no/such/folder/x", "/", "x" * 900, "\0/", "a/\x1b[2J"])
def test_a_copy_that_cannot_be_written_is_refused_and_the_game_goes_on(duels: Run, file: str) -> None:
    result = duels("play", "numerical-nexus", answers=lines(f"save {file}", "+5", "quit"))
    assert "\nError: " in result.stdout
    assert "\x1b" not in result.stdout
    assert (result.stderr, moves(saved_game("numerical-nexus-1"))) == ("", ["+5"])


def test_control_and_bidirectional_characters_in_names_are_not_printed(duels: Run) -> None:
    names = ("\x1b[31mAnn\x07\n", "\u202eB\u200bo\u2066b\x9b")
    output = duels("play", "number-duel", "--names", *names, answers=lines("5", "add")).stdout
    assert "[31mAnn adds 5 to their score.\n" in output
    assert "Bob's Turn:\n" in output
    assert not set("\x1b\x07\u202e\u200b\u2066\x9b") & set(output)
    assert saved_game("number-duel-1").names == ("[31mAnn", "Bob")


def test_a_whole_move_answers_the_first_question(duels: Run) -> None:
    answers = lines("+5", "add 10", "multiply by 10")
    assert duels("play", "number-duel", answers=answers).stdout.endswith("has reached 50 points and wins the game!\n")


def test_an_invalid_move_changes_nothing_and_the_question_is_repeated(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("+2", "x4", "Player 1", "+5", "quit")).stdout
    assert output.count("Player 1, enter your move: ") == 4
    assert output.count("Possible: +1, +3, +5, ×2, ×3, reset-mine, reset-theirs.\n") == 3
    assert moves(saved_game("numerical-nexus-1")) == ["+5"]


@pytest.mark.parametrize("name", dd.games())
def test_the_option_first_decides_who_is_player_1(name: str, duels: Run, home: Path) -> None:
    move = str(dd.game(name).legal_moves(dd.game(name).start())[0])
    for first, names in (("1", ("Ann", "Bob")), ("2", ("Bob", "Ann"))):
        file = f"{name}-{first}.json"
        duels("play", name, "--names", "Ann", "Bob", "--first", first, "--save", file, answers=lines(move, "quit"))
        match = load(home / file)
        assert (match.names, match.first, match.states[0].player) == (names, 0, 0)


def test_the_option_first_without_names_has_no_visible_effect(duels: Run) -> None:
    output = [duels("play", "equation-duel", "--first", first, answers=lines("moves")).stdout for first in "12"]
    assert output[0] == output[1]
    assert "Player 1 will go first." in output[0]


def test_a_name_that_is_a_seat_stays_with_the_seat(duels: Run) -> None:
    duels("play", "numerical-nexus", "--names", "Ann", "Player 2", "--first", "2", answers=lines("+5"))
    assert saved_game("numerical-nexus-1").names == ("Player 1", "Ann")


def test_a_name_of_the_other_seat_is_refused(duels: Run) -> None:
    for names in (("player 2", "Ann"), ("Ann", "Player 1")):
        refused = duels("play", "numerical-nexus", "--names", *names)
        assert refused.returncode == 2
        assert "sentences with that name would be confusing" in refused.stderr


def test_a_random_first_player_is_repeated_with_the_same_seed(duels: Run) -> None:
    def first(seed: int) -> str:
        arguments = ("--names", "Ann", "Bob", "--first", "random", "--seed", str(seed))
        return duels("play", "equation-duel", *arguments).stdout.partition(" will go first.")[0][-3:]

    seeds = range(6)
    firsts = [first(seed) for seed in seeds]
    assert set(firsts) == {"Ann", "Bob"}
    assert firsts == [first(seed) for seed in seeds]


# What people type


def test_an_empty_line_repeats_the_question_without_an_error(duels: Run) -> None:
    output = duels("play", "number-duel", answers=lines("", "  ", "5", "", "add", "quit")).stdout
    assert output.count("Error") == 0
    assert output.count("Choose an operation (add/multiply): ") == 2
    assert moves(saved_game("number-duel-1")) == ["+5"]


@pytest.mark.parametrize("answer", ["2", "[2]", " [ 2 ] ", "double", "times 2"])
def test_a_menu_takes_a_number_with_or_without_brackets(answer: str, duels: Run) -> None:
    output = duels("play", "operation-target", answers=lines(answer)).stdout
    assert "You chose to Multiply by 2.\n" in output
    assert "Error" not in output


@pytest.mark.parametrize("word", ["reset", "Reset to 0"])
@pytest.mark.parametrize(
    ("owner", "move"),
    [
        ("Ann", "reset-mine"),
        ("mine", "reset-mine"),
        ("1", "reset-mine"),
        ("bob", "reset-theirs"),
        ("theirs", "reset-theirs"),
        ("Player 2", "reset-theirs"),
        ("reset theirs", "reset-theirs"),
    ],
)
def test_half_a_reset_asks_whose_score(word: str, owner: str, move: str, duels: Run) -> None:
    output = duels("play", "numerical-nexus", "--names", "Ann", "Bob", answers=lines(word, owner)).stdout
    assert f"Ann, enter your move: {word}\nWhose score? {owner}\n" in output
    assert moves(saved_game("numerical-nexus-1")) == [move]


def test_commands_and_other_answers_work_while_half_a_reset_is_pending(duels: Run) -> None:
    answers = lines("reset", "", "?", "undo", "reset", "nobody", "reset Bob")
    output = duels("play", "numerical-nexus", "--names", "Ann", "Bob", answers=answers).stdout
    assert "Whose score? \nWhose score? ?\n" in output
    assert "Whose score? undo\nAnn takes back 'reset'.\nAnn, enter your move: reset\n" in output
    assert "Error: 'reset nobody' is not possible here. " in output
    assert moves(saved_game("numerical-nexus-1")) == ["reset-theirs"]


def test_a_reset_with_none_left_is_refused_before_asking_whose(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("reset theirs", "+1", "reset", "+1")).stdout
    assert "Player 1, enter your move: reset\nError: You have no reset left. Possible: +1, +3, +5, ×2, ×3.\n" in output
    assert output.count("Whose score?") == 0


def test_another_move_may_follow_half_a_reset(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("reset", "+5")).stdout
    assert "Whose score? +5\nPlayer 1's score is now 5." in output
    assert moves(saved_game("numerical-nexus-1")) == ["+5"]


@pytest.mark.parametrize(
    "text", ["reset the other player", "Reset the other player's score", "reset to 0 on the opponent"]
)
def test_the_other_player_can_be_reset_in_plain_words(text: str, duels: Run) -> None:
    duels("play", "numerical-nexus", answers=lines(text))
    assert moves(saved_game("numerical-nexus-1")) == ["reset-theirs"]


@pytest.mark.parametrize(("word", "move"), [("add", "+1"), ("Multiply", "x2"), ("plus", "+1"), ("times", "x2")])
def test_an_operation_of_a_menu_can_be_typed_as_a_word(word: str, move: str, duels: Run) -> None:
    duels("play", "operation-target", answers=lines(word))
    assert moves(saved_game("operation-target-1")) == [move]


def test_a_wrong_answer_says_that_a_whole_move_is_possible(duels: Run) -> None:
    output = duels("play", "equation-duel", answers=lines("0", "1", "0")).stdout
    assert "Possible: 1, 2, 3, 4, 5, 6, 7, 8, 9, or a whole move such as 1+2.\n" in output
    assert "Possible: 2, 3, 4, 5, 6, 7, 8, 9.\n" in output


def test_q_leaves_a_game(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("+5", "q")).stdout
    assert output.endswith(f"Player 2, enter your move: q\n{RESUMABLE}")


@pytest.mark.parametrize("name", ["you", "Your", "NOBODY", "mine"])
def test_a_name_that_would_confuse_is_refused_with_the_reason(name: str, duels: Run) -> None:
    result = duels("play", "numerical-nexus", "--names", name, "Bob", answers=lines("+5"))
    assert (result.returncode, result.stdout) == (2, "")
    assert f"A player cannot be called '{name}': sentences with that name would be confusing." in result.stderr


def test_a_name_that_is_cut_says_so(duels: Run) -> None:
    output = duels("play", "numerical-nexus", "--names", "A" * 50, "Bob").stdout
    assert output.startswith(f"A name has at most 40 characters: {'A' * 40}\n\nWelcome to Numerical Nexus!\n")


@pytest.mark.parametrize("columns", [None, 80], ids=["pipe", "terminal"])
def test_the_end_of_a_very_long_line_does_not_count(columns: int | None, duels: Run) -> None:
    answers = lines("board" + " " * LONGEST + "of what is cut", "0" * LONGEST + "5")
    output = duels("play", "number-duel", answers=answers, columns=columns).stdout
    assert output.count("Player 1 Score: 0") == 2, "the first line is the command board"
    assert output.count("Error: ") == 1


def test_a_bare_minus_says_how_to_subtract(duels: Run) -> None:
    output = duels("play", "number-quest", answers=lines("-9", "quit")).stdout
    assert "Error: To subtract 9, type 'minus 9', or type 9 and then -.\nSelect a number: " in output


# On a terminal only


def test_a_game_on_a_terminal_starts_by_explaining_help(terminal: Open, duels: Run) -> None:
    assert terminal("play", "numerical-nexus").read(MOVE).startswith(HINT)
    assert "for help" not in duels("play", "numerical-nexus").stdout


@pytest.mark.parametrize(("answer", "concedes"), [("n", False), ("what\n?\nno", False), ("\ny", True), ("YES", True)])
def test_conceding_on_a_terminal_asks_for_confirmation_until_it_gets_it(
    answer: str, concedes: bool, duels: Run
) -> None:
    output = duels("play", "numerical-nexus", answers=lines("+5", "concede", answer), columns=80).stdout
    assert output.count("Player 2, do you concede? (y/n) ") == 1 + answer.count("\n")
    assert output.endswith(f"{LEAVE}\n") == concedes
    assert (saved_game("numerical-nexus-1").conceded == 1) == concedes


def test_hints_for_two_people_are_refused_with_the_reason(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("hint"), columns=200).stdout
    assert "Error: There are no hints between two people. After the game, `duels review`" in output


@pytest.mark.parametrize(
    ("arguments", "file"),
    [([], "state/digitduels/games/numerical-nexus-1.json"), (["--save", "ours.json"], "ours.json")],
)
def test_taking_back_every_move_leaves_no_file(arguments: list[str], file: str, duels: Run, home: Path) -> None:
    taken = duels("play", "numerical-nexus", *arguments, answers=lines("+5", "+3", "undo", "undo", "quit")).stdout
    assert taken.endswith("Player 1, enter your move: quit\n")
    assert not (home / file).exists()
    duels("play", "numerical-nexus", *arguments, answers=lines("+5", "undo", "+3", "quit"))
    assert moves(load(home / file)) == ["+3"]


def test_taking_back_every_move_in_a_named_file_keeps_the_file(duels: Run, home: Path) -> None:
    duels("play", "numerical-nexus", "--save", "ours.json", answers=lines("+5"))
    duels("resume", "ours.json", answers=lines("undo"))
    assert moves(load(home / "ours.json")) == []


def test_taking_back_a_concession_without_a_move_leaves_no_file(duels: Run) -> None:
    duels("play", "numerical-nexus", answers=lines("concede", "undo", "quit"))
    assert saved_games.names() == []


def test_the_welcome_is_correct_for_a_position_that_was_set_up(duels: Run, home: Path) -> None:
    game = dd.game("equation-duel")
    position = dd.State(1, (20, 7), game.start().table.take(3).take(9))
    save(dd.Match(game, names=("Ann", "Bob"), position=position), home / "set-up.json")
    assert duels("resume", "set-up.json").stdout.startswith(
        "Welcome to Equation Duel!\nAnn starts with 20 points, Bob with 7.\n"
        "Available Numbers: 1 2 4 5 6 7 8\nBob will go first.\n"
    )


# The width of a terminal


def play_on(screen: Terminal, answers: list[tuple[str, str]]) -> str:
    """Answers these questions and returns everything shown until the program ends."""
    output = ""
    for question, answer in answers:
        output += screen.read(question)
        screen.type(f"{answer}\n")
    return output + screen.rest()


@pytest.mark.parametrize("columns", [40, 80, 160])
@pytest.mark.parametrize("name", dd.games())
def test_a_game_fits_a_terminal_and_breaks_no_word_or_number(name: str, columns: int, duels: Run) -> None:
    names = ("Maximilian of Lower Saxony", "Bo")
    answers = lines("?", "rules", "reset nobody", *typed(random_game(name)), "moves", "?", "")
    piped = duels("play", name, "--names", *names, answers=answers).stdout
    shown = duels("play", name, "--names", *names, answers=answers, columns=columns)
    assert max(len(line) for line in shown.stdout.splitlines()) <= columns
    first, _, rest = shown.stdout.partition(HINT)
    assert (first, shown.returncode) == ("", 0)
    assert rest.split() == piped.split()


@pytest.mark.parametrize("columns", [40, 80, 160])
def test_the_list_of_games_and_the_help_fit_a_terminal(columns: int, duels: Run) -> None:
    for arguments in (("games",), ("play", "-h")):
        output = duels(*arguments, columns=columns).stdout
        if "-h" in arguments:  # the usage and the examples are for copying and not wrapped
            output = output.partition("\n\n")[2].partition("examples:")[0]
        assert max(map(len, output.splitlines())) <= columns


@pytest.mark.parametrize("name", dd.games())
def test_the_rules_fit_a_terminal(name: str, duels: Run) -> None:
    words = re.sub(r"[#`]", "", duels("rules", name).stdout).split()
    for width in (40, 80, 160):
        output = duels("rules", name, columns=width).stdout
        assert max(map(len, output.splitlines())) <= width
        assert not set("#`") & set(output)
        assert output.split() == words


def test_a_real_terminal_tells_its_width(terminal: Open) -> None:
    output = terminal("rules", "number-duel", columns=50).rest()
    assert 40 < max(map(len, output.splitlines())) <= 50


def test_a_word_that_is_longer_than_the_terminal_stays_whole(duels: Run) -> None:
    target = 10**60
    output = duels("play", "operation-target", "--set", f"target={target}", columns=40).stdout
    assert f"Target Number:\n{target}\nCurrent" in output


def test_a_message_about_the_command_fits_a_terminal(duels: Run) -> None:
    refusal = duels("play", "number-dual", columns=40).stderr
    assert max(map(len, refusal.splitlines())) <= 40
    assert " ".join(refusal.split()) == duels("play", "number-dual").stderr.rstrip()


def test_json_is_never_wrapped(duels: Run) -> None:
    output = duels("games", "--json", columns=40).stdout
    assert [game["game"] for game in json.loads(output)["games"]] == dd.games()


@pytest.mark.parametrize(
    ("text", "width", "wrapped"),
    [
        ("undo     take back the number", 20, ["undo     take back", "         the number"]),
        ("- one two three", 9, ["- one two", "  three"]),
        ("Ann left: +1 (3), +3 (2)", 14, ["Ann left:", "+1 (3), +3 (2)"]),
        ("Calculation: 5 - 10 = -5", 14, ["Calculation:", "5 - 10 = -5"]),
        ("It is the turn of Player 2.", 24, ["It is the turn of", "Player 2."]),
        ("100000 + 200000 = 300000", 10, ["100000 +", "200000 =", "300000"]),
        ("数字 数字 数字", 9, ["数字 数字", "数字"]),
        ("a score of 60 %.", 13, ["a score", "of 60 %."]),
        ("Choose an operation (+, -, *, /):", 30, ["Choose an operation", "(+, -, *, /):"]),
        ("See `duels saved --all` for more.", 12, ["See", "`duels saved --all`", "for more."]),
        ("It requires pyarrow: pip install pyarrow.", 34, ["It requires pyarrow:", "pip install pyarrow."]),
        ("Ann +1, Player 2 +10, Ann 5×8", 14, ["Ann +1,", "Player 2 +10,", "Ann 5×8"]),
        ("Bob can answer: [1] Add 1, [2] Multiply by 2", 39, ["Bob can answer: [1] Add 1,", "[2] Multiply by 2"]),
        ("The score is 3. Remaining uses: 1.", 33, ["The score is 3. Remaining", "uses: 1."]),
    ],
)
def test_lines_break_between_words_and_keep_short_phrases_together(text: str, width: int, wrapped: list[str]) -> None:
    assert wrap(text, width) == wrapped


def test_a_command_to_copy_is_never_broken_over_two_lines(duels: Run) -> None:
    output = duels("play", "numerical-nexus", answers=lines("+5", "quit"), columns=20).stdout
    assert output.endswith("Resume with:\nduels resume numerical-nexus-1\n")
    for command in ("play", "review", "puzzle"):
        for width in (30, 40, 50, 60, 80):
            about = duels(command, "-h", columns=width).stdout.partition("\nexamples:\n")[0]
            assert not [line for line in about.splitlines() if line.count("`") % 2], (command, width)


# Colour


def test_a_terminal_shows_errors_and_the_winner_in_colour(terminal: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    output = play_on(terminal("play", "number-duel"), COLOURFUL)
    assert "\x1b[31mError:\x1b[0m '99' is not possible here." in output
    assert "\x1b[1mPlayer 1 has reached 50 points and wins the game!\x1b[0m\n" in output


COLOURFUL = [("number: ", "99"), ("number: ", "+5"), ("number: ", "+10"), ("number: ", "x10"), ("leave > ", "")]


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_can_be_turned_off(name: str, value: str, terminal: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    assert not re.search(r"\x1b\[[0-9;]*m", play_on(terminal("play", "number-duel"), COLOURFUL))


def test_a_terminal_shows_warnings_in_colour(duels: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    (home / "state" / "digitduels").write_text("not a folder")
    output = duels("play", "number-duel", answers=lines("+5"), columns=80).stdout
    assert "\x1b[33mWarning:\x1b[0m can't save the game (Not a directory)." in output


def test_there_is_no_colour_in_a_pipe(duels: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b" not in duels("play", "number-duel", answers=lines("99", "+5", "+10", "x10")).stdout


# Narrow encodings


def test_a_narrow_encoding_gets_plain_characters(program: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    result = program("play", "numerical-nexus", "--names", "Zoë", "Bob", answers=lines("×2", "+5", "*2", "quit"))
    assert (result.returncode, result.stderr) == (0, "")
    assert "Zo?'s uses left: +1 (3), +3 (2), +5 (1), x2 (2), x3 (1), reset (1)\n" in result.stdout
    assert "Bob's score is now 0. Remaining x2 uses: 1.\n" in result.stdout
    assert result.stdout.isascii()


def test_rules_and_games_print_in_a_narrow_encoding(duels: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    for arguments in (["games"], ["games", "--json"], ["saved"], ["--help"], *(["rules", name] for name in dd.games())):
        result = duels(*arguments)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.isascii()


@pytest.mark.parametrize("name", dd.games())
def test_a_pipe_and_a_dumb_terminal_get_plain_text(
    name: str, duels: Run, terminal: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    answers = lines("?", "rules", "moves", "undo", "quit")
    piped = duels("play", name, answers=answers).stdout
    person = terminal("play", name)
    person.type(answers)
    for output in (piped, person.rest()):
        assert "take back" in output
        assert all(char.isprintable() or char == "\n" for char in output)


# Nothing is lost


def test_a_killed_game_resumes_exactly_where_it_was(duels: Run, terminal: Open) -> None:
    person = terminal("play", "number-duel", "--names", "Ann", "Bob", "--first", "2", "--set", "target=60")
    assert person.read(HINT) == HINT
    for answer in ("5", "add", "10", "add", "9"):  # the last move is incomplete
        person.read(": " if answer in ("5", "10", "9") else "): ")
        person.type(f"{answer}\n")
    person.read("Choose an operation (add/multiply): ")
    person.program.kill()
    person.program.wait(PATIENCE)
    before = saved_game("number-duel-1")
    person = terminal("resume")
    assert person.read("Select a number: ") == HINT + (
        "Number Duel, resumed after 2 moves.\n\nNumber Pool:\n"
        "1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10\n\nBob's Score: 5\nAnn's Score: 10\n\n"
        "Bob's Turn:\nAvailable Numbers: 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10\nSelect a number: "
    )
    person.type("x10\n")
    person.read("Select a number: ")
    person.type("x6\n")
    assert "Ann has reached 60 points and wins the game!\n" in person.read(LEAVE)
    person.program.kill()
    after = saved_game("number-duel-1")
    assert (after.first, after.names, after.game) == (before.first, before.names, before.game)
    assert moves(after) == [*moves(before), "x10", "x6"]
    assert saved_games.names() == ["number-duel-1"]


def end_input(person: Terminal) -> None:
    person.type("\x04")


def quit(person: Terminal) -> None:
    person.type("quit\n")


@pytest.mark.parametrize(("leave", "code"), [(Terminal.interrupt, 130), (end_input, 0), (quit, 0)])
def test_leaving_a_game_prints_one_line_on_how_to_resume(
    terminal: Open, leave: Callable[[Terminal], None], code: int
) -> None:
    person = terminal("play", "numerical-nexus")
    person.read(MOVE)
    person.type("+5\n")
    person.read(MOVE)
    leave(person)
    assert person.rest().removeprefix("^C").removeprefix("quit") == f"\n{RESUMABLE}"
    assert person.program.returncode == code
    assert moves(saved_game("numerical-nexus-1")) == ["+5"]


@pytest.mark.parametrize(("leave", "code"), [(Terminal.interrupt, 130), (end_input, 0)])
@pytest.mark.parametrize("arguments", [[], ["play", "numerical-nexus"]], ids=["menu", "play"])
def test_leaving_before_the_first_move_prints_nothing_and_saves_nothing(
    terminal: Open, arguments: list[str], leave: Callable[[Terminal], None], code: int
) -> None:
    person = terminal(*arguments)
    person.read(MOVE if arguments else "Enter for 2: ")
    leave(person)
    assert person.rest().removeprefix("^C") == "\n"
    assert person.program.returncode == code
    assert saved_games.names() == []


def test_a_game_is_saved_when_piped_input_ends(duels: Run) -> None:
    result = duels("play", "numerical-nexus", answers="+5\n+3")
    assert result.stdout.endswith(f"\nPlayer 1, enter your move: \n{RESUMABLE}")
    assert (result.returncode, result.stderr, moves(saved_game("numerical-nexus-1"))) == (0, "", ["+5", "+3"])


def test_a_game_is_saved_when_a_pipe_is_interrupted(home: Path) -> None:
    with subprocess.Popen(
        [*DUELS, "play", "numerical-nexus"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdin.write("+5\n")
        program.stdin.flush()
        while "Remaining +5" not in program.stdout.readline():
            pass
        program.send_signal(signal.SIGINT)
        assert program.wait(PATIENCE) == 130
        assert program.stdout.read().endswith(RESUMABLE)
        assert program.stderr.read() == ""


@pytest.mark.parametrize("blow", [signal.SIGHUP, signal.SIGTERM, None], ids=["SIGHUP", "SIGTERM", "closed window"])
def test_a_game_is_saved_when_its_terminal_closes(terminal: Open, duels: Run, blow: signal.Signals | None) -> None:
    person = terminal("play", "numerical-nexus")
    person.read(MOVE)
    person.type("+5\n")
    person.read(MOVE)
    if blow is None:
        person.close()
    else:
        person.program.send_signal(blow)
    person.program.wait(PATIENCE)
    assert moves(saved_game("numerical-nexus-1")) == ["+5"]
    assert "resumed after 1 move" in duels("resume").stdout


@pytest.mark.parametrize(("blow", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"])
def test_a_signal_that_arrives_as_line_editing_starts_is_not_missed(
    terminal: Open, blow: signal.Signals, code: int
) -> None:
    # The hook runs in the C code of `input`. A function of C sends the signal, so Python cannot handle it at once.
    program = (
        "import ctypes, functools, readline, sys\n"
        "from digitduels.cli.main import main\n"
        f"readline.set_startup_hook(functools.partial(getattr(ctypes.CDLL(None), 'raise'), {blow.value}))\n"
        "sys.exit(main(['play', 'numerical-nexus']))"
    )
    person = terminal(command=[sys.executable, "-c", program])
    person.read(MOVE)
    assert person.program.wait(PATIENCE) == code


def test_a_game_is_saved_quietly_when_its_output_pipe_closes(home: Path) -> None:
    reader, writer = os.pipe()
    with subprocess.Popen(
        [*DUELS, "play", "numerical-nexus"], stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE
    ) as program:
        assert program.stdin is not None
        os.close(writer)
        program.stdin.write(b"+5\n")
        program.stdin.flush()
        output = b""
        while not output.endswith(b"Player 2, enter your move: "):
            output += os.read(reader, 1000)
        os.close(reader)
        _, errors = program.communicate(b"+3\n+1\n", PATIENCE)
    assert (program.returncode, errors) == (1, b"")
    assert moves(saved_game("numerical-nexus-1")) == ["+5"]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_do_no_harm(home: Path, closed: str) -> None:
    result = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *DUELS, "play", "numerical-nexus"],
        input="+5\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert saved_games.names() == ([] if "<&-" in closed else ["numerical-nexus-1"])


@pytest.mark.parametrize("command", [["play", "number-duel"], ["games"], ["rules", "number-duel"]], ids=" ".join)
def test_unwritable_output_gives_a_clear_message_and_an_exit_code(program: Run, command: list[str]) -> None:
    with open("/dev/full", "w") as full:
        result = program(*command, stdout=full)
    assert (result.returncode, result.stderr) == (4, "duels: No space left on device.\n")


def test_unreadable_input_gives_a_clear_message_and_an_exit_code(home: Path) -> None:
    with open(os.devnull, "w") as write_only:
        result = subprocess.run(
            [*DUELS, "play", "number-duel"], stdin=write_only, capture_output=True, text=True, check=False
        )
    assert (result.returncode, result.stderr) == (4, "duels: Bad file descriptor.\n")


def test_a_game_that_cannot_be_saved_warns_once_and_can_be_played_to_its_end(duels: Run, home: Path) -> None:
    (home / "state" / "digitduels").write_text("not a folder")
    result = duels("play", "number-duel", answers=lines("+5", "+10", "x10"))
    assert (
        result.stdout.count("Warning: can't save the game (Not a directory). You can play on, but nothing is saved.\n")
        == 1
    )
    assert result.stdout.endswith("wins the game!\n")
    assert (result.returncode, result.stderr) == (0, "")
    assert duels("play", "number-duel", answers="+5\n").stdout.endswith("The game couldn't be saved, so it is gone.\n")


def test_save_says_each_time_that_it_fails(duels: Run, home: Path) -> None:
    (home / "state" / "digitduels").write_text("not a folder")
    output = duels("play", "number-duel", answers=lines("+5", "save", "save")).stdout
    assert output.count("Warning: can't save the game (Not a directory).") == 3


def test_an_unreachable_folder_of_saved_games_gives_a_clear_message_and_an_exit_code(duels: Run, home: Path) -> None:
    (home / "state" / "digitduels").write_text("not a folder")
    for command in (["saved"], ["resume"], ["resume", "number-duel-1"]):
        result = duels(*command)
        assert (result.returncode, result.stderr) == (4, f"duels: '{saved_games.folder()}': Not a directory.\n")


def test_without_reachable_saves_there_is_still_a_menu_and_a_game(duels: Run, home: Path) -> None:
    (home / "state" / "digitduels").write_text("not a folder")
    output = duels(answers=lines("", ""), columns=80).stdout
    assert output.partition("or Enter for 2: ")[2].partition("Welcome to Number Duel!\n")[2].count("Select a number: ")


def test_a_full_disk_leaves_the_last_saved_game_intact(duels: Run, program: Run) -> None:
    duels("play", "numerical-nexus", answers=lines("+5"))
    whole = saved_games.path_of("numerical-nexus-1").read_bytes()

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

    result = program("resume", answers=lines("+3", "+1"), preexec_fn=full)
    assert (
        result.stdout.count("Warning: can't save the game (File too large). You can play on, but nothing is saved.\n")
        == 1
    )
    assert result.stdout.endswith("The game couldn't be saved, so it is gone.\n")
    assert (result.returncode, result.stderr) == (0, "")
    assert saved_games.path_of("numerical-nexus-1").read_bytes() == whole
    assert [path.name for path in saved_games.folder().iterdir()] == ["numerical-nexus-1.json"]


def test_two_programs_with_the_same_game_do_not_overwrite_each_other(duels: Run, terminal: Open) -> None:
    duels("play", "numerical-nexus", answers=lines("+5"))
    ann, bob = terminal("resume"), terminal("resume")
    output = ann.read(MOVE) + bob.read(MOVE)
    for person, answer in ((ann, "+1"), (bob, "+3"), (ann, "+3"), (bob, "x2")):
        person.type(f"{answer}\n")
        output += person.read(MOVE)
    first, second = saved_games.path_of("numerical-nexus-1"), "numerical-nexus-2"
    assert output.count(f"Warning: another program changed {first}. This game is now saved as {second}.\n") == 1
    assert moves(saved_game("numerical-nexus-1")) == ["+5", "+1", "+3"]
    assert moves(saved_game("numerical-nexus-2")) == ["+5", "+3", "x2"]


def test_a_game_whose_file_was_deleted_is_saved_again(duels: Run, terminal: Open) -> None:
    person = terminal("play", "numerical-nexus")
    person.read(MOVE)
    person.type("+5\n")
    person.read(MOVE)
    saved_games.path_of("numerical-nexus-1").unlink()
    person.type("+3\n")
    person.read(MOVE)
    assert moves(saved_game("numerical-nexus-1")) == ["+5", "+3"]


def test_games_started_at_the_same_time_get_different_files(terminal: Open) -> None:
    people = [terminal("play", "numerical-nexus") for _ in range(3)]
    for person, answer in zip(people, ("+1", "+3", "+5"), strict=True):
        person.read(MOVE)
        person.type(f"{answer}\n")
    for person in people:
        person.read(MOVE)
    assert sorted(moves(saved_game(name)) for name in saved_games.names()) == [["+1"], ["+3"], ["+5"]]


def test_a_table_that_is_wider_than_the_screen_becomes_a_list() -> None:
    rows = [["", "points", "rating"], ["level 3", "100 %", "140"], ["random", "0 %", "-140"]]
    assert (
        columns(rows, 25)
        == columns(rows)
        == ["         points  rating", "level 3   100 %     140", "random      0 %    -140"]
    )
    assert columns(rows, 20) == [
        "level 3",
        "  points: 100 %",
        "  rating: 140",
        "random",
        "  points: 0 %",
        "  rating: -140",
    ]
