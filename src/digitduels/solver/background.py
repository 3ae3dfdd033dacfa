"""A game is played while it is being solved: near results come from a search until the table is there.

The table is made by a process of its own, which keeps it in the cache. That process can be ended at any time: what is
half written is no table yet.
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
from digitduels.solver import SHARE, Reference, Solution, memory, solve
from digitduels.solver.search import Search
from digitduels.solver.verdict import Verdict

_TABLE, _PLAIN, _TOO_LARGE = "table", "plain", "too large"  # what the process says when it is done
_GRACE = 1.0  # seconds that a thread which is just loading a table is waited for


class Background:
    """What is known about a game that is being solved: near results at once, and everything later.

    With `patient`, whatever a search does not find in time waits for the table, so that a seed repeats a game. That is
    for games at which nobody sits and waits.
    """

    def __init__(self, game: AnyGame, patient: bool = False) -> None:
        self.game = game
        self.patient = patient
        self.solution: Solution | None = None
        """The solution, as soon as it is there."""
        self.too_large = False
        """Whether it is known that there will be no solution."""
        self._search = Search(game)
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begins to solve the game, unless that has been done."""
        if self._thread is not None or self.solution is not None:
            return
        pipe = subprocess.PIPE
        with suppress(OSError):  # then it is solved when somebody waits for it
            self._process = subprocess.Popen(
                [sys.executable, "-m", "digitduels.solver.background"],
                stdin=pipe,
                stdout=pipe,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=os.name == "posix",  # so that Ctrl-C does not end it
            )
            self._thread = threading.Thread(target=self._follow, args=(self._process,), daemon=True)
            self._thread.start()
            atexit.register(self.close)

    def ready(self, seconds: float = 0.0) -> bool:
        """Whether solving has come to an end, well or not; waits so long for that."""
        self.start()
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def within(self, state: State[Any, Any], plies: int) -> dict[Any, Verdict | None]:
        """Every legal move in the order of the ids, with its verdict if the game then ends within that many plies.

        Until there is a table, a result that takes too many positions to find is None too.
        """
        if self.solution is None:
            verdicts = self._search.within(state, plies)
            if self.patient and self._search.exhausted:
                with suppress(TooLarge):
                    return self.wait().within(state, plies)
            return verdicts
        return self.solution.within(state, plies)

    def wait(self) -> Solution:
        """The solution, when it is there; raises TooLarge if it never will be."""
        self.ready(threading.TIMEOUT_MAX)
        if self.solution is None and not self.too_large:  # the process failed, or could not keep its table
            try:
                self.solution = solve(self.game)
            except TooLarge:
                self.too_large = True
        if self.solution is None:
            raise TooLarge(f"{self.game.title} with these options has too many positions to work them all out.")
        return self.solution

    def close(self) -> None:
        """Stops solving."""
        atexit.unregister(self.close)
        if self._process is not None:
            self._process.terminate()  # which does nothing if it has ended
        if self._thread is not None:
            self._thread.join(_GRACE)

    def _follow(self, process: subprocess.Popen[str]) -> None:
        """Waits for the process, and takes over what it has found."""
        assert process.stdin is not None
        assert process.stdout is not None
        question = {"game": self.game.id, "options": self.game.values, "patient": self.patient}
        answer = ""
        with suppress(OSError), process:  # which may have been ended
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()  # and stays open: when it closes, nobody waits any more
            answer = process.stdout.read()
        try:
            if answer == _TABLE:
                from digitduels.solver import cache  # here because it takes a while

                self.solution = cache.load(self.game)
            elif answer == _PLAIN:
                reference = Reference(self.game, int(SHARE * memory.available()))
                reference.probe(self.game.start())
                self.solution = reference
            else:
                self.too_large = answer == _TOO_LARGE
        except TooLarge:
            self.too_large = True


def _end_with_the_game() -> None:
    """Ends this process when the program that started it is gone, even if that was killed."""
    os.read(sys.stdin.fileno(), 1)
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Solves the game that is asked for on standard input, and says how that ended."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing half written is left behind
    warnings.simplefilter("ignore")
    question = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_game, daemon=True).start()
    if not question["patient"]:  # a person who plays goes first
        with suppress(AttributeError, OSError):
            os.nice(10)
    try:
        solution = solve(game(question["game"], **question["options"]))
        answer = _PLAIN if isinstance(solution, Reference) else _TABLE
    except TooLarge:
        answer = _TOO_LARGE
    sys.stdout.write(answer)


if __name__ == "__main__":
    main()
