"""What people do in games between friends: begins, joins, acts, looks and watches."""

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

LOOK = 2.0  # seconds between looks for what other processes did, and who came or went
SWEEP = 600.0
STALE_TRIES = 20  # at an act in a game that other processes change all the time

Rule = Callable[[LiveRoom], Resolution | None]


class RoomService:
    """All games between friends of one server process."""

    def __init__(self, store: Store, chooser: Chooser, settings: Settings, stopping: asyncio.Event) -> None:
        self.store = store
        self.hub = Hub()
        self.background = PeriodicTasks()
        self.live = LiveRooms(store)
        self._settings, self._stopping = settings, stopping
        self.changed: list[Callable[[Room], None]] = []
        """Who else is told when a game has gone on here."""
        self.heard: list[Callable[[dict[str, int] | None], None]] = []
        """Who else is told what other processes changed."""
        self.closing: list[Callable[[], None]] = []
        """Who else ends streams when the server stops."""
        self._presence = Presence(store, self.hub, settings.away)
        self._publisher = Publisher(store, self.hub, self.live, self._presence, self.background)
        self._opponents = Opponents(store, self.live, chooser, self.play)
        self._clock = Clock()
        self._retention = Retention(store, settings, self._clock, self.play)

    async def __aenter__(self) -> RoomService:
        self.store.watch(self._hear)
        for seconds, work in (
            (0, self._close_when_stopping),
            (0, self._publisher.refresh),
            (LOOK, self._look),
            (SEEN, self._presence.note_watchers),
            (THINK, self._opponents.take_up),
            (CLOCK_SECONDS, self._clock.look),
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
        for close in (self.hub.close, *self.closing):
            close()

    def _hear(self, changed: dict[str, int] | None) -> None:
        for hear in (self._publisher.hear, *self.heard):
            hear(changed)

    async def _look(self) -> None:
        await self._presence.note_arrivals()
        await self._publisher.look()

    # What people do.

    async def create(
        self, match: Match, seat: int, name: str, computer: tuple[int, int] | None, key: str | None
    ) -> tuple[bytes, bool]:
        """Begins a game; what its creator is told, and whether that is new."""
        kept, token, invite = acts.begin(match, seat, name, computer, time.time(), key or acts.new_secret())
        new = await self.store.create(kept)
        live = self.live.add(Room(kept)) if new else await self.live.current(kept.id)
        if not new and not acts.begins_as(live.room, kept):
            raise Refusal(422, "This key was used for something else. Take a new one each time.")
        self._opponents.wake(live.room)
        told = {"id": kept.id, "seat": seat + 1, "token": token, "invite": invite}
        return b'%b,"state":%b}' % (packed(told)[:-1], self.state(live)), new

    async def join(self, id: str, invite: str, key: str, name: str) -> tuple[bytes, bool]:
        """Somebody takes the free seat; what they are told, and whether that is new."""
        token, now = acts.token_for(invite, key), time.time()
        resolution = await self.play(id, lambda live: acts.join(live.room, invite, token, name, now))
        assert resolution is not None
        seat = acts.seat_of(resolution.room.seats, token)
        assert seat is not None
        told = {"seat": seat + 1, "token": token}
        live = await self.live.get(id)
        return b'%b,"state":%b}' % (packed(told)[:-1], self.state(live)), resolution.change is not None

    async def act(
        self, id: str, token: str, kind: str, version: int, key: str, body: dict[str, Any]
    ) -> tuple[bytes, bool]:
        """Somebody does something in a game; what they are told, and whether that is new."""
        now, depends = time.time(), kind == "substitute"
        if depends:
            await self._glance(id)  # somebody may be there, at another server

        def rule(live: LiveRoom) -> Resolution:
            seat = self._seat(live, token)
            away = self._presence.away(live) if depends else NOBODY
            return acts.act(live.room, Act(kind, seat, version, key, body), now, away)

        resolution = await self.play(id, rule)
        assert resolution is not None
        live = await self.live.get(id)
        return b'{"accepted":%d,"state":%b}' % (resolution.accepted, self.state(live)), resolution.change is not None

    async def play(self, id: str, rule: Rule) -> Resolution | None:
        """Applies a rule to a game, keeps what it decides, then tells everybody; None if the rule has nothing to do.

        A rule is asked about the room in memory. If the database has a newer one, it is asked again about that.
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
                        self._publisher.publish(live)
                        self._opponents.wake(live.room)
                        for tell in self.changed:
                            tell(live.room)
                        return resolution
                    await self.live.catch_up(live)
        finally:
            live.users -= 1
        raise Refusal(503, BUSY_STORE, again=1)

    # What a class does with its games.

    async def current_rooms(self, ids: list[str]) -> dict[str, Room]:
        """These games as the database has them, without those that are gone or cannot be shown."""
        found = {}
        for id, glance in (await self.store.glance(ids)).items():
            with suppress(Refusal):
                found[id] = (await self.live.current(id, glance.head)).room
        return found

    async def take_note(self, heads: dict[str, int]) -> None:
        """These games were changed here, beside their rules, and have these versions now."""
        self._publisher.hear(heads)
        for id in heads:
            with suppress(Refusal):
                self._opponents.wake((await self.live.current(id, heads[id])).room)

    def drop_game(self, id: str) -> None:
        """A game is no more."""
        self.live.drop(id)
        self.hub.end(id)

    # What people see.

    async def look(self, id: str, tag: str) -> tuple[str, bytes | None]:
        """The tag of a game and how it is; without the latter if somebody has it already, by its tag."""
        glance = await self._glance(id)
        live = self.live.known(id)
        away = self._presence.away_at(glance) if live is None else self._presence.away(live)
        shown = _tag(glance.head, away)
        if shown in tag:
            return shown, None
        live = await self.live.current(id, glance.head)
        away = self._presence.away(live)
        return _tag(live.room.head, away), live.state(away)

    async def history(self, id: str, start: int) -> bytes:
        """Some of the turns of a game in words."""
        glance = await self._glance(id)
        return (await self.live.current(id, glance.head)).history(start)

    async def seat(self, id: str, token: str) -> int:
        """The seat that a token opens, from 1; raises Refusal if it opens none."""
        return self._seat(await self.live.current(id), token) + 1

    async def stream(self, id: str, token: str, receive: Receive, send: Send) -> None:
        """The live feed of a game, to a player who shows a token or to anybody else."""
        if self.hub.streams >= self._settings.streams:
            raise Refusal(503, "Too many people are watching. Try again in a moment.", again=10)
        person = await self._watcher(id, token)

        async def first() -> tuple[int, bytes] | None:
            try:
                live = await self.live.current(id)
            except Refusal:
                return None
            return self._publisher.first(live)

        await self.hub.stream(id, person, first, receive, send)

    async def _watcher(self, id: str, token: str) -> tuple[str, int] | None:
        """Who watches, if it is a player. The room is not held on to: a stream may last for days."""
        live = await self.live.current(id)
        return (id, self._seat(live, token)) if token else None

    async def _glance(self, id: str) -> Glance:
        """The version of a game, by the database; takes note of who was seen."""
        glance = (await self.store.glance([id])).get(id)
        if glance is None:
            self.live.drop(id)
            raise Refusal(404, NO_GAME)
        live = self.live.known(id)
        if live is not None:
            self._presence.learn(live, glance)
        return glance

    def state(self, live: LiveRoom) -> bytes:
        """How a game is, as it is sent."""
        return live.state(self._presence.away(live))

    def state_of(self, room: Room) -> bytes:
        """How a game is that somebody's act came too late for."""
        live = self.live.known(room.id)
        return self.state(LiveRoom(room) if live is None else live)

    def _seat(self, live: LiveRoom, token: str) -> int:
        """The seat of who shows a token; notes that its person is there."""
        number = acts.seat_of(live.room.seats, token)
        if number is None:
            raise Refusal(403, "Only the players of this game may do this. Open it with your own link.")
        self._presence.arrive(live, number)
        return number


def _tag(head: int, away: Away) -> str:
    """What a state is known by: its version, and who is away."""
    return f'"{head}{"".join(f"-{number}" for number, gone in enumerate(away, 1) if gone)}"'
