"""Input and output for people: on terminals of any width, through pipes, in any encoding."""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from digitduels.signals import recheck_signals
from digitduels.text import clean

WIDTH = 80  # for wrapped text in a pipe, and for terminals of unknown width
LEAVING = ("quit", "exit", "q")
LONGEST = 1000  # characters of an answer; the rest of the line is dropped
_ROOM = 8  # columns to leave for the answer after a question

_PLAIN = {"×": "x", "÷": "/", "−": "-", "–": "-", "…": "...", "’": "'", "▲": "^", "▼": "v"}
BOLD, RED, GREEN, YELLOW = "1", "31", "32", "33"  # ANSI codes

# Spaces at which lines never break: in an equation or a list of signs, before a count in brackets or a percent sign,
# after a menu number, before a move, and between a word or a number and its number, with or without a colon.
_TOGETHER = re.compile(
    r"(?<=[^\W\d_]) (?=\d)|(?<=\d) (?=%)|(?<=\d:) (?=\d)|(?<=\w:) (?=[-−]?\d+(?:[.)]|$))|(?<=[-+*/],) (?=[-+*/])"
    r"|(?<=[]=+*/×÷−-]) (?=\S)|(?<=\S) (?=[=+*/×÷−-] |\(\d)|(?<=\w) (?=\d*[+×÷−]\d)"
)
# A command in a text, which people copy, or an entry of a menu. Its spaces never become line breaks.
_WHOLE = re.compile(r"`[^`]*`|pip install \S+|\[\d+\] [^,.\n]+")
_FIXED = "\N{NO-BREAK SPACE}"
# The beginning of a list entry; continuation lines align with the text after it.
_HANGING = re.compile(r" *(?:- |\d+\. |\S+ {2,})?")


def _replace_missing(error: UnicodeError) -> tuple[str, int]:
    """Replaces characters that the output encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(char, "?") for char in error.object[error.start : error.end]), error.end


codecs.register_error("digitduels-plain", _replace_missing)


def wrap(text: str, width: int, hanging: int | None = None) -> list[str]:
    """A text in lines of at most this width, broken between words and never inside an equation.

    All lines but the first are indented, by `hanging` or to align with the first. A single word that is too long, such
    as a path or a huge number, is not broken.

    >>> wrap("rematch  the same game again", 20)
    ['rematch  the same', '         game again']
    >>> wrap("Calculation: 5 * 10 = 50", 16)
    ['Calculation:', '5 * 10 = 50']
    >>> wrap("Type `duels play number-duel`.", 16)
    ['Type', '`duels play number-duel`.']
    """
    text = _WHOLE.sub(lambda whole: whole[0].replace(" ", _FIXED), text)
    if _cells(text) <= width:
        return [text.replace(_FIXED, " ")]
    bullet = _HANGING.match(text)
    indent = " " * (min(len(bullet[0]) if bullet else 0, width // 2) if hanging is None else hanging)
    lines, line = [], ""
    for gap, together in re.findall(r"( *)([^ ]+)", _TOGETHER.sub("\0", text)):
        fits = len(indent) + _cells(together) <= width
        for index, word in enumerate([together] if fits else together.split("\0")):
            space = " " if index else gap
            if line.strip() and _cells(line + space + word) > width:
                lines.append(line)
                line = indent + word
            else:
                line += space + word
    return [part.replace("\0", " ").replace(_FIXED, " ") for part in (*lines, line)]


def _cells(text: str) -> int:
    """The width of a text in terminal columns."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def invocation() -> str:
    """The command that runs this program: `duels`, or its path if it is not on the PATH."""
    path = Path(sys.argv[0])
    if path.name != "duels" or shutil.which("duels"):
        return "duels"
    return os.path.relpath(path)


def copyable(*words: str) -> str:
    """A command of this program, to be copied from a text: it is never broken over two lines."""
    return together(" ".join((invocation(), *words)))


def together(text: str) -> str:
    """A text that is never broken over two lines."""
    return text.replace(" ", _FIXED)


def complain(message: object, who: str = "duels") -> None:
    """Prints a message about the command itself to standard error."""
    text = f"{who}: {message}"
    lines = wrap(text, _width()) if sys.stderr.isatty() else [text.replace(_FIXED, " ")]
    print(*lines, sep="\n", file=sys.stderr)


