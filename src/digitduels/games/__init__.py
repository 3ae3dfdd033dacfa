"""The duels, one file each. A file's name is the game's id and its class: `number_quest.py`, number-quest, NumberQuest.

A new game is a new file in this folder; nothing else needs to know.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any, cast

from digitduels.core import Game
from digitduels.text import quoted

AnyGame = Game[Any, Any, Any]


def games() -> list[str]:
    """The ids of all games.

    >>> games()
    ['equation-duel', 'number-duel', 'number-quest', 'numerical-nexus', 'operation-target']
    """
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))


def game(name: str, /, **options: Any) -> AnyGame:
    """The game of that id, as its book sets it up or with other options.

    >>> game("number-duel", target=60).target
    60
    """
    kind = game_class(name)
    fields = {option.name: option.field for option in kind.options()}
    for option in options:
        if option not in fields:
            raise ValueError(f"{name} has no option {quoted(option)}; its options are {', '.join(fields)}.")
    return kind(**{fields[option]: value for option, value in options.items()})


def game_class(name: str) -> type[AnyGame]:
    """The class that holds the rules of a game."""
    known = games()
    wanted = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    if wanted not in known:
        import difflib

        near = difflib.get_close_matches(wanted[:100], known, 1, 0.5)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise ValueError(f"There is no game {quoted(name)}. {hint}The games are {', '.join(known)}.")
    module = import_module(f"{__name__}.{wanted.replace('-', '_')}")
    return cast("type[AnyGame]", getattr(module, wanted.title().replace("-", "")))
