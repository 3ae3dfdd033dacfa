"""Language models with Inspect: real runs without a network, with our own players as models, and their leaderboard.

The evaluations run once, in this process, and every test examines their logs.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from inspect_ai import score
from inspect_ai.log import EvalLog, EvalSample, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes

import digitduels as dd
from careless import careless
from conftest import ROOT
from digitduels.cli.main import main
from digitduels.evals import _registry
from digitduels.evals.inspect_logs import read_logs
from digitduels.evals.leaderboard import grade_logs, leaderboard, performance
from digitduels.evals.tasks import exact_game, match, positions, right_answer, rules
from digitduels.match import LONGEST_WORDS, Match
from digitduels.record import load, replay, to_record
from evaluation import evaluate
from inspect_warnings import INSPECT_WARNINGS, garbage_of_inspect
from test_docs import DOCS, FENCE, blocks, first_column, key_paths, section

__all__ = ["garbage_of_inspect"]

CARELESS = ("illegal", "prose", "hasty")
pytestmark = [pytest.mark.slow, *INSPECT_WARNINGS]

QUEST = {"target": 12, "highest": 4}
SMALL: dict[str, dict[str, Any]] = {
    "numerical-nexus": {"target": 12, "uses": (2, 1, 1, 1, 0, 1)},
    "operation-target": {"target": 30},
    "number-duel": {"target": 20, "highest": 5},
    "equation-duel": {"target": 20, "highest": 6},
    "number-quest": QUEST,
}
MODELS = ("digitduels/perfect", "digitduels/random", "digitduels/copier", *(f"careless/{name}" for name in CARELESS))
KNOWING = ("digitduels/perfect", "careless/illegal", "careless/prose")  # models that are asked about the rules
COUNT = 12
PAGE = DOCS / "frameworks" / "inspect.md"


class Ran(NamedTuple):
    """The logs of the evaluations, by task and model, and their folder."""

    logs: dict[tuple[str, str], EvalLog]
    folder: Path

    def figure(self, task: str, model: str, name: str) -> float:
        results = self.logs[task, model].results
        assert results is not None
        return float(results.scores[0].metrics[name].value)

    def samples(self, task: str, model: str) -> list[EvalSample]:
        return self.logs[task, model].samples or []


@pytest.fixture(scope="module", autouse=True)
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The working directory."""
    folder = tmp_path_factory.mktemp("evals")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


@pytest.fixture(scope="module")
def ran(machine: Path) -> Ran:
    assert _registry  # our tasks and models are registered
    assert careless
    played = [
        positions("number-quest", positions=COUNT, options=QUEST),
        match("number-quest", opponent="4", games=4, options=QUEST),
    ]
    found = [
        log
        for tasks, models in ((played, MODELS), (rules("number-quest", 8, options=QUEST), KNOWING))
        for log in evaluate(tasks, list(models), machine / "logs")
    ]
    assert [log.status for log in found] == ["success"] * (2 * len(MODELS) + len(KNOWING))
    key = re.compile("digitduels/|careless/")
    return Ran({(key.sub("", log.eval.task), key.sub("", log.eval.model)): log for log in found}, machine / "logs")


# The tasks


def test_the_perfect_player_finds_every_move_wins_every_won_game_and_knows_the_rules(ran: Ran) -> None:
    assert ran.figure("positions", "perfect", "found") == 1.0
    assert ran.figure("match", "perfect", "found") == 1.0
    assert ran.figure("match", "perfect", "thrown") == 0.0
    assert ran.figure("rules", "perfect", "legal") == ran.figure("rules", "perfect", "after") == 1.0


def test_a_random_player_finds_the_expected_share(ran: Ran) -> None:
    samples = ran.samples("positions", "random")
    solution = dd.solve(dd.game("number-quest", **QUEST))
    chances = []
    for sample in samples:
        judgement = solution.judge(replay(sample.metadata["record"]).state)
        chances.append(len(judgement.keeping) / len(judgement))
        assert sample.metadata["chance"] == chances[-1]
    found = ran.figure("positions", "random", "found") * len(samples)
    spread = math.sqrt(sum(chance * (1 - chance) for chance in chances))
    assert abs(found - sum(chances)) < 3 * spread


