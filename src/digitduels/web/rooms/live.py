"""An in-memory cache of rooms, so that viewing a game or moving in it costs the same however long the game is.

The database stays the authority: a cached room has a version and is used only for that version. The least recently used
rooms are evicted, and loaded again when somebody needs them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import takewhile
from typing import Any
from weakref import WeakKeyDictionary

from digitduels.core import notation_of
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.sentence import PLAYERS, Played
from digitduels.web.encoding import encode
from digitduels.web.logs import event
from digitduels.web.positions.view import fields, last_effect, position_view, rules_view, turn_view
from digitduels.web.positions.wire import wire
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import Room
from digitduels.web.store import Kept, Store, StoreError

MOST_ROOMS = 4000
MOST_ROOM_BYTES = 64 << 20  # of all rooms together
# Measured: what a room, an event, a position and a different move of a variant take in memory, beside JSON.
ROOM_BYTES, EVENT_BYTES, POSITION_BYTES, MOVE_BYTES = 4500, 600, 400, 700
MOST_LEGALITIES = 16  # cached sets of legal moves per variant
MOST_AT_ONCE = 16  # requests that may wait for one game
LONG = 50  # more moves and events than this are replayed in a thread, not on the event loop
HISTORY_TURNS = 100  # in one response
LONGEST_TURN = 4000  # bytes; longer turns are not cached
HISTORY_BYTES = 200_000  # a response ends with the turn that exceeds this
NO_GAME = "There is no such game. It may have been deleted."
OTHERS = ("\x01", "\x02")  # names that no player can have

Away = tuple[bool, bool]
NOBODY: Away = (False, False)


class LiveRoom:
    """A cached game: the room, when its players were last seen, and its JSON, which is built once per version.

    `on_growth` is called after it has taken more memory.
    """

    def __init__(self, room: Room, on_growth: Callable[[LiveRoom], None] = lambda _: None) -> None:
        self._on_growth = on_growth
        self._turns: dict[int, bytes] = {}
        self._turn_bytes = 0
        game = room.match.game
        self._own_rules = MOVE_BYTES * len(game.moves) if game.changes else 0  # all rooms share the rules of the book
        self._seats: tuple[Any, bytes] = None, b""
        self._rules = packed(rules_view(room.match) | {"id": room.id, "fields": fields(game)})[1:-1]
        self.seen: dict[int, float] = {}
        self.users = 0
        """How many requests are changing the game or waiting to."""
        self.lock = asyncio.Lock()
        """Held while the game is changed, so that one game never occupies more than one database thread."""
        self.room = room

    @property
    def room(self) -> Room:
        return self._room

    @room.setter
    def room(self, room: Room) -> None:
        before, self._room = getattr(self, "_room", room), room
        self._cached_state: bytes | None = None
        if before.match.names != room.match.names:
            self._turns, self._turn_bytes = {}, 0
        elif before.match.moves != room.match.moves[: len(before.match.moves)]:  # after a take-back
            pairs = zip(before.match.moves, room.match.moves, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            self._turns = {index: turn for index, turn in self._turns.items() if index < same}
            self._turn_bytes = sum(map(len, self._turns.values()))
        for seat in room.seats:
            if seat.level is None:
                self.seen.setdefault(seat.seat, seat.seen)
        if self._own_rules and len(room.match.game._permitted) > MOST_LEGALITIES:
            room.match.game._permitted.clear()

    @property
    def weight(self) -> int:
        """About how many bytes the game takes in memory."""
        room, match = self.room, self.room.match
        json = len(self._rules) + len(self._cached_state or b"") + len(self._seats[1]) + self._turn_bytes
        positions = (POSITION_BYTES + 2 * len(match.game.moves)) * len(match.states)
        return ROOM_BYTES + self._own_rules + json + positions + EVENT_BYTES * room.head

    def away(self, since: float) -> Away:
        """Which players have not been seen since a time."""
        return self.seen.get(0, since) < since, self.seen.get(1, since) < since

    # Responses.

    def state(self, away: Away) -> bytes:
        """The state of the room as JSON."""
        room = self.room
        if self._cached_state is None:
            match = room.match
            count, effect = len(match.moves), last_effect(match)
            last = turn_view(match, count - 1, effect) if count else None
            turn = b"null" if last is None else self._cache_turn(count - 1, packed(last))
            view: dict[str, Any] = {
                **position_view(match, last, effect),
                "version": room.head,
                "takeback": None if room.takeback is None else room.takeback + 1,
                "rematch": room.rematch,
                "closed": room.closed,
                "paused": room.paused,
                "class": None if room.code is None else {name: room.rules[name] for name in ("hints", "takebacks")},
            }
            if room.note is not None:
                view["status"].insert(1 if last is not None else 0, wire(room.note, match.names))
            del view["last"]  # serialized above
            legal = b"[]" if match.outcome else legal_text(match)
            self._cached_state = b'{%b,%b,"last":%b,"legal":%b,"seats":' % (
                self._rules,
                packed(view)[1:-1],
                turn,
                legal,
            )
        seating = room.match.names, room.seats, room.levels, away
        if self._seats[0] != seating:
            self._seats = seating, packed(seats_view(room, away))
        self._on_growth(self)
        return b"%b%b}" % (self._cached_state, self._seats[1])

    def history(self, start: int) -> bytes:
        """A page of turns in words as JSON, from the turn at index `start`."""
        match = self.room.match
        parts: list[bytes] = []
        size, end = 0, min(len(match.moves), start + HISTORY_TURNS)
        for index in range(start, end):
            turn = self._turns.get(index) or self._cache_turn(index, packed(turn_view(match, index)))
            parts.append(turn)
            size += len(turn)
            if size > HISTORY_BYTES:
                break
        self._on_growth(self)
        values = self.room.head, len(match.moves), start, b",".join(parts)
        return b'{"version":%d,"move_count":%d,"from":%d,"turns":[%b]}' % values

    def _cache_turn(self, index: int, turn: bytes) -> bytes:
        if index not in self._turns and len(turn) < LONGEST_TURN:  # the texts of a variant can have any length
            self._turns[index] = turn
            self._turn_bytes += len(turn)
        return turn


def seats_view(room: Room, away: Away) -> list[dict[str, Any]]:
    """Both seats as JSON values: the player's name, whether it is a person or the computer, and who is away."""
    seats = []
    for number, name in enumerate(room.match.names):
        sitting, level = room.seat(number), room.levels[number]
        seats.append(
            {
                "name": name,
                "kind": "human" if level is None else "computer",
                "level": level,
                "joined": sitting is not None,
                "away": away[number],
                "substitute": level is not None and sitting is not None and sitting.level is None,
            }
        )
    return seats


