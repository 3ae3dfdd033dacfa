"""Classes: what can happen in one, as events, and what follows from them.

Everything here is pure. A classroom is a value: what follows from its events so far. A teacher's act is judged against
it and becomes events, games that begin, and events in games that are being played. An act names the version it answers
and carries a key: the same key gets the same answer, and nothing happens twice.
"""

from __future__ import annotations

import hmac
import random
import secrets
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

from digitduels.players import computer_name
from digitduels.text import clean
from digitduels.web.classes.pairing import Past, pair
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import Room, derive_secret, hash_secret, new_id, visible
from digitduels.web.store import ClassChange, Event, Kept, KeptClass, Seat, Told

CODE_LETTERS = "BCDFGHJKLMNPRSTVWXZ"  # no vowels, so no words; none that looks like another letter or a digit
CODE_LENGTH = 5
SETTINGS = ("game", "options", "level", "hints", "takebacks", "start", "anonymous")
MOST_PUPILS = 60
MOST_ROUNDS = 60
MOST_CLASS_EVENTS = 3000
LONGEST_FIRST_NAME = 20
LONGEST_MESSAGE = 120
PAUSED = "Eyes to the front, please."
CLASS_OVER = "This class has ended."

Scores = Mapping[str, tuple[float, float] | None]
"""The points of both seats in each game that is over; None for one that ended without a move and does not count."""


class Known(NamedTuple):
    """What a rule must know besides the class."""

    now: float
    scores: Scores = {}
    seen: Mapping[int, float] = {}
    """When each pupil was last there."""
    opening: tuple[str, ...] = ()
    """The moves that new games begin with."""


class ClassConflict(Refusal):
    """An act that comes too late; the teacher is shown the present state."""

    def __init__(self, classroom: Classroom, sentence: str, status: int = 409) -> None:
        super().__init__(status, sentence)
        self.classroom = classroom


class ClassAct(NamedTuple):
    """What a teacher wants to do, in answer to a version."""

    kind: str
    version: int
    key: str
    body: dict[str, Any] = {}


class ClassResolution(NamedTuple):
    """What becomes of an act: the class after it, the version it led to, and what is to be kept if it is new."""

    classroom: Classroom
    accepted: int
    change: ClassChange | None


class Pupil(NamedTuple):
    """Somebody who joined."""

    number: int
    name: str
    token: bytes
    """The hash of the token. It opens the pupil's seats, too. Empty for a newcomer who was somebody else."""
    removed: bool = False
    absent: float | None = None
    """When the computer took over; they are not paired until they are seen again."""


class Table(NamedTuple):
    """A game of the class: who plays it, by seat; None is the computer."""

    id: str
    round: int
    pupils: tuple[int | None, int | None]
    level: int
    """Of the computer, if it plays."""

    def with_pupil(self, number: int, instead: int) -> Table:
        """The same game with a pupil in the place of another."""
        first, second = (number if each == instead else each for each in self.pupils)
        return self._replace(pupils=(first, second))


