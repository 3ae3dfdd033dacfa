"""The lines a person reads and types: on a terminal of any width, through pipes, in any encoding."""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from digitduels.text import clean

WIDTH = 80  # of lists that are wrapped in a pipe, and of a terminal that does not know its width
LONGEST = 1000  # characters of an answer; the rest of its line is read and dropped
_ROOM = 8  # columns that a question leaves for its answer

_PLAIN = {"×": "x", "÷": "/", "−": "-", "–": "-", "…": "...", "’": "'", "▲": "^", "▼": "v"}
BOLD, RED, GREEN, YELLOW = "1", "31", "32", "33"  # the codes that terminals know

# Spaces inside an equation, before a count in brackets, after a menu number, and between a word and its number.
_TOGETHER = re.compile(r"(?<=[^\W\d_]) (?=\d)|(?<=[]=+*/×÷−-]) (?=\S)|(?<=\S) (?=[=+*/×÷−-] |\(\d)")
# What a list entry begins with; the lines that follow line up with the text after it.
_HANGING = re.compile(r" *(?:- |\d+\. |\S+ {2,})?")


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """What is printed for characters that the terminal does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(char, "?") for char in error.object[error.start : error.end]), error.end


codecs.register_error("digitduels-plain", _plainly)


def wrap(text: str, width: int, hanging: int | None = None) -> list[str]:
    """A text in lines of at most this width, broken between words and never inside an equation.

    All lines but the first are indented, by `hanging` or as the text begins. A single word that is too long, such as a
    path or a huge number, stays whole.

    >>> wrap("rematch  the same game again", 20)
    ['rematch  the same', '         game again']
    >>> wrap("Calculation: 5 * 10 = 50", 16)
    ['Calculation:', '5 * 10 = 50']
    """
    if _cells(text) <= width:
        return [text]
    begun = _HANGING.match(text)
    indent = " " * (min(len(begun[0]) if begun else 0, width // 2) if hanging is None else hanging)
    lines, line = [], ""
    for gap, together in re.findall(r"( *)([^ ]+)", _TOGETHER.sub("\0", text)):
        fits = len(indent) + _cells(together) <= width
        for place, word in enumerate([together] if fits else together.split("\0")):
            space = " " if place else gap
            if line.strip() and _cells(line + space + word) > width:
                lines.append(line)
                line = indent + word
            else:
                line += space + word
    return [found.replace("\0", " ") for found in (*lines, line)]


def _cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def invocation() -> str:
    """What a person types to run this program: `duels`, or its path if the shell would not find it."""
    path = Path(sys.argv[0])
    if path.name != "duels" or shutil.which("duels"):
        return "duels"
    return os.path.relpath(path)


def complain(message: object) -> None:
    """Prints a message about the command itself to the standard error."""
    text = f"duels: {message}"
    print(*(wrap(text, _width()) if sys.stderr.isatty() else [text]), sep="\n", file=sys.stderr)


def _width() -> int:
    return max(20, shutil.get_terminal_size((WIDTH, 24)).columns)


def _shows_colour(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


class Console:
    """Standard input and output. Answers that come through a pipe are echoed, so that the output reads like a game."""

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
            with suppress(ImportError):  # line editing, where there is any
                import readline  # noqa: F401

    @property
    def width(self) -> int:
        """How long a wrapped line may be, now."""
        return _width() if self.terminal else WIDTH

    @property
    def table_width(self) -> int | None:
        """How wide a table may be; in a pipe, as wide as it is."""
        return _width() if self.terminal else None

    def say(self, *lines: str, style: str = "") -> None:
        """Prints lines for a person. On a terminal they are wrapped to its width."""
        for text in lines:
            for line in wrap(text, self.width) if self.terminal else [text]:
                print(self._painted(line, style) if self.colour else line)
        sys.stdout.flush()

    def say_wrapped(self, text: str, hanging: int | None = None) -> None:
        """Prints a text that may be long, wrapped in a pipe as well."""
        self.say(*wrap(text, self.width, hanging))

    def write(self, text: str) -> None:
        """Prints a text for programs, as it is."""
        print(text, flush=True)

    def ask(self, prompt: str) -> str:
        """What a person answers; raises EOFError when there is nobody left to answer."""
        try:
            return self._type(prompt) if self.interactive else self._pipe(prompt)
        except (EOFError, KeyboardInterrupt):
            self.say("")  # the question keeps its line to itself
            raise

    def agrees(self, question: str) -> bool:
        """Whether a person answers yes. Anything but yes or no is asked again, and quit leaves."""
        while (answer := self.ask(f"{question} (y/n) ").strip().lower()) not in ("y", "yes", "n", "no"):
            if answer in ("quit", "exit"):
                raise EOFError
            if answer:
                self.say("Type y for yes or n for no.")
        return answer.startswith("y")

    def _type(self, prompt: str) -> str:
        *lines, last = prompt.split("\n")
        *begun, last = wrap(last.rstrip(), self.width - _ROOM)
        self.say(*lines, *begun)
        return input(f"{last} ")[:LONGEST]

    def _pipe(self, prompt: str) -> str:
        print(prompt, end="", flush=True)
        text = self.line()
        if text is None:
            raise EOFError
        self.say(clean(text, LONGEST))
        return text

    def line(self) -> str | None:
        """The next line of piped input, however long it is; None at the end."""
        text = sys.stdin.readline(LONGEST)
        if not text:
            return None
        rest = text
        while rest and not rest.endswith("\n"):
            rest = sys.stdin.readline(1 << 16)
        return text.rstrip("\r\n")

    def _painted(self, line: str, style: str) -> str:
        """A line in colour: errors and warnings, and the signs of who is winning."""
        if style:
            return _paint(line, style) if line else line
        for word, colour in (("Error:", RED), ("Warning:", YELLOW)):
            if line.startswith(word):
                return _paint(word, colour) + line.removeprefix(word)
        return line.replace("▲", _paint("▲", GREEN)).replace("▼", _paint("▼", RED))


def _paint(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m"
