"""The stateless routes: the game is in the link."""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import re
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from digitduels import asking
from digitduels.core import InvalidMove, notation_of
from digitduels.games import game_class, games
from digitduels.manual import COMMON, card, rulings, tokens, transcript
from digitduels.match import Match
from digitduels.players import COACH, COACH_LEVEL, OPPONENTS
from digitduels.rule_sets import house_rules
from digitduels.study.ideas import ideas
from digitduels.study.puzzles import TIERS, daily, order, today
from digitduels.text import clean, quoted
from digitduels.web import link
from digitduels.web.assets import compressed_response
from digitduels.web.classes.lessons import lessons
from digitduels.web.rate_limits import CHEAP_QUERY
from digitduels.web.refusal import Refusal
from digitduels.web.settings import Settings, split_list
from digitduels.web.view import effects_view, listing, view
from digitduels.web.wire import Wire, wire
from digitduels.web.workers.supervisor import Supervisor

LONGEST_SEED = 100
IMMUTABLE = 31_536_000  # seconds, for responses that depend only on the rules and the position
LARGEST_SHEET = 24
LONGEST_LINK = 1 << 16  # bytes of a link in a request body; in a query, the HTTP parser's limit is the same
LONGEST_QR = 100
SHORT = 600  # bytes; a shorter response is not worth compressing


class Detail(BaseModel):
    """The reason for a refusal, in a sentence."""

    detail: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"model": Detail, "description": "There is no such game."},
    413: {"model": Detail, "description": "A variant that takes too long or too much memory."},
    422: {"model": Detail, "description": "Something in the link is invalid."},
    429: {"model": Detail, "description": "Too many requests."},
    503: {"model": Detail, "description": "Busy, or the tables are not ready. Retry-After says when to retry."},
}
router = APIRouter(prefix="/api", tags=["a game in a link"], responses=REFUSALS)


_TEXT: dict[str, Any] = {"type": "string"}
MOVE = ("the move, such as +5; in a query, write + as %2B", _TEXT)
SEED = ("the seed of random choices", {"type": "string", "maxLength": LONGEST_SEED})
TIER = ("how far away the win is", {"type": "integer", "minimum": 1, "maximum": max(TIERS)})
GAME = ("the id of a game", {"type": "string", "enum": games()})
Id = Annotated[str, Path(description=GAME[0], json_schema_extra=GAME[1])]


Handler = Callable[..., Awaitable[Response]]


def link_route(
    router: APIRouter, path: str, summary: str, **further: tuple[str, dict[str, Any]]
) -> Callable[[Handler], Handler]:
    """Registers a handler for a game in a link: with GET in the query, with POST in the body.

    Proxies log the query, so names belong in the body. `further` are the keys besides those of every link, each with
    its description and its schema.
    """
    keys = link.query_parameters() | further
    query = {
        "parameters": [
            {"name": name, "in": "query", "required": False, "description": about, "schema": schema}
            for name, (about, schema) in keys.items()
        ]
    }
    values = {name: {"description": about, **_as_text(schema)} for name, (about, schema) in keys.items()}
    schema = {"type": "object", "properties": values, "additionalProperties": False}
    body = {
        "requestBody": {
            "required": True,
            "description": "The keys of the query, each with a string",
            "content": {"application/json": {"schema": schema}},
        }
    }

    def register(handler: Handler) -> Handler:
        router.get(path, summary=summary, openapi_extra=query)(handler)
        router.post(path, summary=f"{summary}, for a link in the body", openapi_extra=body)(handler)
        return handler

    return register


