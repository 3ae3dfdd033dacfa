"""The acts of the players in a game between friends.

Everything here is pure. An act is checked against a room and becomes events, and applying those gives the next room. An
act names the version it responds to and carries an idempotency key: the same key gets the same answer, and nothing
happens twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from digitduels.core import IllegalMove, InvalidMove
from digitduels.match import Match
from digitduels.players import computer_name, offered_player
from digitduels.record import to_record
from digitduels.sentence import Count, tell
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.state import Room, visible
from digitduels.web.streams.credentials import derive_secret, hash_secret, is_secret, member_of, new_id
from digitduels.web.streams.fold import NOBODY, Act, Away, Conflict, Resolution
from digitduels.web.streams.store import Event, Member, Stream, Token

LONGEST_GAME = 1000  # moves
MOST_EVENTS = 1000  # no take-backs after this many, so that every game ends
LEVELS = range(1, 8)
KEY_USED = "This key was used for something else. Take a new one each time."


def begin(
    match: Match, seat: int, name: str, computer: tuple[int, int] | None, now: float, key: str
) -> tuple[Stream, str, str | None]:
    """Creates a room for a match: returns the game to store, its creator's token, and the invitation.

    The id and both secrets are derived from the key, so a client that got no answer can repeat its request.
    """
    if match.outcome is not None:
        raise Refusal(422, "This game is over already.")
    if match.game.longest > LONGEST_GAME:
        length = Count(match.game.longest, "move")
        raise Refusal(422, f"With these options a game can last {length}. The limit here is {LONGEST_GAME}.")
    token, invite = derive_secret(key, "token", 24), None if computer else derive_secret(key, "invite", 24)
    seats = [Member(seat, visible(name), None, now, (Token(hash_secret(token)),))]
    if computer is not None:
        other, level = computer
        if other == seat:
            raise Refusal(422, "The computer needs the other seat.")
        opponent = offered_player(str(level), match.game.id)
        seats.append(Member(other, computer_name(opponent), int(opponent), now))
    record = to_record(match)
    data = {part: record[part] for part in ("game", "options", "first", "position", "moves")}
    if invite is not None:
        data["invite"] = hash_secret(invite)
    return new_game(derive_secret(key, "id", 9), data, seats, now), token, invite


def new_game(id: str, data: dict[str, Any], seats: Iterable[Member], now: float, parent: str | None = None) -> Stream:
    """A game to store, at its start."""
    stream = Stream(id, "game", data, "open", False, now, now, parent=parent, members=tuple(sorted(seats)))
    room = Room(stream)
    return replace(stream, status=room.status, due=room.due)


def begins_as(room: Room, stream: Stream) -> bool:
    """Whether a room has the rules and the seats of a new game, apart from names: whether a request is a repeat."""
    taken = {(seat.number, seat.tokens, seat.level) for seat in room.members}
    return room.data == stream.data and {(seat.number, seat.tokens, seat.level) for seat in stream.members} <= taken


def token_for(invite: str, key: str) -> str:
    """Derives a player's token from the invitation and their key, so that a repeated request gets the same token."""
    return derive_secret(invite, key, 24)


def join(room: Room, invite: str, token: str, name: str, now: float) -> Resolution[Room]:
    """Gives the free seat to a person with the invitation, which works once."""
    if not is_secret(invite, room.data.get("invite")):
        raise Refusal(403, "This invitation does not belong to this game. Ask your friend for the whole link.")
    if member_of(room.members, token) is not None:  # a repeat: the response to the first request got lost
        return Resolution(room, room.keys["join:"].version, None)
    if room.closed:
        raise Conflict(410, "This game is closed.")
    if room.full:
        raise Conflict(410, "This invitation has been used already. You can watch the game.")
    seat = Member(1 - room.members[0].number, visible(name), None, now, (Token(hash_secret(token)),))
    return room.resolve((seat.number, "join", {}, "join:"), at=now, members=(seat,))


