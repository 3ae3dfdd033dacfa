"""Games between friends: what can happen in one, as events, and what follows from them.

Everything here is pure. A room is rebuilt from what is kept of it; an act is judged against it and becomes events.
An act names the version it answers and carries a key: the same key gets the same answer, and nothing happens twice.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from digitduels.core import IllegalMove, InvalidMove
from digitduels.games import AnyGame, UnknownGame, game
from digitduels.match import LONGEST_NAME, Match
from digitduels.record import to_record
from digitduels.sentence import Count, player_name, tell
from digitduels.text import clean
from digitduels.web.refusal import Refusal
from digitduels.web.store import Change, Event, Kept, Seat
from digitduels.web.view import view

LONGEST_GAME = 1000  # moves
MOST_EVENTS = 1000  # after which nothing is taken back any more, so that a game has an end
LEVELS = range(1, 8)
MOST_LEGALITIES = 1000  # sets of legal moves that each variant keeps


class Conflict(Refusal):
    """An act that comes too late; shows how things stand now."""

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


class Answer(NamedTuple):
    """What became of an act: how things stand, the version it led to, and whether it was new."""

    room: Room
    accepted: int
    new: bool


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


def seat_of(kept: Kept, token: str) -> int | None:
    """The seat that a token opens."""
    wanted, found = hashed(token), None
    for seat in kept.seats:
        if seat.token is not None and hmac.compare_digest(seat.token, wanted):
            found = seat.seat
    return found


# A room.


class Room:
    """A game between friends, as what is kept of it tells."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        self.match = _start(kept)
        seats = kept.seat(0), kept.seat(1)
        self.levels = [seat and seat.level for seat in seats]
        """What level the computer plays at for each seat; None for a person."""
        self.takeback: int | None = None
        """Who asks to take back a move."""
        self.rematch: str | None = None
        self.closed = False
        for event in kept.events:
            self._happen(event)

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
                self.closed = True
        self.takeback = event.seat if event.kind == "takeback" else None

    @property
    def over(self) -> bool:
        return self.closed or self.match.outcome is not None

    @property
    def full(self) -> bool:
        return len(self.kept.seats) == 2

    @property
    def status(self) -> str:
        if self.closed:
            return "closed"
        return "open" if not self.full else "over" if self.over else "playing"

    @property
    def due(self) -> bool:
        """Whether the computer is to move."""
        return not self.over and self.full and self.levels[self.match.state.player] is not None

    def away(self, seat: int, since: float) -> bool:
        """Whether the person of a seat was not seen since a time."""
        sitting = self.kept.seat(seat)
        return sitting is not None and sitting.level is None and sitting.seen < since

    def state(self, since: float) -> dict[str, Any]:
        """The room as JSON values; who was not seen since a time is away."""
        seats = []
        for number, name in enumerate(self.match.names):
            sitting, level = self.kept.seat(number), self.levels[number]
            seats.append(
                {
                    "name": name,
                    "kind": "human" if level is None else "computer",
                    "level": level,
                    "joined": sitting is not None,
                    "away": self.away(number, since),
                    "substitute": level is not None and sitting is not None and sitting.level is None,
                }
            )
        return view(self.match) | {
            "id": self.kept.id,
            "version": self.kept.head,
            "seats": seats,
            "takeback": None if self.takeback is None else self.takeback + 1,
            "rematch": self.rematch,
            "closed": self.closed,
        }

    def _then(self, happened: Iterable[tuple[int | None, str, dict[str, Any], str]], at: float) -> tuple[Event, ...]:
        """Lets things happen, each by a seat, of a kind, with a body and under a key."""
        events = tuple(Event(self.kept.head + place, *what, at) for place, what in enumerate(happened, 1))
        for event in events:
            self._happen(event)
        self.kept = replace(
            self.kept, head=events[-1].version, touched=at, events=self.kept.events + events, status=self.status
        )
        return events

    def _change(self, events: tuple[Event, ...], **more: Any) -> Change:
        return Change(events, self.status, self.due, **more)


def _start(kept: Kept) -> Match:
    """The match before anything happened."""
    rules = kept.rules
    played = _game(rules["game"], json.dumps(rules["options"]))
    if len(played._permitted) > MOST_LEGALITIES:  # what visitors make up must not fill the memory
        played._permitted.clear()
    position = None if rules["position"] is None else played.position(rules["position"])
    match = Match(played, names=_names(kept), first=rules["first"] - 1, position=position)
    for token in rules["moves"]:
        match.play(played.read(token, match.state))
    match.opening = len(match.moves)
    return match


