"""`duels resume`: resumes a saved game."""

from __future__ import annotations

import argparse
from pathlib import Path

from digitduels.cli.console import Console, copyable
from digitduels.cli.errors import FAILURE, Failure
from digitduels.cli.file_arguments import add_saved_game, last_unfinished, read_record, record_path
from digitduels.cli.parser import Parser
from digitduels.cli.saved_games import Save
from digitduels.cli.solo import make_session
from digitduels.match import Match
from digitduels.players import COACH, OPPONENTS

EXAMPLES = ("duels resume", "duels resume number-duel-1", "duels resume quest.json")


def add_arguments(parser: Parser) -> None:
    file = parser.add_argument("file", nargs="?", metavar="FILE", help="a file, or a name from `duels saved`")
    add_saved_game(file)


def run(arguments: argparse.Namespace) -> int:
    if arguments.file is not None:
        path = record_path(arguments.file)
        return _play_on(path, *read_record(path))
    if (last := last_unfinished()) is not None:
        return _play_on(*last)
    raise Failure(FAILURE, f"There is no unfinished game. Start one with: {copyable('play', 'GAME')}")


def _play_on(path: Path, data: bytes, match: Match) -> int:
    """Resumes a game against the same opponent unless that is a program, because a file must not start programs."""
    console = Console()
    if any(name not in ("human", COACH, *OPPONENTS) for name in match.players):
        console.say(
            "Your opponent was a program. Saved games never start programs, so this is now a game for two people.", ""
        )
        match.players = ("human", "human")
    return make_session(match, Save(path, data), console).run()