@pytest.mark.parametrize("model", ["illegal", "prose", "copier"])
def test_a_model_without_legal_moves_forfeits_everything_after_three_answers(ran: Ran, model: str) -> None:
    assert ran.figure("positions", model, "found") == ran.figure("match", model, "points") == 0.0
    assert ran.figure("positions", model, "forfeits") == ran.figure("match", model, "forfeits") == 1.0
    assert ran.figure("match", model, "found") == 0.0
    for sample in ran.samples("match", model):
        record, answers = sample.store["Duel:record"], sample.store["Duel:answers"]
        assert len(answers) == len(record["words"]) == 3
        assert record["conceded"] == sample.metadata["seat"]
        assert answers[-1]["reason"] in record["forfeit"]
        assert {each["refused"] for each in answers} <= {"illegal", "invalid"}


def test_a_refused_model_can_answer_again(ran: Ran) -> None:
    assert ran.figure("positions", "hasty", "found") == 1.0
    assert ran.figure("positions", "hasty", "refused") == 0.5
    messages = ran.samples("positions", "hasty")[0].messages
    assert [message.role for message in messages] == ["system", "user", "assistant", "user", "assistant"]
    assert "not" in messages[3].text.partition("\n")[0]


def test_questions_about_the_rules_end_even_if_the_model_calls_tools(machine: Path) -> None:
    asked = 0

    def answers(*_: object) -> ModelOutput:
        nonlocal asked
        asked += 1
        assert asked < 10, "the model is asked again and again"
        output = ModelOutput.for_tool_call("mockllm/model", "play", {"move": "+1"})
        output.usage = ModelUsage(input_tokens=1, output_tokens=1)  # which Inspect would otherwise count on the network
        return output

    model = get_model("mockllm/model", custom_outputs=answers)
    [log] = evaluate(rules("number-quest", 2, options=QUEST), model, machine / "tools")
    assert log.status == "success", log.error
    assert asked == 2
    assert [sample.scores["exact_answer"].value["legal"] for sample in log.samples or []] == [0, 0]  # type: ignore


def test_every_start_is_played_from_both_seats(ran: Ran) -> None:
    samples = ran.samples("match", "random")
    by_pair: dict[str, list[EvalSample]] = {}
    for sample in samples:
        by_pair.setdefault(sample.metadata["pair"], []).append(sample)
    assert len(by_pair) > 1
    for one, two in by_pair.values():
        assert {one.metadata["seat"], two.metadata["seat"]} == {1, 2}
        records = [sample.store["Duel:record"] for sample in (one, two)]
        openings = [record["moves"][: record["opening"]] for record in records]
        assert openings[0] == openings[1]
        assert [record["players"] for record in records] == [
            ["digitduels/random", "4"] if sample.metadata["seat"] == 1 else ["4", "digitduels/random"]
            for sample in (one, two)
        ]


def test_intervals_in_the_logs_agree_with_the_leaderboard_and_never_have_zero_width(ran: Ran) -> None:
    for board in leaderboard(grade_logs(read_logs([ran.folder])))["boards"]:
        if board["task"] == "rules":
            continue
        for row in board["models"]:
            model = row["model"].partition("/")[2]
            skill = row["moves"]["skill"]
            for end in ("value", "low", "high"):
                name = "skill" if end == "value" else f"skill_{end}"
                assert ran.figure(board["task"], model, name) == skill[end]
            assert skill["high"] - skill["low"] > 0.01


def test_the_perfect_player_has_skill_1_and_the_random_one_0_within_its_interval(ran: Ran) -> None:
    for task in ("positions", "match"):
        assert ran.figure(task, "perfect", "skill") == 1.0
        assert ran.figure(task, "random", "skill_low") <= 0 <= ran.figure(task, "random", "skill_high")
    assert ran.figure("positions", "copier", "skill") < 0


def test_epochs_of_a_position_are_one_observation_and_errors_have_a_column(machine: Path) -> None:
    def answers(messages: Any, *_: object) -> ModelOutput:
        if "You are Player 2" in messages[-1].text:
            raise RuntimeError("The provider is overloaded.")
        output = ModelOutput.from_content("mockllm/model", '{"move": "+1"}')
        output.usage = ModelUsage()
        return output

    folder = machine / "errors"
    model = get_model("mockllm/model", custom_outputs=answers)
    task = positions("number-quest", 10, options=QUEST)
    seats = [sample.metadata["seat"] for sample in task.dataset if sample.metadata]
    evaluate(task, model, folder, epochs=3, fail_on_error=False)
    (row,) = leaderboard(grade_logs(read_logs([folder])))["boards"][0]["models"]
    assert 0 < seats.count(2) < 10
    assert (row["errors"], row["samples"], row["different"]) == (3 * seats.count(2), 3 * seats.count(1), seats.count(1))
    assert row["moves"]["decisions"] == row["samples"]


