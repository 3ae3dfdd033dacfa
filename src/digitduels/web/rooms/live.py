"""A cached game between friends: its JSON is built once per version, and in parts that many versions share."""

from __future__ import annotations

from itertools import takewhile
from typing import Any
from weakref import WeakKeyDictionary

from digitduels.core import notation_of
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.sentence import PLAYERS, Played
from digitduels.web.encoding import encode, encoded, trimmed
from digitduels.web.positions.answers import RulesView, Turn
from digitduels.web.positions.view import fields, last_effect, position_view, rules_view, turn_view
from digitduels.web.positions.wire import wire
from digitduels.web.rooms.answers import RoomHistory, RoomNews, room_part
from digitduels.web.rooms.state import Room
from digitduels.web.streams.fold import Away
from digitduels.web.streams.live import Live

# Measured: what a position, a different move of a variant and its other rules take in memory.
POSITION_BYTES, MOVE_BYTES, RULES_BYTES = 400, 700, 3000
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
        self._shared = shared_json(game)
        # All rooms share the rules of the book.
        self._own_rules = RULES_BYTES + MOVE_BYTES * len(game.moves) if game.changes else 0
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
        json = len(self._cached_state[1]) + self._turn_bytes + (len(self._shared.fields) if self._own_rules else 0)
        positions = (POSITION_BYTES + 2 * len(match.game.moves)) * len(match.states)
        return super().weight + self._own_rules + json + positions

    # Responses.

    def state(self, away: Away) -> bytes:
        """The state of the room as JSON."""
        if self._cached_state[0] != away:
            self._cached_state = away, trimmed(encode(self._state(away)))
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
            **self._shared.rules(match),
            **view,
            **room_part(room, away),
            "fields": encoded(self._shared.fields),
            "legal": [] if match.outcome else encoded(self._shared.legal(match)),
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
            self._turns[index] = turn = trimmed(turn)
            self._turn_bytes += len(turn)
        return turn


class SharedJson:
    """The JSON that is the same in every room of a game, and the largest part of a state: its rules and its moves."""

    def __init__(self, game: AnyGame) -> None:
        self.fields = trimmed(encode(fields(game)))
        self._rules: RulesView | None = None
        self._indices = [{value: index for index, value in enumerate(column)} for column in notation_of(game).columns]
        self._moves: tuple[dict[Any, bytes], dict[Any, bytes]] = {}, {}

    def rules(self, match: Match) -> RulesView:
        """The rules and the start of a match. Those of the usual start are cached."""
        if match.first or match.position is not None or match.opening:
            return rules_view(match)
        self._rules = self._rules or rules_view(match)
        return self._rules

    def legal(self, match: Match) -> bytes:
        """The legal moves. They are cached, except for moves whose text contains a player's name."""
        player, names = match.state.player, match.names
        cache = self._moves[player]
        moves = match.game.legal_moves(match.state)
        return b"[%b]" % b",".join([cache.get(move) or self._move(move, player, names) for move in moves])

    def _move(self, move: Any, player: int, names: tuple[str, str]) -> bytes:
        played = Played(move, player)
        picks = [index[value] for index, value in zip(self._indices, move, strict=True)]
        text = encode({"move": str(move), "shown": played.to(names), "picks": picks})
        if played.to(OTHERS) == played.to(PLAYERS):
            self._moves[player][move] = text = trimmed(text)
        return text


_shared: WeakKeyDictionary[AnyGame, SharedJson] = WeakKeyDictionary()  # as long as a room has the game


def shared_json(game: AnyGame) -> SharedJson:
    """The JSON that the rooms of a game share."""
    shared = _shared.get(game)
    if shared is None:
        shared = _shared[game] = SharedJson(game)
    return shared
