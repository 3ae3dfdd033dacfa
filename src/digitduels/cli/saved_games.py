"""Saved games: one record per game, in the user's state directory."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from digitduels import files
from digitduels.match import Match
from digitduels.record import LARGEST, dump
from digitduels.sentence import Count, Sentence, tell

RECENT = 6  # days after which a game is old
_NAME = re.compile(r"[a-z0-9-]+-[0-9]+")


def folder() -> Path:
    """The folder of the saved games. It may not exist."""
    return files.state_folder() / "games"


def names() -> list[str]:
    """The names of the saved games, the most recent first; raises OSError if the folder cannot be read."""
    try:
        paths = [path for path in folder().iterdir() if path.suffix == ".json" and _NAME.fullmatch(path.stem)]
    except FileNotFoundError:
        paths = []
    dated = []
    for path in paths:
        with suppress(OSError):  # deleted in the meantime
            dated.append((path.stat().st_mtime_ns, path.stem))
    return [name for _, name in sorted(dated, reverse=True)]


def is_name(text: str) -> bool:
    """Whether a text looks like the name of a saved game."""
    return _NAME.fullmatch(text) is not None


def path_of(name: str) -> Path:
    """The file of a saved game; raises ValueError if the name is invalid."""
    if not is_name(name):
        raise ValueError
    return folder() / f"{name}.json"


def modified(path: Path) -> datetime:
    """When a game was last played, in local time."""
    return datetime.fromtimestamp(path.stat().st_mtime)


def describe(match: Match, when: datetime, now: datetime | None = None) -> str:
    """A saved game in a few words, to the person who played it: "you against Level 2, yesterday, your move"."""
    person = match.person
    seats = (0, 1) if person is None else (person, 1 - person)
    players = Sentence("{player:whom} against {other:whom}", player=seats[0])
    outcome = match.outcome
    if outcome is None:
        status = Sentence("{player:whose} move", player=match.state.player)
    elif outcome.winner is None:
        status = Sentence("a draw")
    else:
        status = Sentence("{player:whom} won", player=outcome.winner)
    moves = str(Count(len(match.moves), "move"))
    parts = (players, day(when, now or datetime.now()), moves, status)
    return ", ".join(tell(part, match.names, person) for part in parts)


def day(when: datetime, now: datetime) -> str:
    """A date as people say it.

    >>> [day(datetime(2026, 3, date), datetime(2026, 3, 9)) for date in (9, 8, 4, 1)]
    ['today', 'yesterday', '5 days ago', '1 March 2026']
    """
    days = (now.date() - when.date()).days
    if days > RECENT:
        return f"{when.day} {when:%B %Y}"
    return {0: "today", 1: "yesterday"}.get(max(days, 0), f"{days} days ago")


class Save:
    """The file in which a match is saved. It is created with the first move, so that no empty game is saved."""

    def __init__(self, path: Path | None = None, data: bytes = b"") -> None:
        self.path = path
        self._data = data  # the expected content of the file
        self.theirs = bool(data) and path is not None and path.parent != folder()
        """Whether it is a user's own file, which is written but never deleted."""

    @property
    def name(self) -> str:
        """The game's name for the command line."""
        assert self.path is not None
        return self.path.stem if self.path.parent == folder() else shlex.quote(str(self.path))

    def keep(self, match: Match) -> None:
        """Saves the match; raises OSError if that fails.

        If another program has changed the file, it is left alone and the match moves to a new file.
        """
        if self.path is None or self._changed():
            self.path, self._data = _claim(match.game.id), b""
        data = dump(match)
        files.write(self.path, data)
        self._data = data

    def discard(self) -> None:
        """Deletes the file unless another program has changed it; raises OSError if that fails."""
        if self.path is not None and not self._changed():
            self.path.unlink(missing_ok=True)
            self._data = b""

    def _changed(self) -> bool:
        assert self.path is not None
        try:
            return files.read(self.path, LARGEST) != self._data
        except FileNotFoundError:
            return False


def _claim(game: str) -> Path:
    """Creates an empty file for a game, exclusively for this process."""
    folder().mkdir(parents=True, exist_ok=True)
    for number in _numbers(game):
        path = folder() / f"{game}-{number}.json"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except FileExistsError:
            continue
        return path
    raise AssertionError("there is always another number")


def _numbers(game: str) -> Iterator[int]:
    taken = [int(name.rpartition("-")[2][:9]) for name in names() if name.rpartition("-")[0] == game]
    number = max(taken, default=0)
    while True:
        number += 1
        yield number
