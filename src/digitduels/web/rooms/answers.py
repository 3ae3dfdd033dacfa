"""The JSON of a game between friends: what it has beside the position."""

from __future__ import annotations

from typing import Literal, TypedDict

from digitduels.web.rooms.state import Room
from digitduels.web.streams.fold import Away


class ClassRules(TypedDict):
    """What a teacher allows in the games of a class."""

    hints: bool
    takebacks: bool


class SeatView(TypedDict):
    """A seat and the player in it."""

    name: str
    kind: Literal["human", "computer"]
    level: int | None
    joined: bool
    away: bool
    substitute: bool


_ClassField = TypedDict("_ClassField", {"class": ClassRules | None})


class RoomFields(_ClassField):
    """The part of a room's state that is not the position."""

    id: str
    version: int
    seats: list[SeatView]
    takeback: int | None
    rematch: str | None
    closed: bool
    paused: str | None


class CreatedGame(TypedDict):
    """The answer to the founder of a game, beside its state."""

    id: str
    seat: int
    token: str
    invite: str | None


class JoinedGame(TypedDict):
    """The answer to a player who has taken the free seat, beside its state."""

    seat: int
    token: str


def room_fields(room: Room, away: Away) -> RoomFields:
    """The part of a room's state that is not the position."""
    in_class: ClassRules | None = None
    if room.code is not None:
        in_class = {"hints": room.data["hints"], "takebacks": room.data["takebacks"]}
    return {
        "id": room.id,
        "version": room.head,
        "seats": seats_view(room, away),
        "takeback": None if room.takeback is None else room.takeback + 1,
        "rematch": room.rematch,
        "closed": room.closed,
        "paused": room.paused,
        "class": in_class,
    }


def seats_view(room: Room, away: Away) -> list[SeatView]:
    """Both seats: the player's name, whether it is a person or the computer, and who is away."""
    seats: list[SeatView] = []
    for number, name in enumerate(room.match.names):
        sitting, level = room.seat(number), room.levels[number]
        seats.append(
            {
                "name": name,
                "kind": "human" if level is None else "computer",
                "level": level,
                "joined": sitting is not None,
                "away": number in away,
                "substitute": level is not None and sitting is not None and sitting.level is None,
            }
        )
    return seats