@lru_cache(64)
def _game(name: str, options: str) -> AnyGame:
    try:
        return game(name, **json.loads(options))
    except UnknownGame as error:  # the package that it came from is gone
        raise Refusal(404, str(error)) from None


def _names(kept: Kept) -> tuple[str, str]:
    """What the players are called: always two different names."""
    first, second = (
        (seat and seat.name) or player_name(number) for number, seat in enumerate((kept.seat(0), kept.seat(1)))
    )
    if first.casefold() == second.casefold():
        second = f"{second[: LONGEST_NAME - 4]} (2)"
    return first, second


# What can happen.


def begin(
    match: Match, seat: int, name: str, computer: tuple[int, int] | None, now: float
) -> tuple[Kept, str, str | None]:
    """A new room for a match that may have an opening: what to keep, the token of its seat, and the invitation."""
    if match.outcome is not None:
        raise Refusal(422, "This game is over already.")
    if match.game.longest > LONGEST_GAME:
        length = Count(match.game.longest, "move")
        raise Refusal(422, f"With these options a game can last {length}. The limit here is {LONGEST_GAME}.")
    token, invite = new_secret(), None if computer else new_secret()
    seats = [Seat(seat, hashed(token), clean(name, LONGEST_NAME), None, now)]
    if computer is not None:
        other, level = computer
        if other == seat:
            raise Refusal(422, "The computer needs the other seat.")
        seats.append(Seat(other, None, f"Computer, level {level}", level, now))
    record = to_record(match)
    kept = Kept(
        id=new_id(),
        rules={key: record[key] for key in ("game", "options", "first", "position", "moves")},
        invite=invite and hashed(invite),  # type: ignore[arg-type]
        status="open",
        due=False,
        created=now,
        touched=now,
        seats=tuple(sorted(seats)),
    )
    room = Room(kept)
    return replace(kept, status=room.status, due=room.due), token, invite


def join(kept: Kept, invite: str, token: str, name: str, now: float) -> tuple[Change | None, Answer]:
    """Somebody takes the free seat by an invitation, which then is used up."""
    room = Room(kept)
    if kept.invite is None or not hmac.compare_digest(kept.invite, hashed(invite)):
        raise Refusal(403, "This invitation does not belong to this game. Ask your friend for the whole link.")
    seated = seat_of(kept, token)
    if seated is not None:  # the answer to the first request got lost
        return None, Answer(room, next(event.version for event in kept.events if event.kind == "join"), False)
    if room.closed:
        raise Conflict(room, "This game is closed.", 410)
    if room.full:
        raise Conflict(room, "This invitation has been used already. You can watch the game.", 410)
    seat = Seat(1 - kept.seats[0].seat, hashed(token), clean(name, LONGEST_NAME), None, now)
    room = Room(replace(kept, seats=tuple(sorted((*kept.seats, seat)))))
    events = room._then([(seat.seat, "join", {}, "join:")], now)
    return room._change(events, seats=(seat,)), Answer(room, room.kept.head, True)


def act(kept: Kept, act: Act, now: float, since: float = 0) -> tuple[Change | None, Answer]:
    """Somebody does something. Who was not seen since a time is away."""
    room = Room(kept)
    known = next((event for event in kept.events if event.key == act.key), None)
    if known is not None:
        if (known.seat, known.kind) != (act.seat, act.kind) or not _same(kept, known, act):
            raise Refusal(422, "This key was used for something else. Take a new one each time.")
        return None, Answer(room, known.version, False)
    if act.version != kept.head:
        raise Conflict(room, f"The game has gone on: it has version {kept.head}, not {act.version}.")
    if room.closed or (room.over and act.kind != "rematch"):
        raise Conflict(room, "The game is closed." if room.closed else "The game is over.", 410)
    if room.levels[act.seat] is not None and act.kind != "return":
        raise Refusal(422, "The computer plays for you. Take your seat back first.")
    body: dict[str, Any] = {}
    begins = None
    match act.kind:
        case "move":
            body = {"move": _legal(room, act)}
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
            _may_substitute(room, act, since)
            body = {"seat": 1 - act.seat, "level": act.body["level"]}
        case "return":
            if room.levels[act.seat] is None:
                raise Refusal(422, "The seat is yours.")
            body = {"seat": act.seat}
        case "rematch":
            if not room.over:
                raise Refusal(422, "A rematch begins when the game is over.")
            if room.rematch is not None:
                raise Conflict(room, "The rematch has begun.")
            begins = _swapped(room, now)
            body = {"game": begins.id}
    events = room._then([(act.seat, act.kind, body, act.key)], now)
    return room._change(events, begins=begins), Answer(room, room.kept.head, True)


