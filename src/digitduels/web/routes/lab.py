"""The routes of the lab, which measures rule sets. They are stateless: the rules are in the link."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from digitduels.match import Match
from digitduels.web.routes.stateless import REFUSALS, Id, ask, link_route, read, reply

router = APIRouter(prefix="/api/lab", tags=["the lab"], responses=REFUSALS)


@link_route(router, "/{game}/report", "How fair, deep and tense a rule set is")
async def report(game: Id, request: Request) -> Response:
    match, _ = await read(game, request)
    return reply(request, await ask(request, "lab_report", Match(match.game)))


@link_route(router, "/{game}/strip", "Who wins with other values of an option")
async def strip(game: Id, request: Request) -> Response:
    match, _ = await read(game, request)
    return reply(request, await ask(request, "lab_strip", Match(match.game)))
