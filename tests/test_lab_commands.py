"""`duels lab`: sweeps that survive kills, clusters that lose workers, rules in files."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import digitduels as dd
from conftest import DUELS, PATIENCE, ROOT, Run
from digitduels.lab import measures, stored_reports
from digitduels.lab.measures import GAUGES_VERSION, measure, report_from
from digitduels.lab.optimization import GOALS, changed, front, near_book, optimize, space
from digitduels.lab.stored_reports import read_reports, stored_report
from digitduels.lab.sweeps import BUDGET, grid, measured_row, read_range, sweep, sweep_to_file, versions
from digitduels.players.levels import LEVELS_VERSION
from digitduels.rule_sets import EDITIONS, read_file, rule_set, to_toml
from processes import processes_of
from test_executors import wait_until

pytestmark = pytest.mark.slow

SWEEP = ["lab", "sweep", "number-quest", "--set", "highest=2..3,8", "--set", "target=30..33", "--out", "sweep.parquet"]
"""Eight rule sets that are measured at once, and four that take many seconds, so that there is time for a signal."""
GRID: dict[str, Any] = {"highest": [2, 3], "target": [30, 31, 32, 33]}

SPACE: dict[str, Any] = {"target": [9, 12, 15], "highest": [2, 3], "copies": [1, 2]}


def expected() -> list[dict[str, Any]]:
    """The rows of the rule sets that are measured at once."""
    return list(sweep("number-quest", **GRID))


def stored(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("target", "20", [20]),
        ("target", "20..23", [20, 21, 22, 23]),
        ("target", "20..30:5", [20, 25, 30]),
        ("target", "20,25..26", [20, 25, 26]),
        ("tie", "draw,last-mover-wins", ["draw", "last-mover-wins"]),
    ],
)
def test_ranges_are_read(name: str, text: str, values: list[Any]) -> None:
    (option,) = [option for option in dd.game("number-duel").options() if option.name == name]
    assert read_range(option, text) == values


def test_range_of_an_option_with_several_integers_is_read() -> None:
    (option,) = [option for option in dd.game("numerical-nexus").options() if option.name == "uses"]
    assert read_range(option, "1..2,0,0,0,0,3") == [(1, 0, 0, 0, 0, 3), (2, 0, 0, 0, 0, 3)]


@pytest.mark.parametrize("text", ["", "a", "5..2", "1..2..3", "0..3", "1..99999999999", "3:1"])
def test_an_invalid_range_is_refused_with_a_clear_message(text: str) -> None:
    (option,) = [option for option in dd.game("number-duel").options() if option.name == "target"]
    with pytest.raises(ValueError, match="target"):
        read_range(option, text)


def test_rows_follow_the_grid_and_agree_with_measure() -> None:
    options = grid("number-quest", GRID)
    rows = expected()
    assert [(row["target"], row["highest"]) for row in rows] == [(each["target"], each["highest"]) for each in options]
    report = measure(dd.game("number-quest", **options[7]), lengths=False).row()
    assert {key: rows[7][key] for key in report} == report


def test_too_large_and_impossible_rule_sets_are_rows_with_a_status() -> None:
    large = measured_row("number-duel", {"target": 1000}, 10_000_000)
    assert (large["status"], large["fair"]) == ("too-large", None)
    assert large["problem"] == "Number Duel with these options has more than 10,000,000 positions."
    odd = measured_row("operation-target", {"start": 30})
    assert (odd["status"], odd["winner"], odd["start"]) == ("failed", None, 30)
    assert [row["status"] for row in sweep("number-duel", target=[9, 1000], highest=[3], budget=5000)] == [
        "solved",
        "too-large",
    ]


@pytest.mark.parametrize(
    ("name", "options", "positions"),
    [
        ("operation-target", {"target": 23}, 3000),  # does not factor
        ("number-duel", {"target": 12, "highest": 4}, 3**4 * 12**2),  # 8-bit codes
        ("numerical-nexus", {"target": 300, "uses": (99, 0, 0, 0, 0, 0)}, 100**2),  # 16-bit codes
    ],
)
def test_the_budget_counts_positions(name: str, options: dict[str, Any], positions: int) -> None:
    assert measured_row(name, options, budget=positions)["status"] == "solved"
    if name != "operation-target":
        assert measured_row(name, options, budget=positions - 1)["status"] == "too-large"
    assert measured_row(name, options, budget=3)["status"] == "too-large"


def test_an_unexpected_error_is_not_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row with the status `failed` says that rules are impossible, not that the program has a defect."""
    monkeypatch.setattr(measures, "measure", defect)
    with pytest.raises(ValueError, match="a defect"):
        measured_row("operation-target", {})


