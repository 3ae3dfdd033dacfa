"""`duels games`: the games and their options."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from digitduels.cli.arguments import add_command
from digitduels.cli.console import Console
from digitduels.games import AnyGame, game_class, games
from digitduels.manual import summary

if TYPE_CHECKING:
    from digitduels.cli.arguments import Commands


def add(commands: Commands) -> None:
    parser = add_command(commands, "games", run, "duels games", "duels games --json")
    parser.add_argument("--json", action="store_true", help="print JSON, with the options and their allowed values")


def run(arguments: argparse.Namespace) -> int:
    kinds = [game_class(name) for name in games()]
    console = Console()
    if arguments.json:
        console.write(json.dumps({"version": 1, "games": [_to_json(kind) for kind in kinds]}, indent=1))
        return 0
    for kind in kinds:
        console.say(kind().id, f"    {summary(kind())}")
    return 0


def _to_json(kind: type[AnyGame]) -> dict[str, Any]:
    options = [
        {"name": option.name, "default": option.default, "about": option.about, "allowed": str(option.kind)}
        for option in kind.options()
    ]
    return {"game": kind().id, "title": kind().title, "summary": summary(kind()), "options": options}
