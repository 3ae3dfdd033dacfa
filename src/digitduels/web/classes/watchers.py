"""The live feeds of classes: who is watching, who is away, and which state each viewer gets."""

from __future__ import annotations

import asyncio
import time
from typing import NamedTuple

from digitduels.web.classes.class_view import pupil_view, teacher_view
from digitduels.web.classes.classroom import Classroom, Pupil
from digitduels.web.classes.live_classes import LiveClass, LiveClasses
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import Room, hash_secret
from digitduels.web.rooms.feed import Hub, Receive, Send
from digitduels.web.rooms.live import packed
from digitduels.web.rooms.presence import SEEN
from digitduels.web.rooms.service import LOOK, RoomService
from digitduels.web.settings import Settings
from digitduels.web.store import Store
from digitduels.web.store.interface import CLASS_MARK

GATHER = 0.03  # seconds for which changes are collected before they are published
NOT_YOURS = "Join this class first, or open it on the device that started it."
TEACHER = 0  # instead of a pupil's number


class Viewer(NamedTuple):
    """A person who watches a class: a pupil's number or TEACHER, and the token, which is part of a pupil's state."""

    number: int
    token: str


class ClassWatchers:
    """The live feeds of the classes of one server process."""

    def __init__(self, store: Store, rooms: RoomService, classes: LiveClasses, settings: Settings) -> None:
        self.hub = Hub()
        self._store, self._rooms, self._classes, self._settings = store, rooms, classes, settings
        self._viewers: dict[str, dict[str, Viewer]] = {}
        """The viewers by class and channel. A channel is one token: all streams with it get the same state."""
        self._published: dict[str, bytes] = {}
        """The last state of each channel."""
        self._stale: set[str] = set()
        self._doubtful: set[str] = set()
        """The stale classes that another process may have changed."""
        self._wake = asyncio.Event()

    def start(self) -> None:
        """Subscribes to changes of rooms and classes, and starts the periodic tasks."""
        self._classes.on_end.append(self._end)
        self._rooms.on_change.append(self._room_changed)
        self._rooms.on_remote_change.append(self._remote_change)
        self._rooms.on_close.append(self.hub.close)
        for seconds, work in ((0, self.refresh), (LOOK, self.look_at_classes), (SEEN, self.note_pupils)):
            self._rooms.background.every(seconds, work)

    async def stream(self, live: LiveClass, token: str, receive: Receive, send: Send) -> None:
        """Streams a class to its teacher or to a pupil."""
        code, pupil = live.classroom.code, self.pupil(live, token)
        viewer = Viewer(TEACHER if pupil is None else pupil.number, token)
        channel = f"{code}/{viewer.number}/{hash_secret(token).hex()[:16]}"
        self._viewers.setdefault(code, {})[channel] = viewer

        async def first() -> tuple[int, bytes] | None:
            try:
                live = await self._classes.load(code)
                return live.total, await self.state(live, token)
            except Refusal:
                return None

        try:
            await self.hub.stream(channel, None, first, receive, send)
        finally:
            if channel not in self.hub.watched:
                self._published.pop(channel, None)
                viewers = self._viewers.get(code, {})
                viewers.pop(channel, None)
                if not viewers:
                    self._viewers.pop(code, None)

    def _end(self, code: str) -> None:
        for channel in self._viewers.get(code, ()):
            self.hub.end(channel)

    # Views.

    async def state(self, live: LiveClass, token: str) -> bytes:
        """The view of a class for the holder of a token. Raises Refusal if it is not a token of this class."""
        pupil = self.pupil(live, token)
        await self._classes.look_at_games(live)
        return self.teacher_state(live.classroom) if pupil is None else self.pupil_state(live, pupil, token)

    def teacher_state(self, classroom: Classroom) -> bytes:
        """The teacher's view of a class, as JSON."""
        live = self._classes.get(classroom.code) or LiveClass(classroom)
        boards = {id: board.shown for id, board in live.boards.items()}
        now, lasts = time.time(), self._settings.class_retention * 3600
        return packed(teacher_view(live.classroom, boards, live.scores, self._away(live), now, lasts))

    def pupil_state(self, live: LiveClass, pupil: Pupil, token: str) -> bytes:
        """A pupil's view of a class, as JSON."""
        return packed(pupil_view(live.classroom, pupil, token, live.scores))

    # Presence.

    def pupil(self, live: LiveClass, token: str) -> Pupil | None:
        """The pupil to whom a token belongs; None for the teacher. Raises Refusal for any other token."""
        if live.classroom.is_teacher(token):
            return None
        pupil = live.classroom.pupil_of(token)
        if pupil is None:
            raise Refusal(403, NOT_YOURS)
        live.seen[pupil.number] = time.time()
        return pupil

    def present(self, live: LiveClass) -> dict[int, float]:
        """When each pupil was last seen: now, for pupils who are watching."""
        now = time.time()
        for viewer in self._viewers.get(live.classroom.code, {}).values():
            live.seen[viewer.number] = now
        return live.seen

    def _away(self, live: LiveClass) -> set[int]:
        seen, since = self.present(live), time.time() - self._settings.away
        live.away = {pupil.number for pupil in live.classroom.present if seen.get(pupil.number, 0.0) < since}
        return live.away

    async def note_pupils(self) -> None:
        """Saves which pupils are watching, so that other servers know."""
        people = {
            (code, viewer.number)
            for code, viewers in self._viewers.items()
            for viewer in viewers.values()
            if viewer.number != TEACHER
        }
        if people:
            await self._store.see_pupils(people, time.time())

    # Publishing.

    def mark(self, code: str, doubtful: bool = True) -> None:
        """Queues a class for `refresh`. `doubtful` means that another process may have changed it."""
        self._stale.add(code)
        if doubtful:
            self._doubtful.add(code)
        self._wake.set()

    def _room_changed(self, room: Room) -> None:
        """Updates the board of a game that this process has changed."""
        if room.code in self._viewers:
            assert room.code is not None
            live = self._classes.get(room.code)
            if live is not None and self._classes.of_game(room.id):
                live.show(room)
            self.mark(room.code, live is None)

    def _remote_change(self, changed: dict[str, int] | None) -> None:
        """Marks the classes that another process may have changed, or all of them for None."""
        if changed is None:
            codes = set(self._viewers)
        else:
            codes = {id[1:] for id in changed if id.startswith(CLASS_MARK)}
            codes |= {code for id in changed if (code := self._classes.of_game(id))}
        for code in codes:
            self.mark(code)

    async def refresh(self) -> None:
        """Waits until classes are queued, then publishes their current states."""
        await self._wake.wait()
        await asyncio.sleep(GATHER)
        self._wake.clear()
        stale, self._stale = self._stale, set()
        doubtful, self._doubtful = self._doubtful, set()
        for code in stale:

            async def refresh_class(code: str = code) -> None:
                await self._publish(code, code in doubtful)

            await self._rooms.background.attempt(refresh_class)

    async def _publish(self, code: str, doubtful: bool) -> None:
        """Sends every viewer of a class their new state, if it has changed."""
        if code not in self._viewers:
            return
        try:
            live = await self._classes.load(code)
            if doubtful:
                await self._classes.catch_up(live)
                await self._classes.look_at_games(live)
        except Refusal as refusal:
            if refusal.status != 404:
                raise
            self._end(code)
            return
        wall: bytes | None = None
        # Of the boards, pupils see only which games are over.
        shown = live.classroom.head, len(live.scores)
        update_pupils, live.shown = shown != live.shown, shown
        for channel, viewer in sorted(self._viewers.get(code, {}).items()):
            if viewer.number == TEACHER:
                state = wall = wall or self.teacher_state(live.classroom)
            elif not update_pupils:
                continue
            else:
                pupil = live.classroom.pupil_of(viewer.token)
                if pupil is None:  # removed, or on another device now
                    self.hub.end(channel)
                    continue
                if pupil.number != viewer.number:  # admitted: this device now belongs to another pupil
                    self._viewers[code][channel] = Viewer(pupil.number, viewer.token)
                state = self.pupil_state(live, pupil, viewer.token)
            if self._published.get(channel) != state:
                self._published[channel] = state
                self.hub.publish(channel, live.total, state)

    async def look_at_classes(self) -> None:
        """Compares what was published with the database, and updates which pupils are away."""
        codes = set(self._viewers)
        if not codes:
            return
        totals = await self._store.glance_classes(codes)
        for code in codes:
            live = self._classes.get(code)
            if live is None or totals.get(code) != live.total:
                self.mark(code)
                continue
            before = live.away
            for number, at in (await self._store.pupils_seen(code)).items():
                live.seen[number] = max(at, live.seen.get(number, 0.0))
            if self._away(live) != before:
                self.mark(code)
