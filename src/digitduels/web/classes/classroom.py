"""Classes as event-sourced values: the acts that a teacher can make, and the state they lead to.

Everything here is pure. A classroom is an immutable value, computed by replaying its events. A teacher's act is checked
against it and becomes events of the class, new games, and events in games that are being played. An act names the
version it responds to and carries an idempotency key: the same key gets the same answer, and nothing happens twice.
"""

from __future__ import annotations

import hmac
import random
import secrets
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

from digitduels.players import computer_name, offered_player
from digitduels.text import clean, skeleton
from digitduels.web.classes.pairing import Past, pair
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import Room, derive_secret, hash_secret, new_id, visible
from digitduels.web.store import ClassChange, Event, Kept, KeptClass, Seat, Told

CODE_LETTERS = "BCDFGHJKLMNPRSTVWXZ"  # no vowels, so no words; no letter that looks like another letter or a digit
CODE_LENGTH = 5
SETTINGS = ("game", "options", "level", "hints", "takebacks", "start", "anonymous", "locked")
MOST_PUPILS = 60
MOST_ROUNDS = 60
MOST_CLASS_EVENTS = 3000
LONGEST_FIRST_NAME = 20
LONGEST_MESSAGE = 120
PAUSED = "Eyes to the front, please."
REMOVED = "Your teacher removed you from the class. Ask to be let back in."
CLASS_OVER = "This class has ended."

Scores = Mapping[str, tuple[float, float] | None]
"""The points of both seats in each finished game; None for a game without a move, which does not count."""


class Context(NamedTuple):
    """What an act depends on besides the class itself."""

    now: float
    scores: Scores = {}
    seen: Mapping[int, float] = {}
    """When each pupil was last seen."""
    opening: tuple[str, ...] = ()
    """The moves that new games begin with."""


class ClassConflict(Refusal):
    """Refuses an act that the class in its current state does not allow. The response includes that state."""

    def __init__(self, classroom: Classroom, sentence: str, status: int = 409) -> None:
        super().__init__(status, sentence)
        self.classroom = classroom


class ClassAct(NamedTuple):
    """A teacher's request to change a class, in response to one version of it."""

    kind: str
    version: int
    key: str
    body: dict[str, Any] = {}


class ClassResolution(NamedTuple):
    """The result of an act: the class after it, the version it created, and the change to store (None for a repeat)."""

    classroom: Classroom
    accepted: int
    change: ClassChange | None


class Pupil(NamedTuple):
    """A person who has joined the class."""

    number: int
    name: str
    token: bytes
    """The hash of the token, which also opens the pupil's seats. Empty after `admit` has given it to another pupil."""
    removed: bool = False
    absent: float | None = None
    """When the computer replaced them. They are not paired until they have been seen again."""


class Table(NamedTuple):
    """A game of the class."""

    id: str
    round: int
    pupils: tuple[int | None, int | None]
    """The pupils' numbers by seat; None for the computer."""
    level: int
    """The computer's level, if it plays."""

    def with_pupil(self, number: int, instead: int) -> Table:
        """The same game with one pupil replaced by another."""
        first, second = (number if pupil == instead else pupil for pupil in self.pupils)
        return self._replace(pupils=(first, second))


