"""The routes of games between friends. A player shows a token in a header; a URL never holds one."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, get_type_hints

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from digitduels.options import written
from digitduels.web import link
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts
from digitduels.web.rooms.acts import LEVELS, Conflict
from digitduels.web.rooms.feed import Receive, Scope, Send
from digitduels.web.rooms.live import NO_GAME, packed
from digitduels.web.rooms.service import RoomService
from digitduels.web.store import StoreError

JSON = "application/json"
_ID = re.compile(r"[A-Za-z0-9_-]{12}")
_ROOM = re.compile(r"/api/games/([^/]+)(/[a-z]+)")

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
    key: Annotated[Secret | None, Field(description="A random text. Sent again, it gets the same game.")] = None


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


async def _token(shown: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> str:
    return "" if shown is None else shown.credentials


Token = Annotated[str, Depends(_token)]
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "Done before: the key is known."},
    201: {"description": "Done, and kept."},
    403: {"description": "The token is missing, or not of this game."},
    404: {"description": "There is no such game."},
    409: {"description": "The game has gone on; with its state."},
    410: {"description": "The game is over or closed; with its state."},
    422: {"description": "Refused, with the reason."},
}


@router.post("", status_code=201, summary="Begin a game", responses={200: _ANSWERS[200], 422: _ANSWERS[422]})
async def create(sent: Creation, request: Request) -> Response:
    pairs = pairs_of(sent)
    if sent.options:
        match, _ = await request.app.state.workers.aside(lambda: link.read(sent.game, pairs), request.scope["address"])
    else:  # by the book, which nobody waits for
        match, _ = link.read(sent.game, pairs)
    seat, computer = _seats(sent)
    answer, new = await _service(request).create(match, seat, sent.name, computer, sent.key)
    return JsonAnswer(answer, 201 if new else 200)


@router.post("/{id}/seats", status_code=201, summary="Take the free seat, by an invitation", responses=_ANSWERS)
async def join(id: str, sent: Joining, request: Request) -> Response:
    answer, new = await _service(request).join(_known(id), sent.invite, sent.key or acts.new_secret(), sent.name)
    return JsonAnswer(answer, 201 if new else 200)


@router.get("/{id}", summary="How a game stands", responses={304: {"description": "As before."}, 404: _ANSWERS[404]})
async def state(id: str, request: Request) -> Response:
    tag, content = await _service(request).look(_known(id), request.headers.get("if-none-match", ""))
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if content is None:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=JSON, headers=headers)


@router.get("/{id}/history", summary="The moves of a game in words", responses={404: _ANSWERS[404]})
async def history(
    id: str,
    request: Request,
    start: Annotated[int, Query(alias="from", ge=0, le=100_000, description="the number of moves before them")] = 0,
) -> Response:
    return JsonAnswer(await _service(request).history(_known(id), start), 200)


@router.get("/{id}/seat", summary="Which seat a token opens", responses={403: _ANSWERS[403], 404: _ANSWERS[404]})
async def seat(id: str, token: Token, request: Request) -> Response:
    number = await _service(request).seat(_known(id), token)
    return JsonAnswer(packed({"seat": number}), 200)


@router.post("/{id}/moves", status_code=201, summary="Play a move", responses=_ANSWERS)
async def move(id: str, sent: Moving, token: Token, request: Request) -> Response:
    return await _act(request, id, token, "move", sent, {"move": sent.move})


@router.post("/{id}/concede", status_code=201, summary="Give up", responses=_ANSWERS)
async def concede(id: str, sent: Doing, token: Token, request: Request) -> Response:
    return await _act(request, id, token, "concede", sent)


@router.post("/{id}/takeback", status_code=201, summary="Ask to take back a move, or answer", responses=_ANSWERS)
async def take_back(id: str, sent: TakingBack, token: Token, request: Request) -> Response:
    return await _act(request, id, token, sent.answer or "takeback", sent)


@router.post("/{id}/rematch", status_code=201, summary="Begin a rematch with seats swapped", responses=_ANSWERS)
async def rematch(id: str, sent: Doing, token: Token, request: Request) -> Response:
    return await _act(request, id, token, "rematch", sent)


@router.post("/{id}/substitute", status_code=201, summary="Let the computer play for who is away", responses=_ANSWERS)
async def substitute(id: str, sent: Substituting, token: Token, request: Request) -> Response:
    return await _act(request, id, token, "substitute", sent, {"level": sent.level})


@router.post("/{id}/return", status_code=201, summary="Take the own seat back from the computer", responses=_ANSWERS)
async def come_back(id: str, sent: Doing, token: Token, request: Request) -> Response:
    return await _act(request, id, token, "return", sent)


class RoomRoutes:
    """The live feed, and the acts in a game, before the application.

    Whatever else wraps a response would cost every open stream dearly, and acts are what is asked most. They are the
    functions above, called with what their signatures name; the application describes them, and answers what is odd.
    """

    path = "/api/games/{id}/events"

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self._acts = {
            route.path.removeprefix("/api/games/{id}"): _Act(route)
            for route in router.routes
            if isinstance(route, APIRoute)
            and "POST" in (route.methods or ())
            and "token" in get_type_hints(route.endpoint)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = _ROOM.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if asked is not None:
            id, what = asked.groups()
            if scope["method"] == "POST" and what in self._acts and "json" in scope:
                await self._act(self._acts[what], id, scope, receive, send)
                return
            if scope["method"] == "GET" and what == "/events":
                await self._feed(id, scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _act(self, act: _Act, id: str, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"], scope["route"] = self.app, act.route
        request = Request(scope)
        try:
            response = await act.run(id, act.read(scope["json"]), shown_token(scope), request)
        except (Conflict, StoreError, Refusal, RequestValidationError) as error:
            handlers: Any = self.app.exception_handlers
            kind = next(kind for kind in type(error).__mro__ if kind in handlers)
            response = await handlers[kind](request, error)
        await response(scope, receive, send)

    async def _feed(self, id: str, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = self  # for the metrics
        service: RoomService = self.app.state.rooms
        try:
            await service.stream(_known(id), shown_token(scope), receive, send)
        except StoreError as error:
            raise Refusal(503, str(error), again=1) from None


class _Act:
    """One kind of act: the function that does it, and what is sent for it."""

    def __init__(self, route: APIRoute) -> None:
        self.route = route
        self.run: Callable[..., Awaitable[Response]] = route.endpoint
        self._model: type[Sent] = get_type_hints(route.endpoint)["sent"]

    def read(self, values: Any) -> Sent:
        try:
            return self._model.model_validate(values)
        except ValidationError as error:
            raise RequestValidationError(error.errors(include_url=False)) from None


def shown_token(scope: Scope) -> str:
    """What somebody shows to be a player, if they do."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            return str(token.strip()) if scheme.lower() == "bearer" else ""
    return ""


