"""suite-v2: simple rules fail in it, perfect play does not; twins, names, and questions beyond the move."""

from __future__ import annotations

import json
import re
from collections import Counter
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import ROOT
from digitduels.cli.errors import FILE
from digitduels.cli.main import main
from digitduels.evals import protocol, suite_tasks
from digitduels.evals.protocol import Style, original, renamed
from digitduels.evals.suite import FROZEN, SUITE, SUITE_V2, Suite, SuiteError, band, position_key, read_suite
from digitduels.evals.suite_results import reference
from digitduels.evals.suite_tasks import suite_v2, suite_v2_questions
from digitduels.evals.suite_v2 import (
    QUESTION_KINDS,
    SALTS,
    V2_CANARY,
    V2_DISTANCES,
    V2_SEED,
    Salt,
    grade_answer,
    make_suite_v2,
)
from digitduels.players.heuristics import Greedy, MostNatural
from digitduels.study.splits import split
from evaluation import evaluate
from inspect_warnings import INSPECT_WARNINGS, garbage_of_inspect
from variants import solve

__all__ = ["garbage_of_inspect"]

pytestmark = [pytest.mark.slow, *INSPECT_WARNINGS]

SMALL = {
    "number-quest": Salt(lambda rng: {"target": rng.randint(15, 25), "highest": 4, "tie": "draw"}, 5, 10),
    "number-duel": Salt(lambda rng: {"target": rng.randint(15, 25), "highest": 4}, 5, 10),
}