class Classroom:
    """A class after some events. It is immutable: `then` returns a new class with further events."""

    def __init__(self, kept: KeptClass) -> None:
        self.code, self.id, self.token, self.created = kept.code, kept.id, kept.token, kept.created
        self.rules = kept.rules
        self.touched = kept.created
        """The time of the last event."""
        self.head = 0
        self.round = 0
        self.paused: str | None = None
        self.ended = False
        self.pupils: dict[int, Pupil] = {}
        self.tables: tuple[Table, ...] = ()
        self.current: tuple[Table, ...] = ()
        """The games of this round."""
        self._games: dict[int | None, tuple[Table, ...]] = {}
        """The games of each pupil, oldest first; with None, those against the computer."""
        self.keys: dict[str, Event] = {}
        for event in kept.events:
            self._apply(event)

    def then(self, events: Iterable[Event]) -> Classroom:
        """The class after further events."""
        classroom = copy(self)
        classroom.pupils, classroom.keys = self.pupils.copy(), self.keys.copy()
        for event in events:
            classroom._apply(event)
        return classroom

    def _apply(self, event: Event) -> None:
        body = event.body
        match event.kind:
            case "join":
                self._set(Pupil(body["pupil"], body["name"], bytes.fromhex(body["token"])))
            case "pair" | "next":
                self.round = body["round"]
                level = int(offered_player(str(self.rules["level"]), self.rules["game"]))
                self._seat([Table(game["id"], self.round, tuple(game["pupils"]), level) for game in body["games"]])
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
            case "remove-newcomers":
                for number in body["pupils"]:
                    self._set(self.pupils[number]._replace(removed=True))
            case "admit":
                device, number = self.pupils[body["device"]], body["pupil"]
                self._set(device._replace(token=b"", removed=True))
                self._set(self.pupils[number]._replace(token=device.token, absent=None))
                theirs = body.get("games", ())
                tables, self.tables, self._games = self.tables, (), {}
                self._seat(
                    [table.with_pupil(number, device.number) if table.id in theirs else table for table in tables]
                )
            case "restore":
                self._set(self.pupils[body["pupil"]]._replace(removed=False, name=body["name"]))
            case "substitute":
                self._set(self.pupils[body["pupil"]]._replace(absent=event.at))
            case "settings":
                self.rules = {**self.rules, **body}
        self.head, self.keys[event.key] = event.version, event
        self.touched = event.at

    def _seat(self, tables: Iterable[Table]) -> None:
        """Adds games."""
        self.tables = (*self.tables, *tables)
        self.current = tuple(table for table in self.tables if table.round == self.round)
        self._games = self._games.copy()
        for table in tables:
            for number in table.pupils:
                self._games[number] = (*self._games.get(number, ()), table)

    def _set(self, pupil: Pupil) -> None:
        self.pupils[pupil.number] = pupil

    @property
    def present(self) -> list[Pupil]:
        """The pupils who have not been removed, in the order in which they joined."""
        return [pupil for pupil in self.pupils.values() if not pupil.removed]

    @property
    def removed(self) -> list[Pupil]:
        """The pupils whom the teacher removed, and can restore."""
        return [pupil for pupil in self.pupils.values() if pupil.removed and pupil.token]

    def games_of(self, number: int) -> tuple[Table, ...]:
        """A pupil's games, oldest first."""
        return self._games.get(number, ())

    def table_of(self, number: int) -> Table | None:
        """A pupil's latest game in this round."""
        latest = self.games_of(number)[-1:]
        return latest[0] if latest and latest[0].round == self.round else None

    def pupil_of(self, token: str) -> Pupil | None:
        """The pupil to whom a token belongs."""
        digest, owner = hash_secret(token), None
        for pupil in self.present:
            if hmac.compare_digest(pupil.token, digest):
                owner = pupil
        return owner

    def has_known(self, token: str) -> bool:
        """Whether a pupil has joined with a token, perhaps on a device that another one has replaced."""
        digest = hash_secret(token).hex()
        return any(event.kind == "join" and event.body["token"] == digest for event in self.keys.values())

    def has_removed(self, token: str) -> bool:
        """Whether a token belongs to a pupil whom the teacher removed."""
        digest = hash_secret(token)
        return any(hmac.compare_digest(pupil.token, digest) for pupil in self.removed)

    def is_teacher(self, token: str) -> bool:
        return hmac.compare_digest(self.token, hash_secret(token))

    def name_at(self, table: Table, seat: int) -> str:
        """The name of the player in a seat of a game."""
        number = table.pupils[seat]
        if number is None:
            return computer_name(str(table.level))
        pupil = self.pupils[number]
        return "somebody who left" if pupil.removed else pupil.name

    def points(self, number: int, scores: Scores) -> float:
        """A pupil's points."""
        finished = ((table, scores.get(table.id)) for table in self.games_of(number))
        return sum(points[table.pupils.index(number)] for table, points in finished if points is not None)

    def resolve(
        self,
        kind: str,
        body: dict[str, Any],
        key: str,
        at: float,
        begins: Iterable[Kept] = (),
        told: Iterable[Told] = (),
    ) -> ClassResolution:
        """Applies one event. New games begin with it, and `told` are events for games in progress."""
        event = Event(self.head + 1, None, kind, body, key, at)
        return ClassResolution(self.then([event]), event.version, ClassChange((event,), tuple(begins), tuple(told)))

    def tell(self, kind: str, body: dict[str, Any], games: Iterable[str], closes: bool = False) -> Told:
        """An event for games of the class. Its key is unique to the next version of the class."""
        return Told(tuple(games), kind, body, f"class:{self.head + 1}:{kind}", closes)


