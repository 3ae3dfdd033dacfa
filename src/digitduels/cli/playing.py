"""`duels play` and `duels resume`: who sits where, from which position, and the session that follows."""

from __future__ import annotations

import argparse
import os
import random
from contextlib import suppress
from pathlib import Path

import digitduels
from digitduels.cli import saved_games
from digitduels.cli.console import Console
from digitduels.cli.main import LIMIT, Failure, make_console, new_file, read_game, usage
from digitduels.cli.saved_games import Save
from digitduels.cli.session import Session
from digitduels.cli.solo import Solo
from digitduels.core import TooLarge
from digitduels.games import AnyGame, game_class, games
from digitduels.manual import summary
from digitduels.match import Match, player_names
from digitduels.players import COACH, COACH_LEVEL, PLAYERS, Player, check, player
from digitduels.sentence import player_name
from digitduels.solver import Solution
from digitduels.text import quoted


def play(arguments: argparse.Namespace) -> int:
    """Sets a new game up as the command line says, and plays it."""
    game = read_game(arguments.game, arguments.set)
    try:
        check(arguments.vs, "human", COACH)
    except ValueError as error:
        usage(str(error))
    dice = random.Random(arguments.seed)
    first = {"1": 0, "2": 1}.get(arguments.first, dice.randrange(2))
    match = Match(game, first=first)
    if arguments.vs != "human" or arguments.start == "fair":
        match.seed = str(dice.getrandbits(64) if arguments.seed is None else arguments.seed)
    console = make_console()
    if arguments.start == "fair":
        give_fair_start(match)
    if arguments.vs != "human":
        try:
            seat = choose_seat(match, arguments.seat, dice, console)
        except EOFError:
            return 0
        match.players = ("human", arguments.vs) if seat == 0 else (arguments.vs, "human")
        names = [player_name(place) if place == seat else shown(arguments.vs) for place in (0, 1)]
        match.names = player_names(names)
    try:
        if arguments.names:
            match.names = player_names(arguments.names)
    except ValueError as error:
        usage(str(error))
    if arguments.save is None:
        return begin(match, Save(), console, arguments.move_time)
    existed = os.path.lexists(arguments.save)
    try:
        return begin(match, Save(new_file(arguments.save)), console, arguments.move_time)
    finally:
        with suppress(OSError):
            if not existed and not arguments.save.stat().st_size:  # no move was made
                arguments.save.unlink()


def pick(console: Console) -> list[str] | None:
    """A game with the fewest keystrokes: what to play and against whom, as arguments; None if nobody answers."""
    ids = games()
    last = "number-duel"
    with suppress(OSError):  # without saved games there is still a game to play
        last = next((name.rpartition("-")[0] for name in saved_games.names()), last)
    default = str(ids.index(last) + 1) if last in ids else "1"
    console.say("Which duel?")
    for place, name in enumerate(ids, 1):
        kind = game_class(name)
        console.say(f"{place}  {kind().title}: {summary(kind)}")
    try:
        places = [str(place) for place in range(1, len(ids) + 1)]
        game = ask_for(console, f"1 to {len(ids)}, or Enter for {default}: ", places, default)
        levels = [name for name in PLAYERS if name.isdecimal()]
        who = ask_for(console, "Enter for two people here, or 1 to 7 for a computer that strong: ", levels, "human")
    except EOFError:
        return None
    console.say("")
    return [ids[int(game) - 1], "--vs", who]


def ask_for(console: Console, question: str, answers: list[str], default: str) -> str:
    """One of some answers, or the default for none."""
    while (text := console.ask(question).strip() or default) not in (*answers, default):
        console.say(f"Error: {quoted(text)} is not possible here. Possible: {answers[0]} to {answers[-1]}.")
    return text


def resume(match: Match, path: Path, data: bytes) -> int:
    """Goes on with a game, against the same opponent if it was one of ours."""
    console = make_console()
    if any(name not in ("human", COACH, *PLAYERS) for name in match.players):
        console.say("One side was played by a program, which is not started from a file. Two people play on.")
        match.players = ("human", "human")
    return begin(match, Save(path, data), console)


def begin(match: Match, save: Save, console: Console, move_time: float = 10.0) -> int:
    """Plays a match between whoever sits there."""
    if match.players.count("human") == 2:
        return Session(match, save, console).run()
    game = match.game
    name = next(name for name in match.players if name != "human")

    def opponent(match: Match) -> Player:
        wanted = COACH_LEVEL if name == COACH else name
        return player(wanted, game, solved, seed=match.seed, move_time=move_time)

    return Solo(match, save, console, opponent, lambda: solved(game), coach=name == COACH).run()


_solutions: dict[AnyGame, Solution] = {}


def solved(game: AnyGame) -> Solution:
    """The solution of the game that is played, with progress shown while it is worked out."""
    from digitduels.cli.truth import working

    if game not in _solutions:
        try:
            with working(game.title) as progress:
                _solutions[game] = digitduels.solve(game, progress=progress)
        except TooLarge as error:
            raise Failure(LIMIT, str(error)) from None
    return _solutions[game]


def give_fair_start(match: Match) -> None:
    """Plays the opening of a fair start."""
    from digitduels.study.fair_starts import fair_start

    for move in fair_start(solved(match.game), match.seed):
        match.play(move)
    match.opening = len(match.moves)


def choose_seat(match: Match, wanted: str, dice: random.Random, console: Console) -> int:
    """The seat of the person: given, drawn, or picked after a look at the position."""
    if wanted == "pick":
        console.say(*match.game.view(match.state), f"{player_name(match.state.player)} moves first.")
        while (text := console.ask("Which side do you want? (1/2) ").strip()) not in ("1", "2"):
            console.say("Error: answer 1 or 2.")
        return int(text) - 1
    return dice.randrange(2) if wanted == "random" else int(wanted) - 1


def shown(name: str) -> str:
    """What a computer player is called in the game."""
    if name.isdecimal():
        return f"Level {name}"
    return name.capitalize() if name in (*PLAYERS, COACH) else "The program"
