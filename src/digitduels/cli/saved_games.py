"""Where games are kept while they are played: one record a game, in the user's state directory."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from digitduels import files
from digitduels.match import Match
from digitduels.record import LARGEST, dump

_NAME = re.compile(r"[a-z0-9-]+-[0-9]+")


def folder() -> Path:
    """The folder of the saved games; it need not exist."""
    import platformdirs

    return Path(platformdirs.user_state_dir("digitduels", appauthor=False)) / "games"


def names() -> list[str]:
    """The names of the saved games, the one played last first; raises OSError if the folder cannot be read."""
    try:
        paths = [path for path in folder().iterdir() if path.suffix == ".json" and _NAME.fullmatch(path.stem)]
    except FileNotFoundError:
        paths = []
    found = []
    for path in paths:
        with suppress(OSError):  # deleted meanwhile
            found.append((path.stat().st_mtime_ns, path.stem))
    return [name for _, name in sorted(found, reverse=True)]


def path_of(name: str) -> Path:
    """The file of a saved game, by the name that `names` gives it; raises ValueError for any other name."""
    if not _NAME.fullmatch(name):
        raise ValueError
    return folder() / f"{name}.json"


class Save:
    """The file that a match is kept in. It is created with the first move, so that no empty game is kept."""

    def __init__(self, path: Path | None = None, data: bytes = b"") -> None:
        self.path = path
        self._data = data  # what the file holds, as far as this program knows
        self.theirs = bool(data) and path is not None and path.parent != folder()
        """Whether it is a file of somebody's own, which is written but never removed."""

    @property
    def name(self) -> str:
        """What to call the game on the command line."""
        assert self.path is not None
        return self.path.stem if self.path.parent == folder() else shlex.quote(str(self.path))

    def keep(self, match: Match) -> None:
        """Writes the match down, at once; raises OSError if that fails.

        What another program wrote to the file meanwhile is left alone: the match moves to a new one.
        """
        if self.path is None or self._changed():
            self.path, self._data = _claim(match.game.id), b""
        data = dump(match)
        files.write(self.path, data)
        self._data = data

    def discard(self) -> None:
        """Removes the file, unless another program changed it; raises OSError if that fails."""
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
    """A new, empty file for a game, which no other program will take."""
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
