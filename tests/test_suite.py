"""The frozen benchmark: its file never changes and is correct; runs and reports."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from conftest import Run
from digitduels.cli.main import main
from digitduels.evals import _registry, protocol, suite_tasks
from digitduels.evals.dataset import reached
from digitduels.evals.inspect_logs import LogError
from digitduels.evals.protocol import NoAnswer
from digitduels.evals.suite import (
    CHANCES,
    DISTANCES,
    FROZEN,
    PUBLIC_SEED,
    RULE_SETS,
    SUITE,
    SuiteError,
    band,
    make_suite,
    read_suite,
)
from digitduels.evals.suite_results import gap, page, read_results, reference
from digitduels.evals.suite_tasks import suite_v1, suite_v1_games
from digitduels.players.levels import LEVELS_VERSION
from digitduels.plots import draw_gap, draw_skill, render
from digitduels.study.splits import split
from evaluation import evaluate
from inspect_warnings import INSPECT_WARNINGS, garbage_of_inspect
from variants import solve

__all__ = ["garbage_of_inspect"]

pytestmark = [pytest.mark.slow, *INSPECT_WARNINGS]

DOCS = Path(__file__).parents[1] / "docs"
SMALL = (("number-quest", {"target": 9, "highest": 3}), ("number-duel", {"target": 20, "highest": 5}))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small suite in its own folder."""
    file = tmp_path_factory.mktemp("suite") / "small.json"
    file.write_bytes(make_suite("small", "1", SMALL, 6, starts=1))
    return file


def test_the_file_has_the_published_checksum() -> None:
    assert read_suite().sha256 == FROZEN[SUITE]
    assert b"Canary: digitduels-suite-v1-5b0e2b1c-7d0f-4c35-9a53-2f1f6a0c9e41" in SUITE.read_bytes()


@pytest.mark.parametrize("task", [suite_v1, suite_v1_games])
def test_a_changed_file_is_refused(task: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "suite-v1.json"
    changed.write_bytes(SUITE.read_bytes() + b" ")
    monkeypatch.setattr(suite_tasks, "SUITE", changed)
    monkeypatch.setitem(FROZEN, changed, FROZEN[SUITE])
    with pytest.raises(SuiteError, match=r"suite-v1.json was changed: its SHA-256 is"):
        task()
    monkeypatch.undo()
    assert task(str(changed)).dataset  # as a private suite


def test_the_generator_reproduces_the_published_positions() -> None:
    """For some small rule sets; the whole file takes minutes."""
    suite = read_suite()
    chosen = [index for index, (name, _) in enumerate(RULE_SETS) if name == "operation-target"][:2]
    made = json.loads(make_suite(suite.name, PUBLIC_SEED, [RULE_SETS[index] for index in chosen]))
    for number, index in enumerate(chosen):
        # The prompts of the file are frozen, and those of new files are today's.
        assert {**made["variants"][number], "rules": ""} == {**suite.variants[index], "rules": ""}
        old, new = (
            [{**item, "id": 0, "variant": 0, "prompt": ""} for item in items if item["variant"] == variant]
            for items, variant in ((suite.positions, index), (made["positions"], number))
        )
        assert old == new
        moves = [start["moves"] for start in made["starts"] if start["variant"] == number]
        assert moves == [start["moves"] for start in suite.starts if start["variant"] == index]


def test_positions_and_starts_are_from_the_test_split_and_fill_the_strata() -> None:
    suite = read_suite()
    assert [(variant["game"], variant["book"]) for variant in suite.variants] == [
        (name, not options) for name, options in RULE_SETS
    ]
    states = set()
    for item in suite.positions:
        match = suite.match(item)
        assert split(match.game, match.state) == "test"
        assert len(match.game.legal_moves(match.state)) == item["legal"] > len(item["keeping"]) > 0
        assert len(item["keeping"]) / item["legal"] <= CHANCES[-1]
        states.add((match.game, match.state))
    assert len(states) == len(suite.positions) == 264
    for item in suite.starts:
        assert split(suite.game(item), suite.match(item).state) == "test"
    strata = Counter(band(item["distance"], DISTANCES) for item in suite.positions)
    assert min(strata.values()) >= 15


def test_the_listed_moves_keep_the_value() -> None:
    suite = read_suite()
    checked = 0
    for item in suite.positions:
        game = suite.game(item)
        if game.id == "operation-target" or (game.id == "number-duel" and game.changes):
            judgement = solve(game).judge(suite.match(item).state)
            assert sorted(map(str, judgement.keeping)) == sorted(item["keeping"])
            assert (judgement.best_verdict.distance, judgement.critical) == (item["distance"], True)
            checked += 1
    assert checked == 40


def run(task: Any, model: Any, folder: Path) -> Any:
    (log,) = evaluate(task, model, folder, fail_on_error=False)
    assert log.status == "success", log.error
    return log


def test_perfect_scores_1_random_0_within_its_interval_and_bad_answers_less(small: Path) -> None:
    assert _registry
    folder = small.parent / "logs"
    for name in ("perfect", "random", "copier"):
        run(suite_v1(str(small)), f"digitduels/{name}", folder)
    suite = read_suite(small)
    rows = {row["model"].removeprefix("digitduels/"): row for row in read_results(suite, [folder])}
    assert rows["perfect"]["skill"]["value"] == 1.0
    assert rows["random"]["skill"]["low"] <= 0 <= rows["random"]["skill"]["high"]
    assert rows["copier"]["forfeits"] == rows["copier"]["positions"] == len(suite.positions)
    assert rows["copier"]["skill"]["value"] < 0


@pytest.mark.parametrize("model", ["nosuch/model", "digitduels/nobody"])
def test_a_mistyped_model_is_refused_with_the_reason(model: str, duels: Run, home: Path) -> None:
    result = duels("suite", "run", model, "--limit", "1")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"duels: The model '{model}' cannot be used: ")
    assert not (home / "logs").exists()