# Acts.


def new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def begin_class(rules: dict[str, Any], code: str, key: str, now: float) -> tuple[KeptClass, str]:
    """Creates a class: returns the class to store and the teacher's token. The same key gives the same class."""
    token = derive_secret(key, "teacher", 24)
    return KeptClass(code, derive_secret(key, "class", 9), hash_secret(token), rules, now), token


def pupil_token(classroom: Classroom, key: str) -> str:
    """Derives a pupil's token from the class and their key, so that a repeated request gets the same token."""
    return derive_secret(key, f"pupil {classroom.id}", 24)


def join_class(classroom: Classroom, token: str, name: str, now: float) -> ClassResolution:
    """Adds a pupil with a token. The same token is the same pupil, unless that pupil has moved to another device."""
    digest = hash_secret(token)
    joined = [event for event in classroom.keys.values() if event.kind == "join"]
    before = [event for event in joined if event.body["token"] == digest.hex()]
    if classroom.pupil_of(token) is not None:
        return ClassResolution(classroom, before[-1].version, None)
    if classroom.has_removed(token):
        raise Refusal(403, REMOVED)
    if classroom.ended:
        raise Refusal(410, CLASS_OVER)
    if classroom.rules.get("locked"):
        raise Refusal(423, "This class is locked. Ask your teacher to let you in.")
    _require_place(classroom)
    _check_event_limit(classroom)
    first = first_name(name)
    if not first:
        raise Refusal(422, "Type a first name.")
    number = max((event.body["pupil"] for event in joined), default=0) + 1
    body = {"pupil": number, "name": _unique_name(classroom, first, number), "token": digest.hex()}
    return classroom.resolve("join", body, f"join:{len(before) or ''}{digest.hex()[:32]}", now)


def first_name(name: str) -> str:
    """A name cleaned and shortened for the wall; empty if it has no visible character."""
    return visible(clean(name, LONGEST_FIRST_NAME))


def _unique_name(classroom: Classroom, name: str, number: int) -> str:
    """The name, with a number after it if another pupil has one that looks the same."""
    taken = {skeleton(pupil.name) for pupil in classroom.present if pupil.number != number}
    unique, count = name, 2
    while skeleton(unique) in taken:
        ending = f" {count}"
        unique, count = name[: LONGEST_FIRST_NAME - len(ending)].strip() + ending, count + 1
    return unique


def twin(classroom: Classroom, pupil: Pupil) -> Pupil | None:
    """A pupil who may be the same person on another device: for "Ann 2", the pupil called "Ann"."""
    words = pupil.name.rsplit(" ", 1)
    if len(words) != 2 or not words[1].isdecimal():
        return None
    return next((other for other in classroom.present if skeleton(other.name) == skeleton(words[0])), None)


