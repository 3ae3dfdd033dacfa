"""Playing while the game is being solved: no waiting, the same moves, and no process or file left behind."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import digitduels as dd
from conftest import PATIENCE, Run
from digitduels.cli import saved_games
from digitduels.cli.console import Console
from digitduels.cli.saved_games import Save
from digitduels.cli.solo import Solo
from digitduels.match import Match
from digitduels.players import player
from digitduels.players.levels import Level
from digitduels.record import load
from digitduels.solver import cache
from digitduels.solver.background import TOO_MANY_POSITIONS, Background
from digitduels.solver.search import Search
from test_programs import gone
from variants import solve

pytestmark = pytest.mark.slow

SMALL = {"target": 23, "highest": 5, "copies": 1}
HUGE: dict[str, dict[str, Any]] = {
    "number-duel": {"target": 10**6, "highest": 99},
    "number-quest": {"target": 10**6, "highest": 99},
    "equation-duel": {"target": 10**6, "highest": 30},
    "numerical-nexus": {"target": 10**6, "uses": (30,) * 6},
    "operation-target": {"target": 10**40},
}


def never(*_: object) -> Any:
    raise AssertionError("nobody should need the solution")


@pytest.fixture
def endless(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaces the solver by a program that never ends."""
    program = home / "endless"
    program.write_text("#!/bin/sh\nexec sleep 1000\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


class Person(Console):
    """A scripted person at a terminal."""

    def __init__(self, *answers: str) -> None:
        super().__init__()
        self.interactive = True
        self.answers = list(answers)
        self.questions: list[str] = []

    def ask(self, prompt: str) -> str:
        self.questions.append(prompt)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)


def session(game: str, who: str, *answers: str, **options: Any) -> Solo:
    match = Match(dd.game(game, **options))
    match.players, match.seed = ("human", who), "1"
    return Solo(match, Save(), Person(*answers))


# The solution


def test_near_results_are_known_while_the_game_is_being_solved(endless: None) -> None:
    game = dd.game("number-duel")
    state = game.play(game.play(game.start(), game.read("+5")), game.read("+10"))
    truth = Background(game)
    truth.start()
    assert not truth.ready()
    assert truth.within(state, 2)[game.read("x10")] == (1, 1)
    assert truth.solution is None
    truth.close()
    assert truth.ready(PATIENCE)


@pytest.mark.parametrize("name", ["number-duel", "operation-target"])
def test_everything_is_known_once_the_game_is_solved(name: str, empty_cache: Path) -> None:
    game = dd.game(name, **(SMALL if name == "number-duel" else {}))
    truth = Background(game)
    assert truth.wait().start == solve(game).start
    assert truth.within(game.start(), 99) == solve(game).within(game.start(), 99)
    truth.close()


def test_a_game_that_is_too_large_is_reported_and_still_searched(home: Path) -> None:
    game = dd.game("number-duel", **HUGE["number-duel"])
    truth = Background(game, patient=True)
    with pytest.raises(dd.TooLarge) as error:
        truth.wait()
    assert "memory" not in str(error.value)
    assert truth.failure == TOO_MANY_POSITIONS
    assert list(truth.within(game.start(), 3)) == game.legal_moves(game.start())


def test_a_table_that_cannot_be_stored_is_computed_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "file"))
    game = dd.game("number-duel", **SMALL)
    with pytest.warns(UserWarning, match="could not be"):
        assert Background(game).wait().start == solve(game).start


def test_stopping_the_solver_leaves_no_damaged_table(empty_cache: Path) -> None:
    game = dd.game("number-quest", highest=6)
    for seconds in (0.1, 0.4, 0.8, 1.2, 1.6):
        truth = Background(game)
        truth.start()
        truth.ready(seconds)
        truth.close()
        assert truth.ready(PATIENCE)
        for path in cache.kept():
            cache.verify(path)
    assert not list(cache.folder().glob(".*"))


