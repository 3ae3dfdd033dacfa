"""A match as JSON values that a page can draw: the board, what may be played, field by field, and the words."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from digitduels.core import Side
from digitduels.games import AnyGame
from digitduels.manual import summary
from digitduels.match import Match
from digitduels.options import Choice, Option
from digitduels.players.levels import tuning
from digitduels.record import to_record
from digitduels.sentence import player_name, tell
from digitduels.text import named
from digitduels.web import link

WORDS = 100_000  # characters that are told of a game's history, the latest first


def view(match: Match) -> dict[str, Any]:
    """A match: where it stands, what led there, and what may be played."""
    game, state, outcome = match.game, match.state, match.outcome
    record = to_record(match)
    told = partial(named, names=match.names)
    board = game.board(state)
    return {
        "game": game.id,
        "title": game.title,
        "options": record["options"],
        "changed": link.changed(game),
        "names": record["names"],
        "first": record["first"],
        "position": None if match.position is None else link.placed(game, match.position),
        "opening": match.opening,
        "moves": record["moves"],
        "conceded": record["conceded"],
        "player": None if outcome else state.player + 1,
        "outcome": outcome and {**record["outcome"], "reason": told(outcome.reason)},
        "board": {"goal": game.goal, "hands": [side(hand) for hand in board.hands], "table": side(board.table)},
        "placed": link.placed(game, state),
        "fields": fields(game),
        "legal": [] if outcome else legal(match),
        "history": history(match),
        "status": told(status(match)),
        "ending": [told(line) for line in ending(match)],
    }


def side(part: Side) -> dict[str, Any]:
    """A hand or the table."""
    return {"score": part.score, "lowest": part.lowest, "stocks": [stock._asdict() for stock in part.stocks]}


def columns(game: AnyGame) -> list[list[Any]]:
    """For each field of a move, all values it can ever have."""
    return [list(dict.fromkeys(column)) for column in zip(*game.moves, strict=True)]


def fields(game: AnyGame) -> list[dict[str, Any]]:
    """For each field of a move: what is asked, and all that can ever be answered."""
    return [
        {"prompt": question(prompt), "choices": [game.labels.get(value, str(value)) for value in column]}
        for prompt, column in zip(game.prompts, columns(game), strict=True)
    ]


def question(prompt: str) -> str:
    """A question of the book without what belongs to a terminal.

    >>> question("{player}, select your first number:\\n> ")
    'Select your first number'
    >>> question("Enter the number of your chosen operation: ")
    'Choose your move'
    """
    text = re.sub(r"^\{player\},\s*", "", prompt).splitlines()[0].strip(" :")
    # On the page nothing is entered: what may be played is there to be pressed.
    if text.lower().startswith("enter "):
        return "Choose your move"
    return text[:1].upper() + text[1:]


def legal(match: Match) -> list[dict[str, Any]]:
    """What may be played, each move with the places of its fields among the choices."""
    places = [{value: place for place, value in enumerate(column)} for column in columns(match.game)]
    return [
        {"move": str(move), "picks": [place[value] for place, value in zip(places, move, strict=True)]}
        for move in match.game.legal_moves(match.state)
    ]


def history(match: Match) -> list[dict[str, Any]]:
    """Every move with the lines that tell what it did; of a very long game only the latest are told."""
    game, left, told = match.game, WORDS, []
    for ply in reversed(range(len(match.moves))):
        before, move, after = match.states[ply], match.moves[ply], match.states[ply + 1]
        lines: list[str] = []
        if left > 0:
            lines = [tell(line, match.names) for line in game.announce(before, move, after)]
            left -= sum(map(len, lines))
        told.append({"player": before.player + 1, "move": str(move), "lines": lines})
    return told[::-1]


def status(match: Match) -> str:
    """What happened last and whose turn it is, in a line."""
    outcome = match.outcome
    last = f"{player_name(match.states[-2].player)} played {match.moves[-1]}. " if match.moves else ""
    if match.conceded is not None:
        last = ""
    if outcome is not None:
        return f"{last}{outcome.reason} {match.game.victory(outcome.winner)}"
    return f"{last}{player_name(match.state.player)}'s turn."


def ending(match: Match) -> list[str]:
    """The lines that end the game."""
    game, outcome = match.game, match.outcome
    if outcome is None:
        return []
    if match.conceded is not None:
        return [outcome.reason, game.victory(outcome.winner)]
    return [line for line in game.ending(match.state, outcome) if line]


def listing(kind: type[AnyGame]) -> dict[str, Any]:
    """A game for whoever looks for one."""
    game = kind()
    return {
        "game": game.id,
        "title": game.title,
        "summary": summary(game),
        "levels": list(tuning(game).levels),
        "options": [option(each) for each in kind.options()],
    }


def option(each: Option) -> dict[str, Any]:
    """An option, and what it may be: in a sentence, and the words to choose from, where it is one of a few."""
    return {
        "name": each.name,
        "default": list(each.default) if isinstance(each.default, tuple) else each.default,
        "about": each.about,
        "allowed": str(each.kind),
        "words": list(each.kind.words) if isinstance(each.kind, Choice) else None,
    }
