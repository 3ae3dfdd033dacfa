"""The acts of a teacher and of the pupils in a class.

Everything here is pure. An act is checked against a class and becomes events of the class, new games, and events in
games that are being played. A teacher's act names the version it responds to and carries an idempotency key: the same
key gets the same answer, and nothing happens twice.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from digitduels.players import computer_name, offered_player
from digitduels.text import clean, skeleton
from digitduels.web.classes.pairing import Past, pair
from digitduels.web.classes.state import TEACHER, Classroom, Pupil, Scores
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import KEY_USED, new_game
from digitduels.web.rooms.state import visible
from digitduels.web.streams.credentials import derive_secret, hash_secret, new_id
from digitduels.web.streams.fold import NOBODY, Act, Away, Conflict, Resolution
from digitduels.web.streams.store import Member, Notice, Stream, Token

CODE_LETTERS = "BCDFGHJKLMNPRSTVWXZ"  # no vowels, so no words; no letter that looks like another letter or a digit
CODE_LENGTH = 5
SETTINGS = ("game", "options", "level", "hints", "takebacks", "start", "anonymous", "locked", "auto_pairing")
PAIRING = ("pair", "next")  # acts that begin games
MOST_PUPILS = 60
MOST_ROUNDS = 60
MOST_CLASS_EVENTS = 3000
MOST_LINKS = 10  # of a teacher, at the same time
# Automatic pairing, in seconds
LOOK_BACK = 4.0  # for a pupil to look at the end of a game before the next one
PATIENCE = 10.0  # for somebody new to come before a pupil meets somebody again, or the computer
LONGEST_FIRST_NAME = 20
LONGEST_MESSAGE = 120
PAUSED = "Eyes to the front, please."
REMOVED = "Your teacher removed you from the class. Ask to be let back in."
MOVED = "You are playing in this class on another device."
REVOKED = "This link was withdrawn at the desk. Make a new one there."
CLASS_OVER = "This class has ended."


class Context(NamedTuple):
    """What an act depends on besides the class itself."""

    now: float
    scores: Scores = {}
    seen: Mapping[int, float] = {}
    """When each pupil was last seen."""
    opening: tuple[str, ...] = ()
    """The moves that new games begin with."""
    away: Away = NOBODY
    """The pupils who are away."""
    finished: Mapping[str, float] = {}
    """When each finished game ended."""


Step = tuple[dict[str, Any], list[Notice]]
"""The body of an event, and the notices that go with it."""


def new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def begin(rules: dict[str, Any], code: str, key: str, now: float) -> tuple[Stream, str]:
    """Creates a class: returns the class to store and the teacher's token. The same key gives the same class."""
    token = derive_secret(key, "teacher", 24)
    teacher = Member(TEACHER, "", None, now, (Token(hash_secret(token)),))
    origin = derive_secret(key, "class", 9)
    return Stream(code, "class", rules, "playing", False, now, now, origin=origin, members=(teacher,)), token


def pupil_token(classroom: Classroom, key: str) -> str:
    """Derives a pupil's token from the class and their key, so that a repeated request gets the same token."""
    return derive_secret(key, f"pupil {classroom.origin}", 24)


def join(classroom: Classroom, token: str, name: str, now: float) -> Resolution[Classroom]:
    """Adds a pupil with a token. The same token is the same pupil, unless that pupil has moved to another device."""
    digest = hash_secret(token)
    before = [member for member in classroom.members if any(known.hash == digest for known in member.tokens)]
    if classroom.pupil_of(token) is not None:
        return Resolution(classroom, classroom.joined[before[-1].number], None)
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
    number = classroom.members[-1].number + 1
    pupil = Member(number, _unique_name(classroom, first, number), None, now, (Token(digest),))
    key = f"join:{len(before) or ''}{digest[:32]}"
    return classroom.resolve((number, "join", {"pupil": number}, key), at=now, members=(pupil,))


def link_token(classroom: Classroom, key: str) -> str:
    """Derives the token of a teacher's link from the class and a key, so that a repeated request gets the same one."""
    return derive_secret(key, f"link {classroom.origin}", 24)


