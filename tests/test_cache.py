"""Solved tables on disk: whatever happens to the files, the verdicts are correct, with at most one warning."""

from __future__ import annotations

import hashlib
import importlib
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import digitduels as dd
from conftest import PATIENCE, ROOT
from digitduels.games import AnyGame
from digitduels.solver import Reference, cache, tables
from digitduels.solver.tables import Tables
from variants import solve

SOLVE = """
import sys, digitduels as dd
game = dd.game("number-duel", highest=5, target=20)
print("ready", flush=True)
sys.stdin.readline()
solution = dd.solve(game)
print(type(solution).__name__, tuple(solution.start), *solution.best(game.start()))
"""
SAMPLES = ROOT / "tests" / "samples"
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("empty_cache")]
GAME = dd.game("number-duel", highest=5, target=20)
SMALL = dd.game("number-duel", highest=3, target=8)
EXAMPLES = [
    SMALL,
    dd.game("equation-duel", highest=5),
    dd.game("number-quest", highest=3, tie="draw"),
    dd.game("numerical-nexus", target=10, uses=(1, 1, 1, 1, 0, 1)),
]

Damage = Callable[[Path], Any]


def solved(game: AnyGame) -> tuple[dd.solver.Solution, list[str]]:
    """The solution of a game, and the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        solution = dd.solve(game)
    return solution, [str(warning.message) for warning in said]


def assert_right(solution: dd.solver.Solution) -> None:
    """Asserts that every verdict in the table agrees with solving the game again."""
    fresh = solve(solution.game)
    assert isinstance(solution, Tables)
    assert isinstance(fresh, Tables)
    assert solution.compiled.hands == fresh.compiled.hands
    assert solution.scale == fresh.scale
    assert (solution.codes == fresh.codes).all()
    if len(fresh.codes) < 5_000:
        assert solution.start == Reference(solution.game).start


def run(program: str, *, before: list[str] | None = None, **options: Any) -> subprocess.Popen[str]:
    """Runs a Python program in its own process with the cache folder of the test."""
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


# A stored table


@pytest.mark.parametrize("game", EXAMPLES, ids=lambda game: game.id)
def test_a_stored_table_gives_the_same_verdicts_as_solving(home: Path, game: AnyGame) -> None:
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
    while judgement := first.judge(state):
        assert [*again.judge(state).items()] == [*judgement.items()]
        state = game.play(state, [*judgement][-1])


def test_each_variant_has_its_own_table(home: Path) -> None:
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


# An invalid file


def header_changed(change: Callable[[dict[str, Any]], Any]) -> Damage:
    """Damage that changes the header and updates its checksum."""

    def damage(path: Path) -> None:
        data = path.read_bytes()
        start = len(cache.MAGIC) + 40
        end = start + int.from_bytes(data[len(cache.MAGIC) : start - 32], "little")
        header = json.loads(data[start:end])
        text = json.dumps(change(header) or header).encode().ljust(end - start)
        length, digest = len(text).to_bytes(8, "little"), hashlib.sha256(text).digest()
        path.write_bytes(cache.MAGIC + length + digest + text + data[end:])

    return damage


def number_changed(name: str, number: int) -> Damage:
    """Damage that changes one number in an array and updates all checksums."""

    def damage(path: Path) -> None:
        header, _ = cache._header(path)
        entry, data = header["arrays"][name], bytearray(path.read_bytes())
        kind = np.dtype(entry["dtype"])
        index = entry["end"] - kind.itemsize
        data[index : entry["end"]] = np.array(number, kind).tobytes()
        path.write_bytes(data)
        checksum = hashlib.sha256(data[entry["at"] : entry["end"]]).hexdigest()
        header_changed(lambda changed: changed["arrays"][name].update(sha256=checksum))(path)

    return damage


def moved_from(game: AnyGame) -> Damage:
    """A valid file of another game under this name."""

    def damage(path: Path) -> None:
        dd.solve(game)
        cache.path_of(game).rename(path)

    return damage


def flipped(data: bytes, index: int, bit: int = 1) -> bytes:
    return data[:index] + bytes([data[index] ^ bit]) + data[index + 1 :]


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
    "no scale": header_changed(lambda header: header.update(scale=[])),
    "fewer copies": header_changed(lambda header: header.update(copies=1)),
    "strange copies": header_changed(lambda header: header.update(copies="x")),
    "no codes": header_changed(lambda header: header["arrays"].pop("codes") and None),
    "strange shapes": header_changed(lambda header: header["arrays"]["own"].update(shape=[-1, -6])),
    "no numbers": header_changed(lambda header: header["arrays"]["hands"].update(dtype="|O8")),
    "a hand that is none": number_changed("own", 10_000),
    "an ending that is none": number_changed("own", -6),
    "another hand that is none": number_changed("other", 10_000),
    "a negative hand": number_changed("other", -1),
    "more than the pool": number_changed("takes", 100),
    "a rank above all": number_changed("rank", 1_000_000),
    "a strange end": number_changed("stuck", 7),
    "a strange scale": header_changed(lambda header: header.update(scale=[1, 2, 255])),
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A valid file of the small game."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("sound")))
        dd.solve(SMALL)
        return cache.path_of(SMALL).read_bytes()


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_unusable_file_is_replaced_with_one_warning(table: bytes, damage: str) -> None:
    cache.folder().mkdir(parents=True)
    cache.path_of(SMALL).write_bytes(table)
    cache.verify(cache.path_of(SMALL))
    DAMAGES[damage](cache.path_of(SMALL))
    with pytest.raises(cache.Unusable):
        cache.verify(cache.path_of(SMALL))
    solution, said = solved(SMALL)
    assert len(said) == 1
    assert said[0].startswith("Solving Number Duel again, because its cached table cannot be used: ")
    assert "\n" not in said[0]
    assert_right(solution)
    mended, said = solved(SMALL)
    assert said == []
    assert_right(mended)
    cache.verify(cache.path_of(SMALL))


def test_any_flipped_bit_is_detected(home: Path) -> None:
    good = dd.solve(SMALL)
    assert isinstance(good, Tables)
    path = cache.path_of(SMALL)
    data = path.read_bytes()
    header, _ = cache._header(path)
    codes = range(header["arrays"]["codes"]["at"], header["arrays"]["codes"]["end"])
    rng = random.Random(4)
    for index in [*rng.sample(range(codes.start), 150), *rng.sample(codes, 20)]:
        path.write_bytes(flipped(data, index, 1 << rng.randrange(8)))
        try:
            cache.verify(path)
        except cache.Unusable:
            if index in codes:
                continue
            with pytest.warns(UserWarning, match="its cached table cannot be used"):
                assert cache.load(SMALL) is None
        else:
            assert data[index] == 0, "only the padding between the arrays may have any value"
            loaded = cache.load(SMALL)
            assert loaded is not None
            assert (loaded.codes == good.codes).all()


def test_a_first_edition_table_is_replaced_silently(home: Path) -> None:
    path = cache.path_of(SMALL)
    path.parent.mkdir(parents=True)
    shutil.copy(SAMPLES / "first-edition.table", path)
    with pytest.raises(cache.Unusable, match="earlier edition"):
        cache.verify(path)
    for _ in range(2):
        solution, said = solved(SMALL)
        assert said == []
        assert_right(solution)
        cache.verify(path)


# A game that changes


SHORT_DUEL = {
    "short_duel.py": """
