"""Games between friends: what can happen in one, as events, and what follows from them.

Everything here is pure. A room is a value: what follows from its events so far. An act is judged against it and becomes
events, with which there is a next room. An act names the version it answers and carries a key: the same key gets the
same answer, and nothing happens twice.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import unicodedata
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from digitduels.core import IllegalMove, InvalidMove
from digitduels.games import AnyGame, UnknownGame, game
from digitduels.match import LONGEST_NAME, Match
from digitduels.players import computer_name
from digitduels.record import to_record
from digitduels.sentence import Count, player_name, tell
from digitduels.text import clean
from digitduels.web.refusal import Refusal
from digitduels.web.store import Change, Event, Kept, Seat

LONGEST_GAME = 1000  # moves
MOST_EVENTS = 1000  # after which nothing is taken back any more, so that a game has an end
LEVELS = range(1, 8)
MOST_LEGALITIES = 1000  # sets of legal moves that each variant keeps


class Conflict(Refusal):
    """An act that comes too late; its sender is shown the present state."""

    def __init__(self, room: Room, sentence: str, status: int = 409) -> None:
        super().__init__(status, sentence)
        self.room = room


class Act(NamedTuple):
    """What somebody wants to do, in answer to a version."""

    kind: str
    seat: int
    version: int
    key: str
    body: dict[str, Any] = {}


class Resolution(NamedTuple):
    """What becomes of an act: the room after it, the version it led to, and what is to be kept if it is new."""

    room: Room
    accepted: int
    change: Change | None


# Secrets: a game's id is known to all who watch, a token only to who sits there. Only hashes are kept.


def new_id() -> str:
    return secrets.token_urlsafe(9)


def new_secret() -> str:
    return secrets.token_urlsafe(24)


def hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def token_for(invite: str, key: str) -> str:
    """The token of a person who joins by an invitation with a key of their own: the same for the same two."""
    return urlsafe_b64encode(hmac.digest(invite.encode(), key.encode(), "sha256")[:24]).decode()


def derived(key: str, purpose: str, length: int) -> str:
    """A secret of somebody who sent a key: the same for the same key."""
    return urlsafe_b64encode(hmac.digest(key.encode(), purpose.encode(), "sha256")[:length]).decode()


def seat_of(seats: Iterable[Seat], token: str) -> int | None:
    """The seat that a token opens."""
    wanted, found = hashed(token), None
    for seat in seats:
        if seat.token is not None and hmac.compare_digest(seat.token, wanted):
            found = seat.seat
    return found


# A room.


class Room:
    """A game between friends after some events. Nothing changes it; `then` is the room after further events."""

    def __init__(self, kept: Kept) -> None:
        """Raises ValueError or Refusal if what is kept does not go by the rules that are installed."""
        self.id, self.rules, self.invite = kept.id, kept.rules, kept.invite
        self.seats, self.code = kept.seats, kept.code
        self.match = _start(kept)
        self.levels = [seat and seat.level for seat in (kept.seat(0), kept.seat(1))]
        """What level the computer plays at for each seat; None for a person."""
        self.head = 0
        self.keys: dict[str, Event] = {}
        self.takeback: int | None = None
        """Who asks to take back a move."""
        self.rematch: str | None = None
        self.closed = False
        self.note: str | None = None
        """Why the computer did not choose the last move as it should, if so."""
        self.paused: str | None = None
        """What a teacher says while the game rests."""
        for event in kept.events:
            self._happen(event)
        self.touched = kept.touched

    def then(self, events: Iterable[Event], seats: tuple[Seat, ...] | None = None) -> Room:
        """The room after further events, with more seats taken."""
        room = object.__new__(Room)
        room.__dict__ |= self.__dict__  # what `copy` does, but quicker
        room.match, room.levels, room.keys = self.match.copy(), self.levels[:], self.keys.copy()
        if seats is not None and len(seats) != len(self.seats):
            room.seats = seats
            room.match.names = _names(seats)
        for event in events:
            room._happen(event)
        return room

    def _happen(self, event: Event) -> None:
        match event.kind:
            case "move":
                self.match.play(self.match.game.read(event.body["move"], self.match.state))
            case "concede":
                self.match.concede(event.body["seat"])
            case "accept":
                self.match.take_back(event.body["moves"])
            case "substitute":
                self.levels[event.body["seat"]] = event.body["level"]
            case "return":
                self.levels[event.body["seat"]] = None
            case "rematch":
                self.rematch = event.body["game"]
            case "close":
                self.closed, self.paused = True, None
            case "pause":
                self.paused = event.body["message"]
            case "resume":
                self.paused = None
            case "rename":
                self._reseat(event.body["seat"], name=event.body["name"])
            case "admit":
                self._reseat(event.body["seat"], token=bytes.fromhex(event.body["token"]))
        self.note = event.body.get("note") if event.kind == "move" else None
        self.takeback = event.seat if event.kind == "takeback" else None
        self.head, self.touched, self.keys[event.key] = event.version, event.at, event

    def _reseat(self, number: int, **changed: Any) -> None:
        """The person in a seat has another name, or another device."""
        self.seats = tuple(seat._replace(**changed) if seat.seat == number else seat for seat in self.seats)
        self.match.names = _names(self.seats)

    @property
    def over(self) -> bool:
        return self.closed or self.match.outcome is not None

    @property
    def full(self) -> bool:
        return len(self.seats) == 2

    @property
    def status(self) -> str:
        if self.closed:
            return "closed"
        return "open" if not self.full else "over" if self.over else "playing"

    @property
    def due(self) -> bool:
        """Whether the computer is to move."""
        return self.full and self.levels[self.match.state.player] is not None and not self.over

    def seat(self, number: int) -> Seat | None:
        return next((seat for seat in self.seats if seat.seat == number), None)

    def resolve(self, *happened: tuple[int | None, str, dict[str, Any], str], at: float, **more: Any) -> Resolution:
        """Lets things happen, each by a seat, of a kind, with a body and under a key."""
        events = tuple(Event(self.head + place, *what, at) for place, what in enumerate(happened, 1))
        seats = more.get("seats")
        room = self.then(events, None if seats is None else tuple(sorted((*self.seats, *seats))))
        return Resolution(room, events[0].version, Change(events, room.status, room.due, **more))


def _start(kept: Kept) -> Match:
    """The match before anything happened."""
    rules = kept.rules
    played = _game(rules["game"], json.dumps(rules["options"]))
    if len(played._permitted) > MOST_LEGALITIES:  # what visitors make up must not fill the memory
        played._permitted.clear()
    position = None if rules["position"] is None else played.position(rules["position"])
    match = Match(played, names=_names(kept.seats), first=rules["first"] - 1, position=position)
    for token in rules["moves"]:
        match.play(match.game.read(token, match.state))
    match.opening = len(match.moves)
    return match


@lru_cache(64)
def _game(name: str, options: str) -> AnyGame:
    try:
        return game(name, **json.loads(options))
    except UnknownGame as error:  # the package that it came from is gone
        raise Refusal(404, str(error)) from None


def _names(seats: Iterable[Seat]) -> tuple[str, str]:
    """What the players are called: always two different names."""
    given = {seat.seat: seat.name for seat in seats}
    first, second = (visible(given.get(number, "")) or player_name(number) for number in (0, 1))
    name, number = second, 2
    while first.casefold() == name.casefold():
        ending = f" ({number})"
        name, number = clean(second[: LONGEST_NAME - len(ending)] + ending, LONGEST_NAME), number + 1
    return first, name


def visible(name: str) -> str:
    """A name fit to be shown; empty if nothing of it can be seen.

    >>> visible(" Ann "), visible("\u0301\u3164")
    ('Ann', '')
    """
    cleaned = clean(name, LONGEST_NAME)
    return cleaned if any(unicodedata.category(letter)[0] not in "MZ" for letter in cleaned) else ""


# What can happen.


def begin(
    match: Match, seat: int, name: str, computer: tuple[int, int] | None, now: float, key: str
) -> tuple[Kept, str, str | None]:
    """A new room for a match that may have an opening: what to keep, the token of its seat, and the invitation.

    All three follow from the key, so that a client that got no answer can ask again.
    """
    if match.outcome is not None:
        raise Refusal(422, "This game is over already.")
    if match.game.longest > LONGEST_GAME:
        length = Count(match.game.longest, "move")
        raise Refusal(422, f"With these options a game can last {length}. The limit here is {LONGEST_GAME}.")
    token, invite = derived(key, "token", 24), None if computer else derived(key, "invite", 24)
    seats = [Seat(seat, hashed(token), visible(name), None, now)]
    if computer is not None:
        other, level = computer
        if other == seat:
            raise Refusal(422, "The computer needs the other seat.")
        seats.append(Seat(other, None, computer_name(str(level)), level, now))
    record = to_record(match)
    kept = Kept(
        id=derived(key, "id", 9),
        rules={part: record[part] for part in ("game", "options", "first", "position", "moves")},
        invite=invite and hashed(invite),  # type: ignore[arg-type]
        status="open",
        due=False,
        created=now,
        touched=now,
        seats=tuple(sorted(seats)),
    )
    room = Room(kept)
    return replace(kept, status=room.status, due=room.due), token, invite


def begins_as(room: Room, kept: Kept) -> bool:
    """Whether a room began as somebody wants one to begin, but for names."""
    taken = {(seat.seat, seat.token, seat.level) for seat in room.seats}
    return room.rules == kept.rules and {(seat.seat, seat.token, seat.level) for seat in kept.seats} <= taken


def join(room: Room, invite: str, token: str, name: str, now: float) -> Resolution:
    """Somebody takes the free seat by an invitation, which then is used up."""
    if room.invite is None or not hmac.compare_digest(room.invite, hashed(invite)):
        raise Refusal(403, "This invitation does not belong to this game. Ask your friend for the whole link.")
    if seat_of(room.seats, token) is not None:  # the answer to the first request got lost
        return Resolution(room, room.keys["join:"].version, None)
    if room.closed:
        raise Conflict(room, "This game is closed.", 410)
    if room.full:
        raise Conflict(room, "This invitation has been used already. You can watch the game.", 410)
    seat = Seat(1 - room.seats[0].seat, hashed(token), visible(name), None, now)
    return room.resolve((seat.seat, "join", {}, "join:"), at=now, seats=(seat,))


def act(room: Room, act: Act, now: float, away: tuple[bool, bool] = (False, False)) -> Resolution:
    """Somebody does something."""
    known = room.keys.get(act.key)
    if known is not None:
        if (known.seat, known.kind) != (act.seat, act.kind) or not _same(room, known, act):
            raise Refusal(422, "This key was used for something else. Take a new one each time.")
        return Resolution(room, known.version, None)
    if room.paused is not None:
        raise Conflict(room, f"Your teacher has paused the class. {room.paused}", 423)
    if act.version != room.head:
        raise Conflict(room, f"The game has gone on: it has version {room.head}, not {act.version}.")
    if room.closed or (act.kind != "rematch" and room.over):
        raise Conflict(room, "The game is closed." if room.closed else "The game is over.", 410)
    if room.levels[act.seat] is not None and act.kind != "return":
        raise Refusal(422, "The computer plays for you. Take your seat back first.")
    body: dict[str, Any] = {}
    begins = None
    match act.kind:
        case "move":
            return _play(room, act.seat, act.body["move"], act.key, now)
        case "concede":
            _needs_both(room)
            body = {"seat": act.seat}
        case "takeback":
            return _ask_back(room, act, now)
        case "accept" | "decline":
            if room.takeback != 1 - act.seat:
                raise Refusal(422, "Nobody asks you to take back a move.")
            body = {"moves": _back(room, 1 - act.seat)} if act.kind == "accept" else {}
        case "substitute":
            _may_substitute(room, act, away)
            body = {"seat": 1 - act.seat, "level": act.body["level"]}
        case "return":
            if room.levels[act.seat] is None:
                raise Refusal(422, "The seat is yours.")
            body = {"seat": act.seat}
        case "rematch":
            if room.code is not None:
                raise Refusal(422, "Your teacher starts the next game.")
            if not room.over:
                raise Refusal(422, "A rematch begins when the game is over.")
            if room.rematch is not None:
                raise Conflict(room, "The rematch has begun.")
            begins = _swapped(room, now)
            body = {"game": begins.id}
    return room.resolve((act.seat, act.kind, body, act.key), at=now, begins=begins)


def computer_move(room: Room, version: int, move: str, now: float, note: str | None = None) -> Resolution | None:
    """The computer plays what it chose for a version, unless that is past. A note says what was wrong with it."""
    if room.head != version or not room.due or room.paused is not None:
        return None
    return _play(room, room.match.state.player, move, f"cpu:{version}", now, {} if note is None else {"note": note})


def close(room: Room, before: float, now: float) -> Resolution | None:
    """Closes a game in which nothing has happened since a time."""
    if room.over or room.touched >= before:
        return None
    return room.resolve((None, "close", {}, "close:"), at=now)


def _same(room: Room, known: Event, act: Act) -> bool:
    """Whether an act is the one that an event came of."""
    if known.kind == "substitute":
        return bool(known.body["level"] == act.body["level"])
    if known.kind != "move" or known.body["move"] == act.body["move"]:
        return True
    match = room.match
    try:
        move = match.game.read(act.body["move"], match.state._replace(player=known.seat or 0))
    except InvalidMove:
        return False
    return bool(str(move) == known.body["move"])


def _play(room: Room, seat: int, text: str, key: str, now: float, more: dict[str, Any] | None = None) -> Resolution:
    """Somebody plays a move, if it is legal."""
    match = room.match
    if match.state.player != seat:
        raise Refusal(422, f"It is {match.names[match.state.player]}'s turn.")
    try:
        body = {"move": str(match.game.read(text, match.state)), **(more or {})}
        return room.resolve((seat, "move", body, key), at=now)
    except (InvalidMove, IllegalMove) as error:
        raise Refusal(422, tell(error.reason, match.names, seat)) from None


def _needs_both(room: Room) -> None:
    if not room.full:
        raise Refusal(422, "Nobody has taken the other seat yet.")


def _back(room: Room, seat: int) -> int:
    """How many moves a player's take-back takes."""
    count = room.match.back(seat)
    if count is None:
        raise Refusal(422, "There is nothing to take back.")
    return count