def computer_move(kept: Kept, version: int, move: str, now: float) -> tuple[Change | None, Answer | None]:
    """The computer plays what it chose for a version, unless that is past."""
    room = Room(kept)
    if kept.head != version or not room.due:
        return None, None
    seat = room.match.state.player
    chosen = _legal(room, Act("move", seat, version, "", {"move": move}))
    events = room._then([(seat, "move", {"move": chosen}, f"cpu:{version}")], now)
    return room._change(events), Answer(room, room.kept.head, True)


def close(kept: Kept, before: float, now: float) -> tuple[Change | None, Room | None]:
    """Closes a game in which nothing has happened since a time."""
    room = Room(kept)
    if room.over or kept.touched >= before:
        return None, None
    events = room._then([(None, "close", {}, "close:")], now)
    return room._change(events), room


def _same(kept: Kept, known: Event, act: Act) -> bool:
    """Whether an act is the one that an event came of."""
    if known.kind == "substitute":
        return bool(known.body["level"] == act.body["level"])
    if known.kind != "move":
        return True
    before = Room(replace(kept, events=kept.events[: known.version - 1], head=known.version - 1))
    try:
        return bool(str(before.match.game.read(act.body["move"], before.match.state)) == known.body["move"])
    except InvalidMove:
        return False


def _legal(room: Room, act: Act) -> str:
    """The token of a move that may be played."""
    match = room.match
    if match.state.player != act.seat:
        raise Refusal(422, f"It is {match.names[match.state.player]}'s turn.")
    try:
        move = match.game.read(act.body["move"], match.state)
        match.game.play(match.state, move)
    except (InvalidMove, IllegalMove) as error:
        raise Refusal(422, tell(error.reason, match.names, act.seat)) from None
    return str(move)


def _needs_both(room: Room) -> None:
    if not room.full:
        raise Refusal(422, "Nobody has taken the other seat yet.")


def _back(room: Room, seat: int) -> int:
    """How many moves a player's take-back takes."""
    count = room.match.back(seat)
    if count is None:
        raise Refusal(422, "There is nothing to take back.")
    return count


def _ask_back(room: Room, act: Act, now: float) -> tuple[Change, Answer]:
    """Asks the other player to take back a move; the computer agrees at once."""
    _needs_both(room)
    if room.kept.head >= MOST_EVENTS:
        raise Refusal(422, "So much has happened in this game that nothing is taken back any more.")
    if room.takeback is not None:
        asked = "You have asked already." if room.takeback == act.seat else "Answer your friend's question first."
        raise Refusal(422, asked)
    happens: list[tuple[int, str, dict[str, Any], str]] = [(act.seat, "takeback", {}, act.key)]
    moves = _back(room, act.seat)
    if room.levels[1 - act.seat] is not None:
        happens.append((1 - act.seat, "accept", {"moves": moves}, f"cpu:{room.kept.head + 1}"))
    events = room._then(happens, now)
    return room._change(events), Answer(room, events[0].version, True)


def _may_substitute(room: Room, act: Act, since: float) -> None:
    other = 1 - act.seat
    _needs_both(room)
    if act.body["level"] not in LEVELS:
        raise Refusal(422, f"Levels are {LEVELS[0]} to {LEVELS[-1]}.")
    if room.kept.head >= MOST_EVENTS:
        raise Refusal(422, "So much has happened in this game that nobody is replaced any more.")
    if room.levels[other] is not None:
        raise Refusal(422, "The computer plays that side already.")
    if not room.away(other, since):
        raise Refusal(422, f"{room.match.names[other]} is still there.")


def _swapped(room: Room, now: float) -> Kept:
    """The same game again with the seats swapped. A token opens the other seat there."""
    kept = room.kept
    _needs_both(room)
    seats = sorted(seat._replace(seat=1 - seat.seat) for seat in kept.seats)
    kept = replace(
        kept,
        id=new_id(),
        invite=None,
        head=0,
        events=(),
        seats=tuple(seats),
        created=now,
        touched=now,
        status="playing",
    )
    return replace(kept, due=Room(kept).due)
