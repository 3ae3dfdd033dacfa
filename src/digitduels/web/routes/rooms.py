"""The routes of rooms, the games between friends. Tokens are sent in a header, never in a URL."""

from __future__ import annotations

import random
import re
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from digitduels.options import written
from digitduels.web.encoding import encode
from digitduels.web.http.errors import JSON
from digitduels.web.http.operations import OK, Endpoint, Feed, JsonResponse, Operation, tagged
from digitduels.web.http.tokens import bearer_token
from digitduels.web.positions import link
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import answers
from digitduels.web.rooms.acts import LEVELS
from digitduels.web.rooms.service import NO_GAME
from digitduels.web.runtime import runtime_of, sender_of
from digitduels.web.streams.credentials import new_secret
from digitduels.web.streams.feed import Receive, Send

_ID = re.compile(r"[A-Za-z0-9_-]{12}")

Side = Literal[1, 2]
Level = Annotated[int, Meta(ge=LEVELS[0], le=LEVELS[-1])]
GameId = Annotated[str, Meta(max_length=60)]
Name = Annotated[str, Meta(max_length=200)]
OptionValues = Annotated[dict[str, int | str | list[int]], Meta(max_length=20)]
# `$` also matches before a line break at the end.
Secret = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{16,64}$(?!\n)")]
Key = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_-]{8,64}$(?!\n)",
        description="An idempotency key: new for each act, and the same for a retry.",
    ),
]
CreationKey = Annotated[Secret, Meta(description="An idempotency key: a retry gets the same answer.")]
Version = Annotated[int, Meta(ge=0, le=1 << 31, description="The version of the state that the player acted on.")]


class RequestBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """A request body. Values of other types and unknown fields are refused."""


class ComputerPlayer(RequestBody, kw_only=True):
    seat: Side | None = None
    level: Level


class NewGame(RequestBody, kw_only=True):
    game: GameId
    options: OptionValues = {}
    first: Side = 1
    position: Annotated[str, Meta(max_length=10_000)] = ""
    moves: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(max_length=1000)] = []
    seat: Literal[1, 2, "random"] = 1
    name: Name = ""
    computer: ComputerPlayer | None = None
    key: CreationKey | None = None


class JoinGame(RequestBody, kw_only=True):
    invite: Secret
    key: CreationKey | None = None
    name: Name = ""


class ActRequest(RequestBody, kw_only=True):
    version: Version
    key: Key


class MoveRequest(ActRequest, kw_only=True):
    move: Annotated[str, Meta(max_length=40)]


class TakebackRequest(ActRequest, kw_only=True):
    answer: Literal["accept", "decline"] | None = None


class SubstituteRequest(ActRequest, kw_only=True):
    level: Level


async def create(request: Request, body: NewGame) -> Response:
    runtime, sender = runtime_of(request), sender_of(request)
    pairs = link_pairs(body)
    if body.options:
        match, _ = await runtime.workers.aside(lambda: link.read(body.game, pairs), sender.asker)
    else:  # the book's rules are cached, so this is fast
        match, _ = link.read(body.game, pairs)
    seat, computer = _seats(body)
    return JsonResponse(*await runtime.rooms.create(match, seat, body.name, computer, body.key, sender.address))


async def join(request: Request, body: JoinGame) -> Response:
    key = body.key or new_secret()
    return JsonResponse(*await runtime_of(request).rooms.join(_id(request), body.invite, key, body.name))


async def state(request: Request) -> Response:
    tag, content = await runtime_of(request).rooms.look(_id(request), request.headers.get("if-none-match", ""))
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if content is None:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=JSON, headers=headers)


async def history(request: Request) -> Response:
    start = link.number(dict(request.query_params), "from", 0, 100_000)
    return JsonResponse(await runtime_of(request).rooms.history(_id(request), start))


async def seat(request: Request) -> Response:
    number = await runtime_of(request).rooms.seat(_id(request), bearer_token(request.scope))
    opened: answers.OpenedSeat = {"seat": number}
    return JsonResponse(encode(opened))


