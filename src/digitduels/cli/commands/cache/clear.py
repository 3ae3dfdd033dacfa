"""`duels cache clear`: deletes the solved games on disk."""

from __future__ import annotations

import argparse

from digitduels.cli.commands.cache.list import EMPTY_CACHE
from digitduels.cli.console import Console
from digitduels.sentence import Count
from digitduels.solver import memory

EXAMPLES = ("duels cache clear",)


def run(_: argparse.Namespace) -> int:
    from digitduels.solver import cache

    sizes = cache.clear()
    deleted = f"Deleted {Count(len(sizes), 'table')}, {memory.human_size(sum(sizes))}."
    Console().say(deleted if sizes else EMPTY_CACHE)
    return 0
