"""The stateless routes: the game is in the link."""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import re
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from digitduels.core import InvalidMove
from digitduels.games import game_class, games
from digitduels.manual import COMMON, card, rulings, tokens, transcript
from digitduels.match import Match
from digitduels.players import COACH, COACH_LEVEL, OPPONENTS
from digitduels.study.ideas import ideas
from digitduels.study.puzzles import TIERS, daily, order, today
from digitduels.text import clean, quoted
from digitduels.web import link
from digitduels.web.assets import compressed_response
from digitduels.web.classes.lessons import lessons
from digitduels.web.refusal import Refusal
from digitduels.web.settings import Settings, split_list
from digitduels.web.view import columns, effects_view, listing, view
from digitduels.web.wire import Wire, wire
from digitduels.web.workers.supervisor import Supervisor

LONGEST_SEED = 100
IMMUTABLE = 31_536_000  # seconds, for responses that depend only on the rules and the position
LARGEST_SHEET = 24
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
MOVE = ("the move, such as %2B5", _TEXT)
SEED = ("the seed of random choices", {"type": "string", "maxLength": LONGEST_SEED})
TIER = ("how far away the win is", {"type": "integer", "minimum": 1, "maximum": max(TIERS)})
GAME = ("the id of a game", {"type": "string", "enum": games()})
Id = Annotated[str, Path(description=GAME[0], json_schema_extra=GAME[1])]


