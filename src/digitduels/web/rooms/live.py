"""A cached game between friends: its JSON is built once per version, and in parts that many versions share."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any
from weakref import WeakKeyDictionary

from digitduels.core import notation_of
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.sentence import PLAYERS, Played
from digitduels.web.encoding import encode, encoded
from digitduels.web.positions.answers import Turn
from digitduels.web.positions.view import fields, last_effect, position_view, rules_view, turn_view
from digitduels.web.positions.wire import wire
from digitduels.web.rooms.answers import RoomHistory, RoomNews, room_part
from digitduels.web.rooms.state import Room
from digitduels.web.streams.fold import Away
from digitduels.web.streams.live import Live

POSITION_BYTES, MOVE_BYTES = 400, 700  # measured: what a position and a different move of a variant take in memory
MOST_LEGALITIES = 16  # cached sets of legal moves per variant
HISTORY_TURNS = 100  # in one response
LONGEST_TURN = 4000  # bytes; longer turns are not cached
HISTORY_BYTES = 200_000  # a response ends with the turn that exceeds this
OTHERS = ("\x01", "\x02")  # names that no player can have


class LiveRoom(Live[Room]):
    """A cached game, with its JSON."""

    def __init__(self, room: Room) -> None:
        self._turns: dict[int, bytes] = {}
        self._turn_bytes = 0
        game = room.match.game
        self._own_rules = MOVE_BYTES * len(game.moves) if game.changes else 0  # all rooms share the rules of the book
        self._rules, self._fields = rules_view(room.match), encode(fields(game))
        self._rules_bytes = len(encode(self._rules)) + len(self._fields)
        super().__init__(room)

    def put(self, value: Room) -> None:
        before = self.value
        super().put(value)
        self._cached_state: tuple[Any, bytes] = None, b""
        if before.match.names != value.match.names:
            self._turns, self._turn_bytes = {}, 0
        elif before.match.moves != value.match.moves[: len(before.match.moves)]:  # after a take-back
            pairs = zip(before.match.moves, value.match.moves, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            self._turns = {index: turn for index, turn in self._turns.items() if index < same}
            self._turn_bytes = sum(map(len, self._turns.values()))
        if self._own_rules and len(value.match.game._permitted) > MOST_LEGALITIES:
            value.match.game._permitted.clear()

    @property
    def weight(self) -> int:
        match = self.value.match
        json = self._rules_bytes + len(self._cached_state[1]) + self._turn_bytes
        positions = (POSITION_BYTES + 2 * len(match.game.moves)) * len(match.states)
        return super().weight + self._own_rules + json + positions

    # Responses.

    def state(self, away: Away) -> bytes:
        """The state of the room as JSON."""
        if self._cached_state[0] != away:
            self._cached_state = away, encode(self._state(away))
            self.on_growth(self)
        return self._cached_state[1]

    def _state(self, away: Away) -> RoomNews:
        room, match = self.value, self.value.match
        count, effect = len(match.moves), last_effect(match)
        last = turn_view(match, count - 1, effect) if count else None
        view = position_view(match, last, effect)
        if room.note is not None:
            view["status"].insert(1 if last is not None else 0, wire(room.note, match.names))
        if last is not None:
            view["last"] = encoded(self._cache_turn(count - 1, encode(last)))
        return {
            **self._rules,
            **view,
            **room_part(room, away),
            "fields": encoded(self._fields),
            "legal": [] if match.outcome else encoded(legal_text(match)),
        }

    def history(self, start: int) -> bytes:
        """A page of turns in words as JSON, from the turn at index `start`."""
        match = self.value.match
        turns: list[Turn] = []
        size, end = 0, min(len(match.moves), start + HISTORY_TURNS)
        for index in range(start, end):
            turn = self._turns.get(index) or self._cache_turn(index, encode(turn_view(match, index)))
            turns.append(encoded(turn))
            size += len(turn)
            if size > HISTORY_BYTES:
                break
        self.on_growth(self)
        page: RoomHistory = {"version": self.value.head, "move_count": len(match.moves), "from": start, "turns": turns}
        return encode(page)

    def _cache_turn(self, index: int, turn: bytes) -> bytes:
        if index not in self._turns and len(turn) < LONGEST_TURN:  # the texts of a variant can have any length
            self._turns[index] = turn
            self._turn_bytes += len(turn)
        return turn


# The legal moves are the largest part of a state, and their JSON is the same in every room.


class _MoveTexts:
    """A cache of a game's moves as JSON, except for moves whose text contains a player's name."""

    def __init__(self, game: AnyGame) -> None:
        self._indices = [{value: index for index, value in enumerate(column)} for column in notation_of(game).columns]
        self._cache: tuple[dict[Any, bytes], dict[Any, bytes]] = {}, {}

    def texts(self, moves: Iterable[Any], player: int, names: tuple[str, str]) -> list[bytes]:
        cache = self._cache[player]
        return [cache.get(move) or self._create(move, player, names) for move in moves]

    def _create(self, move: Any, player: int, names: tuple[str, str]) -> bytes:
        text = self._serialize(move, player, names)
        if Played(move, player).to(OTHERS) == Played(move, player).to(PLAYERS):
            self._cache[player][move] = text
        return text

    def _serialize(self, move: Any, player: int, names: tuple[str, str]) -> bytes:
        picks = [index[value] for index, value in zip(self._indices, move, strict=True)]
        return encode({"move": str(move), "shown": Played(move, player).to(names), "picks": picks})


_move_texts: WeakKeyDictionary[AnyGame, _MoveTexts] = WeakKeyDictionary()  # as long as a room has the game


def legal_text(match: Match) -> bytes:
    """The legal moves as JSON."""
    texts = _move_texts.get(match.game)
    if texts is None:
        texts = _move_texts[match.game] = _MoveTexts(match.game)
    moves = match.game.legal_moves(match.state)
    return b"[%b]" % b",".join(texts.texts(moves, match.state.player, match.names))
