"""`duels serve` without workers, so that it starts quickly, and on request with a fault put in.

    python tests/crash_server.py FAULT|none --port …

The crash harness must find every fault.
"""

from __future__ import annotations

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
    """People are answered at once, and the transaction is committed a little later."""
    commit = sqlite.SqliteStore._commit
    answer = sqlite._answer

    def together(self: sqlite.SqliteStore, jobs: list[sqlite.Job]) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        for job in jobs:
            result, refusal = None, None
            try:
                result = job.work(self._database)
            except Exception as error:
                refusal = error
            job.loop.call_soon_threadsafe(answer, job.answer, result, refusal)
        time.sleep(0.05)
        commit(self)

    sqlite.SqliteStore._together = together  # type: ignore[method-assign]


def ignores_the_version() -> None:
    """A move is taken whatever version it answers."""
    act = acts.act

    def careless(kept: Any, what: acts.Act, *more: Any) -> Any:
        return act(kept, what._replace(version=kept.head), *more)

    acts.act = careless  # type: ignore[assignment]


class NoWorkers(Supervisor):
    """A computer that plays at random, in the process of the server."""

    async def __aenter__(self) -> NoWorkers:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def ask(self, what: str, match: Match, **arguments: Any) -> Any:
        return str(RandomPlayer(arguments["seed"]).choose(match))


FAULTS = {fault.__name__: fault for fault in (answers_before_commit, ignores_the_version)}

if __name__ == "__main__":
    app.Supervisor = NoWorkers  # type: ignore[attr-defined]
    if sys.argv[1] != "none":
        FAULTS[sys.argv[1]]()
    main(["serve", *sys.argv[2:]])