def make_link(classroom: Classroom, token: str, reads_only: bool, now: float) -> Resolution[Classroom]:
    """Adds a token for another device of the teacher. The same token is the same link."""
    digest = hash_secret(token)
    key = f"link:{digest[:32]}"
    earlier = classroom.keys.get(key)
    if classroom.has_revoked(token):
        raise Refusal(403, REVOKED)
    if earlier is not None:
        if earlier.body["reads_only"] != reads_only:
            raise Refusal(422, KEY_USED)
        return Resolution(classroom, earlier.version, None)
    if sum(not link.revoked for link in classroom.links.values()) >= MOST_LINKS:
        raise Refusal(422, f"A class has at most {MOST_LINKS} links for other devices. Withdraw one first.")
    _check_event_limit(classroom)
    body = {"link": len(classroom.links) + 1, "token": digest, "reads_only": reads_only}
    return classroom.resolve((TEACHER, "link", body, key), at=now)


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


def act(classroom: Classroom, act: Act, context: Context) -> Resolution[Classroom]:
    """Applies a teacher's act, or refuses it with the reason."""
    earlier = classroom.keys.get(act.key)
    if earlier is not None:
        if earlier.kind != act.kind:
            raise Refusal(422, KEY_USED)
        return Resolution(classroom, earlier.version, None)
    if act.version != classroom.head:
        raise Conflict(409, f"The class has moved on: it is at version {classroom.head}, not {act.version}.")
    if classroom.ended and act.kind not in ("rename", "settings", "revoke"):
        raise Conflict(410, CLASS_OVER)
    _check_event_limit(classroom)
    playing = [table.id for table in classroom.current if table.id not in context.scores]

    def resolved(body: dict[str, Any], notices: Iterable[Notice] = ()) -> Resolution[Classroom]:
        return classroom.resolve((TEACHER, act.kind, body, act.key), at=context.now, notices=tuple(notices))

    match act.kind:
        case "pair" | "next":
            return _pair(classroom, act, context)
        case "pause":
            if classroom.paused is not None:
                raise Refusal(422, "The class is paused already.")
            message = clean(act.body.get("message") or "", LONGEST_MESSAGE) or PAUSED
            notice = classroom.notice("pause", {"message": message}, playing)
            return resolved({"message": message}, [notice])
        case "resume":
            if classroom.paused is None:
                raise Refusal(422, "The class is not paused.")
            return resolved({}, [classroom.notice("resume", {}, playing)])
        case "end":
            return resolved({}, [classroom.notice("close", {}, playing, closes=True)])
        case "rename":
            return resolved(*_rename(classroom, act, playing))
        case "remove":
            number = _pupil_in(classroom, act).number
            games = [table.id for table in classroom.current if number in table.pupils and table.id in playing]
            return resolved({"pupil": number}, [classroom.notice("close", {}, games, closes=True)])
        case "remove-newcomers":
            newcomers = [pupil.number for pupil in classroom.present if not classroom.games_of(pupil.number)]
            if not newcomers:
                raise Refusal(422, "Every pupil in this class has played.")
            return resolved({"pupils": newcomers})
        case "restore":
            return resolved(*_restore(classroom, act))
        case "admit":
            return resolved(*_admit(classroom, act, playing))
        case "substitute":
            return resolved({"pupil": _pupil_in(classroom, act).number})
        case "revoke":
            link = classroom.links.get(act.body.get("link", 0))
            if link is None or link.revoked:
                raise Refusal(422, "There is no such link.")
            return resolved({"link": link.number})
        case _:
            return resolved({name: act.body[name] for name in SETTINGS if act.body.get(name) is not None})


def _require_place(classroom: Classroom) -> None:
    if len(classroom.present) >= MOST_PUPILS:
        raise Refusal(409, f"This class is full: it has {MOST_PUPILS} pupils.")


def _check_event_limit(classroom: Classroom) -> None:
    if classroom.head >= MOST_CLASS_EVENTS:
        raise Refusal(422, "This class has reached its limit of events. Start a new one.")


def _pupil_in(classroom: Classroom, act: Act, name: str = "pupil") -> Pupil:
    number = act.body.get(name)
    pupil = None if number is None else classroom.pupils.get(number)
    if pupil is None or pupil.removed:
        raise Refusal(422, "There is no such pupil in this class.")
    return pupil


