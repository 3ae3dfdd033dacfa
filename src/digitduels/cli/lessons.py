"""`duels review` and `duels puzzle`: what a game teaches, and positions to train on."""

from __future__ import annotations

import argparse
import json
import random
import textwrap
from contextlib import suppress
from pathlib import Path
from typing import Any

from digitduels import files
from digitduels.cli.console import Console
from digitduels.cli.main import (
    FAILURE,
    FILE,
    Failure,
    load,
    make_console,
    new_file,
    read_game,
    saved_file,
    shown,
    usage,
)
from digitduels.cli.playing import solved
from digitduels.cli.truth import WIDTH
from digitduels.core import IllegalMove, InvalidMove, State
from digitduels.match import Match
from digitduels.sentence import player_name
from digitduels.solver import Solution, Verdict
from digitduels.study import puzzle_sheet, serialization
from digitduels.study.hints import STEPS, hint, refutation
from digitduels.study.puzzles import NONE, TIERS, Puzzle, daily, find, order, today
from digitduels.study.review import LEGEND, Moment, Review, review
from digitduels.study.wording import VALUES, some, soon, standing
from digitduels.text import counted, named

HELP = "hint: a hint, again for more; Enter: the answer; quit: leave."


class Leave(Exception):
    """The person has had enough."""


class Lesson:
    """Asks a person for moves, with hints, and tells what they are worth."""

    def __init__(self, match: Match, solution: Solution, console: Console) -> None:
        self.match = match
        self.solution = solution
        self.console = console
        self.steps = 0

    def say(self, *lines: str) -> None:
        self.console.say(*(named(line, self.match.names) for line in lines))

    def show(self, state: State[Any, Any]) -> None:
        self.say("", *self.solution.game.view(state))
        self.steps = 0

    def ask(self, state: State[Any, Any]) -> Any | None:
        """The move that a person tries; None to be shown the answer."""
        game = self.solution.game
        chosen: tuple[Any, ...] = ()
        if game.menu:
            self.say(*game.turn(state))
        while len(chosen) < len(game.prompts):
            prompt = game.prompts[len(chosen)].format(player=player_name(state.player))
            text = self.console.ask(named(prompt, self.match.names))
            match text.strip().lower():
                case "" | "answer":
                    return None
                case "quit" | "exit":
                    raise Leave
                case "?" | "help":
                    self.say(f"Possible: {game.notation.offer(game.choices(state, chosen))}.", HELP)
                case "hint":
                    self.steps = min(self.steps + 1, STEPS)
                    self.say(*hint(state, self.solution, self.steps))
                case _:
                    try:
                        chosen = game.answer(state, chosen, text)
                    except (InvalidMove, IllegalMove) as error:
                        self.say(f"Error: {error}")
        return game.partial(chosen)

    def verdict(self, state: State[Any, Any], move: Any) -> Verdict:
        return self.solution.probe(self.solution.game.after(state, move)).before


# duels review


def run_review(arguments: argparse.Namespace) -> int:
    """Tells what a recorded game was decided by; on a terminal it lets a person try the moments anew."""
    match = load(saved_file(arguments.file))[1]
    told = review(match, solved(match.game))
    console = make_console()
    if arguments.json:
        console.say(json.dumps(serialization.reviewed(match, told), indent=1, ensure_ascii=False))
        return 0
    lesson = Lesson(match, solved(match.game), console)
    lesson.say(f"{match.game.title}: {player_name(0)} against {player_name(1)}, {counted(len(match.moves), 'move')}.")
    if match.outcome is not None:
        lesson.say(match.outcome.reason)
    if console.interactive and told.swings:
        try:
            walk(lesson, told)
        except (Leave, EOFError):
            return 0
        lesson.say("")
    lesson.say(*told.lines())
    if match.words:
        lesson.say("", "What was said:", *spoken(match))
    return 0