def parameters(**further: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Returns the OpenAPI description of a route's query parameters."""
    return {
        "parameters": [
            {"name": name, "in": "query", "required": False, "description": about, "schema": schema}
            for name, (about, schema) in (link.query_parameters() | further).items()
        ]
    }


@router.get("/games", summary="The games, with their options")
async def list_games(request: Request) -> Response:
    return reply(request, [listing(game_class(name)) for name in games()])


@router.get("/position/{game}", summary="The position of a game, and its legal moves", openapi_extra=parameters())
async def position(game: Id, request: Request) -> Response:
    match, _ = await read(game, request)
    return reply(request, await position_of(match, request))


@router.get("/effects/{game}", summary="What every legal move does, by the rules", openapi_extra=parameters())
async def effects(game: Id, request: Request) -> Response:
    match, _ = await read(game, request)
    if match.game.changes:
        answer = await workers(request).aside(lambda: effects_view(match), request.scope["sender"].asker)
    else:
        answer = effects_view(match)
    return reply(request, {"effects": answer}, IMMUTABLE)


@router.get(
    "/objection/{game}",
    summary="Why a move, or its first fields, cannot be played",
    openapi_extra=parameters(
        picks=("the index of the chosen value in each field, from the first field, separated by commas", _TEXT)
    ),
)
async def objection(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "picks")
    text, choices = more.get("picks", ""), columns(match.game)
    picks = [int(pick) for pick in text.split(",")] if re.fullmatch("[0-9]{1,6}(,[0-9]{1,6})*", text) else []
    fields = list(zip(choices, picks, strict=False))
    if not 0 < len(picks) <= len(choices) or any(pick >= len(column) for column, pick in fields):
        raise Refusal(422, f"picks must be the index of a choice for each field, in order; {quoted(text)} is not.")
    reason = match.game.objection(match.state, match.game.partial([column[pick] for column, pick in fields]))
    return reply(request, {"reason": None if reason is None else wire(reason, match.names)})


@router.get(
    "/start/{game}",
    summary="The opening moves of a book start or a fair start",
    openapi_extra=parameters(
        kind=("fair: the win is long and few moves keep it", {"type": "string", "enum": ["book", "fair"]}), seed=SEED
    ),
)
async def start(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "kind", "seed")
    kind = more.get("kind", "book")
    if kind not in ("book", "fair"):
        raise Refusal(422, f"kind must be book or fair; {quoted(kind)} is not.")
    moves = await ask(request, "start", Match(match.game), seed=seed(more)) if kind == "fair" else []
    return reply(request, {"moves": moves, "opening": len(moves)})


@router.get(
    "/reply/{game}",
    summary="The move of a computer player",
    openapi_extra=parameters(vs=("the computer player", {"type": "string", "enum": [*OPPONENTS, COACH]}), seed=SEED),
)
async def computer(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "vs", "seed")
    check_in_progress(match)
    opponent = more.get("vs", "")
    if opponent not in (*OPPONENTS, COACH):
        raise Refusal(422, f"vs must be one of {', '.join((*OPPONENTS, COACH))}; {quoted(opponent)} is not.")
    move = await ask(request, "reply", match, who=COACH_LEVEL if opponent == COACH else opponent, seed=seed(more))
    return reply(request, {"move": move})


@router.get("/solve/{game}", summary="Who wins, how soon, and what every move is worth", openapi_extra=parameters())
async def solve(game: Id, request: Request) -> Response:
    match, _ = await read(game, request)
    return reply(request, await ask(request, "position", match))


@router.get(
    "/hint/{game}",
    summary="A hint, in four steps from the standing to the move",
    openapi_extra=parameters(
        step=("how much the hint reveals", {"type": "integer", "minimum": 1, "maximum": 4}),
        takebacks=("whether the player can take back a move", {"enum": ["on", "off"]}),
    ),
)
async def hint(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "step", "takebacks")
    check_in_progress(match)
    step, takebacks = link.number(more, "step", 1, 4), more.get("takebacks") != "off"
    return reply(request, {"step": step, "lines": await ask(request, "hints", match, step=step, takebacks=takebacks)})


@router.get(
    "/judge/{game}",
    summary="What a move is worth and why, and the coach's warning",
    openapi_extra=parameters(move=MOVE),
)
async def judge(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "move")
    return reply(request, await ask(request, "judged_move", match, move=legal_move(match, more)))


@router.get("/review/{game}", summary="What decided a game", openapi_extra=parameters())
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


@router.get("/map/{game}", summary="Who wins at which scores", openapi_extra=parameters())
async def scores(game: Id, request: Request) -> Response:
    match, _ = await read(game, request)
    return reply(request, await ask(request, "scores", match))


@router.get(
    "/puzzle",
    summary="A daily puzzle, or a puzzle of a game",
    openapi_extra=parameters(
        date=("YYYY-MM-DD. Default without a seed: today in UTC", {"type": "string", "format": "date"}),
        game=GAME,
        tier=TIER,
        seed=SEED,
    ),
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


@router.get(
    "/attempt/{game}",
    summary="Try a move in a puzzle",
    openapi_extra=parameters(move=MOVE, tier=TIER),
)
async def attempt(game: Id, request: Request) -> Response:
    match, more = await read(game, request, "move", "tier")
    move, tier = legal_move(match, more), tier_of(more) or max(TIERS)
    return reply(request, await ask(request, "attempt", match, move=move, tier=tier))


@router.get(
    "/sheet",
    summary="Puzzles to print, with an answer key",
    openapi_extra=parameters(
        game=GAME,
        count=("how many puzzles", {"type": "integer", "minimum": 1, "maximum": LARGEST_SHEET}),
        tier=TIER,
        seed=SEED,
    ),
)
async def sheet(request: Request) -> Response:
    name, match, more = await chosen_game(request, "count", "tier", "seed")
    if name is None:
        raise Refusal(422, f"game must be one of {', '.join(games())}.")
    count = link.number({"count": more.get("count", "6")}, "count", 1, LARGEST_SHEET)
    return reply(request, await ask(request, "sheet", match, tier=tier_of(more), seed=seed(more), count=count))


@router.get(
    "/learn/{game}",
    summary="The rules of a game, and its theory",
    openapi_extra=parameters(
        theory=("later: leave the theory out, for a quick response", {"type": "string", "enum": ["later"]})
    ),
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
        "house_rules": rules.house_rules,
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
    pairs = request.query_params.multi_items()
    if {key for key, _ in pairs} <= {*link.KEYS, *link.PAGE_ONLY, *further}:
        return link.read(game, pairs, *further)
    return await workers(request).aside(lambda: link.read(game, pairs, *further), request.scope["sender"].asker)


async def position_of(match: Match, request: Request) -> dict[str, Any]:
    """Returns the view of a match. A variant's is computed outside the event loop."""
    if not match.game.changes:
        return view(match)
    return await workers(request).aside(lambda: view(match), request.scope["sender"].asker)


async def chosen_game(request: Request, *further: str) -> tuple[str | None, Match, dict[str, str]]:
    """Returns the name of the game in a query, if there is one, a match at its start, and further values.

    Without a name, the match is of any game, and the seed chooses the game later.
    """
    pairs = request.query_params.multi_items()
    name = next((value for key, value in pairs if key == "game"), None)
    match, more = await read(order("")[0] if name is None else name, request, "game", *further)
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
    """Returns a JSON response with cache headers. Responses are stable, so clients may cache them."""
    body = json.dumps(answer, separators=(",", ":")).encode()
    tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    headers = {"ETag": tag, "Cache-Control": f"public, max-age={seconds}{', immutable' * (seconds == IMMUTABLE)}"}
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
