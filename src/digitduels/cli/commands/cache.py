"""`duels cache`: lists, verifies or deletes the solved games on disk."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from digitduels.cli.arguments import add_command
from digitduels.cli.console import Console
from digitduels.cli.errors import FILE, Failure
from digitduels.sentence import Count
from digitduels.solver import memory
from digitduels.text import clean

if TYPE_CHECKING:
    from digitduels.cli.arguments import Commands

LONGEST_FILE_NAME = 120  # characters of a file's name
_EMPTY = "The cache is empty."


def add(commands: Commands) -> None:
    parser = add_command(
        commands,
        "cache",
        run,
        "duels cache",
        "duels cache --verify",
        "duels cache --clear",
    )
    task = parser.add_mutually_exclusive_group()
    task.add_argument("--verify", action="store_true", help="compare every table with its checksums")
    task.add_argument("--clear", action="store_true", help="delete all tables; they are rebuilt when needed")


def run(arguments: argparse.Namespace) -> int:
    from digitduels.solver import cache

    console = Console()
    if arguments.clear:
        sizes = cache.clear()
        console.say(f"Deleted {Count(len(sizes), 'table')}, {memory.human_size(sum(sizes))}." if sizes else _EMPTY)
        return 0
    damaged = []
    for path in cache.kept():
        try:
            about = f"{cache.describe(path)}: {memory.human_size(path.stat().st_size)}"
            if arguments.verify:
                cache.verify(path)
                about += ", sound"
        except (cache.Unusable, OSError) as error:
            about = f"cannot be used: {getattr(error, 'strerror', None) or error}"
            damaged.append(clean(path.name, LONGEST_FILE_NAME))
        console.say(f"{clean(path.name, LONGEST_FILE_NAME)}: {about}")
    console.say(f"The tables are in {cache.folder()}." if cache.kept() else _EMPTY)
    if arguments.verify and damaged:
        raise Failure(
            FILE,
            f"Damaged: {', '.join(damaged)}. A damaged table is rebuilt when it is needed; --clear deletes all tables.",
        )
    return 0
