"""Games between friends as event-sourced rooms: the acts that players can make, and the state they lead to.

Everything here is pure. A room is an immutable value, computed by replaying its events. An act is checked against a
room and becomes events, and applying those gives the next room. An act names the version it responds to and carries an
idempotency key: the same key gets the same answer, and nothing happens twice.
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
from digitduels.players import computer_name, offered_player
from digitduels.position_json import position_from_json
from digitduels.record import to_record
from digitduels.sentence import Count, player_name, tell
from digitduels.text import clean, skeleton
from digitduels.web.positions.link import book
from digitduels.web.refusal import Refusal
from digitduels.web.store import Change, Event, Kept, Seat

LONGEST_GAME = 1000  # moves
MOST_EVENTS = 1000  # no take-backs after this many, so that every game ends
LEVELS = range(1, 8)


class Conflict(Refusal):
    """Refuses an act that the game in its current state does not allow. The response includes that state."""

    def __init__(self, room: Room, sentence: str, status: int = 409) -> None:
        super().__init__(status, sentence)
        self.room = room


class Act(NamedTuple):
    """A player's request to change a game, in response to one version of it."""

    kind: str
    seat: int
    version: int
    key: str
    body: dict[str, Any] = {}


class Resolution(NamedTuple):
    """The result of an act: the room after it, the version it created, and the change to store (None for a repeat)."""

    room: Room
    accepted: int
    change: Change | None


# Secrets: everybody who watches a game knows its id, but only the player in a seat knows its token. Only hashes of
# secrets are stored.


def new_id() -> str:
    return secrets.token_urlsafe(9)


def new_secret() -> str:
    return secrets.token_urlsafe(24)


