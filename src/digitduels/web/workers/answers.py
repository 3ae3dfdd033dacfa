"""What can be asked about a game, each a function of a match and of who solves it. They run in worker processes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import digitduels
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.players import player
from digitduels.solver import Solution
from digitduels.study import puzzle_sheet, serialization
from digitduels.study.fair_starts import fair_start
from digitduels.study.hints import hint, refutation, warning, worth
from digitduels.study.puzzles import NONE, TIERS, Puzzle, find, order
from digitduels.study.reasons import reason
from digitduels.study.review import review
from digitduels.study.score_map import cells
from digitduels.study.theory import theory
from digitduels.study.wording import standing
from digitduels.text import addressed, named
from digitduels.web import link

KEPT = 2  # variants whose solutions a worker holds
WIDEST = 250  # scores of a map
LETTERS = {1: "w", 0: "d", -1: "l"}

Solve = Callable[[AnyGame], Solution]


class Solutions:
    """Solutions of the games by the book, and of the variants that were asked for last."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        """Bytes that the solution of a variant may take."""
        self._books: dict[AnyGame, Solution] = {}
        self._variants: OrderedDict[AnyGame, Solution] = OrderedDict()

    def __call__(self, game: AnyGame) -> Solution:
        if game == link.book(game.id):
            if game not in self._books:
                self._books[game] = digitduels.solve(game)
            return self._books[game]
        if game not in self._variants:
            from digitduels.solver import cache

            while len(self._variants) >= KEPT:
                self._variants.popitem(last=False)
            # What visitors make up is not kept on disk, but what the owner has solved is used.
            self._variants[game] = cache.load(game) or digitduels.solve(game, cache=False, limit=self.limit)
        self._variants.move_to_end(game)
        return self._variants[game]


def warm(match: Match, solve: Solve) -> None:
    """Nothing but the solution, so that it is there when it is needed."""
    solve(match.game)


def start(match: Match, solve: Solve, seed: str) -> list[str]:
    """The opening of a fair start."""
    return [str(move) for move in fair_start(solve(match.game), seed)]


def reply(match: Match, solve: Solve, who: str, seed: str) -> str:
    """The move of a computer player."""
    with player(who, match.game, solve, seed=seed) as opponent:
        return str(opponent.choose(match))


def position(match: Match, solve: Solve, you: int | None = None) -> dict[str, Any]:
    """How a position stands, and what every move of it is worth."""
    outcome, told = match.outcome, _teller(match, you)
    each = [] if outcome else solve(match.game).each(match.state)
    answer = serialization.solved(match, each)
    for entry, (_, verdict) in zip(answer["each"], each, strict=True):
        entry["words"] = told(worth(match.state.player, verdict)[1])
    answer["standing"] = told(outcome.reason if outcome else standing(match.state.player, each[0][1]))
    return answer


def hints(match: Match, solve: Solve, step: int, you: int | None = None) -> list[str]:
    """The lines of a hint."""
    return list(map(_teller(match, you), hint(match.state, solve(match.game), step)))


def judgement(match: Match, solve: Solve, move: str, you: int | None = None) -> dict[str, Any]:
    """What a move is worth and why, and what a coach asks before it is made, if anything."""
    state, solution, told = match.state, solve(match.game), _teller(match, you)
    chosen = match.game.read(move, state)
    question, verdict = warning(state, chosen, solution), dict(solution.each(state))[chosen]
    why = refutation(state, chosen, solution) if question else reason(state, chosen, solution).sentence
    return {
        "keeps": question is None,
        "question": question,
        **serialization.judged(verdict),
        "words": told(worth(state.player, verdict)[1]),
        "why": told(why),
    }


def whole(match: Match, solve: Solve, you: int | None = None) -> dict[str, Any]:
    """The review of a game."""
    solution = solve(match.game)
    found, told = review(match, solution), _teller(match, you)
    answer = serialization.reviewed(match, found)
    for entry, moment in zip(answer["turns"], found.moments, strict=True):
        if moment.swing:
            state = match.states[moment.ply]
            entry["lesson"] = told(moment.lesson)
            if moment.move is not None:
                entry["refutation"] = told(refutation(state, moment.move, solution))
    return answer | {
        "sentence": told(found.sentence),
        "story": told(found.story),
        "lines": [told(line) for line in found.lines()],
        "ribbon": found.ribbon,
        "players": list(match.players),
        "asked": [list(question) for question in match.asked],
        "address": link.written(match),
    }


def scores(match: Match, solve: Solve) -> dict[str, Any] | None:
    """Who wins at which scores: a row for each score of the player who waits, a letter for each of the mover's."""
    state = match.state
    if match.game.outcome(state) is not None:
        return None
    found = cells(solve(match.game), state)
    every = {*found, *(score for row in found.values() for score in row)}
    if not every or not 0 < max(every) - min(every) < WIDEST:
        return None
    low, high = min(every), max(every)
    hands = match.game.board(state).hands
    span = range(low, high + 1)
    rows = ["".join(LETTERS.get(found.get(theirs, {}).get(mine, 9), ".") for mine in span) for theirs in span]
    return {
        "low": low,
        "high": high,
        "rows": rows,
        "mine": hands[state.player].score,
        "theirs": hands[1 - state.player].score,
    }


def puzzle(match: Match, solve: Solve, tier: int | None, seed: str, everywhere: bool) -> dict[str, Any]:
    """A puzzle of this game, or of whichever game has one."""
    found, solution = _puzzles(match, solve, tier, seed, 1, everywhere)
    return _puzzle(found[0], solution)


def sheet(match: Match, solve: Solve, tier: int | None, seed: str, count: int) -> dict[str, Any]:
    """Puzzles to print, with their answers."""
    found, solution = _puzzles(match, solve, tier, seed, count, False)
    told = puzzle_sheet.items(found, solution)
    return {
        "title": puzzle_sheet.title(solution, seed),
        "about": puzzle_sheet.about(solution),
        "puzzles": [_puzzle(each, solution) | item._asdict() for each, item in zip(found, told, strict=True)],
    }


def _puzzles(
    match: Match, solve: Solve, tier: int | None, seed: str, count: int, everywhere: bool
) -> tuple[list[Puzzle], Solution]:
    games = (link.book(name) for name in order(seed)) if everywhere else [match.game]
    found = find(map(solve, games), tier, seed, count)
    if found is None:
        raise ValueError(NONE)
    return found


def _puzzle(found: Puzzle, solution: Solution) -> dict[str, Any]:
    return {
        "game": solution.game.id,
        "title": solution.game.title,
        "tier": found.tier,
        "tiers": {str(tier): about for tier, about in TIERS.items()},
        "question": found.question(solution),
        "address": link.written(found.match),
    }


def known(match: Match, solve: Solve) -> list[str]:
    """What is known of the whole game."""
    return theory(solve(match.game), match.first)


def _teller(match: Match, you: int | None) -> Callable[[str], str]:
    """How sentences are told: the players by their names, and the one who reads as you."""
    return lambda text: named(text if you is None else addressed(text, you), match.names)


ANSWERS: dict[str, Callable[..., Any]] = {
    answer.__name__: answer
    for answer in (warm, start, reply, position, hints, judgement, whole, scores, puzzle, sheet, known)
}