async def move(request: Request, body: MoveRequest) -> Response:
    return await _act(request, "move", body, {"move": body.move})


async def concede(request: Request, body: ActRequest) -> Response:
    return await _act(request, "concede", body)


async def take_back(request: Request, body: TakebackRequest) -> Response:
    return await _act(request, body.answer or "takeback", body)


async def rematch(request: Request, body: ActRequest) -> Response:
    return await _act(request, "rematch", body)


async def substitute(request: Request, body: SubstituteRequest) -> Response:
    return await _act(request, "substitute", body, {"level": body.level})


async def come_back(request: Request, body: ActRequest) -> Response:
    return await _act(request, "return", body)


async def stream(request: Request, receive: Receive, send: Send) -> None:
    await runtime_of(request).rooms.stream(_id(request), bearer_token(request.scope), receive, send)


async def _act(request: Request, kind: str, body: ActRequest, details: dict[str, Any] | None = None) -> Response:
    rooms, token = runtime_of(request).rooms, bearer_token(request.scope)
    return JsonResponse(*await rooms.act(_id(request), token, kind, body.version, body.key, details or {}))


def _id(request: Request) -> str:
    """Returns the id of the game. Raises Refusal if no game can have it."""
    id: str = request.path_params["id"]
    if not _ID.fullmatch(id):
        raise Refusal(404, NO_GAME)
    return id


def link_pairs(body: NewGame) -> list[tuple[str, str]]:
    """Returns a new game's settings as the query of a link, so that the same checks apply."""
    for name in body.options:
        if name in (*link.KEYS, *link.PAGE_ONLY):
            raise Refusal(422, f"{name} is not an option.")
    texts = {name: written(value) for name, value in body.options.items()}
    pairs = [*texts.items(), ("first", str(body.first)), ("position", body.position), ("moves", " ".join(body.moves))]
    return [(key, value) for key, value in pairs if value]


def _seats(body: NewGame) -> tuple[int, tuple[int, int] | None]:
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


CREATED = {
    200: "A retry: this key was used before, and nothing was changed.",
    201: "Done and stored.",
    422: "Refused, with the reason.",
}
MISSING = {404: "There is no such game."}
REFUSED_SEAT = {403: "The token is missing, or belongs to another game.", **MISSING}
ACTED = {
    **CREATED,
    **REFUSED_SEAT,
    409: "Version conflict. The response contains the current state.",
    410: "The game is over or closed. The response contains its state.",
}
FROM = {"type": "integer", "minimum": 0, "maximum": 100_000, "description": "the number of moves to skip"}
ROOM = "/api/games/{id}"


def _act_operation(name: str, handler: Any, summary: str) -> Endpoint:
    return Operation("POST", f"{ROOM}/{name}", handler, summary, answers.Acted, ACTED)


ENDPOINTS = tagged(
    "games between friends",
    _act_operation("moves", move, "Play a move"),
    _act_operation("concede", concede, "Concede"),
    _act_operation("takeback", take_back, "Ask to take back a move, or answer such a request"),
    _act_operation("rematch", rematch, "Start a rematch with seats swapped"),
    _act_operation("substitute", substitute, "Let the computer play for an absent opponent"),
    _act_operation("return", come_back, "Take your seat back from the computer"),
    Operation("GET", ROOM, state, "The state of a game", answers.RoomNews, {**OK, 304: "Unchanged.", **MISSING}),
    Feed(f"{ROOM}/events", stream, "The live feed of a game", answers.RoomNews),
    Operation(
        "GET",
        f"{ROOM}/history",
        history,
        "The moves of a game in words",
        answers.RoomHistory,
        {**OK, **MISSING},
        query={"from": FROM},
    ),
    Operation("GET", f"{ROOM}/seat", seat, "The seat that a token opens", answers.OpenedSeat, {**OK, **REFUSED_SEAT}),
    Operation("POST", f"{ROOM}/seats", join, "Take the free seat with an invitation", answers.GivenSeat, ACTED),
    Operation("POST", "/api/games", create, "Start a game", answers.NewRoom, CREATED),
)
