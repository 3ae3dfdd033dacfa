"""The commands of `duels`: what each takes, and what it does. Everything heavy is imported when it is needed."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from digitduels import __version__
from digitduels.core import IllegalMove, InvalidMove
from digitduels.games import AnyGame, game_class, games
from digitduels.match import Match
from digitduels.record import LARGEST, RecordError, parse
from digitduels.text import clean, quoted

if TYPE_CHECKING:
    from digitduels.cli.console import Console

FAILURE, USAGE, ILLEGAL_MOVE, FILE, LIMIT, INTERRUPTED = 1, 2, 3, 4, 5, 130


class Failure(Exception):
    """Why a command cannot be carried out, and its exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


# The command line


class Parser(argparse.ArgumentParser):
    """Help with examples, and no guessing at half an option."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        if examples:
            kwargs["epilog"] = "examples:\n" + "\n".join(f"  {example}" for example in examples)
        kwargs |= {"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter}
        super().__init__(*args, **kwargs)


def build_parser() -> Parser:
    parser = Parser(
        prog="duels",
        description="Five two-player number duels, played by the book. Without a command: a quick game.",
        examples=["duels", "duels play number-duel", "duels rules number-quest", "duels resume"],
    )
    parser.add_argument("--version", action="version", version=f"duels {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command(name: str, about: str, run: Callable[[argparse.Namespace], int], *examples: str) -> Parser:
        added: Parser = commands.add_parser(name, help=about, description=about, examples=examples)
        added.set_defaults(run=run)
        return added

    play = command(
        "play",
        "Play a game, two people at one keyboard or one against the computer.",
        run_play,
        "duels play number-duel",
        "duels play number-duel --vs 3 --seat pick",
        "duels play operation-target --set target=100 --first random",
        "duels play numerical-nexus --set uses=3,2,1,2,1,0 --names Ann Bob",
        "duels play number-quest --save quest.json",
    )
    add_game(play)
    play.add_argument(
        "--vs",
        default="human",
        metavar="WHO",
        help="human (default), random, a level from 1 to 7, perfect, coach, or the command of a program",
    )
    play.add_argument("--seat", choices=["1", "2", "random", "pick"], default="1", help="where you sit (default: 1)")
    play.add_argument("--start", choices=["book", "fair"], default="book", help="the book's start, or a fair opening")
    play.add_argument("--move-time", type=float, default=10.0, metavar="S", help="seconds a program has for a move")
    play.add_argument("--first", choices=["1", "2", "random"], default="1", help="who moves first (default: 1)")
    play.add_argument("--names", nargs="+", metavar="NAME", help="what the two players are called")
    play.add_argument("--seed", type=int, metavar="N", help="makes chance repeatable")
    play.add_argument("--save", type=Path, metavar="FILE", help="keep the game in this new file")
    add_options(play)

    resume = command(
        "resume",
        "Go on with a game that was left.",
        run_resume,
        "duels resume",
        "duels resume number-duel-1",
        "duels resume quest.json",
    )
    resume.add_argument("file", nargs="?", metavar="FILE", help="a file, or a name that `duels saved` lists")

    saved = command(
        "saved",
        "List the saved games, or delete some.",
        run_saved,
        "duels saved",
        "duels saved --delete number-duel-1",
        "duels saved --delete-finished",
    )
    saved.add_argument("--delete", nargs="+", metavar="NAME", default=[], help="delete these games")
    saved.add_argument("--delete-finished", action="store_true", help="delete the games that are over")

    listing = command("games", "List the games.", run_games, "duels games", "duels games --json")
    listing.add_argument("--json", action="store_true", help="for programs: with options and what they may be")

    rules = command("rules", "Show the rules, options and rulings of a game.", run_rules, "duels rules equation-duel")
    add_game(rules)
    add_options(rules)

    solve = command(
        "solve",
        "Tell who wins a position, how soon, and by which moves.",
        run_solve,
        "duels solve number-duel",
        'duels solve number-duel --moves "+5 +10"',
        "duels solve operation-target --set target=100 --theory",
        "duels solve number-quest --plot quest.svg",
    )
    add_game(solve)
    solve.add_argument("--moves", default="", metavar="MOVES", help='the game so far, such as "+5 +10"')
    solve.add_argument("--first", choices=["1", "2"], default="1", help="who moves first (default: 1)")
    solve.add_argument("--json", action="store_true", help="for programs")
    solve.add_argument("--theory", action="store_true", help="tell what is known of the whole game instead")
    solve.add_argument("--plot", type=Path, metavar="FILE", help="draw a picture into this file, which ends in .svg")
    solve.add_argument("--limit", type=size, metavar="SIZE", help="the memory it may take, such as 8GiB")
    add_options(solve)

    cache = command(
        "cache",
        "List the solved games that are kept, check them, or clear them away.",
        run_cache,
        "duels cache",
        "duels cache --verify",
        "duels cache --clear",
    )
    task = cache.add_mutually_exclusive_group()
    task.add_argument("--verify", action="store_true", help="compare every table with its checksums")
    task.add_argument("--clear", action="store_true", help="delete all tables; they are made again when needed")

    review = command(
        "review",
        "Tell what decided a game, and try its turning points again.",
        run_review,
        "duels review number-duel-1",
        "duels review quest.json --json",
    )
    review.add_argument("file", metavar="FILE", help="a file, or a name that `duels saved` lists")
    review.add_argument("--json", action="store_true", help="for programs")

    puzzle = command(
        "puzzle",
        "Find the one move that wins, or print a sheet of such puzzles.",
        run_puzzle,
        "duels puzzle --daily",
        "duels puzzle number-quest --tier 3",
        "duels puzzle equation-duel --print 6 --out sheet.html",
    )
    add_game(puzzle, optional=True)
    which = puzzle.add_mutually_exclusive_group()
    which.add_argument("--daily", action="store_true", help="the puzzle of the day, the same for everybody")
    which.add_argument("--seed", type=int, metavar="N", help="the same puzzle again")
    puzzle.add_argument(
        "--tier", type=int, choices=[1, 2, 3, 4], help="how far away the win is: so many turns, 4 for four or more"
    )
    puzzle.add_argument("--print", type=count, metavar="N", help="print a sheet of so many puzzles, with answers")
    puzzle.add_argument("--out", type=Path, metavar="FILE", help="write the sheet to this new file; .html prints best")
    add_options(puzzle)

    match = command(
        "match",
        "Let two players play each other, in both seats.",
        run_match,
        "duels match 3 perfect --game number-quest --games 100",
        'duels match "python my_player.py" 4 --game number-duel --games 20 --records games.jsonl',
    )
    match.add_argument("one", metavar="A", help="random, a level from 1 to 7, perfect, or the command of a program")
    match.add_argument("two", metavar="B", help="likewise")
    add_contest(match)

    tournament = command(
        "tournament",
        "Let everybody play everybody, in both seats.",
        run_tournament,
        "duels tournament 2 3 4 5 perfect --game number-quest --games 100",
        'duels tournament random 3 "python my_player.py" --game number-duel --records games.jsonl',
    )
    tournament.add_argument("players", nargs="+", metavar="PLAYERS", help="two or more, as `duels match` takes them")
    add_contest(tournament)

    serve = command(
        "serve",
        "Play in the browser: starts a server on this machine.",
        run_serve,
        "duels serve --open",
        "duels serve --host 0.0.0.0 --port 8080",
        "duels serve --database postgresql://duels@localhost/duels --check",
    )
    serve.add_argument("--host", metavar="H", help="the address to listen on; 0.0.0.0 for all (default: 127.0.0.1)")
    serve.add_argument("--port", type=int, metavar="P", help="the port to listen on (default: 8000)")
    serve.add_argument("--database", metavar="URL", help="where games are kept; a file of yours unless given")
    serve.add_argument("--open", action="store_true", help="open the browser")
    serve.add_argument("--check", action="store_true", help="only tell whether all is well, and what is not")

    evaluate = command(
        "eval",
        "Tell how language models did at our tasks, from the logs of Inspect.",
        run_eval,
        "duels eval logs",
        "duels eval logs --json",
        "duels eval logs/one.eval logs/two.eval --records games",
    )
    evaluate.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="a log of Inspect, or a folder of them")
    evaluate.add_argument("--records", type=Path, metavar="FOLDER", help="write every game into this new folder")
    evaluate.add_argument("--json", action="store_true", help="for programs")

    dataset = command(
        "dataset",
        "Write positions with the truth about every move, to train on or to probe with.",
        run_dataset,
        "duels dataset number-quest --positions 1000 --out quest.jsonl",
        "duels dataset number-duel --positions 100000 --seed 1 --out duel.parquet",
    )
    add_game(dataset)
    dataset.add_argument("--positions", type=int, required=True, metavar="N", help="how many positions")
    dataset.add_argument("--seed", type=int, default=0, metavar="S", help="others with another seed (default: 0)")
    dataset.add_argument("--out", type=Path, metavar="FILE", help="a file that ends in .parquet or .jsonl")
    add_options(dataset)

    completion = command(
        "completion",
        "Print what makes a shell complete the words of this command.",
        run_completion,
        'eval "$(duels completion bash)"',
        "duels completion fish > ~/.config/fish/completions/duels.fish",
    )
    completion.add_argument("shell", choices=["bash", "zsh", "fish", "powershell"], help="the shell")
    return parser


def add_game(parser: Parser, *, optional: bool = False) -> None:
    argument = parser.add_argument(
        "game", metavar="GAME", nargs="?" if optional else None, help="one of the games that `duels games` lists"
    )
    argument.completer = lambda **_: games()  # type: ignore[attr-defined]  # read by argcomplete


def add_contest(parser: Parser) -> None:
    argument = parser.add_argument("--game", required=True, metavar="GAME", help="the game that is played")
    argument.completer = lambda **_: games()  # type: ignore[attr-defined]  # read by argcomplete
    parser.add_argument("--games", type=int, default=20, metavar="N", help="games of each pair (default: 20)")
    parser.add_argument(
        "--start", choices=["book", "fair"], default="fair", help="the book's start, or fair openings (default)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other games with another seed (default: 0)")
    parser.add_argument("--move-time", type=float, default=10.0, metavar="S", help="seconds a program has for a move")
    parser.add_argument("--records", type=Path, metavar="FILE", help="add all games to this file; go on if begun")
    parser.add_argument("--json", action="store_true", help="for programs")
    add_options(parser)


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change an option of the game; `duels rules GAME` lists them",
    )


def size(text: str) -> int:
    """A number of bytes as people write it: 500, 500MB, 8GiB. A thousand is 1024 here."""
    import re

    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) *(?:([kmgt]?)i?b?)", text.strip().lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"a size looks like 500MB or 8GiB, not {quoted(text)}")
    return int(float(found[1]) * 1024 ** " kmgt".index(found[2] or " "))


def count(text: str) -> int:
    """How many puzzles a sheet has."""
    if not text.isdecimal() or len(text) > 3 or not 1 <= int(text) <= 200:
        raise argparse.ArgumentTypeError(f"a sheet has 1 to 200 puzzles, not {quoted(text)}")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `duels` and returns its exit code."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    warnings.formatwarning = lambda message, *_, **__: f"duels: {message}\n"
    parser = build_parser()
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser)
    try:
        return run(parser, arguments)
    except Failure as failure:
        print(f"duels: {failure}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        # A stream or a folder fails us. What was played is saved; point the output elsewhere so that leaving is quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # nobody reads any more
            return FAILURE
        where = f"{shown(error.filename)}: " if error.filename else ""
        print(f"duels: {where}{error.strerror or error}.", file=sys.stderr)
        return FILE


def run(parser: Parser, arguments: Sequence[str] | None) -> int:
    """Carries out a command; when it ends, however it ends, all that it said is out."""
    try:
        parsed = parser.parse_args(arguments)
        code: int = parsed.run(parsed) if hasattr(parsed, "run") else run_quick(parser)
        return code
    finally:
        sys.stdout.flush()


# The commands


def run_play(arguments: argparse.Namespace) -> int:
    from digitduels.cli.playing import play

    return play(arguments)


def run_quick(parser: Parser) -> int:
    console = make_console()
    if not console.interactive:
        parser.print_help()
        return USAGE
    from digitduels.cli.playing import pick, play

    wanted = pick(console)
    return 0 if wanted is None else play(parser.parse_args(["play", *wanted]))


def run_resume(arguments: argparse.Namespace) -> int:
    from digitduels.cli import saved_games

    if arguments.file is not None:
        path = saved_file(arguments.file)
        data, match = load(path)
        return go_on(match, path, data)
    for name in saved_games.names():
        path = saved_games.path_of(name)
        try:
            data, match = load(path)
        except Failure:
            continue
        if match.outcome is None:
            return go_on(match, path, data)
    raise Failure(FAILURE, "There is no unfinished game. Start one with: duels play GAME")


def run_saved(arguments: argparse.Namespace) -> int:
    from digitduels.cli import saved_games

    names = saved_games.names()
    for name in arguments.delete:
        if name not in names:
            raise Failure(FILE, f"There is no saved game {quoted(name)}. `duels saved` lists them.")
    if arguments.delete or arguments.delete_finished:
        finished = [name for name in names if arguments.delete_finished and is_finished(name)]
        for name in dict.fromkeys((*arguments.delete, *finished)):
            try:
                saved_games.path_of(name).unlink()
            except OSError as error:
                raise Failure(FILE, f"{name} could not be deleted: {error.strerror}.") from None
            print(f"Deleted {name}.")
        return 0
    for name in names:
        print(f"{name}: {about(name)}")
    if not names:
        print("No saved games.")
    return 0


def run_games(arguments: argparse.Namespace) -> int:
    from digitduels.manual import summary

    kinds = [game_class(name) for name in games()]
    if arguments.json:
        listing = [
            {
                "game": kind().id,
                "title": kind().title,
                "summary": summary(kind),
                "options": [
                    {
                        "name": option.name,
                        "default": option.default,
                        "about": option.about,
                        "allowed": str(option.kind),
                    }
                    for option in kind.options()
                ],
            }
            for kind in kinds
        ]
        print(json.dumps({"version": 1, "games": listing}, indent=1))
        return 0
    make_console()
    for kind in kinds:
        print(f"{kind().id}\n    {summary(kind)}")
    return 0


def run_rules(arguments: argparse.Namespace) -> int:
    from digitduels.manual import manual

    make_console()
    print(manual(read_game(arguments.game, arguments.set)), end="")
    return 0


def run_solve(arguments: argparse.Namespace) -> int:
    from digitduels.cli.truth import solve

    return solve(read_game(arguments.game, arguments.set), arguments)


def run_cache(arguments: argparse.Namespace) -> int:
    from digitduels.cli.truth import cache

    return cache(verify=arguments.verify, clear=arguments.clear)


def run_match(arguments: argparse.Namespace) -> int:
    from digitduels.cli.contests import contests

    return contests(read_game(arguments.game, arguments.set), (arguments.one, arguments.two), arguments)


def run_tournament(arguments: argparse.Namespace) -> int:
    from digitduels.cli.contests import contests

    return contests(read_game(arguments.game, arguments.set), arguments.players, arguments)


def run_review(arguments: argparse.Namespace) -> int:
    from digitduels.cli.lessons import run_review

    return run_review(arguments)


def run_puzzle(arguments: argparse.Namespace) -> int:
    from digitduels.cli.lessons import run_puzzle

    return run_puzzle(arguments)


def run_serve(arguments: argparse.Namespace) -> int:
    from digitduels.cli.serving import serve

    return serve(arguments)


def run_eval(arguments: argparse.Namespace) -> int:
    from digitduels.cli.evals import run_eval

    return run_eval(arguments)


def run_dataset(arguments: argparse.Namespace) -> int:
    from digitduels.cli.evals import run_dataset

    return run_dataset(read_game(arguments.game, arguments.set), arguments)


def run_completion(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    print(shellcode(["duels"], shell=arguments.shell))
    return 0


# What the commands share


def usage(message: str) -> NoReturn:
    raise Failure(USAGE, message)


def make_console() -> Console:
    from digitduels.cli.console import Console

    return Console()


def read_game(name: str, settings: Sequence[str]) -> AnyGame:
    """The game that a command names, with the options that --set gives it."""
    from digitduels.games import game

    try:
        options = {option.name: option for option in game_class(name).options()}
        values = {}
        for setting in settings:
            key, equals, text = setting.partition("=")
            if not equals:
                raise ValueError(f"--set takes NAME=VALUE, not {quoted(setting)}.")
            values[key.strip()] = options[key.strip()].kind.read(text.strip()) if key.strip() in options else text
        return game(name, **values)
    except ValueError as error:
        usage(str(error))


def go_on(match: Match, path: Path, data: bytes) -> int:
    from digitduels.cli.playing import resume

    return resume(match, path, data)


def new_file(path: Path) -> Path:
    """A file that a new game may be kept in: nothing is overwritten, and it can be written."""
    try:
        if path.exists() and not path.is_file():
            raise Failure(FILE, f"{shown(path)} cannot be written: it is not an ordinary file.")
        with path.open("ab") as file:
            if file.tell():
                raise Failure(
                    FILE, f"{shown(path)} exists already. Go on with it by duels resume, or name another file."
                )
    except OSError as error:
        raise Failure(FILE, f"{shown(path)} cannot be written: {error.strerror}.") from None
    return path


def saved_file(name: str) -> Path:
    """The file that a person means: a path, or the name of a saved game."""
    from digitduels.cli import saved_games

    return saved_games.path_of(name) if not Path(name).exists() and name in saved_games.names() else Path(name)


def load(path: Path) -> tuple[bytes, Match]:
    """A record and the match in it; a Failure with the right exit code if it is none."""
    from digitduels import files

    try:
        data = files.read(path, LARGEST)
        return data, parse(data)
    except RecordError as error:
        raise Failure(FILE, f"{shown(path)}: {error}") from None
    except (InvalidMove, IllegalMove) as error:
        raise Failure(ILLEGAL_MOVE, f"{shown(path)}: {error}") from None
    except OSError as error:
        raise Failure(FILE, f"{shown(path)} cannot be read: {error.strerror or error}.") from None


def shown(path: Path | str) -> str:
    """A path as it may stand in a sentence."""
    return f"'{clean(str(path), 500)}'"


def is_finished(name: str) -> bool:
    from digitduels.cli import saved_games

    try:
        return load(saved_games.path_of(name))[1].outcome is not None
    except Failure:
        return False


def about(name: str) -> str:
    """A saved game in a line."""
    from digitduels.cli import saved_games
    from digitduels.sentence import player_name
    from digitduels.text import counted, named

    try:
        match = load(saved_games.path_of(name))[1]
    except Failure as failure:
        return f"cannot be resumed. {failure}"
    outcome = match.outcome
    stand = outcome.reason if outcome else f"{player_name(match.state.player)} to move."
    return f"{' against '.join(match.names)}, {counted(len(match.moves), 'move')}. {named(stand, match.names)}"