def games_begun(classroom: Classroom, act: Act, context: Context) -> int:
    """How many games an act would begin, without pairing anybody; 0 for one that is repeated or outdated."""
    if act.kind not in PAIRING or act.key in classroom.keys or act.version != classroom.head:
        return 0
    pupils = len(_to_pair(classroom, act, context))
    return pupils if classroom.rules["mode"] == "computer" else (pupils + 1) // 2


def _to_pair(classroom: Classroom, act: Act, context: Context) -> list[int]:
    """The pupils who get a game: everybody in a new round, or those who are waiting in this one."""
    if classroom.paused is not None:
        raise Refusal(423, "The class is paused. Resume it first.")
    if act.kind == "next" and classroom.round == 0:
        raise Refusal(422, "There is no round yet. Pair the class first.")
    new = _is_new_round(classroom, act)
    if classroom.round + new > MOST_ROUNDS:
        raise Refusal(422, f"A class has at most {MOST_ROUNDS} rounds. Start a new one.")
    here = [
        pupil.number
        for pupil in classroom.present
        if _is_back(pupil, context) and (new or waits(classroom, pupil.number, context.scores))
    ]
    if not here:
        raise Refusal(422, "Nobody is waiting for a game." if classroom.present else "Nobody has joined yet.")
    return here


def _is_new_round(classroom: Classroom, act: Act) -> bool:
    return act.kind == "next" or classroom.round == 0


def _pair(classroom: Classroom, act: Act, context: Context) -> Resolution[Classroom]:
    """Starts games: for everybody in a new round, or for the pupils who are waiting in this one."""
    here, new = _to_pair(classroom, act, context), _is_new_round(classroom, act)
    unfinished = [table.id for table in classroom.current if new and table.id not in context.scores]
    notices = (classroom.notice("close", {}, unfinished, closes=True),)
    games = _pairings(classroom, here, context, act.key)
    begins, listed = _new_games(classroom, games, context)
    body = {"round": classroom.round + new, "games": listed}
    return classroom.resolve((TEACHER, act.kind, body, act.key), at=context.now, begins=begins, notices=notices)


def pair_waiting(classroom: Classroom, context: Context) -> Resolution[Classroom] | None:
    """Pairs the pupils who wait in a class that pairs by itself; None if there is nobody to pair yet.

    Two pupils who have not met play at once. Others wait a while for somebody new. The key belongs to the version, so
    that two servers never both pair the same pupils.
    """
    waited = waiting_times(classroom, context)
    ready = [number for number, seconds in waited.items() if seconds >= LOOK_BACK or not classroom.games_of(number)]
    met, key = {frozenset(table.pupils) for table in classroom.tables}, f"pair:{classroom.head}"

    def is_due(game: tuple[int | None, int | None]) -> bool:
        if None not in game:
            return frozenset(game) not in met or max(waited[number] for number in game if number) >= PATIENCE
        if classroom.rules["mode"] == "computer":
            return True
        nobody_follows = len(ready) == len(waited)
        return nobody_follows and max(waited[number] for number in game if number) >= PATIENCE

    games = [game for game in _pairings(classroom, ready, context, key) if is_due(game)] if ready else []
    if not games:
        return None
    begins, listed = _new_games(classroom, games, context)
    body = {"round": classroom.round, "games": listed}
    return classroom.resolve((None, "pair", body, key), at=context.now, begins=begins)


def waiting_times(classroom: Classroom, context: Context) -> dict[int, float]:
    """How many seconds each pupil has waited whom the class pairs by itself; empty if it does not, or not now."""
    if not classroom.pairs_itself or classroom.head >= MOST_CLASS_EVENTS:
        return {}
    since = {
        pupil.number: max([classroom.arrived[pupil.number], *_ends(classroom, pupil.number, context)])
        for pupil in classroom.present
        if waits(classroom, pupil.number, context.scores)
        and pupil.number not in context.away
        and _is_back(pupil, context)
    }
    # After the clock was set back, nobody waits until it has caught up.
    return {number: abs(context.now - at) for number, at in since.items()}


def _ends(classroom: Classroom, number: int, context: Context) -> list[float]:
    """When a pupil's last game in this round ended, if they had one."""
    table = classroom.table_of(number)
    return [] if table is None else [context.finished[table.id]]


