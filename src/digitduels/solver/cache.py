"""The cache of solved tables on disk: written atomically, checked on loading, shared by processes.

A file consists of a magic line, the length and the checksum of its header, the header (JSON), and the arrays, which are
memory-mapped. Loading a file never executes anything from it.

A table depends on the rules, not on their wording. On loading, its maps and endings are compared with the rules. If
they differ, the game is solved again.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
import warnings
from array import array
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels import files
from digitduels.games import AnyGame
from digitduels.games import game as game_of
from digitduels.solver.compiled import LOST, OUTSIDE, Compiled, DoesNotFactor, Maps, pool_shape
from digitduels.solver.factoring import check
from digitduels.solver.lookup import Scale
from digitduels.solver.tables import Tables, prepare, same_endings
from digitduels.solver.unknown import columns_of
from digitduels.text import clean

MAGIC = b"digitduels table 3\n"
EARLIER = b"digitduels table 1\n", b"digitduels table 2\n"
_LARGEST_HEADER = 1 << 20
_START = len(MAGIC) + 8 + 32
_ALIGN = 64
CHANCE_FILES = ".chances"  # the suffix of the files that players add to a table; see players/error_tables.py
_LONGEST_DESCRIPTION = 300  # characters
_ABANDONED = 3600  # seconds after which an unfinished file counts as abandoned


class Unusable(Exception):
    """A file is not a table, is damaged, or was made with different rules."""


class Outdated(Unusable):
    """A table is from an earlier edition, and will be replaced without a warning."""


def folder() -> Path:
    """The folder of the cache, which may not exist yet."""
    return files.cache_folder() / "tables"


def path_of(game: AnyGame) -> Path:
    """The path of the cached table of a game."""
    options = hashlib.sha256(json.dumps(game.values, sort_keys=True).encode()).hexdigest()
    return folder() / f"{game.id}-{options[:16]}.table"


def load(game: AnyGame) -> Tables | None:
    """Loads the solution of a game from the cache, or returns None. Warns if there is a file that it cannot use."""
    path = path_of(game)
    try:
        return _read(path, game) if os.path.isfile(path) else None
    except Outdated:
        return None
    except (Unusable, OSError) as error:
        warnings.warn(f"Solving {game.title} again, because its cached table cannot be used: {error}", stacklevel=3)
        return None


def keep(solution: Tables) -> None:
    """Writes a solution to the cache. Warns if that fails."""
    path = path_of(solution.game)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep()
        _write(path, solution)
    except (Unusable, OSError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        warnings.warn(f"The table of {solution.game.title} could not be cached: {reason}", stacklevel=3)


def kept() -> list[Path]:
    """The paths of all cached tables."""
    return sorted(folder().glob("*.table"))


def clear() -> list[int]:
    """Deletes all cached tables and abandoned files, and returns their sizes."""
    sizes = []
    names = (name for kind in (".table", CHANCE_FILES) for name in (f"*{kind}", f".*{kind}.*"))
    for path in sorted(path for name in names for path in folder().glob(name)):
        if path.is_symlink() or not path.is_dir():
            sizes.append(path.lstat().st_size)
            path.unlink()
    return sizes


def describe(path: Path) -> str:
    """Describes the contents of a file in one line; raises Unusable."""
    header, _ = _header(path)
    options = ", ".join(f"{name}={value}" for name, value in header["options"].items())
    return clean(f"{header['game']} with {options}", _LONGEST_DESCRIPTION)


def verify(path: Path) -> None:
    """Compares a whole file with its checksums; raises Unusable if they differ."""
    header, data = _header(path)
    try:
        game = game_of(header["game"], **header["options"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unusable("its game is not installed or has different options") from error
    if path.name != path_of(game).name:
        raise Unusable("it belongs to another game")
    _read(path, game)
    _array(header, data, "codes", check=True)


# Writing


def _write(path: Path, solution: Tables) -> None:
    compiled = solution.compiled
    columns = columns_of(compiled.hands)
    if columns is None:
        raise Unusable("its hands are not made of integers")
    hands = np.array(columns, np.int64).T
    arrays: dict[str, npt.NDArray[Any]] = {
        "hands": hands,
        "own": compiled.own,
        "other": compiled.other,
        "takes": compiled.takes,
        "rank": compiled.rank,
        "stuck": compiled.stuck,
        "codes": solution.codes,
    }
    if compiled.depth is not None:
        arrays["depth"] = compiled.depth
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    header = json.dumps(
        {
            "game": solution.game.id,
            "options": solution.game.values,
            "scale": list(solution.scale),
            "copies": compiled.copies,
            "arrays": {
                name: {
                    "dtype": array.dtype.str,
                    "shape": array.shape,
                    "sha256": hashlib.sha256(array.reshape(-1).view(np.uint8).data).hexdigest(),
                }
                for name, array in arrays.items()
            },
        }
    ).encode()
    with files.writing(path, follow_links=False) as file:
        checksum = hashlib.sha256(header).digest()
        file.write(MAGIC + len(header).to_bytes(8, "little") + checksum + header)
        for array in arrays.values():
            file.write(bytes(-file.tell() % _ALIGN))
            file.write(array.reshape(-1).view(np.uint8).data)


def _sweep() -> None:
    """Deletes temporary files that killed programs left behind. Recent ones may still be in use."""
    for path in folder().glob(".*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED:
                path.unlink()


# Reading


def _header(path: Path) -> tuple[dict[str, Any], npt.NDArray[np.uint8]]:
    """The header of a file and its memory-mapped contents; raises Unusable if they do not match."""
    if not path.is_file() or path.stat().st_size < _START:
        raise Unusable("it is not a table")
    data = np.memmap(path, np.uint8, "r")
    begin = data[:_START].tobytes()
    if begin.startswith(EARLIER):
        raise Outdated("it is from an earlier edition; solving the game again replaces it")
    length = int.from_bytes(begin[len(MAGIC) : -32], "little")
    if not begin.startswith(MAGIC) or length > min(len(data), _LARGEST_HEADER):
        raise Unusable("it is not a table, or has another version")
    text = data[_START : _START + length].tobytes()
    if hashlib.sha256(text).digest() != begin[-32:]:
        raise Unusable("its header is damaged")
    try:
        header = json.loads(text)
        if not isinstance(header["game"], str) or not isinstance(header["options"], dict):
            raise ValueError("a table names its game and the options")
        at = _START + length
        for entry in header["arrays"].values():
            kind = np.dtype(entry["dtype"])
            entry["at"] = at = at + -at % _ALIGN
            entry["end"] = at = at + kind.itemsize * math.prod(entry["shape"])
            if kind.kind not in "iu":
                raise ValueError("arrays hold integers")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unusable("its header cannot be read") from error
    if at != len(data):
        raise Unusable("it is truncated" if at > len(data) else "it is longer than it should be")
    return header, data


def _array(header: dict[str, Any], data: npt.NDArray[np.uint8], name: str, check: bool) -> npt.NDArray[Any]:
    """An array of a file, optionally compared with its checksum; raises Unusable."""
    entry = header["arrays"][name]
    content: npt.NDArray[Any] = data[entry["at"] : entry["end"]]
    if check and hashlib.sha256(content.data).hexdigest() != entry["sha256"]:
        raise Unusable(f"its {name} are damaged")
    # A plain array, because every lookup in a memmap is slower.
    return np.asarray(content.view(entry["dtype"]).reshape(entry["shape"]))


def _read(path: Path, game: AnyGame) -> Tables:
    header, data = _header(path)
    try:
        if (header["game"], header["options"]) != (game.id, game.values):
            raise Unusable("it belongs to another game")
        # The codes are most of the file; reading them all here would take longer than everything else.
        arrays = {name: _array(header, data, name, check=name != "codes") for name in header["arrays"]}
        compiled = Compiled(
            game=game,
            hands=_hands(arrays["hands"], game),
            maps=Maps(
                own=[array("i", row) for row in arrays["own"].tolist()],
                other=[array("i", row) for row in arrays["other"].tolist()],
                takes=list(map(tuple, arrays["takes"].tolist())),
                rank=array("i", arrays["rank"].tolist()),
                stuck=array("i", arrays["stuck"].tolist()),
                depth=array("i", arrays["depth"].tolist()) if "depth" in arrays else None,
            ),
            copies=header["copies"],
        )
        scale = Scale(*header["scale"])
        _check_ranges(compiled, scale)
        if not set(game.start().hands) <= set(compiled.hands):
            raise Unusable("its hands are not those of the game")
        if len(arrays["codes"]) != compiled.positions or arrays["codes"].dtype != scale.dtype:
            raise Unusable("it has the wrong size")
        table = Tables(compiled, arrays["codes"], scale)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, StopIteration) as error:
        raise Unusable("its header and its arrays do not fit together") from error
    if not _has_the_rules_of_today(table):
        raise Unusable("it was made with different rules")
    return table


def _check_ranges(compiled: Compiled, scale: Scale) -> None:
    """Raises Unusable if a number is out of range. The kernels do not check bounds."""
    moves, hands = len(compiled.game.moves), len(compiled.hands)
    digits, copies, depth = compiled.takes.shape[-1], compiled.copies, compiled.depth
    sound = (
        type(copies) is int
        and copies >= 0
        and len(set(compiled.hands)) == hands > 0
        and _is_within(compiled.own, (moves, hands), OUTSIDE, hands - 1)
        and _is_within(compiled.other, (moves, hands), 0, hands - 1)
        and _is_within(compiled.takes, (moves, digits), 0, copies)
        and _is_within(compiled.rank, (hands,), 0, hands)
        and _is_within(compiled.stuck, (hands,), LOST, 0)
        and (depth is None or _is_within(depth, (hands,), 0, hands))
        and scale in (Scale.of(longest, draws) for longest in (0, 1 << 8) for draws in (False, True))
    )
    if not sound:
        raise Unusable("its numbers are out of range")


def _is_within(array: npt.NDArray[Any], shape: tuple[int, ...], low: int, high: int) -> bool:
    """Whether an array has this shape, and all its numbers are from `low` to `high`."""
    return array.shape == shape and (array.size == 0 or bool(low <= array.min() and array.max() <= high))


def _has_the_rules_of_today(table: Tables) -> bool:
    """Whether the maps and the endings of a table are those of its game."""
    game, compiled = table.game, table.compiled
    outside = (compiled.own == OUTSIDE).any(axis=0)
    last = np.zeros_like(outside) if compiled.depth is None else compiled.depth == game.longest
    if (compiled.copies, compiled.digits) != pool_shape(game) or (outside != last).any():
        return False
    try:
        check(compiled)
        plan = prepare(compiled)
    except DoesNotFactor:
        return False
    return plan.scale == table.scale and same_endings(plan, table.codes)


def _hands(numbers: npt.NDArray[np.int64], game: AnyGame) -> list[Any]:
    """Deserializes hands from their integers. They have the structure of the hand at the start."""
    columns = iter(numbers.T.tolist())

    def shaped(example: Any) -> list[Any]:
        if not isinstance(example, tuple):
            return next(columns)
        parts = [shaped(part) for part in example]
        return list(map(type(example), *parts)) if hasattr(example, "_fields") else list(zip(*parts, strict=True))

    return shaped(game.start().mine)
