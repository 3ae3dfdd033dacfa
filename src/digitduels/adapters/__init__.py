"""The games for research frameworks, one file each. Every framework is an extra of the package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from digitduels.core import State
from digitduels.games import AnyGame, game

BEGINNINGS = 100  # games that are started again because the opponent ended them with its first move


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Around the imports of a framework: when it is missing, says in a line how to get it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        hint = f"{missing.name} is missing. Get it with: pip install 'digitduels[{extra}]'"
        raise ModuleNotFoundError(hint, name=missing.name) from None


def placed_state(game: AnyGame, position: State[Any, Any] | Mapping[str, Any]) -> State[Any, Any]:
    """The position that a State is, or that `game.placed` describes; raises ValueError if the game is over there."""
    state = position if isinstance(position, State) else game.position(dict(position))
    if game.outcome(state) is not None:
        raise ValueError("The game is over in this position.")
    return state


def chosen(which: str | AnyGame, options: Mapping[str, Any] | None) -> AnyGame:
    """Returns the game of an id with these options, or the given game."""
    if isinstance(which, str):
        return game(which, **(options or {}))
    if options:
        raise ValueError("This game has its options already; name it by its id to change them.")
    return which
