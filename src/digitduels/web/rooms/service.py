"""The service behind games between friends: creating, joining, acting, viewing and watching."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from digitduels.match import Match
from digitduels.web.encoding import encode, encoded
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.answers import Acted, GivenSeat, NewRoom
from digitduels.web.rooms.live import LiveRoom
from digitduels.web.rooms.opponents import THINK, Chooser, Opponents
from digitduels.web.rooms.retention import Retention
from digitduels.web.rooms.state import Room
from digitduels.web.settings import Settings
from digitduels.web.streams.credentials import member_of, new_secret
from digitduels.web.streams.feed import Receive, Send
from digitduels.web.streams.fold import NOBODY, Act, Away, Resolution
from digitduels.web.streams.periodic import CLOCK_SECONDS, Clock, PeriodicTasks
from digitduels.web.streams.service import StreamService
from digitduels.web.streams.store import Change, Store, Stream

SWEEP = 600.0
NO_GAME = "There is no such game. It may have been deleted."
EVERYBODY = ""  # the only view of a game: everybody sees the same


class RoomService(StreamService[LiveRoom]):
    """Runs all games between friends in one server process."""

    kind = "game"
    missing = NO_GAME
    most_waiting = 16

    def __init__(self, store: Store, chooser: Chooser, settings: Settings, stopping: asyncio.Event) -> None:
        super().__init__(store, settings, PeriodicTasks())
        self._stopping = stopping
        self.on_change: list[Callable[[Room], None]] = []
        """Called with a room after this process has changed it."""
        self.on_remote_change: list[Callable[[dict[str, int] | None], None]] = [self.notice_changes]
        """Called with the versions of streams that processes have changed; None if any may have been."""
        self.on_close: list[Callable[[], None]] = [self.hub.close]
        """Called when the server stops, to end all feeds."""
        self._opponents = Opponents(store, self.cache, chooser, self.apply)
        self.founders = self._opponents.founders
        self.clock = Clock()
        self._retention = Retention(store, settings, self.clock, self.background, self.apply)

    async def __aenter__(self) -> RoomService:
        self.store.watch(self._remote_change)
        self.start_publishing()
        for seconds, work in (
            (0, self._close_when_stopping),
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
        self.cache.close()
        await self.store.close()

    async def _close_when_stopping(self) -> None:
        await self._stopping.wait()
        self._close()
        await asyncio.Event().wait()

    def _close(self) -> None:
        for close in self.on_close:
            close()

    def _remote_change(self, changed: dict[str, int] | None) -> None:
        for notify in self.on_remote_change:
            notify(changed)

    # Acts. Each returns the payload of the response, and whether anything changed: a repeated request changes nothing.

    async def create(
        self, match: Match, seat: int, name: str, computer: tuple[int, int] | None, key: str | None, founder: str
    ) -> tuple[bytes, bool]:
        """Creates a game for the founder, an address."""
        game, token, invite = acts.begin(match, seat, name, computer, time.time(), key or new_secret())
        new = await self.store.create(game) is game
        live = self.cache.add(self.load(game)) if new else await self.cache.current(game.id)
        if not new and not acts.begins_as(live.value, game):
            raise Refusal(422, acts.KEY_USED)
        if new:
            self.founders.remember(game.id, founder)
        self._opponents.wake(live.value)
        state = encoded(self.state(live))
        answer: NewRoom = {"id": game.id, "seat": seat + 1, "token": token, "invite": invite, "state": state}
        return encode(answer), new

    async def join(self, id: str, invite: str, key: str, name: str) -> tuple[bytes, bool]:
        """Gives the free seat to a person with the invitation."""
        token, now = acts.token_for(invite, key), time.time()

        async def rule(live: LiveRoom) -> Resolution[Room]:
            return acts.join(live.value, invite, token, name, now)

        live, resolution = await self.perform(id, rule)
        seat = member_of(resolution.value.members, token)
        assert seat is not None
        answer: GivenSeat = {"seat": seat + 1, "token": token, "state": encoded(self.state(live))}
        return encode(answer), resolution.change is not None

    async def act(
        self, id: str, token: str, kind: str, version: int, key: str, body: dict[str, Any]
    ) -> tuple[bytes, bool]:
        """Applies a player's act to a game."""
        now, needs_presence = time.time(), kind == "substitute"
        if needs_presence:
            await self.glance(id)  # the other player may be connected to another server

        async def rule(live: LiveRoom) -> Resolution[Room]:
            seat = self._seat(live, token, acts=True)
            away = self.presence.away(live) if needs_presence else NOBODY
            return acts.act(live.value, Act(kind, version, key, body, seat), now, away)

        live, resolution = await self.perform(id, rule)
        answer: Acted = {"accepted": resolution.accepted, "state": encoded(self.state(live))}
        return encode(answer), resolution.change is not None

    def founder(self, live: LiveRoom) -> str:
        return self.founders.of(live.value) or live.value.id

    async def follow_up(self, live: LiveRoom, change: Change, heads: dict[str, int]) -> None:
        for begun in change.begins:
            self.founders.remember(begun.id, self.founders.of(live.value))
        self.publish(live)
        self._opponents.wake(live.value)
        for notify in self.on_change:
            notify(live.value)

    # The games of a class.

    async def current_rooms(self, ids: list[str]) -> dict[str, Room]:
        """These games as the database has them, except for deleted and broken ones."""
        rooms = {}
        for id, glance in (await self.store.glance(ids)).items():
            with suppress(Refusal):
                rooms[id] = (await self.cache.current(id, glance.head)).value
        return rooms

    async def go_on(self, heads: dict[str, int]) -> None:
        """Publishes games that a class changed directly in the database, given their new versions."""
        self.notice_changes(heads)
        for id in heads:
            with suppress(Refusal):
                self._opponents.wake((await self.cache.current(id, heads[id])).value)

    # Views.

    def load(self, stream: Stream) -> LiveRoom:
        return LiveRoom(Room(stream))

    def state(self, live: LiveRoom) -> bytes:
        return live.state(self.presence.away(live))

    async def state_for(self, live: LiveRoom, view: str) -> bytes:
        return self.state(live)

    def states(self, live: LiveRoom, away: Away) -> dict[str, bytes | None]:
        return {EVERYBODY: live.state(away)}

    async def look(self, id: str, tag: str) -> tuple[str, bytes | None]:
        """The entity tag of a game and its state; None for the state if `tag` shows that the client has it."""
        glance = await self.glance(id)
        live = self.cache.known(id)
        away = self.presence.away_at(id, glance) if live is None else self.presence.away(live)
        current = _tag(glance.head, away)
        if current in tag:
            return current, None
        live = await self.cache.current(id, glance.head)
        away = self.presence.away(live)
        return _tag(live.version, away), live.state(away)

    async def history(self, id: str, start: int) -> bytes:
        """A page of a game's turns in words, as JSON."""
        glance = await self.glance(id)
        return (await self.cache.current(id, glance.head)).history(start)

    async def seat(self, id: str, token: str) -> int:
        """The seat that a token opens, 1 or 2. Raises Refusal if it opens none."""
        return self._seat(await self.cache.current(id), token) + 1

    async def stream(self, id: str, token: str, receive: Receive, send: Send) -> None:
        """Streams the live feed of a game to a player with a token, or to a spectator without one."""
        self.require_free_feed()
        seat = await self._watcher(id, token)
        await self.watch(id, seat, EVERYBODY, receive, send)

    async def _watcher(self, id: str, token: str) -> int | None:
        """The seat of a player who watches; None for a spectator.

        A separate function, so that a feed, which may last for days, keeps no reference to the room.
        """
        live = await self.cache.current(id)
        return self._seat(live, token) if token else None

    def _seat(self, live: LiveRoom, token: str, acts: bool = False) -> int:
        """The seat that a token opens. Records that its player is present."""
        number = member_of(live.value.members, token, acts)
        if number is None:
            raise Refusal(403, "Only the players of this game may do this. Open it with your own link.")
        self.presence.arrive(live, number)
        return number


def _tag(head: int, away: Away) -> str:
    """The entity tag of a state: its version, and which players are away."""
    return f'"{head}{"".join(f"-{number + 1}" for number in sorted(away))}"'
