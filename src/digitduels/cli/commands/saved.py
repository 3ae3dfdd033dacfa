"""`duels saved`: lists or deletes saved games."""

from __future__ import annotations

import argparse

from digitduels.cli import saved_games
from digitduels.cli.console import Console
from digitduels.cli.errors import FILE, Failure, reason_of
from digitduels.cli.file_arguments import read_record
from digitduels.cli.parser import Parser
from digitduels.sentence import Count, Sentence, tell
from digitduels.text import quoted

EXAMPLES = ("duels saved", "duels saved --delete number-duel-1", "duels saved --delete-finished")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--delete", nargs="+", metavar="NAME", default=[], help="delete these games")
    parser.add_argument("--delete-finished", action="store_true", help="delete all finished games")


def run(arguments: argparse.Namespace) -> int:
    console = Console()
    names = saved_games.names()
    for name in arguments.delete:
        if name not in names:
            raise Failure(FILE, f"There is no saved game {quoted(name)}. `duels saved` lists them.")
    if arguments.delete or arguments.delete_finished:
        finished = [name for name in names if arguments.delete_finished and _is_finished(name)]
        for name in dict.fromkeys((*arguments.delete, *finished)):
            try:
                saved_games.path_of(name).unlink()
            except OSError as error:
                raise Failure(FILE, f"{name} could not be deleted: {reason_of(error)}.") from None
            console.say(f"Deleted {name}.")
        return 0
    console.say(*(f"{name}: {_about(name)}" for name in names))
    if not names:
        console.say("No saved games.")
    return 0


def _is_finished(name: str) -> bool:
    try:
        return read_record(saved_games.path_of(name))[1].outcome is not None
    except Failure:
        return False


def _about(name: str) -> str:
    """A one-line description of a saved game."""
    try:
        match = read_record(saved_games.path_of(name))[1]
    except Failure as failure:
        return f"cannot be resumed. {failure}"
    outcome = match.outcome
    status = outcome.reason if outcome else Sentence("{player} to move.", player=match.state.player)
    return f"{' against '.join(match.names)}, {Count(len(match.moves), 'move')}. {tell(status, match.names)}"