from digitduels.core import Outcome
from digitduels.notation import MoveField
from digitduels.games.number_duel import NumberDuel
from landing import place

class ShortDuel(NumberDuel):
    \"\"\"A duel whose threes land somewhere.\"\"\"

    move_fields = (MoveField("Number? "), MoveField("Operation? "))

    def after(self, state, move):
        after = super().after(state, move)
        return after if move.number != 3 else state.then(place(), state.theirs, after.table)

    def outcome(self, state):
        outcome = super().outcome(state)
        if outcome is None:
            return None
        winner = outcome.winner if self.target in state.hands or state.mine != state.theirs else None
        return Outcome(winner, outcome.reason)
""",
    "landing.py": """
from pathlib import Path

def place():
    from distant import PLACES
    return PLACES[0] + int(Path(__file__).with_name("place.txt").read_text())
""",
    "place.txt": "0",
    "distant.py": "import places.far as far\nPLACES = (far.PLACE,)\n",
    "places/__init__.py": "",
    "places/far.py": "PLACE = 5\n",
    "places/near.py": "PLACE = 4\n",
}


class ShortDuel:
    """Short Duel in a folder of its own. It can be edited, and is imported again as a new process would import it."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.filled = folder, 0
        for name, text in SHORT_DUEL.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        patch.syspath_prepend(str(folder))
        patch.setattr(sys, "dont_write_bytecode", True)
        fill = tables.fill

        def recorded(*arguments: Any, **options: Any) -> Any:
            self.filled += 1
            return fill(*arguments, **options)

        patch.setattr(tables, "fill", recorded)

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text()
        assert text.count(old) == 1
        (self.folder / name).write_text(text.replace(old, new))

    def forget(self) -> None:
        """Forgets the imported modules."""
        for name in [name for name in sys.modules if name.partition(".")[0] in self.modules]:
            del sys.modules[name]
        importlib.invalidate_caches()

    @property
    def modules(self) -> set[str]:
        return {name.partition("/")[0].removesuffix(".py") for name in SHORT_DUEL}

    def solve(self) -> tuple[int, list[str]]:
        """Solves it twice; returns how often a table was filled, and the warnings."""
        self.forget()
        self.filled = 0
        game = importlib.import_module("short_duel").ShortDuel(target=7, highest=3, copies=1)
        _, first = solved(game)
        solution, second = solved(game)
        filled, reference = self.filled, Reference(game)
        assert isinstance(solution, Tables)
        hands = range(len(solution.compiled.hands))
        for index in itertools.product(range(solution.compiled.tables), hands, hands):
            if solution.compiled.contains(*index):
                state = solution.compiled.state(*index)
                assert solution.probe(state) == reference.probe(state)
        return filled, first + second


