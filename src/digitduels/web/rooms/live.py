"""Live rooms: games that are kept in memory as they are now, so that a look or a move costs the same after many moves.

The database row stays the authority: what is in memory has a version, and is used only for that version. No more rooms
and moves are held than fit; the others are read again when somebody wants them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from itertools import takewhile
from typing import Any

from pydantic_core import to_json

from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.sentence import PLAYERS, Played
from digitduels.web.logs import event
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import Room
from digitduels.web.store import Kept, Store, StoreError
from digitduels.web.view import columns, fields, last_effect, position_view, rules_view, turn_view
from digitduels.web.wire import wire

MOST_ROOMS = 4000
MOST_MOVES_HELD = 60_000  # in all rooms together
MOST_AT_ONCE = 16  # requests that may wait for one game
LONG = 50  # events that are not replayed on the event loop
HISTORY_TURNS = 100  # of one answer
LONGEST_TURN = 4000  # bytes of a turn in words that are kept
HISTORY_BYTES = 200_000  # after which an answer has no further turn
NO_GAME = "There is no such game. It may have been deleted."
OTHERS = ("\x01", "\x02")  # names that nobody has

Away = tuple[bool, bool]
NOBODY: Away = (False, False)


class LiveRoom:
    """A game in memory: the room, when its people were last seen, and what is sent of it, made once for a version."""

    def __init__(self, room: Room) -> None:
        self._turns: dict[int, bytes] = {}
        self._seats: tuple[Any, bytes] = None, b""
        self._rules = packed(rules_view(room.match) | {"id": room.id, "fields": fields(room.match.game)})[1:-1]
        self.seen: dict[int, float] = {}
        self.users = 0
        """How many requests are at work on it, or wait for that."""
        self.lock = asyncio.Lock()
        """Held by who changes the game, so that a game never takes more than one thread of the database."""
        self.room = room

    @property
    def room(self) -> Room:
        return self._room

    @room.setter
    def room(self, room: Room) -> None:
        before, self._room = getattr(self, "_room", room), room
        self._sent: bytes | None = None
        if before.match.names != room.match.names:
            self._turns.clear()
        elif before.match.moves != room.match.moves[: len(before.match.moves)]:  # something was taken back
            pairs = zip(before.match.moves, room.match.moves, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            self._turns = {place: turn for place, turn in self._turns.items() if place < same}
        for seat in room.seats:
            if seat.level is None:
                self.seen.setdefault(seat.seat, seat.seen)

    def away(self, since: float) -> Away:
        """Which people were not seen since a time."""
        return self.seen.get(0, since) < since, self.seen.get(1, since) < since

    # What is sent.

    def state(self, away: Away) -> bytes:
        """The room as JSON."""
        room = self.room
        if self._sent is None:
            match = room.match
            count, effect = len(match.moves), last_effect(match)
            last = turn_view(match, count - 1, effect) if count else None
            turn = b"null" if last is None else self._keep(count - 1, packed(last))
            shown = position_view(match, last, effect) | {
                "version": room.head,
                "takeback": None if room.takeback is None else room.takeback + 1,
                "rematch": room.rematch,
                "closed": room.closed,
                "paused": room.paused,
                "class": None if room.code is None else {name: room.rules[name] for name in ("hints", "takebacks")},
            }
            if room.note is not None:
                shown["status"].insert(1 if last is not None else 0, wire(room.note, match.names))
            del shown["last"]  # which is packed already
            legal = b"[]" if match.outcome else legal_text(match)
            self._sent = b'{%b,%b,"last":%b,"legal":%b,"seats":' % (self._rules, packed(shown)[1:-1], turn, legal)
        who = room.match.names, room.seats, room.levels, away
        if self._seats[0] != who:  # which is rare
            self._seats = who, packed(seats_view(room, away))
        return b"%b%b}" % (self._sent, self._seats[1])

    def history(self, start: int) -> bytes:
        """Some turns in words, from a place on, as JSON; the words of a turn are made once."""
        match = self.room.match
        parts: list[bytes] = []
        size, end = 0, min(len(match.moves), start + HISTORY_TURNS)
        for place in range(start, end):
            turn = self._turns.get(place) or self._keep(place, packed(turn_view(match, place)))
            parts.append(turn)
            size += len(turn)
            if size > HISTORY_BYTES:
                break
        what = self.room.head, len(match.moves), start, b",".join(parts)
        return b'{"version":%d,"move_count":%d,"from":%d,"turns":[%b]}' % what

    def _keep(self, place: int, turn: bytes) -> bytes:
        if len(turn) < LONGEST_TURN:  # a variant may have words of any length
            self._turns[place] = turn
        return turn


def seats_view(room: Room, away: Away) -> list[dict[str, Any]]:
    """Who sits where."""
    shown = []
    for number, name in enumerate(room.match.names):
        sitting, level = room.seat(number), room.levels[number]
        shown.append(
            {
                "name": name,
                "kind": "human" if level is None else "computer",
                "level": level,
                "joined": sitting is not None,
                "away": away[number],
                "substitute": level is not None and sitting is not None and sitting.level is None,
            }
        )
    return shown


class LiveRooms:
    """The games in memory of one server process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rooms: OrderedDict[str, LiveRoom] = OrderedDict()
        self._moves: dict[str, int] = {}
        self._held = 0
        self._loading: dict[str, asyncio.Future[LiveRoom]] = {}
        self._replaying = ThreadPoolExecutor(1, "replay")

    def __len__(self) -> int:
        return len(self._rooms)

    def close(self) -> None:
        self._replaying.shutdown(wait=False, cancel_futures=True)

    def known(self, id: str) -> LiveRoom | None:
        """The game as it is in memory, if it is."""
        live = self._rooms.get(id)
        if live is not None:
            self._rooms.move_to_end(id)
        return live

    async def get(self, id: str) -> LiveRoom:
        """The game, perhaps as it was a moment ago; raises Refusal if there is none, or none that can be shown."""
        live = self.known(id)
        if live is not None:
            return live
        loading = self._loading.get(id)
        if loading is None:
            loading = self._loading[id] = asyncio.ensure_future(self._load(id))
            loading.add_done_callback(lambda _: self._loading.pop(id, None))
        return await asyncio.shield(loading)

    async def current(self, id: str, head: int | None = None) -> LiveRoom:
        """The game as the database has it, or at least with a version."""
        live = self.known(id)
        if live is None:
            return await self.get(id)
        if head is None or live.room.head < head:
            await self.catch_up(live)
        return live

    async def catch_up(self, live: LiveRoom) -> bool:
        """Takes over what other processes did; whether there was anything."""
        before = live.room
        kept = await self._store.read(before.id, before.head)
        if kept is None:
            self.drop(before.id)
            raise Refusal(404, NO_GAME)
        if live.room is not before:  # somebody here was quicker
            return live.room.head > before.head
        if kept.head == before.head and len(kept.seats) == len(before.seats):
            return False
        if len(kept.events) > LONG:
            room = await self._aside(lambda: before.then(kept.events, kept.seats))
        else:
            room = before.then(kept.events, kept.seats)
        if live.room is before:
            self.put(live, room)
        return True

    def put(self, live: LiveRoom, room: Room) -> None:
        """The game goes on."""
        live.room = room
        if self._rooms.get(room.id) is live:
            self._weigh(room)

    def add(self, room: Room) -> LiveRoom:
        """A game that has just begun, or was read."""
        live = self._rooms.get(room.id)
        if live is None:
            live = self._rooms[room.id] = LiveRoom(room)
        self._weigh(room)
        return live

    def drop(self, id: str) -> None:
        """A game that is no more."""
        if self._rooms.pop(id, None) is not None:
            self._held -= self._moves.pop(id)

    def _weigh(self, room: Room) -> None:
        moves = len(room.match.moves) + 1
        self._held += moves - self._moves.get(room.id, 0)
        self._moves[room.id] = moves
        while len(self._rooms) > 1 and (len(self._rooms) > MOST_ROOMS or self._held > MOST_MOVES_HELD):
            for id, live in self._rooms.items():
                if not live.users and id != room.id:
                    break
            else:
                return
            self.drop(id)

    async def _load(self, id: str) -> LiveRoom:
        kept = await self._store.read(id)
        if kept is None:
            raise Refusal(404, NO_GAME)
        try:
            room = Room(kept) if len(kept.events) <= LONG else await self._aside(lambda: Room(kept))
        except Exception as error:  # whatever a plug-in raises: it is this game's trouble, and nobody else's
            await self._break(kept, error)
            raise Refusal(404, f"This game cannot be shown here. {_reason(error)}") from None
        return self.add(room)

    async def _break(self, kept: Kept, error: Exception) -> None:
        event("broken_game", logging.WARNING, game=kept.rules.get("game"), reason=_reason(error))
        with suppress(StoreError):
            await self._store.mark_broken(kept.id, _reason(error))

    async def _aside(self, work: Any) -> Room:
        room: Room = await asyncio.get_running_loop().run_in_executor(self._replaying, work)
        return room