def act(room: Room, act: Act, now: float, away: Away = NOBODY) -> Resolution[Room]:
    """Applies a player's act, or refuses it with the reason. `away` are the players who are away."""
    earlier = room.keys.get(act.key)
    if earlier is not None:
        if (earlier.member, earlier.kind) != (act.member, act.kind) or not _is_repeat(room, earlier, act):
            raise Refusal(422, KEY_USED)
        return Resolution(room, earlier.version, None)
    if room.paused is not None:
        raise Conflict(423, f"Your teacher has paused the class. {room.paused}")
    if act.version != room.head:
        raise Conflict(409, f"The game has moved on: it is at version {room.head}, not {act.version}.")
    if room.closed or (act.kind != "rematch" and room.over):
        raise Conflict(410, "The game is closed." if room.closed else "The game is over.")
    if room.levels[act.member] is not None and act.kind != "return":
        raise Refusal(422, "The computer plays for you. Take your seat back first.")
    body: dict[str, Any] = {}
    begins: tuple[Stream, ...] = ()
    match act.kind:
        case "move":
            return _play(room, act.member, act.body["move"], act.key, now)
        case "concede":
            _require_both_players(room)
            body = {"seat": act.member}
        case "takeback":
            return _request_takeback(room, act, now)
        case "accept" | "decline":
            if room.takeback != 1 - act.member:
                raise Refusal(422, "Nobody has asked you to take back a move.")
            body = {"moves": _takeback_length(room, 1 - act.member)} if act.kind == "accept" else {}
        case "substitute":
            _check_substitution(room, act, away)
            body = {"seat": 1 - act.member, "level": act.body["level"]}
        case "return":
            if room.levels[act.member] is None:
                raise Refusal(422, "The seat is yours.")
            body = {"seat": act.member}
        case "rematch":
            if room.code is not None:
                raise Refusal(422, "Your teacher starts the next game.")
            if not room.over:
                raise Refusal(422, "A rematch begins when the game is over.")
            if room.rematch is not None:
                raise Conflict(409, "The rematch has begun.")
            begins = (_rematch_game(room, now),)
            body = {"game": begins[0].id}
    return room.resolve((act.member, act.kind, body, act.key), at=now, begins=begins)


def computer_move(room: Room, version: int, move: str, now: float, note: str | None = None) -> Resolution[Room] | None:
    """Plays the move that the computer chose for a version; None if the game has moved on.

    A note says why the move was not chosen at the computer's level.
    """
    if room.head != version or not room.due or room.paused is not None:
        return None
    return _play(room, room.match.state.player, move, f"cpu:{version}", now, {} if note is None else {"note": note})


def close(room: Room, before: float, now: float) -> Resolution[Room] | None:
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
        move = match.game.read(act.body["move"], match.state._replace(player=event.member or 0))
    except InvalidMove:
        return False
    return bool(str(move) == event.body["move"])


def _play(
    room: Room, seat: int, text: str, key: str, now: float, more: dict[str, Any] | None = None
) -> Resolution[Room]:
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


def _request_takeback(room: Room, act: Act, now: float) -> Resolution[Room]:
    """Asks the other player to agree to a take-back. The computer agrees at once."""
    _require_both_players(room)
    if not room.data.get("takebacks", True):
        raise Refusal(422, "Your teacher has switched take-backs off.")
    if room.head >= MOST_EVENTS:
        raise Refusal(422, "This game has too many events for another take-back.")
    if room.takeback is not None:
        mine = room.takeback == act.member
        raise Refusal(422, "You have asked already." if mine else "Answer your friend's question first.")
    steps: list[tuple[int | None, str, dict[str, Any], str]] = [(act.member, "takeback", {}, act.key)]
    moves = _takeback_length(room, act.member)
    if room.levels[1 - act.member] is not None:
        steps.append((1 - act.member, "accept", {"moves": moves}, f"cpu:{room.head + 1}"))
    return room.resolve(*steps, at=now)


def _check_substitution(room: Room, act: Act, away: Away) -> None:
    other = 1 - act.member
    _require_both_players(room)
    if act.body["level"] not in LEVELS:
        raise Refusal(422, f"Levels are {LEVELS[0]} to {LEVELS[-1]}.")
    if room.head >= MOST_EVENTS:
        raise Refusal(422, "This game has too many events for the computer to take a seat.")
    if room.levels[other] is not None:
        raise Refusal(422, "The computer plays that side already.")
    if other not in away:
        raise Refusal(422, f"{room.match.names[other]} is still there.")


def _rematch_game(room: Room, now: float) -> Stream:
    """A new game with the same rules and the seats swapped. Each token opens the other seat in it."""
    _require_both_players(room)
    seats = [seat._replace(number=1 - seat.number) for seat in room.members]
    data = {name: value for name, value in room.data.items() if name != "invite"}
    return new_game(new_id(), data, seats, now)


def substitute(room: Room, seat: int, level: int, key: str, now: float) -> Resolution[Room] | None:
    """Lets the computer play for a pupil, as the teacher asked; None if the game is over or it already does."""
    if key in room.keys or room.over or room.levels[seat] is not None:
        return None
    return room.resolve((None, "substitute", {"seat": seat, "level": level}, key), at=now)
