"""The routes of rooms, the games between friends. Tokens are sent in a header, never in a URL."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, get_type_hints

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from msgspec import Raw
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from digitduels.options import written
from digitduels.web import link
from digitduels.web.encoding import encode
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import LEVELS
from digitduels.web.rooms.service import NO_GAME, RoomService
from digitduels.web.streams.credentials import new_secret
from digitduels.web.streams.feed import Receive, Scope, Send
from digitduels.web.streams.fold import Conflict
from digitduels.web.streams.store import StoreError

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
        pattern=r"^[A-Za-z0-9_-]{8,64}$",
        description="An idempotency key: new for each act, and the same for a retry.",
    ),
]
Version = Annotated[int, Field(ge=0, le=1 << 31, description="The version of the state that the player acted on.")]


class RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Computer(RequestBody):
    seat: Side | None = None
    level: Level


class Creation(RequestBody):
    game: Annotated[str, Field(max_length=60)]
    options: Annotated[dict[str, int | str | list[int]], Field(max_length=20)] = {}
    first: Side = 1
    position: Annotated[str, Field(max_length=10_000)] = ""
    moves: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=1000)] = []
    seat: Side | Literal["random"] = 1
    name: Name = ""
    computer: Computer | None = None
    key: Annotated[Secret | None, Field(description="An idempotency key: a retry returns the same game.")] = None


class Joining(RequestBody):
    invite: Secret
    key: Annotated[Secret | None, Field(description="An idempotency key: a retry returns the same seat.")] = None
    name: Name = ""


class Doing(RequestBody):
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


async def _token(header: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> str:
    return "" if header is None else header.credentials


Token = Annotated[str, Depends(_token)]
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "A retry: this key was used before, and nothing was changed."},
    201: {"description": "Done and stored."},
    403: {"description": "The token is missing, or belongs to another game."},
    404: {"description": "There is no such game."},
    409: {"description": "Version conflict. The response contains the current state."},
    410: {"description": "The game is over or closed. The response contains its state."},
    422: {"description": "Refused, with the reason."},
}


@router.post("", status_code=201, summary="Start a game", responses={200: _RESPONSES[200], 422: _RESPONSES[422]})
async def create(body: Creation, request: Request) -> Response:
    pairs, sender = query_pairs(body), request.scope["sender"]
    if body.options:
        match, _ = await request.app.state.workers.aside(lambda: link.read(body.game, pairs), sender.asker)
    else:  # the book's rules are cached, so this is fast
        match, _ = link.read(body.game, pairs)
    seat, computer = _seats(body)
    answer, new = await _service(request).create(match, seat, body.name, computer, body.key, sender.address)
    return JsonAnswer(answer, 201 if new else 200)


@router.post("/{id}/seats", status_code=201, summary="Take the free seat with an invitation", responses=_RESPONSES)
async def join(id: str, body: Joining, request: Request) -> Response:
    answer, new = await _service(request).join(_check_id(id), body.invite, body.key or new_secret(), body.name)
    return JsonAnswer(answer, 201 if new else 200)


@router.get(
    "/{id}", summary="The state of a game", responses={304: {"description": "Unchanged."}, 404: _RESPONSES[404]}
)
async def state(id: str, request: Request) -> Response:
    tag, content = await _service(request).look(_check_id(id), request.headers.get("if-none-match", ""))
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if content is None:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=JSON, headers=headers)


@router.get("/{id}/history", summary="The moves of a game in words", responses={404: _RESPONSES[404]})
async def history(
    id: str,
    request: Request,
    start: Annotated[int, Query(alias="from", ge=0, le=100_000, description="the number of moves to skip")] = 0,
) -> Response:
    return JsonAnswer(await _service(request).history(_check_id(id), start), 200)


@router.get("/{id}/seat", summary="The seat that a token opens", responses={403: _RESPONSES[403], 404: _RESPONSES[404]})
async def seat(id: str, token: Token, request: Request) -> Response:
    number = await _service(request).seat(_check_id(id), token)
    return JsonAnswer(encode({"seat": number}), 200)


@router.post("/{id}/moves", status_code=201, summary="Play a move", responses=_RESPONSES)
async def move(id: str, body: Moving, token: Token, request: Request) -> Response:
    return await _act(request, id, token, "move", body, {"move": body.move})


@router.post("/{id}/concede", status_code=201, summary="Concede", responses=_RESPONSES)
async def concede(id: str, body: Doing, token: Token, request: Request) -> Response:
    return await _act(request, id, token, "concede", body)


@router.post(
    "/{id}/takeback", status_code=201, summary="Ask to take back a move, or answer such a request", responses=_RESPONSES
)
async def take_back(id: str, body: TakingBack, token: Token, request: Request) -> Response:
    return await _act(request, id, token, body.answer or "takeback", body)


@router.post("/{id}/rematch", status_code=201, summary="Start a rematch with seats swapped", responses=_RESPONSES)
async def rematch(id: str, body: Doing, token: Token, request: Request) -> Response:
    return await _act(request, id, token, "rematch", body)


@router.post(
    "/{id}/substitute", status_code=201, summary="Let the computer play for an absent opponent", responses=_RESPONSES
)
async def substitute(id: str, body: Substituting, token: Token, request: Request) -> Response:
    return await _act(request, id, token, "substitute", body, {"level": body.level})


@router.post("/{id}/return", status_code=201, summary="Take your seat back from the computer", responses=_RESPONSES)
async def come_back(id: str, body: Doing, token: Token, request: Request) -> Response:
    return await _act(request, id, token, "return", body)


class RoomRoutes:
    """Handles live feeds and acts in front of the application.

    FastAPI's layers are expensive for long streams and for acts, the most frequent requests. Acts call the endpoint
    functions above directly. The application documents them, and handles requests without JSON.
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
        match = _ROOM.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if match is not None:
            id, rest = match.groups()
            if scope["method"] == "POST" and rest in self._acts and "json" in scope:
                await self._act(self._acts[rest], id, scope, receive, send)
                return
            if scope["method"] == "GET" and rest == "/events":
                await self._feed(id, scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _act(self, act: _Act, id: str, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"], scope["route"] = self.app, act.route
        request = Request(scope)
        try:
            response = await act.run(id, act.read(scope["json"]), bearer_token(scope), request)
        except (Conflict, StoreError, Refusal, RequestValidationError) as error:
            handlers: Any = self.app.exception_handlers
            kind = next(kind for kind in type(error).__mro__ if kind in handlers)
            response = await handlers[kind](request, error)
        await response(scope, receive, send)

    async def _feed(self, id: str, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = self  # for the metrics
        service: RoomService = self.app.state.rooms
        try:
            await service.stream(_check_id(id), bearer_token(scope), receive, send)
        except StoreError as error:
            raise Refusal(503, str(error), again=1) from None


class _Act:
    """One kind of act: its endpoint function, and the model of its request body."""

    def __init__(self, route: APIRoute) -> None:
        self.route = route
        self.run: Callable[..., Awaitable[Response]] = route.endpoint
        self._model: type[RequestBody] = get_type_hints(route.endpoint)["body"]

    def read(self, values: Any) -> RequestBody:
        try:
            return self._model.model_validate(values)
        except ValidationError as error:
            raise RequestValidationError(error.errors(include_url=False)) from None


def bearer_token(scope: Scope) -> str:
    """Returns the bearer token of a request, or an empty string."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            return str(token.strip()) if scheme.lower() == "bearer" else ""
    return ""


async def conflict(_: Request, error: Exception) -> Response:
    """Returns the response to a version conflict, with the current state of the game or class."""
    assert isinstance(error, Conflict)
    return Response(encode({"detail": str(error), "state": Raw(error.state)}), error.status, media_type=JSON)


async def unavailable(_: Request, error: Exception) -> Response:
    """Returns the response when the store is unavailable. The client may retry with the same key."""
    assert isinstance(error, StoreError)
    return Response(encode({"detail": str(error)}), 503, {"Retry-After": "1"}, JSON)


async def _act(request: Request, id: str, token: str, kind: str, body: Doing, details: Any = None) -> Response:
    answer, new = await _service(request).act(_check_id(id), token, kind, body.version, body.key, details or {})
    return JsonAnswer(answer, 201 if new else 200)


def _service(request: Request) -> RoomService:
    service: RoomService = request.app.state.rooms
    return service


def _check_id(id: str) -> str:
    """Returns the id. Raises Refusal if no game can have it."""
    if not _ID.fullmatch(id):
        raise Refusal(404, NO_GAME)
    return id


def query_pairs(body: Creation) -> list[tuple[str, str]]:
    """Returns a new game's settings as the query of a link, so that the same checks apply."""
    for name in body.options:
        if name in (*link.KEYS, *link.PAGE_ONLY):
            raise Refusal(422, f"{name} is not an option.")
    texts = {name: written(value) for name, value in body.options.items()}
    pairs = [*texts.items(), ("first", str(body.first)), ("position", body.position), ("moves", " ".join(body.moves))]
    return [(key, value) for key, value in pairs if value]


def _seats(body: Creation) -> tuple[int, tuple[int, int] | None]:
    """Returns the seat of the player who starts a game, and the computer's seat and level if it plays."""
    if body.seat != "random":
        seat = body.seat - 1
    elif body.computer is not None and body.computer.seat is not None:
        seat = 2 - body.computer.seat
    else:
        seat = random.Random(body.key).randrange(2)  # the same seat for a retry
    if body.computer is None:
        return seat, None
    return seat, (1 - seat if body.computer.seat is None else body.computer.seat - 1, body.computer.level)


class JsonAnswer(Response):
    """A response of serialized JSON."""

    media_type = JSON

    def init_headers(self, headers: Any = None) -> None:
        self.raw_headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(self.body))]