def _reason(error: Exception) -> str:
    """Why a game cannot be played on: a sentence of ours, or the kind of a fault."""
    return (
        str(error)[:300] if isinstance(error, Refusal | ValueError) else f"Its rules failed ({type(error).__name__})."
    )


packed = to_json  # pydantic's, which is several times as fast as the standard library's


# What may be played is the largest part of a state, and the same words in every game.


class _Words:
    """The legal moves of a game as JSON, made once for each, but for those that name a player."""

    def __init__(self, game: AnyGame) -> None:
        self._places = [{value: place for place, value in enumerate(column)} for column in columns(game)]
        self._known: tuple[dict[Any, bytes], dict[Any, bytes]] = {}, {}

    def texts(self, moves: Iterable[Any], player: int, names: tuple[str, str]) -> list[bytes]:
        known = self._known[player]
        return [known.get(move) or self._make(move, player, names) for move in moves]

    def _make(self, move: Any, player: int, names: tuple[str, str]) -> bytes:
        text = self._text(move, player, names)
        if Played(move, player).to(OTHERS) == Played(move, player).to(PLAYERS):
            self._known[player][move] = text
        return text

    def _text(self, move: Any, player: int, names: tuple[str, str]) -> bytes:
        picks = [place[value] for place, value in zip(self._places, move, strict=True)]
        shown = {"move": str(move), "shown": Played(move, player).to(names), "picks": picks}
        return packed(shown)


_words = lru_cache(64)(_Words)


def legal_text(match: Match) -> bytes:
    """What may be played, as JSON."""
    moves = match.game.permitted(match.state)
    return b"[%b]" % b",".join(_words(match.game).texts(moves, match.state.player, match.names))
