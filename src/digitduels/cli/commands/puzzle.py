"""`duels puzzle`: positions in which one move keeps the win, to solve or to print."""

from __future__ import annotations

import argparse
import random
from contextlib import suppress
from pathlib import Path

from digitduels import files
from digitduels.cli.arguments import add_game, add_options, read_game
from digitduels.cli.console import Console
from digitduels.cli.errors import FAILURE, Failure, quoted_path, usage
from digitduels.cli.exercise import EXERCISE_HELP, Exercise, Leave
from digitduels.cli.file_arguments import new_file, write_errors
from digitduels.cli.parser import Parser
from digitduels.cli.progress import solve
from digitduels.sentence import Count
from digitduels.solver import Solution
from digitduels.study import puzzle_sheet
from digitduels.study.hints import STEPS, hint
from digitduels.study.puzzles import NONE, TIERS, Puzzle, attempt, daily, find, order, today
from digitduels.text import quoted

_MOST = 200  # the limit on puzzles on a sheet
EXAMPLES = (
    "duels puzzle --daily",
    "duels puzzle number-quest --tier 3",
    "duels puzzle equation-duel --print 6 --out sheet.html",
)


def add_arguments(parser: Parser) -> None:
    add_game(parser, nargs="?")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--daily", action="store_true", help="the puzzle of the day, the same for everybody")
    which.add_argument("--seed", type=int, metavar="N", help="get the same puzzle again")
    parser.add_argument(
        "--tier", type=int, choices=list(TIERS), help="how many turns away the win is; 4 for four or more"
    )
    parser.add_argument(
        "--print", type=sheet_size, metavar="N", help="print a sheet of this many puzzles, with answers"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the sheet to this new file; .html prints best")
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.out is not None and arguments.print is None:
        usage("--out requires --print: how many puzzles should the sheet have?")
    if arguments.set and arguments.game is None:
        usage("--set requires a GAME.")
    if arguments.daily:
        seed: object = daily(today())
    else:
        seed = random.randrange(10**6) if arguments.seed is None else arguments.seed
    if arguments.print is not None:
        return _print_sheet(arguments, seed)
    (puzzle,), solution = _find(arguments, seed, 1)
    exercise = Exercise(puzzle.match, solution, Console(), puzzle.match.state.player)
    if puzzle.tier == 1:  # who is winning does not help to find the move that wins at once
        exercise.first_step = 3
    exercise.say(f"{solution.game.title}, puzzle {seed}: {TIERS[puzzle.tier]}.", *puzzle_sheet.about(solution))
    with suppress(Leave, EOFError):
        _solve(exercise, puzzle)
    return 0


def sheet_size(text: str) -> int:
    """Parses the number of puzzles on a sheet."""
    if not text.isdecimal() or len(text) > 3 or not 1 <= int(text) <= _MOST:
        raise argparse.ArgumentTypeError(f"a sheet has 1 to {_MOST} puzzles, not {quoted(text)}")
    return int(text)


def _find(arguments: argparse.Namespace, seed: object, count: int) -> tuple[list[Puzzle], Solution]:
    """Puzzles of the named game, or else of the first game that has any."""
    names = [arguments.game] if arguments.game else order(seed)
    puzzles = find(
        (solve(read_game(name, arguments.set, arguments.rules)) for name in names), arguments.tier, seed, count
    )
    if puzzles is None:
        raise Failure(FAILURE, NONE)
    return puzzles


def _solve(exercise: Exercise, puzzle: Puzzle) -> None:
    """Lets a person win the position against the best defence."""
    match, solution, wrong = puzzle.match.until(len(puzzle.match.moves)), exercise.solution, 0
    exercise.show(match.state)
    exercise.say(puzzle.question(solution), EXERCISE_HELP)
    while match.outcome is None:
        move = exercise.ask(match.state)
        if move is None:
            exercise.say(*hint(match.state, solution, STEPS))
            return
        result = attempt(match, move, solution, puzzle.tier)
        exercise.say(*result.sentences)
        if result.kind == "wrong":
            wrong += 1
            exercise.say("Try again.")
        for played in result.moves:
            match.play(played)
        if result.moves and match.outcome is None:
            exercise.show(match.state)
    exercise.say(f"Solved, after {Count(wrong, 'wrong move')}." if wrong else "Solved.")


def _print_sheet(arguments: argparse.Namespace, seed: object) -> int:
    """Prints a sheet of puzzles with their answers, or writes it to a new file."""
    path: Path | None = arguments.out
    puzzles, solution = _find(arguments, seed, arguments.print)
    console = Console()
    if path is None:
        console.write(puzzle_sheet.markdown(puzzles, solution, seed).rstrip("\n"))
        return 0
    render = puzzle_sheet.html if path.suffix.lower() in (".html", ".htm") else puzzle_sheet.markdown
    with write_errors(path):
        files.write(new_file(path), render(puzzles, solution, seed).encode())
    console.say(f"{Count(len(puzzles), 'puzzle')} with answers: {quoted_path(path)}.")
    return 0
