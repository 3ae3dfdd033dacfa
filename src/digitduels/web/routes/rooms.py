"""The routes of games between friends. A player shows a token in a header; a URL never holds one."""

from __future__ import annotations

import random
import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field

from digitduels.options import written
from digitduels.web import link
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.acts import LEVELS, Conflict
from digitduels.web.rooms.feed import Receive, Scope, Send
from digitduels.web.rooms.service import NO_GAME, RoomService, packed
from digitduels.web.store import StoreError

JSON = "application/json"
_ID = re.compile(r"[A-Za-z0-9_-]{12}")
_FEED = re.compile(r"/api/games/([^/]*)/events")

Side = Literal[1, 2]
Level = Annotated[int, Field(ge=LEVELS[0], le=LEVELS[-1])]
Name = Annotated[str, Field(max_length=200)]
Secret = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{16,64}$")]
Key = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_-]{8,64}$", description="A new one for each act, and the same when the act is sent again."
    ),
]
Version = Annotated[int, Field(ge=0, le=1 << 31, description="The version of the state that this answers.")]


class Sent(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Computer(Sent):
    seat: Side | None = None
    level: Level


class Creation(Sent):
    game: Annotated[str, Field(max_length=60)]
    options: Annotated[dict[str, int | str | list[int]], Field(max_length=20)] = {}
    first: Side = 1
    position: Annotated[str, Field(max_length=10_000)] = ""
    moves: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=1000)] = []
    seat: Side | Literal["random"] = 1
    name: Name = ""
    computer: Computer | None = None


class Joining(Sent):
    invite: Secret
    key: Annotated[Secret | None, Field(description="A random text. Sent again, it gets the same seat.")] = None
    name: Name = ""


class Doing(Sent):
    version: Version
    key: Key


class Moving(Doing):
    move: Annotated[str, Field(max_length=40)]


class TakingBack(Doing):
    answer: Literal["accept", "decline"] | None = None


class Substituting(Doing):
    level: Level


router = APIRouter(prefix="/api/games", tags=["games between friends"])
_bearer = HTTPBearer(auto_error=False, description="The token of a seat.")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "Done before: the key is known."},
    201: {"description": "Done, and kept."},
    403: {"description": "The token is missing, or not of this game."},
    404: {"description": "There is no such game."},
    409: {"description": "The game has gone on; with its state."},
    410: {"description": "The game is over or closed; with its state."},
    422: {"description": "Refused, with the reason."},
}


@router.post("", status_code=201, summary="Begin a game", responses={422: _ANSWERS[422]})
async def create(sent: Creation, request: Request) -> Response:
    pairs = _pairs(sent)
    match, _ = await request.app.state.workers.aside(lambda: link.read(sent.game, pairs))
    seat, computer = _seats(sent)
    return _json(await _service(request).create(match, seat, sent.name, computer), 201)


@router.post("/{id}/seats", status_code=201, summary="Take the free seat, by an invitation", responses=_ANSWERS)
async def join(id: str, sent: Joining, request: Request) -> Response:
    answer, new = await _service(request).join(_known(id), sent.invite, sent.key or acts.new_secret(), sent.name)
    return _json(answer, 201 if new else 200)


@router.get("/{id}", summary="How a game stands", responses={404: _ANSWERS[404]})
async def state(id: str, request: Request) -> Response:
    service = _service(request)
    room = await service.room(_known(id))
    headers = {"ETag": service.etag(room), "Cache-Control": "no-cache"}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(service.render(room), media_type=JSON, headers=headers)


@router.post("/{id}/moves", status_code=201, summary="Play a move", responses=_ANSWERS)
async def move(id: str, sent: Moving, token: Bearer, request: Request) -> Response:
    return await _act(request, id, token, "move", sent, {"move": sent.move})


@router.post("/{id}/concede", status_code=201, summary="Give up", responses=_ANSWERS)
async def concede(id: str, sent: Doing, token: Bearer, request: Request) -> Response:
    return await _act(request, id, token, "concede", sent)