def test_each_turn_is_a_new_conversation_and_only_our_players_get_the_match(ran: Ran) -> None:
    events = [event for event in ran.samples("match", "perfect")[0].events if event.event == "model"]
    assert len(events) > 1
    for event in events:
        assert [message.role for message in event.input] == ["system", "user"]
        assert '"format"' not in event.input[-1].text


def test_questions_about_the_rules_are_balanced_and_wrong_answers_are_wrong(ran: Ran) -> None:
    assert ran.figure("rules", "illegal", "legal") == ran.figure("rules", "illegal", "after") == 0.0
    assert ran.figure("rules", "prose", "legal") == ran.figure("rules", "prose", "after") == 0.0
    targets = [json.loads(str(sample.target)) for sample in ran.samples("rules", "perfect")]
    legal = [target["legal"] for target in targets if "legal" in target]
    assert (len(targets), len(legal), sum(legal)) == (8, 4, 2)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ('{"legal": true}', True),
        ('No. {"legal": false} Yes! {"legal": true}', True),
        ('{"legal": 1}', False),
        ('{"legal": "true"}', False),
        ('{"legal": null}', False),
        ("true", False),
    ],
)
def test_answers_about_the_rules_are_parsed_strictly(text: str, right: bool) -> None:
    assert right_answer(text, {"legal": True}) == right


def test_the_lines_of_a_position_may_differ_only_in_spaces_and_case() -> None:
    right = {"position": ["Number Pool: 1, 2", "Player 1 Score: 5"]}
    assert right_answer('{"position": ["number pool:  1, 2", "", "Player 1 Score: 5"]}', right)
    assert not right_answer('{"position": ["Number Pool: 1, 2", "Player 1 Score: 6"]}', right)
    assert not right_answer('{"position": "Number Pool: 1, 2 Player 1 Score: 5"}', right)
    assert not right_answer('{"position": [["Number Pool: 1, 2"], 5]}', right)


@pytest.mark.parametrize("name", dd.games())
def test_every_game_has_positions_and_questions_about_its_rules(name: str) -> None:
    options = SMALL.get(name)
    for task in (positions(name, 6, options=options), rules(name, 6, options=options)):
        for sample in task.dataset:
            assert sample.metadata is not None
            assert sample.metadata["game"] == name
            assert [getattr(message, "role", None) for message in sample.input] == ["system", "user"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: match(opponent="9"), "no opponent '9'"),
        (lambda: match(start="here"), "must be fair or book"),
        (lambda: match(games=0), "games must be an integer from 1 up; 0 is not."),
        (lambda: match(options="target=100"), "such as {target: 100}; 'target=100' is not."),  # type: ignore[arg-type]
        (lambda: positions(positions=-1), "positions must be an integer from 1 up; -1 is not."),
        (lambda: rules(questions=0), "questions must be an integer from 1 up; 0 is not."),
        (lambda: positions("operation-target", distances="near"), "distances must be integers"),  # type: ignore[arg-type]
        (lambda: positions("chess"), "no game 'chess'"),
        (lambda: positions("operation-target", options={"speed": 9}), "no option 'speed'"),
        (lambda: positions("operation-target", legal="shown"), "listed or hidden"),
        (lambda: positions("operation-target", distances=[99]), "no such positions"),
    ],
)
def test_invalid_tasks_are_refused_with_a_clear_message(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_old_logs_can_be_graded_again(ran: Ran) -> None:
    log = ran.logs["match", "random"]
    again = score(log, exact_game(), display="none", action="overwrite")
    assert again.results is not None
    assert log.results is not None
    assert again.results.scores[0].metrics == log.results.scores[0].metrics


def test_hostile_replies_only_lose_the_game(machine: Path) -> None:
    replies = [
        "\x1b[2J" + "so long " * 100_000,
        '{"a":' * 50_000,
        '{"move": NaN}',
        '{"move": ["+1"]}',
        "",
        '{"move": "x2\u200b"}',  # looks like a legal move
    ]
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in replies]
    outputs[4].choices = []  # a provider that returns nothing
    for output in outputs:
        output.usage = ModelUsage()  # otherwise the mock model downloads a tokenizer
    model = get_model("mockllm/model", custom_outputs=outputs)
    task = match("operation-target", games=2)
    folder = machine / "hostile"
    (log,) = evaluate(task, model, folder, max_samples=1, temperature=0.5)
    assert log.status == "success"
    for sample in log.samples or ():
        record = sample.store["Duel:record"]
        assert record["conceded"] == sample.metadata["seat"]
        assert all(len(text) <= LONGEST_WORDS and "\x1b" not in text for _, text in record["words"])
        assert to_record(replay(record)) == record
    (board,) = leaderboard(grade_logs(read_logs([folder])))["boards"]
    (row,) = board["models"]
    assert row["model"] == "mockllm/model (temperature=0.5)"
    assert (row["points"]["count"], row["forfeits"]["count"], row["refused"]["value"]) == (0, 2, 1.0)
    assert row["moves"]["invalid"] == row["moves"]["decisions"] == 2


