"""A process that answers questions about games: a line of JSON in, a line of JSON out.

The supervisor starts it, and it ends when nobody is left to ask. What a visitor makes large can at worst end this
process: for variants it has a limit of memory, and of time even when nobody waits any more.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import traceback
import warnings
from contextlib import suppress
from functools import partial
from typing import Any

import digitduels
from digitduels.core import TooLarge
from digitduels.games import AnyGame, game, games
from digitduels.match import Match
from digitduels.options import Whole
from digitduels.record import replay
from digitduels.solver import cache
from digitduels.solver.library import Library
from digitduels.solver.solution import Solution
from digitduels.web.workers.answers import ANSWERS, TooLargeHere

VARIANTS = 2  # whose solutions a worker holds
PRACTICE = 1 << 26  # bytes
TOO_LARGE = "This game is too large to be worked out here. Choose smaller numbers."


def main(memory: int, seconds: float | None) -> None:
    """Answers until the questions end. `seconds` is given for variants, whose limits are put up first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then lets go of us
    warnings.simplefilter("ignore")
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that is printed by accident gets among the answers
    solutions = Library(VARIANTS, partial(solve, limit=memory))
    if seconds is not None:
        practise()
        confine(memory)
    answers.write(b"ready\n")
    answers.flush()
    for line in questions:
        alarm(seconds)
        answers.write(json.dumps(answer(json.loads(line), solutions)).encode() + b"\n")
        answers.flush()
        alarm(None)


def answer(question: dict[str, Any], solutions: Library) -> dict[str, Any]:
    """The answer, or the status and the sentence of a refusal."""
    try:
        match = replay(question["record"])
        return {"answer": ANSWERS[question["ask"]](match, solutions, **question["with"])}
    except TooLargeHere as error:
        return {"refused": [413, str(error)]}
    except (MemoryError, TooLarge):
        return {"refused": [413, TOO_LARGE]}
    except ValueError as error:  # such as a position that no solution knows
        return {"refused": [422, str(error)]}
    except Exception:  # a fault of ours, which the server tells its owner of
        return {"failed": traceback.format_exc()}


def solve(rules: AnyGame, limit: int) -> Solution:
    """The solution of a game. `limit` is how many bytes that of a variant may take."""
    if not rules.changes:
        return digitduels.solve(rules)
    # What visitors make up is not written to disk, but what the owner has solved is used.
    return cache.load(rules) or digitduels.solve(rules, cache=False, limit=limit)


def practise() -> None:
    """Solves something small of each kind, so that no visitor waits for what is loaded or compiled for that."""
    for name in games():
        book = game(name)
        small = {
            option.name: min(option.default, option.kind.low + 3)
            for option in book.options()
            if isinstance(option.kind, Whole)
        }
        with suppress(ValueError):  # a game whose options do not go together like that
            rules = game(name, **small)
            digitduels.solve(rules, cache=False)
            ANSWERS["lab_report"](Match(rules), partial(solve, limit=PRACTICE))
            ANSWERS["lab_strip"](Match(rules), partial(solve, limit=PRACTICE))


def confine(memory: int) -> None:
    """Limits what this process may take beyond what it has, and lets everybody else go first."""
    with suppress(ImportError, OSError, ValueError, AttributeError):
        import resource

        os.nice(10)
        try:
            with open("/proc/self/status", encoding="ascii") as file:
                used = next(int(row.split()[1]) << 10 for row in file if row.startswith("VmData"))
            what = resource.RLIMIT_DATA  # on Linux: all that is its own, but not the code it shares
        except OSError:
            used, what = 2 << 30, resource.RLIMIT_AS
        most = used + (VARIANTS + 1) * memory
        resource.setrlimit(what, (most, most))


def alarm(seconds: float | None) -> None:
    """Ends this process after a while, where the system can; None calls it off."""
    if hasattr(signal, "alarm"):
        signal.alarm(0 if seconds is None else math.ceil(seconds) + 2)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else None)
