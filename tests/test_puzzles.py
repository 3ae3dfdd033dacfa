"""Puzzles meet their criteria, and so do the commands that teach."""

from __future__ import annotations

import datetime
import json
import re
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import digitduels as dd
from conftest import Open, Run
from digitduels.cli.exercise import EXERCISE_HELP
from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.record import replay, save, to_record
from digitduels.sentence import Capital, Moves, Played, PlayedNoun, tell
from digitduels.solver import Solution
from digitduels.study import puzzle_sheet
from digitduels.study.puzzles import MANY, TIERS, Puzzle, daily, order, puzzles
from test_docs import DOCS, blocks, first_column, key_paths, section
from variants import describe, solve

pytestmark = pytest.mark.slow

GAMES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in dd.games() if name != "operation-target"),
    ("number-duel", {"target": 20, "highest": 5, "tie": "draw"}),
    ("number-quest", {"target": 20, "highest": 4, "tie": "draw"}),
    ("numerical-nexus", {"target": 20, "uses": (2, 1, 1, 1, 0, 1)}),
]
SMALL = ["number-duel", "--set", "target=20", "--set", "highest=5"]  # quick to solve in a fresh home


@pytest.fixture(scope="module", params=GAMES, ids=describe)
def solution(request: pytest.FixtureRequest) -> Solution:
    return solve(dd.game(request.param[0], **request.param[1]))


def some(solution: Solution, count: int = 4, seed: object = 1) -> list[Puzzle]:
    """Puzzles of every tier that a game has."""
    return [puzzle for tier in TIERS for puzzle in islice(puzzles(solution, tier, seed), count)]


def typed(game: AnyGame, *moves: Any) -> str:
    """The text that a person types to play these moves."""
    return "".join(
        f"{field.label(value)}\n" for move in moves for field, value in zip(game.move_fields, move, strict=True)
    )


# The criteria


