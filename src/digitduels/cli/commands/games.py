"""`duels games`: lists the games, their levels and their options."""

from __future__ import annotations

import argparse
import json
from typing import Any

from digitduels.cli.console import Console
from digitduels.cli.parser import Parser
from digitduels.games import AnyGame, game_class, games
from digitduels.manual import summary
from digitduels.players.levels import CHARACTERS, characters

EXAMPLES = ("duels games", "duels games --json")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, with levels and options")


def run(arguments: argparse.Namespace) -> int:
    kinds = [game_class(name) for name in games()]
    console = Console()
    if arguments.json:
        console.write(json.dumps({"version": 1, "games": [_to_json(kind) for kind in kinds]}, indent=1))
        return 0
    for kind in kinds:
        levels = " ".join(map(str, characters(kind())))
        console.say(kind().id, f"    {summary(kind())}", f"    Levels: {levels}")
    console.say("", "The levels, for `duels play GAME --vs LEVEL`:")
    for level, (name, about) in CHARACTERS.items():
        console.say(f"    {level}  {name}. {about}")
    return 0


def _to_json(kind: type[AnyGame]) -> dict[str, Any]:
    options = [
        {"name": option.name, "default": option.default, "about": option.about, "allowed": str(option.kind)}
        for option in kind.options()
    ]
    game = kind()
    levels = [{"level": level, **character._asdict()} for level, character in characters(game).items()]
    return {"game": game.id, "title": game.title, "summary": summary(game), "levels": levels, "options": options}