def _width() -> int:
    return max(20, shutil.get_terminal_size((WIDTH, 24)).columns)


def _shows_colour(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


class Console:
    """Standard input and output. Answers from a pipe are echoed, so that the output reads like a game."""

    def __init__(self) -> None:
        for stream, errors in (
            (sys.stdin, "replace"),
            (sys.stdout, "digitduels-plain"),
            (sys.stderr, "digitduels-plain"),
        ):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=errors)
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self.terminal = sys.stdout.isatty()
        self.colour = _shows_colour(sys.stdout)
        if self.interactive:
            with suppress(ImportError):  # line editing, if available
                import readline  # noqa: F401

    @property
    def width(self) -> int:
        """The current maximum length of a wrapped line."""
        return _width() if self.terminal else WIDTH

    @property
    def table_width(self) -> int | None:
        """The maximum width of a table; None in a pipe, where there is no limit."""
        return _width() if self.terminal else None

    def say(self, *lines: str, style: str = "") -> None:
        """Prints lines for a person. On a terminal they are wrapped to its width."""
        for text in lines:
            for line in wrap(text, self.width) if self.terminal else [text.replace(_FIXED, " ")]:
                print(self._coloured(line, style) if self.colour else line)
        sys.stdout.flush()

    def say_wrapped(self, text: str, hanging: int | None = None) -> None:
        """Prints a long text, wrapped even in a pipe."""
        self.say(*wrap(text, self.width, hanging))

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Ignores keys pressed in the meantime, so that none lands in the text or answers the next question."""
        before = _keyboard_settings() if self.interactive else None
        if before is None:
            yield
            return
        import termios

        silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, silent)
        try:
            yield
        finally:
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)

    def write(self, text: str) -> None:
        """Prints a text for programs, unchanged."""
        print(text, flush=True)

    def ask(self, prompt: str) -> str:
        """Asks a person and returns the answer; raises EOFError at the end of the input."""
        try:
            with recheck_signals():
                return self._type(prompt) if self.interactive else self._pipe(prompt)
        except (EOFError, KeyboardInterrupt):
            self.say("")  # ends the line of the question
            raise

    def agrees(self, question: str) -> bool:
        """Asks a yes-or-no question until the answer is one of them; raises EOFError for quit."""
        while (answer := self.ask(f"{question} (y/n) ").strip().lower()) not in ("y", "yes", "n", "no"):
            if answer in LEAVING:
                raise EOFError
            if answer:
                self.say("Type y for yes or n for no.")
        return answer.startswith("y")

    def _type(self, prompt: str) -> str:
        *lines, last = prompt.split("\n")
        *first, last = wrap(last.rstrip(), self.width - _ROOM)
        self.say(*lines, *first)
        return input(f"{last} ")[:LONGEST]

    def _pipe(self, prompt: str) -> str:
        print(prompt, end="", flush=True)
        text = self.line()
        if text is None:
            raise EOFError
        self.say(clean(text, LONGEST))
        return text

    def line(self) -> str | None:
        """The next line of piped input, cut to LONGEST; None at the end."""
        text = sys.stdin.readline(LONGEST)
        if not text:
            return None
        rest = text
        while rest and not rest.endswith("\n"):
            rest = sys.stdin.readline(1 << 16)
        return text.rstrip("\r\n")

    def _coloured(self, line: str, style: str) -> str:
        """Colours a line: errors, warnings, and the signs that show who is winning."""
        if style:
            return _paint(line, style) if line else line
        for word, colour in (("Error:", RED), ("Warning:", YELLOW)):
            if line.startswith(word):
                return _paint(word, colour) + line.removeprefix(word)
        return line.replace("▲", _paint("▲", GREEN)).replace("▼", _paint("▼", RED))


def _keyboard_settings() -> list[Any] | None:
    """The settings of the terminal that we read from; None if it has none, or on a system without them."""
    with suppress(ImportError):
        import termios

        with suppress(termios.error, OSError, ValueError):
            return termios.tcgetattr(sys.stdin)
    return None


def _paint(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m"
