"""`duels`: builds the parser, runs a command, and turns exceptions into a message and an exit code."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

from digitduels import __version__
from digitduels.cli import commands
from digitduels.cli.arguments import names_a_game
from digitduels.cli.console import Console, complain
from digitduels.cli.errors import FAILURE, FILE, INTERRUPTED, LIMIT, TERMINATED, USAGE, Failure, quoted_path, reason_of
from digitduels.cli.parser import Parser
from digitduels.core import TooLarge
from digitduels.signals import exit_on_sigterm


def build_parser(words: Sequence[str] | None = None) -> Parser:
    """The parser of `duels`: for a certain command line, or with all commands."""
    parser = Parser(
        prog="duels",
        description="Five number duels for two players, by the book. Without a command: a quick game.",
        examples=["duels", "duels play number-duel", "duels rules number-quest", "duels resume"],
    )
    parser.add_argument("--version", action="version", version=f"duels {__version__}")
    parser.add_commands(commands, words)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `duels` and returns its exit code."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the program that started us
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    warnings.formatwarning = lambda message, *_, **__: f"duels: {message}\n"
    words = sys.argv[1:] if arguments is None else list(arguments)
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(build_parser())
    try:
        with exit_on_sigterm(TERMINATED):
            return run(words)
    except Failure as failure:
        return fail(failure.code, failure)
    except TooLarge as error:
        from digitduels.solver import Unsolvable

        return fail(FAILURE if isinstance(error, Unsolvable) else LIMIT, error)
    except ModuleNotFoundError as error:
        if (error.name or "digitduels").startswith("digitduels"):
            raise
        return fail(FAILURE, f"This requires {error.name}, which is not installed: pip install digitduels.")
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        # A stream or a folder failed. Games are already saved. Redirect the output so that Python exits quietly.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader of the pipe has exited
            return FAILURE
        where = f"{quoted_path(error.filename)}: " if error.filename else ""
        return fail(FILE, f"{where}{reason_of(error)}.")


def fail(code: int, message: object) -> int:
    """Prints why a command failed, and returns its exit code."""
    complain(message)
    return code


def run(words: Sequence[str]) -> int:
    """Runs a command, or the menu without one, and flushes the output even if the command fails.

    The name of a game is short for `play` and that game.
    """
    words = list(words)
    first = words[0] if words else ""
    game = first if not first.startswith("-") and first not in commands.COMMANDS and names_a_game(first) else None
    try:
        if words in ([], ["play"], [game]) and (console := Console()).interactive:
            return run_menu(console, game)
        if game is not None:
            words = ["play", *words]
        parser = build_parser(words)
        arguments = parser.parse(words)
        if not hasattr(arguments, "run"):
            parser.print_help()
            return USAGE
        code: int = arguments.run(arguments)
        return code
    finally:
        sys.stdout.flush()


def run_menu(console: Console, game: str | None) -> int:
    """Asks a person what to play, or only against whom, and plays it."""
    from digitduels.cli.menu import choose

    words = choose(console, game)
    return 0 if words is None else run(words)
