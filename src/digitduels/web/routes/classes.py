"""The routes of classes. Teachers and pupils send their tokens in a header, never in a URL."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from msgspec import Meta, structs
from starlette.requests import Request
from starlette.responses import Response

from digitduels.match import Match
from digitduels.web.classes import answers
from digitduels.web.classes.acts import CODE_LENGTH
from digitduels.web.classes.results import as_csv
from digitduels.web.encoding import encode
from digitduels.web.http.operations import OK, Feed, JsonResponse, Operation, tagged
from digitduels.web.http.tokens import bearer_token
from digitduels.web.positions import link
from digitduels.web.refusal import Refusal
from digitduels.web.rooms.acts import LONGEST_GAME
from digitduels.web.routes.rooms import (
    CREATED,
    ActRequest,
    CreationKey,
    GameId,
    Level,
    Name,
    NewGame,
    OptionValues,
    RequestBody,
    link_pairs,
)
from digitduels.web.runtime import runtime_of, sender_of
from digitduels.web.sender import Sender
from digitduels.web.streams.feed import Receive, Send
from digitduels.web.streams.fold import Act

_CODE = re.compile(rf"[A-Za-z]{{{CODE_LENGTH}}}")

PupilNumber = Annotated[int, Meta(ge=1, le=100_000, description="The number of a pupil.")]
StartKind = Literal["book", "fair"]
Deed = Literal[
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
    "revoke",
    "delete",
]


class StartClass(RequestBody, kw_only=True):
    game: GameId
    options: OptionValues = {}
    mode: Literal["pairs", "computer", "rounds"]
    level: Annotated[
        Level, Meta(description="The computer's level, for everybody or for the pupil without a partner.")
    ] = 2
    hints: bool = False
    takebacks: bool = False
    start: StartKind = "book"
    anonymous: Annotated[bool, Meta(description="Whether the wall shows numbers instead of names.")] = False
    auto_pairing: Annotated[bool, Meta(description="Whether pupils who wait get a game by themselves.")] = False
    key: CreationKey


class JoinClass(RequestBody, kw_only=True):
    name: Name
    key: CreationKey


class MakeLink(RequestBody, kw_only=True):
    kind: Annotated[
        Literal["desk", "wall"],
        Meta(description="A desk may do everything. A wall shows the class, and may do nothing."),
    ]
    key: CreationKey


class TeacherAct(ActRequest, kw_only=True):
    act: Deed
    pupil: PupilNumber | None = None
    link: Annotated[int, Meta(ge=1, le=100_000, description="With revoke: the number of the link.")] | None = None
    device: Annotated[PupilNumber | None, Meta(description="With admit: the newcomer who is this pupil.")] = None
    name: Name | None = None
    message: Annotated[str, Meta(max_length=1000, description="With pause: the message on all boards.")] | None = None
    level: Level | None = None
    game: GameId | None = None
    options: OptionValues | None = None
    hints: bool | None = None
    takebacks: bool | None = None
    start: StartKind | None = None
    anonymous: bool | None = None
    auto_pairing: bool | None = None
    locked: Annotated[bool | None, Meta(description="With settings: whether the class takes no more pupils.")] = None


async def create(request: Request, body: StartClass) -> Response:
    match = await _match(request, body.game, body.options)
    rules = {**structs.asdict(body), "game": match.game.id, "options": match.game.changes}
    del rules["key"]
    return JsonResponse(*await runtime_of(request).classes.create(rules, body.key, sender_of(request)))


async def join(request: Request, body: JoinClass) -> Response:
    service = runtime_of(request).classes
    return JsonResponse(*await service.join(_code(request), body.name, body.key, sender_of(request)))


async def state(request: Request) -> Response:
    return JsonResponse(await runtime_of(request).classes.look(*_member(request)))


async def act(request: Request, body: TeacherAct) -> Response:
    details = {name: value for name, value in structs.asdict(body).items() if value is not None}
    for name in ("act", "version", "key"):
        del details[name]
    if body.game is not None:
        match = await _match(request, body.game, body.options or {})
        details |= {"game": match.game.id, "options": match.game.changes}
    elif body.options is not None:
        raise Refusal(422, "Options belong to a game. Name it, too.")
    deed = Act(body.act, body.version, body.key, details)
    code, token, sender = _member(request)
    return JsonResponse(*await runtime_of(request).classes.act(code, token, deed, sender))


async def make_link(request: Request, body: MakeLink) -> Response:
    code, token, sender = _member(request)
    return JsonResponse(*await runtime_of(request).classes.make_link(code, token, body.kind, body.key, sender))


async def results(request: Request) -> Response:
    return JsonResponse(await runtime_of(request).classes.results(*_member(request), encode))


async def table(request: Request) -> Response:
    text = await runtime_of(request).classes.results(*_member(request), as_csv)
    name = f"class-{_code(request)}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response("\ufeff" + text, media_type="text/csv; charset=utf-8", headers=headers)


async def stream(request: Request, receive: Receive, send: Send) -> None:
    await runtime_of(request).classes.stream(*_member(request), receive, send)


def _member(request: Request) -> tuple[str, str, Sender]:
    """Returns the code of the class, the token of the member, and the sender."""
    return _code(request), bearer_token(request.scope), sender_of(request)


def _code(request: Request) -> str:
    """Returns the code of the class in capitals, or an empty one that belongs to no class."""
    code: str = request.path_params["code"]
    return code.upper() if _CODE.fullmatch(code) else ""


async def _match(request: Request, game: str, options: dict[str, Any]) -> Match:
    """Returns a match at its start. Raises Refusal if classes cannot play it here."""
    pairs = link_pairs(NewGame(game=game, options=options))
    if options:
        workers = runtime_of(request).workers
        match, _ = await workers.aside(lambda: link.read(game, pairs), sender_of(request).asker)
    else:
        match, _ = link.read(game, pairs)
    if match.game.longest > LONGEST_GAME:
        raise Refusal(422, f"With these options a game can last too long. The limit here is {LONGEST_GAME} moves.")
    return match


IN_CLASS = {
    403: "The token is missing, or belongs to another class.",
    404: "There is no such class, or it was deleted.",
    429: "Too many requests, or too many wrong codes.",
}
CLASS_READ = {**OK, **IN_CLASS}
CLASS_ACTED = {
    **CREATED,
    **IN_CLASS,
    409: "Version conflict. The response contains the current state.",
    410: "The class has ended.",
    423: "The class is paused, or locked.",
}
CLASS = "/api/classes/{code}"
STATE = answers.TeacherClass | answers.WallClass | answers.PupilClass

ENDPOINTS = tagged(
    "classes",
    Operation("POST", "/api/classes", create, "Start a class", answers.NewClass, CREATED),
    Operation("POST", f"{CLASS}/pupils", join, "Join a class", answers.JoinedClass, CLASS_ACTED),
    Operation("POST", f"{CLASS}/acts", act, "Do something as the teacher", answers.ActedClass, CLASS_ACTED),
    Operation("POST", f"{CLASS}/links", make_link, "Make a link for another device", answers.NewLink, CLASS_ACTED),
    Operation("GET", CLASS, state, "The state of a class, for its teacher, a wall or a pupil", STATE, CLASS_READ),
    Feed(f"{CLASS}/events", stream, "The live feed of a class", STATE),
    Operation("GET", f"{CLASS}/results", results, "The results, for its teacher", answers.ClassResults, CLASS_READ),
    Operation("GET", f"{CLASS}/results.csv", table, "The results as a CSV file", str, CLASS_READ, media="text/csv"),
)