def _is_back(pupil: Pupil, context: Context) -> bool:
    """Whether a pupil never left, or has been seen since the computer replaced them."""
    return pupil.absent is None or context.seen.get(pupil.number, 0.0) > pupil.absent


def waits(classroom: Classroom, number: int, scores: Scores) -> bool:
    """Whether a pupil can get a game in this round. In a tournament, a pupil gets only one."""
    table = classroom.table_of(number)
    return table is None or (table.id in scores and classroom.rules["mode"] != "rounds")


def _pairings(
    classroom: Classroom, pupils: list[int], context: Context, key: str
) -> list[tuple[int | None, int | None]]:
    mode, rng = classroom.rules["mode"], random.Random(f"{classroom.origin} {key}")
    if mode == "computer":
        theirs = {pupil: [table.pupils for table in classroom.games_of(pupil)] for pupil in pupils}
        return [game for pupil in pupils for game in pair([pupil], Past(theirs[pupil]), rng)]
    past = [table.pupils for table in classroom.tables]
    points = {pupil: sum(classroom.results_of(pupil, context.scores)) for pupil in pupils} if mode == "rounds" else None
    return pair(pupils, Past(past, points), rng)


def _new_games(
    classroom: Classroom, games: list[tuple[int | None, int | None]], context: Context
) -> tuple[list[Stream], list[dict[str, Any]]]:
    """New games of the class, and how an event lists them."""
    begins = [_new_game(classroom, game, context) for game in games]
    return begins, [{"id": new.id, "pupils": list(game)} for new, game in zip(begins, games, strict=True)]


def _new_game(classroom: Classroom, players: tuple[int | None, int | None], context: Context) -> Stream:
    """A new game of the class, with both seats taken."""
    rules, now, seats = classroom.rules, context.now, []
    for seat, number in enumerate(players):
        if number is None:
            level = offered_player(str(rules["level"]), rules["game"])
            seats.append(Member(seat, computer_name(level), int(level), now))
        else:
            pupil = classroom.pupils[number]
            seats.append(Member(seat, pupil.name, None, now, pupil.tokens))
    start = {
        **{name: rules[name] for name in ("game", "options", "hints", "takebacks")},
        "first": 1,
        "position": None,
        "moves": list(context.opening),
    }
    return new_game(new_id(), start, seats, now, parent=classroom.id)


def _rename(classroom: Classroom, act: Act, playing: list[str]) -> Step:
    pupil = _pupil_in(classroom, act)
    first = first_name(act.body.get("name") or "")
    if not first:
        raise Refusal(422, "Type a first name.")
    name = _unique_name(classroom, first, pupil.number)
    body = {"pupil": pupil.number, "name": name}
    return body, _notice_for_game(classroom, pupil.number, playing, "rename", {"name": name})


def _restore(classroom: Classroom, act: Act) -> Step:
    """Lets a removed pupil back in."""
    pupil = next((removed for removed in classroom.removed if removed.number == act.body.get("pupil")), None)
    if pupil is None:
        raise Refusal(422, "Nobody with this number was removed.")
    _require_place(classroom)
    return {"pupil": pupil.number, "name": _unique_name(classroom, pupil.name, pupil.number)}, []


def _admit(classroom: Classroom, act: Act, playing: list[str]) -> Step:
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
    notices = _notice_for_game(
        classroom, device.number, [id for id in moved if id in playing], "rename", {"name": pupil.name}
    )
    if not any(id in playing for id in moved):
        notices += _notice_for_game(classroom, pupil.number, playing, "admit", {"token": device.tokens[0].hash})
    notices += [classroom.notice("close", {}, closed, closes=True)]
    return {"pupil": pupil.number, "device": device.number, "games": moved}, notices


def _notice_for_game(
    classroom: Classroom, number: int, playing: list[str], kind: str, body: dict[str, Any]
) -> list[Notice]:
    """An event for the game that a pupil is playing, with their seat in its body; empty if they are not playing."""
    table = classroom.table_of(number)
    if table is None or table.id not in playing:
        return []
    return [classroom.notice(kind, {"seat": table.pupils.index(number), **body}, [table.id])]
