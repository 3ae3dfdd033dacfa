"""Command-line arguments that commands share: the game, its options, and sizes in bytes."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from typing import Any

from digitduels.cli.errors import usage
from digitduels.cli.parser import Parser
from digitduels.games import AnyGame, game, game_class, games
from digitduels.options import Choice
from digitduels.text import quoted

_DAY = 24 * 60 * 60  # seconds


def add_game(parser: Parser, flag: str = "game", **settings: Any) -> None:
    """Adds the argument that names a game: positional by default, or a flag."""
    settings = {"metavar": "GAME", "help": "a game, GAME:PRESET, or a .toml file; `duels games` lists them"} | settings
    argument = parser.add_argument(flag, **settings)
    argument.completer = lambda **_: games()  # type: ignore[attr-defined]  # read by argcomplete


def add_options(
    parser: Parser,
    metavar: str = "NAME=VALUE",
    about: str = "change an option of the game; `duels rules GAME` lists the options",
) -> None:
    """Adds `--set` and `--rules`."""
    setting = parser.add_argument("--set", action="append", default=[], metavar=metavar, help=about)
    setting.completer = _settings  # type: ignore[attr-defined]  # read by argcomplete
    parser.add_argument(
        "--rules", metavar="FILE", help="take the options from this .toml file; --set changes single ones"
    )


def _settings(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The options of the game on the command line, with the values that can be listed."""
    try:
        kind = game_class(read_rules(parsed_args.game, None)[0])
    except (AttributeError, TypeError, ValueError):  # there is no game yet
        return []
    words = {option.name: option.kind.words if isinstance(option.kind, Choice) else ("",) for option in kind.options()}
    return [f"{name}={word}" for name in words for word in words[name]]


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
    return text.endswith(".toml") or text.partition(":")[0].lower().replace(" ", "-") in games()


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


def seconds(text: str) -> float:
    """Parses a time limit in seconds: at most a day, so that every system can wait that long."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= _DAY:
        raise argparse.ArgumentTypeError(f"a time limit is more than 0 seconds and at most {_DAY}, not {quoted(text)}")
    return value


def size(text: str) -> int:
    """Parses a number of bytes: 500, 500MB, 8GiB. All units are powers of 1024."""
    parts = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) *(?:([kmgt]?)i?b?)", text.strip().lower())
    if parts is None:
        raise argparse.ArgumentTypeError(f"a size looks like 500MB or 8GiB, not {quoted(text)}")
    return int(float(parts[1]) * 1024 ** " kmgt".index(parts[2] or " "))