@pytest.fixture
def short_duel(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ShortDuel]:
    """Short Duel, solved."""
    duel = ShortDuel(home / "game", monkeypatch)
    assert duel.solve() == (1, [])
    yield duel
    duel.forget()


REWORDED = {
    "a prompt": ("short_duel.py", "Number? ", "Which number? "),
    "the rule card": ("short_duel.py", "somewhere", "elsewhere"),
    "a comment": ("places/far.py", "PLACE = 5", "# Far away.\nPLACE = 5"),
    "a calculation with the same result": ("places/far.py", "5", "2 + 3"),
}


@pytest.mark.parametrize("what", REWORDED)
def test_a_table_is_reused_when_only_texts_change(short_duel: ShortDuel, what: str) -> None:
    short_duel.edit(*REWORDED[what])
    (path,) = cache.kept()
    before = path.stat()
    assert short_duel.solve() == (0, [])
    after = path.stat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)


RULES = {
    "a rule": ("short_duel.py", "move.number != 3", "move.number != 2"),
    "how a tie ends, in the same words": ("short_duel.py", "else None", "else 0 if state.player else 1"),
    "who wins, in the same words": (
        "short_duel.py",
        "winner = outcome.winner if",
        "winner = None if outcome.winner is None else 1 - outcome.winner if",
    ),
    "a helper": ("landing.py", "PLACES[0]", "PLACES[0] + 1"),
    "a helper of a helper": ("distant.py", "far.PLACE", "far.PLACE + 1"),
    "a helper in a package": ("places/far.py", "5", "7"),
    "which helper is used": ("distant.py", "import places.far as far", "import places.near as far"),
    "a file that no module imports": ("place.txt", "0", "1"),
}


@pytest.mark.parametrize("what", RULES)
def test_no_table_is_reused_when_a_rule_or_an_ending_changes(short_duel: ShortDuel, what: str) -> None:
    short_duel.edit(*RULES[what])
    filled, said = short_duel.solve()
    assert filled == 1
    assert said == [
        "Solving Short Duel again, because its cached table cannot be used: it was made with different rules"
    ]
    assert short_duel.solve() == (0, [])


# An unusable folder


