"""`duels rules`: prints the rule page of a game."""

from __future__ import annotations

import argparse

from digitduels.cli.arguments import add_game, add_options, read_game
from digitduels.cli.console import Console
from digitduels.cli.parser import Parser
from digitduels.manual import manual, plain_text

EXAMPLES = ("duels rules equation-duel",)


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    page, console = manual(read_game(arguments.game, arguments.set, arguments.rules)), Console()
    # Markdown for programs and files, plain text for people.
    console.say(*(plain_text(page) if console.terminal else page.splitlines()))
    return 0
