"""Datasets: unique reachable positions with exact grades, spread over all strata, and reproducible by seed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import digitduels as dd
from conftest import DUELS, PATIENCE, Run
from digitduels.cli.main import main
from digitduels.evals.dataset import check, reached, read_lines, rows, write_lines, write_parquet
from digitduels.evals.suite import SUITE_V2, read_suite, stratum
from digitduels.study.positions import Sort, any_position, only_move, positions
from digitduels.study.splits import split
from test_docs import DOCS, first_column, section
from test_executors import wait_until
from variants import solve

pytestmark = pytest.mark.slow

GAME = dd.game("number-quest", target=12, highest=4)
DRAWN = dd.game("number-duel", target=12, highest=4, copies=1, tie="draw")


@pytest.mark.parametrize("game", [GAME, DRAWN, dd.game("operation-target")], ids=lambda game: game.id)
def test_every_row_is_correct_and_its_position_is_reachable(game: Any) -> None:
    solution = solve(game)
    dataset_rows = list(rows(solution, 100))
    words = {"win": 1, "draw": 0, "loss": -1}
    for row in dataset_rows:
        match = reached(row)
        state = match.state
        verdict = solution.probe(state)
        assert (row["player"], words[row["value"]], row["plies"]) == (state.player + 1, *verdict)
        assert row["legal"] == [str(move) for move in game.legal_moves(state)]
        assert [str(game.moves[number]) for number in row["ids"]] == row["legal"]
        after = [solution.probe(game.play(state, move)).before for move in game.legal_moves(state)]
        following = [game.play(state, move) for move in game.legal_moves(state)]
        told = [
            row["split"] != "train" or game.outcome(later) is not None or split(game, later) == "train"
            for later in following
        ]
        for value, plies, each, known in zip(row["values"], row["distances"], after, told, strict=True):
            assert (value, plies) == ("withheld", -1) if not known else (words[value], plies) == each
        keeping = [token for token, each in zip(row["legal"], after, strict=True) if each.value == verdict.value]
        public = {token for token, known in zip(row["legal"], told, strict=True) if known}
        assert row["keeping"] == [token for token in keeping if token in public]
        assert sorted(row["best"]) == sorted(set(map(str, solution.best(state))) & public)
        assert row["critical"] == any(each.value < verdict.value for each in after)
        assert row["chance"] == len(keeping) / len(after)
        assert row["split"] == split(game, state)
        assert " ".join(row["legal"]) in row["prompt"]
    assert len({reached(row).state for row in dataset_rows}) == len(dataset_rows)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_terminated_dataset_leaves_no_file(number: signal.Signals, home: Path) -> None:
    words = ["dataset", "number-quest", "--set", "target=12", "--positions", "100000", "--out", "data.jsonl"]
    running = subprocess.Popen([*DUELS, *words], cwd=home, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: list(home.glob(".data.jsonl.*")))
        running.send_signal(number)
        assert running.wait(PATIENCE) == 128 + number
    finally:
        running.kill()
        running.wait()
    assert not list(home.glob("*data.jsonl*"))


def test_rows_are_spread_over_values_and_distances() -> None:
    dataset_rows = list(rows(solve(GAME), 60))
    kinds = Counter((row["value"], row["plies"], row["critical"]) for row in dataset_rows)
    assert {value for value, _, _ in kinds} == {"win", "loss"}
    assert len(kinds) > 10
    assert max(kinds.values()) <= 60 / len(kinds) * 2
    assert "draw" in {row["value"] for row in rows(solve(DRAWN), 100)}


def test_rows_depend_on_the_seed() -> None:
    one, same, other = (list(rows(solve(GAME), 50, seed)) for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize("game", [GAME, DRAWN, dd.game("operation-target")], ids=lambda game: game.id)
def test_positions_with_one_right_move_have_exactly_one(game: Any) -> None:
    solution = solve(game)
    matches = list(positions(solution, 30, 0, only_move))
    assert matches
    for match in matches:
        judgement = solution.judge(match.state)
        values = {move: verdict.value for move, verdict in judgement.items()}
        assert max(values.values()) >= 0
        assert min(values.values()) < max(values.values())
        assert len({game.play(match.state, move) for move in values if values[move] == max(values.values())}) == 1


@pytest.mark.parametrize(
    ("sort", "part", "lines"),
    [
        (any_position, None, ["-4 +4 /2", "-4 +4", "x3 +4 x3 +1", "x3 +4"]),
        (only_move, None, ["x2 +4 -3 /3", "+4 /3 +2 /2 -1 +3", "x4 -3", "/3 /3 x4"]),
        (any_position, "test", ["+4", "+3 x4 -1 x4 +2 x1", "x2 x1 +4 +3 -4", "-4 +4 /2 x2"]),
        (Sort("stratum", stratum), "test", ["-2 /2 +4 x3 -3", "+2 -1 /1", "+2", "+3 +1"]),
    ],
    ids=["any", "only", "any of the test split", "stratum"],
)
def test_the_positions_of_a_seed_never_change(sort: Sort, part: str | None, lines: list[str]) -> None:
    sample = positions(solve(dd.game("number-quest", target=12, highest=4)), 4, 1, sort, part=part)
    assert [" ".join(map(str, match.moves)) for match in sample] == lines


def test_positions_have_the_requested_distances() -> None:
    matches = list(positions(solve(GAME), 20, 0, only_move, [3]))
    assert matches
    assert {solve(GAME).probe(match.state).distance for match in matches} == {3}


def test_progress_is_reported() -> None:
    reports: list[tuple[str, float]] = []
    dataset_rows = list(rows(solve(GAME), 30, progress=lambda what, done: reports.append((what, done))))
    assert list(dict.fromkeys(what for what, _ in reports)) == ["looking for positions", "writing"]
    assert reports == sorted(reports)
    assert all(0 <= done < 1 for _, done in reports)
    assert sum(what == "writing" for what, _ in reports) == len(dataset_rows)


# Files


def test_parquet_and_json_lines_contain_the_same_rows_and_the_documented_columns() -> None:
    lines, parquet = BytesIO(), BytesIO()
    assert write_lines(rows(solve(GAME), 30), lines) == write_parquet(rows(solve(GAME), 30), parquet) == 30
    table = pq.read_table(parquet)
    assert table.to_pylist() == [json.loads(line) for line in lines.getvalue().splitlines()]
    assert table.column_names == first_column(section(DOCS / "datasets.md", "## A row"))
    types = dict(zip(table.column_names, map(str, table.schema.types), strict=True))
    documented = {"integer": "int32", "number": "double", "text": "string", "bool": "bool"}
    documented |= {"texts": "list<element: string>", "integers": "list<element: int32>"}
    for line in section(DOCS / "datasets.md", "## A row").splitlines():
        if line.startswith("| `"):
            column, kind = (part.strip(" `") for part in line.split("|")[1:3])
            assert types[column] == documented[kind], column


def test_json_lines_are_read_back_and_other_files_are_refused(tmp_path: Path) -> None:
    file, old, other = tmp_path / "rows.jsonl", tmp_path / "old.jsonl", tmp_path / "other.jsonl"
    with file.open("wb") as out:
        write_lines(rows(solve(GAME), 5), out)
    assert list(read_lines(file)) == list(rows(solve(GAME), 5))
    old.write_text('{"version": 2}\n')
    other.write_bytes(b"\xff\n")
    for refused in (old, other):
        with pytest.raises(ValueError, match=f"{refused.name} is not a dataset of version 5"):
            list(read_lines(refused))


def test_the_command_is_reproducible(duels: Run, home: Path) -> None:
    arguments = "dataset", "operation-target", "--positions", "9", "--seed", "5", "--set", "target=40"
    assert duels(*arguments, "--out", "a.jsonl").stdout == "9 positions of Operation Target in 'a.jsonl'.\n"
    assert duels(*arguments).stdout == (home / "a.jsonl").read_text(encoding="utf-8")
    for name in ("a.parquet", "b.parquet"):
        assert duels(*arguments, "--out", name).returncode == 0
    assert (home / "a.parquet").read_bytes() == (home / "b.parquet").read_bytes()


def test_the_command_can_be_limited_to_a_split(duels: Run, home: Path) -> None:
    arguments = ("dataset", "operation-target", "--set", "target=1000", "--positions", "12", "--split", "test")
    duels(*arguments, "--out", "rows.jsonl")
    for text in ((home / "rows.jsonl").read_text(encoding="utf-8"), duels(*arguments).stdout):
        assert {json.loads(line)["split"] for line in text.splitlines()} == {"test"}


def test_a_game_with_fewer_positions_says_so(duels: Run) -> None:
    told = duels("dataset", "operation-target", "--set", "target=2", "--positions", "50", "--out", "few.jsonl").stdout
    assert told == "1 position of Operation Target in 'few.jsonl'; the search found no more.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--positions", "0"], 2, "A dataset has 1 to 1000000 positions."),
        (["--positions", "3", "--out", "set.csv"], 2, "must end in .parquet or .jsonl, not 'set.csv'."),
        (["--positions", "3", "--out", "nowhere/set.jsonl"], 4, "'nowhere/set.jsonl' cannot be written: No such file"),
        ([], 2, "required: --positions"),
    ],
)
def test_impossible_datasets_are_refused_with_the_reason(
    duels: Run, arguments: list[str], code: int, message: str
) -> None:
    ran = duels("dataset", "operation-target", *arguments)
    assert ran.returncode == code
    assert message in ran.stderr


def test_rule_sets_of_suite_v2_are_refused_unless_for_testing(duels: Run) -> None:
    for variant in read_suite(SUITE_V2).variants[-2:]:
        words = ["dataset", variant["game"], "--positions", "3"]
        for name, value in variant["options"].items():
            words += ["--set", f"{name}={value}"]
        for part in ([], ["--split", "train"]):
            ran = duels(*words, *part)
            assert ran.returncode == 2
            assert "is in suite-v2, which is for testing only: use --split test." in ran.stderr
        ran = duels(*words, "--split", "test")
        assert ran.returncode == 0
        assert all(json.loads(line)["canary"] for line in ran.stdout.splitlines())


def test_rule_sets_that_differ_from_suite_v2_only_in_a_choice_are_refused_too() -> None:
    """Two thirds of the answers of suite-v2 are the same with another rule for ties."""
    variant = next(variant for variant in read_suite(SUITE_V2).variants if variant["game"] == "number-duel")
    for tie in ("draw", "last-mover-loses", "last-mover-wins"):
        with pytest.raises(ValueError, match="is in suite-v2"):
            check(dd.game("number-duel", **{**variant["options"], "tie": tie}), "train")
    check(dd.game("number-duel"), "train")


def test_without_pyarrow_there_is_a_hint_and_the_old_file_is_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = home / "set.parquet"
    path.write_text("old")
    assert main(["dataset", "operation-target", "--positions", "3", "--out", str(path)]) == 1
    assert "pip install 'digitduels[parquet]'" in capsys.readouterr().err
    assert path.read_text() == "old"
    assert not [each for each in home.iterdir() if each.name.startswith(".")]