@pytest.mark.parametrize("unusable", ["table", "folder", "cache"])
def test_an_unusable_cache_folder_only_disables_caching(home: Path, unusable: str) -> None:
    if unusable == "table":
        cache.path_of(SMALL).mkdir(parents=True)
    elif unusable == "folder":
        cache.folder().parent.mkdir(parents=True)
        cache.folder().write_text("a file")
    else:
        (home / "cache").rmdir()
        (home / "cache").write_text("a file")
    for _ in range(2):
        solution, said = solved(SMALL)
        assert len(said) == 1
        assert said[0].startswith("The table of Number Duel could not be cached: ")
        assert_right(solution)


def mounted(options: str) -> list[str]:
    """A command prefix that mounts a small disk at XDG_CACHE_HOME."""
    script = f'mount -t tmpfs -o {options} tmpfs "$XDG_CACHE_HOME" && exec "$@"'
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run([*mounted("size=64k"), "true"], env={**os.environ, "XDG_CACHE_HOME": "/tmp"}, check=False)
    return tried.returncode == 0


# Without the first line, the limit would also cut the byte code of installed packages.
LIMITED = """
import resource, sys; sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
"""


@pytest.mark.parametrize("lack", ["limit", *(["size=64k", "size=64k,ro"] if can_mount() else [])])
def test_a_full_or_read_only_disk_only_disables_caching(home: Path, lack: str) -> None:
    process = run(LIMITED + SOLVE if lack == "limit" else SOLVE, before=None if lack == "limit" else mounted(lack))
    output, errors = process.communicate("\n")
    assert output.splitlines()[1:] == [right_answer()]
    assert errors.count("Warning") == errors.count("UserWarning: The table of Number Duel could not be cached: ") == 1
    # Not even a partial file is left.
    assert not cache.folder().exists() or names(cache.folder()) == []


def right_answer() -> str:
    solution = solve(GAME)
    return " ".join(map(str, ["Tables", tuple(solution.start), *solution.best(GAME.start())]))


# Several processes, and processes that are killed


def test_processes_that_solve_the_same_game_at_once_all_get_correct_tables(home: Path) -> None:
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
        assert process.communicate() == (expected, "")
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
    writers = run(
        """
import os, sys, digitduels as dd
from digitduels.solver import cache
solution = cache.load(dd.game("number-duel", highest=5, target=20))
for _ in sys.stdin:
    writer = os.fork()
    while not writer:
        cache.path_of(solution.game).unlink(missing_ok=True)
        cache.keep(solution)
    print(writer, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(writer, 0)[1]), flush=True)
"""
    )
    assert writers.stdin is not None
    assert writers.stdout is not None
    rng = random.Random()
    for _ in range(20):
        path.write_bytes(good)
        writers.stdin.write("\n")
        writers.stdin.flush()
        writer = int(writers.stdout.readline())
        time.sleep(rng.random() / 10)
        os.kill(writer, signal.SIGKILL)
        assert int(writers.stdout.readline()) == -signal.SIGKILL
        assert not path.exists() or path.read_bytes() == good
    assert writers.communicate() == ("", "")
    assert all(path.name in name for name in names(cache.folder()))
    solution, said = solved(GAME)
    assert said == []
    assert_right(solution)


def test_leftovers_of_killed_processes_are_deleted_after_an_hour(home: Path) -> None:
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
        f"""
import signal, digitduels as dd
def interrupt(stage, done):
    if stage == {stage!r}:
        signal.raise_signal(signal.SIGINT)
dd.solve(dd.game("number-duel", highest=5, target=20), progress=interrupt)
"""
    )
    try:
        output, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, output) == (-signal.SIGINT, "")
    assert errors.rstrip().endswith("\nKeyboardInterrupt")
    assert errors.count("Traceback") == 1
    assert not cache.folder().exists()


def test_an_interrupt_waits_for_the_threads_that_fill_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIGITDUELS_THREADS", "3")
    finished = []

    def fill_part(part: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.05)
        finished.append(part.tolist())

    parts = np.arange(6).reshape(3, 2)
    with tables.workers() as pool, pytest.raises(KeyboardInterrupt):
        tables.share(pool, parts, fill_part)
    assert sorted(finished) == [[part] for part in parts.tolist()]
