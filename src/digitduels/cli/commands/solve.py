"""`duels solve`: the exact value of a position and its moves, in words, as JSON or as a picture."""

from __future__ import annotations

import argparse
import json
from itertools import groupby

from digitduels.cli.arguments import add_game, add_options, read_game, size
from digitduels.cli.console import Console
from digitduels.cli.errors import ILLEGAL_MOVE, LIMIT, Failure, usage
from digitduels.cli.parser import Parser
from digitduels.cli.plot_argument import add_plot, check_plot, save_plot, say_plot
from digitduels.cli.progress import solve
from digitduels.core import IllegalMove, InvalidMove, TooLarge
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.sentence import Sentence, shown_moves
from digitduels.solver import Solution
from digitduels.study import serialization
from digitduels.study.hints import LISTED, values
from digitduels.study.theory import theory
from digitduels.study.wording import SIGNS, standing
from digitduels.text import quoted

HEADINGS = {1: "Winning", 0: "Drawing", -1: "Losing"}
EXAMPLES = (
    "duels solve number-duel",
    'duels solve number-duel --moves "+5 +10"',
    "duels solve operation-target --set target=100 --theory",
    "duels solve number-quest --plot quest.svg",
)


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    parser.add_argument("--moves", default="", metavar="MOVES", help='the game so far, such as "+5 +10"')
    parser.add_argument("--first", choices=["1", "2"], default="1", help="who moved first (default: 1)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--theory", action="store_true", help="say what is known about the whole game instead")
    add_plot(parser)
    parser.add_argument("--limit", type=size, metavar="SIZE", help="the memory it may use, such as 8GiB")
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    game = read_game(arguments.game, arguments.set, arguments.rules)
    check_plot(arguments.plot)
    if arguments.theory and arguments.moves.strip():
        usage("--theory is about the whole game; leave out --moves.")
    match = _match_after(game, int(arguments.first) - 1, arguments.moves)
    try:
        solution = solve(game, arguments.limit)
    except TooLarge as error:
        raise Failure(LIMIT, f"{error} --limit allows more.") from None
    sentences = theory(solution, match.first) if arguments.theory else []
    console = Console()
    if arguments.plot is not None:
        from digitduels.plots import draw_solution

        save_plot(draw_solution(solution, match.state), arguments.plot)
    if arguments.json:
        answer = serialization.solved(match, solution.judge(match.state))
        console.write(json.dumps(answer | ({"theory": sentences} if arguments.theory else {}), indent=1))
        return 0
    if sentences:
        console.say(*sentences)
    else:
        _show(match, solution, console)
    say_plot(console, arguments.plot)
    return 0


def _match_after(game: AnyGame, first: int, moves: str) -> Match:
    """The match after these moves."""
    match = Match(game, first=first)
    for number, text in enumerate(moves.split(), 1):
        try:
            match.play(game.read(text, match.state))
        except (InvalidMove, IllegalMove) as error:
            raise Failure(ILLEGAL_MOVE, f"Move {number} of --moves, {quoted(text)}: {error}") from None
    return match


def _show(match: Match, solution: Solution, console: Console) -> None:
    """Shows a position and the verdict on every move, in words."""
    game, state, outcome, judgement = match.game, match.state, match.outcome, solution.judge(match.state)
    console.say(game.title, "", *game.view(state), "")
    if outcome is not None:
        console.say("The game is over.", outcome.reason, game.victory(outcome.winner))
        return
    console.say(Sentence("{player} to move.", player=state.player), *standing(state.player, judgement.best_verdict))
    for value, same_value in groupby(values(state, judgement), lambda group: group.value):
        groups = list(same_value)
        count = sum(len(group.moves) for group in groups)
        console.say("", f"{SIGNS[value]} {HEADINGS[value]}: {count} of {len(judgement)}")
        for group in groups:
            moves = shown_moves(group.moves, state.player, most=LISTED if value < 0 else None)
            console.say_wrapped(f"  {group.words}: {', '.join(moves)}", 4)