class Classroom:
    """A class after some events. Nothing changes it; `then` is the class after further events."""

    def __init__(self, kept: KeptClass) -> None:
        self.code, self.id, self.token, self.created = kept.code, kept.id, kept.token, kept.created
        self.rules = kept.rules
        self.head = 0
        self.round = 0
        self.paused: str | None = None
        self.ended = False
        self.pupils: dict[int, Pupil] = {}
        self.tables: tuple[Table, ...] = ()
        self.keys: dict[str, Event] = {}
        for event in kept.events:
            self._happen(event)

    def then(self, events: Iterable[Event]) -> Classroom:
        """The class after further events."""
        classroom = copy(self)
        classroom.pupils, classroom.keys = self.pupils.copy(), self.keys.copy()
        for event in events:
            classroom._happen(event)
        return classroom

    def _happen(self, event: Event) -> None:
        body = event.body
        match event.kind:
            case "join":
                self._set(Pupil(body["pupil"], body["name"], bytes.fromhex(body["token"])))
            case "pair" | "next":
                self.round = body["round"]
                level = self.rules["level"]
                begun = (Table(each["id"], self.round, tuple(each["pupils"]), level) for each in body["games"])
                self.tables = (*self.tables, *begun)
            case "pause":
                self.paused = body["message"]
            case "resume":
                self.paused = None
            case "end":
                self.ended, self.paused = True, None
            case "rename":
                self._set(self.pupils[body["pupil"]]._replace(name=body["name"]))
            case "remove":
                self._set(self.pupils[body["pupil"]]._replace(removed=True))
            case "admit":
                device, number = self.pupils[body["device"]], body["pupil"]
                self._set(device._replace(token=b"", removed=True))
                self._set(self.pupils[number]._replace(token=device.token, absent=None))
                theirs = body.get("games", ())
                self.tables = tuple(
                    table.with_pupil(number, device.number) if table.id in theirs else table for table in self.tables
                )
            case "restore":
                self._set(self.pupils[body["pupil"]]._replace(removed=False, name=body["name"]))
            case "substitute":
                self._set(self.pupils[body["pupil"]]._replace(absent=event.at))
            case "settings":
                self.rules = {**self.rules, **body}
        self.head, self.keys[event.key] = event.version, event

    def _set(self, pupil: Pupil) -> None:
        self.pupils[pupil.number] = pupil

    # What follows.

    @property
    def present(self) -> list[Pupil]:
        """Who was not removed, in the order in which they joined."""
        return [pupil for pupil in self.pupils.values() if not pupil.removed]

    @property
    def removed(self) -> list[Pupil]:
        """Whom the teacher took off the list, and can let in again."""
        return [pupil for pupil in self.pupils.values() if pupil.removed and pupil.token]

    @property
    def current(self) -> tuple[Table, ...]:
        """The games of this round."""
        return tuple(table for table in self.tables if table.round == self.round)

    def table_of(self, number: int) -> Table | None:
        """The newest game of a pupil in this round."""
        return next((table for table in reversed(self.current) if number in table.pupils), None)

    def pupil_of(self, token: str) -> Pupil | None:
        """The pupil whom a token belongs to."""
        wanted, found = hash_secret(token), None
        for pupil in self.present:
            if hmac.compare_digest(pupil.token, wanted):
                found = pupil
        return found

    def is_teacher(self, token: str) -> bool:
        return hmac.compare_digest(self.token, hash_secret(token))

    def name_at(self, table: Table, seat: int) -> str:
        """What a player of a game is called."""
        number = table.pupils[seat]
        if number is None:
            return computer_name(str(table.level))
        pupil = self.pupils[number]
        return "somebody who left" if pupil.removed else pupil.name

    def points(self, scores: Scores) -> dict[int, float]:
        """What every pupil has, given the points of games that are over."""
        found = dict.fromkeys(self.pupils, 0.0)
        for table in self.tables:
            points = scores.get(table.id)
            for number, own in zip(table.pupils, points or (), strict=False):
                if number is not None:
                    found[number] += own
        return found

    def resolve(
        self,
        kind: str,
        body: dict[str, Any],
        key: str,
        at: float,
        begins: Iterable[Kept] = (),
        told: Iterable[Told] = (),
    ) -> ClassResolution:
        """Lets something happen."""
        event = Event(self.head + 1, None, kind, body, key, at)
        return ClassResolution(self.then([event]), event.version, ClassChange((event,), tuple(begins), tuple(told)))

    def tell(self, kind: str, body: dict[str, Any], games: Iterable[str], closes: bool = False) -> Told:
        """An event for games, under a key that only this version of the class gives."""
        return Told(tuple(games), kind, body, f"class:{self.head + 1}:{kind}", closes)


# What can happen.


def new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def begin_class(rules: dict[str, Any], code: str, key: str, now: float) -> tuple[KeptClass, str]:
    """A new class: what to keep, and the teacher's token. The same key leads to the same class."""
    token = derive_secret(key, "teacher", 24)
    return KeptClass(code, derive_secret(key, "class", 9), hash_secret(token), rules, now), token


def pupil_token(classroom: Classroom, key: str) -> str:
    """The token of somebody who joins with a key of their own: the same for the same two."""
    return derive_secret(key, f"pupil {classroom.id}", 24)


def join_class(classroom: Classroom, token: str, name: str, now: float) -> ClassResolution:
    """Somebody joins with a token; the same token is the same pupil, unless they are on another device now."""
    digest = hash_secret(token)
    joined = [event for event in classroom.keys.values() if event.kind == "join"]
    before = [event for event in joined if event.body["token"] == digest.hex()]
    if classroom.pupil_of(token) is not None:
        return ClassResolution(classroom, before[-1].version, None)
    if any(hmac.compare_digest(pupil.token, digest) for pupil in classroom.removed):
        raise Refusal(403, "Your teacher took you off the list. Ask to be let in again.")
    if classroom.ended:
        raise Refusal(410, CLASS_OVER)
    _needs_place(classroom)
    _needs_room(classroom)
    given = first_name(name)
    if not given:
        raise Refusal(422, "Type a first name.")
    number = max((event.body["pupil"] for event in joined), default=0) + 1
    body = {"pupil": number, "name": _different(classroom, given, number), "token": digest.hex()}
    return classroom.resolve("join", body, f"join:{len(before) or ''}{digest.hex()[:32]}", now)