def class_act(classroom: Classroom, act: ClassAct, context: Context) -> ClassResolution:
    """Applies a teacher's act, or refuses it with the reason."""
    now = context.now
    earlier = classroom.keys.get(act.key)
    if earlier is not None:
        if earlier.kind != act.kind:
            raise Refusal(422, "This key was used for something else. Take a new one each time.")
        return ClassResolution(classroom, earlier.version, None)
    if act.version != classroom.head:
        raise ClassConflict(classroom, f"The class has moved on: it is at version {classroom.head}, not {act.version}.")
    if classroom.ended and act.kind not in ("rename", "settings"):
        raise ClassConflict(classroom, CLASS_OVER, 410)
    _check_event_limit(classroom)
    playing = [table.id for table in classroom.current if table.id not in context.scores]
    match act.kind:
        case "pair" | "next":
            return _pair(classroom, act, context)
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
            number = _pupil_in(classroom, act).number
            games = [table.id for table in classroom.current if number in table.pupils and table.id in playing]
            told = classroom.tell("close", {}, games, closes=True)
            return classroom.resolve("remove", {"pupil": number}, act.key, now, told=[told])
        case "remove-newcomers":
            newcomers = [pupil.number for pupil in classroom.present if not classroom.games_of(pupil.number)]
            if not newcomers:
                raise Refusal(422, "Every pupil in this class has played.")
            return classroom.resolve("remove-newcomers", {"pupils": newcomers}, act.key, now)
        case "restore":
            return _restore(classroom, act, now)
        case "admit":
            return _admit(classroom, act, now, playing)
        case "substitute":
            return classroom.resolve("substitute", {"pupil": _pupil_in(classroom, act).number}, act.key, now)
        case _:
            settings = {name: act.body[name] for name in SETTINGS if act.body.get(name) is not None}
            return classroom.resolve("settings", settings, act.key, now)


def _require_place(classroom: Classroom) -> None:
    if len(classroom.present) >= MOST_PUPILS:
        raise Refusal(409, f"This class is full: it has {MOST_PUPILS} pupils.")


def _check_event_limit(classroom: Classroom) -> None:
    if classroom.head >= MOST_CLASS_EVENTS:
        raise Refusal(422, "This class has reached its limit of events. Start a new one.")


def _pupil_in(classroom: Classroom, act: ClassAct, name: str = "pupil") -> Pupil:
    number = act.body.get(name)
    pupil = None if number is None else classroom.pupils.get(number)
    if pupil is None or pupil.removed:
        raise Refusal(422, "There is no such pupil in this class.")
    return pupil


def _pair(classroom: Classroom, act: ClassAct, context: Context) -> ClassResolution:
    """Starts games: for everybody in a new round, or for the pupils who are waiting in this one."""
    if classroom.paused is not None:
        raise Refusal(423, "The class is paused. Resume it first.")
    new = act.kind == "next" or classroom.round == 0
    if act.kind == "next" and classroom.round == 0:
        raise Refusal(422, "There is no round yet. Pair the class first.")
    if classroom.round + new > MOST_ROUNDS:
        raise Refusal(422, f"A class has at most {MOST_ROUNDS} rounds. Start a new one.")
    here = [
        pupil.number
        for pupil in classroom.present
        if (pupil.absent is None or context.seen.get(pupil.number, 0.0) > pupil.absent)
        and (new or waits(classroom, pupil.number, context.scores))
    ]
    if not here:
        raise Refusal(422, "Nobody is waiting for a game." if classroom.present else "Nobody has joined yet.")
    unfinished = [table.id for table in classroom.current if new and table.id not in context.scores]
    told = [classroom.tell("close", {}, unfinished, closes=True)]
    games = _pairings(classroom, here, context, random.Random(f"{classroom.id} {act.key}"))
    begins = [_new_game(classroom, game, context) for game in games]
    listed = [{"id": kept.id, "pupils": list(game)} for kept, game in zip(begins, games, strict=True)]
    return classroom.resolve(
        act.kind, {"round": classroom.round + new, "games": listed}, act.key, context.now, begins, told
    )


def waits(classroom: Classroom, number: int, scores: Scores) -> bool:
    """Whether a pupil can get a game in this round. In a tournament, a pupil gets only one."""
    table = classroom.table_of(number)
    return table is None or (table.id in scores and classroom.rules["mode"] != "rounds")


