"""An outside program as a player: it is asked with one line of JSON a move, and answers with one."""

from __future__ import annotations

import json
import math
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from digitduels.core import InvalidMove
from digitduels.match import Match
from digitduels.players.player import Forfeit, Player
from digitduels.text import clean, quoted

LINE = 1 << 16  # bytes of an answer
KEPT = 1 << 16  # bytes that are kept of what a program writes to its standard error
MOVE_TIME = 10.0  # seconds
_GRACE = 1.0  # seconds that the pipes of a killed program are waited for


def command(text: str) -> list[str] | None:
    """The words of a command line, the first one as the program's file, or None if there is no such program."""
    try:
        # Windows has backslashes in its paths, which a shell would take for something else.
        words = (
            shlex.split(text) if os.name == "posix" else [word.strip('"') for word in shlex.split(text, posix=False)]
        )
        found = words and (shutil.which(words[0]) or (Path(words[0]).is_file() and str(Path(words[0]).resolve())))
    except (ValueError, OSError):  # an open quotation, or a name that no file can have
        return None
    return [found, *words[1:]] if found else None


def question(match: Match) -> dict[str, Any]:
    """What a program is told when it is to move."""
    return {
        "game": match.game.id,
        "options": match.game.values,
        **({} if match.position is None else {"position": match.game.placed(match.position)}),
        "moves": [str(move) for move in match.moves],
        "legal": [str(move) for move in match.game.legal_moves(match.state)],
        "player": match.state.player + 1,
    }


class Program(Player):
    """A program that serves one game: started for its first move, killed with its children when it is closed.

    It loses the game if it does not answer a question with a legal move in time.
    """

    def __init__(self, text: str, move_time: float = MOVE_TIME) -> None:
        words = command(text)
        if words is None:
            raise ValueError(f"There is no program {quoted(text)}.")
        if not (move_time > 0 and math.isfinite(move_time)):
            raise ValueError("The time for a move must be more than 0 seconds.")
        self.name = text
        self.words = words
        self.move_time = min(move_time, threading.TIMEOUT_MAX)
        self._process: subprocess.Popen[bytes] | None = None
        self._threads: list[threading.Thread] = []
        self._errors = b""

    @property
    def errors(self) -> str:
        """The end of what the program wrote to its standard error."""
        return self._errors.decode(errors="replace")

    def choose(self, match: Match) -> Any:
        try:
            return self._read(match, self._ask(json.dumps(question(match)).encode() + b"\n"))
        except Forfeit:
            self.close()
            raise

    def _ask(self, line: bytes) -> bytes:
        """The line that the program answers."""
        try:
            process = self._process or self._start()
        except OSError as error:
            raise Forfeit(f"the program could not be started: {error.strerror}.") from None
        answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # Writing may block as well as reading, so both are done where they can be left behind.
        self._spawn(_exchange, process, line, answers)
        try:
            answer = answers.get(timeout=self.move_time)
        except queue.Empty:
            raise Forfeit(f"the program gave no answer within {self.move_time:g} s.") from None
        if len(answer) > LINE:
            raise Forfeit(f"the program wrote {LINE} bytes and did not end its line.")
        if not answer.endswith(b"\n"):
            self.close()
            last = clean(next((line for line in reversed(self.errors.splitlines()) if line.strip()), ""), 120)
            raise Forfeit(f"the program ended without an answer (exit code {process.returncode}). {last}".strip())
        return answer

    def _read(self, match: Match, line: bytes) -> Any:
        """The move that an answer names."""
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise Forfeit(f"the program's answer is no JSON object: {quoted(line.decode(errors='replace'))}.")
        token = answer.get("move")
        if not isinstance(token, str):
            raise Forfeit(f"the program's answer names no move: {quoted(line.decode(errors='replace'))}.")
        try:
            move = match.game.read(token, match.state)
            reason = match.game.objection(match.state, move)
        except InvalidMove as error:
            reason = str(error)
        if reason is not None:
            raise Forfeit(f"the program played {quoted(token)}. {reason}")
        return move

    def _start(self) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(  # noqa: S603  the user's own command, and no shell
            self.words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=os.name == "posix"
        )
        self._process, self._errors = process, b""
        self._spawn(self._listen, process)
        return process

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Keeps the end of what the program complains about, and never lets it wait for a reader."""
        assert process.stderr is not None
        with suppress(OSError, ValueError):
            while said := os.read(process.stderr.fileno(), KEPT):
                self._errors = (self._errors + said)[-KEPT:]

    def _spawn(self, run: Any, *arguments: Any) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        thread.start()
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        # The group is killed before its leader is waited for: until then nobody else can have its number.
        if os.name == "posix":
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            with suppress(OSError):
                subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)  # noqa: S603, S607
            process.kill()
        process.wait()
        # A pipe that some escaped child keeps open is closed when it lets go.
        self._tidying = threading.Thread(target=_tidy, args=(process, self._threads), daemon=True)
        self._tidying.start()
        self._tidying.join(_GRACE)
        self._threads = []


def _tidy(process: subprocess.Popen[bytes], threads: list[threading.Thread]) -> None:
    """Closes the pipes of a program when nobody waits at them any more."""
    for thread in threads:
        thread.join()
    for stream in (process.stdin, process.stdout, process.stderr):
        assert stream is not None
        with suppress(OSError):  # a question that nobody read
            stream.close()


def _exchange(process: subprocess.Popen[bytes], question: bytes, answers: queue.SimpleQueue[bytes]) -> None:
    """Writes a question and reads a line, or as much as there is of one."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError):  # whoever closed its input may still answer
        process.stdin.write(question)
        process.stdin.flush()
    answers.put(process.stdout.readline(LINE + 1))
