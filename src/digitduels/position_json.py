"""Positions as JSON values: the numbers that people see on the board."""

from __future__ import annotations

from typing import Any

from digitduels.core import Game, Side, State, winning_score
from digitduels.text import quoted


def position_to_json(game: Game[Any, Any, Any], state: State[Any, Any]) -> dict[str, Any]:
    """Serializes a position: the player to move (1 or 2), and the numbers of each hand and of the table."""
    board = game.board(state)
    return {
        "player": state.player + 1,
        "hands": [hand.numbers for hand in board.hands],
        "table": board.table.numbers,
    }


def position_from_json(game: Game[Any, Any, Any], data: object) -> State[Any, Any]:
    """Deserializes a position, reachable or not; raises ValueError with the reason if it is invalid.

    >>> from digitduels.games import game
    >>> position_from_json(game("operation-target"), {"player": 2, "hands": [[1, 0], [1, 1]], "table": [7]})
    State(player=1, hands=('x2', None), table=7)
    """
    model = game.board(game.start())
    sides = (*model.hands, model.table)
    shape = [len(side.numbers) for side in sides]
    match data:
        case {"player": 1 | 2 as player, "hands": [list(first), list(second)], "table": list(table)}:
            parts = first, second, table
            if type(player) is int and [len(part) for part in parts] == shape:
                for side, numbers in zip(sides, parts, strict=True):
                    _check(side, numbers, winning_score(game))
                return game.arrange(player - 1, (first, second), table)
    example = f"{position_to_json(game, game.start())}".replace("'", '"')
    raise ValueError(f"A position of {game.title} looks like {example}.")


def _check(side: Side, numbers: list[Any], highest: int | None) -> None:
    """Raises ValueError if the numbers are out of range for this side of the board."""
    kinds = [] if side.score is None else [("A score", side.lowest, highest)]
    kinds += [(f"The count of {stock.label}", 0, stock.of) for stock in side.stocks]
    for number, (what, low, high) in zip(numbers, kinds, strict=True):
        if type(number) is not int or number < low or (high is not None and number > high):
            upper = "up" if high is None else f"to {quoted(high)}"
            raise ValueError(f"{what} must be an integer from {low} {upper}; {quoted(number)} is not.")
