"""The routes of classes. Teachers and pupils send their tokens in a header, never in a URL."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import Field
from starlette.types import ASGIApp

from digitduels.match import Match
from digitduels.web import link
from digitduels.web.classes import results as class_results
from digitduels.web.classes.acts import Act
from digitduels.web.classes.service import ClassService
from digitduels.web.encoding import encode
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import LONGEST_GAME
from digitduels.web.routes.rooms import (
    Creation,
    Doing,
    JsonAnswer,
    Level,
    Name,
    RequestBody,
    Secret,
    Token,
    bearer_token,
    query_pairs,
)
from digitduels.web.streams.feed import Receive, Scope, Send
from digitduels.web.streams.store import StoreError
from digitduels.web.workers.supervisor import Supervisor

_FEED = re.compile(r"/api/classes/([^/]+)/events")

Options = Annotated[dict[str, int | str | list[int]], Field(max_length=20)]
Number = Annotated[int, Field(ge=1, le=100_000, description="The number of a pupil.")]
Start = Literal["book", "fair"]


class Founding(RequestBody):
    game: Annotated[str, Field(max_length=60)]
    options: Options = {}
    mode: Literal["pairs", "computer", "rounds"]
    level: Annotated[
        Level, Field(description="The computer's level, for everybody or for the pupil without a partner.")
    ] = 2
    hints: bool = False
    takebacks: bool = False
    start: Start = "book"
    anonymous: Annotated[bool, Field(description="Whether the wall shows numbers instead of names.")] = False
    key: Annotated[Secret, Field(description="An idempotency key: a retry returns the same class.")]


class Enrolling(RequestBody):
    name: Name
    key: Annotated[Secret, Field(description="An idempotency key: a retry returns the same pupil.")]


class Teaching(Doing):
    act: Literal[
        "pair",
        "pause",
        "resume",
        "next",
        "end",
        "rename",
        "remove",
        "remove-newcomers",
        "restore",
        "admit",
        "substitute",
        "settings",
        "delete",
    ]
    pupil: Number | None = None
    device: Annotated[Number | None, Field(description="With admit: the newcomer who is this pupil.")] = None
    name: Name | None = None
    message: Annotated[str | None, Field(max_length=1000, description="With pause: the message on all boards.")] = None
    level: Level | None = None
    game: Annotated[str | None, Field(max_length=60)] = None
    options: Options | None = None
    hints: bool | None = None
    takebacks: bool | None = None
    start: Start | None = None
    anonymous: bool | None = None
    locked: Annotated[bool | None, Field(description="With settings: whether the class takes no more pupils.")] = None


router = APIRouter(prefix="/api/classes", tags=["classes"])
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "A retry: this key was used before, and nothing was changed."},
    201: {"description": "Done and stored."},
    403: {"description": "The token is missing, or belongs to another class."},
    404: {"description": "There is no such class, or it was deleted."},
    409: {"description": "Version conflict. The response contains the current state."},
    410: {"description": "The class has ended."},
    422: {"description": "Refused, with the reason."},
    423: {"description": "The class is paused, or locked."},
    429: {"description": "Too many requests, or too many wrong codes."},
}


@router.post("", status_code=201, summary="Start a class", responses={200: _RESPONSES[200], 422: _RESPONSES[422]})
async def create(body: Founding, request: Request) -> Response:
    match = await _match(request, body.game, body.options)
    rules = body.model_dump(exclude={"game", "options", "key"})
    rules |= {"game": match.game.id, "options": match.game.changes}
    answer, new = await _service(request).create(rules, body.key, request.scope["sender"])
    return JsonAnswer(answer, 201 if new else 200)


@router.post("/{code}/pupils", status_code=201, summary="Join a class", responses=_RESPONSES)
async def join(code: str, body: Enrolling, request: Request) -> Response:
    answer, new = await _service(request).join(code, body.name, body.key, request.scope["sender"])
    return JsonAnswer(answer, 201 if new else 200)


@router.get("/{code}", summary="The state of a class, for its teacher or a pupil", responses=_RESPONSES)
async def state(code: str, token: Token, request: Request) -> Response:
    return JsonAnswer(await _service(request).look(code, token, request.scope["sender"]), 200)


@router.post("/{code}/acts", status_code=201, summary="Do something as the teacher", responses=_RESPONSES)
async def act(code: str, body: Teaching, token: Token, request: Request) -> Response:
    details = body.model_dump(exclude={"act", "version", "key"}, exclude_none=True)
    if body.game is not None:
        match = await _match(request, body.game, body.options or {})
        details |= {"game": match.game.id, "options": match.game.changes}
    elif body.options is not None:
        raise Refusal(422, "Options belong to a game. Name it, too.")
    act = Act(body.act, body.version, body.key, details)
    answer, new = await _service(request).act(code, token, act, request.scope["sender"])
    return JsonAnswer(answer, 201 if new else 200)


@router.get("/{code}/results", summary="The results of a class, for its teacher", responses=_RESPONSES)
async def results(code: str, token: Token, request: Request) -> Response:
    return JsonAnswer(encode(await _results(code, token, request)), 200)


@router.get("/{code}/results.csv", summary="The results as a CSV file, for its teacher", responses=_RESPONSES)
async def table(code: str, token: Token, request: Request) -> Response:
    text = class_results.as_csv(await _results(code, token, request))
    headers = {"Content-Disposition": f'attachment; filename="class-{code.upper()}.csv"'}
    return Response("\ufeff" + text, media_type="text/csv; charset=utf-8", headers=headers)


class ClassFeed:
    """Handles the live feed of a class in front of the application, whose layers are expensive for long streams."""

    path = "/api/classes/{code}/events"

    def __init__(self, next_app: ASGIApp, app: FastAPI) -> None:
        self._next_app, self.app = next_app, app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match = _FEED.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        if match is None:
            await self._next_app(scope, receive, send)
            return
        scope["route"] = self  # for the metrics
        service: ClassService = self.app.state.classes
        try:
            await service.stream(match[1], bearer_token(scope), scope["sender"], receive, send)
        except StoreError as error:
            raise Refusal(503, str(error), again=1) from None


async def _results(code: str, token: Token, request: Request) -> dict[str, Any]:
    return await _service(request).results(code, token, request.scope["sender"])


async def _match(request: Request, game: str, options: dict[str, Any]) -> Match:
    """Returns a match at its start. Raises Refusal if classes cannot play it here."""
    pairs = query_pairs(Creation(game=game, options=options))
    if options:
        workers: Supervisor = request.app.state.workers
        match, _ = await workers.aside(lambda: link.read(game, pairs), request.scope["sender"].asker)
    else:
        match, _ = link.read(game, pairs)
    if match.game.longest > LONGEST_GAME:
        raise Refusal(422, f"With these options a game can last too long. The limit here is {LONGEST_GAME} moves.")
    return match


def _service(request: Request) -> ClassService:
    service: ClassService = request.app.state.classes
    return service
