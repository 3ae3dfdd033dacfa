"""`duels cache verify`: compares the solved games on disk with their checksums."""

from __future__ import annotations

import argparse

from digitduels.cli.commands.cache.list import show_tables
from digitduels.cli.errors import FILE, Failure

EXAMPLES = ("duels cache verify",)


def run(_: argparse.Namespace) -> int:
    damaged = show_tables(verify=True)
    if damaged:
        advice = "A damaged table is rebuilt when it is needed; `duels cache clear` deletes all tables."
        raise Failure(FILE, f"Damaged: {', '.join(damaged)}. {advice}")
    return 0
