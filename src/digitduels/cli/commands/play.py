"""`duels play`: starts a game, between two people or against the computer."""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from digitduels.cli.arguments import add_game, add_options, read_game, seconds
from digitduels.cli.console import LEAVING, Console
from digitduels.cli.errors import LIMIT, Failure, usage
from digitduels.cli.file_arguments import new_file
from digitduels.cli.parser import Parser
from digitduels.cli.saved_games import Save
from digitduels.cli.solo import make_session
from digitduels.core import TooLarge
from digitduels.games import AnyGame
from digitduels.match import LONGEST_NAME, Match, player_names, swap_seats
from digitduels.players import COACH, OPPONENTS, check, computer_name, known_player, offered_player
from digitduels.sentence import PLAYERS, player_name
from digitduels.text import clean, quoted, skeleton

EXAMPLES = (
    "duels play number-duel",
    "duels play number-duel --vs 3 --seat pick",
    "duels play operation-target --set target=100",
    "duels play numerical-nexus --set uses=3,2,1,2,1,0 --names Ann Bob --first random",
    "duels play number-quest --save quest.json",
)
PRONOUNS = ("you", "your", "yours", "me", "mine", "them", "theirs", "nobody", "1", "2")


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    opponent = parser.add_argument(
        "--vs",
        default="human",
        metavar="WHO",
        help="human, a level from 1 to 7 or its name (`duels games` lists them), random, perfect, coach, or the "
        "command of a program (default: human)",
    )
    opponent.completer = lambda **_: ["human", COACH, *OPPONENTS]  # type: ignore[attr-defined]  # read by argcomplete
    parser.add_argument(
        "--seat",
        choices=["1", "2", "random", "pick"],
        default="1",
        help="your seat against the computer; Player 1 begins (default: 1)",
    )
    parser.add_argument(
        "--start", choices=["book", "fair"], default="book", help="the book's start or a fair opening (default: book)"
    )
    parser.add_argument(
        "--move-time", type=seconds, default=10.0, metavar="S", help="seconds per move for a program (default: 10)"
    )
    parser.add_argument(
        "--first",
        choices=["1", "2", "random"],
        help="which of two named people sits as Player 1 and begins (default: 1)",
    )
    parser.add_argument(
        "--names", nargs="+", default=[], metavar="NAME [NAME]", help="the names of both players, or only yours"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="make random choices repeatable")
    parser.add_argument("--save", type=Path, metavar="FILE", help="save the game in this new file")
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    game = read_game(arguments.game, arguments.set, arguments.rules)
    arguments.vs = known_player(arguments.vs, "human", COACH)
    try:
        check(arguments.vs, "human", COACH)
    except ValueError as error:
        usage(str(error))
    if arguments.vs != "human" and arguments.first is not None:
        usage("--first is for two people. Against the computer, choose your seat with --seat: Player 1 begins.")
    if len(arguments.names) > 2:
        usage("--names takes one or two names.")
    opponent = offered_player(arguments.vs, game.id)
    rng = random.Random(arguments.seed)
    swapped = {None: 0, "1": 0, "2": 1}.get(arguments.first, rng.randrange(2))
    fair, seed = arguments.start == "fair", None
    if arguments.vs != "human" or fair:
        seed = str(rng.getrandbits(64) if arguments.seed is None else arguments.seed)
    match, console, seat = Match(game, opening=_fair_opening(game, seed) if fair else ()), Console(), 0
    match.seed = seed
    if arguments.vs != "human":
        try:
            seat = _choose_seat(match, arguments.seat, rng, console)
        except EOFError:
            return 0
        if opponent != arguments.vs:
            console.say(f"{game.title} has no level {arguments.vs}: you play {computer_name(opponent)}.", "")
        match.players = ("human", opponent) if seat == 0 else (opponent, "human")
        match.names = player_names(
            [player_name(player) if player == seat else computer_name(opponent) for player in (0, 1)]
        )
    try:
        _check_names(arguments.names, console)
        match.names = player_names(_names(match, arguments.names, seat))
        if swapped:
            match.names = player_names(swap_seats(match.names))
        for name, other in zip(match.names, reversed(PLAYERS), strict=True):
            if skeleton(name) == skeleton(other):  # the name of the other player's seat
                raise _confusing(name)
    except ValueError as error:
        usage(str(error))
    if arguments.save is None:
        return make_session(match, Save(), console, arguments.move_time).run()
    existed = os.path.lexists(arguments.save)
    try:
        return make_session(match, Save(new_file(arguments.save)), console, arguments.move_time).run()
    finally:
        with suppress(OSError):
            if not existed and not arguments.save.stat().st_size:  # no move was made
                arguments.save.unlink()


def _check_names(names: Sequence[str], console: Console) -> None:
    """Rejects names that would make sentences ambiguous, and says which names are cut; raises ValueError."""
    for name in names:
        whole = clean(name, 10 * LONGEST_NAME)
        if skeleton(whole) in map(skeleton, PRONOUNS):
            raise _confusing(whole)
        if len(whole) > LONGEST_NAME:
            console.say(f"A name has at most {LONGEST_NAME} characters: {clean(name, LONGEST_NAME)}", "")


def _confusing(name: str) -> ValueError:
    return ValueError(f"A player cannot be called {quoted(name)}: sentences with that name would be confusing.")


def _names(match: Match, names: Sequence[str], seat: int) -> Sequence[str]:
    """The names of both players. A single name is that of the person in this seat."""
    if len(names) == 2:
        return names
    return [*match.names[:seat], *names, *match.names[seat + len(names) :]]


def _fair_opening(game: AnyGame, seed: str | None) -> list[Any]:
    """The opening moves of a fair start."""
    from digitduels.cli.progress import solution_of
    from digitduels.study.fair_starts import fair_start

    try:
        solution = solution_of(game)
    except TooLarge:
        raise Failure(LIMIT, "There is no fair start for this variant: it is too large. Play from the start.") from None
    return fair_start(solution, seed)


def _choose_seat(match: Match, choice: str, rng: random.Random, console: Console) -> int:
    """The person's seat: fixed, random, or picked after seeing the position."""
    if choice == "pick":
        console.say(*match.game.view(match.state), f"{player_name(match.state.player)} moves next.")
        while (text := console.ask("Which side do you want? (1/2) ").strip().lower()) not in ("1", "2"):
            if text in LEAVING:
                raise EOFError
            console.say("Error: answer 1 or 2, or quit.")
        return int(text) - 1
    return rng.randrange(2) if choice == "random" else int(choice) - 1