def test_the_solver_process_exits_when_its_parent_is_killed(empty_cache: Path) -> None:
    script = (
        "import sys, digitduels as dd; from digitduels.solver.background import Background\n"
        "truth = Background(dd.game('number-duel', copies=3)); truth.start()\n"
        "print(truth._process.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        solver = int(program.stdout.readline())
        program.kill()
    assert gone(solver)
    assert not cache.kept()


# The levels


@pytest.mark.parametrize("name", dd.games())
@pytest.mark.parametrize("level", [2, 3, 4])
def test_a_level_plays_the_same_moves_with_and_without_a_table(name: str, level: int) -> None:
    game = dd.game(name)
    search = Search(game)
    compared = 0
    for seed in range(3):
        if compared > 10:
            return
        match, rng = Match(game), random.Random(seed)
        with_table, without = Level(level, solve(game), seed), Level(level, search, seed)
        while match.outcome is None:
            move = without.choose(match)
            if not search.exhausted:
                assert move == with_table.choose(match)
                compared += 1
            match.play(move if rng.random() < 0.5 else rng.choice(game.legal_moves(match.state)))
    assert compared > 3


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("level", ["2", "4", "6"])
def test_huge_variants_are_played_to_the_end(name: str, level: str) -> None:
    game = dd.game(name, **HUGE[name])
    match = Match(game)
    opponent = player(level, game, never, "1", truth=Search(game, 500))
    rng = random.Random(1)
    while match.outcome is None:
        computer = match.state.player == 1
        match.play(opponent.choose(match) if computer else rng.choice(game.legal_moves(match.state)))
    assert match.outcome.reason


# The terminal


def test_a_game_can_be_played_and_left_while_it_is_being_solved(
    endless: None, capsys: pytest.CaptureFixture[str]
) -> None:
    solo = session("numerical-nexus", "3", "+5", "hint", "values", "quit")
    assert solo.run() == 0
    output = capsys.readouterr().out
    assert [state.player for state in solo.match.states] == [0, 1, 0]
    assert output.count("This game is still being solved. Ask again in a moment for the rest.") == 2
    assert solo.truth._process is not None
    assert solo.truth._process.wait(PATIENCE)


def test_near_results_are_shown_before_the_game_is_solved(endless: None, capsys: pytest.CaptureFixture[str]) -> None:
    solo = session("number-duel", "1", "hint", "hint", "values", target=9, highest=9)
    solo.run()
    output = capsys.readouterr().out
    assert "You are winning: 1 more turn.\n" in output
    assert "Play +9.\n" in output
    assert "▲ wins at once: +9\n" in output
    assert "Ask again" not in output.partition("▲")[0]


def test_the_coach_warns_about_near_results_before_the_game_is_solved(endless: None) -> None:
    match = Match(dd.game("number-quest"))
    match.players = "human", "coach"
    for token in ("+8", "+1"):
        match.play(match.game.read(token))
    person = Person("n")
    solo = Solo(match, Save(), person)
    assert solo.accepts(match.game.read("x9"))  # past 50
    assert person.questions == ["That loses at once. You have exceeded 50 points. Take it back? (y/n) "]
    safe = next(move for move, verdict in solve(match.game).judge(match.state).items() if verdict.value > 0)
    assert solo.accepts(safe)
    assert len(person.questions) == 1
    solo.truth.close()


def test_before_the_game_is_solved_the_review_is_offered_for_later(
    endless: None, capsys: pytest.CaptureFixture[str]
) -> None:
    solo = session("number-duel", "1", "+9", target=9, highest=9)
    solo.run()
    assert "See it later with: duels review number-duel-1\n" in capsys.readouterr().out


@pytest.mark.parametrize("who", ["2", "5", "coach"])
def test_a_variant_that_is_too_large_is_played_to_the_end_without_mentioning_memory(who: str, duels: Run) -> None:
    answers = "\n".join(["hint", "values", "+40", *(f"x{number}\nn" for number in (39, 38, 37))])
    settings = ("--set", "highest=40", "--set", "target=1000", "--seed", "1")
    played = duels("play", "number-quest", "--vs", who, *settings, answers=answers)
    assert (played.returncode, played.stderr) == (0, "")
    assert "This game is too large to solve, so nobody knows more." in played.stdout
    assert "You have exceeded 1000 points.\n" in played.stdout
    assert load(saved_games.path_of("number-quest-1")).outcome is not None
    assert "memory" not in played.stdout
    assert "GiB" not in played.stdout


@pytest.mark.parametrize("arguments", [("--vs", "perfect"), ("--vs", "7"), ("--vs", "3", "--start", "fair")])
def test_options_that_need_the_whole_table_are_refused_before_the_game_begins(
    arguments: tuple[str, ...], duels: Run
) -> None:
    played = duels("play", "number-duel", "--set", "highest=99", *arguments)
    assert played.returncode == 5
    assert "too large" in played.stderr
    assert "memory" not in played.stderr
    assert "Welcome" not in played.stdout