def _pairings(
    classroom: Classroom, pupils: list[int], context: Context, rng: random.Random
) -> list[tuple[int | None, int | None]]:
    past, mode = [table.pupils for table in classroom.tables], classroom.rules["mode"]
    if mode == "computer":
        return [game for pupil in pupils for game in pair([pupil], Past(past), rng)]
    points = {pupil: classroom.points(pupil, context.scores) for pupil in pupils} if mode == "rounds" else None
    return pair(pupils, Past(past, points), rng)


def _new_game(classroom: Classroom, players: tuple[int | None, int | None], context: Context) -> Kept:
    """A new game of the class, with both seats taken."""
    rules, now, seats = classroom.rules, context.now, []
    for seat, number in enumerate(players):
        if number is None:
            level = offered_player(str(rules["level"]), rules["game"])
            seats.append(Seat(seat, None, computer_name(level), int(level), now))
        else:
            pupil = classroom.pupils[number]
            seats.append(Seat(seat, pupil.token, pupil.name, None, now))
    start = {
        **{name: rules[name] for name in ("game", "options", "hints", "takebacks")},
        "first": 1,
        "position": None,
        "moves": list(context.opening),
    }
    kept = Kept(new_id(), start, None, "playing", False, now, now, seats=tuple(seats), code=classroom.code)
    return replace(kept, due=Room(kept).due)


def _rename(classroom: Classroom, act: ClassAct, now: float, playing: list[str]) -> ClassResolution:
    pupil = _pupil_in(classroom, act)
    first = first_name(act.body.get("name") or "")
    if not first:
        raise Refusal(422, "Type a first name.")
    name = _unique_name(classroom, first, pupil.number)
    body = {"pupil": pupil.number, "name": name}
    told = _event_for_game(classroom, pupil.number, playing, "rename", {"name": name})
    return classroom.resolve("rename", body, act.key, now, told=told)


def _restore(classroom: Classroom, act: ClassAct, now: float) -> ClassResolution:
    """Lets a removed pupil back in."""
    pupil = next((removed for removed in classroom.removed if removed.number == act.body.get("pupil")), None)
    if pupil is None:
        raise Refusal(422, "Nobody with this number was removed.")
    _require_place(classroom)
    body = {"pupil": pupil.number, "name": _unique_name(classroom, pupil.name, pupil.number)}
    return classroom.resolve("restore", body, act.key, now)


def _admit(classroom: Classroom, act: ClassAct, now: float, playing: list[str]) -> ClassResolution:
    """Merges a newcomer into a pupil who has joined again on another device: the pupil gets the newcomer's token.

    The pupil also gets the newcomer's games. If both are playing, the newcomer's game is closed.
    """
    pupil, device = _pupil_in(classroom, act), _pupil_in(classroom, act, "device")
    if device.number == pupil.number:
        raise Refusal(422, "This is the same pupil.")
    busy = any(pupil.number in table.pupils and table.id in playing for table in classroom.current)
    played = classroom.games_of(device.number)
    closed = [table.id for table in played if table.id in playing and busy]
    moved = [table.id for table in played if table.id not in closed and pupil.number not in table.pupils]
    told = _event_for_game(
        classroom, device.number, [id for id in moved if id in playing], "rename", {"name": pupil.name}
    )
    if not any(id in playing for id in moved):
        told += _event_for_game(classroom, pupil.number, playing, "admit", {"token": device.token.hex()})
    told += [classroom.tell("close", {}, closed, closes=True)]
    body = {"pupil": pupil.number, "device": device.number, "games": moved}
    return classroom.resolve("admit", body, act.key, now, told=told)


def _event_for_game(
    classroom: Classroom, number: int, playing: list[str], kind: str, body: dict[str, Any]
) -> list[Told]:
    """An event for the game that a pupil is playing, with their seat in its body; empty if they are not playing."""
    table = classroom.table_of(number)
    if table is None or table.id not in playing:
        return []
    return [classroom.tell(kind, {"seat": table.pupils.index(number), **body}, [table.id])]
