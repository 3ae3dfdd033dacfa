"""Solves a game in the background while people play it: until the table is ready, a search finds near results.

A separate process fills the table and caches it. It can be killed at any time, because the cache replaces files
atomically.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
import warnings
from contextlib import suppress
from typing import Any

from digitduels.core import State, TooLarge
from digitduels.games import AnyGame, game
from digitduels.signals import exit_on_sigterm
from digitduels.solver import SHARE, Reference, Solution, Unsolvable, memory, solve
from digitduels.solver.search import Search
from digitduels.solver.verdict import Verdict

_TABLE, _PLAIN = "table", "plain"  # answers of the process; any other one is a failure
TOO_MANY_POSITIONS = "This game is too large to solve."
_GRACE = 1.0  # seconds to wait for a thread that is loading a table


class Background:
    """The truth about a game that is being solved: near results at once, all results later.

    With `patient`, it waits for the table if a search reaches its limit, so that a seed repeats a game. Use this when
    nobody is waiting for a move.
    """

    def __init__(self, game: AnyGame, patient: bool = False) -> None:
        self.game = game
        self.patient = patient
        self.solution: Solution | None = None
        """The solution; None until it is ready."""
        self.failure: str | None = None
        """Why the game cannot be solved: it is too large, or a package is missing."""
        self._search = Search(game)
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts to solve the game, unless it has been started already."""
        if self._thread is not None or self.solution is not None:
            return
        pipe = subprocess.PIPE
        with suppress(OSError):  # if no process can be started, `wait` solves the game
            self._process = subprocess.Popen(
                [sys.executable, "-m", "digitduels.solver.background"],
                stdin=pipe,
                stdout=pipe,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=os.name == "posix",  # protects it from Ctrl-C
            )
            self._thread = threading.Thread(target=self._follow, args=(self._process,), daemon=True)
            self._thread.start()
            atexit.register(self.close)

    def ready(self, seconds: float = 0.0) -> bool:
        """Whether the attempt to solve the game has ended, successfully or not; waits for it up to `seconds`."""
        self.start()
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def within(self, state: State[Any, Any], plies: int) -> dict[Any, Verdict | None]:
        """Every legal move, by action id, with its verdict if the game then ends within `plies`, else None.

        Until the table is ready, a result that the search does not find within its limit is None too.
        """
        if self.solution is None:
            verdicts = self._search.within(state, plies)
            if self.patient and self._search.exhausted:
                with suppress(TooLarge):
                    return self.wait().within(state, plies)
            return verdicts
        return self.solution.within(state, plies)

    def wait(self) -> Solution:
        """Waits for the solution; raises TooLarge if there is none."""
        self.ready(threading.TIMEOUT_MAX)
        if self.solution is None and self.failure is None:  # the process failed, or could not cache its table
            try:
                self.solution = solve(self.game)
            except TooLarge as error:
                self.failure = _reason(error)
        if self.solution is None:
            raise TooLarge(f"{self.game.title} with these options has too many positions to solve.")
        return self.solution

    def close(self) -> None:
        """Stops solving."""
        atexit.unregister(self.close)
        if self._process is not None:
            self._process.terminate()  # no effect if it has ended
        if self._thread is not None:
            self._thread.join(_GRACE)

    def _follow(self, process: subprocess.Popen[str]) -> None:
        """Waits for the process and loads its result."""
        assert process.stdin is not None
        assert process.stdout is not None
        question = {"game": self.game.id, "options": self.game.values, "patient": self.patient}
        answer = ""
        with suppress(OSError), process:  # the process may have ended
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()  # keep it open: when it closes, the process ends
            answer = process.stdout.read()
        try:
            if answer == _TABLE:
                from digitduels.solver import cache  # a slow import

                self.solution = cache.load(self.game)
            elif answer == _PLAIN:
                reference = Reference(self.game, int(SHARE * memory.available()))
                reference.probe(self.game.start())
                self.solution = reference
            else:
                self.failure = answer or None
        except TooLarge as error:
            self.failure = _reason(error)


def _reason(error: TooLarge) -> str:
    """Why a game cannot be solved, without figures of memory, which do not concern somebody who plays."""
    return str(error) if isinstance(error, Unsolvable) else TOO_MANY_POSITIONS


def _end_with_the_game() -> None:
    """Ends this process when the program that started it ends, even if it is killed."""
    os.read(sys.stdin.fileno(), 1)
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Solves the game that standard input names, and writes the kind of solution to standard output."""
    warnings.simplefilter("ignore")
    question = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_game, daemon=True).start()
    if not question["patient"]:  # leave the processor to the person who plays
        with suppress(AttributeError, OSError):
            os.nice(10)
    try:
        with exit_on_sigterm():
            solution = solve(game(question["game"], **question["options"]))
        answer = _PLAIN if isinstance(solution, Reference) else _TABLE
    except TooLarge as error:
        answer = _reason(error)
    sys.stdout.write(answer)


if __name__ == "__main__":
    main()
