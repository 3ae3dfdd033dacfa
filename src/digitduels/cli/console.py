"""The lines a person reads and types: on a terminal, through pipes, in any encoding."""

from __future__ import annotations

import codecs
import io
import sys
import textwrap
from contextlib import suppress

from digitduels.text import clean

WIDTH = 80  # of a line that is wrapped
LONGEST = 1000  # characters of an answer; the rest of its line is read and dropped

_PLAIN = {"×": "x", "÷": "/", "−": "-", "–": "-", "…": "...", "’": "'", "▲": "^", "▼": "v"}


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """What is printed for characters that the terminal does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(char, "?") for char in error.object[error.start : error.end]), error.end


codecs.register_error("digitduels-plain", _plainly)


def wrap(text: str, indent: str = "") -> list[str]:
    """A text in lines that are not too long; all but the first are indented further."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    "[-4:], break_on_hyphens=False
    )


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
        if self.interactive:
            with suppress(ImportError):  # line editing, where there is any
                import readline  # noqa: F401

    def say(self, *lines: str) -> None:
        for line in lines:
            print(line)
        sys.stdout.flush()

    def ask(self, prompt: str) -> str:
        """What a person answers; raises EOFError when there is nobody left to answer."""
        try:
            return self._type(prompt) if self.interactive else self._pipe(prompt)
        except (EOFError, KeyboardInterrupt):
            self.say("")  # the question keeps its line to itself
            raise

    def _type(self, prompt: str) -> str:
        *lines, last = prompt.split("\n")
        self.say(*lines)
        return input(last)[:LONGEST]

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