@router.post("/{id}/takeback", status_code=201, summary="Ask to take back a move, or answer", responses=_ANSWERS)
async def take_back(id: str, sent: TakingBack, token: Bearer, request: Request) -> Response:
    return await _act(request, id, token, sent.answer or "takeback", sent)


@router.post("/{id}/rematch", status_code=201, summary="Begin a rematch with seats swapped", responses=_ANSWERS)
async def rematch(id: str, sent: Doing, token: Bearer, request: Request) -> Response:
    return await _act(request, id, token, "rematch", sent)


@router.post("/{id}/substitute", status_code=201, summary="Let the computer play for who is away", responses=_ANSWERS)
async def substitute(id: str, sent: Substituting, token: Bearer, request: Request) -> Response:
    return await _act(request, id, token, "substitute", sent, {"level": sent.level})


@router.post("/{id}/return", status_code=201, summary="Take the own seat back from the computer", responses=_ANSWERS)
async def come_back(id: str, sent: Doing, token: Bearer, request: Request) -> Response:
    return await _act(request, id, token, "return", sent)


class FeedRoute:
    """The live feed, before the application: whatever else wraps a response would cost every open stream dearly."""

    path = "/api/games/{id}/events"

    def __init__(self, app: FastAPI) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = _FEED.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        if asked is None:
            await self.app(scope, receive, send)
            return
        scope["route"] = self  # for the metrics
        scheme, _, token = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1").partition(" ")
        service: RoomService = self.app.state.rooms
        try:
            await service.stream(_known(asked[1]), token.strip() if scheme.lower() == "bearer" else None, receive, send)
        except StoreError as error:
            raise Refusal(503, str(error), again=1) from None


async def conflict(request: Request, error: Exception) -> Response:
    """Too late: how the game stands now."""
    assert isinstance(error, Conflict)
    state = _service(request).render(error.room)
    return Response(b'{"detail":%b,"state":%b}' % (packed(str(error)), state), error.status, media_type=JSON)


async def unavailable(_: Request, error: Exception) -> Response:
    """The store does not answer; what was asked may be asked again, with the same key."""
    assert isinstance(error, StoreError)
    return Response(packed({"detail": str(error)}), 503, {"Retry-After": "1"}, JSON)


async def _act(
    request: Request, id: str, token: HTTPAuthorizationCredentials | None, kind: str, sent: Doing, body: Any = None
) -> Response:
    service = _service(request)
    shown = "" if token is None else token.credentials
    answer = await service.act(_known(id), shown, kind, sent.version, sent.key, body or {})
    content = b'{"accepted":%d,"state":%b}' % (answer.accepted, service.render(answer.room))
    return Response(content, 201 if answer.new else 200, media_type=JSON)


def _service(request: Request) -> RoomService:
    service: RoomService = request.app.state.rooms
    return service


def _known(id: str) -> str:
    """An id that may be one."""
    if not _ID.fullmatch(id):
        raise Refusal(404, NO_GAME)
    return id


def _pairs(sent: Creation) -> list[tuple[str, str]]:
    """What was sent as the pairs of a link, where the same rules hold."""
    for name in sent.options:
        if name in (*link.KEYS, *link.PAGE_ONLY):
            raise Refusal(422, f"{name} is not an option.")
    texts = {name: written(value) for name, value in sent.options.items()}
    pairs = [*texts.items(), ("first", str(sent.first)), ("position", sent.position), ("moves", " ".join(sent.moves))]
    return [(key, value) for key, value in pairs if value]


def _seats(sent: Creation) -> tuple[int, tuple[int, int] | None]:
    """The seat of who begins a game, and the seat and the level of the computer."""
    if sent.seat != "random":
        seat = sent.seat - 1
    elif sent.computer is not None and sent.computer.seat is not None:
        seat = 2 - sent.computer.seat
    else:
        seat = random.randrange(2)
    if sent.computer is None:
        return seat, None
    return seat, (1 - seat if sent.computer.seat is None else sent.computer.seat - 1, sent.computer.level)


def _json(values: Any, status: int) -> Response:
    return Response(packed(values), status, media_type=JSON)
