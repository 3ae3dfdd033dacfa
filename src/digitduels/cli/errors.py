"""Failures of commands: their exit codes and messages."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from digitduels.text import clean

FAILURE, USAGE, ILLEGAL_MOVE, FILE, LIMIT, INTERRUPTED, TERMINATED = 1, 2, 3, 4, 5, 130, 143


class Failure(Exception):
    """A command cannot be carried out. Has the exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def usage(message: str) -> NoReturn:
    """Rejects the command line as a usage error."""
    raise Failure(USAGE, message)


def reason_of(error: Exception) -> str:
    """Why a file could not be read or written, in words."""
    return getattr(error, "strerror", None) or str(error).rstrip(".")


def quoted_path(path: Path | str) -> str:
    """A path in quotes, without control characters, for messages."""
    return f"'{clean(str(path), 500)}'"