class LiveRooms:
    """The cache of games in one server process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rooms: OrderedDict[str, LiveRoom] = OrderedDict()
        self._weights: dict[str, int] = {}
        self.weight = 0
        """About how many bytes all rooms take in memory."""
        self._loading: dict[str, asyncio.Future[LiveRoom]] = {}
        self._replaying = ThreadPoolExecutor(1, "replay")

    def __len__(self) -> int:
        return len(self._rooms)

    def close(self) -> None:
        self._replaying.shutdown(wait=False, cancel_futures=True)

    def known(self, id: str) -> LiveRoom | None:
        """The game if it is in the cache, possibly outdated."""
        live = self._rooms.get(id)
        if live is not None:
            self._rooms.move_to_end(id)
        return live

    async def get(self, id: str) -> LiveRoom:
        """The game from the cache, possibly outdated, or from the database.

        Raises Refusal if it does not exist or cannot be replayed.
        """
        live = self.known(id)
        if live is not None:
            return live
        loading = self._loading.get(id)
        if loading is None:
            loading = self._loading[id] = asyncio.ensure_future(self._load(id))
            loading.add_done_callback(lambda _: self._loading.pop(id, None))
        return await asyncio.shield(loading)

    async def current(self, id: str, head: int | None = None) -> LiveRoom:
        """The game as the database has it; with `head`, any version from that one on is new enough."""
        live = self.known(id)
        if live is None:
            return await self.get(id)
        if head is None or live.room.head < head:
            await self.catch_up(live)
        return live

    async def catch_up(self, live: LiveRoom) -> bool:
        """Applies events that other processes stored. Returns whether there were any."""
        before = live.room
        kept = await self._store.read(before.id, before.head)
        if kept is None:
            self.drop(before.id)
            raise Refusal(404, NO_GAME)
        if live.room is not before:  # another request was faster
            return live.room.head > before.head
        if kept.head == before.head and len(kept.seats) == len(before.seats):
            return False
        if len(kept.events) > LONG:
            room = await self._in_thread(lambda: before.then(kept.events, kept.seats))
        else:
            room = before.then(kept.events, kept.seats)
        if live.room is before:
            self.put(live, room)
        return True

    def put(self, live: LiveRoom, room: Room) -> None:
        """Replaces the room of a cached game with a newer one."""
        live.room = room
        self._weigh(live)

    def add(self, room: Room) -> LiveRoom:
        """Adds a game that has just been created or loaded."""
        live = self._rooms.get(room.id)
        if live is None:
            live = self._rooms[room.id] = LiveRoom(room, self._weigh)
        self._weigh(live)
        return live

    def drop(self, id: str) -> None:
        """Removes a game from the cache."""
        if self._rooms.pop(id, None) is not None:
            self.weight -= self._weights.pop(id)

    def _weigh(self, live: LiveRoom) -> None:
        """Counts the bytes of a room in the cache, then evicts other rooms until the cache is within its limits."""
        here = live.room.id
        if self._rooms.get(here) is not live:
            return
        weight = live.weight
        self.weight += weight - self._weights.get(here, 0)
        self._weights[here] = weight
        while len(self._rooms) > 1 and (len(self._rooms) > MOST_ROOMS or self.weight > MOST_ROOM_BYTES):
            for id, other in self._rooms.items():
                if not other.users and id != here:
                    break
            else:
                return
            self.drop(id)

    async def _load(self, id: str) -> LiveRoom:
        kept = await self._store.read(id)
        if kept is None:
            raise Refusal(404, NO_GAME)
        try:
            long = len(kept.rules["moves"]) + len(kept.events) > LONG
            room = await self._in_thread(lambda: Room(kept)) if long else Room(kept)
        except Exception as error:  # a plug-in may raise anything, and only this game may suffer
            await self._mark_broken(kept, error)
            raise Refusal(404, f"This game cannot be shown here. {reason_of(error)}") from None
        return self.add(room)

    async def _mark_broken(self, kept: Kept, error: Exception) -> None:
        event("broken_game", logging.WARNING, game=kept.rules.get("game"), reason=reason_of(error))
        with suppress(StoreError):
            await self._store.mark_broken(kept.id, reason_of(error))

    async def _in_thread(self, work: Any) -> Room:
        room: Room = await asyncio.get_running_loop().run_in_executor(self._replaying, work)
        return room


def reason_of(error: Exception) -> str:
    """Why a game cannot be replayed: our own error message, or the type of an unexpected error."""
    return (
        str(error)[:300] if isinstance(error, Refusal | ValueError) else f"Its rules failed ({type(error).__name__})."
    )


packed = encode  # several times as fast as the standard library's json


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
        return packed({"move": str(move), "shown": Played(move, player).to(names), "picks": picks})


_move_texts: WeakKeyDictionary[AnyGame, _MoveTexts] = WeakKeyDictionary()  # as long as a room has the game


def legal_text(match: Match) -> bytes:
    """The legal moves as JSON."""
    texts = _move_texts.get(match.game)
    if texts is None:
        texts = _move_texts[match.game] = _MoveTexts(match.game)
    moves = match.game.legal_moves(match.state)
    return b"[%b]" % b",".join(texts.texts(moves, match.state.player, match.names))
