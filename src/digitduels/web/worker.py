"""A process that answers questions about games: a line of JSON in, a line of JSON out.

It is started by workers.py, and ends when nobody is left to ask. What a visitor makes large can at worst end this
process: it has a limit of memory, and whoever asks has a limit of time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import warnings
from contextlib import suppress
from typing import Any

from digitduels.core import TooLarge
from digitduels.match import Match
from digitduels.web.answers import ANSWERS, Solutions

MEMORY = "This takes more memory than this server gives to one visitor. Choose smaller numbers."


def main(variants: bool, memory: int) -> None:
    """Answers until the questions end. For variants the limits are put up first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then lets go of us
    warnings.simplefilter("ignore")
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that prints by accident gets among the answers
    solutions = Solutions(memory)
    if variants:
        prepare(solutions)
        confine(memory)
    for line in questions:
        answers.write(json.dumps(answer(json.loads(line), solutions), ensure_ascii=False).encode() + b"\n")
        answers.flush()


def answer(question: dict[str, Any], solutions: Solutions) -> dict[str, Any]:
    """The answer, or the status and the sentence of a refusal."""
    try:
        match = Match.replay(question["record"])
        return {"answer": ANSWERS[question["ask"]](match, solutions, **question["with"])}
    except MemoryError:
        return {"refused": [413, MEMORY]}
    except TooLarge as error:
        return {"refused": [413, str(error)]}
    except ValueError as error:  # such as a position that no solution knows
        return {"refused": [422, str(error)]}


def prepare(solutions: Solutions) -> None:
    """Loads all that solving needs, so that no visitor waits for it."""
    from digitduels.solver import kernels

    assert kernels
    assert solutions


def confine(memory: int) -> None:
    """Limits what this process may take beyond what it has, and lets everybody else go first."""
    os.nice(10)
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = 1 << 30
        with suppress(OSError):  # Linux: what the process has of its own
            with open("/proc/self/status", encoding="ascii") as file:
                used = next(int(row.split()[1]) << 10 for row in file if row.startswith("VmData"))
            resource.setrlimit(resource.RLIMIT_DATA, (used + 2 * memory, used + 2 * memory))
            return
        resource.setrlimit(resource.RLIMIT_AS, (used + 2 * memory, used + 2 * memory))


if __name__ == "__main__":
    main(sys.argv[1] == "variants", int(sys.argv[2]))