def test_exactly_one_move_keeps_the_win_among_three_or_more_and_the_tempting_one_loses(solution: Solution) -> None:
    game = solution.game
    found = some(solution)
    assert len(found) >= 8
    for match, tier, answer, trap in found:
        state = match.state
        after = {move: game.play(state, move) for move in game.legal_moves(state)}
        winning = {move for move, reached in after.items() if solution.probe(reached).value < 0}
        distance = solution.probe(state).distance
        assert len({after[move] for move in answer}) == 1
        if tier == 1:
            ended = {move: game.outcome(reached) for move, reached in after.items()}
            assert set(answer) == {move for move, end in ended.items() if end and end.winner == state.player}
            assert (distance, trap, len(set(after.values())) >= MANY) == (1, None, True)
            continue
        assert set(answer) == winning
        assert len(set(after.values())) >= 3
        assert distance >= 3
        assert tier == min(4, (distance + 1) // 2)
        assert trap is not None
        assert solution.probe(after[trap]).value == 1
        assert game.outcome(after[trap]) is None


def test_a_puzzle_is_a_reachable_match_whose_moves_are_its_opening(solution: Solution) -> None:
    for puzzle in some(solution, 2):
        match = puzzle.match
        assert match.opening == len(match.moves)
        assert replay(to_record(match)).state == match.state
        assert match.outcome is None


def test_puzzles_depend_on_the_seed_and_never_repeat(solution: Solution) -> None:
    def positions(seed: int) -> list[State[Any, Any]]:
        return [puzzle.match.state for puzzle in islice(puzzles(solution, None, seed), 5)]

    first = positions(1)
    assert first == positions(1)
    assert first != positions(2)
    assert len(set(first)) == len(first)


def test_equation_duel_gives_make_50_now() -> None:
    solution = solve(dd.game("equation-duel"))
    first = list(islice(puzzles(solution, 1, 1), 20))
    assert len(first) == 20
    for puzzle in first:
        after = solution.game.play(puzzle.match.state, puzzle.answer[0])
        assert after.theirs == 50


def test_a_game_with_two_moves_has_no_puzzles() -> None:
    assert list(puzzles(solve(dd.game("operation-target")))) == []


def test_the_puzzle_of_a_day_depends_on_the_date_alone() -> None:
    solution = solve(dd.game("numerical-nexus"))
    days = [datetime.date(2026, 11, day) for day in range(1, 29)]
    first = [next(puzzles(solution, seed=daily(day))).match.state for day in days]
    again = [next(puzzles(solution, seed=daily(day))).match.state for day in days]
    assert first == again
    assert len(set(first)) > 20
    assert {order(daily(day))[0] for day in days} == set(dd.games())
    assert sorted(order(daily(days[0]))) == sorted(dd.games())


# Sheets


class Page(HTMLParser):
    """Checks that every element of a page is closed, and collects its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag != "meta":
            self.open.append(tag)
        assert not {"src", "href"} & {name for name, _ in attrs}, "a sheet needs nothing from elsewhere"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_a_sheet_has_every_puzzle_and_its_answer_in_both_forms(solution: Solution) -> None:
    found = some(solution, 2)
    text, page = puzzle_sheet.markdown(found, solution, 1), Page(puzzle_sheet.html(found, solution, 1))
    assert page.open == []
    for shown in (text, page.words):
        questions, _, answers = shown.partition("Answers\n")
        for number, puzzle in enumerate(found, 1):
            assert f"Puzzle {number}: {TIERS[puzzle.tier]}" in questions
            assert "\n".join(solution.game.view(puzzle.match.state)) in questions
            player = puzzle.match.state.player
            assert f"{Capital(Moves(puzzle.answer, player, 'or'))}. " in answers
            if puzzle.trap is not None:
                assert f"Not {PlayedNoun(puzzle.trap, player)}. " in answers
    assert [int(index) for index in re.findall(r"^(\d+)\. ", text, re.MULTILINE)] == [*range(1, len(found) + 1)]


def test_print_writes_a_sheet_as_it_is_or_to_a_new_file(duels: Run, home: Path) -> None:
    arguments = ["puzzle", *SMALL, "--seed", "4", "--print", "3"]
    text = duels(*arguments).stdout
    assert text.startswith("# Number Duel: puzzles, sheet 4\n")
    assert "House rules: first to 20, numbers 1 to 5.\n" in text
    assert duels(*arguments, "--out", "sheet.md").stdout == "3 puzzles with answers: 'sheet.md'.\n"
    assert (home / "sheet.md").read_text(encoding="utf-8") == text
    duels(*arguments, "--out", "sheet.html")
    assert Page((home / "sheet.html").read_text(encoding="utf-8")).open == []
    again = duels(*arguments, "--out", "sheet.html")
    assert (again.returncode, "already exists" in again.stderr) == (4, True)


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["operation-target"], 1, "There is no such puzzle."),
        (["chess"], 2, "There is no game 'chess'."),
        (["number-duel", "--tier", "5"], 2, "invalid choice: 5"),
        (["number-duel", "--print", "0"], 2, "a sheet has 1 to 200 puzzles, not '0'"),
        (["number-duel", "--out", "x.md"], 2, "--out requires --print"),
        (["number-duel", "--daily", "--seed", "1"], 2, "not allowed with argument --daily"),
        (["--set", "target=20"], 2, "--set requires a GAME."),
    ],
    ids=str,
)
def test_impossible_puzzles_are_refused_with_an_exit_code(
    duels: Run, arguments: list[str], code: int, reason: str
) -> None:
    done = duels("puzzle", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert reason in done.stderr


# At the terminal


def small() -> Solution:
    return solve(dd.game("number-duel", target=20, highest=5))


def test_a_puzzle_is_played_to_its_end_against_best_defence_with_hints_and_second_tries(duels: Run) -> None:
    solution = small()
    puzzle = next(puzzles(solution, 3, 7))
    trap, state, solver = puzzle.trap, puzzle.match.state, puzzle.match.state.player
    assert trap is not None
    moves = solution.line(state)
    first, *others = moves[::2]
    answers = f"hint\nnonsense\n?\n{typed(solution.game, trap, first)}hint\n{typed(solution.game, *others)}"
    played = duels("puzzle", *SMALL, "--tier", "3", "--seed", "7", answers=answers, columns=200)
    shown, hint, refusal, help, rest = played.stdout.split("Select a number: ", 4)
    assert "\n".join(tell(line, reader=solver) for line in solution.game.view(state)) in shown
    assert puzzle.question(solution).to(reader=solver) in shown
    assert "You are winning: 3 more turns.\n" in hint
    assert "Error: 'nonsense' is not possible here." in refusal
    assert f"Possible: {', '.join(map(str, sorted(set(state.table.numbers))))}.\n{EXERCISE_HELP}\n" in help
    wrong, _, rest = rest.partition("Try again.\n")
    assert f"{Played(trap, solver)} gives the win away.\n" in wrong
    answered = re.findall(r"answers with (.*)\.\n", rest)
    assert answered == [str(Played(move, 1 - solver)) for move in moves[1::2]]
    after = solution.game.play(solution.game.play(state, moves[0]), moves[1])
    assert "\n".join(tell(line, reader=solver) for line in solution.game.view(after)) in rest
    assert "Select a number: hint\nYou are winning: 2 more turns.\n" in rest  # the first hint of this position
    assert rest.endswith("Solved, after 1 wrong move.\n")
    assert played.returncode == 0


def test_the_first_hint_of_a_puzzle_that_wins_at_once_is_half_the_move(duels: Run) -> None:
    game = "equation-duel", "--set", "highest=7", "--set", "target=30"
    played = duels("puzzle", *game, "--tier", "1", "--seed", "1", answers="hint\nhint\nhint\n", columns=200)
    _, half, *whole = played.stdout.split("> hint\n")
    assert half.startswith("The move begins with ")
    assert len(whole) == 2
    assert all(text.startswith("Play ") for text in whole)


def test_half_a_reset_in_a_puzzle_asks_whose_score_and_can_be_left(duels: Run) -> None:
    puzzle = "puzzle", "numerical-nexus", "--set", "target=12", "--set", "uses=2,1,1,1,1,1", "--seed", "1"
    asked = duels(*puzzle, answers="reset\n?\nnonsense\nreset\nquit\n", columns=200)
    assert "\nYour uses left: " in asked.stdout
    *_, help, again, end = asked.stdout.split("Whose score? ")
    assert help.startswith("?\nPossible: ")
    assert "Error: 'reset nonsense' is not possible here." in again
    assert (end, asked.returncode) == ("quit\n", 0)
    answered = duels(*puzzle, answers="reset\n\n").stdout
    assert answered.partition("Whose score? \n")[2].startswith("Play ")


def slowly(puzzle: Puzzle, solution: Solution) -> tuple[list[Any], bool]:
    """The moves of a person who solves a puzzle as slowly as possible, and whether any was slower than necessary."""
    state, answers, slower = puzzle.match.state, list[Any](), False
    solver = state.player
    while each := [*solution.judge(state).items()]:
        move, verdict = each[0]
        if state.player == solver:
            move, verdict = [pair for pair in each if pair[1].value > 0][-1]
            answers.append(move)
            slower |= verdict != each[0][1]
        state = solution.game.play(state, move)
    return answers, slower


def test_no_winning_move_is_called_wrong_however_slow_it_is(duels: Run) -> None:
    solution = small()
    solved = {seed: slowly(next(puzzles(solution, 2, seed)), solution) for seed in range(60)}
    slow = [seed for seed, (_, slower) in solved.items() if slower][:2]
    assert slow
    for seed in slow:
        answers = typed(solution.game, *solved[seed][0])
        done = duels("puzzle", *SMALL, "--tier", "2", "--seed", str(seed), answers=answers)
        assert done.stdout.endswith("Solved.\n"), done.stdout
        assert "No:" not in done.stdout


def test_a_slower_win_is_not_called_wrong_where_an_immediate_one_exists(duels: Run, tables: Path) -> None:
    solution = solve(dd.game("equation-duel"))
    game = solution.game
    for seed in range(100):
        puzzle = next(puzzles(solution, 1, seed))
        each = [*solution.judge(puzzle.match.state).items()]
        slow = next((move for move, verdict in each if verdict.value > 0 and verdict.distance > 1), None)
        if slow is not None:
            break
    assert slow is not None
    arguments = ["puzzle", "equation-duel", "--tier", "1", "--seed", str(seed)]
    shown = duels(*arguments, answers=typed(game, slow, puzzle.answer[0])).stdout
    assert f"{slow} wins too, in " in shown
    assert shown.endswith("Solved.\n")


def test_the_daily_puzzle_needs_no_seed(duels: Run) -> None:
    done = duels("puzzle", *SMALL, "--daily", answers="\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(r"Number Duel, puzzle \d{4}-\d\d-\d\d: win ", done.stdout)
    assert "\nPlay " in done.stdout


# duels review


def recorded(home: Path, tokens: str, **options: Any) -> Path:
    match = dd.Match(dd.game("operation-target", **options), names=("Ann", "Bob"))
    for token in tokens.split():
        match.play(match.game.read(token))
    save(match, home / "game.json")
    return home / "game.json"


def test_a_review_steps_through_the_swings_hides_answers_and_plays_refutations(duels: Run, home: Path) -> None:
    recorded(home, "+1 +1 x2 x2 +1 +1 x2")
    reviewed = duels("review", "game.json", answers="1\nhint\n2\n", columns=200)
    shown, wrong, hint, rest = reviewed.stdout.split("Enter the number of your chosen operation: ")
    assert "Who was winning: ▲▼▼▼▼▼▼▼\n" in shown
    refuted = "Bob answers with +1 and wins: Ann ×2, Bob ×2, Ann +1, Bob +1, Ann ×2.\n"
    assert f"1 of 1. Move 1: Ann played +1.\n{refuted}Ann can do better. Which move keeps the win?\n" in shown
    assert "still won" not in shown
    assert f"No: +1 gives the win away.\n{refuted}" in wrong
    assert "Ann is winning: 4 more turns.\nThen Bob makes the last move and loses.\n" in hint
    assert "Right: ×2 keeps the win.\n" in rest
    assert rest.endswith(
        "Ann found 0 of 1 critical moves; random play would find about 0.5.\n"
        "Bob had no critical moves.\n"
        "Move 1 decided the game.\n"
    )
    assert reviewed.returncode == 0


@pytest.mark.parametrize("answer", ["\n", "quit\n", ""], ids=["answer", "quit", "end"])
def test_a_review_can_show_the_answer_and_can_be_left(duels: Run, home: Path, answer: str) -> None:
    recorded(home, "+1 +1 x2")
    reviewed = duels("review", "game.json", answers=answer, columns=200)
    rest = reviewed.stdout.partition("Enter the number of your chosen operation: ")[2]
    assert ("×2 keeps the win.\n" in rest) == (answer == "\n")
    assert reviewed.returncode == 0


def test_a_review_does_not_ask_for_the_computers_moves(duels: Run, home: Path, tables: Path) -> None:
    match = dd.Match(dd.game("number-duel"), names=("Level 2", "Bob"))
    match.players = ("2", "human")
    for token in ["+4", "+5", "+1", "+10", "x10"]:  # moves 1 and 4 change the result
        match.play(match.game.read(token))
    save(match, home / "game.json")
    shown = duels("review", "game.json", columns=200).stdout
    assert "The lead changed twice.\nTry this moment again.\n" in shown
    assert "\n1 of 1. Move 4: You played +10.\n" in shown


def test_a_review_ends_with_what_was_said(duels: Run, home: Path) -> None:
    match = dd.Match(dd.game("operation-target"), names=("Ann", "Bob"))
    match.say("Let's double.")
    match.play(match.game.read("x2"))
    match.say("Hm.")
    save(match, home / "game.json")
    said = "\nWhat was said:\nMove 1, Ann, ×2: Let's double.\nMove 2, Bob: Hm.\n"
    assert duels("review", "game.json").stdout.endswith(said)


def test_an_interrupted_review_ends_quietly(terminal: Open, home: Path) -> None:
    recorded(home, "+1 +1 x2")
    person = terminal("review", "game.json")
    person.read("Enter the number of your chosen operation: ")
    person.interrupt()
    assert person.rest().removeprefix("^C") == "\n"
    assert person.program.returncode == 130


def test_review_in_a_pipe_asks_nothing(duels: Run, home: Path) -> None:
    recorded(home, "+1 +1 x2 x2 +1 +1 x2")
    done = duels("review", "game.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "Operation Target: Ann against Bob, 7 moves.\nAnn has exceeded the Target Number!\n"
        "At the start: Ann is winning: 4 more turns. Then Bob makes the last move and loses.\n"
        "Who was winning: ▲▼▼▼▼▼▼▼\n"
    )


def test_the_ribbon_has_plain_signs_in_a_narrow_encoding(
    duels: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    recorded(home, "+1 +1 x2 x2 +1 +1 x2")
    assert "Who was winning: ^vvvvvvv\n(^ Ann is winning, v Bob is winning" in duels("review", "game.json").stdout


def test_json_of_a_review_is_as_documented(duels: Run, home: Path) -> None:
    text = section(DOCS / "json.md", "## duels review --json")
    recorded(home, "x2 x2")
    defence = json.loads(duels("review", "game.json", "--json").stdout)["turns"][1]["defence"]
    assert (defence["found"], defence["best"]) == (False, ["+1"])
    recorded(home, "+1 x2", target=5)
    told = json.loads(duels("review", "game.json", "--json").stdout)
    parts = {"": told, "start.": told["start"], "turns[].": told["turns"][0], "turns[].defence.": defence}
    parts["critical[]."] = told["critical"][0]
    assert first_column(text) == key_paths(parts)
    (example,) = [block for block in blocks(DOCS / "json.md", "json") if block.text in text]
    assert json.loads(example.text) == told


def test_an_invalid_record_has_the_same_exit_codes_as_for_resume(duels: Run, home: Path) -> None:
    record = json.loads(recorded(home, "+1").read_text(encoding="utf-8"))
    (home / "broken.json").write_text(json.dumps({**record, "moves": ["+1", "x3"]}))
    (home / "foreign.json").write_text("{}")
    for file in ("broken.json", "foreign.json", "missing.json"):
        for more in ([], ["--json"]):
            done, resumed = duels("review", file, *more), duels("resume", file)
            assert (done.returncode, done.stderr, done.stdout) == (resumed.returncode, resumed.stderr, "")
            assert done.returncode == (3 if file == "broken.json" else 4)
