"""The computer's moves in rooms: workers choose them, they are played like any other act, and resumed after a crash."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from typing import Protocol

from digitduels.match import Match
from digitduels.players import Uniform
from digitduels.web.logs import event
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.live import LiveRoom
from digitduels.web.rooms.state import Room
from digitduels.web.streams.fold import Resolution
from digitduels.web.streams.live import Cache
from digitduels.web.streams.service import Rule
from digitduels.web.streams.store import Query, Store, StoreError
from digitduels.web.workers.supervisor import TooSlow, WorkerDied

THINK = 5.0  # seconds after which the computer's move is requested again
MOST_THINKING = 1000
MOST_OF_FOUNDER = 100  # games of one founder in which the computer thinks; more than a class has pupils
MOST_FOUNDERS = 20_000  # games whose founder is remembered
ATTEMPTS = 3  # before a move is chosen at random
RETRY_SECONDS = 0.5
STRONGEST_SEARCHING = 6  # the highest level that needs no solution
FAILED = "Something went wrong while it was thinking."
NOT_PERFECT = f"This variant is too large to be played perfectly here. Level {STRONGEST_SEARCHING} plays instead."
NOT_NOW = f"This game cannot be played perfectly right now. Level {STRONGEST_SEARCHING} plays instead."

Apply = Callable[[str, Rule[LiveRoom]], Awaitable[Resolution[Room] | None]]
"""Changes a game by a rule, and publishes its new state."""


class Chooser(Protocol):
    """Chooses the computer's moves."""

    async def reply(self, match: Match, level: int, seed: str, founder: str) -> str:
        """The token of a move. Raises Refusal if it cannot choose one, and RuntimeError after a bug."""


class Founders:
    """Who started each game, since founders share the workers fairly: an address, or all classes of one address.

    Only this process remembers them. Games from before its start have one founder in common.
    """

    def __init__(self) -> None:
        self.of_class: Callable[[str], str] = lambda code: f"class {code}"
        """The founder of the games of a class."""
        self._addresses: OrderedDict[str, str] = OrderedDict()

    def remember(self, id: str, founder: str) -> None:
        self._addresses[id] = founder
        if len(self._addresses) > MOST_FOUNDERS:
            self._addresses.popitem(last=False)

    def of(self, room: Room) -> str:
        return self._addresses.get(room.id, "") if room.code is None else self.of_class(room.code)


class Opponents:
    """The computer players in all games of one server process."""

    def __init__(self, store: Store, rooms: Cache[LiveRoom], chooser: Chooser, apply: Apply) -> None:
        self._store, self._rooms, self._chooser, self._apply = store, rooms, chooser, apply
        self.founders = Founders()
        self._thinking: dict[str, asyncio.Task[None]] = {}
        self._thinking_for: Counter[str] = Counter()

    def wake(self, room: Room) -> None:
        """Starts choosing a move if it is the computer's turn. If too many are being chosen, `resume_waiting` does."""
        if room.id in self._thinking or not room.due or room.paused is not None:
            return
        founder = self.founders.of(room)
        if len(self._thinking) < MOST_THINKING and self._thinking_for[founder] < MOST_OF_FOUNDER:
            self._thinking_for[founder] += 1
            self._thinking[room.id] = task = asyncio.create_task(self._move(room, founder))
            task.add_done_callback(lambda _: self._stop_thinking(room.id, founder))

    def _stop_thinking(self, id: str, founder: str) -> None:
        del self._thinking[id]
        self._thinking_for[founder] -= 1
        if not self._thinking_for[founder]:
            del self._thinking_for[founder]

    async def resume_waiting(self) -> None:
        """Makes the computer's move in games that still wait for it, for example because a server was killed."""
        for id in await self._store.find(Query.DUE, time.time() - THINK):
            if id not in self._thinking:
                try:
                    live = await self._rooms.current(id)
                except Refusal:  # this server cannot replay it, and has marked it as broken
                    continue
                self.wake(live.value)

    async def stop(self) -> None:
        tasks = list(self._thinking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _move(self, room: Room, founder: str) -> None:
        """Plays the computer's moves until it is a person's turn."""
        while room.due:
            version = room.head
            try:
                move, note = await self._choose(room, founder)
                resolution = await self._apply(room.id, _computer_move(version, move, note))
            except (StoreError, Refusal) as error:  # `resume_waiting` tries again
                event("computer", logging.WARNING, refused=str(error))
                return
            except Exception:
                event("computer", logging.ERROR, fault=True)
                return
            if resolution is None:  # the game has moved on, and that change woke the computer itself
                return
            room = resolution.value

    async def _choose(self, room: Room, founder: str) -> tuple[str, str | None]:
        """A move, and a note if it was not chosen at the right level, which is never exceeded."""
        level = room.levels[room.match.state.player]
        assert level is not None
        failure, note = FAILED, None
        for attempt in range(ATTEMPTS):
            try:
                return await self._chooser.reply(room.match, level, room.id, founder), note
            except WorkerDied:
                event("computer", logging.ERROR, fault=True)
            except Refusal as refusal:
                if refusal.status == 503:
                    raise
                failure = str(refusal)
                if level > STRONGEST_SEARCHING:
                    too_large = refusal.status == 413 and not isinstance(refusal, TooSlow)
                    level, note = STRONGEST_SEARCHING, NOT_PERFECT if too_large else NOT_NOW
            except RuntimeError:
                event("computer", logging.ERROR, fault=True)
            await asyncio.sleep(RETRY_SECONDS * attempt)
        return str(
            Uniform(room.match.game, room.id).choose(room.match)
        ), f"The computer chose this move at random. {failure}"


def _computer_move(version: int, move: str, note: str | None) -> Rule[LiveRoom]:
    async def rule(live: LiveRoom) -> Resolution[Room] | None:
        return acts.computer_move(live.value, version, move, time.time(), note)

    return rule
