"""The types of the answers about games between friends, and how their states are built."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from digitduels.study.serialization import Seat
from digitduels.web.positions.answers import PresentView, Turn
from digitduels.web.rooms.state import Room
from digitduels.web.streams.fold import Away


class Chair(TypedDict):
    name: str | None
    kind: Literal["human", "computer"]
    level: int | None
    joined: bool
    away: bool
    substitute: bool


class Permissions(TypedDict):
    hints: bool
    takebacks: bool


OfClass = TypedDict("OfClass", {"class": Annotated[Permissions | None, "In a game of a class; else null."]})


class RoomPart(OfClass):
    """What the state of a room has beside the position."""

    id: str
    version: int
    seats: tuple[Chair, Chair]
    takeback: Seat | None
    rematch: str | None
    closed: bool
    paused: Annotated[str | None, "The teacher's message while the game is paused."]


class RoomNews(PresentView, RoomPart):
    """A game between friends: the position, without the moves that led to it, and its players."""


From = TypedDict("From", {"from": int})


class RoomHistory(From):
    """Some of the moves in words."""

    version: int
    move_count: int
    turns: list[Turn]


class OpenedSeat(TypedDict):
    """The seat that a token opens."""

    seat: Seat


class GivenSeat(OpenedSeat):
    """A newly assigned seat."""

    token: str
    state: RoomNews


class NewRoom(GivenSeat):
    id: str
    invite: Annotated[str | None, "Null against the computer."]


class Acted(TypedDict):
    """The result of an act."""

    accepted: Annotated[int, "The version that it created."]
    state: RoomNews


def room_part(room: Room, away: Away) -> RoomPart:
    """The part of a room's state that is not the position."""
    permissions: Permissions | None = None
    if room.code is not None:
        permissions = {"hints": room.data["hints"], "takebacks": room.data["takebacks"]}
    return {
        "id": room.id,
        "version": room.head,
        "seats": (_chair(room, 0, away), _chair(room, 1, away)),
        "takeback": None if room.takeback is None else room.takeback + 1,
        "rematch": room.rematch,
        "closed": room.closed,
        "paused": room.paused,
        "class": permissions,
    }


def _chair(room: Room, number: int, away: Away) -> Chair:
    """A seat: the player's name, whether it is a person or the computer, and whether they are away."""
    sitting, level = room.seat(number), room.levels[number]
    return {
        "name": room.match.names[number],
        "kind": "human" if level is None else "computer",
        "level": level,
        "joined": sitting is not None,
        "away": number in away,
        "substitute": level is not None and sitting is not None and sitting.level is None,
    }
