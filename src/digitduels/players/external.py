"""An external program as a player. For each move it receives a question and sends an answer, one line of JSON each."""

from __future__ import annotations

import json
import math
import os
import queue
import random
import re
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
from digitduels.players.policy import Forfeit, Player
from digitduels.position_json import position_to_json
from digitduels.text import clean, quoted

LINE = 1 << 16  # the maximum length of an answer, in bytes
STDERR_TAIL = 1 << 16  # how much to keep of a program's standard error, in bytes
MOVE_TIME = 10.0  # seconds
_GRACE = 1.0  # seconds to wait for the pipes of a killed program
_SEED_BITS = 32  # every random number generator accepts such a seed
_NAMED = re.compile(r"""([^\s"'/=]+)=(.*)""", re.DOTALL)


def split_name(text: str) -> tuple[str | None, str]:
    """Splits NAME=CMD into the name and the command line of a program. The name is None if there is none.

    >>> split_name("greedy=python bot.py --depth=3")
    ('greedy', 'python bot.py --depth=3')
    >>> split_name("python bot.py --depth=3")
    (None, 'python bot.py --depth=3')
    """
    named = _NAMED.fullmatch(text)
    return (named[1], named[2]) if named else (None, text)


def command(text: str) -> list[str] | None:
    """Splits a command line into words, with the path of the program first; None if there is no such program."""
    text = split_name(text)[1]
    try:
        # On Windows, paths contain backslashes, which POSIX rules would treat as escapes.
        words = (
            shlex.split(text) if os.name == "posix" else [word.strip('"') for word in shlex.split(text, posix=False)]
        )
        path = words and (shutil.which(words[0]) or (Path(words[0]).is_file() and str(Path(words[0]).resolve())))
    except (ValueError, OSError):  # an unclosed quotation mark, or an invalid file name
        return None
    return [path, *words[1:]] if path else None


def question(match: Match, seed: int) -> dict[str, Any]:
    """The question for a program on its turn, as JSON values."""
    return {
        "game": match.game.id,
        "options": match.game.values,
        **({} if match.position is None else {"position": position_to_json(match.game, match.position)}),
        "moves": [str(move) for move in match.moves],
        "legal": [str(move) for move in match.game.legal_moves(match.state)],
        "player": match.state.player + 1,
        "seed": seed,
    }


class Program(Player):
    """A program that plays one game. It is started for its first move, and killed with its children by `close`.

    It forfeits the game if it does not answer a question with a legal move in time. Every question of a game contains
    the same integer, which is derived from `seed`, or random if that is None.
    """

    def __init__(self, text: str, move_time: float = MOVE_TIME, seed: object = None) -> None:
        words = command(text)
        if words is None:
            raise ValueError(f"There is no program {quoted(text)}.")
        if not (move_time > 0 and math.isfinite(move_time)):
            raise ValueError("The time for a move must be more than 0 seconds.")
        self.name = split_name(text)[0] or text
        self.seed = random.Random(None if seed is None else f"program {seed}").getrandbits(_SEED_BITS)
        self.words = words
        self.move_time = min(move_time, threading.TIMEOUT_MAX)
        self._process: subprocess.Popen[bytes] | None = None
        self._threads: list[threading.Thread] = []
        self._errors = b""

    @property
    def errors(self) -> str:
        """The last part of the program's standard error."""
        return self._errors.decode(errors="replace")

    def choose(self, match: Match) -> Any:
        try:
            return self._read(match, self._ask(json.dumps(question(match, self.seed)).encode() + b"\n"))
        except Forfeit:
            self.close()
            raise

    def _ask(self, line: bytes) -> bytes:
        """Sends a question and returns the line that the program answers."""
        try:
            process = self._process or self._start()
        except OSError as error:
            raise Forfeit(f"the program could not be started: {error.strerror}.") from None
        answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # Writing can block as well as reading, so a thread does both. After a timeout it is abandoned.
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
        """Parses the move in an answer; raises Forfeit if there is none, or it is not legal."""
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise Forfeit(f"the program's answer is not a JSON object: {quoted(line.decode(errors='replace'))}.")
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
        """Reads standard error continuously, so that the program never blocks on it, and keeps the last part."""
        assert process.stderr is not None
        with suppress(OSError, ValueError):
            while data := os.read(process.stderr.fileno(), STDERR_TAIL):
                self._errors = (self._errors + data)[-STDERR_TAIL:]

    def _spawn(self, run: Any, *arguments: Any) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        thread.start()
        self._threads = [other for other in self._threads if other.is_alive()] + [thread]

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        # Kill the process group before waiting for its leader. Until then, its id cannot be reused.
        if os.name == "posix":
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            with suppress(OSError):
                subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)  # noqa: S603, S607
            process.kill()
        process.wait()
        # If a child has escaped and keeps a pipe open, the thread closes the pipe when the child ends.
        self._tidying = threading.Thread(target=_tidy, args=(process, self._threads), daemon=True)
        self._tidying.start()
        self._tidying.join(_GRACE)
        self._threads = []


def _tidy(process: subprocess.Popen[bytes], threads: list[threading.Thread]) -> None:
    """Waits for the threads that use the pipes of a program, then closes the pipes."""
    for thread in threads:
        thread.join()
    for stream in (process.stdin, process.stdout, process.stderr):
        assert stream is not None
        with suppress(OSError):  # the program did not read the question
            stream.close()


def _exchange(process: subprocess.Popen[bytes], question: bytes, answers: queue.SimpleQueue[bytes]) -> None:
    """Writes a question and reads a line, which may be incomplete if the program ends."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError):  # a program that closed its input may still answer
        process.stdin.write(question)
        process.stdin.flush()
    answers.put(process.stdout.readline(LINE + 1))
