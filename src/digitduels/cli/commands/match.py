"""`duels match`: two players against each other, a tournament of two."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from digitduels.cli.arguments import add_command
from digitduels.cli.commands.tournament import add_plan, play_all

if TYPE_CHECKING:
    from digitduels.cli.arguments import Commands


def add(commands: Commands) -> None:
    parser = add_command(
        commands,
        "match",
        "Let two players play each other, in both seats.",
        run,
        "duels match 3 perfect --game number-quest --games 100",
        'duels match "python my_player.py" 4 --game number-duel --games 20 --records games.jsonl',
    )
    parser.add_argument("one", metavar="A", help="random, a level from 1 to 7, perfect, or the command of a program")
    parser.add_argument("two", metavar="B", help="likewise")
    add_plan(parser)


def run(arguments: argparse.Namespace) -> int:
    return play_all((arguments.one, arguments.two), arguments)
