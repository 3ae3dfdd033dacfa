"""`duels tournament`: plays several players against each other and prints the standings."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from digitduels.cli.arguments import add_game, add_options, names_a_game, read_game, seconds
from digitduels.cli.columns import about, columns, part, skill
from digitduels.cli.console import Console
from digitduels.cli.errors import FAILURE, Failure, quoted_path, usage
from digitduels.cli.file_arguments import ordinary_file, record_errors
from digitduels.cli.parser import Parser
from digitduels.cli.progress import show_progress, solve
from digitduels.games import AnyGame, games
from digitduels.sentence import Count
from digitduels.text import clean, percent

EXAMPLES = (
    "duels tournament number-quest 2 3 4 5 perfect --games 100",
    'duels tournament number-duel random 3 mine="python my_player.py" --records games.jsonl',
)


def add_arguments(parser: Parser) -> None:
    add_game_and_players(parser, "PLAYERS")
    add_plan(parser)


def add_game_and_players(parser: Parser, players: str) -> None:
    """Adds the game and the players as positional arguments, and `--game` as an alternative."""
    add_game(
        parser,
        "words",
        nargs="+",
        metavar=f"GAME {players}",
        help="a game, then its players: random, a level from 1 to 7, perfect, or a program as CMD or NAME=CMD. CMD is "
        "the command line that starts it, in quotes if it has spaces; NAME is its name in the results, without "
        "spaces, quotes or /",
    )
    add_game(parser, "--game", help="the game, if you list only the players")


def add_plan(parser: Parser) -> None:
    """Adds the other arguments of a tournament plan."""
    parser.add_argument("--games", type=int, default=20, metavar="N", help="games per pair (default: 20)")
    parser.add_argument(
        "--start", choices=["book", "fair"], default="fair", help="the book's start or fair openings (default: fair)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="a different seed gives different games (default: 0)"
    )
    parser.add_argument(
        "--move-time", type=seconds, default=10.0, metavar="S", help="seconds per move for a program (default: 10)"
    )
    parser.add_argument(
        "--records",
        type=Path,
        metavar="FILE",
        help="append every game to this file; games that it already has are not played again",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    return play_all(arguments, "tournament GAME PLAYERS")


def game_and_players(arguments: argparse.Namespace, form: str, most: int | None) -> tuple[str, list[str]]:
    """The game and the players; the game comes first or from `--game`."""
    words = list(arguments.words)
    name = words.pop(0) if arguments.game is None and names_a_game(words[0]) else arguments.game
    if name is None:
        usage(f"Which game? Use duels {form}. The games are {', '.join(games())}.")
    if most is not None and len(words) != most:
        usage(f"A match needs {most} players, not {len(words)}.")
    return name, words


def play_all(arguments: argparse.Namespace, form: str, most: int | None = None) -> int:
    """Plays all games of a tournament and prints the standings."""
    from digitduels.arena.standings import standings
    from digitduels.arena.tournament import ProgramFailed, make_plan
    from digitduels.arena.tournament import run as play

    name, players = game_and_players(arguments, form, most)
    game = read_game(name, arguments.set, arguments.rules)
    try:
        plan = make_plan(game, players, arguments.games, arguments.start, arguments.seed, arguments.move_time)
    except ValueError as error:
        usage(str(error))
    records: Path | None = arguments.records
    if records is not None:
        ordinary_file(records)
    solve(game)  # once, for all players
    try:
        with show_progress(game.title) as progress, record_errors(records or Path()):
            played = play(plan, records, progress)
    except ProgramFailed as failed:
        raise Failure(FAILURE, clean(str(failed), 1000)) from None
    except KeyboardInterrupt:
        if records is not None and records.exists():
            print(
                f"\nduels: The finished games are in {quoted_path(records)}. Run the same command to continue.",
                file=sys.stderr,
            )
        raise
    console = Console()
    results = standings(plan, played)
    if arguments.json:
        console.write(json.dumps(results, indent=1))
        return 0
    console.say(*_tables(game, results, console.table_width))
    if records is not None:
        console.say("", f"The records of all games are in {quoted_path(records)}.")
    return 0


def _tables(game: AnyGame, results: dict[str, Any], width: int | None) -> list[str]:
    """The results of a tournament as text tables that are at most `width` wide."""
    start = str(Count(results["starts"], "fair start")) if results["start"] == "fair" else "the book's start"
    games = f"{Count(results['games'], 'game')} ({results['different']} different)"
    lines = [f"{game.title}, {games} from {start}, seed {results['seed']}", ""]
    rows = [["", "as Player 1", "as Player 2", "points", "95 % interval"]]
    for pair in results["pairs"]:
        score = pair["score"]
        interval = f"{percent(score['low'])} to {percent(score['high'])}"
        rows.append([" - ".join(pair["players"]), *map(_tally, pair["seats"]), percent(score["value"]), interval])
    lines += ["Results of the player named first (wins-losses, or wins-draws-losses)", *columns(rows, width), ""]
    rows = [["", "skill", "95 % interval", "critical moves found", "by chance"]]
    rows[0] += ["rating", "95 % interval", "won games thrown away", "forfeits"]
    for player in results["players"]:
        rating, grade = player["rating"], player["grade"]
        rows.append(
            [
                player["player"],
                *skill(player["skill"]),
                part(grade["found"], grade["critical"]),
                about(grade["chance"], grade["critical"]),
                f"{rating['value']:.0f}",
                f"{rating['low']:.0f} to {rating['high']:.0f}",
                part(grade["thrown"], grade["won"]),
                str(grade["forfeits"]),
            ]
        )
    lines += ["Ranking", *columns(rows, width)]
    for player in results["players"]:
        for reason, times in player["reasons"].items():
            lines.append(f"{player['player']} forfeited {Count(times, 'game')}: {clean(reason, 200)}")
    return lines


def _tally(results: dict[str, int]) -> str:
    """Wins, draws and losses; draws only if there are any."""
    return "-".join(str(results[key]) for key in ("wins", "draws", "losses") if key != "draws" or results[key])
