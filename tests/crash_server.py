"""`duels serve` without workers, so that it starts quickly, and optionally with an injected fault.

    python tests/crash_server.py FAULT|none --port …

The crash harness must detect every fault.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from typing import Any

from digitduels.cli.main import main
from digitduels.match import Match
from digitduels.players import RandomPlayer
from digitduels.web import app
from digitduels.web.rooms import acts
from digitduels.web.store import sqlite
from digitduels.web.workers.supervisor import Supervisor


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
            time.sleep(0.2)
        database.execute("COMMIT")

    sqlite.SqliteStore._run = run  # type: ignore[method-assign]


def ignores_the_version() -> None:
    """Accepts a move for any version."""
    act = acts.act

    def careless(room: acts.Room, what: acts.Act, *more: Any) -> Any:
        return act(room, what._replace(version=room.head), *more)

    acts.act = careless  # type: ignore[assignment]


class NoWorkers(Supervisor):
    """A computer that plays at random in the server process."""

    async def __aenter__(self) -> NoWorkers:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def reply(self, match: Match, level: int, seed: str) -> str:
        return str(RandomPlayer(seed).choose(match))


FAULTS = {fault.__name__: fault for fault in (answers_before_commit, ignores_the_version)}

if __name__ == "__main__":
    app.Supervisor = NoWorkers  # type: ignore[attr-defined]
    if sys.argv[1] != "none":
        FAULTS[sys.argv[1]]()
    main(["serve", *sys.argv[2:]])
