"""The computer's moves in rooms: asked of the workers, played like any other act, and taken up again after a crash."""

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

THINK = 5.0  # seconds after which a game that waits for the computer is taken up again
MOST_THINKING = 1000
ATTEMPTS = 3  # at a move, before it is chosen at random
RETRY_SECONDS = 0.5
STRONGEST_SEARCHING = 6  # the highest level that can play without a solution
FAILED = "Something went wrong while it was thinking."
NOT_PERFECT = f"Nobody can play this variant perfectly here: it is too large. Level {STRONGEST_SEARCHING} plays."

Play = Callable[[str, Callable[[LiveRoom], Resolution | None]], Awaitable[Resolution | None]]
"""Changes a game by a rule, and tells everybody."""


class Chooser(Protocol):
    """What chooses the computer's moves."""

    async def reply(self, match: Match, level: int, seed: str) -> str:
        """The token of a move; raises Refusal if there is none, and RuntimeError for a fault."""


class Opponents:
    """The computer at all boards of one server process."""

    def __init__(self, store: Store, rooms: LiveRooms, chooser: Chooser, play: Play) -> None:
        self._store, self._rooms, self._chooser, self._play = store, rooms, chooser, play
        self._thinking: dict[str, asyncio.Task[None]] = {}

    def wake(self, room: Room) -> None:
        """Lets the computer move, if it is to."""
        id = room.id
        if id not in self._thinking and room.due and room.paused is None and len(self._thinking) < MOST_THINKING:
            self._thinking[id] = task = asyncio.create_task(self._move(room))
            task.add_done_callback(lambda _: self._thinking.pop(id, None))

    async def take_up(self) -> None:
        """Takes up games that wait for the computer, such as those of a server that was killed."""
        for id in await self._store.due(time.time() - THINK):
            if id not in self._thinking:
                try:
                    live = await self._rooms.current(id)
                except Refusal:  # it cannot be played here, and is marked
                    continue
                self.wake(live.room)

    async def stop(self) -> None:
        tasks = list(self._thinking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _move(self, room: Room) -> None:
        while room.due:
            version = room.head
            try:
                move, note = await self._choose(room)
                resolution = await self._play(room.id, _move_of_computer(version, move, note))
            except (StoreError, Refusal) as error:  # taken up again in a while
                event("computer", logging.WARNING, refused=str(error))
                return
            except Exception:
                event("computer", logging.ERROR, fault=True)
                return
            if resolution is None:  # the game has gone on, and who changed it asked for a move
                return
            room = resolution.room

    async def _choose(self, room: Room) -> tuple[str, str | None]:
        """A move, and a note if it was not chosen as it should be."""
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
                if refusal.status == 413:  # too large for this server, now and later
                    if level == STRONGEST_SEARCHING:
                        break
                    level, note = STRONGEST_SEARCHING, NOT_PERFECT
            except RuntimeError:
                event("computer", logging.ERROR, fault=True)
            await asyncio.sleep(RETRY_SECONDS * attempt)
        return str(RandomPlayer(room.id).choose(room.match)), f"The computer chose this move at random. {failure}"


def _move_of_computer(version: int, move: str, note: str | None) -> Callable[[LiveRoom], Resolution | None]:
    return lambda live: acts.computer_move(live.room, version, move, time.time(), note)
