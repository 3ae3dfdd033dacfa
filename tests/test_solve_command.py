"""`duels solve` and `duels cache`: their output for people and programs, their plots and their refusals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

import digitduels as dd
from conftest import DUELS, PATIENCE, ROOT, Open, Run
from digitduels.cli.arguments import size
from digitduels.cli.progress import interruptible, show_progress, solve
from digitduels.plots import draw_solution
from digitduels.record import load
from digitduels.sentence import Played
from digitduels.solver import Progress, Reference, Verdict, cache, memory
from digitduels.study.theory import theory
from digitduels.study.wording import soon, standing
from variants import reachable

pytestmark = pytest.mark.slow

# A variant of each game that is solved quickly, with some moves, and one with draws.
SMALL = [
    ("number-duel", {"copies": 1, "highest": 5, "target": 15}, "+5 +2"),
    ("number-duel", {"copies": 1, "highest": 3, "target": 20, "tie": "draw"}, ""),
    ("equation-duel", {"highest": 5}, "1x2"),
    ("number-quest", {"highest": 3, "target": 12, "tie": "draw"}, "+3"),
    ("numerical-nexus", {"target": 12, "uses": (1, 1, 1, 1, 0, 1)}, "+5 +3"),
    ("operation-target", {"target": 40}, "x2"),
]


def options(settings: dict[str, Any]) -> list[str]:
    given = {name: ",".join(map(str, value)) if isinstance(value, tuple) else value for name, value in settings.items()}
    return [part for name, value in given.items() for part in ("--set", f"{name}={value}")]


def position(game: dd.Game[Any, Any, Any], moves: str, first: int = 0) -> dd.State[Any, Any]:
    state = game.start()._replace(player=first)
    for token in moves.split():
        state = game.play(state, game.read(token, state))
    return state


# For programs


def test_many_losing_moves_are_counted_and_winning_ones_all_named(duels: Run) -> None:
    output = duels("solve", "equation-duel", "--set", "highest=6").stdout
    winning, _, losing = output.partition("▼ Losing: ")
    assert re.search(r"^  \S.*?: (\d\S\d,\s+){19}and \d+ others$", losing, re.MULTILINE), losing
    assert "others" not in winning


@pytest.mark.parametrize(("name", "settings", "moves"), SMALL)
def test_the_json_agrees_with_the_plain_solver(duels: Run, name: str, settings: dict[str, Any], moves: str) -> None:
    game = dd.game(name, **settings)
    reference = Reference(game)
    words = {1: "win", 0: "draw", -1: "loss"}
    for first in (1, 2):
        state = position(game, moves, first - 1)
        value, plies = reference.probe(state)
        result = duels("solve", name, *options(settings), "--moves", moves, "--first", str(first), "--json")
        assert (result.returncode, result.stderr) == (0, "")
        assert json.loads(result.stdout) == {
            "game": name,
            "options": game.values,
            "moves": moves.split(),
            "player": state.player + 1,
            "outcome": None,
            "value": words[value],
            "plies": plies,
            "best": [str(move) for move in reference.best(state)],
            "each": [
                {"move": str(m), "value": words[v.value], "plies": v.distance}
                for m, v in reference.judge(state).items()
            ],
        }


def test_the_json_of_a_finished_game_names_the_winner_and_no_player_to_move(duels: Run) -> None:
    won = json.loads(duels("solve", "operation-target", "--set", "target=4", "--moves", "+1 x2", "--json").stdout)
    assert won == {
        "game": "operation-target",
        "options": {"target": 4, "start": 1},
        "moves": ["+1", "x2"],
        "player": None,
        "outcome": {"winner": 2, "reason": "Player 2 has reached the Target Number!"},
        "value": None,
        "plies": None,
        "best": [],
        "each": [],
    }
    drawn = ("--set", "highest=2", "--set", "copies=1", "--set", "tie=draw", "--moves", "x1 x2")
    assert json.loads(duels("solve", "number-duel", *drawn, "--json").stdout)["outcome"]["winner"] is None


def test_numbers_with_thousands_of_digits_are_solved(duels: Run) -> None:
    target = "1" + "0" * 3998 + "7"
    told = json.loads(duels("solve", "operation-target", "--set", f"target={target}", "--json").stdout)
    assert told["options"]["target"] == int(target)
    assert told["plies"] > 10_000
    assert f"Target Number: {target}\n" in duels("solve", "operation-target", "--set", f"target={target}").stdout


def test_json_is_as_documented(duels: Run) -> None:
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    text = text.partition("\n## duels solve --json\n")[2].partition("\n## ")[0]
    found = re.search(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found
    output = duels("solve", "operation-target", "--moves", "x2", "--json").stdout
    assert json.loads(output) == json.loads(found[1])
    assert re.findall(r"^\| `(\w+)`", text, re.MULTILINE) == list(json.loads(output))


# For people


def test_a_position_is_described_in_words_with_the_best_moves_first(duels: Run) -> None:
    output = duels("solve", "number-duel", "--set", "copies=1", "--set", "target=20", "--moves", "+5 +10").stdout
    assert output.startswith("Number Duel\n\nNumber Pool:\n1, 2, 3, 4, 6, 7, 8, 9\n\nPlayer 1 Score: 5\n")
    assert "\nPlayer 1 to move.\nPlayer 1 is winning: 1 more turn.\n\n▲ Winning: " in output
    assert "\n  wins at once: ×4\n" in output
    assert re.search(r"▼ Losing: 14 of 16\n  Player 2 wins in 4 turns: ×2\n  Player 2 wins in 1 turn: .*×9\n$", output)


@pytest.mark.parametrize(("name", "settings", "moves"), SMALL)
def test_every_move_is_listed_once_from_best_to_worst(
    duels: Run, name: str, settings: dict[str, Any], moves: str
) -> None:
    game = dd.game(name, **settings)
    state = position(game, moves)
    output = duels("solve", name, *options(settings), "--moves", moves).stdout
    body = output.partition(" to move.\n")[2].partition("\n\n")[2]
    groups = re.findall(r"^. (\w+): (\d+) of (\d+)\n((?:  .*\n)+)", body, re.MULTILINE)
    judgement = Reference(game).judge(state)
    words = {1: "Winning", 0: "Drawing", -1: "Losing"}
    told = []
    for word, count, total, lines in groups:
        unwrapped = re.sub(r"\n    +", " ", lines)
        shown_moves = [move for line in unwrapped.splitlines() for move in line.partition(": ")[2].split(", ")]
        assert (int(count), int(total)) == (len(shown_moves), len(judgement))
        told += [(move, word) for move in shown_moves]
    assert told == [(str(Played(move, state.player)), words[verdict.value]) for move, verdict in judgement.items()]


def test_a_finished_game_is_described_as_finished(duels: Run) -> None:
    result = duels("solve", "number-duel", "--set", "highest=3", "--set", "target=6", "--moves", "+3 +1 x2")
    assert result.returncode == 0
    assert result.stdout.endswith("\nThe game is over.\nPlayer 1 has reached 6 points.\nPlayer 1 wins the game!\n")


@pytest.mark.parametrize(("name", "settings", "moves"), SMALL)
def test_turns_count_the_winners_moves_in_best_play(name: str, settings: dict[str, Any], moves: str) -> None:
    game = dd.game(name, **settings)
    reference = Reference(game)
    states = [position(game, moves)]
    states += [game.after(states[0], move) for move in game.legal_moves(states[0])]
    for state in states:
        if game.outcome(state) is not None:
            continue
        verdict = reference.probe(state)
        movers, end = [], state
        for move in reference.line(state):
            movers.append(end.player)
            end = game.after(end, move)
        outcome = game.outcome(end)
        assert outcome is not None
        told = " ".join(standing(state.player, verdict))
        if outcome.winner is None:
            assert f"has {movers.count(state.player)} more turn" in told
        elif outcome.winner not in movers:
            assert told.endswith("next move ends the game, whatever it is.")
        else:
            assert f"Player {outcome.winner + 1} is winning: {movers.count(outcome.winner)} more turn" in told
            assert (f"Player {2 - outcome.winner} makes the last move" in told) == (movers[-1] != outcome.winner)
        if verdict.distance > 1 and outcome.winner is not None:
            assert soon(state.player, verdict).startswith(f"in {movers.count(outcome.winner)} turn")


def test_the_winner_is_never_guessed_from_the_number_of_moves() -> None:
    assert standing(0, Verdict(1, 8))[0].startswith("Player 1 is winning")
    assert standing(0, Verdict(-1, 7))[0].startswith("Player 2 is winning")


# Theory


def test_the_theory_of_equation_duel_counts_commuted_equations_once() -> None:
    told = theory(dd.solve(dd.game("equation-duel"), cache=False))
    assert told[0] == "With best play Player 1 wins in 2 turns."
    assert told[1].startswith("14 of the 288 first moves win: 5×8, ")
    assert told[2] == "Counting moves that lead to the same position once, that is 7 of 200."


@pytest.mark.parametrize("start", [1, 3])
def test_the_theory_of_operation_target_is_true_for_every_target(start: int) -> None:
    low, high = start + 1, 1000
    told = "\n".join(theory(Reference(dd.game("operation-target", target=40, start=start))))
    winners, first = {}, []
    for target in range(low, high + 1):
        game = dd.game("operation-target", target=target, start=start)
        judgement = Reference(game).judge(game.start())
        winners[target] = 1 if judgement.best_verdict.value > 0 else 2
        first.append([str(Played(move, 0)) for move in judgement.keeping if judgement.best_verdict.value > 0])
    ones = list(winners.values()).count(1)
    assert (
        f"values {low} to {high} of target, Player 1 wins with {ones} and Player 2 wins with {len(winners) - ones}."
        in (told)
    )
    for move in ("+1", "×2"):
        assert f"{move} with {first.count([move])}" in told
    assert "There are only 4 different games.\nAfter the first 2 moves every move is forced.\n" in told


@pytest.mark.parametrize(("name", "settings", "moves"), SMALL)
def test_the_counts_of_the_theory_agree_with_the_plain_solver(name: str, settings: dict[str, Any], moves: str) -> None:
    game = dd.game(name, **settings)
    told = "\n".join(theory(dd.solve(game, cache=False), 1))
    reference = Reference(game)
    judgement = reference.judge(game.start())
    verdict = judgement.best_verdict
    best = {1: "Player 2 wins ", 0: "nobody wins", -1: "Player 1 wins "}[verdict.value]
    assert told.startswith(f"With best play {best}")
    good, moves_in_all = len(judgement.keeping), len(judgement)
    assert (f"{good} of the {moves_in_all} first moves" in told) == (good < moves_in_all)


def test_the_theory_counts_the_positions_that_can_arise() -> None:
    game = dd.game("number-duel", copies=1, highest=3, target=20, tie="draw")  # nobody can reach 20
    unfinished = [state for state in reachable(game) if game.outcome(state) is None]
    assert f"{len(unfinished)} of them can arise from the start." in theory(dd.solve(game, cache=False))


def test_the_theory_replaces_the_moves_and_is_in_the_json(duels: Run) -> None:
    output = duels("solve", "operation-target", "--theory").stdout
    assert output.startswith("With best play Player 1 wins in 4 turns.\n")
    assert "Winning:" not in output
    second = duels("solve", "operation-target", "--theory", "--first", "2").stdout
    assert second.startswith("With best play Player 2 wins in 4 turns.\n")
    assert json.loads(duels("solve", "operation-target", "--theory", "--json").stdout)["theory"] == output.splitlines()


# Pictures


WORDS = {"▲ the player to move wins": 1, "= nobody wins": 0, "▼ the player to move loses": -1}


def drawn(path: Path) -> str:
    """The words in a picture."""
    return " | ".join(text.strip() for text in ElementTree.parse(path).getroot().itertext() if text.strip())


def test_a_picture_of_a_pool_game_maps_the_winning_scores(duels: Run, home: Path) -> None:
    settings = {"copies": 1, "highest": 5, "target": 20, "tie": "draw"}
    result = duels("solve", "number-duel", *options(settings), "--moves", "+5 +2 +3", "--plot", "map.svg")
    assert result.stdout.endswith("\nThe picture is in 'map.svg'.\n")
    words = drawn(home / "map.svg")
    for text in ("Player 2 to move. In the pool: 1 4.", "score of Player 1", "score of Player 2, who is to move"):
        assert text in words
    for text in ("▲ the player to move wins", "= nobody wins", "▼ the player to move loses", "this position"):
        assert text in words

    game = dd.game("number-duel", **settings)
    state = position(game, "+5 +2 +3")
    reference = Reference(game)
    score_map: Any = draw_solution(dd.solve(game, cache=False), state).axes[0]
    (image,) = score_map.images
    assert np.array_equal(
        image.get_array(),
        [
            [reference.probe(dd.State(0, (mine, theirs), state.table)).value for mine in range(20)]
            for theirs in range(20)
        ],
    )
    colours = [to_hex(image.to_rgba(value)) for value in (1, 0, -1)]  # as in the legend
    assert colours == [to_hex(patch.get_facecolor()) for patch in score_map.get_legend().get_patches()[:3]]


@pytest.mark.parametrize(("name", "settings", "moves"), SMALL)
def test_a_picture_of_any_game_counts_positions_by_distance(
    duels: Run, home: Path, name: str, settings: dict[str, Any], moves: str
) -> None:
    duels("solve", name, *options(settings), "--moves", moves, "--plot", "chart.SVG", "--json")
    assert "moves to the end of the game, counting both players" in drawn(home / "chart.SVG")
    game = dd.game(name, **settings)
    solution = dd.solve(game, cache=False)
    chart: Any = draw_solution(solution, game.start()).axes[-1]
    results = {str(patch.get_label()): to_hex(patch.get_facecolor()) for patch in chart.get_legend().get_patches()}
    values = {results[words]: value for words, value in WORDS.items() if words in results}
    bars = [bar for bar in chart.patches if isinstance(bar, Rectangle)]
    assert {
        Verdict(values[to_hex(bar.get_facecolor())], round(bar.get_center()[0])): bar.get_height() for bar in bars
    } == solution.by_distance()


def test_a_picture_of_a_very_long_game_stays_readable() -> None:
    game = dd.game("operation-target", target=10**100)
    assert len(draw_solution(dd.solve(game, cache=False), game.start()).axes[0].patches) < 100


def test_the_same_picture_is_the_same_file(duels: Run, home: Path) -> None:
    for name in ("a.svg", "b.svg", "a.png", "b.png"):
        duels("solve", "operation-target", "--plot", name)
    assert (home / "a.svg").read_bytes() == (home / "b.svg").read_bytes()
    assert (home / "a.png").read_bytes() == (home / "b.png").read_bytes()
    assert (home / "a.png").read_bytes().startswith(b"\x89PNG")


# Refusals


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["chess"], 2, "There is no game 'chess'."),
        (["number-duel", "--set", "target=0"], 2, "target must be an integer from 1 to 10^6; 0 is not."),
        (["number-duel", "--first", "random"], 2, "invalid choice: 'random'"),
        (["number-duel", "--plot", "map.gif"], 2, "the file must end in .svg or .png, not 'map.gif'."),
        (["number-duel", "--limit", "much"], 2, "a size looks like 500MB or 8GiB, not 'much'"),
        (["number-duel", "--theory", "--moves", "+5"], 2, "--theory is about the whole game; leave out --moves."),
        (["number-duel", "--moves", "+5 +99"], 3, "Move 2 of --moves, '+99': '+99' is not a move in Number Duel."),
        (
            ["operation-target", "--moves", "x2 x2 x2"],
            3,
            "Move 3 of --moves, 'x2': Player 1 cannot Multiply by 2 again",
        ),
        (
            ["operation-target", "--set", "target=2", "--moves", "x2 +1"],
            3,
            "Move 2 of --moves, '+1': The game is over.",
        ),
        (["operation-target", "--plot", "no/such/folder.svg"], 4, "cannot be written: No such file or directory."),
        (["number-duel", "--set", "target=51", "--limit", "1 KiB"], 5, "The limit is 1.0 KiB. --limit allows more."),
        (["number-duel", "--set", "target=1000000", "--set", "copies=99"], 5, "--limit allows more."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_unsolvable_requests_are_refused_with_a_reason_and_an_exit_code(
    duels: Run, arguments: list[str], code: int, reason: str
) -> None:
    result = duels("solve", *arguments)
    assert (result.returncode, result.stdout) == (code, "")
    assert reason in result.stderr


@pytest.mark.parametrize("text", ["500", "500B", "1k", "1.5 MB", "8GiB", "2 tb", "3GB"])
def test_sizes_are_read_as_people_write_them(text: str) -> None:
    units = {
        "500": 500,
        "500B": 500,
        "1k": 1 << 10,
        "1.5 MB": 3 << 19,
        "8GiB": 8 << 30,
        "2 tb": 2 << 40,
        "3GB": 3 << 30,
    }
    assert size(text) == units[text]


# Progress


def test_a_terminal_shows_progress_and_ctrl_c_stops_the_solver(
    terminal: Open, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    person = terminal("solve", "number-duel", "--set", "target=100")
    person.read("Solving Number Duel, only the first time ")
    person.type("\x03")
    output = person.rest()
    assert person.program.returncode == 130
    assert "Traceback" not in output
    assert not list(empty_cache.rglob("*table*.*"))


def test_ctrl_c_has_its_exit_code_wherever_it_comes(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "from digitduels.cli import main\nmain.run = lambda words: exec('raise KeyboardInterrupt')\n", encoding="utf-8"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    interrupted = subprocess.run(DUELS, env=environment, capture_output=True, check=False)
    assert (interrupted.returncode, interrupted.stderr) == (130, b"")


def test_the_progress_bar_promises_no_time(terminal: Open, empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    shown = terminal("solve", "number-duel", "--set", "highest=6").rest()
    assert "Solving Number Duel, only the first time" in shown
    assert "0:00" not in shown
    assert "-:--" not in shown


def test_the_progress_bar_fills_once(monkeypatch: pytest.MonkeyPatch, empty_cache: Path) -> None:
    steps: list[tuple[str, float]] = []

    @contextmanager
    def record(title: str) -> Iterator[Progress]:
        yield lambda step, done: steps.append((step, done))

    monkeypatch.setattr("digitduels.cli.progress.show_progress", record)
    solve(dd.game("number-duel", highest=6))
    assert {step for step, _ in steps} == {""}
    shares = [done for _, done in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert shares.count(1) == 1


def test_a_dumb_terminal_says_what_takes_so_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("digitduels.cli.progress._MOMENT", 0.01)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    said = threading.Event()

    def complain(message: str) -> None:
        print(message)
        said.set()

    monkeypatch.setattr("digitduels.cli.progress.complain", complain)
    with show_progress("Solving Chess") as progress:
        assert progress is not None
        progress("solving", 0.5)
        assert said.wait(PATIENCE)
    assert capsys.readouterr().out == "Solving Chess. Please wait…\n"


def test_ctrl_c_ends_the_wait_for_a_long_computation_at_once() -> None:
    started, end = threading.Event(), threading.Event()

    def press() -> None:
        started.wait(PATIENCE)
        signal.raise_signal(signal.SIGINT)

    def compute() -> None:
        started.set()
        end.wait(PATIENCE)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(compute)
    end.set()
    assert interruptible(lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)


def test_through_a_pipe_there_is_no_progress(duels: Run) -> None:
    assert duels("solve", "number-duel", "--set", "highest=3").stderr == ""


# Stored tables


@pytest.fixture
def kept(duels: Run, empty_cache: Path) -> Path:
    """The table file of a solved game."""
    duels("solve", "number-duel", "--set", "copies=1", "--set", "highest=3")
    (path,) = cache.kept()
    return path


def test_tables_are_listed_with_their_contents_size_and_folder(duels: Run, kept: Path) -> None:
    assert duels("cache").stdout == (
        f"{kept.name}: number-duel with target=50, highest=3, copies=1, tie=last-mover-loses: "
        f"{memory.human_size(kept.stat().st_size)}\n"
        f"The tables are in {kept.parent}.\n"
    )


def test_valid_tables_are_reported_as_valid(duels: Run, kept: Path) -> None:
    result = duels("cache", "verify")
    assert (result.returncode, result.stderr) == (0, "")
    assert f"{kept.name}: " in result.stdout
    assert ", OK\n" in result.stdout


def test_a_damaged_table_is_reported_and_solved_again_with_one_warning(duels: Run, kept: Path) -> None:
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    result = duels("cache", "verify")
    assert result.returncode == 4
    assert result.stderr.startswith(f"duels: Damaged: {kept.name}. ")
    kept.write_bytes(whole[:-5])
    listing = duels("cache")
    assert f"{kept.name}: cannot be used: it is truncated\n" in listing.stdout
    assert (listing.returncode, listing.stderr) == (0, "")
    result = duels("solve", "number-duel", "--set", "copies=1", "--set", "highest=3", "--json")
    assert result.returncode == 0
    assert (
        result.stderr == "duels: Solving Number Duel again, because its cached table cannot be used: it is truncated\n"
    )
    assert json.loads(result.stdout)["each"]
    assert kept.read_bytes() == whole


def test_clearing_deletes_tables_and_the_leftovers_of_killed_programs(duels: Run, kept: Path) -> None:
    (kept.parent / f".{kept.name}.half").write_bytes(b"half")
    assert duels("cache", "clear").stdout.startswith("Deleted 2 tables, ")
    assert list(kept.parent.iterdir()) == []
    assert duels("cache").stdout == duels("cache", "clear").stdout == "The cache is empty.\n"


# Rules of a variant, and unnecessary files


def test_the_rules_of_a_variant_list_its_changes(duels: Run) -> None:
    output = duels("rules", "number-quest", "--set", "target=100", "--set", "tie=draw").stdout
    assert "\n\nHouse rules: first to 100, a tie is a draw.\n\n## Rules\n" in output
    assert "House rules" not in duels("rules", "number-quest").stdout
    settings = ("--set", "uses=0,0,0,0,0,1", "--names", "Ann", "Bob")
    output = duels("play", "numerical-nexus", *settings, answers="rules\n").stdout
    assert "\nHouse rules: uses of +1, +3, +5, ×2, ×3, reset: 0, 0, 0, 0, 0, 1.\n" in output


def test_the_rules_during_a_game_do_not_use_the_players_names(duels: Run) -> None:
    output = duels("play", "number-duel", "--names", "Ann", "Bob", answers="rules\n").stdout
    rules = output.partition("Pick a number, then add")[2].partition("More: ")[0]
    assert rules
    assert "Ann" not in rules


def test_a_game_without_a_move_leaves_no_file_behind(duels: Run, home: Path) -> None:
    duels("play", "number-duel", "--save", "new.json", answers="quit\n")
    assert not (home / "new.json").exists()
    (home / "theirs.json").touch()
    duels("play", "number-duel", "--save", "theirs.json", answers="quit\n")
    assert (home / "theirs.json").exists()
    duels("play", "number-duel", "--save", "new.json", answers="+5\n")
    assert load(home / "new.json").moves