def test_hostile_models_forfeit_and_errors_are_counted_separately(small: Path) -> None:
    folder, suite = small.parent / "hostile", read_suite(small)
    asked = 0

    def answers(*_: object) -> ModelOutput:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise RuntimeError("The provider is overloaded.")
        output = ModelOutput.from_content("mockllm/model", "so long " * 20_000)
        if asked % 2:
            output = ModelOutput.for_tool_call("mockllm/model", "play", {"move": "+1"})
        output.usage = ModelUsage()
        return output

    run(suite_v1(str(small)), get_model("mockllm/model", custom_outputs=answers), folder)
    (row,) = read_results(suite, [folder])
    assert read_results(suite, [folder, folder]) == [row]  # each sample counts once
    assert (row["errors"], row["forfeits"]) == (1, len(suite.positions) - 1)
    assert asked <= 3 * len(suite.positions)


def test_reference_rows_are_exact(small: Path) -> None:
    rows = {row["model"]: row for row in reference(read_suite(small))}
    assert rows["random"]["skill"]["value"] == 0.0
    assert rows["perfect"]["skill"]["value"] == 1.0
    levels = [rows[f"level {level}"]["skill"]["value"] for level in range(2, 7)]
    assert levels == sorted(levels)
    near, far = (rows[f"search, {depth} plies, else random"]["skill"]["value"] for depth in (2, 4))
    assert 0 < near < far < 1
    assert rows["greedy"]["over_greedy"]["value"] == 0.0
    assert rows["perfect"]["over_greedy"]["value"] == 1.0
    assert rows["search, 2 plies"]["skill"]["value"] >= near


def test_games_are_played_from_both_seats(small: Path) -> None:
    folder = small.parent / "games"
    log = run(suite_v1_games(str(small)), "digitduels/perfect", folder)
    assert read_results(read_suite(small), [folder]) == []  # positions only
    assert {sample.metadata["seat"] for sample in log.samples} == {1, 2}
    assert log.results.scores[0].metrics["thrown"].value == 0.0


