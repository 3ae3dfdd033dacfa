"""Command lines: commands and their subcommands, and arguments in any order."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from conftest import Run
from digitduels.cli import saved_games
from digitduels.cli.arguments import seconds, size
from digitduels.cli.commands.puzzle import sheet_size
from digitduels.cli.main import build_parser
from digitduels.cli.parser import Parser
from digitduels.record import load

VALUES = {int: "7", seconds: "1.5", Path: "file", size: "8GiB", sheet_size: "6", None: "word"}
ORDERS = 50  # random orders of each command line


def leaves(parser: Parser, *path: str) -> Iterator[tuple[str, Parser]]:
    """Every command without subcommands, with its full name."""
    for name, command in parser.commands.items():
        if command.commands:
            yield from leaves(command, *path, name)
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(leaves(build_parser()))


def sample(action: argparse.Action) -> list[str]:
    """Valid values of an argument."""
    if action.nargs == 0:
        return []
    value = str(next(iter(action.choices))) if action.choices else VALUES[action.type]
    return [value, f"{value}2"] if action.nargs == "+" else [value]


def sample_arguments(parser: Parser) -> tuple[list[str], list[list[str]]]:
    """The values of all positional arguments, and all options with values; the first of options that exclude others."""
    excluded = [action for group in parser._mutually_exclusive_groups for action in group._group_actions[1:]]
    positionals, options = [], []
    for action in parser._actions:
        if not action.option_strings:
            positionals += sample(action)
        elif action.dest != "help" and action not in excluded:
            options.append([action.option_strings[0], *sample(action)])
    return positionals, options


@pytest.mark.parametrize("name", COMMANDS)
def test_options_and_positional_arguments_may_come_in_any_order(name: str) -> None:
    parser = build_parser()
    positionals, options = sample_arguments(COMMANDS[name])
    expected = parser.parse([*name.split(), *positionals, *chain(*options)])
    rng = random.Random(name)
    for _ in range(ORDERS):
        shuffled = rng.sample(options, len(options))
        indices = sorted(rng.sample(range(len(options) + len(positionals)), len(positionals)))
        for index, word in zip(indices, positionals, strict=True):
            shuffled.insert(index, [word])
        words = [*name.split(), *chain(*shuffled)]
        assert parser.parse(words) == expected, words


def test_the_orders_of_the_issue_work(duels: Run, one_core: None) -> None:
    assert "Ann's Score: 0\nBob's Score: 0\n" in duels("play", "--names", "Ann", "Bob", "number-duel").stdout
    match = duels("match", "operation-target", "--games", "2", "3", "4")
    assert match.stdout == duels("match", "operation-target", "3", "4", "--games", "2").stdout
    assert match.returncode == 0
    parsed = build_parser().parse(["suite", "run", "--limit", "20", "openai/gpt-5"])
    assert (parsed.limit, parsed.models) == (20, ["openai/gpt-5"])


@pytest.mark.parametrize(
    ("words", "game", "names"),
    [
        ("--names Ann number-duel", "number-duel", ["Ann"]),
        ("--names Ann Bob number-duel", "number-duel", ["Ann", "Bob"]),
        ("--names Ann Bob --seed 3 number-duel", "number-duel", ["Ann", "Bob"]),
        ("--names Ann Bob -- number-duel", "number-duel", ["Ann", "Bob"]),
        ("--names Ann Bob mine.toml --vs 3", "mine.toml", ["Ann", "Bob"]),
        # Somebody called like a game: the game is the last word, or stands elsewhere.
        ("--names Ann number-quest number-duel", "number-duel", ["Ann", "number-quest"]),
        ("number-duel --names Ann number-quest", "number-duel", ["Ann", "number-quest"]),
        ("--names=number-quest number-duel", "number-duel", ["number-quest"]),
    ],
)
def test_the_game_may_follow_the_names(words: str, game: str, names: list[str]) -> None:
    arguments = build_parser().parse(["play", *words.split()])
    assert (arguments.game, arguments.names) == (game, names)


@pytest.mark.parametrize(
    ("words", "scores"),
    [
        ("--names Ann", "Ann's Score: 0\nPlayer 2 Score: 0\n"),
        ("--names Ann --first 2", "Player 1 Score: 0\nAnn's Score: 0\n"),
        ("--names Ann Bob --first 2", "Bob's Score: 0\nAnn's Score: 0\n"),
    ],
)
def test_one_name_is_that_of_the_first_player(words: str, scores: str, duels: Run) -> None:
    assert scores in duels("play", "number-duel", *words.split()).stdout


@pytest.mark.parametrize("seat", [1, 2])
def test_against_the_computer_one_name_is_yours(seat: int, duels: Run) -> None:
    duels("play", "number-duel", "--vs", "3", "--seat", str(seat), "--names", "Ann", answers="+5\n")
    assert load(saved_games.path_of("number-duel-1")).names == (("Ann", "Level 3") if seat == 1 else ("Level 3", "Ann"))
    assert duels("saved").stdout.startswith("number-duel-1: you against Level 3, today, ")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("play --names Ann Bob", "There is no game 'Bob'."),
        ("play --names Ann", "duels play: error: the following arguments are required: GAME"),
        ("play number-duel --names Ann Bob Cid", "--names takes one or two names."),
        ("suite reference --seed 3", "duels suite reference: error: there is no option '--seed'"),
        ("suite reference logs", "unrecognized arguments: logs"),
        ("suite private --seed 3 --out file --json", "duels suite private: error: there is no option '--json'"),
        ("suite report logs --limit 3", "duels suite report: error: there is no option '--limit'"),
        ("suite run model --out folder", "duels suite run: error: there is no option '--out'"),
        ("cache clear --verify", "duels cache clear: error: there is no option '--verify'"),
        ("cache --verify", "usage: duels cache [-h] COMMAND ...\nduels cache: error: there is no option '--verify'."),
        ("pla number-duel", "duels: error: there is no command 'pla'. Did you mean play?"),
        ("play number-duel --vs 3 --move-time 0", "a time limit is more than 0 seconds and at most 86400, not '0'"),
        ("play number-duel --vs 3 --move-time -1", "not '-1'"),
        ("play number-duel --vs 3 --move-time nan", "not 'nan'"),
        ("play number-duel --vs 3 --move-time inf", "not 'inf'"),
        ("match number-duel 3 4 --move-time 0", "not '0'"),
        (
            "lab reprot number-duel",
            "duels lab: error: there is no command 'reprot'. Did you mean report? `duels lab -h` lists",
        ),
    ],
)
def test_arguments_that_a_command_does_not_have_are_refused(words: str, reason: str, duels: Run) -> None:
    result = duels(*words.split())
    assert (result.returncode, result.stdout) == (2, "")
    assert reason in result.stderr


@pytest.mark.parametrize("group", ["lab", "suite"])
def test_a_command_with_subcommands_shows_its_help_without_one(group: str, duels: Run) -> None:
    result = duels(group)
    assert (result.returncode, result.stdout) == (2, duels(group, "-h").stdout)
