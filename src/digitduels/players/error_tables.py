"""Tables of the chances of errors, from which the vectorised environments read the moves of perfect play.

They are cached on disk. A file begins with a digest of everything that the table depends on, and one of the table.
"""

from __future__ import annotations

import hashlib
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from digitduels import files
from digitduels.players.backward import error_steps
from digitduels.players.levels import LEVELS_VERSION, tuning
from digitduels.players.perfect import FALLIBLE, REPLIES
from digitduels.players.policy import CHANCE_STEPS
from digitduels.solver import cache
from digitduels.solver.tables import Tables

_DIGEST = hashlib.sha256().digest_size  # bytes


@lru_cache(2)
def error_table(solution: Tables) -> npt.NDArray[np.uint8]:
    """[position]: the chance of the error that perfect play hopes for, in CHANCE_STEPS."""
    path, key = cache.path_of(solution.game).with_suffix(cache.CHANCE_FILES), _key(solution)
    chances = _read(path, key, len(solution.codes))
    if chances is None:
        chances = error_steps(solution)
        try:
            _write(path, key, chances)
        except OSError as problem:
            warnings.warn(f"The chances of {solution.game.title} could not be cached: {problem.strerror}", stacklevel=3)
    return chances


def _read(path: Path, key: bytes, size: int) -> npt.NDArray[np.uint8] | None:
    """Reads the chances from a file; None if the file is missing or damaged, or has another key."""
    try:
        data = path.read_bytes() if path.is_file() else b""
    except OSError:
        return None
    if data[:_DIGEST] != key or len(data) != 2 * _DIGEST + size:
        return None
    chances = np.frombuffer(data, np.uint8, offset=2 * _DIGEST)
    return chances if _digest(chances) == data[_DIGEST : 2 * _DIGEST] else None


def _write(path: Path, key: bytes, chances: npt.NDArray[np.uint8]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.writing(path, follow_links=False) as file:
        file.write(key + _digest(chances))
        file.write(chances.data)


def _digest(chances: npt.NDArray[np.uint8]) -> bytes:
    return hashlib.sha256(chances.data).digest()


def _key(solution: Tables) -> bytes:
    """A digest of everything that the chances depend on: the solution, and how the levels play."""
    players = LEVELS_VERSION, tuning(solution.game).reaches, (FALLIBLE, REPLIES), CHANCE_STEPS
    digest = hashlib.sha256(repr(players).encode())
    digest.update(np.ascontiguousarray(solution.codes).view(np.uint8).data)
    return digest.digest()
