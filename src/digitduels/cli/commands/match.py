"""`duels match`: plays two players against each other, as a tournament of two."""

from __future__ import annotations

import argparse

from digitduels.cli.commands.tournament import add_game_and_players, add_plan, play_all
from digitduels.cli.parser import Parser

EXAMPLES = (
    "duels match number-quest 3 perfect --games 100",
    'duels match number-duel mine="python my_player.py" 4 --games 20 --records games.jsonl',
    "duels match 3 perfect --game number-quest",
)


def add_arguments(parser: Parser) -> None:
    add_game_and_players(parser, "A B")
    add_plan(parser)


def run(arguments: argparse.Namespace) -> int:
    return play_all(arguments, "match GAME A B", 2)
