"""Answers requests in this process, for one person: what a page without a server asks its own Python.

It needs nothing but the standard library. Every answer comes from the functions that the routes of a server use.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import parse_qsl

from digitduels.core import TooLarge
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.solver import IN_BROWSER, solve
from digitduels.solver.reference import Reference
from digitduels.solver.solution import Solution
from digitduels.solver.solution_cache import SolutionCache
from digitduels.web.positions import analysis
from digitduels.web.positions.questions import QUESTIONS, Question, body_pairs, game_cards, review_record
from digitduels.web.refusal import Refusal

LOCAL_POSITIONS = 20_000  # of a game that the reference solves while somebody waits
LOCAL_FAILED = "Something went wrong on this page. Try again."
NEEDS_SERVER = "This needs a server, and this copy of Digit Duels runs without one."
log = logging.getLogger("digitduels")

P = ParamSpec("P")
T = TypeVar("T")


def solve_here(game: AnyGame) -> Solution:
    """Returns the solution of a game that is small enough for a browser; raises TooLarge for a larger one."""
    if IN_BROWSER:
        return solve(game)
    solution = Reference(game, positions=LOCAL_POSITIONS)
    solution.probe(game.start())
    return solution


class LocalWorkers:
    """Computes in this process, one question after the other."""

    def __init__(self) -> None:
        self._solutions = SolutionCache(solve=self._solve)
        self._unsolvable: dict[AnyGame, TooLarge] = {}

    def _solve(self, game: AnyGame) -> Solution:
        """Solves a game, and tries only once if it is too large."""
        if game in self._unsolvable:
            raise self._unsolvable[game]
        try:
            return solve_here(game)
        except TooLarge as error:
            self._unsolvable[game] = error
            raise

    async def ask(
        self,
        question: Callable[Concatenate[Match, analysis.Solve, P], T],
        match: Match,
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        work = cast("Callable[..., Any]", question)
        try:
            answer: T = self._answer(work, match, **named)
            return answer
        except ImportError:  # a package that only a server has
            raise Refusal(404, NEEDS_SERVER) from None
        except Exception as error:
            refusal = analysis.refusal_of(error)
            if refusal is None:
                raise
            raise refusal from None

    def _answer(self, question: Callable[..., Any], match: Match, **named: Any) -> Any:
        """Answers as a server does: levels search before a game is solved, and hints do if it cannot be."""
        move: str | None = None
        if question is analysis.reply:
            move, final = analysis.unsolved_reply(match, self._solutions, **named)
            if move is not None and (final or match.game.changes):
                return move
        try:
            return question(match, self._solutions, **named)
        except TooLarge:
            if move is not None:
                return move
            if question is not analysis.hints:
                raise
            return analysis.hints(match, self._solutions, searching=True, **named)

    async def aside(self, work: Callable[[], T]) -> T:
        return work()


class LocalAnswers:
    """Answers the requests of a page."""

    def __init__(self) -> None:
        self._workers = LocalWorkers()

    def __call__(self, path: str, query: str = "", body: str | None = None) -> tuple[int, str]:
        """Returns the status and the JSON of the response to a request; `body` is that of a POST request."""
        try:
            return 200, _encode(_completed(self._answer(path, query, body)))
        except Refusal as refusal:
            return refusal.status, _encode({"detail": str(refusal)})
        except Exception:  # a bug
            log.exception("%s failed", path)
            return 500, _encode({"detail": LOCAL_FAILED})

    async def _answer(self, path: str, query: str, body: str | None) -> Any:
        if path == "/api/games":
            return game_cards()
        if path == "/api/review" and body is not None:
            return await review_record(json.loads(body), self._workers)
        for question in QUESTIONS.values():
            if found := _pattern(question).fullmatch(path):
                pairs = parse_qsl(query, keep_blank_values=True) if body is None else body_pairs(json.loads(body))
                return await question.ask(found.groupdict().get("game"), pairs, self._workers)
        raise Refusal(404, NEEDS_SERVER)


def _pattern(question: Question) -> re.Pattern[str]:
    """Returns the paths of a question: `{game}` stands for any part of a path."""
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", question.path))


def _completed(answer: Coroutine[Any, Any, T]) -> T:
    """Returns the result of a coroutine that never has to wait, because its workers answer at once."""
    try:
        answer.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise RuntimeError("a local answer waited for something")


def _encode(answer: object) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
