"""The record of a match: JSON that can be saved to a file and replayed by the rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from digitduels import files
from digitduels.core import IllegalMove, InvalidMove
from digitduels.games import UnknownGame, game
from digitduels.match import LONGEST_NAME, LONGEST_REASON, LONGEST_WORDS, MOST_WORDS, Match
from digitduels.position_json import position_from_json, position_to_json
from digitduels.text import clean, quoted

FORMAT = "digitduels-record"
VERSION = 1
LARGEST = 1 << 20  # in bytes
FOREIGN = "This is not a record of a Digit Duels match."
_PLAYERS = (1, 2)  # numbered as in records


class RecordError(ValueError):
    """A file or a text is not the record of a match."""


def to_record(match: Match) -> dict[str, Any]:
    """Serializes a match to JSON values. Players are numbered from 1."""
    outcome = match.outcome
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": match.game.id,
        "options": match.game.values,
        "names": list(match.names),
        "first": match.first + 1,
        "position": None if match.position is None else position_to_json(match.game, match.position),
        "players": list(match.players),
        "seed": match.seed,
        "opening": match.opening,
        "moves": [str(move) for move in match.moves],
        "conceded": None if match.conceded is None else match.conceded + 1,
        "forfeit": match.forfeit,
        "asked": [list(hint) for hint in match.asked],
        "words": [list(remark) for remark in match.words],
        "outcome": outcome
        and {"winner": None if outcome.winner is None else outcome.winner + 1, "reason": str(outcome.reason)},
    }


def replay(record: object) -> Match:
    """Replays a record by the rules and returns the match.

    Raises RecordError if it is not a record, and InvalidMove or IllegalMove if its moves break the rules.
    """
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise RecordError(FOREIGN)
    if record.get("version") != VERSION:
        version = quoted(record.get("version"))
        raise RecordError(f"This record has version {version}; this program reads version {VERSION}.")
    kinds = {"game": str, "options": dict, "names": list, "moves": list}
    for key, kind in kinds.items():
        if not isinstance(record.get(key), kind):
            raise RecordError(f"The record's {key!r} is missing or invalid.")
    moves, first, conceded = record["moves"], record.get("first"), record.get("conceded")
    if first not in _PLAYERS or conceded not in (*_PLAYERS, None) or bool in (type(first), type(conceded)):
        raise RecordError("The record's 'first' must be 1 or 2, its 'conceded' 1, 2 or null.")
    forfeit = record.get("forfeit")
    if not isinstance(forfeit, str | None):
        raise RecordError("The record's 'forfeit' must be a string or null.")
    if not all(isinstance(text, str) for text in moves + record["names"]):
        raise RecordError("The record's moves and names must be strings.")
    try:
        rules = game(record["game"], **record["options"])
        position = position_from_json(rules, record["position"]) if record.get("position") is not None else None
        match = Match(rules, names=record["names"], first=_PLAYERS.index(first), position=position)
    except UnknownGame as error:
        raise RecordError(f"The game of this record is not installed. {error}") from None
    except ValueError as error:
        raise RecordError(f"This record does not describe a match. {error}") from None
    for number, text in enumerate(moves, 1):
        try:
            match.play(match.game.read(text, match.state))
        except (InvalidMove, IllegalMove) as error:
            raise type(error)(f"Move {number} of the record, {quoted(text)}, breaks the rules. {error}") from None
    match.players, match.seed, match.opening, match.asked = _settings(record)
    match.words = _words(record)
    if conceded is not None:
        match.concede(_PLAYERS.index(conceded), None if forfeit is None else clean(forfeit, LONGEST_REASON))
    return match


def dump(match: Match) -> bytes:
    """The record of a match as the contents of a file."""
    return json.dumps(to_record(match), indent=1, ensure_ascii=False).encode() + b"\n"


def parse(data: bytes) -> Match:
    """Parses the contents of a file and replays the match; raises what `replay` raises."""
    try:
        try:
            record = json.loads(data)
        except ValueError:
            raise RecordError(FOREIGN) from None
        return replay(record)
    except RecursionError:  # nested too deeply to be a record
        raise RecordError(FOREIGN) from None


def save(match: Match, path: Path) -> None:
    """Atomically writes the record to a file; raises OSError if that fails."""
    files.write(path, dump(match))


def load(path: Path) -> Match:
    """Loads a match from a file; raises OSError if the file cannot be read, and what `parse` raises."""
    return parse(files.read(path, LARGEST))


def _settings(record: dict[str, Any]) -> tuple[tuple[str, str], str | None, int, list[tuple[int, str]]]:
    """Reads the players, the seed, the opening and the hints of a match. Older records do not have these."""
    players, seed = record.get("players", ["human", "human"]), record.get("seed")
    opening, asked = record.get("opening", 0), record.get("asked", [])
    if not (isinstance(players, list) and len(players) == 2 and all(isinstance(name, str) for name in players)):
        raise RecordError("The record's 'players' must be two strings.")
    if not isinstance(seed, str | None) or type(opening) is not int or not 0 <= opening <= len(record["moves"]):
        raise RecordError("The record's 'seed' must be a string or null, its 'opening' a number of moves.")
    try:
        hints = [(int(after), clean(str(hint), LONGEST_NAME)) for after, hint in asked]
    except (TypeError, ValueError, OverflowError):
        raise RecordError("The record's 'asked' must be pairs of a number and a string.") from None
    return (clean(players[0], LONGEST_REASON), clean(players[1], LONGEST_REASON)), seed, opening, hints


def _words(record: dict[str, Any]) -> list[tuple[int, str]]:
    """Reads the players' remarks."""
    words = record.get("words", [])
    if not isinstance(words, list) or len(words) > MOST_WORDS:
        raise RecordError(f"The record's 'words' must be a list of at most {MOST_WORDS} pairs.")
    for pair in words:
        match pair:
            case [int(after), str()] if type(after) is int and 0 <= after <= len(record["moves"]):
                continue
        raise RecordError("The record's 'words' must be pairs of a number of moves and a string.")
    return [(after, clean(text, LONGEST_WORDS)) for after, text in words]
