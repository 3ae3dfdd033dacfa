"""What a teacher and the pupils of a class do and see: begins, joins, acts, looks and watches."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from digitduels.games import game
from digitduels.match import Match
from digitduels.web.classes import classroom as rules_of_classes
from digitduels.web.classes.allowances import Allowances
from digitduels.web.classes.class_view import board_of, pupil_view, teacher_view
from digitduels.web.classes.classroom import ClassAct, ClassConflict, ClassResolution, Classroom, Known, Pupil
from digitduels.web.classes.results import results
from digitduels.web.guard import Buckets
from digitduels.web.link import written
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.acts import Room, hashed
from digitduels.web.rooms.feed import Hub, Receive, Send
from digitduels.web.rooms.live import packed
from digitduels.web.rooms.presence import SEEN
from digitduels.web.rooms.service import LOOK, STALE_TRIES, RoomService
from digitduels.web.settings import Settings
from digitduels.web.store import KeptClass, Store
from digitduels.web.store.interface import BUSY_STORE, CLASS_MARK

MOST_CLASSES = 1000  # in memory
GATHER = 0.03  # seconds in which changes are gathered before a wall is told
CLASS_SWEEP = 60.0
RESERVED = 30 * 86400.0  # seconds in which a code is not given again
WRONG_CODES = (10 / 60, 10)  # from one address: a second in the long run, and at once
CODE_TRIES = 20
NO_CLASS = "There is no class with this code. Check the letters. A class that is over is deleted after a day."
NOT_YOURS = "Join this class first, or open it on the device that started it."

Ask = Callable[..., Awaitable[Any]]


class Glimpse(NamedTuple):
    """A game as a wall shows it."""

    head: int
    shown: dict[str, Any]


class Graded(NamedTuple):
    """A game that is over: how both seats chose, and the address of its review."""

    seats: list[dict[str, Any]]
    review: str


class LiveClass:
    """A class in memory: its newest version that is known, and who was told what."""

    def __init__(self, classroom: Classroom) -> None:
        self.classroom = classroom
        self.lock = asyncio.Lock()
        self.boards: dict[str, Glimpse] = {}
        self.scores: dict[str, tuple[float, float]] = {}
        self.grades: dict[str, Graded] = {}
        self.seen: dict[int, float] = {}
        self.told: dict[str, bytes] = {}
        """The last message to each watcher."""
        self.away: set[int] = set()
        self.shown = (-1, 0)
        """The version and the number of games that were over when pupils were last told."""

    @property
    def total(self) -> int:
        """A number that grows with everything in the class and in its games."""
        return self.classroom.head + sum(board.head for board in self.boards.values())


class ClassService:
    """All classes of one server process."""

    def __init__(self, store: Store, rooms: RoomService, ask: Ask, settings: Settings, allowances: Allowances) -> None:
        self.hub = Hub()
        self._store, self._rooms, self._ask = store, rooms, ask
        self._settings, self._allowances = settings, allowances
        self._live: OrderedDict[str, LiveClass] = OrderedDict()
        self._games: dict[str, str] = {}
        """The class of each game of a class in memory."""
        self._tokens: dict[str, str] = {}
        """The token of each watcher, which is part of what a pupil is told."""
        self._wrong = Buckets(*WRONG_CODES)
        self._stale: set[str] = set()
        self._doubtful: set[str] = set()
        """Those of them that another process may have changed."""
        self._watching: dict[str, set[str]] = {}
        """The channels that are watched, by class."""
        self._wake = asyncio.Event()

    def start(self) -> None:
        """Begins the work in the background, under the supervision of the rooms' own."""
        self._rooms.changed.append(self._room_changed)
        self._rooms.heard.append(self._hear)
        self._rooms.closing.append(self.hub.close)
        for seconds, work in (
            (0, self.refresh),
            (LOOK, self.look_at_classes),
            (SEEN, self.note_pupils),
            (CLASS_SWEEP, self.sweep_classes),
        ):
            self._rooms.background.every(seconds, work)

    def __len__(self) -> int:
        return len(self._live)

    # What people do.

    async def create(self, rules: dict[str, Any], key: str) -> tuple[bytes, bool]:
        """Begins a class; what its teacher is told, and whether that is new."""
        for _ in range(CODE_TRIES):
            new, token = rules_of_classes.begin_class(rules, rules_of_classes.new_code(), key, time.time())
            kept = await self._store.create_class(new)
            if kept is not None:
                break
        else:
            raise Refusal(503, BUSY_STORE, again=1)
        if kept.rules != rules:
            raise Refusal(422, "This key was used for something else. Take a new one each time.")
        live = self._put(kept)
        state = await self._teacher_state(live)
        told = packed({"code": kept.code, "token": token})
        return b'%b,"state":%b}' % (told[:-1], state), kept.code == new.code

    async def join(self, code: str, name: str, key: str, address: str) -> tuple[bytes, bool]:
        """Somebody joins; what they are told, and whether that is new."""
        live = await self.find(code, address)
        token = rules_of_classes.pupil_token(live.classroom, key)
        now = time.time()
        resolution = await self._apply(
            live, lambda classroom, _: rules_of_classes.join_class(classroom, token, name, now)
        )
        pupil = live.classroom.pupil_of(token)
        if pupil is None:
            raise Refusal(403, NOT_YOURS)
        self._see(live, pupil)
        told = packed({"pupil": pupil.number, "token": token})
        return b'%b,"state":%b}' % (told[:-1], self._pupil_state(live, pupil, token)), resolution.change is not None

    async def act(self, code: str, token: str, act: ClassAct, address: str) -> tuple[bytes, bool]:
        """The teacher does something; what they are told, and whether that is new."""
        live = await self.find(code, address, token)
        if not live.classroom.is_teacher(token):
            raise Refusal(403, "Only the teacher of this class may do this.")
        if act.kind == "delete":
            if act.version != live.classroom.head:
                await self._catch_up(live)
            if act.version != live.classroom.head:
                raise ClassConflict(live.classroom, "The class has gone on. Look again before you delete it.")
            await self._delete(live)
            return packed({"accepted": act.version + 1, "state": None}), True
        opening = await self._opening(live, act, address)

        def rule(classroom: Classroom, given: Known) -> ClassResolution:
            return rules_of_classes.class_act(classroom, act, given._replace(opening=opening))

        resolution = await self._apply(live, rule)
        if act.kind == "substitute":
            await self._take_over(live, act)
        state = await self._teacher_state(live)
        return b'{"accepted":%d,"state":%b}' % (resolution.accepted, state), resolution.change is not None

    async def _opening(self, live: LiveClass, act: ClassAct, address: str) -> tuple[str, ...]:
        """The moves that the games of a round begin with: the same for everybody."""
        classroom = live.classroom
        if act.kind not in ("pair", "next") or classroom.rules["start"] != "fair" or act.key in classroom.keys:
            return ()
        rules = game(classroom.rules["game"], **classroom.rules["options"])
        number = classroom.round + (act.kind == "next" or not classroom.round)
        return tuple(await self._ask("start", Match(rules), address, seed=f"{classroom.id} {number}"))

    async def _take_over(self, live: LiveClass, act: ClassAct) -> None:
        """The computer takes the seat of a pupil. If the server dies before, the same act sent again does it."""
        number, level = act.body["pupil"], act.body.get("level") or live.classroom.rules["level"]
        table = live.classroom.table_of(number)
        if table is not None:
            seat, key, now = table.pupils.index(number), f"class:{act.key}", time.time()
            await self._rooms.play(table.id, lambda room: acts.take_over(room.room, seat, level, key, now))

    async def _apply(self, live: LiveClass, rule: Callable[[Classroom, Known], ClassResolution]) -> ClassResolution:
        """Applies a rule to a class, keeps what it decides, then tells everybody."""
        async with live.lock:
            for _ in range(STALE_TRIES):
                classroom = live.classroom
                await self._look_at_games(live)
                try:
                    given = Known(time.time(), live.scores, self._present(live))
                    resolution = rule(classroom, given)
                except Refusal:
                    if await self._catch_up(live):
                        continue
                    raise
                if resolution.change is None:
                    return resolution
                heads = await self._store.append_class(classroom.code, classroom.head, resolution.change)
                if heads is not None:
                    self._keep(live, resolution.classroom)
                    begun = {game.id: game.head for game in resolution.change.begins}
                    await self._rooms.take_note(heads | begun)
                    self._mark(classroom.code)
                    return resolution
                await self._catch_up(live)
        raise Refusal(503, BUSY_STORE, again=1)

    async def _delete(self, live: LiveClass) -> None:
        code = live.classroom.code
        await self._store.delete_classes(code, 0.0, time.time() + RESERVED)
        self._drop(code)

    # What people see.

    async def look(self, code: str, token: str, address: str) -> bytes:
        """What somebody may see of a class."""
        live = await self.find(code, address, token)
        await self._catch_up(live)
        return await self._state(live, token)

    async def stream(self, code: str, token: str, address: str, receive: Receive, send: Send) -> None:
        """The live feed of a class, to its teacher or to a pupil."""
        if self.hub.streams >= self._settings.streams:
            raise Refusal(503, "Too many people are watching. Try again in a moment.", again=10)
        live = await self.find(code, address, token)
        await self._catch_up(live)
        who = self._who(live, token)
        number = 0 if who is None else who.number
        channel = f"{live.classroom.code}/{number}/{hashed(token).hex()[:16]}"
        self._tokens[channel] = token
        self._watching.setdefault(live.classroom.code, set()).add(channel)

        async def first() -> tuple[int, bytes] | None:
            try:
                live = await self._load(code.upper())
                return live.total, await self._state(live, token)
            except Refusal:
                return None

        try:
            await self.hub.stream(channel, (live.classroom.code, number), first, receive, send)
        finally:
            if channel not in self.hub.watched:
                self._tokens.pop(channel, None)
                live.told.pop(channel, None)
                watching = self._watching.get(live.classroom.code, set())
                watching.discard(channel)
                if not watching:
                    self._watching.pop(live.classroom.code, None)

    async def find(self, code: str, address: str, token: str = "") -> LiveClass:
        """A class by its code; raises Refusal if there is none, and for an address that has tried too many codes.

        Who shows a token of the class is not limited.
        """
        code = code.upper()
        live = self._live.get(code)
        if live is not None and token and (live.classroom.is_teacher(token) or live.classroom.pupil_of(token)):
            return live
        now = time.monotonic()
        wait = self._wrong.wait(address, now)
        if wait:
            raise Refusal(429, "Too many wrong codes. Try again in a minute.", again=round(wait) + 1)
        try:
            return await self._load(code)
        except Refusal:
            self._wrong.take(address, now)
            raise

    async def _load(self, code: str) -> LiveClass:
        live = self._live.get(code)
        if live is not None:
            self._live.move_to_end(code)
            return live
        kept = await self._store.read_class(code) if len(code) == rules_of_classes.CODE_LENGTH else None
        if kept is None:
            raise Refusal(404, NO_CLASS)
        return self._put(kept)

    async def results(self, code: str, token: str, address: str) -> dict[str, Any]:
        """The results of a class, for its teacher. Games that cannot be judged here count without critical moves."""
        live = await self.find(code, address, token)
        await self._catch_up(live)
        classroom = live.classroom
        if not classroom.is_teacher(token):
            raise Refusal(403, "Only the teacher of this class may see this.")
        await self._look_at_games(live)
        ids = [table.id for table in classroom.tables if table.id in live.scores and table.id not in live.grades]
        for id, room in (await self._rooms.current_rooms(ids)).items():
            try:
                grades = await self._ask("graded", room.match, address)
            except Refusal as refusal:
                if refusal.status == 503:
                    raise
                grades = [{"critical": 0, "found": 0, "chance": 0.0, "misses": []}] * 2
            live.grades[id] = Graded(grades, f"/review/{room.match.game.id}?{written(room.match)}")
        found = {id: graded.seats for id, graded in live.grades.items()}
        return results(classroom, live.scores, found, {id: graded.review for id, graded in live.grades.items()})

    def _who(self, live: LiveClass, token: str) -> Pupil | None:
        """The pupil who shows a token, or None for the teacher; raises Refusal for anybody else."""
        if live.classroom.is_teacher(token):
            return None
        pupil = live.classroom.pupil_of(token)
        if pupil is None:
            raise Refusal(403, NOT_YOURS)
        self._see(live, pupil)
        return pupil

    async def _state(self, live: LiveClass, token: str) -> bytes:
        pupil = self._who(live, token)
        await self._look_at_games(live)
        return self.state_of(live.classroom) if pupil is None else self._pupil_state(live, pupil, token)

    async def _teacher_state(self, live: LiveClass) -> bytes:
        await self._look_at_games(live)
        return self.state_of(live.classroom)

    def state_of(self, classroom: Classroom) -> bytes:
        """What a teacher sees of a class."""
        live = self._live.get(classroom.code) or LiveClass(classroom)
        boards = {id: board.shown for id, board in live.boards.items()}
        now, lasts = time.time(), self._settings.lesson * 3600
        return packed(teacher_view(live.classroom, boards, live.scores, self._away(live), now, lasts))

    def _pupil_state(self, live: LiveClass, pupil: Pupil, token: str) -> bytes:
        return packed(pupil_view(live.classroom, pupil, token, live.scores))

    # Who is there.

    def _see(self, live: LiveClass, pupil: Pupil) -> None:
        live.seen[pupil.number] = time.time()

    def _present(self, live: LiveClass) -> dict[int, float]:
        """When each pupil was last there: now, for who watches."""
        now = time.time()
        for channel in self._channels(live.classroom.code):
            live.seen[int(channel.split("/")[1])] = now
        return live.seen

    def _away(self, live: LiveClass) -> set[int]:
        seen, since = self._present(live), time.time() - self._settings.away
        live.away = {pupil.number for pupil in live.classroom.present if seen.get(pupil.number, 0.0) < since}
        return live.away

    async def note_pupils(self) -> None:
        """Notes who watches, so that other servers know."""
        people = {(code, number) for code, number in self.hub.people() if number}
        if people:
            await self._store.see_pupils(people, time.time())

    # Keeping up: with the database, and with the games.

    def _put(self, kept: KeptClass) -> LiveClass:
        live = self._live.get(kept.code)
        if live is None:
            live = self._live[kept.code] = LiveClass(Classroom(kept))
            if len(self._live) > MOST_CLASSES:
                self._drop(next(iter(self._live)), end=False)
        self._keep(live, live.classroom)
        return live

    def _keep(self, live: LiveClass, classroom: Classroom) -> None:
        live.classroom = classroom
        tokens = [classroom.token, *(pupil.token for pupil in classroom.present)]
        self._allowances.learn(classroom.code, tokens)
        for table in classroom.current:
            self._games[table.id] = classroom.code

    def _drop(self, code: str, end: bool = True) -> None:
        live = self._live.pop(code, None)
        self._allowances.forget(code)
        if live is None:
            return
        for table in live.classroom.tables:
            self._games.pop(table.id, None)
            if end:
                self._rooms.drop_game(table.id)
        if end:
            for channel in self._channels(code):
                self.hub.end(channel)

    def _channels(self, code: str) -> list[str]:
        return sorted(self._watching.get(code, ()))

    async def _catch_up(self, live: LiveClass) -> bool:
        """Takes over what other processes did; whether there was anything."""
        before = live.classroom
        kept = await self._store.read_class(before.code, before.head)
        if kept is None:
            self._drop(before.code)
            raise Refusal(404, NO_CLASS)
        if live.classroom is not before or kept.head == before.head:
            return live.classroom.head > before.head
        self._keep(live, before.then(kept.events))
        return True

    async def _look_at_games(self, live: LiveClass) -> None:
        """Reads the games that may have gone on; one that is over stays as it is."""
        open_games = [table.id for table in live.classroom.tables if table.id not in live.scores]
        if not open_games:
            return
        for room in (await self._rooms.current_rooms(open_games)).values():
            self._show(live, room)

    def _show(self, live: LiveClass, room: Room) -> None:
        known = live.boards.get(room.id)
        if known is None or known.head < room.head:
            live.boards[room.id] = Glimpse(room.head, board_of(room))
        if room.over:
            live.scores[room.id] = score(room)

    def _room_changed(self, room: Room) -> None:
        """A game has gone on here."""
        if room.code in self._watching:
            assert room.code is not None
            live = self._live.get(room.code)
            if live is not None and room.id in self._games:
                self._show(live, room)
            self._mark(room.code, live is None)

    def _hear(self, changed: dict[str, int] | None) -> None:
        """Another process may have changed these classes and games, or any."""
        if changed is None:
            codes = set(self._watching)
        else:
            codes = {id[1:] for id in changed if id.startswith(CLASS_MARK)}
            codes |= {self._games[id] for id in changed if id in self._games}
        for code in codes:
            self._mark(code)

    def _mark(self, code: str, doubtful: bool = True) -> None:
        self._stale.add(code)
        if doubtful:
            self._doubtful.add(code)
        self._wake.set()

    async def refresh(self) -> None:
        """Tells the watchers of classes that may have changed; waits until there are any."""
        await self._wake.wait()
        await asyncio.sleep(GATHER)
        self._wake.clear()
        stale, self._stale = self._stale, set()
        doubtful, self._doubtful = self._doubtful, set()
        for code in stale:

            async def refresh_class(code: str = code) -> None:
                await self._tell(code, code in doubtful)

            await self._rooms.background.attempt(refresh_class)

    async def _tell(self, code: str, doubtful: bool) -> None:
        """Tells everybody who watches a class what is new for them."""
        channels = self._channels(code)
        if not channels:
            return
        try:
            live = await self._load(code)
            if doubtful:
                await self._catch_up(live)
                await self._look_at_games(live)
        except Refusal as refusal:
            if refusal.status != 404:
                raise
            for channel in channels:
                self.hub.end(channel)
            return
        wall: bytes | None = None
        # Pupils see nothing of the boards but which games are over.
        shown = live.classroom.head, len(live.scores)
        pupils, live.shown = shown != live.shown, shown
        for channel in channels:
            token = self._tokens.get(channel, "")
            if channel.split("/")[1] != "0" and not pupils:
                continue
            if channel.split("/")[1] == "0":
                state = wall = wall or self.state_of(live.classroom)
            else:
                pupil = live.classroom.pupil_of(token)
                if pupil is None:  # removed, or on another device now
                    self.hub.end(channel)
                    continue
                state = self._pupil_state(live, pupil, token)
            if live.told.get(channel) != state:
                live.told[channel] = state
                self.hub.publish(channel, live.total, state)

    async def look_at_classes(self) -> None:
        """Compares what the watchers were told with the database, and notices who has gone."""
        codes = set(self._watching)
        if not codes:
            return
        totals = await self._store.glance_classes(codes)
        for code in codes:
            live = self._live.get(code)
            if live is None or totals.get(code) != live.total:
                self._mark(code)
                continue
            before = live.away
            for number, at in (await self._store.pupils_seen(code)).items():
                live.seen[number] = max(at, live.seen.get(number, 0.0))
            if self._away(live) != before:
                self._mark(code)

    async def sweep_classes(self) -> None:
        """Deletes classes that have been kept for long enough."""
        now = time.time()
        while codes := await self._store.delete_classes(None, now - self._settings.lesson * 3600, now + RESERVED):
            for code in codes:
                self._drop(code)


def score(room: Room) -> tuple[float, float]:
    """The points of both seats: a win is one, a draw half; so is a game that was broken off."""
    outcome = room.match.outcome
    if outcome is None or outcome.winner is None:
        return 0.5, 0.5
    return (1.0, 0.0) if outcome.winner == 0 else (0.0, 1.0)
