"""A server without worker processes, so that it starts quickly, and optionally with an injected fault.

    python tests/crash_server.py FAULT|none --port … --database …

The crash harness must detect every fault.
"""

from __future__ import annotations

import argparse
import logging
import sqlite3
import sys
import time
from typing import Any

from digitduels.web import logs
from digitduels.web.rooms import acts
from digitduels.web.rooms.state import Room
from digitduels.web.server import listen, serve
from digitduels.web.settings import Settings
from digitduels.web.streams import sqlite
from digitduels.web.streams.fold import Act
from workers import NoWorkers


def answers_before_commit() -> None:
    """Responds at once, and commits the transaction a little later."""
    answer = sqlite._answer

    def run(self: sqlite.SqliteStore, batch: list[sqlite.Job], database: sqlite3.Connection, begin: str) -> None:
        database.execute(begin)
        for job in batch:
            result, refusal = None, None
            try:
                result = job.work(database)
            except Exception as error:
                refusal = error
            job.loop.call_soon_threadsafe(answer, [job.answer], [(result, refusal)])
        if begin != "BEGIN":
            time.sleep(0.5)
        database.execute("COMMIT")

    sqlite.SqliteStore._run = run  # type: ignore[method-assign]


def ignores_the_version() -> None:
    """Accepts a move for any version."""
    act = acts.act

    def careless(room: Room, what: Act, *more: Any) -> Any:
        return act(room, what._replace(version=room.head), *more)

    acts.act = careless  # type: ignore[assignment]


FAULTS = {fault.__name__: fault for fault in (answers_before_commit, ignores_the_version)}


def main(fault: str, *arguments: str) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--database")
    if fault != "none":
        FAULTS[fault]()
    settings = Settings.read(**vars(parser.parse_args(arguments)))
    logs.start(logging.INFO)
    serve(settings, listen(settings), NoWorkers(settings))


if __name__ == "__main__":
    main(*sys.argv[1:])