def test_a_game_that_is_cut_short_is_forfeited() -> None:
    begun = Match(dd.game("operation-target"))
    begun.play(begun.game.read("x2"))
    done = performance(to_record(begun), 1, [], whole=True)
    assert (done.points, [each.kind for each in done.decisions]) == (0.0, ["forfeited"])
    begun.opening = 1
    assert [each.kind for each in performance(to_record(begun), 1, [], whole=False).decisions] == ["forfeited"]


# duels eval


def test_the_leaderboard_is_as_documented(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", str(ran.folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    board = {each["task"]: each for each in told["boards"]}
    row = board["match"]["models"][0]
    parts = {"": told, "boards[].": board["match"], "boards[].models[].": row, "boards[].models[].moves.": row["moves"]}
    assert first_column(section(DOCS / "json.md", "## duels eval --json")) == key_paths(parts) + list(row["points"])
    assert set(row) - set(board["positions"]["models"][0]) == {"points", "ceiling", "seats", "thrown"}
    assert list(board["rules"]["models"][0]) == ["model", "samples", "different", "starts", "errors", "legal", "after"]


def test_the_leaderboard_agrees_with_the_scores_in_the_logs(ran: Ran) -> None:
    boards = {board["task"]: board for board in leaderboard(grade_logs(read_logs([ran.folder])))["boards"]}
    for name in MODELS:
        rows = {task: row for task in boards for row in boards[task]["models"] if row["model"] == name}
        model = name.partition("/")[2]
        for figure, value in (
            ("points", rows["match"]["points"]),
            ("found", rows["match"]["moves"]["critical"]),
            ("refused", rows["match"]["refused"]),
        ):
            assert value["value"] == pytest.approx(ran.figure("match", model, figure), abs=1e-4)
        found = rows["positions"]["moves"]["critical"]
        assert found["value"] == pytest.approx(ran.figure("positions", model, "found"), abs=1e-4)
        assert found["of"] == COUNT
        if name in KNOWING:
            assert rows["rules"]["legal"]["value"] == pytest.approx(ran.figure("rules", model, "legal"), abs=1e-4)
    expected = sum(sample.metadata["chance"] for sample in ran.samples("positions", "random")) / COUNT
    assert boards["positions"]["chance"] == pytest.approx(expected, abs=1e-4)


def test_the_ceiling_is_the_best_possible_score_against_the_opponent(machine: Path) -> None:
    folder = machine / "ceiling"
    task = match("number-quest", opponent="perfect", games=4, options=QUEST)
    evaluate(task, "digitduels/perfect", folder)
    (row,) = leaderboard(grade_logs(read_logs([folder])))["boards"][0]["models"]
    assert row["ceiling"] == row["points"]["value"] == 0.5  # each start is won for one of the seats
    task = match("number-quest", opponent="2", games=4, options=QUEST)
    evaluate(task, "digitduels/random", folder / "level")
    (row,) = leaderboard(grade_logs(read_logs([folder / "level"])))["boards"][0]["models"]
    assert 0.5 < row["ceiling"] < 1  # level 2 makes mistakes, but not always


def test_samples_with_different_prompts_are_not_compared(ran: Ran) -> None:
    logs = grade_logs(read_logs([ran.folder]))
    first = [sample._replace(version=1) for sample in logs.done]
    boards = leaderboard(logs._replace(done=[*logs.done, *first]))["boards"]
    assert [(board["task"], board["version"]) for board in boards] == [
        (task, version) for task in ("positions", "match", "rules") for version in (1, 4)
    ]


def test_a_sample_counts_once_even_if_its_log_is_named_twice(ran: Ran) -> None:
    logs = sorted(ran.folder.glob("*.eval"))
    assert leaderboard(grade_logs(read_logs([ran.folder, *logs]))) == leaderboard(grade_logs(read_logs([ran.folder])))


def test_every_game_is_a_record_that_can_be_reviewed_with_the_models_comments(
    ran: Ran, machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", str(ran.folder), "--records", str(machine / "games")]) == 0
    told = capsys.readouterr().out
    assert f"{4 * len(MODELS)} records in" in told
    assert (
        "Number Quest with target=12, highest=4: games "
        "(version 4, against 4, fair starts, legal moves listed, retries: 2)" in told
    )
    files = sorted((machine / "games").iterdir())
    assert len(files) == 4 * len(MODELS)
    for file in files:
        assert load(file).words
    file = machine / "games" / "digitduels-perfect-number-quest-4-1-1.json"
    assert main(["review", str(file)]) == 0
    first = load(file).words[0]
    lines = capsys.readouterr().out.partition("What was said:\n")[2].splitlines()
    assert lines[0].startswith(f"Move {first[0] + 1}, digitduels/perfect, ")
    assert lines[0].endswith(first[1])
    assert main(["review", str(file), "--json"]) == 0
    turns = json.loads(capsys.readouterr().out)["turns"]
    assert [turn["words"] for turn in turns if turn["ply"] == first[0]] == [[first[1]]]
    assert main(["eval", str(ran.folder), "--records", str(machine / "games")]) == 4
    assert "is not empty; name a new folder." in capsys.readouterr().err


def test_scores_of_other_scorers_in_our_logs_are_ignored(
    ran: Ran, machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = ran.logs["rules", "perfect"]
    for action, code in (("append", 0), ("overwrite", 4)):
        file = str(machine / f"{action}.json")
        write_eval_log(score(log, includes(), display="none", action=action), file)  # type: ignore[arg-type]
        assert main(["eval", file]) == code
    told = capsys.readouterr()
    assert re.search(r"^digitduels/perfect +8 +100 %", told.out, re.MULTILINE)
    assert "is not in the format of our tasks: 'exact_answer'" in told.err


def test_files_that_are_not_logs_are_refused(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("broken.eval", "PK\x03\x04 no"), ("other.json", "{}"), ("deep.json", "[" * 100_000)):
        (machine / name).write_text(text)
        assert main(["eval", str(machine / name)]) == 4
        assert "is not an Inspect log" in capsys.readouterr().err
    assert main(["eval", str(machine / "missing.eval")]) == 4
    assert "does not exist" in capsys.readouterr().err
    (machine / "empty").mkdir()
    assert main(["eval", str(machine / "empty")]) == 1


def test_without_inspect_there_is_a_hint(
    ran: Ran, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    assert main(["eval", str(ran.folder)]) == 1
    assert "pip install 'digitduels[inspect]'" in capsys.readouterr().err


def test_prompts_parsing_and_datasets_need_no_inspect() -> None:
    program = (
        "import sys, digitduels.evals.protocol, digitduels.evals.leaderboard, digitduels.evals.dataset\n"
        "assert 'inspect_ai' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], timeout=60, check=True)


# The documentation


def test_the_documented_example_produces_the_documented_leaderboard(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "\n".join(block.text for block in blocks(PAGE, "python") if "inspect_ai" in block.text)
    lines = re.findall(r"^>>> (from .*|small = .*|tasks = .*|logs = .*)$", code, re.MULTILINE)
    exec("\n".join(lines).replace('log_dir="logs"', 'log_dir="page"'), {})
    assert main(["eval", "page"]) == 0
    (shown,) = blocks(PAGE, "text")
    assert capsys.readouterr().out == shown.text


def test_parameters_of_the_tasks_are_documented() -> None:
    text = section(PAGE, "## The tasks")
    names = {name for task in (positions, match, rules) for name in signature(task).parameters}
    assert names == set(re.findall(r"^\| `(\w+)` \| [a-z, ]+ \|", text, re.MULTILINE))


@pytest.mark.long
def test_inspect_finds_our_tasks_by_the_entry_point(machine: Path) -> None:
    if not any(entry.name == "digitduels" for entry in entry_points(group="inspect_ai")):
        assert "CI" not in os.environ, "digitduels is installed without its entry point"
        pytest.skip("digitduels was installed before it had an entry point: pip install --no-deps -e .")
    (line,) = [
        line for fence in FENCE.finditer(PAGE.read_text()) if fence["language"] == "bash" for line in [fence["text"]]
    ]
    command = line.strip().replace("inspect ", f'"{sys.executable}" -m inspect_ai ', 1)
    done = subprocess.run(
        ["sh", "-c", f"{command} --display plain --log-dir found"],
        cwd=machine,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT / "src"))},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"found +1\.000", done.stdout)
    assert list((machine / "found").glob("*.eval"))
