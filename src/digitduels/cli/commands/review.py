"""`duels review`: explains what decided a game, and lets people try its turning points again."""

from __future__ import annotations

import argparse
import json
from contextlib import suppress

from digitduels.cli import saved_games
from digitduels.cli.console import Console, copyable
from digitduels.cli.errors import FAILURE, Failure
from digitduels.cli.exercise import EXERCISE_HELP, Exercise, Leave
from digitduels.cli.file_arguments import add_saved_game, read_record, record_path
from digitduels.cli.parser import Parser
from digitduels.cli.progress import solve
from digitduels.match import Match
from digitduels.sentence import Capital, Count, Moves, Played, PlayedNoun, Sentence
from digitduels.study import serialization
from digitduels.study.decisions import Decision
from digitduels.study.hints import refutation
from digitduels.study.review import Review, review
from digitduels.study.wording import VALUES

EXAMPLES = ("duels review", "duels review number-duel-1", "duels review quest.json --json")


def add_arguments(parser: Parser) -> None:
    file = parser.add_argument(
        "file", nargs="?", metavar="FILE", help="a file, or a name from `duels saved` (default: the last game)"
    )
    add_saved_game(file)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    match = _last_game() if arguments.file is None else read_record(record_path(arguments.file))[1]
    solution = solve(match.game)
    result = review(match, solution)
    console = Console()
    if arguments.json:
        console.write(json.dumps(serialization.reviewed(match, result), indent=1, ensure_ascii=False))
        return 0
    # A game against the computer was played by the person who reads this. Between two people, nobody is "you".
    exercise = Exercise(match, solution, console, match.person)
    players = Sentence("{player:whom} against {other:whom}", player=match.person or 0)
    exercise.say(
        Sentence(
            "{title}: {players}, {moves}.",
            title=match.game.title,
            players=players,
            moves=Count(len(match.moves), "move"),
        )
    )
    if match.outcome is not None:
        exercise.say(match.outcome.reason)
    exercise.say(*result.course())
    if console.interactive and result.swings:
        try:
            _walk(exercise, result)
        except (Leave, EOFError):
            return 0
        exercise.say("", *result.summary())
    else:
        exercise.say(*result.lessons(), *result.summary())
    if match.words:
        exercise.say("", "What was said:")
        for line in _words(match):
            console.say_wrapped(line, 4)
    return 0


def _last_game() -> Match:
    """The game that was played most recently."""
    for name in saved_games.names():
        with suppress(Failure):  # unreadable games are skipped
            return read_record(saved_games.path_of(name))[1]
    raise Failure(FAILURE, f"There is no saved game. Play one with: {copyable('play', 'GAME')}")


def _words(match: Match) -> list[str]:
    """What the players said before each move."""
    lines = []
    for after, text in match.words:
        player = match.states[after].player
        move = f", {Played(match.moves[after], player).to(match.names)}" if after < len(match.moves) else ""
        lines.append(f"Move {after + 1}, {match.names[player]}{move}: {text}")
    return lines


def _walk(exercise: Exercise, result: Review) -> None:
    """Goes through the moves that changed the result, with a chance to do better."""
    players = exercise.match.players
    # The computer's mistakes are not exercises for a person.
    swings = [swing for swing in result.swings if players[swing.player] == "human" or "human" not in players]
    count = len(result.swings)
    times = {1: "once", 2: "twice"}.get(count, f"{count} times")
    exercise.say(f"The lead changed {times}.")
    if swings:
        whose = "your mistakes" if exercise.reader is not None else "these moments"
        exercise.say(f"Try each of {whose} again." if len(swings) > 1 else "Try this moment again.", EXERCISE_HELP)
    for number, swing in enumerate(swings, 1):
        exercise.show(exercise.match.states[swing.ply])
        exercise.say(
            Sentence(
                "{number} of {count}. Move {move}: {deed}",
                number=number,
                count=len(swings),
                move=swing.ply + 1,
                deed=swing.deed,
            )
        )
        if swing.keeping:
            _try_again(exercise, swing, result.reasons.get(swing.ply))
        else:
            exercise.say(swing.lesson)


def _try_again(exercise: Exercise, swing: Decision, why: Sentence | None) -> None:
    """Asks for a move that keeps the value until the person finds one or wants the answer."""
    state, value = exercise.match.states[swing.ply], VALUES[swing.before.value]
    if swing.move is not None:
        exercise.say(refutation(state, swing.move, exercise.solution))
    better = "can do better. Which move keeps the {value}?"
    exercise.say(Sentence(f"{{player}} {better}", you=f"You {better}", player=state.player, value=value))
    while True:
        move = exercise.ask(state)
        if move is None:
            keep = "keeps" if len(swing.keeping) == 1 else "keep"
            keeping = Capital(Moves(swing.keeping, state.player))
            exercise.say(Sentence("{keeping} {keep} the {value}.", value=value, keeping=keeping, keep=keep))
            break
        played = PlayedNoun(move, state.player)
        if move in swing.keeping:
            exercise.say(Sentence("Right: {move} keeps the {value}.", move=played, value=value))
            break
        wrong = Sentence("No: {move} gives the {value} away.", move=played, value=value)
        exercise.say(wrong, refutation(state, move, exercise.solution))
    if why is not None:
        exercise.say(why)