def first_name(name: str) -> str:
    """A name fit for the wall; empty if nothing of it can be seen."""
    return visible(clean(name, LONGEST_FIRST_NAME))


def _different(classroom: Classroom, name: str, number: int) -> str:
    """A name that nobody else in the class has: with a number, if need be."""
    taken = {pupil.name.casefold() for pupil in classroom.present if pupil.number != number}
    given, count = name, 2
    while given.casefold() in taken:
        ending = f" {count}"
        given, count = name[: LONGEST_FIRST_NAME - len(ending)].strip() + ending, count + 1
    return given


def twin(classroom: Classroom, pupil: Pupil) -> Pupil | None:
    """Who may be the same person on another device: joined before under the same name, but for a number."""
    words = pupil.name.rsplit(" ", 1)
    if len(words) != 2 or not words[1].isdecimal():
        return None
    return next((each for each in classroom.present if each.name.casefold() == words[0].casefold()), None)


def class_act(classroom: Classroom, act: ClassAct, given: Known) -> ClassResolution:
    """A teacher does something."""
    now = given.now
    known = classroom.keys.get(act.key)
    if known is not None:
        if known.kind != act.kind:
            raise Refusal(422, "This key was used for something else. Take a new one each time.")
        return ClassResolution(classroom, known.version, None)
    if act.version != classroom.head:
        raise ClassConflict(classroom, f"The class has gone on: it has version {classroom.head}, not {act.version}.")
    if classroom.ended and act.kind not in ("rename", "settings"):
        raise ClassConflict(classroom, CLASS_OVER, 410)
    _needs_room(classroom)
    playing = [table.id for table in classroom.current if table.id not in given.scores]
    match act.kind:
        case "pair" | "next":
            return _pair(classroom, act, given)
        case "pause":
            if classroom.paused is not None:
                raise Refusal(422, "The class is paused already.")
            message = clean(act.body.get("message") or "", LONGEST_MESSAGE) or PAUSED
            told = classroom.tell("pause", {"message": message}, playing)
            return classroom.resolve("pause", {"message": message}, act.key, now, told=[told])
        case "resume":
            if classroom.paused is None:
                raise Refusal(422, "The class is not paused.")
            return classroom.resolve("resume", {}, act.key, now, told=[classroom.tell("resume", {}, playing)])
        case "end":
            told = classroom.tell("close", {}, playing, closes=True)
            return classroom.resolve("end", {}, act.key, now, told=[told])
        case "rename":
            return _rename(classroom, act, now, playing)
        case "remove":
            number = _pupil(classroom, act).number
            games = [table.id for table in classroom.current if number in table.pupils and table.id in playing]
            told = classroom.tell("close", {}, games, closes=True)
            return classroom.resolve("remove", {"pupil": number}, act.key, now, told=[told])
        case "restore":
            return _restore(classroom, act, now)
        case "admit":
            return _admit(classroom, act, now, playing)
        case "substitute":
            return classroom.resolve("substitute", {"pupil": _pupil(classroom, act).number}, act.key, now)
        case _:
            changed = {name: act.body[name] for name in SETTINGS if act.body.get(name) is not None}
            return classroom.resolve("settings", changed, act.key, now)


def _needs_place(classroom: Classroom) -> None:
    if len(classroom.present) >= MOST_PUPILS:
        raise Refusal(409, f"This class is full: it has {MOST_PUPILS} pupils.")


def _needs_room(classroom: Classroom) -> None:
    if classroom.head >= MOST_CLASS_EVENTS:
        raise Refusal(422, "So much has happened in this class that nothing more is taken down. Start a new one.")


def _pupil(classroom: Classroom, act: ClassAct, name: str = "pupil") -> Pupil:
    number = act.body.get(name)
    pupil = None if number is None else classroom.pupils.get(number)
    if pupil is None or pupil.removed:
        raise Refusal(422, "There is no such pupil in this class.")
    return pupil


def _pair(classroom: Classroom, act: ClassAct, given: Known) -> ClassResolution:
    """Begins games: for everybody in a new round, or for those who wait in this one."""
    if classroom.paused is not None:
        raise Refusal(423, "The class is paused. Resume it first.")
    new = act.kind == "next" or classroom.round == 0
    if act.kind == "next" and classroom.round == 0:
        raise Refusal(422, "There is no round yet. Pair the class first.")
    if classroom.round + new > MOST_ROUNDS:
        raise Refusal(422, f"A class has {MOST_ROUNDS} rounds at most. Start a new one.")
    here = [
        pupil.number
        for pupil in classroom.present
        if (pupil.absent is None or given.seen.get(pupil.number, 0.0) > pupil.absent)
        and (new or waits(classroom, pupil.number, given.scores))
    ]
    if not here:
        raise Refusal(422, "Nobody is waiting for a game." if classroom.present else "Nobody has joined yet.")
    unfinished = [table.id for table in classroom.current if new and table.id not in given.scores]
    told = [classroom.tell("close", {}, unfinished, closes=True)]
    games = _games(classroom, here, given, random.Random(f"{classroom.id} {act.key}"))
    begins = [_begin(classroom, game, given) for game in games]
    listed = [{"id": kept.id, "pupils": list(game)} for kept, game in zip(begins, games, strict=True)]
    return classroom.resolve(
        act.kind, {"round": classroom.round + new, "games": listed}, act.key, given.now, begins, told
    )


