"""The computer's moves in rooms: workers choose them, they are played like any other act, and resumed after a crash."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from digitduels.match import Match
from digitduels.players import RandomPlayer
from digitduels.web.logs import event
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.acts import Resolution, Room
from digitduels.web.rooms.live import LiveRoom, LiveRooms
from digitduels.web.store import Store, StoreError

THINK = 5.0  # seconds after which the computer's move is requested again
MOST_THINKING = 1000
ATTEMPTS = 3  # before a move is chosen at random
RETRY_SECONDS = 0.5
STRONGEST_SEARCHING = 6  # the highest level that needs no solution
FAILED = "Something went wrong while it was thinking."
NOT_PERFECT = f"This variant is too large to be played perfectly here. Level {STRONGEST_SEARCHING} plays instead."

Play = Callable[[str, Callable[[LiveRoom], Resolution | None]], Awaitable[Resolution | None]]
"""Changes a game by a rule, and publishes its new state."""


class Chooser(Protocol):
    """Chooses the computer's moves."""

    async def reply(self, match: Match, level: int, seed: str) -> str:
        """The token of a move. Raises Refusal if it cannot choose one, and RuntimeError after a bug."""


class Opponents:
    """The computer players in all games of one server process."""

    def __init__(self, store: Store, rooms: LiveRooms, chooser: Chooser, play: Play) -> None:
        self._store, self._rooms, self._chooser, self._play = store, rooms, chooser, play
        self._thinking: dict[str, asyncio.Task[None]] = {}

    def wake(self, room: Room) -> None:
        """Starts choosing a move if it is the computer's turn."""
        id = room.id
        if id not in self._thinking and room.due and room.paused is None and len(self._thinking) < MOST_THINKING:
            self._thinking[id] = task = asyncio.create_task(self._move(room))
            task.add_done_callback(lambda _: self._thinking.pop(id, None))

    async def resume_waiting(self) -> None:
        """Makes the computer's move in games that still wait for it, for example because a server was killed."""
        for id in await self._store.due(time.time() - THINK):
            if id not in self._thinking:
                try:
                    live = await self._rooms.current(id)
                except Refusal:  # this server cannot replay it, and has marked it as broken
                    continue
                self.wake(live.room)

    async def stop(self) -> None:
        tasks = list(self._thinking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _move(self, room: Room) -> None:
        """Plays the computer's moves until it is a person's turn."""
        while room.due:
            version = room.head
            try:
                move, note = await self._choose(room)
                resolution = await self._play(room.id, _computer_move(version, move, note))
            except (StoreError, Refusal) as error:  # `resume_waiting` tries again
                event("computer", logging.WARNING, refused=str(error))
                return
            except Exception:
                event("computer", logging.ERROR, fault=True)
                return
            if resolution is None:  # the game has moved on, and that change woke the computer itself
                return
            room = resolution.room

    async def _choose(self, room: Room) -> tuple[str, str | None]:
        """A move, and a note if it was not chosen at the right level."""
        level = room.levels[room.match.state.player]
        assert level is not None
        failure, note = FAILED, None
        for attempt in range(ATTEMPTS):
            try:
                return await self._chooser.reply(room.match, level, room.id), note
            except Refusal as refusal:
                if refusal.status == 503:
                    raise
                failure = str(refusal)
                if refusal.status == 413 and level > STRONGEST_SEARCHING:  # cannot be solved here, now and later
                    level, note = STRONGEST_SEARCHING, NOT_PERFECT
            except RuntimeError:
                event("computer", logging.ERROR, fault=True)
            await asyncio.sleep(RETRY_SECONDS * attempt)
        return str(RandomPlayer(room.id).choose(room.match)), f"The computer chose this move at random. {failure}"


def _computer_move(version: int, move: str, note: str | None) -> Callable[[LiveRoom], Resolution | None]:
    return lambda live: acts.computer_move(live.room, version, move, time.time(), note)
