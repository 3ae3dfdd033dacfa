"""Files that people name on the command line: records to read, and new files to write."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from digitduels import files
from digitduels.cli import saved_games
from digitduels.cli.errors import FILE, ILLEGAL_MOVE, Failure, quoted_path, reason_of
from digitduels.core import IllegalMove, InvalidMove
from digitduels.match import Match
from digitduels.record import LARGEST, RecordError, parse
from digitduels.text import did_you_mean, quoted


def record_path(name: str) -> Path:
    """The file that an argument names: a path, or the name of a saved game."""
    if os.path.lexists(name):
        return Path(name)
    if name in saved_games.names():
        return saved_games.path_of(name)
    if Path(name).name == name and not Path(name).suffix:  # more like a name than a file
        raise no_saved_game(name)
    return Path(name)


def no_saved_game(name: str) -> Failure:
    """The failure for a name that no saved game has."""
    hint = did_you_mean(name, saved_games.names(), 0.8)
    return Failure(FILE, f"There is no saved game {quoted(name)}. {hint}`duels saved` lists them.")


def add_saved_game(argument: argparse.Action) -> None:
    """Lets a shell complete the names of saved games."""
    argument.completer = lambda **_: saved_games.names()  # type: ignore[attr-defined]  # read by argcomplete


def read_record(path: Path) -> tuple[bytes, Match]:
    """Reads a record; returns its bytes and the match."""
    with record_errors(path):
        try:
            data = files.read(path, LARGEST)
        except OSError as error:
            raise Failure(FILE, f"{quoted_path(path)} cannot be read: {reason_of(error)}.") from None
        return data, parse(data)


def last_unfinished() -> tuple[Path, bytes, Match] | None:
    """The file, the record and the match of the unfinished game that was played most recently."""
    for name in saved_games.names():
        path = saved_games.path_of(name)
        with suppress(Failure):  # unreadable games are skipped
            data, match = read_record(path)
            if match.outcome is None:
                return path, data, match
    return None


def new_file(path: Path) -> Path:
    """Checks that a file is new or empty and can be written."""
    with write_errors(path):
        ordinary_file(path)
        with path.open("ab") as file:
            if file.tell():
                exists = "already exists. Resume it with `duels resume`, or choose another name."
                raise Failure(FILE, f"{quoted_path(path)} {exists}")
    return path


def ordinary_file(path: Path) -> None:
    """Rejects folders and devices."""
    if path.exists() and not path.is_file():
        raise Failure(FILE, f"{quoted_path(path)} cannot be written: it is not a regular file.")


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turns an OSError while writing a file into a Failure."""
    try:
        yield
    except OSError as error:
        raise Failure(FILE, f"{quoted_path(path)} cannot be written: {reason_of(error)}.") from None


@contextmanager
def record_errors(path: Path) -> Iterator[None]:
    """Turns the errors of an invalid record into a Failure."""
    try:
        yield
    except RecordError as error:
        raise Failure(FILE, f"{quoted_path(path)}: {error}") from None
    except (InvalidMove, IllegalMove) as error:
        raise Failure(ILLEGAL_MOVE, f"{quoted_path(path)}: {error}") from None
