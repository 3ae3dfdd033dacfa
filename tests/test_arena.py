"""The arena: games between players, their grades, ratings, and tournaments that resume after a kill."""

from __future__ import annotations

import functools
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import digitduels as dd
from conftest import DUELS, PATIENCE, ROOT, Open, Run
from digitduels.arena import tournament
from digitduels.arena.contest import contest
from digitduels.arena.grading import Grade, grade
from digitduels.arena.ratings import ratings, score
from digitduels.arena.standings import standings
from digitduels.arena.tournament import PlayedGame, ProgramFailed, TournamentPlan, make_plan, run
from digitduels.match import Match
from digitduels.players import Forfeit, Player, player
from digitduels.players.levels import LEVELS_VERSION
from digitduels.record import RecordError, parse, replay, to_record
from processes import alive

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_core")]

solve = functools.cache(functools.partial(dd.solve, cache=False))
EXAMPLE = shlex.join([sys.executable, str(ROOT / "examples" / "take_the_biggest.py")])
CRASHES = shlex.join([sys.executable, "-c", "raise SystemError('out of ideas')"])
ONE_MOVE = shlex.join(
    [
        sys.executable,
        "-c",
        "import json\nasked = json.loads(input())\n"
        "if not asked['moves']: print(json.dumps({'move': asked['legal'][0]}), flush=True); input()\n"
        "raise SystemError('out of ideas')",
    ]
)
"""Plays only the first move of a game."""
BY_SEED = shlex.join(
    [
        sys.executable,
        "-c",
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    open('seeds', 'a').write(f'{asked[\"seed\"]}\\n')\n"
        "    print(json.dumps({'move': asked['legal'][asked['seed'] % len(asked['legal'])]}), flush=True)",
    ]
)
"""Plays by the seed, and appends the seed to a file."""


class Script(Player):
    """Plays these moves, then forfeits."""

    name = "script"

    def __init__(self, *tokens: str) -> None:
        self.tokens = list(tokens)

    def choose(self, match: Match) -> Any:
        if not self.tokens:
            raise Forfeit("there is nothing left to play.")
        return match.game.read(self.tokens.pop(0))


def duel(moves: str, game: str = "number-duel") -> Match:
    match = Match(dd.game(game))
    for token in moves.split():
        match.play(match.game.read(token))
    return match


# One game


def test_a_contest_is_played_to_its_end() -> None:
    match = contest(duel(""), Script("+5", "x10"), Script("+10"))
    assert match.outcome == (0, "Player 1 has reached 50 points.")


def test_a_contest_continues_from_the_current_position() -> None:
    assert contest(duel("+5 +10"), Script("x10"), Script()).moves == duel("+5 +10 x10").moves


def test_a_forfeit_loses_with_the_reason_in_the_record() -> None:
    record = to_record(contest(duel(""), Script("+5"), Script()))
    assert (record["conceded"], record["forfeit"]) == (2, "there is nothing left to play.")
    assert record["outcome"] == {"winner": 1, "reason": "Player 2 forfeits the game: there is nothing left to play."}


def test_an_illegal_move_forfeits_with_the_reason() -> None:
    match = contest(duel(""), Script("+5", "+5"), Script("+5"))
    assert match.conceded == 0
    assert str(match.forfeit).startswith("There is no 5 in the pool.")


def keeping(moves: str) -> float:
    """The share of legal moves that keep the value, from the value of every position after them."""
    solution, state = solve(dd.game("number-duel")), duel(moves).state
    values = [-solution.probe(solution.game.play(state, move)).value for move in solution.game.legal_moves(state)]
    return values.count(solution.probe(state).value) / len(values)


# Grades. By the book, +5 and then x10 win Number Duel; a reply must take the 10s or lose.