def spoken(match: Match) -> list[str]:
    """What the players said before each move."""
    lines = []
    for after, text in match.words:
        move = f", {match.moves[after]}" if after < len(match.moves) else ""
        head = f"Move {after + 1}, {player_name(match.states[after].player)}{move}: "
        lines += textwrap.wrap(head + text, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    return lines


def walk(lesson: Lesson, told: Review) -> None:
    """Goes through the moves that changed the result, with a chance to do better."""
    count = len(told.swings)
    lesson.say(f"Who was winning: {told.ribbon}", f"({LEGEND})")
    lesson.say(f"The result changed {'once' if count == 1 else f'{count} times'}. Try each moment again.", HELP)
    for place, swing in enumerate(told.swings, 1):
        state = lesson.match.states[swing.ply]
        lesson.show(state)
        lesson.say(f"{place} of {count}. Move {swing.ply + 1}: {swing.deed} here.")
        if swing.keeping:
            try_again(lesson, state, swing)
        else:
            lesson.say(swing.lesson)


def try_again(lesson: Lesson, state: State[Any, Any], swing: Moment) -> None:
    """Asks for a move that keeps the value until one is found or the answer is wanted."""
    had = VALUES[swing.before.value]
    if swing.move is not None:
        lesson.say(refutation(state, swing.move, lesson.solution))
    lesson.say(f"{player_name(state.player)} to move can do better. Which move keeps the {had}?")
    while True:
        move = lesson.ask(state)
        if move is None:
            lesson.say(f"The {had} is kept by {some(swing.keeping, 'or')}.")
            return
        if lesson.verdict(state, move).value == swing.before.value:
            lesson.say(f"Right: {move} keeps the {had}.")
            return
        lesson.say(f"No: {move} gives the {had} away.", refutation(state, move, lesson.solution))


# duels puzzle


def run_puzzle(arguments: argparse.Namespace) -> int:
    """Sets a puzzle, or writes a sheet of them."""
    if arguments.out is not None and arguments.print is None:
        usage("--out is for a sheet: say with --print how many puzzles it has.")
    if arguments.set and arguments.game is None:
        usage("--set changes a game: name the GAME.")
    if arguments.daily:
        seed: object = daily(today())
    else:
        seed = random.randrange(10**6) if arguments.seed is None else arguments.seed
    if arguments.print is not None:
        return write_sheet(arguments, seed)
    (puzzle,), solution = found(arguments, seed, 1)
    lesson = Lesson(puzzle.match, solution, make_console())
    lesson.say(f"{solution.game.title}, puzzle {seed}: {TIERS[puzzle.tier]}.", *puzzle_sheet.about(solution))
    with suppress(Leave, EOFError):
        solve(lesson, puzzle)
    return 0


def found(arguments: argparse.Namespace, seed: object, count: int) -> tuple[list[Puzzle], Solution]:
    """Puzzles of the game that is named, or else of the first that has any."""
    names = [arguments.game] if arguments.game else order(seed)
    wanted = find((solved(read_game(name, arguments.set)) for name in names), arguments.tier, seed, count)
    if wanted is None:
        raise Failure(FAILURE, NONE)
    return wanted


def solve(lesson: Lesson, puzzle: Puzzle) -> None:
    """Lets a person win the position against best defence. What wins is never called wrong."""
    solution = lesson.solution
    match = puzzle.match.until(len(puzzle.match.moves))
    solver, wrong = match.state.player, 0
    lesson.show(match.state)
    lesson.say(puzzle.question(solution), HELP)
    while (outcome := match.outcome) is None:
        state = match.state
        if state.player != solver:
            reply = solution.best(state)[0]
            match.play(reply)
            lesson.say(f"{player_name(state.player)} answers {reply}.")
            if match.outcome is None:
                lesson.show(match.state)
            continue
        move = lesson.ask(state)
        if move is None:
            lesson.say(*hint(state, solution, STEPS))
            return
        verdict = lesson.verdict(state, move)
        if verdict.value < 1:
            wrong += 1
            lesson.say(f"No: {move} gives the win away.", refutation(state, move, solution), "Try again.")
        elif puzzle.tier == 1 and verdict.distance > 1:
            lesson.say(f"{move} wins too, {soon(solver, verdict)}. But there is a win at once.")
        else:
            match.play(move)
            if match.outcome is None:
                lesson.say(f"Right. {standing(1 - solver, solution.probe(match.state))}")
    lesson.say(outcome.reason)
    lesson.say("Solved." if not wrong else f"Solved, after {counted(wrong, 'wrong move')}.")


def write_sheet(arguments: argparse.Namespace, seed: object) -> int:
    """Writes a sheet of puzzles with its answers, to a new file or as it is."""
    path: Path | None = arguments.out
    puzzles, solution = found(arguments, seed, arguments.print)
    console = make_console()
    if path is None:
        console.say(*puzzle_sheet.markdown(puzzles, solution, seed).splitlines())
        return 0
    page = path.suffix.lower() in (".html", ".htm")
    text = puzzle_sheet.html(puzzles, solution, seed) if page else puzzle_sheet.markdown(puzzles, solution, seed)
    try:
        files.write(new_file(path), text.encode())
    except OSError as error:
        raise Failure(FILE, f"{shown(path)} cannot be written: {error.strerror or error}.") from None
    console.say(f"{counted(len(puzzles), 'puzzle')} with answers: {shown(path)}.")
    return 0