def _ask_back(room: Room, act: Act, now: float) -> Resolution:
    """Asks the other player to take back a move; the computer agrees at once."""
    _needs_both(room)
    if not room.rules.get("takebacks", True):
        raise Refusal(422, "Your teacher has switched take-backs off.")
    if room.head >= MOST_EVENTS:
        raise Refusal(422, "So much has happened in this game that nothing is taken back any more.")
    if room.takeback is not None:
        asked = "You have asked already." if room.takeback == act.seat else "Answer your friend's question first."
        raise Refusal(422, asked)
    happens: list[tuple[int | None, str, dict[str, Any], str]] = [(act.seat, "takeback", {}, act.key)]
    moves = _back(room, act.seat)
    if room.levels[1 - act.seat] is not None:
        happens.append((1 - act.seat, "accept", {"moves": moves}, f"cpu:{room.head + 1}"))
    return room.resolve(*happens, at=now)


def _may_substitute(room: Room, act: Act, away: tuple[bool, bool]) -> None:
    other = 1 - act.seat
    _needs_both(room)
    if act.body["level"] not in LEVELS:
        raise Refusal(422, f"Levels are {LEVELS[0]} to {LEVELS[-1]}.")
    if room.head >= MOST_EVENTS:
        raise Refusal(422, "So much has happened in this game that nobody is replaced any more.")
    if room.levels[other] is not None:
        raise Refusal(422, "The computer plays that side already.")
    if not away[other]:
        raise Refusal(422, f"{room.match.names[other]} is still there.")


def _swapped(room: Room, now: float) -> Kept:
    """The same game again with the seats swapped. A token opens the other seat there."""
    _needs_both(room)
    seats = tuple(sorted(seat._replace(seat=1 - seat.seat) for seat in room.seats))
    kept = Kept(new_id(), room.rules, None, "playing", False, now, now, seats=seats)
    return replace(kept, due=Room(kept).due)


def take_over(room: Room, seat: int, level: int, key: str, now: float) -> Resolution | None:
    """The computer plays for a pupil who left, because a teacher wants it; None if there is nothing to play for."""
    if key in room.keys or room.over or room.levels[seat] is not None:
        return None
    return room.resolve((None, "substitute", {"seat": seat, "level": level}, key), at=now)
