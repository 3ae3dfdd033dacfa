"""`duels cache list`: lists the solved games on disk."""

from __future__ import annotations

import argparse

from digitduels.cli.console import Console
from digitduels.cli.errors import reason_of
from digitduels.solver import memory
from digitduels.text import clean

LONGEST_FILE_NAME = 120  # characters of a file's name
EMPTY_CACHE = "The cache is empty."
EXAMPLES = ("duels cache list",)


def run(_: argparse.Namespace) -> int:
    show_tables()
    return 0


def show_tables(verify: bool = False) -> list[str]:
    """Lists the tables, and compares them with their checksums if asked to. Returns the names of unusable files."""
    from digitduels.solver import cache

    console, unusable = Console(), []
    for path in cache.kept():
        name = clean(path.name, LONGEST_FILE_NAME)
        try:
            about = f"{cache.describe(path)}: {memory.human_size(path.stat().st_size)}"
            if verify:
                cache.verify(path)
                about += ", OK"
        except (cache.Unusable, OSError) as error:
            about = f"cannot be used: {reason_of(error)}"
            unusable.append(name)
        console.say(f"{name}: {about}")
    console.say(f"The tables are in {cache.folder()}." if cache.kept() else EMPTY_CACHE)
    return unusable
