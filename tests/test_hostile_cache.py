"""A cache folder in which somebody else can write: links are not followed, and no file ends in a traceback."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import digitduels as dd
from conftest import Run
from digitduels.solver import cache
from digitduels.solver.tables import Tables

GAME = dd.game("number-duel", highest=3, copies=1, target=9)


@pytest.fixture
def table(home: Path, empty_cache: Path) -> Path:
    """The path of a small cached table."""
    assert isinstance(dd.solve(GAME), Tables)
    return cache.path_of(GAME)


def rewrite(path: Path, **changes: Any) -> None:
    """Changes the header of a table and repairs the checksums."""
    data = path.read_bytes()
    start = len(cache.MAGIC) + 8 + 32
    length = int.from_bytes(data[len(cache.MAGIC) : start - 32], "little")
    header = json.loads(data[start : start + length]) | changes
    text = json.dumps(header).encode()
    arrays = data[start + length + -(start + length) % 64 :]
    begin = cache.MAGIC + len(text).to_bytes(8, "little") + hashlib.sha256(text).digest() + text
    path.write_bytes(begin + bytes(-len(begin) % 64) + arrays)


def test_a_table_replaces_a_link_and_leaves_its_target_alone(table: Path, tmp_path: Path) -> None:
    victim = tmp_path / "precious"
    victim.write_text("precious")
    table.unlink()
    table.symlink_to(victim)
    with pytest.warns(UserWarning, match="it is not a table"):
        dd.solve(GAME)
    assert victim.read_text() == "precious"
    assert not table.is_symlink()
    assert table.is_file()


def test_whatever_is_called_a_table_ends_in_no_traceback_and_is_removed(table: Path, duels: Run) -> None:
    for name, target in (("dangling", "nowhere"), ("loop", "loop.table"), ("device", os.devnull)):
        table.with_name(f"{name}.table").symlink_to(target)
    folder = table.with_name("folder.table")
    folder.mkdir()
    os.mkfifo(table.with_name("pipe.table"))
    for more in ([], ["verify"], ["clear"]):
        ran = duels("cache", *more)
        assert ran.returncode in (0, 4), ran.stderr
        assert "Traceback" not in ran.stderr
    assert cache.kept() == [folder]


@pytest.mark.parametrize(
    "changes",
    [
        {"options": ["target", 9]},
        {"options": "\x1b[2J"},
        {"options": None},
        {"game": 7},
        {"game": ["number-duel"]},
        {"scale": {}},
        {"copies": "many"},
        {"arrays": []},
        {"arrays": {"hands": {"dtype": "<i8", "shape": [-1], "sha256": ""}}},
    ],
    ids=str,
)
def test_a_forged_header_is_refused_with_a_sentence(table: Path, duels: Run, changes: dict[str, Any]) -> None:
    rewrite(table, **changes)
    for more in ([], ["verify"]):
        ran = duels("cache", *more)
        assert ran.returncode in (0, 4)
        assert "Traceback" not in ran.stderr
        assert "\x1b" not in ran.stdout + ran.stderr
    assert "cannot be used" in duels("cache", "verify").stdout


def test_escape_codes_of_a_forged_header_and_file_name_are_not_printed(table: Path, duels: Run) -> None:
    rewrite(table, options={"\x1b[2J": "\x1b]0;x\x07"})
    os.rename(table, table.with_name("\x1b[31m.table"))
    ran = duels("cache")
    assert "\x1b" not in ran.stdout
    assert "\x07" not in ran.stdout


def test_random_hands_are_refused(table: Path, duels: Run) -> None:
    solution = cache.load(GAME)
    assert solution is not None
    hands = np.random.default_rng(1).integers(1000, 10**6, (len(solution.compiled.hands), 1))
    cache_entry = {"dtype": "<i8", "shape": list(hands.shape), "sha256": hashlib.sha256(hands.tobytes()).hexdigest()}
    data = table.read_bytes()
    start = len(cache.MAGIC) + 40
    length = int.from_bytes(data[len(cache.MAGIC) : len(cache.MAGIC) + 8], "little")
    arrays = json.loads(data[start : start + length])["arrays"]
    at = data.index(np.array(solution.compiled.hands, np.int64).tobytes(), start + length)
    table.write_bytes(data[:at] + hands.tobytes() + data[at + hands.nbytes :])
    rewrite(table, arrays=arrays | {"hands": cache_entry})
    with pytest.warns(UserWarning, match="cannot be used"):
        assert cache.load(GAME) is None
    assert "Traceback" not in duels("cache", "verify").stderr
