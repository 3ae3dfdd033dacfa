"""The routes about games in links, which need no storage. They are made from the table of questions."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Awaitable, Callable
from functools import lru_cache, partial
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

from msgspec import Meta
from msgspec.json import Decoder
from starlette.requests import Request
from starlette.responses import Response

from digitduels.match import Match
from digitduels.web.assets import compressed_response
from digitduels.web.classes.lessons import Lessons, lessons
from digitduels.web.encoding import encode
from digitduels.web.http.errors import JSON
from digitduels.web.http.limits import link_cost
from digitduels.web.http.operations import Operation, Schema, tagged
from digitduels.web.http.request_body import decode
from digitduels.web.positions import answers, link
from digitduels.web.positions.analysis import Solve
from digitduels.web.positions.questions import (
    IMMUTABLE,
    MAX_AGE,
    QUESTIONS,
    Pairs,
    Question,
    Workers,
    body_pairs,
    game_cards,
    review_record,
)
from digitduels.web.refusal import Refusal
from digitduels.web.routes.rooms import RequestBody
from digitduels.web.runtime import runtime_of, sender_of
from digitduels.web.sender import Asker
from digitduels.web.settings import split_list
from digitduels.web.workers.supervisor import Supervisor

LONGEST_LINK = 1 << 16  # bytes of a link in a request body; in a query, the HTTP parser's limit is the same
LONGEST_QR = 100
SHORT = 600  # bytes; a shorter response is not worth compressing

P = ParamSpec("P")
T = TypeVar("T")
_ANYTHING = Decoder[Any]()


class WorkersFor:
    """The workers of a server, on behalf of a client."""

    def __init__(self, workers: Supervisor, asker: Asker) -> None:
        self._workers, self._asker = workers, asker

    async def ask(
        self,
        question: Callable[Concatenate[Match, Solve, P], T],
        match: Match,
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        assert not arguments, "workers take arguments by name"
        answer: T = await self._workers.ask(question.__name__, match, self._asker, **named)
        return answer

    async def aside(self, work: Callable[[], T]) -> T:
        return await self._workers.aside(work, self._asker)


def _workers(request: Request) -> Workers:
    return WorkersFor(runtime_of(request).workers, sender_of(request).asker)


async def answer_question(question: Question, request: Request) -> Response:
    """Answers a question about the link in the query or in the body of a request."""
    pairs = _pairs(request)
    answer = await question.ask(request.path_params.get("game"), pairs, _workers(request))
    return _respond(request, answer, question.max_age_of(pairs))


def _pairs(request: Request) -> Pairs:
    """Returns the keys and values of the link of a request, from its query or its body."""
    if request.method == "GET":
        return request.query_params.multi_items()
    if request.scope["query_string"]:
        raise Refusal(422, "The link must be in the request body, not in the query.")
    data: bytes = request.scope["body"]
    pairs = body_pairs(decode(data, _ANYTHING) if data else None)
    if len(data) > LONGEST_LINK:
        raise Refusal(413, f"A link in a request body may have at most {LONGEST_LINK:,} bytes.")
    sender_of(request).pay(link_cost(len(data)))  # as in a query
    return pairs


async def list_games(request: Request) -> Response:
    return _respond(request, game_cards())


async def suggestions(request: Request) -> Response:
    return _respond(request, lessons())


async def review_of_record(request: Request) -> Response:
    record = decode(request.scope["body"], _ANYTHING)
    return Response(encode(await review_record(record, _workers(request))), media_type=JSON)


def _respond(request: Request, answer: Any, seconds: int = MAX_AGE) -> Response:
    """Returns a JSON response. Answers are stable, so clients may cache those to a GET request."""
    body = encode(answer)
    headers = {}
    if request.method == "GET":
        headers["ETag"] = tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
        headers["Cache-Control"] = f"public, max-age={seconds}{', immutable' * (seconds == IMMUTABLE)}"
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
    headers["Content-Type"] = JSON
    return compressed_response(request, body, None, headers) if len(body) > SHORT else Response(body, headers=headers)


class QrRequest(RequestBody, kw_only=True):
    """A link of this server, to be drawn."""

    text: Annotated[str, Meta(max_length=LONGEST_QR)]


async def qr(request: Request) -> Response:
    text = request.query_params.get("text", "")
    if not 0 < len(text) <= LONGEST_QR:
        raise Refusal(422, f"text must be a link with at most {LONGEST_QR} characters.")
    return await _draw(request, text, f"public, max-age={IMMUTABLE}, immutable")


async def secret_qr(request: Request, body: QrRequest) -> Response:
    return await _draw(request, body.text, "no-store")


async def _draw(request: Request, text: str, cache: str) -> Response:
    origins = {
        f"{request.url.scheme}://{request.url.netloc}",
        *(origin.rstrip("/") for origin in split_list(runtime_of(request).settings.origins)),
        runtime_of(request).reach.origin,
    }
    if not any(text.startswith(f"{origin}/") for origin in origins):
        raise Refusal(422, "text must be a link of this server.")
    image = await _workers(request).aside(lambda: draw_qr(text))
    return Response(image, media_type=SVG, headers={"Cache-Control": cache})


@lru_cache(200)
def draw_qr(text: str) -> bytes:
    """Draws a text as a QR code."""
    import segno

    image = io.BytesIO()
    segno.make_qr(text, error="m").save(image, kind="svg", border=2, dark="#000", light="#fff")
    return image.getvalue()


LINK_STATUSES = {
    200: "OK.",
    404: "There is no such game.",
    413: "A variant that takes too long or too much memory.",
    422: "Something in the link is invalid.",
    429: "Too many requests.",
    503: "Busy, or the tables are not ready. Retry-After says when to retry.",
}


def _operations(question: Question) -> tuple[Operation, Operation]:
    """Returns the operations of a question: with GET for a link in the query, with POST for a link in the body.

    Proxies log the query, so names belong in the body.
    """
    handler: Callable[[Request], Awaitable[Response]] = partial(answer_question, question)
    further = {name: (key.about, key.schema) for name, key in question.keys.items()}
    keys: dict[str, Schema] = {
        name: {**schema, "description": about} for name, (about, schema) in (link.query_parameters() | further).items()
    }
    values = {name: _as_text(schema) for name, schema in keys.items()}
    body = {"type": "object", "properties": values, "additionalProperties": False}
    path, summary, answer = question.path, question.summary, question.answer
    return (
        Operation("GET", path, handler, summary, answer, LINK_STATUSES, query=keys),
        Operation("POST", path, handler, f"{summary}, for a link in the body", answer, LINK_STATUSES, schema=body),
    )


def _as_text(schema: Schema) -> Schema:
    """Returns the schema of a value of a query, written as a string.

    >>> _as_text({"type": "integer", "enum": [1, 2]}), _as_text({"type": "integer", "minimum": 1})
    ({'type': 'string', 'enum': ['1', '2']}, {'type': 'string'})
    """
    if "enum" in schema:
        return {**schema, "type": "string", "enum": [str(value) for value in schema["enum"]]}
    return {**{name: schema[name] for name in ("description", "maxLength") if name in schema}, "type": "string"}


RECORD = {"type": "object", "description": "A record, as `duels` saves it"}
QR_QUERY = {"text": {"type": "string", "maxLength": LONGEST_QR, "description": "the link"}}
SVG = "image/svg+xml"

ENDPOINTS = tagged(
    "a game in a link",
    *(operation for question in QUESTIONS.values() for operation in _operations(question)),
    Operation(
        "POST",
        "/api/review",
        review_of_record,
        "What decided a recorded game",
        answers.Review,
        LINK_STATUSES,
        schema=RECORD,
    ),
    Operation("GET", "/api/games", list_games, "The games, with their options", list[answers.GameCard]),
    Operation("GET", "/api/lessons", suggestions, "Suggestions for teachers: games and lesson plans", Lessons),
    Operation(
        "GET", "/api/qr", qr, "A link of this server as a QR code", str, LINK_STATUSES, query=QR_QUERY, media=SVG
    ),
    Operation("POST", "/api/qr", secret_qr, "A link with a secret as a QR code", str, LINK_STATUSES, media=SVG),
)
