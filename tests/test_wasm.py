"""The WebAssembly kernel fills the same tables as the solver, in the Python of a browser, which has no NumPy."""

from __future__ import annotations

import inspect
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import digitduels as dd
import node
from conftest import ROOT
from digitduels.games import AnyGame, books
from digitduels.solver.tables import Tables
from test_solver import SMALL, compare_with_reference, stuck_player_wins

pytestmark = pytest.mark.slow

SOURCE = ROOT / "src"
COMPILER = "14."  # the version of clang whose output is in the repository
LONG: list[tuple[str, dict[str, Any]]] = [  # codes of 16 bits
    ("number-duel", {"target": 9, "highest": 2, "copies": 70, "tie": tie}) for tie in ("draw", "last-mover-wins")
]


def unscored(game: Any) -> Any:
    """The game, which does not say what its final score is."""
    vars(game)["final_score"] = lambda _: None
    return game


CHANGES: dict[str, Callable[[Any], Any]] = {change.__name__: change for change in (unscored, stuck_player_wins)}


def variant(name: str, options: dict[str, Any], change: str | None) -> AnyGame:
    game: AnyGame = dd.game(name, **options)
    return game if change is None else CHANGES[change](game)


def test_every_code_of_the_books_and_of_small_variants_is_that_of_the_solver(tmp_path: Path) -> None:
    asked: list[tuple[str, dict[str, Any], str | None]] = [(name, {}, None) for name in books()]
    asked += [(name, options, change) for name, options in (*SMALL, *LONG) for change in (None, "unscored")]
    asked += [(name, options, "stuck_player_wins") for name, options in SMALL if name == "numerical-nexus"]
    (tmp_path / "changes.py").write_text("\n".join(map(inspect.getsource, CHANGES.values())))
    (tmp_path / "games.json").write_text(json.dumps(asked))
    answers = json.loads(node.run("node", "tests/js/solve.js", str(SOURCE), str(tmp_path)))
    assert answers["foreign"] == []
    sizes, compared = set(), set[str]()
    for number, (question, answer) in enumerate(zip(asked, answers["games"], strict=True)):
        game = variant(*question)
        solution = dd.solve(game, cache=False)
        assert answer["start"] == list(solution.start)
        assert answer["judgement"] == [[str(move), list(it)] for move, it in solution.judge(game.start()).items()]
        if not isinstance(solution, Tables):
            assert answer["totals"] is None
            continue
        codes = np.fromfile(tmp_path / str(number), solution.scale.dtype)
        assert np.array_equal(codes, solution.codes), question
        assert answer["totals"] == sorted([*it, count] for it, count in solution.by_distance().items())
        sizes.add(solution.scale.size)
        if not game.changes:
            assert "The limit is 9.8 KiB." in answer["refusal"]
        elif game.id not in compared:
            compare_with_reference(Tables(solution.compiled, codes, solution.scale))
            compared.add(game.id)
    assert sizes == {1, 2}
    # The reference solves Operation Target itself.
    assert compared == {*books(), "stuck-player-wins"} - {"operation-target"}


def test_the_workflow_installs_the_compiler_of_the_kernels() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert f"clang-{COMPILER.rstrip('.')} " in workflow


def test_the_kernels_are_built_from_their_source(tmp_path: Path) -> None:
    if shutil.which("clang") is None or shutil.which("wasm-ld") is None:
        pytest.skip("Building the kernels needs clang and lld; on Debian and Ubuntu: apt-get install clang lld")
    version = subprocess.run(["clang", "-dumpversion"], capture_output=True, text=True, check=True).stdout
    if not version.startswith(COMPILER):
        pytest.skip(f"The kernels were built with clang {COMPILER}x, and other versions write other bytes.")
    subprocess.run(["make", "wasm", f"WASM={tmp_path}"], cwd=ROOT, check=True)
    built = sorted(tmp_path.glob("*.wasm"))
    assert [path.name for path in built] == ["kernel16.wasm", "kernel8.wasm"]
    for path in built:
        assert path.read_bytes() == (SOURCE / "digitduels" / "solver" / path.name).read_bytes(), "run `make wasm`"