def _as_text(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of a value of a query, written as a string.

    >>> _as_text({"type": "integer", "enum": [1, 2]}), _as_text({"type": "integer", "minimum": 1})
    ({'type': 'string', 'enum': ['1', '2']}, {'type': 'string'})
    """
    if "enum" in schema:
        return {"type": "string", "enum": [str(value) for value in schema["enum"]]}
    return schema if schema.get("type") == "string" else {"type": "string"}


@router.get("/games", summary="The games, with their options")
async def list_games(request: Request) -> Response:
    return reply(request, [listing(game_class(name)) for name in games()])


@link_route(
    router,
    "/position/{game}",
    "The position of a game, and its legal moves",
    effects=("whether to say what every legal move does", {"type": "string", "enum": ["on", "off"]}),
)
async def position(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "effects")
    wanted = more.get("effects", "off")
    if wanted not in ("on", "off"):
        raise Refusal(422, f"effects must be on or off; {quoted(wanted)} is not.")
    return reply(request, await position_of(match, request, wanted == "on"))


@link_route(router, "/effects/{game}", "What every legal move does, by the rules")
async def effects(game: Id, request: Request) -> Response:
    match, _ = await read(game, request)
    if match.game.changes:
        answer = await workers(request).aside(lambda: effects_view(match), request.scope["sender"].asker)
    else:
        answer = effects_view(match)
    return reply(request, {"effects": answer}, IMMUTABLE)


@link_route(
    router,
    "/objection/{game}",
    "Why a move, or its first fields, cannot be played",
    picks=("the index of the chosen value in each field, from the first field, separated by commas", _TEXT),
)
async def objection(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "picks")
    text, choices = more.get("picks", ""), notation_of(match.game).columns
    picks = [int(pick) for pick in text.split(",")] if re.fullmatch("[0-9]{1,6}(,[0-9]{1,6})*", text) else []
    fields = list(zip(choices, picks, strict=False))
    if not 0 < len(picks) <= len(choices) or any(pick >= len(column) for column, pick in fields):
        raise Refusal(422, f"picks must be the index of a choice for each field, in order; {quoted(text)} is not.")
    reason = asking.objection(match.game, match.state, [column[pick] for column, pick in fields])
    return reply(request, {"reason": None if reason is None else wire(reason, match.names)})


@link_route(
    router,
    "/start/{game}",
    "The opening moves of a book start or a fair start",
    kind=("fair: the win is long and few moves keep it", {"type": "string", "enum": ["book", "fair"]}),
    seed=SEED,
)
async def start(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "kind", "seed")
    kind = more.get("kind", "book")
    if kind not in ("book", "fair"):
        raise Refusal(422, f"kind must be book or fair; {quoted(kind)} is not.")
    moves = await ask(request, "start", Match(match.game), seed=seed(more)) if kind == "fair" else []
    return reply(request, {"moves": moves, "opening": len(moves)})


@link_route(
    router,
    "/reply/{game}",
    "The move of a computer player, and the position after it",
    vs=("the computer player", {"type": "string", "enum": [*OPPONENTS, COACH]}),
    seed=SEED,
)
async def computer(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "vs", "seed")
    check_in_progress(match)
    opponent = more.get("vs", "")
    if opponent not in (*OPPONENTS, COACH):
        raise Refusal(422, f"vs must be one of {', '.join((*OPPONENTS, COACH))}; {quoted(opponent)} is not.")
    move = await ask(request, "reply", match, who=COACH_LEVEL if opponent == COACH else opponent, seed=seed(more))
    match.play(match.game.read(move, match.state))
    return reply(request, {"move": move, "position": await position_of(match, request, effects=True)})


@link_route(router, "/solve/{game}", "Who wins, how soon, and what every move is worth")
async def solve(game: Id, request: Request) -> Response:
    match, _ = await read(game, request)
    return reply(request, await ask(request, "position", match))


@link_route(
    router,
    "/hint/{game}",
    "A hint, in four steps from the standing to the move",
    step=("how much the hint reveals", {"type": "integer", "minimum": 1, "maximum": 4}),
    takebacks=("whether the player can take back a move", {"enum": ["on", "off"]}),
)
async def hint(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "step", "takebacks")
    check_in_progress(match)
    step, takebacks = link.number(more, "step", 1, 4), more.get("takebacks") != "off"
    return reply(request, {"step": step, "lines": await ask(request, "hints", match, step=step, takebacks=takebacks)})


@link_route(router, "/judge/{game}", "What a move is worth and why, and the coach's warning", move=MOVE)
async def judge(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "move")
    return reply(request, await ask(request, "judged_move", match, move=legal_move(match, more)))


@link_route(router, "/review/{game}", "What decided a game")
async def review(game: Id, request: Request) -> Response:
    match, _ = await read(game, request)
    return reply(request, await ask(request, "game_review", match))


@router.post(
    "/review",
    summary="What decided a recorded game",
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "A record, as `duels` saves it",
            "content": {"application/json": {"schema": {"type": "object"}}},
        }
    },
)
async def review_record(request: Request) -> Response:
    data = await request.body()
    match = await workers(request).aside(lambda: link.read_record(data), request.scope["sender"].asker)
    return Response(json.dumps(await ask(request, "game_review", match)), media_type="application/json")


@link_route(router, "/map/{game}", "Who wins at which scores")
async def scores(game: Id, request: Request) -> Response:
    match, _ = await read(game, request)
    return reply(request, await ask(request, "scores", match))


@link_route(
    router,
    "/puzzle",
    "A daily puzzle, or a puzzle of a game",
    date=("YYYY-MM-DD. Default without a seed: today in UTC", {"type": "string", "format": "date"}),
    game=GAME,
    tier=TIER,
    seed=SEED,
)
async def puzzle(request: Request) -> Response:
    name, match, more = await chosen_game(request, "date", "tier", "seed")
    date, tier = more.get("date", ""), tier_of(more)
    if date:
        try:
            day = daily(datetime.date.fromisoformat(date))
        except ValueError:
            raise Refusal(422, f"date must be a day such as {today()}; {quoted(date)} is not.") from None
    else:
        day = daily(today())
    key = more["seed"] if "seed" in more and not date else day
    answer = await ask(request, "puzzle", match, tier=tier, seed=seed({"seed": key}), everywhere=name is None)
    answer |= {"date": day if key == day else None, "seed": key}
    return reply(request, answer, 3600 if date or "seed" in more else 60)


@link_route(router, "/attempt/{game}", "Try a move in a puzzle", move=MOVE, tier=TIER)
async def attempt(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "move", "tier")
    move, tier = legal_move(match, more), tier_of(more) or max(TIERS)
    return reply(request, await ask(request, "attempt", match, move=move, tier=tier))


@link_route(
    router,
    "/sheet",
    "Puzzles to print, with an answer key",
    game=GAME,
    count=("how many puzzles", {"type": "integer", "minimum": 1, "maximum": LARGEST_SHEET}),
    tier=TIER,
    seed=SEED,
)
async def sheet(request: Request) -> Response:
    name, match, more = await chosen_game(request, "count", "tier", "seed")
    if name is None:
        raise Refusal(422, f"game must be one of {', '.join(games())}.")
    count = link.number({"count": more.get("count", "6")}, "count", 1, LARGEST_SHEET)
    return reply(request, await ask(request, "sheet", match, tier=tier_of(more), seed=seed(more), count=count))


@link_route(
    router,
    "/learn/{game}",
    "The rules of a game, and its theory",
    theory=("later: leave the theory out, for a quick response", {"type": "string", "enum": ["later"]}),
)
async def learn(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "theory")
    rules, when = match.game, more.get("theory", "")
    if when not in ("", "later"):
        raise Refusal(422, f"theory must be later or missing; {quoted(when)} is not.")
    about, text = card(rules)
    theory: list[Wire] | None = None
    if not when:
        try:
            theory = await ask(request, "theory_lines", Match(rules, first=match.first))
        except Refusal as refusal:
            if refusal.status == 503:
                raise
            theory = [wire(f"There is no theory of these rules. {refusal}", match.names)]
    answer = {
        **listing(type(rules)),
        "summary": about,
        "changed": rules.changes,
        "house_rules": house_rules(rules),
        "rules": [" ".join(paragraph.split()) for paragraph in text.split("\n\n")],
        "rulings": [*rulings(rules), *COMMON],
        "moves": tokens(rules),
        "example": {"moves": rules.example, "lines": transcript(link.book(rules.id), rules.example).splitlines()},
        "ideas": [
            {
                "title": idea.title,
                "about": idea.about,
                "moves": idea.moves,
                "example": wire(idea.example(rules), match.names),
            }
            for idea in ideas(rules)
        ],
        "theory": theory,
    }
    return reply(request, answer)


@router.get("/lessons", summary="Suggestions for teachers: games for a class, and plans for a lesson")
async def suggestions(request: Request) -> Response:
    return reply(request, lessons())


class Link(BaseModel):
    """A link of this server, to be drawn."""

    model_config = ConfigDict(extra="forbid", strict=True)
    text: Annotated[str, Field(max_length=LONGEST_QR)]


@router.get("/qr", summary="A link of this server as a QR code, in SVG")
async def qr(request: Request, text: Annotated[str, Query(max_length=LONGEST_QR)]) -> Response:
    return await _draw(request, text, {"Cache-Control": f"public, max-age={IMMUTABLE}, immutable"})


@router.post("/qr", summary="A link with a secret, such as an invitation, as a QR code, in SVG")
async def secret_qr(request: Request, body: Link) -> Response:
    return await _draw(request, body.text, {"Cache-Control": "no-store"})


async def _draw(request: Request, text: str, headers: dict[str, str]) -> Response:
    settings: Settings = request.app.state.settings
    origins = {
        f"{request.url.scheme}://{request.url.netloc}",
        *(origin.rstrip("/") for origin in split_list(settings.origins)),
    }
    if not any(text.startswith(f"{origin}/") for origin in origins):
        raise Refusal(422, "text must be a link of this server.")
    image = await workers(request).aside(lambda: draw_qr(text), request.scope["sender"].asker)
    return Response(image, media_type="image/svg+xml", headers=headers)


@lru_cache(200)
def draw_qr(text: str) -> bytes:
    """Draws a text as a QR code."""
    import segno

    image = io.BytesIO()
    segno.make_qr(text, error="m").save(image, kind="svg", border=2, dark="#000", light="#fff")
    return image.getvalue()


# Shared helpers


async def read(game: str, request: Request, *further: str) -> tuple[Match, dict[str, str]]:
    """Returns the match in the link of a request, and the values of further keys."""
    return await _read_pairs(game, await _pairs(request), request, *further)


async def _pairs(request: Request) -> list[tuple[str, str]]:
    """Returns the keys and values of the link of a request, from its query or its body."""
    if request.method == "GET":
        return request.query_params.multi_items()
    if request.url.query:
        raise Refusal(422, "The link must be in the request body, not in the query.")
    values, size = request.scope.get("json"), len(await request.body())
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise Refusal(422, "The request body must be a JSON object of strings.")
    if size > LONGEST_LINK:
        raise Refusal(413, f"A link in a request body may have at most {LONGEST_LINK:,} bytes.")
    request.scope["sender"].pay(size / CHEAP_QUERY)  # as in a query
    return list(values.items())


async def _read_pairs(
    game: str, pairs: list[tuple[str, str]], request: Request, *further: str
) -> tuple[Match, dict[str, str]]:
    """Reads a link. Options are read outside the event loop."""
    if {key for key, _ in pairs} <= {*link.KEYS, *link.PAGE_ONLY, *further}:
        return link.read(game, pairs, *further)
    return await workers(request).aside(lambda: link.read(game, pairs, *further), request.scope["sender"].asker)


async def position_of(match: Match, request: Request, effects: bool = False) -> dict[str, Any]:
    """Returns the view of a match, perhaps with effects. A variant's is computed outside the event loop."""
    if not match.game.changes:
        return view(match, effects)
    return await workers(request).aside(lambda: view(match, effects), request.scope["sender"].asker)


async def chosen_game(request: Request, *further: str) -> tuple[str | None, Match, dict[str, str]]:
    """Returns the name of the game in a link, if there is one, a match at its start, and further values.

    Without a name, the match is of any game, and the seed chooses the game later.
    """
    pairs = await _pairs(request)
    name = next((value for key, value in pairs if key == "game"), None)
    match, more = await _read_pairs(order("")[0] if name is None else name, pairs, request, "game", *further)
    if name is None and match.game.changes:
        raise Refusal(422, "Options belong to a game: name it with game=.")
    return name, Match(match.game), more


async def ask(request: Request, name: str, match: Match, **arguments: Any) -> Any:
    """Asks a worker, on behalf of the client."""
    return await workers(request).ask(name, match, request.scope["sender"].asker, **arguments)


def workers(request: Request) -> Supervisor:
    supervisor: Supervisor = request.app.state.workers
    return supervisor


def reply(request: Request, answer: Any, seconds: int = 3600) -> Response:
    """Returns a JSON response.

    Responses are stable, so clients may cache those to a GET request.
    """
    body = json.dumps(answer, separators=(",", ":")).encode()
    headers = {}
    if request.method == "GET":
        headers["ETag"] = tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
        headers["Cache-Control"] = f"public, max-age={seconds}{', immutable' * (seconds == IMMUTABLE)}"
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
    headers["Content-Type"] = "application/json"
    return compressed_response(request, body, None, headers) if len(body) > SHORT else Response(body, headers=headers)


def seed(more: dict[str, str]) -> str:
    """Returns the seed in a query. Raises Refusal if it is too long or not printable."""
    text = more.get("seed", "0")
    if clean(text, LONGEST_SEED) != text:
        raise Refusal(422, f"A seed is a word of at most {LONGEST_SEED} characters.")
    return text


def tier_of(more: dict[str, str]) -> int | None:
    """Returns the tier in a query, or None."""
    return link.number(more, "tier", 1, max(TIERS)) if more.get("tier") else None


def check_in_progress(match: Match) -> None:
    """Raises Refusal if the game is over."""
    if match.outcome is not None:
        raise Refusal(422, f"The game is over. {match.outcome.reason}")


def legal_move(match: Match, more: dict[str, str]) -> str:
    """Returns the token of the move in a query. Raises Refusal if the move is invalid or illegal."""
    check_in_progress(match)
    try:
        move = match.game.read(more.get("move", ""), match.state)
    except InvalidMove as error:
        raise Refusal(422, str(error)) from None
    if reason := match.game.objection(match.state, move):
        raise Refusal(422, reason)
    return str(move)
