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
    away: Annotated[bool, "Whether they have not been seen for a while."]
    substitute: Annotated[bool, "Whether the computer plays for a person."]


class Permissions(TypedDict):
    """What a class allows."""

    hints: bool
    takebacks: bool


OfClass = TypedDict("OfClass", {"class": Annotated[Permissions | None, "In a game of a class; else null."]})


class RoomPart(OfClass):
    """What the state of a room has beside the position."""

    id: str
    version: Annotated[int, "The number of events so far; also the ETag."]
    seats: tuple[Chair, Chair]
    takeback: Annotated[Seat | None, "The player who asks for a take-back."]
    rematch: Annotated[str | None, "The id of the rematch. Each token opens the other seat in it."]
    closed: Annotated[bool, "Whether the game was closed, because nobody played or by a teacher."]
    paused: Annotated[str | None, "The teacher's message while the game is paused; every act then gets 423."]


class RoomNews(PresentView, RoomPart):
    """A game between friends: the position, without the moves that led to it, and its players."""


From = TypedDict("From", {"from": int})


class RoomHistory(From):
    """Up to 100 of the moves in words, `from` a number of moves on."""

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