def waits(classroom: Classroom, number: int, scores: Scores) -> bool:
    """Whether a pupil can be given a game in this round: one each in a tournament, else another after each."""
    table = classroom.table_of(number)
    return table is None or (table.id in scores and classroom.rules["mode"] != "rounds")


def _games(
    classroom: Classroom, pupils: list[int], given: Known, dice: random.Random
) -> list[tuple[int | None, int | None]]:
    past, mode = [table.pupils for table in classroom.tables], classroom.rules["mode"]
    if mode == "computer":
        return [game for pupil in pupils for game in pair([pupil], Past(past), dice)]
    return pair(pupils, Past(past, classroom.points(given.scores) if mode == "rounds" else None), dice)


def _begin(classroom: Classroom, players: tuple[int | None, int | None], given: Known) -> Kept:
    """A game of the class, in which both seats are taken."""
    rules, now, seats = classroom.rules, given.now, []
    for seat, number in enumerate(players):
        if number is None:
            level = rules["level"]
            seats.append(Seat(seat, None, computer_name(str(level)), level, now))
        else:
            pupil = classroom.pupils[number]
            seats.append(Seat(seat, pupil.token, pupil.name, None, now))
    begins = {
        **{name: rules[name] for name in ("game", "options", "hints", "takebacks")},
        "first": 1,
        "position": None,
        "moves": list(given.opening),
    }
    kept = Kept(new_id(), begins, None, "playing", False, now, now, seats=tuple(seats), code=classroom.code)
    return replace(kept, due=Room(kept).due)


def _rename(classroom: Classroom, act: ClassAct, now: float, playing: list[str]) -> ClassResolution:
    pupil = _pupil(classroom, act)
    given = first_name(act.body.get("name") or "")
    if not given:
        raise Refusal(422, "Type a first name.")
    name = _different(classroom, given, pupil.number)
    body = {"pupil": pupil.number, "name": name}
    told = _at_board(classroom, pupil.number, playing, "rename", {"name": name})
    return classroom.resolve("rename", body, act.key, now, told=told)


def _restore(classroom: Classroom, act: ClassAct, now: float) -> ClassResolution:
    """A pupil who was removed may come back."""
    pupil = next((each for each in classroom.removed if each.number == act.body.get("pupil")), None)
    if pupil is None:
        raise Refusal(422, "Nobody with this number was removed.")
    _needs_place(classroom)
    body = {"pupil": pupil.number, "name": _different(classroom, pupil.name, pupil.number)}
    return classroom.resolve("restore", body, act.key, now)


def _admit(classroom: Classroom, act: ClassAct, now: float, playing: list[str]) -> ClassResolution:
    """Somebody is back with another device, on which they joined as a newcomer: the newcomer's token becomes theirs.

    The games of the newcomer become theirs as well. If both are playing, the newcomer's game is broken off.
    """
    pupil, device = _pupil(classroom, act), _pupil(classroom, act, "device")
    if device.number == pupil.number:
        raise Refusal(422, "This is the same pupil.")
    busy = any(pupil.number in table.pupils and table.id in playing for table in classroom.current)
    played = [table for table in classroom.tables if device.number in table.pupils]
    broken = [table.id for table in played if table.id in playing and busy]
    theirs = [table.id for table in played if table.id not in broken and pupil.number not in table.pupils]
    told = _at_board(classroom, device.number, [id for id in theirs if id in playing], "rename", {"name": pupil.name})
    if not any(id in playing for id in theirs):
        told += _at_board(classroom, pupil.number, playing, "admit", {"token": device.token.hex()})
    told += [classroom.tell("close", {}, broken, closes=True)]
    body = {"pupil": pupil.number, "device": device.number, "games": theirs}
    return classroom.resolve("admit", body, act.key, now, told=told)


def _at_board(classroom: Classroom, number: int, playing: list[str], kind: str, body: dict[str, Any]) -> list[Told]:
    """An event for the game that a pupil plays, with their seat."""
    table = classroom.table_of(number)
    if table is None or table.id not in playing:
        return []
    return [classroom.tell(kind, {"seat": table.pupils.index(number), **body}, [table.id])]