async def conflict(request: Request, error: Exception) -> Response:
    """Too late: how the game stands now."""
    assert isinstance(error, Conflict)
    state = _service(request).state_of(error.room)
    return Response(b'{"detail":%b,"state":%b}' % (packed(str(error)), state), error.status, media_type=JSON)


async def unavailable(_: Request, error: Exception) -> Response:
    """The store does not answer; what was asked may be asked again, with the same key."""
    assert isinstance(error, StoreError)
    return Response(packed({"detail": str(error)}), 503, {"Retry-After": "1"}, JSON)


async def _act(request: Request, id: str, token: str, kind: str, sent: Doing, body: Any = None) -> Response:
    answer, new = await _service(request).act(_known(id), token, kind, sent.version, sent.key, body or {})
    return JsonAnswer(answer, 201 if new else 200)


def _service(request: Request) -> RoomService:
    service: RoomService = request.app.state.rooms
    return service


def _known(id: str) -> str:
    """An id that may be one."""
    if not _ID.fullmatch(id):
        raise Refusal(404, NO_GAME)
    return id


def pairs_of(sent: Creation) -> list[tuple[str, str]]:
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
        seat = random.Random(sent.key).randrange(2)  # the same when it is sent again
    if sent.computer is None:
        return seat, None
    return seat, (1 - seat if sent.computer.seat is None else sent.computer.seat - 1, sent.computer.level)


class JsonAnswer(Response):
    """JSON that is ready to be sent."""

    media_type = JSON

    def init_headers(self, headers: Any = None) -> None:
        self.raw_headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(self.body))]
