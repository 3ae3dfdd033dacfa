"""A game in a link: its rules, its start and its moves, as a query that people share."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode

from digitduels import options
from digitduels.core import IllegalMove, InvalidMove, State
from digitduels.games import AnyGame, game, game_class, games
from digitduels.match import Match, player_names
from digitduels.options import Choice, Option, Whole, Wholes
from digitduels.players import COACH, OPPONENTS, computer_name
from digitduels.record import FOREIGN, replay
from digitduels.text import quoted
from digitduels.web.refusal import Refusal

KEYS = ("moves", "first", "position", "opening", "conceded", "vs", "seat", "names")
PAGE_ONLY = ("seed", "hints", "takebacks")
MOST_MOVES = 1000  # in a link
MOST_DIFFERENT = 1000  # moves of a variant, so that a position stays small enough to be sent

_NUMBERS = r"(?:-?[0-9]{1,4300}(?:,-?[0-9]{1,4300})*)?"
_PLACED = re.compile(rf"[12];{_NUMBERS};{_NUMBERS};{_NUMBERS}")

Pairs = Iterable[tuple[str, str]]


def read(name: str, pairs: Pairs, *further: str) -> tuple[Match, dict[str, str]]:
    """The match in a link, and the values of further keys; raises Refusal with the reason."""
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
        rules = fitting(game(name, **values) if values else book(name))
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
    who, seat = query["vs"], number(query, "seat", 1, 2) - 1
    if who not in (*OPPONENTS, COACH):
        raise Refusal(422, f"vs must be one of {', '.join((*OPPONENTS, COACH))}; {quoted(who)} is not.")
    match.players = ("human", who) if seat == 0 else (who, "human")
    match.names = (match.names[0], computer_name(who)) if seat == 0 else (computer_name(who), match.names[1])


def play_all(match: Match, moves: Iterable[str]) -> None:
    """Plays the moves of a link or a request; raises Refusal with the place of the first that cannot be played."""
    for place, text in enumerate(moves, 1):
        if place > MOST_MOVES:
            raise Refusal(422, f"A link holds at most {MOST_MOVES:,} moves.")
        try:
            match.play(match.game.read(text, match.state))
        except (InvalidMove, IllegalMove) as error:
            hint = "" if not text[:1].isdecimal() else " In a link, write + as %2B."
            raise Refusal(422, f"Move {place}, {quoted(text)}: {error}{hint}") from None


def recorded(data: bytes) -> Match:
    """The match of a record that somebody sends; raises Refusal if it is invalid or too large to be shown."""
    try:
        found = json.loads(data)
        if isinstance(found, dict) and isinstance(found.get("game"), str) and isinstance(found.get("options"), dict):
            fitting(game(found["game"], **found["options"]))
            if isinstance(found.get("moves"), list) and len(found["moves"]) > MOST_MOVES:
                raise Refusal(422, f"A record may have at most {MOST_MOVES:,} moves here.")
        return replay(found)
    except RecursionError:
        raise Refusal(422, FOREIGN) from None
    except ValueError as error:
        raise Refusal(422, FOREIGN if isinstance(error, json.JSONDecodeError) else str(error)) from None


def written(match: Match) -> str:
    """The query of a match.

    >>> match = Match(game("number-duel", target=60))
    >>> match.play(match.game.read("+5"))
    >>> written(match)
    'target=60&moves=%2B5'
    """
    pairs = [(name, options.written(value)) for name, value in match.game.changes.items()]
    if match.position is not None:
        pairs.append(("position", placed(match.game, match.position)))
    elif match.first:
        pairs.append(("first", "2"))
    if match.moves:
        pairs.append(("moves", " ".join(map(str, match.moves))))
    if match.opening:
        pairs.append(("opening", str(match.opening)))
    if match.conceded is not None:
        pairs.append(("conceded", str(match.conceded + 1)))
    return urlencode(pairs, quote_via=quote)


def placed(rules: AnyGame, state: State[Any, Any]) -> str:
    """A position in a line: whose turn it is, the numbers of both hands and those of the table."""
    board = rules.board(state)
    return ";".join(
        [str(state.player + 1), *(",".join(map(str, side.numbers)) for side in (*board.hands, board.table))]
    )


def described() -> dict[str, tuple[str, dict[str, Any]]]:
    """Everything that a link can have: what it means, and what it looks like."""
    player = {"type": "integer", "enum": [1, 2]}
    found: dict[str, tuple[str, dict[str, Any]]] = {
        "moves": ("the moves so far with spaces between; a + is written %2B", {"type": "string"}),
        "first": ("who moves first", player),
        "position": ("where the game began, if it was set up: player;hand 1;hand 2;table", {"type": "string"}),
        "opening": ("how many of the moves were given", {"type": "integer", "minimum": 0}),
        "conceded": ("who gave up", player),
        "vs": ("who plays against you", {"type": "string", "enum": [*OPPONENTS, COACH]}),
        "seat": ("your seat against the computer", player),
        "names": ("the names of both players, for the sentences, with a line break between", {"type": "string"}),
    }
    for name in games():
        for option in kind(name).options():
            about, schema = found.get(option.name, ("", _looks(option)))
            told = f"{name}: {option.about}; {option.kind}"
            found[option.name] = (f"{about}. {told}" if about else told), schema
    return found


def _looks(option: Option) -> dict[str, Any]:
    """An option as OpenAPI describes it. Ranges differ from game to game, and stand in words."""
    match option.kind:
        case Whole():
            return {"type": "integer"}
        case Wholes():
            return {"type": "string", "pattern": "^[0-9]{1,2}(,[0-9]{1,2})*$"}
        case Choice(words):
            return {"type": "string", "enum": list(words)}


def kind(name: str) -> type[AnyGame]:
    """The rules of a name exactly as `games` lists it."""
    if name not in games():
        try:
            game_class(name)
        except ValueError as error:
            raise Refusal(404, str(error)) from None
        raise Refusal(404, f"There is no game {quoted(name)}. The games are {', '.join(games())}.")
    return game_class(name)


@lru_cache
def book(name: str) -> AnyGame:
    """The game as its book has it. Remembered, and with it what it has worked out; a variant never is."""
    return game(name)


def fitting(rules: AnyGame) -> AnyGame:
    """The rules, if the server can show them."""
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
    if not _PLACED.fullmatch(text):
        raise Refusal(422, f"A position of {rules.title} is written like {placed(rules, rules.start())}.")
    sides = [[int(number) for number in side.split(",") if number] for side in text.split(";")]
    player, first, second, table = sides
    return rules.position({"player": player[0], "hands": [first, second], "table": table})


def number(query: dict[str, str], key: str, low: int, high: int) -> int:
    """An integer in a query; the lowest if it is not there."""
    text = query.get(key) or str(low)
    if not re.fullmatch("[0-9]{1,6}", text) or not low <= int(text) <= high:
        raise Refusal(422, f"{key} must be an integer from {low} to {high}; {quoted(text)} is not.")
    return int(text)