def hash_secret(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def token_for(invite: str, key: str) -> str:
    """Derives a player's token from the invitation and their key, so that a repeated request gets the same token."""
    return urlsafe_b64encode(hmac.digest(invite.encode(), key.encode(), "sha256")[:24]).decode()


def derive_secret(key: str, purpose: str, length: int) -> str:
    """Derives a secret from a client's key, so that a repeated request gets the same secret."""
    return urlsafe_b64encode(hmac.digest(key.encode(), purpose.encode(), "sha256")[:length]).decode()


def seat_of(seats: Iterable[Seat], token: str) -> int | None:
    """The seat that a token opens."""
    digest, number = hash_secret(token), None
    for seat in seats:
        if seat.token is not None and hmac.compare_digest(seat.token, digest):
            number = seat.seat
    return number


# Rooms.


class Room:
    """A game between friends after some events. It is immutable: `then` returns a new room with further events."""

    def __init__(self, kept: Kept) -> None:
        """Raises ValueError or Refusal if the installed rules cannot replay the stored game."""
        self.id, self.rules, self.invite = kept.id, kept.rules, kept.invite
        self.seats, self.code = kept.seats, kept.code
        self.match = _start(kept)
        self.levels = [seat and seat.level for seat in (kept.seat(0), kept.seat(1))]
        """The computer's level in each seat; None for a person."""
        self.head = 0
        self.keys: dict[str, Event] = {}
        self.takeback: int | None = None
        """The seat that has requested a take-back."""
        self.rematch: str | None = None
        self.closed = False
        self.note: str | None = None
        """Why the computer did not play its last move at its level, if it didn't."""
        self.paused: str | None = None
        """The teacher's message while the game is paused."""
        for event in kept.events:
            self._apply(event)
        self.touched = kept.touched

    def then(self, events: Iterable[Event], seats: tuple[Seat, ...] | None = None) -> Room:
        """The room after further events; `seats` replaces the seats if somebody has joined."""
        room = object.__new__(Room)
        room.__dict__ |= self.__dict__  # faster than `copy`
        room.match, room.levels, room.keys = self.match.copy(), self.levels[:], self.keys.copy()
        if seats is not None and len(seats) != len(self.seats):
            room.seats = seats
            room.match.names = _names(seats)
        for event in events:
            room._apply(event)
        return room

    def _apply(self, event: Event) -> None:
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

    def _reseat(self, number: int, **fields: Any) -> None:
        """Changes the name or the token of the person in a seat."""
        self.seats = tuple(seat._replace(**fields) if seat.seat == number else seat for seat in self.seats)
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
        """Whether it is the computer's turn."""
        return self.full and self.levels[self.match.state.player] is not None and not self.over

    def seat(self, number: int) -> Seat | None:
        return next((seat for seat in self.seats if seat.seat == number), None)

    def resolve(self, *steps: tuple[int | None, str, dict[str, Any], str], at: float, **more: Any) -> Resolution:
        """Applies one event per step (seat, kind, body, key). Other keywords become fields of the Change."""
        events = tuple(Event(self.head + number, *step, at) for number, step in enumerate(steps, 1))
        seats = more.get("seats")
        room = self.then(events, None if seats is None else tuple(sorted((*self.seats, *seats))))
        return Resolution(room, events[0].version, Change(events, room.status, room.due, **more))


def _start(kept: Kept) -> Match:
    """The match as it was before the first event."""
    rules = kept.rules
    variant = _game(rules["game"], json.dumps(rules["options"]))
    position = None if rules["position"] is None else position_from_json(variant, rules["position"])
    opening = map(variant.read, rules["moves"])
    return Match(variant, names=_names(kept.seats), first=rules["first"] - 1, position=position, opening=opening)


@lru_cache(16)  # variants have at most 1,000 different moves, so they take at most a megabyte each
def _game(name: str, options: str) -> AnyGame:
    try:
        rules = game(name, **json.loads(options))
    except UnknownGame as error:  # the package that provided it is gone
        raise Refusal(404, str(error)) from None
    return rules if rules.changes else book(name)


def _names(seats: Iterable[Seat]) -> tuple[str, str]:
    """The names of both players, which always differ."""
    names = {seat.seat: seat.name for seat in seats}
    first, second = (visible(names.get(number, "")) or player_name(number) for number in (0, 1))
    name, number = second, 2
    while skeleton(first) == skeleton(name):
        ending = f" ({number})"
        name, number = clean(second[: LONGEST_NAME - len(ending)] + ending, LONGEST_NAME), number + 1
    return first, name


def visible(name: str) -> str:
    """A name cleaned for display; empty if it has no visible character.

    >>> visible(" Ann "), visible("\u0301\u3164")
    ('Ann', '')
    """
    cleaned = clean(name, LONGEST_NAME)
    return cleaned if any(unicodedata.category(letter)[0] not in "MZ" for letter in cleaned) else ""


# Acts.


def begin(
    match: Match, seat: int, name: str, computer: tuple[int, int] | None, now: float, key: str
) -> tuple[Kept, str, str | None]:
    """Creates a room for a match: returns the game to store, its creator's token, and the invitation.

    The id and both secrets are derived from the key, so a client that got no answer can repeat its request.
    """
    if match.outcome is not None:
        raise Refusal(422, "This game is over already.")
    if match.game.longest > LONGEST_GAME:
        length = Count(match.game.longest, "move")
        raise Refusal(422, f"With these options a game can last {length}. The limit here is {LONGEST_GAME}.")
    token, invite = derive_secret(key, "token", 24), None if computer else derive_secret(key, "invite", 24)
    seats = [Seat(seat, hash_secret(token), visible(name), None, now)]
    if computer is not None:
        other, level = computer
        if other == seat:
            raise Refusal(422, "The computer needs the other seat.")
        opponent = offered_player(str(level), match.game.id)
        seats.append(Seat(other, None, computer_name(opponent), int(opponent), now))
    record = to_record(match)
    kept = Kept(
        id=derive_secret(key, "id", 9),
        rules={part: record[part] for part in ("game", "options", "first", "position", "moves")},
        invite=invite and hash_secret(invite),  # type: ignore[arg-type]
        status="open",
        due=False,
        created=now,
        touched=now,
        seats=tuple(sorted(seats)),
    )
    room = Room(kept)
    return replace(kept, status=room.status, due=room.due), token, invite


def begins_as(room: Room, kept: Kept) -> bool:
    """Whether a room has the rules and the seats of a new game, apart from names: whether a request is a repeat."""
    taken = {(seat.seat, seat.token, seat.level) for seat in room.seats}
    return room.rules == kept.rules and {(seat.seat, seat.token, seat.level) for seat in kept.seats} <= taken


def join(room: Room, invite: str, token: str, name: str, now: float) -> Resolution:
    """Gives the free seat to a person with the invitation, which works once."""
    if room.invite is None or not hmac.compare_digest(room.invite, hash_secret(invite)):
        raise Refusal(403, "This invitation does not belong to this game. Ask your friend for the whole link.")
    if seat_of(room.seats, token) is not None:  # a repeat: the response to the first request got lost
        return Resolution(room, room.keys["join:"].version, None)
    if room.closed:
        raise Conflict(room, "This game is closed.", 410)
    if room.full:
        raise Conflict(room, "This invitation has been used already. You can watch the game.", 410)
    seat = Seat(1 - room.seats[0].seat, hash_secret(token), visible(name), None, now)
    return room.resolve((seat.seat, "join", {}, "join:"), at=now, seats=(seat,))


def act(room: Room, act: Act, now: float, away: tuple[bool, bool] = (False, False)) -> Resolution:
    """Applies a player's act, or refuses it with the reason. `away` says which players are away."""
    earlier = room.keys.get(act.key)
    if earlier is not None:
        if (earlier.seat, earlier.kind) != (act.seat, act.kind) or not _is_repeat(room, earlier, act):
            raise Refusal(422, "This key was used for something else. Take a new one each time.")
        return Resolution(room, earlier.version, None)
    if room.paused is not None:
        raise Conflict(room, f"Your teacher has paused the class. {room.paused}", 423)
    if act.version != room.head:
        raise Conflict(room, f"The game has moved on: it is at version {room.head}, not {act.version}.")
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
            _require_both_players(room)
            body = {"seat": act.seat}
        case "takeback":
            return _request_takeback(room, act, now)
        case "accept" | "decline":
            if room.takeback != 1 - act.seat:
                raise Refusal(422, "Nobody has asked you to take back a move.")
            body = {"moves": _takeback_length(room, 1 - act.seat)} if act.kind == "accept" else {}
        case "substitute":
            _check_substitution(room, act, away)
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
            begins = _rematch_game(room, now)
            body = {"game": begins.id}
    return room.resolve((act.seat, act.kind, body, act.key), at=now, begins=begins)


def computer_move(room: Room, version: int, move: str, now: float, note: str | None = None) -> Resolution | None:
    """Plays the move that the computer chose for a version; None if the game has moved on.

    A note says why the move was not chosen at the computer's level.
    """
    if room.head != version or not room.due or room.paused is not None:
        return None
    return _play(room, room.match.state.player, move, f"cpu:{version}", now, {} if note is None else {"note": note})


def close(room: Room, before: float, now: float) -> Resolution | None:
    """Closes a game that has had no event since `before`; None if it has, or is over."""
    if room.over or room.touched >= before:
        return None
    return room.resolve((None, "close", {}, "close:"), at=now)


def _is_repeat(room: Room, event: Event, act: Act) -> bool:
    """Whether an act with an event's key is a repeat of the act that caused the event."""
    if event.kind == "substitute":
        return bool(event.body["level"] == act.body["level"])
    if event.kind != "move" or event.body["move"] == act.body["move"]:
        return True
    match = room.match
    try:
        move = match.game.read(act.body["move"], match.state._replace(player=event.seat or 0))
    except InvalidMove:
        return False
    return bool(str(move) == event.body["move"])


def _play(room: Room, seat: int, text: str, key: str, now: float, more: dict[str, Any] | None = None) -> Resolution:
    """Plays a move, or refuses it with the reason. `more` is added to the body of the event."""
    match = room.match
    if match.state.player != seat:
        raise Refusal(422, f"It is {match.names[match.state.player]}'s turn.")
    try:
        body = {"move": str(match.game.read(text, match.state)), **(more or {})}
        return room.resolve((seat, "move", body, key), at=now)
    except (InvalidMove, IllegalMove) as error:
        raise Refusal(422, tell(error.reason, match.names, seat)) from None


def _require_both_players(room: Room) -> None:
    if not room.full:
        raise Refusal(422, "Nobody has taken the other seat yet.")


def _takeback_length(room: Room, seat: int) -> int:
    """How many moves a player's take-back removes."""
    count = room.match.back(seat)
    if count is None:
        raise Refusal(422, "There is nothing to take back.")
    return count


def _request_takeback(room: Room, act: Act, now: float) -> Resolution:
    """Asks the other player to agree to a take-back. The computer agrees at once."""
    _require_both_players(room)
    if not room.rules.get("takebacks", True):
        raise Refusal(422, "Your teacher has switched take-backs off.")
    if room.head >= MOST_EVENTS:
        raise Refusal(422, "This game has too many events for another take-back.")
    if room.takeback is not None:
        mine = room.takeback == act.seat
        raise Refusal(422, "You have asked already." if mine else "Answer your friend's question first.")
    steps: list[tuple[int | None, str, dict[str, Any], str]] = [(act.seat, "takeback", {}, act.key)]
    moves = _takeback_length(room, act.seat)
    if room.levels[1 - act.seat] is not None:
        steps.append((1 - act.seat, "accept", {"moves": moves}, f"cpu:{room.head + 1}"))
    return room.resolve(*steps, at=now)


def _check_substitution(room: Room, act: Act, away: tuple[bool, bool]) -> None:
    other = 1 - act.seat
    _require_both_players(room)
    if act.body["level"] not in LEVELS:
        raise Refusal(422, f"Levels are {LEVELS[0]} to {LEVELS[-1]}.")
    if room.head >= MOST_EVENTS:
        raise Refusal(422, "This game has too many events for the computer to take a seat.")
    if room.levels[other] is not None:
        raise Refusal(422, "The computer plays that side already.")
    if not away[other]:
        raise Refusal(422, f"{room.match.names[other]} is still there.")


def _rematch_game(room: Room, now: float) -> Kept:
    """A new game with the same rules and the seats swapped. Each token opens the other seat in it."""
    _require_both_players(room)
    seats = tuple(sorted(seat._replace(seat=1 - seat.seat) for seat in room.seats))
    kept = Kept(new_id(), room.rules, None, "playing", False, now, now, seats=seats)
    return replace(kept, due=Room(kept).due)


def substitute(room: Room, seat: int, level: int, key: str, now: float) -> Resolution | None:
    """Lets the computer play for a pupil, as the teacher asked; None if the game is over or it already does."""
    if key in room.keys or room.over or room.levels[seat] is not None:
        return None
    return room.resolve((None, "substitute", {"seat": seat, "level": level}, key), at=now)
