"""Why a command fails: its exit code and the sentence it prints."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from digitduels.text import clean

FAILURE, USAGE, ILLEGAL_MOVE, FILE, LIMIT, INTERRUPTED = 1, 2, 3, 4, 5, 130


class Failure(Exception):
    """A command cannot be carried out. It carries the exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def usage(message: str) -> NoReturn:
    """Refuses a command line."""
    raise Failure(USAGE, message)


def quoted_path(path: Path | str) -> str:
    """A path that can safely be part of a sentence."""
    return f"'{clean(str(path), 500)}'"