def test_a_perfect_win_finds_every_critical_move() -> None:
    winner, loser = grade(duel("+5 +10 x10"), solve(dd.game("number-duel")))
    assert winner == Grade(turns=2, critical=2, found=2, won=1, chance=winner.chance)
    assert winner.chance == keeping("") + keeping("+5 +10")
    assert (loser.critical, loser.won, loser.thrown) == (0, 0, 0)


def test_a_win_thrown_away_by_both_is_a_missed_critical_move_for_each() -> None:
    solution = solve(dd.game("number-duel"))
    match = duel("+5 +10 +5")  # instead of x10
    values = [solution.probe(state).value for state in match.states]
    assert values == [1, -1, 1, 1]
    match.play([*solution.judge(match.state)][-1])  # and the opponent gives it back
    assert solution.probe(match.state).value == 1
    match.concede(1)
    one, two = grade(match, solution)
    assert (one.critical, one.found, one.won, one.thrown) == (2, 1, 1, 0)
    assert (two.critical, two.found, two.won, two.thrown, two.forfeits) == (1, 0, 1, 1, 0)


def test_a_slower_win_is_a_detour_and_not_a_mistake() -> None:
    solution = solve(dd.game("number-duel"))
    match = duel("+5 +10")
    slower = next(
        (move, verdict)
        for move, verdict in solution.judge(match.state).items()
        if verdict.value > 0 and verdict.distance > 1
    )
    match.play(slower[0])
    match.concede(1)
    one, _ = grade(match, solution)
    assert (one.critical, one.found, one.thrown, one.detour) == (2, 2, 0, slower[1].distance - 1)


def test_forfeits_stay_in_every_denominator() -> None:
    match = duel("+5 +10")
    match.concede(0, "silence")
    one, two = grade(match, solve(dd.game("number-duel")))
    chance = keeping("") + keeping("+5 +10")
    assert one == Grade(turns=2, critical=2, found=1, won=1, thrown=1, forfeits=1, chance=chance)
    assert two.forfeits == 0
    lost = duel("+5")
    lost.concede(1, "silence")
    assert grade(lost, solve(dd.game("number-duel")))[1] == Grade(turns=1, forfeits=1)


def test_the_moves_of_an_opening_are_not_graded() -> None:
    match = duel("+1 +10 +5 +3")
    match.opening = 4
    match.concede(match.state.player)
    grades = grade(match, solve(dd.game("number-duel")))
    assert sum(each.turns for each in grades) == 1


def test_an_unfinished_match_has_no_grade() -> None:
    with pytest.raises(ValueError, match="finished"):
        grade(duel("+5"), solve(dd.game("number-duel")))


@pytest.mark.parametrize("name", dd.games())
def test_perfect_players_find_every_critical_move(name: str) -> None:
    solution = solve(dd.game(name))
    for seed in range(20):
        seats = player("perfect", solution.game, solve, seed), player("random", solution.game, solve, seed)
        perfect, _ = grade(contest(Match(solution.game), *seats), solution)
        assert perfect.found == perfect.critical
        assert perfect.thrown == 0


# Ratings


def test_ratings_recover_known_strengths() -> None:
    rng, truth = random.Random(1), [-200, 0, 50, 150]
    results = {
        (one, two): [
            (float(sum(rng.random() < 1 / (1 + 10 ** ((truth[two] - truth[one]) / 400)) for _ in range(2))), 2)
            for _ in range(1000)
        ]
        for one in range(4)
        for two in range(one + 1, 4)
    }
    for found, wanted in zip(ratings(results, 4), truth, strict=True):
        assert found.low < wanted < found.high
        assert found.high - found.low < 40


def test_confidence_intervals_have_about_their_nominal_coverage() -> None:
    rng, held = random.Random(2), 0
    for seed in range(200):
        found = score([(float((rng.random() < 0.7) + (rng.random() < 0.5)), 2) for _ in range(50)], seed)
        held += found.low <= 0.6 <= found.high
    assert 180 <= held <= 199