BALANCED = [name for name, salt in SALTS.items() if salt.rules]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small suite in its own folder."""
    file = tmp_path_factory.mktemp("suite") / "small.json"
    file.write_bytes(make_suite_v2("small", "1", salts=SMALL))
    return file


@pytest.fixture(scope="module")
def suite(small: Path) -> Suite:
    return read_suite(small)


def test_the_public_file_is_frozen_balanced_and_has_a_canary() -> None:
    public = read_suite(SUITE_V2)
    assert public.sha256 == FROZEN[SUITE_V2]
    assert V2_CANARY.encode() in SUITE_V2.read_bytes()
    games = Counter(public.variants[item["variant"]]["game"] for item in public.positions)
    assert games == {name: salt.positions for name, salt in SALTS.items()}
    values = Counter(item["value"] for item in public.positions)
    assert min(values.values()) >= 8, "draws and lost positions are more than a token"
    assert values.keys() == {"win", "draw", "loss"}
    distances = [item["distance"] for item in public.positions]
    assert sum(5 <= distance <= 12 for distance in distances) > len(distances) / 2
    assert {band(distance, V2_DISTANCES) for distance in distances} == set(range(len(V2_DISTANCES) + 1))
    assert max(distances) >= 20
    page = " ".join((ROOT / "docs/suite.md").read_text(encoding="utf-8").split())
    near, middle = (sum(low <= distance <= high for distance in distances) for low, high in ((0, 4), (5, 12)))
    further = len(distances) - near - middle
    assert f"lost positions ({values['win']}, {values['draw']} and {values['loss']})" in page
    assert (
        f"({near} up to 4 plies from the end, {middle} of 5 to 12, {further} further, up to {max(distances)})" in page
    )
    for row in (*public.positions, *public.questions):
        assert row["canary"] == public.canary == V2_CANARY
        assert V2_CANARY in public.variants[row["variant"]]["rules"], "every prompt has the canary"
    for item in public.positions:
        match = public.match(item)
        assert split(match.game, match.state) == "test"
        assert not any(
            likely
            for rule in (Greedy(match.game), MostNatural(match.game))
            for move, likely in rule.probabilities(match.state).items()
            if str(move) in item["keeping"]
        )


def test_the_generator_reproduces_the_public_positions_of_a_game() -> None:
    """For the game that is solved fastest; the whole file takes a minute or two."""
    name, public = "numerical-nexus", read_suite(SUITE_V2)
    made = json.loads(make_suite_v2("suite-v2", V2_SEED, salts={name: SALTS[name]}))

    def prompts(variants: list[Any], items: list[Any]) -> set[tuple[str, str]]:
        chosen = [(variants[item["variant"]], item["prompt"]) for item in items]
        return {(variant["rules"], prompt) for variant, prompt in chosen if variant["game"] == name}

    assert prompts(made["variants"], made["positions"]) == prompts(public.variants, public.positions)


@pytest.mark.parametrize("task", [suite_v2, suite_v2_questions])
def test_a_changed_file_of_version_2_is_refused(task: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "suite-v2.json"
    changed.write_bytes(SUITE_V2.read_bytes() + b" ")
    monkeypatch.setattr(suite_tasks, "SUITE_V2", changed)
    monkeypatch.setitem(FROZEN, changed, FROZEN[SUITE_V2])
    with pytest.raises(SuiteError, match=r"suite-v2.json was changed: its SHA-256 is"):
        task()


def test_every_command_refuses_a_changed_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(FROZEN, SUITE_V2, "0" * 64)
    changed = f"suite-v2.json was changed: its SHA-256 is {sha256(SUITE_V2.read_bytes()).hexdigest()}, not {'0' * 64}."
    for arguments in (
        ["suite", "report", str(tmp_path), "--suite", "v2"],
        ["suite", "reference", "--suite", "v2"],
        ["suite", "run", "digitduels/perfect", "--suite", "v2"],
        ["suite", "package", "--out", str(tmp_path / "package"), "--suite", "v2"],
        ["suite", "private", "--seed", "a", "--out", str(tmp_path / "twin.json")],
        ["dataset", "number-quest", "--positions", "1"],
    ):
        assert main(arguments) == FILE
        assert changed in capsys.readouterr().err


def test_the_published_rows_say_what_was_aimed_for() -> None:
    """Simple rules at or below chance, levels 3 to 6 spread out, no game much of the weight, perfect play 1."""
    page = (ROOT / "docs/suite.md").read_text(encoding="utf-8")
    table = page.partition("<!-- reference_v2 -->\n")[2].partition("<!-- end -->")[0]
    assert f"SHA-256 `{FROZEN[SUITE_V2][:12]}…`" in table
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if "|" in line]
    found = {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}
    skill = {name: float(row["skill"]) for name, row in found.items()}
    assert skill["perfect"] == 1.0
    assert max(skill["greedy"], skill["natural"]) <= skill["random"] == 0.0
    assert max(skill["not greedy"], skill["runner-up"], skill["first listed"]) < 0.15
    assert max(float(found[rule][name]) for rule in ("runner-up", "first listed") for name in BALANCED) < 0.05
    levels = [skill[f"level {level}"] for level in (3, 4, 5, 6)]
    assert all(after - before >= 0.05 for before, after in pairwise(levels))
    assert levels[-1] - levels[0] >= 0.3
    public, weights = read_suite(SUITE_V2), dict[str, float]()
    for item in public.positions:
        name = public.variants[item["variant"]]["game"]
        weights[name] = weights.get(name, 0.0) + 1 - len(item["keeping"]) / item["legal"]
    for name, weight in weights.items():
        simple = max(float(found[rule][name]) for rule in ("greedy", "not greedy", "runner-up", "search, 4 plies"))
        assert weight < sum(weights.values()) / 4 or simple < 0.5, name


def test_simple_rules_find_nothing_and_perfect_play_finds_everything(suite: Suite) -> None:
    rows = {row["model"]: row["skill"] for row in reference(suite)}
    assert rows["greedy"]["found"] == rows["natural"]["found"] == 0
    assert rows["greedy"]["value"] < 0
    assert rows["perfect"]["value"] == 1.0
    assert rows["level 3"]["value"] < rows["level 6"]["value"] < 1


def test_the_answers_keep_the_value_or_are_hardest_to_answer(suite: Suite) -> None:
    assert len(suite.positions) == 20
    assert {item["value"] for item in suite.positions} >= {"win", "loss"}
    for item in suite.positions:
        match = suite.match(item)
        judgement = solve(match.game).judge(match.state)
        assert 0 < len(item["keeping"]) <= item["legal"] / 2
        assert len(judgement) == item["legal"]
        if item["value"] != "loss":
            assert sorted(item["keeping"]) == sorted(map(str, judgement.keeping))


def test_the_answers_to_the_questions_are_complete() -> None:
    """Each again from the values of all moves and replies, in the rule sets that are solved fastest."""
    public, asked = read_suite(SUITE_V2), Counter[str]()
    for item in public.questions:
        match = public.match(item)
        game, solution = match.game, solve(match.game)
        if game.id in ("number-duel", "number-quest") and game.values["highest"] > 6:
            continue
        value, legal = solution.probe(match.state).value, game.legal_moves(match.state)
        if item["kind"] == "value":
            assert item["answer"] == {1: "win", 0: "draw", -1: "loss"}[value]
        elif item["kind"] == "keeping":
            assert item["answer"] == [
                str(move) for move in legal if -solution.probe(game.play(match.state, move)).value == value
            ]
        else:
            after = game.play(match.state, game.read(item["move"]))
            replies = game.legal_moves(after)
            proofs = [str(reply) for reply in replies if solution.probe(game.play(after, reply)).value < value]
            assert item["answer"] == proofs
            assert 0 < len(proofs) < len(replies) == item["legal"]
        asked[item["kind"]] += 1
    assert min(asked[kind] for kind in QUESTION_KINDS) >= 10


def test_prompts_use_the_names_of_the_rule_set_only(suite: Suite) -> None:
    for item in suite.positions:
        variant, rules = suite.variants[item["variant"]], suite.game(item)
        style = Style(words=variant["words"])
        assert rules.title not in variant["rules"]
        assert variant["title"] in variant["rules"]
        for token in map(str, rules.moves):
            assert original(renamed(token, style), style) == token
        (listed,) = [line for line in item["prompt"].splitlines() if line.startswith("Your legal moves: ")]
        names = listed.removeprefix("Your legal moves: ").split()
        assert [original(name, style) for name in names] == list(map(str, rules.legal_moves(suite.match(item).state)))
        assert not set(names) & set(map(str, rules.moves))


def test_a_twin_has_the_same_kinds_but_other_positions_and_a_canary(suite: Suite, small: Path) -> None:
    one = make_suite_v2("twin", "secret", suite, SMALL)
    assert b"secret" not in one
    file = small.parent / "twin.json"
    file.write_bytes(one)
    twin = read_suite(file)

    def kinds(of: Suite) -> Counter[Any]:
        return Counter((of.variants[item["variant"]]["game"], item["kind"]) for item in of.positions)

    def keys(of: Suite) -> set[str]:
        return {position_key(of.match(item)) for item in of.positions}

    assert kinds(twin) == kinds(suite)
    assert abs(twin.mean_chance - suite.mean_chance) < 0.05
    assert not keys(twin) & keys(suite)
    assert "Canary: digitduels-private-" in json.loads(one)["canary"]


def test_a_game_without_enough_positions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("digitduels.evals.suite_v2._TRIES", 3)
    salts = {"operation-target": Salt(lambda _: {"target": 3}, 5, 4)}
    with pytest.raises(SuiteError, match="There are only 0 of 4 positions of operation-target"):
        make_suite_v2("none", "1", salts=salts)


def test_our_players_answer_in_the_names_of_the_rule_set(small: Path, suite: Suite) -> None:
    def metrics(task: Any, player: str) -> dict[str, float]:
        (log,) = evaluate(task, f"digitduels/{player}", small.parent / "logs")
        assert log.results is not None
        return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}

    assert metrics(suite_v2(str(small)), "perfect")["skill"] == 1.0
    assert metrics(suite_v2(str(small)), "greedy")["found"] == 0.0
    assert {item["kind"] for item in suite.questions} == set(QUESTION_KINDS)
    perfect, guess = (metrics(suite_v2_questions(str(small)), player) for player in ("perfect", "random"))
    assert [perfect[kind] for kind in QUESTION_KINDS] == [1.0, 1.0, 1.0]
    assert guess["value"] == pytest.approx(2 / 3, abs=1e-3)


def test_the_score_of_a_value_is_proper() -> None:
    """Whoever believes in 70 % expects the most by saying so."""

    def expected(said: float) -> float:
        text = json.dumps({"win": said, "draw": 0, "loss": 1 - said})
        return 0.7 * grade_answer("value", text, "win", Style()) + 0.3 * grade_answer("value", text, "loss", Style())

    assert max(range(11), key=lambda tenth: expected(tenth / 10)) == 7


@pytest.mark.parametrize(
    "text", ["win", '{"win": 1}', '{"win": 2, "draw": -1, "loss": 0}', '{"win": "1", "draw": 0, "loss": 0}', "{}"]
)
def test_an_answer_in_another_form_scores_nothing(text: str) -> None:
    assert grade_answer("value", text, "win", Style()) == 0.0
    assert grade_answer("keeping", text, ["+1"], Style()) == 0.0
    assert grade_answer("refutation", text, ["+1"], Style()) == 0.0


def test_a_refusal_does_not_use_the_old_names() -> None:
    suite_match = protocol.Style(words=[("+", "zor")])
    assert original("ZOR 5", suite_match) == "+5"
    assert grade_answer("refutation", '{"move": "zor5"}', ["+5"], suite_match) == 1.0
    assert grade_answer("keeping", '{"moves": ["zor5", "zor4"]}', ["+5"], suite_match) == 0.0


# Packaging


@pytest.fixture(scope="module", params=[SUITE, SUITE_V2], ids=["v1", "v2"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a public suite."""
    out = tmp_path_factory.mktemp("dataset")
    version = {SUITE: "v1", SUITE_V2: "v2"}[request.param]
    assert main(["suite", "package", "--suite", version, "--out", str(out)]) == 0
    return out


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # mlcroissant uses what its own libraries deprecate
def test_croissant_is_valid_and_reads_all_rows(folder: Path) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    assert not issues.warnings
    described = json.loads((folder / "croissant.json").read_bytes())
    assert {key for key in described if key.startswith("rai:")} >= {
        "rai:dataCollection",
        "rai:dataBiases",
        "rai:dataLimitations",
        "rai:dataUseCases",
        "rai:dataSocialImpact",
        "rai:personalSensitiveInformation",
        "rai:dataReleaseMaintenancePlan",
    }
    for file in described["distribution"]:
        assert file["sha256"] == sha256((folder / file["contentUrl"]).read_bytes()).hexdigest()
    for records in described["recordSet"]:
        name = records["name"]
        lines = [json.loads(line) for line in (folder / f"{name}.jsonl").read_bytes().splitlines()]
        rows = list(dataset.records(name))
        assert len(rows) == len(lines) > 0
        for row, line in zip(rows, lines, strict=True):
            assert {key.partition("/")[2] for key in row} == set(line)
            assert row[f"{name}/prompt"].decode() == line["prompt"]


