"""Command-line arguments that commands share: the game, its options, and sizes in bytes."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from digitduels.cli.commands import SUMMARIES
from digitduels.cli.errors import usage
from digitduels.games import AnyGame, game, game_class, games
from digitduels.text import quoted

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction["Parser"]


class Parser(argparse.ArgumentParser):
    """A parser with examples in its help. It does not guess abbreviated options."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        if examples:
            kwargs["epilog"] = "examples:\n" + "\n".join(f"  {example}" for example in examples)
        kwargs |= {"allow_abbrev": False, "formatter_class": _HelpFormatter}
        super().__init__(*args, **kwargs)


NARROW = 60  # on terminals with fewer columns, the usage is wrapped like any other text
_NO_BREAK = "\u00a0"
_WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


class _HelpFormatter(argparse.HelpFormatter):
    """Wraps everything except the examples, so that they can be copied."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return textwrap.indent(text, indent)
        return super()._fill_text(text, width, indent)

    def _format_usage(self, *details: Any) -> str:
        usage = super()._format_usage(*details)
        if self._width >= NARROW:
            return usage
        # argparse indents every line to the first option, which leaves too little room.
        parts, depth = [""], 0
        for character in " ".join(usage.split()):
            depth += (character in "[({") - (character in "])}")
            if character == " " and not depth:
                parts.append("")
            else:
                parts[-1] += character if character != " " else _NO_BREAK
        filled = textwrap.fill(" ".join(parts), self._width, subsequent_indent="  ", **_WHOLE_WORDS)
        return filled.replace(_NO_BREAK, " ") + "\n\n"

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        several = (
            isinstance(action.metavar, str) and " " in action.metavar
        )  # the metavar itself shows how many arguments there are
        return str(action.metavar) if several else super()._format_args(action, default_metavar)


def add_command(commands: Commands, name: str, run: Callable[[argparse.Namespace], int], *examples: str) -> Parser:
    """Registers a command and returns its parser."""
    summary = SUMMARIES[name]
    parser = commands.add_parser(name, help=summary, description=summary, examples=examples)
    parser.set_defaults(run=run)
    return parser


def add_game(parser: Parser, flag: str = "game", **settings: Any) -> None:
    """Adds the argument that names a game: positional by default, or a flag."""
    settings = {"metavar": "GAME", "help": "a game, GAME:PRESET, or a .toml file; `duels games` lists them"} | settings
    argument = parser.add_argument(flag, **settings)
    argument.completer = lambda **_: games()  # type: ignore[attr-defined]  # read by argcomplete


def add_options(parser: Parser) -> None:
    """Adds `--set` and `--rules`."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change an option of the game; `duels rules GAME` lists the options",
    )
    parser.add_argument(
        "--rules", metavar="FILE", help="take the options from this .toml file; --set changes single ones"
    )


def read_game(name: str, settings: Sequence[str], rules: str | None = None) -> AnyGame:
    """The game that a word names, with the options of a rules file and those of `--set`."""
    try:
        name, values = read_rules(name, rules)
        options = {option.name: option for option in game_class(name).options()}
        for setting in settings:
            key, equals, text = setting.partition("=")
            if not equals:
                raise ValueError(f"--set takes NAME=VALUE, not {quoted(setting)}.")
            values[key.strip()] = options[key.strip()].kind.read(text.strip()) if key.strip() in options else text
        return game(name, **values)
    except ValueError as error:
        usage(str(error))


def names_a_game(text: str) -> bool:
    """Whether a word names a game rather than a player."""
    return text.endswith(".toml") or text.partition(":")[0] in games()


def read_rules(name: str, rules: str | None) -> tuple[str, dict[str, Any]]:
    """The game's id and options from GAME and `--rules`; raises ValueError if they are invalid."""
    from pathlib import Path

    from digitduels.rule_sets import read_file, rule_set

    game_id, values = rule_set(name)
    if rules is not None:
        other, more = read_file(Path(rules))
        if other != game_id:
            raise ValueError(f"The rules in {quoted(rules)} are for {other}, not for {game_id}.")
        values |= more
    return game_id, values


def size(text: str) -> int:
    """Parses a number of bytes: 500, 500MB, 8GiB. All units are powers of 1024."""
    parts = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) *(?:([kmgt]?)i?b?)", text.strip().lower())
    if parts is None:
        raise argparse.ArgumentTypeError(f"a size looks like 500MB or 8GiB, not {quoted(text)}")
    return int(float(parts[1]) * 1024 ** " kmgt".index(parts[2] or " "))
