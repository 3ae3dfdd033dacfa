"""The worker process: reads one question per line of JSON, and writes one answer per line.

The supervisor starts it, and it exits when the supervisor does, however that ends. At worst, a visitor's huge variant
ends this process: a process for variants limits its own memory and the time per answer. A process that only searches
never solves a variant.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import traceback
import warnings
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any

import digitduels
from digitduels.core import TooLarge
from digitduels.games import AnyGame, game, games
from digitduels.match import Match
from digitduels.options import Integer
from digitduels.players.perfect import error_chance
from digitduels.record import replay
from digitduels.solver import cache
from digitduels.solver.solution import Solution
from digitduels.solver.solution_cache import SolutionCache
from digitduels.web.positions.analysis import ANALYSES, TOO_LARGE, refusal_of

VARIANTS = 2  # solutions of variants that a worker keeps in memory
PRACTICE = 1 << 26  # bytes per solution in `warm_up`


def main(memory: int, seconds: float | None, searching: bool = False) -> None:
    """Answers questions until the input ends. With `seconds`, the process is for variants and has limits.

    With `searching`, it solves no variant.
    """
    for number in (signal.SIGINT, signal.SIGTERM):  # for the server, which then stops its workers
        signal.signal(number, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    questions, answers = SimpleQueue[bytes](), os.fdopen(os.dup(1), "wb")
    threading.Thread(target=read, args=(questions,), daemon=True).start()
    os.dup2(2, 1)  # a stray print goes to standard error, not among the answers
    solutions = SolutionCache(VARIANTS, refuse if searching else partial(solve, limit=memory))
    if seconds is not None:
        if not searching:
            warm_up()
        confine(memory)
    answers.write(b"ready\n")
    answers.flush()
    while True:
        line = questions.get()
        alarm(seconds)
        answers.write(json.dumps(answer(json.loads(line), solutions)).encode() + b"\n")
        answers.flush()
        alarm(None)


def read(questions: SimpleQueue[bytes]) -> None:
    """Reads questions until the server closes its end of the pipe, or is killed. Then nobody needs an answer."""
    for line in sys.stdin.buffer:
        questions.put(line)
    os._exit(0)  # in the middle of any work


def answer(question: dict[str, Any], solutions: SolutionCache) -> dict[str, Any]:
    """Returns the answer, a refusal with its status and message, or the traceback of a failure."""
    try:
        match = replay(question["record"])
        return {"answer": ANALYSES[question["ask"]](match, solutions, **question["with"])}
    except Exception as error:
        refusal = refusal_of(error)
        if refusal is None:  # a bug, which the server logs
            return {"failed": traceback.format_exc()}
        return {"refused": [refusal.status, str(refusal)]}


def solve(rules: AnyGame, limit: int) -> Solution:
    """Returns the solution of a game. `limit` is in bytes, and applies to variants."""
    if not rules.changes:
        return digitduels.solve(rules)
    # Visitors' variants are not written to disk, but solutions that the server's owner has cached are used.
    return cache.load(rules) or digitduels.solve(rules, cache=False, limit=limit)


def refuse(_: AnyGame) -> Solution:
    """Solves nothing, in a process that only searches."""
    raise TooLarge(TOO_LARGE)


def warm_up() -> None:
    """Solves a small variant of each game, so that no visitor waits for imports and compilation."""
    for name in games():
        book = game(name)
        small = {
            option.name: min(option.default, option.kind.low + 3)
            for option in book.options()
            if isinstance(option.kind, Integer)
        }
        try:
            rules = game(name, **small)
        except ValueError:  # this combination of options is invalid
            continue
        with suppress(TooLarge):
            start = rules.start()
            error_chance(start, rules.legal_moves(start)[0], digitduels.solve(rules, cache=False))
            ANALYSES["lab_report"](Match(rules), partial(solve, limit=PRACTICE))
            ANALYSES["lab_strip"](Match(rules), partial(solve, limit=PRACTICE))


def confine(memory: int) -> None:
    """Limits the additional memory of this process."""
    with suppress(ImportError, OSError, ValueError, AttributeError):
        import resource

        try:
            with open("/proc/self/status", encoding="ascii") as file:
                used = next(int(row.split()[1]) << 10 for row in file if row.startswith("VmData"))
            limit = resource.RLIMIT_DATA  # on Linux, private memory without shared code
        except OSError:
            used, limit = 2 << 30, resource.RLIMIT_AS
        most = used + (VARIANTS + 1) * memory
        resource.setrlimit(limit, (most, most))


def alarm(seconds: float | None) -> None:
    """Makes the system end this process after a timeout, where it supports that. None cancels the timeout."""
    if hasattr(signal, "alarm"):
        signal.alarm(0 if seconds is None else math.ceil(seconds) + 2)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else None, "searching" in sys.argv)
