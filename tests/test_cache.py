"""Solved tables on disk: whatever happens to the files, the answers are right, and at most one line is said."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import digitduels as dd
from conftest import PATIENCE
from digitduels.games import AnyGame
from digitduels.solver import Reference, cache
from digitduels.solver.tables import Tables

SOLVE = """
import sys, digitduels as dd
game = dd.game("number-duel", highest=6, target=30)
print("ready", flush=True)
sys.stdin.readline()
solution = dd.solve(game)
print(type(solution).__name__, tuple(solution.start), *solution.best(game.start()))
"""
GAME = dd.game("number-duel", highest=6, target=30)
SMALL = dd.game("number-duel", highest=3, target=8)
EXAMPLES = [
    SMALL,
    dd.game("equation-duel", highest=5),
    dd.game("number-quest", highest=3, tie="draw"),
    dd.game("numerical-nexus", target=10, uses=(1, 1, 1, 1, 0, 1)),
]

Damage = Callable[[Path], Any]


def solved(game: AnyGame) -> tuple[dd.solver.Solution, list[str]]:
    """The solution of a game, and what was said meanwhile."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        solution = dd.solve(game)
    return solution, [str(warning.message) for warning in said]


def assert_right(solution: dd.solver.Solution) -> None:
    """Every position that the table holds is judged as by solving it anew."""
    fresh = dd.solve(solution.game, cache=False)
    assert isinstance(solution, Tables)
    assert isinstance(fresh, Tables)
    assert solution.compiled.hands == fresh.compiled.hands
    assert solution.scale == fresh.scale
    assert (solution.codes == fresh.codes).all()
    if len(fresh.codes) < 100_000:
        assert solution.start == Reference(solution.game).start