def test_the_command_runs_and_reports(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs, out = small.parent / "command", small.parent / "report"
    arguments = ["--file", str(small), "--logs", str(logs)]
    assert main(["suite", "run", "digitduels/perfect", *arguments, "--limit", "4"]) == 0
    assert "| digitduels/perfect | 1.000 |" in capsys.readouterr().out
    assert main(["suite", "report", str(logs), "--file", str(small), "--out", str(out), "--json"]) == 0
    shown = capsys.readouterr().out
    (row,) = json.loads(shown[shown.index("{") :])["rows"]
    assert (row["positions"], row["of"]) == (4, 12)
    page = (out / "results.md").read_text()
    assert "(skill.svg)" in page
    assert "(gap.svg)" in page
    assert re.search(r"^\| digitduels/perfect \|( (1\.00|–) \|){4}$", page, re.MULTILINE)
    # One dot for all games and one for each of the two; one for the variants, as this suite has no game by the book.
    for draw, dots in ((draw_skill, 3), (draw_gap, 1)):
        assert sum(len(axes.containers) for axes in draw("a suite", [row]).axes) == dots
    for plot in ("skill.svg", "gap.svg"):
        assert "digitduels/perfect" in words_in((out / plot).read_bytes())


def test_published_rows_agree_with_the_current_levels_and_the_documentation() -> None:
    """If this fails, the levels changed: run `python -m benchmarks reference` and the commands of docs/suite.md."""
    assert f"\nLevels of version {LEVELS_VERSION};" in (DOCS / "suite.md").read_text(encoding="utf-8")
    found = json.loads((DOCS / "results" / "suite" / "results.json").read_text(encoding="utf-8"))
    suite, rows = read_suite(), found["rows"]
    assert found["sha256"] == suite.sha256
    assert {row["levels"] for row in rows if row["model"].startswith("digitduels/")} == {LEVELS_VERSION}
    assert (DOCS / "results" / "suite" / "results.md").read_text(encoding="utf-8") == page(suite, rows)
    for name, figure in (("skill.svg", draw_skill(suite.name, rows)), ("gap.svg", draw_gap(suite.name, rows))):
        stored, drawn = (DOCS / "results" / "suite" / name).read_bytes(), render(figure, ".svg")
        if drawn_by(stored) == drawn_by(drawn):
            assert stored == drawn
        else:  # other versions of Matplotlib place things differently
            assert words_in(stored) == words_in(drawn)


def test_a_model_with_dollar_signs_in_its_name_is_drawn() -> None:
    row = json.loads((DOCS / "results" / "suite" / "results.json").read_text(encoding="utf-8"))["rows"][0]
    assert "a$b^$_c" in words_in(render(draw_skill("a suite", [{**row, "model": "a$b^$_c"}]), ".svg"))


def drawn_by(svg: bytes) -> list[bytes]:
    return re.findall(rb"Matplotlib v[0-9.]+", svg)


def words_in(svg: bytes) -> list[str]:
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(text.itertext()) for text in texts]


