"""`duels saved`: lists or deletes saved games."""

from __future__ import annotations

import argparse
from datetime import datetime

from digitduels.cli import saved_games
from digitduels.cli.console import Console
from digitduels.cli.errors import FILE, Failure, reason_of
from digitduels.cli.file_arguments import add_saved_game, no_saved_game, read_record
from digitduels.cli.parser import Parser
from digitduels.sentence import Count

EXAMPLES = ("duels saved", "duels saved --delete number-duel-1", "duels saved --delete-finished")


def add_arguments(parser: Parser) -> None:
    add_saved_game(parser.add_argument("--delete", nargs="+", metavar="NAME", default=[], help="delete these games"))
    parser.add_argument("--all", action="store_true", help="list old finished games as well")
    parser.add_argument("--delete-finished", action="store_true", help="delete all finished games")


def run(arguments: argparse.Namespace) -> int:
    console = Console()
    names = saved_games.names()
    for name in arguments.delete:
        if name not in names:
            raise no_saved_game(name)
    if arguments.delete or arguments.delete_finished:
        finished = [name for name in names if arguments.delete_finished and _is_finished(name)]
        for name in dict.fromkeys((*arguments.delete, *finished)):
            try:
                saved_games.path_of(name).unlink()
            except OSError as error:
                raise Failure(FILE, f"{name} could not be deleted: {reason_of(error)}.") from None
            console.say(f"Deleted {name}.")
        return 0
    _list(names, arguments.all, console)
    return 0


def _is_finished(name: str) -> bool:
    try:
        return read_record(saved_games.path_of(name))[1].outcome is not None
    except Failure:
        return False


def _list(names: list[str], everything: bool, console: Console) -> None:
    """Lists the saved games, the most recent first. Old finished games are only counted."""
    old, now = 0, datetime.now()
    for name in names:
        path = saved_games.path_of(name)
        try:
            match, when = read_record(path)[1], saved_games.modified(path)
        except Failure as failure:
            console.say(f"{name}: cannot be resumed. {failure}")
            continue
        if match.outcome is not None and (now - when).days > saved_games.RECENT and not everything:
            old += 1
        else:
            console.say(f"{name}: {saved_games.describe(match, when, now)}")
    if old:
        games, them = Count(old, "older finished game"), "it" if old == 1 else "them"
        console.say("", f"And {games}: `duels saved --all` lists {them} as well.")
    if not names:
        console.say("No saved games.")
