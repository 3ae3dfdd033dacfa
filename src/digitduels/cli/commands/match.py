"""`duels match`: plays two players against each other, as a tournament of two."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from digitduels.cli.arguments import add_command
from digitduels.cli.commands.tournament import add_game_and_players, add_plan, play_all

if TYPE_CHECKING:
    from digitduels.cli.arguments import Commands


def add(commands: Commands) -> None:
    parser = add_command(
        commands,
        "match",
        run,
        "duels match number-quest 3 perfect --games 100",
        'duels match number-duel mine="python my_player.py" 4 --games 20 --records games.jsonl',
        "duels match 3 perfect --game number-quest",
    )
    add_game_and_players(parser, "A B")
    add_plan(parser)


def run(arguments: argparse.Namespace) -> int:
    return play_all(arguments, "match GAME A B", 2)