def test_a_clean_sweep_has_a_finite_rating_and_an_interval() -> None:
    best, worst = ratings({(0, 1): [(2.0, 2)] * 10}, 2)
    assert best.value == pytest.approx(-worst.value)
    assert 0 < best.low < best.value < best.high < 2000
    assert score([(2.0, 2)] * 10).value == score([(2.0, 2)] * 10).high == 1
    assert 0.6 < score([(2.0, 2)] * 10).low < 1


def test_ratings_are_reproducible_with_the_same_seed() -> None:
    results = {(0, 1): [(1.0, 2), (2.0, 2), (0.5, 1)], (1, 2): [(1.5, 2)]}
    assert ratings(results, 3, seed=5) == ratings(results, 3, seed=5) != ratings(results, 3, seed=6)


# Tournaments


@pytest.fixture
def plan(home: Path) -> TournamentPlan:
    return make_plan(dd.game("operation-target"), ("random", "4", "perfect"), games=6, seed=3)


def essence(played: list[PlayedGame]) -> list[Any]:
    return [(game.task, game.record, game.grades) for game in played]


def test_every_pair_plays_both_seats_of_the_same_starts(plan: TournamentPlan) -> None:
    played = run(plan)
    assert len(played) == 3 * 6
    for first, second in zip(played[::2], played[1::2], strict=True):
        assert first.record["players"] == second.record["players"][::-1]
        opening = first.record["opening"]
        assert first.record["moves"][:opening] == second.record["moves"][:opening]
        assert opening == second.record["opening"]


