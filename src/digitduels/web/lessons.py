"""The routes that keep nothing: a game is in the address, and whoever asks is told about it."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from fastapi import APIRouter, Request, Response

from digitduels.games import game_class, games
from digitduels.match import Match
from digitduels.players import NAMES
from digitduels.text import quoted
from digitduels.web import address
from digitduels.web.refusal import Refusal
from digitduels.web.view import columns, listing, view
from digitduels.web.workers import Workers

COACH, COACH_LEVEL = "coach", "4"
LONGEST_SEED = 100

router = APIRouter(prefix="/api", tags=["one game in an address"])


@router.get("/games", summary="The games, with their options")
async def list_games(request: Request) -> Response:
    return reply(request, [listing(game_class(name)) for name in games()])


@router.get("/position/{game}", summary="Where a game stands, and what may be played")
async def position(game: str, request: Request) -> Response:
    match, _ = address.read(game, request.query_params.multi_items())
    return reply(request, view(match))


@router.get("/objection/{game}", summary="Why a move, or the beginning of one, may not be played")
async def objection(game: str, request: Request) -> Response:
    match, more = address.read(game, request.query_params.multi_items(), "picks")
    text = more.get("picks", "")
    choices = columns(match.game)
    picks = [int(pick) for pick in text.split(",")] if re.fullmatch("[0-9]{1,6}(,[0-9]{1,6})*", text) else []
    if not 0 < len(picks) <= len(choices) or any(pick >= len(each) for pick, each in zip(picks, choices, strict=False)):
        raise Refusal(
            422, f"picks must be places of choices, one for each field from the first on; {quoted(text)} is not."
        )
    chosen = [each[pick] for each, pick in zip(choices, picks, strict=False)]
    return reply(request, {"reason": match.game.objection(match.state, match.game.partial(chosen))})


@router.get("/start/{game}", summary="The moves that open a game")
async def start(game: str, request: Request) -> Response:
    match, more = address.read(game, request.query_params.multi_items(), "kind", "seed")
    kind = more.get("kind", "book")
    if kind not in ("book", "fair"):
        raise Refusal(422, f"kind must be book or fair; {quoted(kind)} is not.")
    moves = []
    if kind == "fair":
        moves = await workers(request).ask("start", Match(match.game), seed=seed(more))
    return reply(request, {"moves": moves, "opening": len(moves)})


@router.get("/reply/{game}", summary="The move of a computer player")
async def computer(game: str, request: Request) -> Response:
    match, more = address.read(game, request.query_params.multi_items(), "vs", "seed")
    playing(match)
    who = more.get("vs", "")
    if who not in (*NAMES, COACH):
        raise Refusal(422, f"vs must be one of {', '.join((*NAMES, COACH))}; {quoted(who)} is not.")
    move = await workers(request).ask("reply", match, who=COACH_LEVEL if who == COACH else who, seed=seed(more))
    return reply(request, {"move": move})


# What they share


def reply(request: Request, answer: Any, seconds: int = 3600) -> Response:
    """An answer that stays the same, so that whoever has it need not be sent it again."""
    body = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()
    tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    headers = {"ETag": tag, "Cache-Control": f"public, max-age={seconds}"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="application/json", headers=headers)


def workers(request: Request) -> Workers:
    found: Workers = request.app.state.workers
    return found


def seed(more: dict[str, str]) -> str:
    """What chance depends on."""
    text = more.get("seed", "0")
    if len(text) > LONGEST_SEED:
        raise Refusal(422, f"A seed has {LONGEST_SEED} characters at the most.")
    return text


def playing(match: Match) -> None:
    """Refuses a game that is over."""
    if match.outcome is not None:
        raise Refusal(422, f"The game is over. {match.outcome.reason}")