def test_logs_of_other_levels_are_refused(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small.parent / "levels"
    monkeypatch.setattr(suite_tasks, "LEVELS_VERSION", LEVELS_VERSION - 1)
    (log,) = evaluate(suite_v1(str(small)), "digitduels/4", folder, limit=1)
    with pytest.raises(LogError, match=f"levels of version {LEVELS_VERSION - 1}, not {LEVELS_VERSION}"):
        read_results(read_suite(small), [Path(log.location)])


def test_the_interval_of_the_gap_follows_from_both_intervals() -> None:
    book, variants = {"value": 0.5, "low": 0.2, "high": 0.6}, {"value": 0.4, "low": 0.1, "high": 0.8}
    assert gap(book, variants) == {"value": 0.1, "low": -0.4, "high": 0.4162}
    assert gap(book, {"value": None})["value"] is None


def test_the_task_for_lm_eval_grades_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without lm-eval, which is a large package: `make clients` runs the task in lm-eval."""
    monkeypatch.syspath_prepend(str(DOCS.parent / "examples" / "lm_eval"))
    task = import_module("suite_task")
    documents = list(read_suite().rows())
    assert len(documents) == 264
    for document in documents[::30]:
        (best, *_), chance = document["keeping"], document["chance"]
        right = task.graded(document, [f'Not {{"move": "+99"}}, but {{"move": "{best}"}}'])
        assert right == {"skill": (1.0, chance), "found": 1.0, "legal": 1.0}
        for reply in ("I would add five.", '{"move": "+99"}', '{"move": 5}', "{" * 10_000, ""):
            assert task.graded(document, [reply]) == {"skill": (0.0, chance), "found": 0.0, "legal": 0.0}
    assert task.skill([(1.0, 0.25), (1.0, 0.5)]) == 1.0
    assert task.skill([(0.0, 0.25), (1.0, 0.5), (0.0, 0.25)]) == 0.0


def test_our_players_answer_the_questions_of_verifiers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without verifiers, which is a large package: `make clients` runs the environments in verifiers."""
    monkeypatch.syspath_prepend(str(DOCS.parent / "examples" / "verifiers"))
    players = import_module("players")
    rows = [row for row in read_suite().rows() if row["game"] == "operation-target"]
    assert len(rows) == 8
    for row in rows:
        asked, match = [row["rules"], row["prompt"]], reached(row)
        assert str(protocol.move(match, players.reply("perfect", asked))) in row["keeping"]
        with pytest.raises(NoAnswer) as refused:
            protocol.move(match, players.reply("prose", asked))
        again = [*asked, "I would add five.", protocol.refusal(refused.value.reason, match)]
        assert players.position(again).state == match.state
        assert protocol.move(match, players.reply("random", again)) in match.game.legal_moves(match.state)


def test_a_verifiers_run_is_reported_with_skill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS.parent / "examples" / "verifiers"))
    report = import_module("skill").report

    def episode(position: int, found: float) -> str:
        record = {"game": "number-duel", "options": {}, "moves": [f"+{position}"]}
        trace = {"rewards": {"found": {"score": found, "weight": 1.0}}, "metrics": {"chance": 0.25, "legal": 1.0}}
        return json.dumps({"ok": True, "task": {"data": {"record": record}}, "traces": [trace]})

    failed = json.dumps({"ok": False, "traces": []})
    right, wrong = [episode(number, 1.0) for number in range(1, 9)], [episode(number, 0.0) for number in range(1, 9)]
    assert report([*right, failed]).startswith("skill 1.000 (")
    assert report([*right[:2], *wrong[2:]]).startswith("skill 0.000 (")
    assert report([*right[:2], *wrong[2:]]).endswith("found 0.250, chance 0.250, legal 1.000, errors 0")
    assert report([*right, failed]).endswith("found 1.000, chance 0.250, legal 1.000, errors 1")
    assert report(reversed(right * 2 + wrong)) == report(right * 2 + wrong), "the order of the rollouts does not matter"
    assert report([failed]) == "no critical position, errors 1"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run"], 2, "required: MODEL"),
        (["report"], 2, "required: LOG"),
        (["report", "nowhere"], 4, "'nowhere' does not exist."),
        (["private", "--seed", "1"], 2, "required: --out"),
        (["run", "digitduels/random", "--file", "README.md"], 4, "is not a suite"),
    ],
)
def test_invalid_arguments_of_the_suite_are_refused_with_the_reason(
    arguments: list[str], code: int, message: str, duels: Run, home: Path
) -> None:
    (home / "README.md").write_text("# Read me")
    result = duels("suite", *arguments)
    assert (result.returncode, result.stdout) == (code, "")
    assert message in result.stderr


def test_a_private_twin_that_cannot_be_written_is_refused_before_it_is_computed(
    duels: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("digitduels.evals.suite_v2.make_suite_v2", lambda *_, **__: pytest.fail("computed"))
    result = duels("suite", "private", "--seed", "1", "--out", "no/such/folder/private.json")
    assert result.returncode == 4
    assert "private.json' cannot be written" in result.stderr