def test_a_tournament_depends_on_the_seed_and_not_on_the_number_of_cores(
    plan: TournamentPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = essence(run(plan))
    assert one != essence(run(plan._replace(seed=4)))
    monkeypatch.setattr(tournament, "cores", lambda: 2)
    assert one == essence(run(plan))


def test_games_already_in_the_file_are_not_played_again(
    plan: TournamentPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    whole = run(plan, path)
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == len(whole)
    path.write_bytes(b"".join(lines[:7]) + lines[7][:40])  # as after a kill
    assert essence(run(plan, path)) == essence(whole)
    assert path.read_bytes() == b"".join(lines)
    monkeypatch.setattr(tournament, "cores", lambda: 2)
    assert essence(run(plan, path)) == essence(whole)
    assert path.read_bytes() == b"".join(lines)


def test_one_file_can_contain_several_tournaments(plan: TournamentPlan, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run(plan, path)
    run(plan._replace(start="book"), path)
    more = run(plan._replace(games=8), path)
    assert len(more) == 3 * 8
    assert len(path.read_bytes().splitlines()) == 3 * (6 + 6 + 2)


def test_every_line_of_the_file_is_a_record(plan: TournamentPlan, tmp_path: Path) -> None:
    played = run(plan, tmp_path / "games.jsonl")
    for line, game in zip((tmp_path / "games.jsonl").read_bytes().splitlines(), played, strict=True):
        assert to_record(parse(line)) == game.record


def test_games_of_older_levels_are_not_mixed_with_new_ones(plan: TournamentPlan, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run(plan, path)
    old = path.read_text().replace(f'"levels": {LEVELS_VERSION}', '"levels": 1')
    path.write_text(old)
    with pytest.raises(RecordError, match="an earlier version of our levels"):
        run(plan, path)
    assert path.read_text() == old


@pytest.mark.parametrize(
    "text", ["hello\n", "hello", '{"game": 1}', "[]\n", '{"format": "chess"}\n', "\n", "x" * 3_000_000]
)
def test_a_foreign_file_is_refused_and_left_unchanged(text: str, plan: TournamentPlan, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(RecordError):
        run(plan, path)
    assert path.read_text() == text


def test_progress_counts_every_game(plan: TournamentPlan) -> None:
    told: list[tuple[str, float]] = []
    run(plan, progress=lambda step, done: told.append((step, done)))
    assert told == [(f"game {done} of 18", done / 18) for done in range(1, 19)]


@pytest.mark.parametrize(
    ("players", "games", "reason"),
    [
        (("random",), 2, "two players"),
        (("random", "4", "random"), 2, "only once"),
        (("random", "4"), 0, "one game to play"),
        (("random", "nobody"), 2, "The players are random, 1,"),
    ],
)
def test_invalid_plans_are_refused(players: tuple[str, ...], games: int, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make_plan(dd.game("operation-target"), players, games)


def test_a_player_can_play_itself(home: Path) -> None:
    plan = make_plan(dd.game("operation-target"), ("4", "4"), games=4)
    played = run(plan)
    assert {tuple(game.record["names"]) for game in played} == {("level 4", "level 4 (2)"), ("level 4 (2)", "level 4")}


def test_a_level_that_a_game_does_not_offer_is_labelled_as_the_level_that_plays(home: Path) -> None:
    plan = make_plan(dd.game("operation-target"), ("3", "4"), games=2)
    played = run(plan)
    assert {name for game in played for name in game.record["names"]} == {"level 1", "level 4"}
    assert {row["player"]: row["command"] for row in standings(plan, played)["players"]} == {
        "level 1": "3",
        "level 4": "4",
    }


def test_standings_count_the_different_starts() -> None:
    plan = make_plan(dd.game("numerical-nexus", target=12, uses=(1, 1, 1, 1, 0, 1)), ("random", "1"), games=12)
    played = run(plan)
    starts = {replay(game.record).states[game.record["opening"]] for game in played}
    assert standings(plan, played)["starts"] == len(starts) > 1


def test_standings_count_forfeits_and_name_their_reasons(home: Path) -> None:
    plan = make_plan(dd.game("operation-target"), (ONE_MOVE, "perfect"), games=4, start="book")
    found = standings(plan, run(plan))
    best, worst = found["players"]
    assert best["player"] == "perfect"
    assert best["seats"] == [{"wins": 2, "draws": 0, "losses": 0}] * 2
    assert worst["grade"]["forfeits"] == 4
    assert worst["grade"]["critical"] >= 2  # both starts that it had won
    assert worst["grade"]["found"] == 0
    reason = "the program ended without an answer (exit code 1). SystemError: out of ideas"
    assert worst["reasons"] == {reason: 4}


# Programs


def test_a_program_is_tested_before_the_first_game(home: Path) -> None:
    plan = make_plan(dd.game("operation-target"), ("2", f"wise={CRASHES}", "perfect"), games=2)
    with pytest.raises(ProgramFailed) as failed:
        run(plan, home / "games.jsonl")
    assert str(failed.value) == (
        "'wise' cannot play Operation Target: the program ended without an answer (exit code 1). "
        "SystemError: out of ideas No game was played."
    )
    assert not (home / "games.jsonl").exists()


def test_a_failed_trial_ends_the_command_with_a_clear_message(duels: Run) -> None:
    ran = duels("match", f"wise={CRASHES}", "2", "--game", "operation-target", "--records", "games.jsonl")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("duels: 'wise' cannot play Operation Target: the program ended without an answer")


def test_a_finished_tournament_does_not_start_its_programs(home: Path) -> None:
    bot = home / "bot.py"
    bot.write_text((ROOT / "examples" / "take_the_biggest.py").read_text(encoding="utf-8"))
    plan = make_plan(dd.game("operation-target"), (shlex.join([sys.executable, str(bot)]), "2"), games=2)
    played = run(plan, home / "games.jsonl")
    bot.write_text("raise SystemError")
    assert run(plan, home / "games.jsonl") == played


def test_a_named_program_has_its_name_in_records_tables_and_json(duels: Run, home: Path) -> None:
    arguments = ["match", f"greedy={EXAMPLE}", "4", "--game", "operation-target", "--games", "2"]
    table = duels(*arguments, "--records", "games.jsonl").stdout
    assert "greedy - level 4" in table
    assert EXAMPLE not in table
    record = json.loads((home / "games.jsonl").read_text().splitlines()[0])
    assert sorted(record["names"]) == ["greedy", "level 4"]  # games are stored in the order in which they end
    found = json.loads(duels(*arguments, "--json").stdout)
    assert {row["player"]: row["command"] for row in found["players"]} == {
        "greedy": f"greedy={EXAMPLE}",
        "level 4": "4",
    }
    assert found["pairs"][0]["players"] == ["greedy", "level 4"]


def test_a_program_cannot_have_the_name_of_a_built_in_player() -> None:
    with pytest.raises(ValueError, match=r"^A program cannot be called 'perfect': that is one of our own players"):
        make_plan(dd.game("operation-target"), (f"perfect={EXAMPLE}", "2"), games=2)


def test_the_seed_of_a_program_depends_on_the_tournament_and_the_game(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)

    def seeds(seed: int) -> tuple[list[str], list[Any]]:
        plan = make_plan(dd.game("number-duel", target=12, highest=4), (BY_SEED, "random"), 3, "book", seed)
        played = run(plan)
        found = (home / "seeds").read_text().splitlines()
        (home / "seeds").unlink()
        return list(dict.fromkeys(found)), [game.record["moves"] for game in played]

    assert seeds(1) == seeds(1)
    found, _ = seeds(1)
    assert len(found) == 4  # the trial and three games; the seed is the same in all questions of a game
    assert not set(found) & set(seeds(2)[0])


# The commands


def test_a_match_reports_results_ratings_and_grades(duels: Run) -> None:
    ran = duels("match", "perfect", "random", "--game", "operation-target", "--games", "10", "--start", "book")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("Operation Target, 10 games (4 different) from the book's start, seed 0\n")
    assert "perfect - random" in ran.stdout
    assert "critical moves found" in ran.stdout
    assert not ran.stderr


def test_a_match_with_draws_counts_wins_draws_and_losses(duels: Run) -> None:
    settings = ("--set", "highest=2", "--set", "copies=1", "--set", "tie=draw", "--games", "20", "--start", "book")
    arguments = ("match", "number-duel", "random", "1", *settings)
    (pair,) = json.loads(duels(*arguments, "--json").stdout)["pairs"]
    seats = [(seat["wins"], seat["draws"], seat["losses"]) for seat in pair["seats"]]
    assert [sum(seat) for seat in seats] == [10, 10]
    assert min(draws for _, draws, _ in seats) > 0
    row = re.search(r"^random - level 1 +(\S+) +(\S+) ", duels(*arguments).stdout, re.MULTILINE)
    assert row is not None
    assert [tuple(map(int, tally.split("-"))) for tally in row.groups()] == seats


def test_progress_is_shown_on_a_terminal(terminal: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    shown = terminal("match", "1", "4", "--game", "operation-target", "--games", "40").rest()
    assert "40 of 40" in shown
    assert re.search(r"Operation Target, 40 games \([5-8] different\) from 1 fair start, seed 0\n", shown)


def test_a_negative_seed_is_a_seed(duels: Run) -> None:
    ran = duels("match", "1", "4", "--game", "operation-target", "--games", "2", "--seed", "-5")
    assert ran.returncode == 0, ran.stderr


def test_a_tournament_with_a_program_as_json(duels: Run, home: Path) -> None:
    options = ("--game", "operation-target", "--games", "4", "--json", "--records", "games.jsonl", "--set", "target=40")
    ran = duels("tournament", "random", "5", EXAMPLE, *options)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["options"]["target"] == 40
    assert found["games"] == 12
    assert {row["command"] for row in found["players"]} == {"random", "5", EXAMPLE}
    assert duels("tournament", "random", "5", EXAMPLE, *options).stdout == ran.stdout
    assert len((home / "games.jsonl").read_bytes().splitlines()) == 12


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (
            ("match", "9", "3", "--game", "number-duel"),
            2,
            "The players are random, 1, 2, 3, 4, 5, 6, 7, perfect, or the command",
        ),
        (("match", "2", "3", "--game", "chess"), 2, "There is no game 'chess'"),
        (("match", "2", "3"), 2, "Use duels match GAME A B."),
        (("match", "2", "3", "--game", "number-duel", "--games", "0"), 2, "one game to play"),
        (("match", EXAMPLE, "1", "--game", "operation-target", "--move-time", "0"), 2, "more than 0 seconds"),
        (("match", EXAMPLE, "1", "--game", "operation-target", "--move-time", "inf"), 2, "more than 0 seconds"),
        (("tournament", "2", "--game", "number-duel"), 2, "two players"),
        (("match", "1", "4", "--game", "operation-target", "--records", "."), 4, "not a regular file"),
        (("match", "1", "4", "--game", "operation-target", "--records", "no/such/folder"), 4, "No such file"),
    ],
)
def test_impossible_tournaments_are_refused_with_the_reason(
    arguments: tuple[str, ...], code: int, reason: str, duels: Run
) -> None:
    ran = duels(*arguments)
    assert (ran.returncode, ran.stdout) == (code, "")
    assert reason in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_killed_tournament_resumes_and_leaves_no_process_behind(home: Path, duels: Run) -> None:
    """The slow program also writes its process id, to show that it ends with its tournament."""
    slow = home / "slow.py"
    slow.write_text(
        "import json, os, pathlib, sys, time\n"
        "for line in sys.stdin:\n"
        "    pathlib.Path('players', str(os.getpid())).touch()\n"
        "    time.sleep(0.1 if os.path.exists('slowly') else 0)\n"
        "    print(json.dumps({'move': json.loads(line)['legal'][0]}), flush=True)\n"
    )
    (home / "players").mkdir()
    (home / "slowly").touch()
    command = shlex.join([sys.executable, str(slow)])
    arguments = ["match", command, "random", "--game", "operation-target", "--games", "40", "--records", "games.jsonl"]
    path = home / "games.jsonl"
    begun = subprocess.Popen([*DUELS, *arguments], cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        wait(lambda: path.exists() and path.read_bytes().count(b"\n") >= 3)
    finally:
        begun.send_signal(signal.SIGKILL)
        begun.communicate(timeout=PATIENCE)
    wait(lambda: not any(map(alive, os.listdir(home / "players"))))
    kept = path.read_bytes().splitlines(keepends=True)
    assert 3 <= len(kept) < 40
    (home / "slowly").unlink()
    ran = duels(*arguments, "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["games"] == 40
    after = path.read_bytes().splitlines(keepends=True)
    assert len(after) == 40
    assert after[: len(kept) - 1] == kept[:-1]


@pytest.mark.parametrize("sign", ["games.jsonl", "asked"], ids=["at the beginning", "while a program thinks"])
def test_ctrl_c_says_how_to_resume(sign: str, home: Path) -> None:
    thinks = (
        "import os, time\ninput()\n"
        "if not os.path.exists('tried'): open('tried', 'w'); print('{\"move\": \"+1\"}', flush=True)\n"
        "else: open('asked', 'w')\n"
        "time.sleep(1000)"
    )
    command = shlex.join([sys.executable, "-c", thinks])
    arguments = ["match", command, "random", "--game", "operation-target", "--records", "games.jsonl"]
    begun = subprocess.Popen([*DUELS, *arguments], cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait((home / sign).exists)
    begun.send_signal(signal.SIGINT)
    said = begun.communicate(timeout=PATIENCE)[1].decode()
    assert begun.returncode == 130
    assert "duels: The finished games are in 'games.jsonl'. Run the same command to continue.\n" in said
    assert "Traceback" not in said


def wait(happened: Any) -> None:
    for _ in range(PATIENCE * 20):
        if happened():
            return
        time.sleep(0.05)
    raise AssertionError("it never happened")
