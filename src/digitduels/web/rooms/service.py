"""Keeps the games between friends going: the store, who watches, the computer's moves, and the sweeping up."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from digitduels.match import Match
from digitduels.players import RandomPlayer
from digitduels.web.logs import event
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.acts import Act, Answer, Room
from digitduels.web.rooms.feed import Hub, Receive, Send
from digitduels.web.settings import Settings
from digitduels.web.store import Kept, Store, StoreError
from digitduels.web.workers.supervisor import Supervisor

LOOK = 2.0  # seconds between looks for what other processes did, and who came or went
SEEN = 20.0  # seconds after which a person who is still there is noted again
THINK = 5.0  # seconds after which a game that waits for the computer is taken up again
SWEEP = 600.0
DAY = 86400.0
RENDERED = 256  # states that are kept as they were sent
MOST_THINKING = 1000
NO_GAME = "There is no such game. It may have been deleted because nobody joined it."


class RoomService:
    """All games between friends of one server process."""

    def __init__(self, store: Store, workers: Supervisor, settings: Settings, stopping: asyncio.Event) -> None:
        self.store = store
        self.hub = Hub()
        self._workers, self._settings, self._stopping = workers, settings, stopping
        self._rendered: OrderedDict[tuple[str, int, tuple[bool, bool]], bytes] = OrderedDict()
        self._told: dict[str, tuple[int, tuple[bool, bool]]] = {}
        self._stale: set[str] = set()
        self._wake = asyncio.Event()
        self._arrived: set[tuple[str, int]] = set()
        self._thinking: dict[str, asyncio.Task[None]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> RoomService:
        self.store.watch(self._changed_elsewhere)
        self._tasks = [
            asyncio.create_task(self._close_when_stopping()),
            asyncio.create_task(self._refresh()),
            asyncio.create_task(_regularly(LOOK, self._look)),
            asyncio.create_task(_regularly(SEEN, self._note)),
            asyncio.create_task(_regularly(THINK, self._take_up)),
            asyncio.create_task(_regularly(SWEEP, self._sweep)),
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.hub.close()
        tasks = [*self._tasks, *self._thinking.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.store.close()

    async def _close_when_stopping(self) -> None:
        await self._stopping.wait()
        self.hub.close()

    # What people do.

    async def create(self, match: Match, seat: int, name: str, computer: tuple[int, int] | None) -> dict[str, Any]:
        """Begins a game; what its creator is told."""
        kept, token, invite = acts.begin(match, seat, name, computer, time.time())
        await self.store.create(kept)
        room = Room(kept)
        self._think(room)
        return {"id": kept.id, "seat": seat + 1, "token": token, "invite": invite, "state": room.state(self._since)}

    async def join(self, id: str, invite: str, key: str, name: str) -> tuple[dict[str, Any], bool]:
        """Somebody takes the free seat; what they are told, and whether that is new."""
        token, now = acts.token_for(invite, key), time.time()
        answer = await self.store.change(id, lambda kept: acts.join(kept, invite, token, name, now))
        if answer is None:
            raise Refusal(404, NO_GAME)
        self._publish(answer.room)
        self._think(answer.room)
        seat = acts.seat_of(answer.room.kept, token)
        assert seat is not None
        return {"seat": seat + 1, "token": token, "state": answer.room.state(self._since)}, answer.new

    async def act(self, id: str, token: str, kind: str, version: int, key: str, body: dict[str, Any]) -> Answer:
        """Somebody does something in a game."""
        now, since = time.time(), self._since

        def rule(kept: Kept) -> Any:
            seat = self._seat(kept, token)
            return acts.act(kept, Act(kind, seat, version, key, body), now, since)

        answer: Answer | None = await self.store.change(id, rule)
        if answer is None:
            raise Refusal(404, NO_GAME)
        if answer.new:
            self._publish(answer.room)
            self._think(answer.room)
        return answer

    async def room(self, id: str) -> Room:
        kept = await self.store.read(id)
        if kept is None:
            raise Refusal(404, NO_GAME)
        return Room(kept)

    async def stream(self, id: str, token: str | None, receive: Receive, send: Send) -> None:
        """The live feed of a game, to a player who shows a token or to anybody else."""
        if self.hub.streams >= self._settings.streams:
            raise Refusal(503, "Too many people are watching. Try again in a moment.", again=10)
        room = await self.room(id)
        person = None if token is None else (id, self._seat(room.kept, token))

        async def first() -> tuple[int, bytes] | None:
            kept = await self.store.read(id)
            if kept is None:
                return None
            room = Room(kept)
            self._told.setdefault(id, (kept.head, self._away(room)))
            return kept.head, self.render(room)

        await self.hub.stream(id, person, first, receive, send)

    def _seat(self, kept: Kept, token: str) -> int:
        """The seat of who shows a token; notes that its person is there."""
        number = acts.seat_of(kept, token)
        if number is None:
            raise Refusal(403, "Only the players of this game may do this. Open it with your own link.")
        seat = kept.seat(number)
        if seat is not None and seat.seen < time.time() - SEEN:
            self._arrived.add((kept.id, number))
        return number

    # What is shown.

    @property
    def _since(self) -> float:
        """Who was not seen since then is away."""
        return time.time() - self._settings.away

    def _away(self, room: Room) -> tuple[bool, bool]:
        return room.away(0, self._since), room.away(1, self._since)

    def render(self, room: Room) -> bytes:
        """A room as it is sent."""
        shown = room.kept.id, room.kept.head, self._away(room)
        found = self._rendered.get(shown)
        if found is None:
            found = packed(room.state(self._since))
            self._rendered[shown] = found
            if len(self._rendered) > RENDERED:
                self._rendered.popitem(last=False)
        return found

    def etag(self, room: Room) -> str:
        """What a state is known by: its version, and who is away."""
        away = "".join(f"-{number}" for number, gone in enumerate(self._away(room), 1) if gone)
        return f'"{room.kept.head}{away}"'

    def _publish(self, room: Room) -> None:
        id, shown = room.kept.id, (room.kept.head, self._away(room))
        if id in self.hub.watched and self._told.get(id) != shown:
            self._told[id] = shown
            self.hub.publish(id, room.kept.head, self.render(room))

    # What other processes did, and who came or went.

    def _changed_elsewhere(self, changed: dict[str, int] | None) -> None:
        if changed is None:
            self._stale.update(self.hub.watched)
        else:
            for id, head in changed.items():
                if id in self.hub.watched and self._told.get(id, (0,))[0] < head:
                    self._stale.add(id)
        if self._stale:
            self._wake.set()

    async def _refresh(self) -> None:
        """Tells the watchers of games that may have changed."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._stale:
                id = self._stale.pop()
                try:
                    kept = await self.store.read(id)
                except StoreError:
                    self._told.pop(id, None)  # looked for again in a while
                    continue
                if kept is None:
                    self.hub.end(id)
                else:
                    self._publish(Room(kept))

    async def _look(self) -> None:
        arrived, self._arrived = self._arrived, set()
        if arrived:
            await self.store.see(arrived, time.time())
        watched = list(self.hub.watched)
        self._told = {id: told for id, told in self._told.items() if id in self.hub.watched}
        if not watched:
            return
        glances, since = await self.store.glance(watched), self._since
        for id in watched:
            glance = glances.get(id)
            if glance is None:
                self.hub.end(id)
                continue
            gone = {seat for seat, seen in glance.seen if seen < since}
            if self._told.get(id) != (glance.head, (0 in gone, 1 in gone)):
                self._stale.add(id)
        if self._stale:
            self._wake.set()

    async def _note(self) -> None:
        people = self.hub.people()
        if people:
            await self.store.see(people, time.time())

    # The computer.

    def _think(self, room: Room) -> None:
        """Lets the computer move, if it is to."""
        id = room.kept.id
        if room.due and id not in self._thinking and len(self._thinking) < MOST_THINKING:
            self._thinking[id] = task = asyncio.create_task(self._play(room))
            task.add_done_callback(lambda _: self._thinking.pop(id, None))

    async def _play(self, room: Room) -> None:
        answer: Answer | None = None
        id = room.kept.id
        while room.due:
            level, version = room.levels[room.match.state.player], room.kept.head
            try:
                move = await self._workers.ask("reply", room.match, who=str(level), seed=id)
            except (Refusal, RuntimeError) as error:
                if isinstance(error, Refusal) and error.status == 503:  # taken up again in a while
                    return
                move = str(RandomPlayer(id).choose(room.match))  # what cannot be solved is played anyhow
            try:
                answer = await self.store.change(id, _computer_plays(version, move))
            except StoreError as error:
                event("computer", logging.WARNING, refused=str(error))
                return
            if answer is None:  # the game has gone on, and the change asked for a move
                return
            room = answer.room
            self._publish(room)

    async def _take_up(self) -> None:
        """Takes up games that wait for the computer, such as those of a server that was killed."""
        for id in await self.store.due(time.time() - THINK):
            if id not in self._thinking:
                kept = await self.store.read(id)
                if kept is not None:
                    with suppress(Refusal):  # its game is not installed
                        self._think(Room(kept))

    # Sweeping up.

    async def _sweep(self) -> None:
        """Deletes games that nobody joined, and closes those that nobody plays any more."""
        now = time.time()
        while await self.store.forget(now - self._settings.unjoined * DAY):
            pass
        before = now - self._settings.idle * DAY
        while ids := await self.store.idle(before):
            for id in ids:
                room = await self.store.change(id, lambda kept: acts.close(kept, before, now))
                if room is not None:
                    self._publish(room)


def packed(values: Any) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()


def _computer_plays(version: int, move: str) -> Callable[[Kept], Any]:
    return lambda kept: acts.computer_move(kept, version, move, time.time())


async def _regularly(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    """Does something now and then, for ever; what fails is tried again the next time."""
    while True:
        try:
            await work()
        except (StoreError, Refusal) as error:
            event(work.__name__.strip("_"), logging.WARNING, refused=str(error))
        await asyncio.sleep(seconds * random.uniform(0.9, 1.1))
