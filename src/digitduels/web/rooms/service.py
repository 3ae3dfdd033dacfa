"""The service behind games between friends: creating, joining, acting, viewing and watching."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from digitduels.match import Match
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.acts import Act, Resolution, Room
from digitduels.web.rooms.feed import Hub, Receive, Send
from digitduels.web.rooms.live import MOST_AT_ONCE, NO_GAME, NOBODY, Away, LiveRoom, LiveRooms, packed
from digitduels.web.rooms.opponents import THINK, Chooser, Opponents
from digitduels.web.rooms.periodic import CLOCK_SECONDS, Clock, PeriodicTasks
from digitduels.web.rooms.presence import SEEN, Presence
from digitduels.web.rooms.publishing import Publisher
from digitduels.web.rooms.retention import Retention
from digitduels.web.settings import Settings
from digitduels.web.store import Glance, Store
from digitduels.web.store.interface import BUSY_STORE

LOOK = 2.0  # seconds between polls for changes by other processes, and for players who came or left
SWEEP = 600.0
MOST_WATCHERS = 200  # live feeds of one game
STALE_TRIES = 20  # attempts at an act while other processes keep changing the game

Rule = Callable[[LiveRoom], Resolution | None]


class RoomService:
    """Runs all games between friends in one server process."""

    def __init__(self, store: Store, chooser: Chooser, settings: Settings, stopping: asyncio.Event) -> None:
        self.store = store
        self.hub = Hub()
        self.background = PeriodicTasks()
        self.live = LiveRooms(store)
        self._settings, self._stopping = settings, stopping
        self.on_change: list[Callable[[Room], None]] = []
        """Called with a room after this process has changed it."""
        self.on_remote_change: list[Callable[[dict[str, int] | None], None]] = []
        """Called with the versions of games that other processes may have changed; None if any may have been."""
        self.on_close: list[Callable[[], None]] = []
        """Called when the server stops, to end other streams."""
        self._presence = Presence(store, self.hub, settings.away)
        self._publisher = Publisher(store, self.hub, self.live, self._presence, self.background)
        self._opponents = Opponents(store, self.live, chooser, self.play)
        self.clock = Clock()
        self._retention = Retention(store, settings, self.clock, self.play)

    async def __aenter__(self) -> RoomService:
        self.store.watch(self._remote_change)
        for seconds, work in (
            (0, self._close_when_stopping),
            (0, self._publisher.refresh),
            (LOOK, self._poll),
            (SEEN, self._presence.note_watchers),
            (THINK, self._opponents.resume_waiting),
            (CLOCK_SECONDS, self.clock.look),
            (SWEEP, self._retention.sweep),
        ):
            self.background.every(seconds, work)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._close()
        await self.background.stop()
        await self._opponents.stop()
        self.live.close()
        await self.store.close()

    async def _close_when_stopping(self) -> None:
        await self._stopping.wait()
        self._close()
        await asyncio.Event().wait()

    def _close(self) -> None:
        for close in (self.hub.close, *self.on_close):
            close()

    def _remote_change(self, changed: dict[str, int] | None) -> None:
        for notify in (self._publisher.mark_stale, *self.on_remote_change):
            notify(changed)

    async def _poll(self) -> None:
        await self._presence.note_arrivals()
        await self._publisher.poll()

    # Acts. Each returns the payload of the response, and whether anything changed: a repeated request changes nothing.

    async def create(
        self, match: Match, seat: int, name: str, computer: tuple[int, int] | None, key: str | None, founder: str
    ) -> tuple[bytes, bool]:
        """Creates a game for the founder, an address."""
        kept, token, invite = acts.begin(match, seat, name, computer, time.time(), key or acts.new_secret())
        new = await self.store.create(kept)
        live = self.live.add(Room(kept)) if new else await self.live.current(kept.id)
        if not new and not acts.begins_as(live.room, kept):
            raise Refusal(422, "This key was used for something else. Take a new one each time.")
        if new:
            self._opponents.founders.remember(kept.id, founder)
        self._opponents.wake(live.room)
        payload = {"id": kept.id, "seat": seat + 1, "token": token, "invite": invite}
        return b'%b,"state":%b}' % (packed(payload)[:-1], self.state(live)), new

    async def join(self, id: str, invite: str, key: str, name: str) -> tuple[bytes, bool]:
        """Gives the free seat to a person with the invitation."""
        token, now = acts.token_for(invite, key), time.time()
        resolution = await self.play(id, lambda live: acts.join(live.room, invite, token, name, now))
        assert resolution is not None
        seat = acts.seat_of(resolution.room.seats, token)
        assert seat is not None
        payload = {"seat": seat + 1, "token": token}
        live = await self.live.get(id)
        return b'%b,"state":%b}' % (packed(payload)[:-1], self.state(live)), resolution.change is not None

    async def act(
        self, id: str, token: str, kind: str, version: int, key: str, body: dict[str, Any]
    ) -> tuple[bytes, bool]:
        """Applies a player's act to a game."""
        now, needs_presence = time.time(), kind == "substitute"
        if needs_presence:
            await self._glance(id)  # the other player may be connected to another server

        def rule(live: LiveRoom) -> Resolution:
            seat = self._seat(live, token)
            away = self._presence.away(live) if needs_presence else NOBODY
            return acts.act(live.room, Act(kind, seat, version, key, body), now, away)

        resolution = await self.play(id, rule)
        assert resolution is not None
        live = await self.live.get(id)
        return b'{"accepted":%d,"state":%b}' % (resolution.accepted, self.state(live)), resolution.change is not None

    async def play(self, id: str, rule: Rule) -> Resolution | None:
        """Applies a rule to a game, stores the change, then publishes it; None if the rule changes nothing.

        The rule first sees the cached room. If the database has a newer version, the rule is applied again to that.
        """
        live = await self.live.get(id)
        if live.users >= MOST_AT_ONCE:
            raise Refusal(503, BUSY_STORE, again=1)
        live.users += 1
        try:
            async with live.lock:
                for _ in range(STALE_TRIES):
                    room = live.room
                    try:
                        resolution = rule(live)
                    except Refusal:
                        if await self.live.catch_up(live):
                            continue
                        raise
                    if resolution is None and await self.live.catch_up(live):
                        continue
                    if resolution is None or resolution.change is None:
                        return resolution
                    if await self.store.append(id, room.head, resolution.change):
                        self.live.put(live, resolution.room)
                        if resolution.change.begins is not None:
                            founders = self._opponents.founders
                            founders.remember(resolution.change.begins.id, founders.of(room))
                        self._publisher.publish(live)
                        self._opponents.wake(live.room)
                        for notify in self.on_change:
                            notify(live.room)
                        return resolution
                    await self.live.catch_up(live)
        finally:
            live.users -= 1
        raise Refusal(503, BUSY_STORE, again=1)

    # The games of a class.

    async def current_rooms(self, ids: list[str]) -> dict[str, Room]:
        """These games as the database has them, except for deleted and broken ones."""
        rooms = {}
        for id, glance in (await self.store.glance(ids)).items():
            with suppress(Refusal):
                rooms[id] = (await self.live.current(id, glance.head)).room
        return rooms

    async def notice_changes(self, heads: dict[str, int]) -> None:
        """Publishes games that a class changed directly in the database, given their new versions."""
        self._publisher.mark_stale(heads)
        for id in heads:
            with suppress(Refusal):
                self._opponents.wake((await self.live.current(id, heads[id])).room)

    def drop_game(self, id: str) -> None:
        """Removes a deleted game from memory, and ends its streams."""
        self.live.drop(id)
        self.hub.end(id)

    # Views.

    async def look(self, id: str, tag: str) -> tuple[str, bytes | None]:
        """The entity tag of a game and its state; None for the state if `tag` shows that the client has it."""
        glance = await self._glance(id)
        live = self.live.known(id)
        away = self._presence.away_at(glance) if live is None else self._presence.away(live)
        current = _tag(glance.head, away)
        if current in tag:
            return current, None
        live = await self.live.current(id, glance.head)
        away = self._presence.away(live)
        return _tag(live.room.head, away), live.state(away)

    async def history(self, id: str, start: int) -> bytes:
        """A page of a game's turns in words, as JSON."""
        glance = await self._glance(id)
        return (await self.live.current(id, glance.head)).history(start)

    async def seat(self, id: str, token: str) -> int:
        """The seat that a token opens, 1 or 2. Raises Refusal if it opens none."""
        return self._seat(await self.live.current(id), token) + 1

    async def stream(self, id: str, token: str, receive: Receive, send: Send) -> None:
        """Streams the live feed of a game to a player with a token, or to a spectator without one."""
        if self.hub.streams >= self._settings.streams:
            raise Refusal(503, "Too many people are watching. Try again in a moment.", again=10)
        person = await self._watcher(id, token)
        if len(self.hub.watched.get(id, ())) >= MOST_WATCHERS:
            raise Refusal(503, "Too many people are watching this game. Try again in a moment.", again=10)

        async def first() -> tuple[int, bytes] | None:
            try:
                live = await self.live.current(id)
            except Refusal:
                return None
            return self._publisher.first_state(live)

        await self.hub.stream(id, person, first, receive, send)

    async def _watcher(self, id: str, token: str) -> tuple[str, int] | None:
        """The game and the seat of a player who watches; None for a spectator.

        A separate function, so that a stream, which may last for days, keeps no reference to the room.
        """
        live = await self.live.current(id)
        return (id, self._seat(live, token)) if token else None

    async def _glance(self, id: str) -> Glance:
        """The version of a game in the database, and when its players were seen. Raises Refusal if it is deleted."""
        glance = (await self.store.glance([id])).get(id)
        if glance is None:
            self.live.drop(id)
            raise Refusal(404, NO_GAME)
        live = self.live.known(id)
        if live is not None:
            self._presence.learn(live, glance)
        return glance

    def state(self, live: LiveRoom) -> bytes:
        """The state of a game as JSON."""
        return live.state(self._presence.away(live))

    def state_of(self, room: Room) -> bytes:
        """The current state of a game, for a client whose act was for an outdated version."""
        live = self.live.known(room.id)
        return self.state(LiveRoom(room) if live is None else live)

    def _seat(self, live: LiveRoom, token: str) -> int:
        """The seat that a token opens. Records that its player is present."""
        number = acts.seat_of(live.room.seats, token)
        if number is None:
            raise Refusal(403, "Only the players of this game may do this. Open it with your own link.")
        self._presence.arrive(live, number)
        return number


def _tag(head: int, away: Away) -> str:
    """The entity tag of a state: its version, and which players are away."""
    return f'"{head}{"".join(f"-{number}" for number, gone in enumerate(away, 1) if gone)}"'
