"""The duels, one file each. The file, the id and the class share a name: `number_quest.py`, number-quest, NumberQuest.

To add a game, add a file to this folder. Other packages add games through the entry-point group `digitduels.games`:
the name is the game's id, the value is `module:Class`. Entry points are searched only when the list of games or an
unknown id is requested, and they never replace a game in this folder.
"""

from __future__ import annotations

import os
import pkgutil
import re
import sys
import warnings
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from digitduels.core import Game
from digitduels.text import clean, did_you_mean, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

AnyGame = Game[Any, Any, Any]

GROUP = "digitduels.games"  # entry points for games in other packages


class UnknownGame(ValueError):
    """No game has this id."""


def games() -> list[str]:
    """The ids of all games, including those of other packages.

    >>> games()
    ['equation-duel', 'number-duel', 'number-quest', 'numerical-nexus', 'operation-target']
    """
    return sorted([*_books(), *_plugins()])


def books() -> list[str]:
    """The ids of the games in this package."""
    return list(_books())


def game(name: str, /, **options: Any) -> AnyGame:
    """The game with this id, by the book or with other options.

    >>> game("number-duel", target=60).target
    60
    """
    kind = game_class(name)
    fields = {option.name: option.field for option in kind.options()}
    for option in options:
        if option not in fields:
            raise ValueError(f"{name} has no option {quoted(option)}. Its options are {', '.join(fields)}.")
    return kind(**{fields[option]: value for option, value in options.items()})


def game_class(name: str) -> type[AnyGame]:
    """The class of the game with this id; raises UnknownGame if there is none."""
    game_id = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    if game_id in _books():
        module = import_module(f"{__name__}.{game_id.replace('-', '_')}")
        return cast("type[AnyGame]", getattr(module, game_id.title().replace("-", "")))
    if game_id in _plugins():
        return _plugins()[game_id]
    known = games()
    hint = did_you_mean(game_id, known, 0.5)
    raise UnknownGame(f"There is no game {quoted(name)}. {hint}The games are {', '.join(known)}.")


@cache
def _books() -> tuple[str, ...]:
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


@cache
def _plugins() -> dict[str, type[AnyGame]]:
    """The games of other packages by id. A game that fails to load is skipped with a warning."""
    if not any(map(_may_have_games, sys.path)):
        return {}
    from importlib.metadata import entry_points

    kinds: dict[str, type[AnyGame]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        try:
            if entry.name in _books() or entry.name in kinds:
                raise _Unsuitable("another game has this id")
            kinds[entry.name] = _load(entry)
        except (Exception, SystemExit) as error:  # another package must never break our own games
            reason = str(error) if isinstance(error, _Unsuitable) else f"{type(error).__name__}: {error}"
            source = clean(entry.value, 80)
            warnings.warn(f"The game {quoted(entry.name)} of {source} is ignored: {clean(reason, 200)}", stacklevel=3)
    return kinds


def _may_have_games(folder: str) -> bool:
    """Whether a package in a folder of `sys.path` may have games. Ten times as fast as entry_points."""
    if os.path.isfile(folder):  # an archive, perhaps that of the standard library
        return folder != os.path.dirname(os.__file__)
    with suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            if entry.name.endswith((".dist-info", ".egg-info", ".egg")):
                with suppress(OSError), open(os.path.join(entry.path, "entry_points.txt"), "rb") as file:
                    if GROUP.encode() in file.read():
                        return True
    return False


class _Unsuitable(Exception):
    """An entry point does not provide a game; says why."""


def _load(entry: EntryPoint) -> type[AnyGame]:
    """The class of a game in another package; raises _Unsuitable, or anything that the package raises."""
    kind = entry.load()
    if not (isinstance(kind, type) and issubclass(kind, Game)):
        raise _Unsuitable("it is not a subclass of digitduels.Game")
    if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", entry.name):
        raise _Unsuitable("an id consists of lower-case letters, digits and single hyphens")
    if kind().id != entry.name:
        raise _Unsuitable(f"the id of {kind.__name__} is {quoted(kind().id)}")
    return kind
