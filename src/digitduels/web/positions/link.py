"""A game in a link: its rules, its start and its moves, as a query string that people can share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode

from digitduels import options
from digitduels.core import IllegalMove, InvalidMove, State
from digitduels.games import AnyGame, game, game_class, games
from digitduels.match import Match, player_names
from digitduels.options import Choice, Integer, Integers, Option
from digitduels.players import COACH, OPPONENTS, computer_name, offered_player
from digitduels.position_json import position_from_json
from digitduels.record import FOREIGN, replay
from digitduels.text import quoted
from digitduels.web.refusal import Refusal

KEYS = ("moves", "first", "position", "opening", "conceded", "vs", "seat", "names")
PAGE_ONLY = ("seed", "hints", "takebacks")
MOST_MOVES = 1000  # in a link
MOST_DIFFERENT = 1000  # different moves in a variant, to limit the size of a response

_NUMBERS = r"(?:-?[0-9]{1,4300}(?:,-?[0-9]{1,4300})*)?"
_POSITION = re.compile(rf"[12];{_NUMBERS};{_NUMBERS};{_NUMBERS}")

Pairs = Iterable[tuple[str, str]]


def read(name: str, pairs: Pairs, *further: str) -> tuple[Match, dict[str, str]]:
    """Returns the match in a link, and the values of further keys. Raises Refusal if the link is invalid."""
    known = {option.name: option for option in kind(name).options()}
    query: dict[str, str] = {}
    for key, value in pairs:
        if key not in (*KEYS, *further, *known, *PAGE_ONLY):
            keys = ", ".join((*KEYS, *further, *known))
            raise Refusal(422, f"A link of this kind has no {quoted(key)}. It can have {keys}.")
        if key in query:
            raise Refusal(422, f"The link has {quoted(key)} twice.")
        query[key] = value
    try:
        values = {key: known[key].kind.read(query[key].strip()) for key in query if key in known}
        rules = check_size(game(name, **values) if values else book(name))
        match = Match(rules, first=number(query, "first", 1, 2) - 1, position=_position(rules, query.get("position")))
        play_all(match, query.get("moves", "").split())
        match.opening = number(query, "opening", 0, len(match.moves))
        if query.get("vs"):
            _seat_computer(match, query)
        if query.get("names"):
            match.names = player_names(query["names"].split("\n"))
        if query.get("conceded"):
            match.concede(number(query, "conceded", 1, 2) - 1)
    except (InvalidMove, IllegalMove, ValueError) as error:
        raise Refusal(422, str(error)) from None
    return match, {key: value for key, value in query.items() if key in further}


def _seat_computer(match: Match, query: dict[str, str]) -> None:
    """Gives the computer its seat and its name."""
    opponent, seat = query["vs"], number(query, "seat", 1, 2) - 1
    if opponent not in (*OPPONENTS, COACH):
        raise Refusal(422, f"vs must be one of {', '.join((*OPPONENTS, COACH))}; {quoted(opponent)} is not.")
    opponent = offered_player(opponent, match.game.id)
    match.players = ("human", opponent) if seat == 0 else (opponent, "human")
    match.names = (match.names[0], computer_name(opponent)) if seat == 0 else (computer_name(opponent), match.names[1])


def play_all(match: Match, moves: Iterable[str]) -> None:
    """Plays the moves of a link or request. Raises Refusal with the number of the first invalid or illegal move."""
    for number, text in enumerate(moves, 1):
        if number > MOST_MOVES:
            raise Refusal(422, f"A link may have at most {MOST_MOVES:,} moves.")
        try:
            match.play(match.game.read(text, match.state))
        except (InvalidMove, IllegalMove) as error:
            hint = "" if not text[:1].isdecimal() else " In a link, write + as %2B."
            raise Refusal(422, f"Move {number}, {quoted(text)}: {error}{hint}") from None


def read_record(record: object) -> Match:
    """Returns the match of an uploaded record. Raises Refusal if the record is invalid or too large."""
    try:
        if isinstance(record, dict) and isinstance(record.get("game"), str) and isinstance(record.get("options"), dict):
            check_size(game(record["game"], **record["options"]))
            for key, content in (("moves", "moves"), ("asked", "hints")):
                if isinstance(record.get(key), list) and len(record[key]) > MOST_MOVES:
                    raise Refusal(422, f"A record may have at most {MOST_MOVES:,} {content} here.")
        return replay(record)
    except RecursionError:
        raise Refusal(422, FOREIGN) from None
    except ValueError as error:
        raise Refusal(422, str(error)) from None


def written(match: Match) -> str:
    """Returns the query string of a match.

    >>> match = Match(game("number-duel", target=60))
    >>> match.play(match.game.read("+5"))
    >>> written(match)
    'target=60&moves=%2B5'
    """
    pairs = [(name, options.written(value)) for name, value in match.game.changes.items()]
    if match.position is not None:
        pairs.append(("position", position_text(match.game, match.position)))
    elif match.first:
        pairs.append(("first", "2"))
    if match.moves:
        pairs.append(("moves", " ".join(map(str, match.moves))))
    if match.opening:
        pairs.append(("opening", str(match.opening)))
    if match.conceded is not None:
        pairs.append(("conceded", str(match.conceded + 1)))
    return urlencode(pairs, quote_via=quote)


def position_text(rules: AnyGame, state: State[Any, Any]) -> str:
    """Serializes a position: the player to move, and the numbers of both hands and of the table."""
    board = rules.board(state)
    return ";".join(
        [str(state.player + 1), *(",".join(map(str, side.numbers)) for side in (*board.hands, board.table))]
    )


def query_parameters() -> dict[str, tuple[str, dict[str, Any]]]:
    """Returns all query parameters of a link, each with its description and its schema."""
    text, player = {"type": "string"}, {"type": "integer", "enum": [1, 2]}
    position = "the position at the start, if it was set up: player;hand 1;hand 2;table, with commas between numbers"
    parameters: dict[str, tuple[str, dict[str, Any]]] = {
        "moves": ("the moves so far, separated by spaces; in a query, write + as %2B", text),
        "first": ("the player who moves first", player),
        "position": (position, text),
        "opening": ("how many of the moves were part of the start", {"type": "integer", "minimum": 0}),
        "conceded": ("the player who conceded", player),
        "vs": ("your computer opponent; sentences call it by its name", {**text, "enum": [*OPPONENTS, COACH]}),
        "seat": ("your seat against the computer", player),
        "names": ("the names of both players for the sentences, separated by a line break (%0A)", text),
    }
    for name in games():
        for option in kind(name).options():
            about, schema = parameters.get(option.name, ("", _option_schema(option)))
            description = f"{name}: {option.about}; {option.kind}"
            parameters[option.name] = (f"{about}. {description}" if about else description), schema
    return parameters


def _option_schema(option: Option) -> dict[str, Any]:
    """Returns the schema of an option, without its range: that differs by game, and is in the description."""
    match option.kind:
        case Integer():
            return {"type": "integer"}
        case Integers():
            return {"type": "string", "pattern": "^[0-9]{1,2}(,[0-9]{1,2})*$"}
        case Choice(words):
            return {"type": "string", "enum": list(words)}


def kind(name: str) -> type[AnyGame]:
    """Returns the class of a game. Raises Refusal unless the name is exactly as `games` lists it."""
    if name not in games():
        try:
            game_class(name)
        except ValueError as error:
            raise Refusal(404, str(error)) from None
        raise Refusal(404, f"There is no game {quoted(name)}. The games are {', '.join(games())}.")
    return game_class(name)


@lru_cache
def book(name: str) -> AnyGame:
    """Returns a game with the book's rules. It is cached, together with everything it caches; variants are not."""
    return game(name)


def check_size(rules: AnyGame) -> AnyGame:
    """Returns the rules. Raises Refusal if they have too many different moves."""
    if len(rules.moves) > MOST_DIFFERENT:
        raise Refusal(
            422,
            f"{rules.title} with these options has {len(rules.moves):,} different moves; "
            f"this server goes up to {MOST_DIFFERENT:,}. Choose smaller numbers.",
        )
    return rules


def _position(rules: AnyGame, text: str | None) -> State[Any, Any] | None:
    if not text:
        return None
    if not _POSITION.fullmatch(text):
        raise Refusal(422, f"A position of {rules.title} is written like {position_text(rules, rules.start())}.")
    sides = [[int(number) for number in side.split(",") if number] for side in text.split(";")]
    player, first, second, table = sides
    return position_from_json(rules, {"player": player[0], "hands": [first, second], "table": table})


def number(query: dict[str, str], key: str, low: int, high: int) -> int:
    """Returns an integer from a query. Default: the lowest."""
    text = query.get(key) or str(low)
    if not re.fullmatch("[0-9]{1,6}", text) or not low <= int(text) <= high:
        raise Refusal(422, f"{key} must be an integer from {low} to {high}; {quoted(text)} is not.")
    return int(text)
