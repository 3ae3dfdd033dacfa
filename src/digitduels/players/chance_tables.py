"""The table of chances from which fast programs read the choice of perfect play, built once and cached on disk.

A file begins with a digest of everything that the table depends on, and one of the table itself.
"""

from __future__ import annotations

import hashlib
import warnings
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from digitduels import files
from digitduels.players.levels import LEVELS_VERSION, tuning
from digitduels.players.perfect import CHANCE_STEPS
from digitduels.players.propagation import error_steps
from digitduels.players.sheet import HOPE
from digitduels.solver import cache
from digitduels.solver.tables import Tables


@lru_cache(2)
def chance_table(solution: Tables) -> npt.NDArray[np.uint8]:
    """[position]: how likely the player to move makes the mistake that perfect play hopes for, in CHANCE_STEPS."""
    path, key = cache.path_of(solution.game).with_suffix(cache.CHANCE_FILES), _key(solution)
    try:
        data = path.read_bytes() if path.is_file() else b""
    except OSError:
        data = b""
    if data[:32] == key and len(data) == 64 + len(solution.codes):
        found = np.frombuffer(data, np.uint8, offset=64)
        if hashlib.sha256(found.data).digest() == data[32:64]:
            return found
    found = error_steps(solution)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.writing(path) as file:
            file.write(key + hashlib.sha256(found.data).digest())
            file.write(found.data)
    except OSError as error:
        warnings.warn(f"The chances of {solution.game.title} could not be cached: {error.strerror}", stacklevel=3)
    return found


def _key(solution: Tables) -> bytes:
    """A digest of what the chances depend on: the solution, and how the levels play."""
    players = LEVELS_VERSION, tuning(solution.game).reaches, HOPE, CHANCE_STEPS
    digest = hashlib.sha256(repr(players).encode())
    digest.update(np.ascontiguousarray(solution.codes).view(np.uint8).data)
    return digest.digest()
