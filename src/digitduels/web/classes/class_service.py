"""The service behind classes: creating, joining, acting, viewing, watching, and results."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from digitduels.games import game
from digitduels.match import Match
from digitduels.web.buckets import Buckets
from digitduels.web.classes import classroom as rules_of_classes
from digitduels.web.classes.allowances import Allowances
from digitduels.web.classes.classroom import ClassAct, ClassConflict, ClassResolution, Classroom, Context
from digitduels.web.classes.live_classes import NO_CLASS, Graded, LiveClass, LiveClasses
from digitduels.web.classes.results import NO_GRADE, results
from digitduels.web.classes.watchers import NOT_YOURS, ClassWatchers
from digitduels.web.positions.link import written
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.acts import hash_secret
from digitduels.web.rooms.feed import Receive, Send
from digitduels.web.rooms.live import packed
from digitduels.web.rooms.retention import HOUR
from digitduels.web.rooms.service import STALE_TRIES, RoomService
from digitduels.web.sender import GAME_COST, Sender
from digitduels.web.settings import Settings
from digitduels.web.store import Store
from digitduels.web.store.interface import BUSY_STORE

CLASS_SWEEP = 60.0
CLASS_GRACE = 600.0  # seconds after a start in which a lesson that the restart interrupted can go on
RESERVED = 30 * 86400.0  # seconds before the code of a deleted class is used again
# Per address: the sustained rate per second, and the burst
WRONG_CODES = (10 / 60, 10)
NEW_CLASSES = (20 / 3600, 20)
NEW_PUPILS = (1 / 3, 20)  # in one class, except at the address of its teacher
CODE_TRIES = 20

Ask = Callable[..., Awaitable[Any]]


class ClassService:
    """Runs all classes in one server process."""

    def __init__(self, store: Store, rooms: RoomService, ask: Ask, settings: Settings, allowances: Allowances) -> None:
        self._store, self._rooms, self._ask, self._settings = store, rooms, ask, settings
        self._allowances = allowances
        self._classes = LiveClasses(store, rooms, allowances)
        self._watchers = ClassWatchers(store, rooms, self._classes, settings)
        unlimited = (0.0, 1)
        self._wrong = Buckets(*WRONG_CODES if settings.rate else unlimited)
        self._founded = Buckets(*NEW_CLASSES if settings.rate else unlimited)
        self._joined = Buckets(*NEW_PUPILS if settings.rate else unlimited)

    def start(self) -> None:
        """Starts the periodic tasks of the classes."""
        self._watchers.start()
        self._rooms.background.every(CLASS_SWEEP, self.sweep_classes)

    def __len__(self) -> int:
        return len(self._classes)

    @property
    def streams(self) -> int:
        """How many live feeds are open."""
        return self._watchers.hub.streams

    # Acts. Each returns the payload of the response, and whether anything changed: a repeated request changes nothing.

    async def create(self, rules: dict[str, Any], key: str, sender: Sender) -> tuple[bytes, bool]:
        """Creates a class."""
        wait = self._founded.take(sender.address, time.monotonic())
        if wait:
            raise Refusal(
                429, "Too many classes were started from this address. Try again later.", again=round(wait) + 1
            )
        for _ in range(CODE_TRIES):
            new, token = rules_of_classes.begin_class(rules, rules_of_classes.new_code(), key, time.time())
            kept = await self._store.create_class(new)
            if kept is not None:
                break
        else:
            raise Refusal(503, BUSY_STORE, again=1)
        if kept.rules != rules:
            raise Refusal(422, "This key was used for something else. Take a new one each time.")
        state = await self._teacher_state(self._classes.put(kept))
        self._allowances.remember_teacher(kept.code, sender.address)
        payload = packed({"code": kept.code, "token": token})
        return b'%b,"state":%b}' % (payload[:-1], state), kept.code == new.code

    async def join(self, code: str, name: str, key: str, sender: Sender) -> tuple[bytes, bool]:
        """Adds a pupil to a class."""
        live = await self._find(code, sender)
        token = rules_of_classes.pupil_token(live.classroom, key)
        now = time.time()

        def rule(classroom: Classroom, _: Context) -> ClassResolution:
            resolution = rules_of_classes.join_class(classroom, token, name, now)
            if resolution.change is not None:
                self._count_pupil(classroom.code, sender)
            return resolution

        resolution = await self._apply(live, rule)
        pupil = self._watchers.pupil(live, token)
        if pupil is None:
            raise Refusal(403, NOT_YOURS)
        payload = packed({"pupil": pupil.number, "token": token})
        state = self._watchers.pupil_state(live, pupil, token)
        return b'%b,"state":%b}' % (payload[:-1], state), resolution.change is not None

    def _count_pupil(self, code: str, sender: Sender) -> None:
        """Counts a new pupil. Raises Refusal if too many have joined from an address where the teacher is not."""
        if self._allowances.has_teacher_at(code, sender.address):
            return
        wait = self._joined.take(f"{code} {sender.address}", time.monotonic())
        if wait:
            raise Refusal(
                429, "Too many pupils joined from this address. Try again in a moment.", again=round(wait) + 1
            )

    async def act(self, code: str, token: str, act: ClassAct, sender: Sender) -> tuple[bytes, bool]:
        """Applies an act of the teacher to a class."""
        deletion = hash_secret(f"{token} {act.key}")
        if act.kind == "delete" and await self._store.deletion(code.upper()) == deletion:
            return packed({"accepted": act.version + 1, "state": None}), False
        live = await self.find(code, sender, token)
        if not live.classroom.is_teacher(token):
            raise Refusal(403, "Only the teacher of this class may do this.")
        if act.kind == "delete":
            await self._delete(live, act, deletion)
            return packed({"accepted": act.version + 1, "state": None}), True
        opening = await self._opening(live, act, sender)

        def rule(classroom: Classroom, context: Context) -> ClassResolution:
            return rules_of_classes.class_act(classroom, act, context._replace(opening=opening))

        resolution = await self._apply(live, rule, sender if act.kind in ("pair", "next") else None)
        if act.kind == "substitute":
            await self._substitute(live, act)
        state = await self._teacher_state(live)
        return b'{"accepted":%d,"state":%b}' % (resolution.accepted, state), resolution.change is not None

    async def _opening(self, live: LiveClass, act: ClassAct, sender: Sender) -> tuple[str, ...]:
        """The opening moves of a round, which are the same in all its games."""
        classroom = live.classroom
        if act.kind not in ("pair", "next") or classroom.rules["start"] != "fair" or act.key in classroom.keys:
            return ()
        rules = game(classroom.rules["game"], **classroom.rules["options"])
        number = classroom.round + (act.kind == "next" or not classroom.round)
        return tuple(await self._ask("start", Match(rules), sender.asker, seed=f"{classroom.id} {number}"))

    async def _substitute(self, live: LiveClass, act: ClassAct) -> None:
        """Lets the computer play for a pupil. If the server dies first, repeating the act does this."""
        number, level = act.body["pupil"], act.body.get("level") or live.classroom.rules["level"]
        table = live.classroom.table_of(number)
        if table is not None:
            seat, key, now = table.pupils.index(number), f"class:{act.key}", time.time()
            await self._rooms.play(table.id, lambda room: acts.substitute(room.room, seat, level, key, now))

    async def _apply(
        self,
        live: LiveClass,
        rule: Callable[[Classroom, Context], ClassResolution],
        payer: Sender | None = None,
    ) -> ClassResolution:
        """Applies a rule to a class, stores the change, then publishes it.

        With a payer, who pays for the games that begin, the rule runs in a thread: pairing a class takes long.
        """
        async with live.lock:
            for _ in range(STALE_TRIES):
                classroom = live.classroom
                await self._classes.look_at_games(live)
                context = Context(time.time(), live.scores.copy(), self._watchers.present(live).copy())
                try:
                    resolution = (
                        await asyncio.to_thread(rule, classroom, context) if payer else rule(classroom, context)
                    )
                except Refusal:
                    if await self._classes.catch_up(live):
                        continue
                    raise
                if resolution.change is None:
                    return resolution
                if payer:
                    payer.pay(GAME_COST * len(resolution.change.begins))
                heads = await self._store.append_class(classroom.code, classroom.head, resolution.change)
                if heads is not None:
                    self._classes.keep(live, resolution.classroom)
                    new_games = {game.id: game.head for game in resolution.change.begins}
                    await self._rooms.notice_changes(heads | new_games)
                    self._watchers.mark(classroom.code)
                    return resolution
                await self._classes.catch_up(live)
        raise Refusal(503, BUSY_STORE, again=1)

    async def _delete(self, live: LiveClass, act: ClassAct, deletion: bytes) -> None:
        if act.version != live.classroom.head:
            await self._classes.catch_up(live)
        if act.version != live.classroom.head:
            raise ClassConflict(live.classroom, "The class has changed. Look again before you delete it.")
        await self._store.delete_class(live.classroom.code, time.time() + RESERVED, deletion)
        self._classes.end(live.classroom.code)

    async def sweep_classes(self) -> None:
        """Deletes the classes in which nothing has happened for long, one after the other."""
        if not await self._rooms.clock.trusted(
            min(CLASS_GRACE, self._settings.grace * HOUR), self._settings.grace * HOUR
        ):
            return
        now = time.time()
        for code in await self._store.expired_classes(now - self._settings.class_retention * HOUR):

            async def delete_expired_class(code: str = code) -> None:
                await self._store.delete_class(code, now + RESERVED)
                self._classes.end(code)

            await self._rooms.background.attempt(delete_expired_class)

    # Views.

    async def look(self, code: str, token: str, sender: Sender) -> bytes:
        """The state of a class, as its teacher or one of its pupils sees it."""
        live = await self.find(code, sender, token)
        await self._classes.catch_up(live)
        return await self._watchers.state(live, token)

    async def stream(self, code: str, token: str, sender: Sender, receive: Receive, send: Send) -> None:
        """Streams the live feed of a class to its teacher or to a pupil."""
        if self.streams >= self._settings.streams:
            raise Refusal(503, "Too many people are watching. Try again in a moment.", again=10)
        live = await self.find(code, sender, token)
        await self._classes.catch_up(live)
        await self._watchers.stream(live, token, receive, send)

    async def find(self, code: str, sender: Sender, token: str) -> LiveClass:
        """A class by its code, for the holder of a token of the class.

        To everybody else, a right code looks like a wrong one.
        """
        live = self._classes.get(code.upper())
        if live is None and token:
            with suppress(Refusal):
                live = await self._classes.load(code.upper())
        if live is not None and token:
            classroom = live.classroom
            if classroom.is_teacher(token):
                self._allowances.remember_teacher(classroom.code, sender.address)
                return live
            if classroom.pupil_of(token):
                return live
            if classroom.has_known(token):
                raise Refusal(403, rules_of_classes.REMOVED if classroom.has_removed(token) else NOT_YOURS)
        self._check_guesses(code, sender)
        self._wrong.take(sender.address, time.monotonic())
        raise Refusal(404, NO_CLASS)

    async def _find(self, code: str, sender: Sender) -> LiveClass:
        """A class by its code, for somebody who wants to join."""
        self._check_guesses(code, sender)
        try:
            return await self._classes.load(code.upper())
        except Refusal:
            self._wrong.take(sender.address, time.monotonic())
            raise

    def _check_guesses(self, code: str, sender: Sender) -> None:
        """Raises Refusal if an address has tried too many wrong codes.

        Such an address is refused even with a right code, so that it cannot go on guessing, except at the address of a
        member: a school often has one address, and a pupil who guesses codes must not keep the others out.
        """
        wait = self._wrong.wait(sender.address, time.monotonic())
        if wait and not self._allowances.has_member_at(code.upper(), sender.address):
            raise Refusal(429, "Too many wrong codes. Try again in a minute.", again=round(wait) + 1)

    async def results(self, code: str, token: str, sender: Sender) -> dict[str, Any]:
        """The results of a class, for its teacher. Games that the solver cannot judge count without critical moves."""
        live = await self.find(code, sender, token)
        await self._classes.catch_up(live)
        classroom = live.classroom
        if not classroom.is_teacher(token):
            raise Refusal(403, "Only the teacher of this class may see this.")
        await self._classes.look_at_games(live)
        ids = [id for id, points in live.scores.items() if points is not None and id not in live.grades]
        for id, room in (await self._rooms.current_rooms(ids)).items():
            try:
                grades = await self._ask("graded", room.match, sender.asker)
            except Refusal as refusal:
                if refusal.status == 503:
                    raise
                grades = [NO_GRADE] * 2
            live.grades[id] = Graded(grades, f"/review/{room.match.game.id}?{written(room.match)}")
        by_seat = {id: graded.seats for id, graded in live.grades.items()}
        return results(classroom, live.scores, by_seat, {id: graded.review for id, graded in live.grades.items()})

    async def _teacher_state(self, live: LiveClass) -> bytes:
        await self._classes.look_at_games(live)
        return self.state_of(live.classroom)

    def state_of(self, classroom: Classroom) -> bytes:
        """The teacher's view of a class, as JSON."""
        return self._watchers.teacher_state(classroom)
