"""The service behind classes: creating, joining, acting, viewing, watching, and results."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from digitduels.games import game
from digitduels.match import Match
from digitduels.web.buckets import Buckets
from digitduels.web.classes import acts
from digitduels.web.classes.acts import Context
from digitduels.web.classes.allowances import Allowances
from digitduels.web.classes.answers import (
    ActedClass,
    ClassResults,
    JoinedClass,
    NewClass,
    NewLink,
    ShownClass,
    pupil_view,
    rules_of,
    shown,
    teacher_view,
    wall_view,
)
from digitduels.web.classes.live import Graded, LiveClass
from digitduels.web.classes.results import NO_GRADE, results
from digitduels.web.classes.state import Classroom, Pupil
from digitduels.web.encoding import encode, encoded
from digitduels.web.positions.link import written
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts as room_acts
from digitduels.web.rooms.live import LiveRoom
from digitduels.web.rooms.retention import HOUR
from digitduels.web.rooms.service import RoomService
from digitduels.web.rooms.state import Room
from digitduels.web.sender import GAME_COST, Asker, Sender
from digitduels.web.settings import Settings
from digitduels.web.streams.credentials import hash_secret
from digitduels.web.streams.feed import Receive, Send
from digitduels.web.streams.fold import Act, Away, Conflict, Resolution
from digitduels.web.streams.service import Rule, StreamService
from digitduels.web.streams.store import BUSY_STORE, Change, Query, Store, Stream

CLASS_SWEEP = 60.0
LOOK_FOR_WAITING = 1.0  # seconds between looks for pupils who wait in classes that pair by themselves
CLASS_GRACE = 600.0  # seconds after a start in which a lesson that the restart interrupted can go on
RESERVED = 30 * 86400.0  # seconds before the code of a deleted class is used again
# Per address: the sustained rate per second, and the burst
WRONG_CODES = (10 / 60, 10)
NEW_CLASSES = (20 / 3600, 20)
NEW_PUPILS = (1 / 3, 20)  # in one class, except at the address of its teacher
CODE_TRIES = 20

NO_CLASS = "There is no class with this code. Check the letters. The class may have been deleted."
NOT_YOURS = "Join this class first, or open it on the device that started it."

T = TypeVar("T")
Ask = Callable[..., Awaitable[Any]]
Decide = Callable[[Classroom, Context], Resolution[Classroom] | None]
Pay = Callable[[Classroom, Context], None]


class ClassService(StreamService[LiveClass]):
    """Runs all classes in one server process."""

    kind = "class"
    missing = NO_CLASS
    most_waiting = 100
    gather = 0.03

    def __init__(self, store: Store, rooms: RoomService, ask: Ask, settings: Settings, allowances: Allowances) -> None:
        super().__init__(store, settings, rooms.background)
        self._rooms, self._ask, self._allowances = rooms, ask, allowances
        rooms.founders.of_class = self._founder
        self._games: dict[str, str] = {}
        """The class of each game, for classes in the cache."""
        self.cache.on_drop = self._forget
        unlimited = (0.0, 1)
        self._wrong = Buckets(*WRONG_CODES if settings.rate else unlimited)
        self._founded = Buckets(*NEW_CLASSES if settings.rate else unlimited)
        self._joined = Buckets(*NEW_PUPILS if settings.rate else unlimited)
        self._paired = Buckets(settings.rate, settings.burst)

    def start(self) -> None:
        """Subscribes to changes of rooms and classes, and starts the periodic tasks."""
        self._rooms.on_change.append(self._room_changed)
        self._rooms.on_remote_change.append(self.notice_changes)
        self._rooms.on_close.append(self.hub.close)
        self.start_publishing()
        self.background.every(CLASS_SWEEP, self.sweep_classes)
        self.background.every(LOOK_FOR_WAITING, self.pair_waiting_pupils)

    # The cache.

    def load(self, stream: Stream) -> LiveClass:
        classroom = Classroom(stream)
        rules_of(classroom)  # raises an exception if its game is not installed any more, or is a plug-in that fails
        return LiveClass(classroom, self._learn)

    def _learn(self, classroom: Classroom) -> None:
        """Remembers the tokens and the games of a class in the cache."""
        self._allowances.learn(classroom.id, classroom.token_hashes)
        for table in classroom.current:
            self._games[table.id] = classroom.id

    def _forget(self, live: LiveClass) -> None:
        self._allowances.forget(live.value.id)
        for table in live.value.tables:
            self._games.pop(table.id, None)

    def founder(self, live: LiveClass) -> str:
        return self._founder(live.value.id)

    def _founder(self, code: str) -> str:
        """Who takes a turn for the games of a class: all classes of one address together."""
        return f"classes at {self._allowances.teacher_at(code)}"

    def end(self, id: str) -> None:
        live = self.cache.known(id)
        super().end(id)
        for table in () if live is None else live.value.tables:
            self._rooms.end(table.id)

    async def fresh(self, id: str) -> LiveClass:
        live = await super().fresh(id)
        await self._look_at_games(live)
        return live

    async def _look_at_games(self, live: LiveClass) -> None:
        """Updates the boards and scores of unfinished games."""
        open_games = [table.id for table in live.value.tables if table.id not in live.scores]
        if open_games:
            for room in (await self._rooms.current_rooms(open_games)).values():
                live.show(room)
                await asyncio.sleep(0)  # after a start, a class may have hundreds of games to look at

    # Acts. Each returns the payload of the response, and whether anything changed: a repeated request changes nothing.

    async def create(self, rules: dict[str, Any], key: str, sender: Sender) -> tuple[bytes, bool]:
        """Creates a class."""
        wait = self._founded.take(sender.address, time.monotonic())
        if wait:
            raise Refusal(
                429, "Too many classes were started from this address. Try again later.", again=round(wait) + 1
            )
        for _ in range(CODE_TRIES):
            new, token = acts.begin(rules, acts.new_code(), key, time.time())
            stored = await self.store.create(new)
            if stored is not None:
                break
        else:
            raise Refusal(503, BUSY_STORE, again=1)
        if stored.data != rules:
            raise Refusal(422, room_acts.KEY_USED)
        live = self.cache.add(self.load(new)) if stored is new else await self.fresh(stored.id)
        self._allowances.remember_teacher(stored.id, sender.address)
        answer: NewClass = {"code": stored.id, "token": token, "state": encoded(self.state(live))}
        return encode(answer), stored is new

    async def join(self, code: str, name: str, key: str, sender: Sender) -> tuple[bytes, bool]:
        """Adds a pupil to a class."""
        live = await self._find(code, sender)
        token = acts.pupil_token(live.value, key)
        now = time.time()

        def decide(classroom: Classroom, _: Context) -> Resolution[Classroom]:
            resolution = acts.join(classroom, token, name, now)
            if resolution.change is not None:
                self._count_pupil(classroom.id, sender)
            return resolution

        live, resolution = await self.perform(live.value.id, self._rule(decide))
        pupil = self._pupil(live, token)
        if pupil is None:
            raise Refusal(403, NOT_YOURS)
        state = pupil_view(live.value, pupil, token, live.scores, live.standings)
        answer: JoinedClass = {"pupil": pupil.number, "token": token, "state": state}
        return encode(answer), resolution.change is not None

    def _count_pupil(self, code: str, sender: Sender) -> None:
        """Counts a new pupil. Raises Refusal if too many have joined from an address where the teacher is not."""
        if self._allowances.has_teacher_at(code, sender.address):
            return
        wait = self._joined.take(f"{code} {sender.address}", time.monotonic())
        if wait:
            raise Refusal(
                429, "Too many pupils joined from this address. Try again in a moment.", again=round(wait) + 1
            )

    async def make_link(self, code: str, token: str, kind: str, key: str, sender: Sender) -> tuple[bytes, bool]:
        """Makes a link for another device of the teacher."""
        live = await self._find_as_teacher(code, token, sender)
        new, now = acts.link_token(live.value, key), time.time()

        def decide(classroom: Classroom, _: Context) -> Resolution[Classroom]:
            return acts.make_link(classroom, new, kind == "wall", now)

        live, resolution = await self.perform(live.value.id, self._rule(decide))
        digest = hash_secret(new)
        number = next(link.number for link in live.value.links.values() if link.token.hash == digest)
        answer: NewLink = {"link": number, "token": new, "state": encoded(self.state(live))}
        return encode(answer), resolution.change is not None

    async def act(self, code: str, token: str, act: Act, sender: Sender) -> tuple[bytes, bool]:
        """Applies an act of the teacher to a class."""
        deletion = hash_secret(f"{token} {act.key}")
        deleted: ActedClass = {"accepted": act.version + 1, "state": None}
        if act.kind == "delete" and await self.store.deletion(code) == deletion:
            return encode(deleted), False
        live = await self._find_as_teacher(code, token, sender)
        if act.kind == "delete":
            await self._delete(live, act, deletion)
            return encode(deleted), True
        opening: tuple[str, ...] = ()
        if act.kind in acts.PAIRING and act.key not in live.value.keys:
            new = act.kind == "next" or not live.value.round
            opening = await self._opening(live.value, live.value.round + new, sender.asker)

        def decide(classroom: Classroom, context: Context) -> Resolution[Classroom]:
            return acts.act(classroom, act, context._replace(opening=opening))

        def pay(classroom: Classroom, context: Context) -> None:
            sender.pay(GAME_COST * acts.games_begun(classroom, act, context))

        live, resolution = await self.perform(
            live.value.id, self._rule(decide, pay if act.kind in acts.PAIRING else None)
        )
        if act.kind == "substitute":
            await self._substitute(live, act)
        await self._look_at_games(live)
        answer: ActedClass = {"accepted": resolution.accepted, "state": encoded(self.state(live))}
        return encode(answer), resolution.change is not None

    async def _opening(self, classroom: Classroom, round: int, asker: Asker) -> tuple[str, ...]:
        """The opening moves of a round, which are the same in all its games."""
        if classroom.rules["start"] != "fair":
            return ()
        rules = game(classroom.rules["game"], **classroom.rules["options"])
        return tuple(await self._ask("start", Match(rules), asker, seed=f"{classroom.origin} {round}"))

    async def pair_waiting_pupils(self) -> None:
        """Pairs the pupils who wait in classes that pair by themselves, one class after the other.

        A class that nobody uses here costs nothing: its pupils are away, or play on another server, which pairs them.
        """
        for live in self.cache:
            if not live.value.pairs_itself:
                continue
            await asyncio.sleep(0)  # requests come between two classes
            waiting = acts.waiting_times(live.value, self._context(live))
            if waiting:

                async def pair_pupils(live: LiveClass = live, most: int = len(waiting)) -> None:
                    await self._pair_waiting(live.value, most)

                await self.background.attempt(pair_pupils)

    async def _pair_waiting(self, classroom: Classroom, most: int) -> None:
        """Pairs the pupils who wait in a class: at most `most`, which the allowance must cover."""
        payer = self._founder(classroom.id)
        if self._paired.wait(payer, time.monotonic(), min(GAME_COST * most, self._paired.burst)):
            return  # later: too many games begin in classes of one address
        opening = await self._opening(classroom, classroom.round, Asker(payer))

        def decide(classroom: Classroom, context: Context) -> Resolution[Classroom] | None:
            return acts.pair_waiting(classroom, context._replace(opening=opening))

        resolution = await self.apply(classroom.id, self._rule(decide, lambda *_: None))  # what begins is paid below
        if resolution is not None and resolution.change is not None:
            self._paired.take(payer, time.monotonic(), GAME_COST * len(resolution.change.begins))

    async def _substitute(self, live: LiveClass, act: Act) -> None:
        """Lets the computer play for a pupil. If the server dies first, repeating the act does this."""
        number, level = act.body["pupil"], act.body.get("level") or live.value.rules["level"]
        table = live.value.table_of(number)
        if table is not None:
            seat, key, now = table.pupils.index(number), f"class:{act.key}", time.time()

            async def rule(room: LiveRoom) -> Resolution[Room] | None:
                return room_acts.substitute(room.value, seat, level, key, now)

            await self._rooms.apply(table.id, rule)

    def _rule(self, decide: Decide, pay: Pay | None = None) -> Rule[LiveClass]:
        """The rule of a decision about a class.

        With `pay`, which raises Refusal if somebody must wait, the decision takes long: it is made in a thread.
        """

        async def rule(live: LiveClass) -> Resolution[Classroom] | None:
            await self._look_at_games(live)
            context = self._context(live)
            if pay is None:
                return decide(live.value, context)
            pay(live.value, context)
            return await asyncio.to_thread(decide, live.value, context)

        return rule

    def _context(self, live: LiveClass) -> Context:
        now = time.time()
        seen = live.seen | dict.fromkeys(self.hub.present(live.value.id), now)
        finished = {id: live.boards[id].shown["since"] for id in live.scores}
        return Context(now, live.scores.copy(), seen, away=self.presence.away(live), finished=finished)

    async def follow_up(self, live: LiveClass, change: Change, heads: dict[str, int]) -> None:
        await self._rooms.go_on(heads | {begun.id: begun.head for begun in change.begins})
        self.mark(live.value.id)

    async def _delete(self, live: LiveClass, act: Act, deletion: str) -> None:
        if act.version != live.value.head:
            await self.cache.catch_up(live)
        if act.version != live.value.head:
            conflict = Conflict(409, "The class has changed. Look again before you delete it.")
            conflict.state = self.state(live)
            raise conflict
        await self.store.delete(live.value.id, time.time() + RESERVED, deletion)
        self.end(live.value.id)

    async def sweep_classes(self) -> None:
        """Deletes the classes in which nothing has happened for long, one after the other."""
        grace = self.settings.grace * HOUR
        if not await self._rooms.clock.trusted(min(CLASS_GRACE, grace), grace):
            return
        now = time.time()
        for code in await self.store.find(Query.FORGOTTEN, now - self.settings.class_retention * HOUR):

            async def delete_expired_class(code: str = code) -> None:
                await self.store.delete(code, now + RESERVED)
                self.end(code)

            await self.background.attempt(delete_expired_class)

    # Views.

    def state(self, live: LiveClass) -> bytes:
        """The teacher's view of a class."""
        return self._teacher_state(live, self.presence.away(live))

    def _shown(self, live: LiveClass) -> ShownClass:
        boards = {id: board.shown for id, board in live.boards.items()}
        return shown(live.value, boards, live.scores, live.standings, time.time())

    def _teacher_state(self, live: LiveClass, away: Away) -> bytes:
        last = max(live.value.touched, *(board.shown["since"] for board in live.boards.values()), 0.0)
        deleted = last + self.settings.class_retention * HOUR
        return encode(teacher_view(self._shown(live), live.value, live.scores, live.standings, away, deleted))

    def _wall_state(self, live: LiveClass) -> bytes:
        return encode(wall_view(self._shown(live), live.value))

    async def state_for(self, live: LiveClass, view: str) -> bytes:
        pupil = self._pupil(live, view)
        if pupil is None:
            return self._wall_state(live) if live.value.only_shows(view) else self.state(live)
        return encode(pupil_view(live.value, pupil, view, live.scores, live.standings))

    def states(self, live: LiveClass, away: Away) -> dict[str, bytes | None]:
        # Of the boards, pupils see only which games are over.
        version = live.value.head, len(live.scores)
        update_pupils, live.shown = version != live.shown, version
        states: dict[str, bytes | None] = {}
        desk: bytes | None = None
        wall: bytes | None = None
        for watcher in self.hub.watched[live.value.id]:
            token = watcher.view
            if live.value.only_shows(token):
                wall = states[token] = wall or self._wall_state(live)
            elif live.value.is_teacher(token):
                desk = states[token] = desk or self._teacher_state(live, away)
            elif update_pupils:
                pupil = live.value.pupil_of(token)
                watcher.member = pupil and pupil.number  # after `admit`, a device belongs to another pupil
                if token not in states:  # None for a pupil who was removed or has moved, and for a withdrawn link
                    states[token] = pupil and encode(pupil_view(live.value, pupil, token, live.scores, live.standings))
        return states

    def _pupil(self, live: LiveClass, token: str) -> Pupil | None:
        """The pupil to whom a token belongs; None for the teacher. Raises Refusal for any other token."""
        if live.value.is_teacher(token):
            return None
        pupil = live.value.pupil_of(token)
        if pupil is None:
            raise Refusal(403, NOT_YOURS)
        self.presence.arrive(live, pupil.number)
        return pupil

    async def look(self, code: str, token: str, sender: Sender) -> bytes:
        """The state of a class, as its teacher or one of its pupils sees it."""
        live = await self.find(code, sender, token)
        return await self.state_for(await self.fresh(live.value.id), token)

    async def stream(self, code: str, token: str, sender: Sender, receive: Receive, send: Send) -> None:
        """Streams the live feed of a class to its teacher or to a pupil."""
        self.require_free_feed()
        id, member = await self._watcher(code, token, sender)
        await self.watch(id, member, token, receive, send)

    async def _watcher(self, code: str, token: str, sender: Sender) -> tuple[str, int | None]:
        """The class that somebody wants to watch, and their number; None for the teacher, who may watch for ever."""
        live = await self.find(code, sender, token)
        await self.cache.catch_up(live)
        pupil = self._pupil(live, token)
        return live.value.id, None if pupil is None else pupil.number

    def announce(self, live: LiveClass) -> None:
        self.mark(live.value.id)

    def _room_changed(self, room: Room) -> None:
        """Updates the board of a game that this process has changed."""
        if room.code in self.hub.watched:
            assert room.code is not None
            live = self.cache.known(room.code)
            if live is not None and room.id in self._games:
                live.show(room)
            self.mark(room.code, live is None)

    def notice_changes(self, changed: dict[str, int] | None) -> None:
        super().notice_changes(changed)
        for id, head in (changed or {}).items():
            live = self.cache.known(self._games[id]) if id in self._games else None
            board = None if live is None else live.boards.get(id)
            if live is not None and (board is None or board.head < head):
                self.mark(live.value.id)

    async def find(self, code: str, sender: Sender, token: str) -> LiveClass:
        """A class by its code, for the holder of a token of the class.

        To everybody else, a right code looks like a wrong one.
        """
        live = self.cache.known(code)
        if live is not None and self._opens(live.value, token, sender):
            return live
        # A stranger, or a class that is not in memory. After too many wrong codes, the work is the same for all codes.
        if token and (not self._wait_for_guesses(code, sender) or await self.store.has_token(code, hash_secret(token))):
            with suppress(Refusal):
                live = await self.cache.get(code)
            if live is not None and self._opens(live.value, token, sender):
                return live
        self._check_guesses(code, sender)
        self._wrong.take(sender.address, time.monotonic())
        raise Refusal(404, NO_CLASS)

    def _opens(self, classroom: Classroom, token: str, sender: Sender) -> bool:
        """Whether a token opens a class. Raises Refusal if it did once."""
        if classroom.is_teacher(token):
            if not classroom.only_shows(token):
                self._allowances.remember_teacher(classroom.id, sender.address)
            return True
        if classroom.pupil_of(token):
            return True
        if classroom.has_revoked(token):
            raise Refusal(403, acts.REVOKED)
        if classroom.has_known(token):
            raise Refusal(403, acts.REMOVED if classroom.has_removed(token) else acts.MOVED)
        return False

    async def _find_as_teacher(self, code: str, token: str, sender: Sender) -> LiveClass:
        """A class by its code, for somebody who wants to act as its teacher."""
        live = await self.find(code, sender, token)
        if not live.value.is_teacher(token, acts=True):
            raise Refusal(403, "Only the teacher of this class may do this.")
        return live

    async def _find(self, code: str, sender: Sender) -> LiveClass:
        """A class by its code, for somebody who wants to join."""
        self._check_guesses(code, sender)
        try:
            return await self.cache.get(code)
        except Refusal:
            self._wrong.take(sender.address, time.monotonic())
            raise

    def _check_guesses(self, code: str, sender: Sender) -> None:
        """Raises Refusal if an address has tried too many wrong codes: even with a right one, so that guessing ends."""
        if wait := self._wait_for_guesses(code, sender):
            raise Refusal(429, "Too many wrong codes. Try again in a minute.", again=round(wait) + 1)

    def _wait_for_guesses(self, code: str, sender: Sender) -> float:
        """The seconds that an address must wait that has tried too many wrong codes.

        A member's address does not wait for its own class: a school often has one address, and a pupil who guesses
        codes must not keep the others out.
        """
        if self._allowances.has_member_at(code, sender.address):
            return 0.0
        return self._wrong.wait(sender.address, time.monotonic())

    async def results(self, code: str, token: str, sender: Sender, render: Callable[[ClassResults], T]) -> T:
        """The rendered results of a class, for its teacher.

        Games that the solver cannot judge count without critical moves.
        """
        live = await self.fresh((await self.find(code, sender, token)).value.id)
        classroom = live.value
        if not classroom.is_teacher(token, acts=True):
            raise Refusal(403, "Only the teacher of this class may see this.")
        ids = [id for id, points in live.scores.items() if points is not None and id not in live.grades]
        for id, room in (await self._rooms.current_rooms(ids)).items():
            try:
                grades = await self._ask("graded", room.match, sender.asker)
            except Refusal as refusal:
                if refusal.again is not None:
                    raise
                grades = [NO_GRADE] * 2
            live.grades[id] = Graded(grades, f"/review/{room.match.game.id}?{written(room.match)}")
        scores, by_seat = live.scores.copy(), {id: graded.seats for id, graded in live.grades.items()}
        links = {id: graded.review for id, graded in live.grades.items()}
        return await asyncio.to_thread(lambda: render(results(classroom, scores, by_seat, links)))