def run(program: str, *, before: list[str] | None = None, **options: Any) -> subprocess.Popen[str]:
    """A Python program in a process of its own, under the cache directory of the test."""
    return subprocess.Popen(
        [*(before or []), sys.executable, "-W", "always", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# A table that is kept


@pytest.mark.parametrize("game", EXAMPLES, ids=lambda game: game.id)
def test_a_kept_table_gives_the_same_verdicts_as_solving(home: Path, game: AnyGame) -> None:
    first, said = solved(game)
    again, said_again = solved(game)
    assert (said, said_again) == ([], [])
    assert isinstance(again, Tables)
    assert isinstance(again.codes.base, np.memmap)
    assert not again.codes.flags.writeable
    assert_right(first)
    assert_right(again)
    assert again.counts() == first.counts()
    state = game.start()
    while first.each(state):
        assert again.each(state) == first.each(state)
        state = game.play(state, first.each(state)[-1][0])


def test_each_variant_has_a_table_of_its_own(home: Path) -> None:
    games = [dd.game("number-duel", highest=3, target=8, tie=tie) for tie in ("draw", "last-mover-wins")]
    games += [SMALL, dd.game("number-duel", highest=3, target=9), dd.game("number-quest", highest=3, target=8)]
    for _ in range(2):
        for game in games:
            solution, said = solved(game)
            assert said == []
            assert_right(solution)
    assert len({cache.path_of(game) for game in games}) == len(cache.kept()) == len(games)
    for path in cache.kept():
        cache.verify(path)


def test_without_the_cache_nothing_is_read_or_written(home: Path) -> None:
    dd.solve(SMALL, cache=False)
    assert not cache.folder().exists()


# A file that is not what it should be


def header_changed(change: Callable[[dict[str, Any]], Any]) -> Damage:
    """Damage by somebody who changes the header and gets its checksum right."""

    def damage(path: Path) -> None:
        data = path.read_bytes()
        start = len(cache.MAGIC) + 40
        end = start + int.from_bytes(data[len(cache.MAGIC) : start - 32], "little")
        header = json.loads(data[start:end])
        text = json.dumps(change(header) or header).encode().ljust(end - start)
        length, digest = len(text).to_bytes(8, "little"), hashlib.sha256(text).digest()
        path.write_bytes(cache.MAGIC + length + digest + text + data[end:])

    return damage


def moved_from(game: AnyGame) -> Damage:
    """A good file of another game under this name."""

    def damage(path: Path) -> None:
        dd.solve(game)
        cache.path_of(game).rename(path)

    return damage


def flipped(data: bytes, place: int, bit: int = 1) -> bytes:
    return data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]


DAMAGES: dict[str, Damage] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut in the first line": lambda path: os.truncate(path, 10),
    "cut in the header": lambda path: os.truncate(path, 200),
    "cut in the arrays": lambda path: os.truncate(path, path.stat().st_size - 100),
    "cut by one byte": lambda path: os.truncate(path, path.stat().st_size - 1),
    "one byte too long": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "all zero": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "no table": lambda path: path.write_bytes(random.Random(1).randbytes(10_000)),
    "text": lambda path: path.write_text("This is not a table. " * 50),
    "another version": lambda path: path.write_bytes(path.read_bytes().replace(cache.MAGIC, b"digitduels table 0\n")),
    "an endless header": lambda path: path.write_bytes(flipped(path.read_bytes(), len(cache.MAGIC) + 7, 0x80)),
    "a damaged header": lambda path: path.write_bytes(flipped(path.read_bytes(), len(cache.MAGIC) + 90)),
    "another game": moved_from(dd.game("number-quest", highest=2, target=8)),
    "another variant": moved_from(dd.game("number-duel", highest=3, target=7)),
    "no game": header_changed(lambda header: header.update(game="chess")),
    "a header of nothing": header_changed(lambda _: {"arrays": {}}),
    "a header that is a list": header_changed(lambda _: [1, 2]),
    "old rules": header_changed(lambda header: header.update(rules="0" * 64)),
    "no scale": header_changed(lambda header: header.update(scale=[])),
    "fewer copies": header_changed(lambda header: header.update(copies=1)),
    "strange copies": header_changed(lambda header: header.update(copies="x")),
    "no codes": header_changed(lambda header: header["arrays"].pop("codes") and None),
    "strange shapes": header_changed(lambda header: header["arrays"]["own"].update(shape=[-1, -6])),
    "no numbers": header_changed(lambda header: header["arrays"]["hands"].update(dtype="|O8")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_cannot_be_used_is_solved_anew_with_one_line(home: Path, damage: str) -> None:
    dd.solve(SMALL)
    DAMAGES[damage](cache.path_of(SMALL))
    with pytest.raises(cache.Unusable):
        cache.verify(cache.path_of(SMALL))
    solution, said = solved(SMALL)
    assert len(said) == 1
    assert said[0].startswith("The kept table of Number Duel is solved anew: ")
    assert "\n" not in said[0]
    assert_right(solution)
    mended, said = solved(SMALL)
    assert said == []
    assert_right(mended)
    cache.verify(cache.path_of(SMALL))


def test_a_flipped_bit_is_found_wherever_it_is(home: Path) -> None:
    good = dd.solve(SMALL)
    assert isinstance(good, Tables)
    path = cache.path_of(SMALL)
    data = path.read_bytes()
    header, _ = cache._header(path)
    codes = range(header["arrays"]["codes"]["at"], header["arrays"]["codes"]["end"])
    chance = random.Random(4)
    for place in [*chance.sample(range(codes.start), 150), *chance.sample(codes, 20)]:
        path.write_bytes(flipped(data, place, 1 << chance.randrange(8)))
        try:
            cache.verify(path)
        except cache.Unusable:
            if place in codes:
                continue
            with pytest.warns(UserWarning, match="solved anew"):
                assert cache.load(SMALL) is None
        else:
            assert data[place] == 0, "only what stands between the arrays may be anything"
            loaded = cache.load(SMALL)
            assert loaded is not None
            assert (loaded.codes == good.codes).all()


def test_a_table_made_with_other_rules_is_solved_anew(home: Path) -> None:
    rules = """
from digitduels.games.number_duel import NumberDuel

class ShortDuel(NumberDuel):
    def after(self, state, move):
        after = super().after(state, move)
        return after if move.number != 3 else state.then(LANDING, state.theirs, after.table)
"""
    program = """
import sys, digitduels as dd
from digitduels.solver import Reference
from short_duel import ShortDuel
game = ShortDuel(target=12, highest=3)
print(dd.solve(game).start == Reference(game).start, dd.solve(game).each(game.start()))
"""
    said, told = [], []
    for landing in ("5", "5", "12"):
        (home / "short_duel.py").write_text(rules.replace("LANDING", landing))
        process = run(program, env={**os.environ, "PYTHONPATH": str(home), "PYTHONDONTWRITEBYTECODE": "1"})
        output, errors = process.communicate(timeout=PATIENCE)
        assert output.startswith("True"), errors
        told.append(output)
        said.append(errors.count("UserWarning: The kept table of Short Duel is solved anew: it was made with other"))
    assert said == [0, 0, 1]
    assert told[0] == told[1] != told[2]


# A directory that is not what it should be


@pytest.mark.parametrize("place", ["table", "folder", "cache"])
def test_something_else_in_the_place_of_the_cache_only_loses_the_caching(home: Path, place: str) -> None:
    if place == "table":
        cache.path_of(SMALL).mkdir(parents=True)
    elif place == "folder":
        cache.folder().parent.mkdir(parents=True)
        cache.folder().write_text("a file")
    else:
        (home / "cache").rmdir()
        (home / "cache").write_text("a file")
    for _ in range(2):
        solution, said = solved(SMALL)
        assert len(said) == 1
        assert said[0].startswith("The table of Number Duel could not be kept: ")
        assert_right(solution)


def mounted(options: str) -> list[str]:
    """What to put before a command so that it has a small disk of its own at XDG_CACHE_HOME."""
    script = f'mount -t tmpfs -o {options} tmpfs "$XDG_CACHE_HOME" && exec "$@"'
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    environment = {**os.environ, "XDG_CACHE_HOME": "/tmp"}
    tried = subprocess.run([*mounted("size=64k"), "true"], env=environment, timeout=PATIENCE, check=False)
    return tried.returncode == 0


LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"


@pytest.mark.parametrize("lack", ["limit", *(["size=64k", "size=64k,ro"] if can_mount() else [])])
def test_a_full_or_read_only_disk_only_loses_the_caching(home: Path, lack: str) -> None:
    process = run(LIMITED + SOLVE if lack == "limit" else SOLVE, before=None if lack == "limit" else mounted(lack))
    output, errors = process.communicate("\n")
    assert output.splitlines()[1:] == [right_answer()]
    assert errors.count("Warning") == errors.count("UserWarning: The table of Number Duel could not be kept: ") == 1
    # Not even the beginning of a file is left.
    assert not cache.folder().exists() or names(cache.folder()) == []


def right_answer() -> str:
    solution = dd.solve(GAME, cache=False)
    return " ".join(map(str, ["Tables", tuple(solution.start), *solution.best(GAME.start())]))


# Several processes, and processes that come to a sudden end


def test_processes_that_solve_the_same_game_at_once_all_get_it_right(home: Path) -> None:
    processes = [run(SOLVE) for _ in range(2)]
    expected = right_answer() + "\n"
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        assert process.communicate(timeout=PATIENCE) == (expected, "")
    assert names(cache.folder()) == [cache.path_of(GAME).name]
    cache.verify(cache.path_of(GAME))
    solution, said = solved(GAME)
    assert said == []
    assert_right(solution)


def test_a_table_stays_good_while_others_replace_or_delete_its_file(home: Path) -> None:
    dd.solve(SMALL)
    mapped = dd.solve(SMALL)
    assert isinstance(mapped, Tables)
    cache.keep(mapped)
    cache.path_of(SMALL).unlink()
    assert_right(mapped)


def test_a_process_killed_while_it_writes_never_leaves_a_wrong_table(home: Path) -> None:
    dd.solve(GAME)
    path = cache.path_of(GAME)
    good = path.read_bytes()
    keeping = """
import digitduels as dd
from digitduels.solver import cache
solution = cache.load(dd.game("number-duel", highest=6, target=30))
print("ready", flush=True)
while True:
    cache.path_of(solution.game).unlink(missing_ok=True)
    cache.keep(solution)
"""
    chance = random.Random()
    for _ in range(8):
        path.write_bytes(good)
        process = run(keeping)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.random() / 10)
        process.kill()
        process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL
        assert not path.exists() or path.read_bytes() == good
    assert all(path.name in name for name in names(cache.folder()))
    solution, said = solved(GAME)
    assert said == []
    assert_right(solution)


def test_what_killed_processes_leave_is_deleted_after_an_hour(home: Path) -> None:
    dd.solve(SMALL)
    name = cache.path_of(SMALL).name
    fresh, stale = (cache.folder() / f".{name}.{end}" for end in ("fresh", "stale"))
    for path in (fresh, stale):
        path.write_bytes(b"half a tab")
    os.utime(stale, (time.time() - 4000,) * 2)
    dd.solve(GAME)
    assert names(cache.folder()) == sorted([fresh.name, name, cache.path_of(GAME).name])


@pytest.mark.parametrize("stage", ["solving", "checking"])
def test_an_interrupted_solve_stops_and_leaves_no_file(home: Path, stage: str) -> None:
    process = run(
        """
import digitduels as dd
dd.solve(dd.game("number-duel", target=60), progress=lambda stage, done: print(stage, flush=True))
"""
    )
    assert process.stdout is not None
    while process.stdout.readline() != f"{stage}\n":
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == -signal.SIGINT
    assert errors.rstrip().endswith("\nKeyboardInterrupt")
    assert errors.count("Traceback") == 1
    assert not cache.folder().exists()