def test_inspect_accepts_eval_yaml_and_grades_by_it(folder: Path) -> None:
    from inspect_ai._eval.task.hf import HFTask

    (settings,) = yaml.safe_load((folder / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    task = HFTask.model_validate(settings)
    rows = [json.loads(line) for line in (folder / f"{task.config}.jsonl").read_bytes().splitlines()]
    assert all({task.field_spec.input, task.field_spec.target} <= set(row) for row in rows)
    pattern = task.scorers[0].args["pattern"]
    for row in rows:
        reply = f'Not {{"move": "no"}} but\n{{"move": "{row["answer"]}"}}'
        assert re.search(pattern, reply, re.IGNORECASE).group(1) == row["answer"]  # type: ignore[union-attr]
        assert row["right"] == [row["answer"]]
        assert row["answer"] in row["prompt"]


def test_the_card_says_what_was_not_measured_and_names_all_files(folder: Path) -> None:
    card = (folder / "README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(card.split("---")[1])
    assert {config["data_files"][0]["path"] for config in head["configs"]} == {
        path.name for path in folder.glob("*.jsonl")
    }
    assert "No language model and no person has been measured" in card
    assert "Canary: digitduels-suite-" in card


# Rule sets from a seed


def test_a_run_draws_its_rule_sets_from_a_seed_and_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], small: Path
) -> None:
    monkeypatch.setattr("digitduels.evals.suite.SUITE_V2", small)
    monkeypatch.setattr("digitduels.evals.suite_v2.SALTS", SMALL)
    arguments = ["suite", "run", "digitduels/perfect", "--suite", "v2", "--seed", "a b", "--logs", str(tmp_path)]
    assert main(arguments) == 0
    told = capsys.readouterr().out
    (file,) = tmp_path.glob("suite-v2-*.json")
    drawn = read_suite(file)
    assert "Rule sets of the seed 'a b' in " in told
    assert f"suite-v2 with the seed a b, SHA-256 {drawn.sha256}" in told
    assert "| digitduels/perfect | 1.000 |" in told
    assert drawn.sha256 != read_suite(small).sha256


@pytest.mark.parametrize("words", [["--seed", "1"], ["--seed", "1", "--suite", "v2", "--file", "x.json"]])
def test_a_seed_without_its_suite_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", "run", "digitduels/random", *words]) == 2
    assert "--seed needs --suite v2, and no --file." in capsys.readouterr().err