def defect(*_: object, **__: object) -> None:
    raise ValueError("a defect")


@pytest.mark.parametrize("words", [["sweep", "operation-target", "--out", "a.parquet"], ["search", "operation-target"]])
def test_a_defect_is_not_a_usage_error(words: list[str], duels: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "measure", defect)
    with pytest.raises(ValueError, match="a defect"):
        duels("lab", *words, "--set", "target=23", "--set", "start=1", "--processes", "1")


@contextmanager
def running_sweep(home: Path) -> Iterator[subprocess.Popen[str]]:
    """A sweep that has measured some rule sets, and will need a long time for the rest."""
    journal = home / "sweep.parquet.journal"
    running = subprocess.Popen([*DUELS, *SWEEP], cwd=home, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        end = time.monotonic() + PATIENCE
        while not journal.exists() or journal.read_bytes().count(b"\n") < 6:
            assert time.monotonic() < end
            assert running.poll() is None, "it was over before it could be stopped"
            time.sleep(0.01)
        yield running
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.communicate()


def test_a_killed_sweep_resumes_and_computes_no_finished_row_again(duels: Run, home: Path) -> None:
    journal = home / "sweep.parquet.journal"
    with running_sweep(home) as running:
        os.killpg(running.pid, signal.SIGKILL)
    assert not (home / "sweep.parquet").exists()
    head, *rows = journal.read_bytes().split(b"\n")[:6]
    marked = json.loads(rows[0])
    marked["row"]["problem"] = "marked"
    # As if it had been killed in the middle of a line, after the rule sets that take long.
    slow = [{"index": index, "row": measured_row("number-quest", {"highest": 8}, 1)} for index in range(8, 12)]
    entries = [head, *(json.dumps(entry).encode() for entry in (marked, *slow)), *rows[1:], b'{"index": 7, "ro']
    journal.write_bytes(b"\n".join(entries))
    result = duels(*SWEEP)
    assert result.returncode == 0, result.stderr
    assert "8 solved, 4 too-large." in result.stdout
    stored_rows = stored(home / "sweep.parquet")
    assert stored_rows[marked["index"]].pop("problem") == "marked"
    wanted = expected()
    wanted[marked["index"]].pop("problem")
    assert stored_rows[:8] == wanted
    assert not journal.exists()


def test_a_sweep_leaves_no_process_behind_when_it_is_killed(home: Path) -> None:
    with running_sweep(home) as running:
        assert len(processes_of(running.pid)) > 1
        running.kill()
        running.wait(PATIENCE)
        wait_until(lambda: not processes_of(running.pid))


def test_ctrl_c_keeps_the_finished_rows_of_a_sweep(home: Path) -> None:
    with running_sweep(home) as running:
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    stopped = "Stopped. The finished rows are in 'sweep.parquet.journal'. Run the same command to continue."
    assert errors == f"duels: {stopped}\n"
    assert (home / "sweep.parquet.journal").read_bytes().count(b"\n") >= 6


def test_a_sweep_lists_the_best_rule_sets_first(duels: Run, home: Path) -> None:
    ranges = ["--set", "highest=2..3", "--set", "target=30..33"]
    shown = duels("lab", "sweep", "number-quest", *ranges, "--out", "quick.parquet", "--processes", "1").stdout
    assert stored(home / "quick.parquet") == expected()
    listed = re.findall(r"^highest=(\d), target=(\d+) ", shown.partition("The best of them:\n")[2], re.MULTILINE)
    gauge = {(row["highest"], row["target"]): min(row["fair"], row["deep"]) for row in expected()}
    found = [gauge[int(highest), int(target)] for highest, target in listed]
    assert found == sorted(gauge.values(), reverse=True)[:5]


def test_the_journal_of_another_sweep_is_refused(duels: Run, home: Path) -> None:
    (home / "sweep.parquet.journal").write_text('{"version": 1, "game": "number-duel"}\n')
    refused = duels(*SWEEP)
    assert refused.returncode == 2
    assert "belongs to another sweep" in refused.stderr
    (home / "sweep.parquet").write_bytes(b"mine")
    assert "already exists" in duels(*SWEEP).stderr
    assert (home / "sweep.parquet").read_bytes() == b"mine"


@pytest.mark.parametrize(
    "versions", [{}, {"levels": LEVELS_VERSION - 1, "gauges": GAUGES_VERSION}, {"levels": LEVELS_VERSION, "gauges": 1}]
)
def test_the_journal_of_other_levels_or_gauges_is_refused(versions: dict[str, int], duels: Run, home: Path) -> None:
    ranges = {"target": [9, 12]}
    head = {"version": 1, **versions, "game": "operation-target", "ranges": ranges, "budget": BUDGET}
    journal = home / "a.parquet.journal"
    rows = [{"index": 0, "row": measured_row("operation-target", {"target": 9})}]
    journal.write_text("".join(json.dumps(entry) + "\n" for entry in (head, *rows)))
    words = ["lab", "sweep", "operation-target", "--set", "target=9,12", "--out", "a.parquet", "--processes", "1"]
    refused = duels(*words)
    assert (refused.returncode, refused.stderr) == (
        2,
        "duels: The rows in 'a.parquet.journal' were measured with another version of our levels or gauges. "
        "Delete it to measure all rule sets with this one.\n",
    )
    assert not (home / "a.parquet").exists()
    journal.unlink()
    assert duels(*words).returncode == 0
    metadata = pq.read_schema(home / "a.parquet").metadata
    assert metadata[b"digitduels.levels"] == str(LEVELS_VERSION).encode()
    assert metadata[b"digitduels.gauges"] == str(GAUGES_VERSION).encode()


@pytest.mark.parametrize("line", ["{", "[]", "{}", "null"])
def test_a_damaged_journal_is_refused(line: str, duels: Run, home: Path) -> None:
    ranges = {"target": [9, 12]}
    head = {"version": 1, **versions(), "game": "operation-target", "ranges": ranges, "budget": BUDGET}
    (home / "a.parquet.journal").write_text(f"{json.dumps(head)}\n{line}\n")
    refused = duels("lab", "sweep", "operation-target", "--set", "target=9,12", "--out", "a.parquet")
    assert (refused.returncode, refused.stderr) == (
        2,
        "duels: 'a.parquet.journal' is damaged. Delete it to begin again.\n",
    )


def test_values_that_a_parquet_file_cannot_contain_are_refused_first(duels: Run, home: Path) -> None:
    (home / "huge.toml").write_text(f'game = "operation-target"\n[options]\ntarget = {10**20}\n')
    refused = duels("lab", "sweep", "huge.toml", "--out", "a.parquet")
    assert refused.returncode == 2
    assert "cannot contain values of target above 9,223,372,036,854,775,807." in refused.stderr


def test_all_sweeps_of_a_game_have_the_same_schema(tmp_path: Path) -> None:
    solved = sweep_to_file("numerical-nexus", {"target": [9]}, tmp_path / "a.parquet", workers=1)
    too_large = sweep_to_file("numerical-nexus", {"target": [9]}, tmp_path / "b.parquet", workers=1, budget=1)
    tables = [pq.read_table(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    assert tables[0].schema.equals(tables[1].schema)
    assert pa.concat_tables(tables).to_pylist() == [*solved, *too_large]


def test_a_cluster_gives_the_same_rows_when_a_worker_is_killed(home: Path) -> None:
    import distributed

    start: Any = distributed.LocalCluster
    options: dict[str, Any] = {"highest": [5], "target": list(range(30, 38))}
    rows: list[dict[str, Any]] = []
    with start(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        for row in sweep("number-quest", cluster=cluster.scheduler_address, **options):
            rows.append(row)
            if len(rows) == 1:
                os.kill(cluster.workers[0].pid, signal.SIGKILL)
    assert rows == list(sweep("number-quest", **options))


def test_an_unreachable_cluster_is_refused_with_a_clear_message(duels: Run) -> None:
    refused = duels(*SWEEP, "--cluster", "tcp://127.0.0.1:9")
    assert refused.returncode == 2
    assert "There is no Dask cluster at 'tcp://127.0.0.1:9'" in refused.stderr


# Search


def test_near_the_book_at_most_two_options_change() -> None:
    found = near_book("number-duel", space("number-duel", {"target": [49, 50, 51]}))
    assert {} in found
    assert max(map(len, found)) == 2
    assert len({tuple(sorted(options.items())) for options in found}) == len(found)
    for options in found:
        assert dd.game("number-duel", **options).changes == options


def test_the_pareto_front_contains_the_undominated_rows() -> None:
    rows = list(optimize("number-quest", given=SPACE, workers=1))
    solved = [row for row in rows if row["status"] == "solved"]
    best = front(rows)
    for row in best:
        assert not any(
            other["fair"] >= row["fair"]
            and other["deep"] >= row["deep"]
            and (other["fair"], other["deep"]) != (row["fair"], row["deep"])
            for other in solved
        )
    assert min(best[0]["fair"], best[0]["deep"]) == max(min(row["fair"], row["deep"]) for row in solved)


@pytest.mark.parametrize("goals", [["fair"], ["deep"], ["fair", "deep"], ["deep", "fair"]])
def test_the_front_agrees_with_its_definition(goals: list[str]) -> None:
    rng = random.Random(1)
    for count in (0, 1, 5, 60):
        rows: list[dict[str, Any]] = [
            {
                "number": number,
                "status": "solved" if rng.random() < 0.9 else "too-large",
                "fair": rng.randrange(8) / 7,
                "deep": rng.randrange(7) / 6,
                "positions": rng.randrange(10),
            }
            for number in range(count)
        ]
        solved = [row for row in rows if row["status"] == "solved"]
        undominated = [
            row
            for row in solved
            if not any(
                all(other[goal] >= row[goal] for goal in goals) and any(other[goal] > row[goal] for goal in goals)
                for other in solved
            )
        ]
        best = front(rows, goals)
        assert sorted(best, key=lambda row: row["number"]) == undominated
        merits = [(min(row[goal] for goal in goals), sum(row[goal] for goal in goals)) for row in best]
        assert merits == sorted(merits, reverse=True)


def test_larger_spaces_are_searched_and_a_seed_repeats_a_search() -> None:
    given: dict[str, Any] = {"target": list(range(6, 30)), "highest": [2, 3], "copies": [1], "division": ["floor"]}
    first, again = (
        [changed("number-quest", row) for row in optimize("number-quest", given=given, trials=45, workers=1)]
        for _ in range(2)
    )
    assert first == again
    assert len(first) == 45


def test_the_search_saves_rules_that_every_command_accepts(duels: Run, home: Path) -> None:
    ranges = ["target=9,12,15", "highest=2..3", "copies=2", "tie=draw", "division=floor,exact", "invalid=lost-turn"]
    settings = [word for given in ranges for word in ("--set", given)]
    found = duels("lab", "search", "number-quest", *settings, "--save", "best.toml", "--processes", "1", "--json")
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    assert answer["levels"] == LEVELS_VERSION
    best, *others = answer["front"]
    assert others
    assert min(best["fair"], best["deep"]) > max(min(other["fair"], other["deep"]) for other in others)
    name, options = read_file(home / "best.toml")
    assert name == "number-quest"
    assert (
        options == dd.game(name, **{given.partition("=")[0]: best[given.partition("=")[0]] for given in ranges}).changes
    )
    target = options["target"]
    for words in (["number-quest", "--rules", "best.toml"], ["best.toml"]):
        answer = json.loads(duels("solve", *words, "--json").stdout)
        assert answer["options"]["target"] == target
    assert json.loads(duels("solve", "best.toml", "--set", "target=7", "--json").stdout)["options"]["target"] == 7
    assert f"House rules: first to {target}, " in duels("rules", "best.toml").stdout


# Rules in files


def test_rules_are_read_back_from_a_file(tmp_path: Path) -> None:
    variants: list[tuple[str, dict[str, Any]]] = [
        ("number-duel", {"target": 60, "tie": "draw"}),
        ("numerical-nexus", {"uses": (1, 2, 3, 4, 5, 6)}),
        ("operation-target", {}),
    ]
    for name, options in variants:
        rules = dd.game(name, **options)
        path = tmp_path / "rules.toml"
        path.write_text(to_toml(rules))
        found, read = rule_set(str(path))
        assert dd.game(found, **read) == rules


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("game = ", "are not TOML"),
        ("", 'must be a line game = "…"'),
        ('game = "number-duel"\nextra = 1', "nothing else"),
        ('game = "chess"', "There is no game 'chess'"),
        ('game = "number-duel"\n[options]\ntarget = -1', "target must be"),
        ('game = "number-duel"\n[options]\nspeed = 1', "no option 'speed'"),
    ],
)
def test_invalid_rules_are_refused_with_a_clear_message(text: str, problem: str, duels: Run, home: Path) -> None:
    (home / "bad.toml").write_text(text)
    refused = duels("rules", "number-duel", "--rules", "bad.toml")
    assert refused.returncode == 2
    assert problem in refused.stderr


def test_rules_for_another_game_are_refused(duels: Run, home: Path) -> None:
    (home / "quest.toml").write_text('game = "number-quest"')
    refused = duels("rules", "number-duel", "--rules", "quest.toml")
    assert (refused.returncode, refused.stderr) == (
        2,
        "duels: The rules in 'quest.toml' are for number-quest, not for number-duel.\n",
    )


# The commands


def test_report_in_words_and_as_json(duels: Run, home: Path) -> None:
    words = duels("lab", "report", "operation-target", "--plot", "a.svg")
    assert words.stdout.startswith("Operation Target by the book\n\nWith best play Player 1 wins after 8 moves.\n")
    assert (home / "a.svg").read_text().startswith("<?xml")
    report = json.loads(duels("lab", "report", "operation-target", "--json").stdout)
    assert report == {"version": 1, **json.loads(json.dumps(measure(dd.game("operation-target")).to_dict()))}


def test_a_comparison_as_json_has_a_report_for_each_rule_set_in_order(duels: Run, home: Path) -> None:
    (home / "small.toml").write_text('game = "operation-target"\n[options]\ntarget = 9\n')
    compared = json.loads(duels("lab", "compare", "small.toml", "operation-target", "--json").stdout)
    reports = [measure(dd.game("operation-target", **options)).to_dict() for options in ({"target": 9}, {})]
    assert compared == {"version": 1, "reports": json.loads(json.dumps(reports))}


def test_a_comparison_has_a_column_for_each_rule_set(duels: Run, home: Path) -> None:
    (home / "small.toml").write_text('game = "operation-target"\n[options]\ntarget = 9\n')
    table = duels("lab", "compare", "operation-target", "small.toml", "--plot", "both.png").stdout
    assert "(A) Operation Target by the book\n(B) Operation Target: first to 9\n" in table
    assert (home / "both.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["lab", "report", "number-duel", "--plot", "a.gif"], "must end in .svg or .png"),
        (["lab", "sweep", "number-duel", "--set", "target=5", "--out", "a.csv"], "must end in .parquet"),
        (["lab", "sweep", "number-duel", "--set", "speed=5", "--out", "a.parquet"], "The options of number-duel are"),
        (["lab", "search", "number-duel", "--for", "fun"], "--for takes fair or deep"),
        (["lab", "sweep", "number-duel", "--out", "a.parquet", "--plot", "a.svg"], "--plot shows the values of --set"),
        (["lab", "report", "number-duel:broken"], "has no preset 'broken'"),
    ],
)
def test_invalid_arguments_are_refused_with_a_clear_message(words: list[str], problem: str, duels: Run) -> None:
    refused = duels(*words)
    assert refused.returncode == 2
    assert problem in refused.stderr


@pytest.mark.parametrize(
    ("module", "words", "message"),
    [
        (
            "optuna",
            ["lab", "search", "number-duel", "--trials", "5"],
            "A search of more rule sets than --trials requires Optuna: pip install 'digitduels[search]'.",
        ),
        (
            "pyarrow",
            ["lab", "sweep", "number-duel", "--set", "target=5", "--out", "a.parquet"],
            "A sweep requires pyarrow: pip install 'digitduels[parquet]'.",
        ),
        (
            "pyarrow",
            ["dataset", "operation-target", "--positions", "5", "--out", "a.parquet"],
            "Writing Parquet requires pyarrow: pip install 'digitduels[parquet]'.",
        ),
        (
            "distributed",
            ["lab", "search", "number-duel", "--cluster", "tcp://127.0.0.1:9"],
            "--cluster requires Dask: pip install 'digitduels[cluster]'.",
        ),
        *(
            ("matplotlib", [*words, "--plot", "a.svg"], "--plot requires Matplotlib: pip install 'digitduels[plots]'.")
            for words in (
                ["lab", "report", "operation-target"],
                ["lab", "compare", "operation-target", "operation-target:repaired"],
                ["lab", "sweep", "operation-target", "--out", "a.parquet"],
                ["solve", "operation-target"],
            )
        ),
        (
            "matplotlib",
            ["suite", "report", ".", "--out", "results"],
            "--out requires Matplotlib: pip install 'digitduels[plots]'.",
        ),
        *(
            ("inspect_ai", words, f"{purpose} requires Inspect: pip install 'digitduels[inspect]'.")
            for words, purpose in (
                (["suite", "run", "digitduels/random"], "Running the suite"),
                (["suite", "report", "."], "Reading logs"),
                (["eval", "."], "Reading logs"),
            )
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:2]),
)
def test_a_missing_extra_is_named(
    module: str, words: list[str], message: str, duels: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    for name in [name for name in sys.modules if name.startswith(f"{module}.")]:
        monkeypatch.setitem(sys.modules, name, None)
    refused = duels(*words)
    assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", f"duels: {message}\n")
    assert not [path.name for path in home.iterdir() if path.is_file()]


def test_a_search_that_tries_every_rule_set_needs_no_extra(duels: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    words = ["lab", "search", "operation-target", "--set", "target=9,12", "--set", "start=1", "--processes", "1"]
    assert duels(*words).returncode == 0


# Editions


@pytest.mark.parametrize("name", EDITIONS)
def test_a_repaired_edition_is_close_to_its_book(name: str, duels: Run) -> None:
    found, options = rule_set(f"{name}:repaired")
    edition = dd.game(found, **options)
    assert edition.id == name
    assert 1 <= len(edition.changes) <= 2
    assert edition.changes == options
    assert duels("rules", f"{name}:repaired").returncode == 0


def test_a_game_without_a_preset_is_the_book() -> None:
    for name in dd.games():
        assert rule_set(name) == (name, {})


def test_repaired_number_duel_is_fairer_and_deeper_than_a_small_book() -> None:
    """The book itself takes minutes; with half its pool it is decided just as quickly."""
    name, options = rule_set("number-duel:repaired")
    edition, small = measure(dd.game(name, **options)), measure(dd.game(name, highest=5))
    assert min(edition.fair, edition.deep) >= min(small.fair, small.deep)
    assert edition.plies > 3


def test_a_report_is_read_back_from_json() -> None:
    for options in ({}, {"target": 9}):
        report = measure(dd.game("operation-target", **options))
        again = report_from(json.loads(json.dumps(report.to_dict())))
        assert again == report
        assert again.lengths == report.lengths


# Stored reports


@pytest.mark.parametrize("name", [name for game in dd.games() for name in (game, f"{game}:repaired")])
def test_stored_figures_agree_with_the_current_levels(name: str) -> None:
    """If this fails, the levels play differently: raise LEVELS_VERSION and run `python docs/lab_reports.py`."""
    found, options = rule_set(name)
    report = stored_report(dd.game(found, **options))
    assert report is not None, f"run `python docs/lab_reports.py {name}`"
    if report.positions < 1_000_000:  # larger ones take too long to measure again
        assert report == measure(report.game)


def test_a_report_of_other_levels_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    book = dd.game("operation-target")
    assert stored_report(book) is not None
    for name, version in (("LEVELS_VERSION", LEVELS_VERSION), ("GAUGES_VERSION", GAUGES_VERSION)):
        with monkeypatch.context() as patch:
            patch.setattr(stored_reports, name, version + 1)
            assert stored_report(book) is None


def test_an_edition_is_better_than_its_book_in_both_gauges_by_more_than_the_wobble() -> None:
    kept = []
    for name in EDITIONS:
        book, edition = (
            stored_report(dd.game(found, **options)) for found, options in map(rule_set, (name, f"{name}:repaired"))
        )
        assert book is not None
        assert edition is not None
        assert book.wobble
        assert edition.wobble
        gains = {gauge: getattr(edition, gauge) - getattr(book, gauge) for gauge in GOALS}
        if all(gains[gauge] > max(book.wobble[gauge], edition.wobble[gauge]) for gauge in GOALS):
            kept.append(name)
    rows = re.findall(r"^\| `([a-z-]+):repaired` \|.*\| (yes|no) \|", (ROOT / "docs/lab.md").read_text(), re.M)
    assert {name for name, better in rows if better == "yes"} == set(kept)
    assert {name for name, _ in rows} == set(EDITIONS)


def test_a_rule_set_without_a_stored_report_has_none() -> None:
    assert stored_report(dd.game("number-duel", target=33)) is None


def test_the_documentation_shows_the_stored_figures() -> None:
    spec = importlib.util.spec_from_file_location("lab_reports", ROOT / "docs/lab_reports.py")
    assert spec is not None
    assert spec.loader is not None
    lab_reports = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lab_reports)
    assert lab_reports.PAGE.read_text(encoding="utf-8") == lab_reports.page([*read_reports().values()])
