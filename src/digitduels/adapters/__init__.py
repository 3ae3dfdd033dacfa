"""Adapters for research frameworks, one file each. Every framework is an optional extra of the package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from digitduels.core import State
from digitduels.games import AnyGame, game
from digitduels.position_json import position_from_json

BEGINNINGS = 100  # how often a game restarts because the opponent ended it with its first move


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Wraps the imports of a framework. If it is missing, the error says how to install it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        hint = f"{missing.name} is missing. Install it with: pip install 'digitduels[{extra}]'"
        raise ModuleNotFoundError(hint, name=missing.name) from None


def placed_state(game: AnyGame, position: State[Any, Any] | Mapping[str, Any]) -> State[Any, Any]:
    """Converts a position as JSON values to a State; raises ValueError if the game is over there."""
    state = position if isinstance(position, State) else position_from_json(game, dict(position))
    if game.outcome(state) is not None:
        raise ValueError("The game is over in this position.")
    return state


def resolve_game(which: str | AnyGame, options: Mapping[str, Any] | None) -> AnyGame:
    """Returns the game with this id and these options, or the game itself."""
    if isinstance(which, str):
        return game(which, **(options or {}))
    if options:
        raise ValueError("This game has its options already; name it by its id to change them.")
    return which
