"""Puzzles: reachable positions in which exactly one move keeps the win and a wrong move is tempting.

In the first tier, exactly one of many moves wins at once. Other moves may win later.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.games import books
from digitduels.match import Match
from digitduels.sentence import Capital, PlayedNoun, Sentence
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Verdict
from digitduels.study.hints import refutation, tempting
from digitduels.study.wording import soon, standing

TIERS = {1: "win at once", 2: "win in two turns", 3: "win in three turns", 4: "win in four turns or more"}
CHOICE = 3  # at least this many positions to choose from
MANY = 20  # at least this many if the win is one move away; with fewer, the puzzle is too easy
NONE = "There is no such puzzle. A puzzle needs at least three moves to choose from, with one winner and one trap."
_GAMES = 500  # how many games to search before a tier counts as empty


class Puzzle(NamedTuple):
    """A match that has reached a position in which only one move wins for the player to move.

    A winning move is never wrong: `answer` is the intended move, but the verdict decides what wins.
    """

    match: Match
    tier: int
    answer: list[Any]
    """The intended move; several only if they lead to the same position."""
    trap: Any | None
    """The tempting move, which loses; None where the win is one move away."""

    def question(self, solution: Solution) -> Sentence:
        """The question that the puzzle asks."""
        state = self.match.state
        which = "wins" if self.tier == 1 else "keeps the win"
        return Sentence(
            f"{{player}} can win {{when}}. Which move {which}?",
            you=f"You can win {{when}}. Which move {which}?",
            player=state.player,
            when=soon(state.player, solution.probe(state)),
        )


def judge(state: State[Any, Any], solution: Solution) -> tuple[int, list[Any], Any | None] | None:
    """The tier, the answer and the tempting move, if the position makes a puzzle; otherwise None."""
    game, judgement = solution.game, solution.judge(state)
    if judgement.verdict is None or (tier := tier_at(judgement.verdict)) is None:
        return None
    answer = judgement.keeping if tier > 1 else judgement.best_moves
    # Moves that lead to the same position count once.
    if len({game.after(state, move) for move in answer}) > 1:
        return None
    choice = len({game.after(state, move) for move in judgement})
    if tier == 1:
        return (1, answer, None) if choice >= MANY else None
    if choice < CHOICE:
        return None
    trap = tempting(state, solution)
    # A tempting move neither loses at once nor simply misses the win.
    if trap is None or judgement[trap].value > -1 or judgement[trap].distance < 2:
        return None
    return tier, answer, trap


class Attempt(NamedTuple):
    """The result of trying a move in a puzzle."""

    kind: str
    """"right" if the win is kept, "slower" if it wins but not at once in the first tier, "wrong" if it does not win."""
    sentences: list[Sentence]
    moves: list[Any]
    """The moves to play next: the move and, unless the game is over, the best defence; empty if the move is refused."""


def attempt(match: Match, move: Any, solution: Solution, tier: int) -> Attempt:
    """Judges a move tried in a puzzle. A winning move is never called wrong."""
    state, player, game = match.state, match.state.player, solution.game
    verdict, played = solution.judge(state)[move], Capital(PlayedNoun(move, match.state.player))
    if verdict.value < 1:
        wrong = Sentence("{move} gives the win away.", move=played)
        return Attempt("wrong", [wrong, refutation(state, move, solution)], [])
    if tier == 1 and verdict.distance > 1:
        slower = Sentence("{move} wins too, {when}.", move=played, when=soon(player, verdict))
        return Attempt("slower", [slower, Sentence("But there is a win at once.")], [])
    after = game.after(state, move)
    outcome = game.outcome(after)
    if outcome is not None:
        return Attempt("right", [outcome.reason], [move])
    reply = solution.judge(after).best_moves[0]
    answers = Sentence(
        "{player} answers with {reply}.",
        you="You answer with {reply}.",
        player=1 - player,
        reply=PlayedNoun(reply, 1 - player),
    )
    lines = [Sentence("Right.", page=Sentence("")), *standing(1 - player, solution.probe(after)), answers]
    outcome = game.outcome(game.after(after, reply))
    return Attempt("right", lines if outcome is None else [*lines, outcome.reason], [move, reply])


def puzzles(solution: Solution, tier: int | None = None, seed: object = 0) -> Iterator[Puzzle]:
    """Finds different puzzles of one tier, or of any. The same seed always gives the same puzzles."""
    game = solution.game
    rng = random.Random(f"puzzle {game.id} {game.values} {tier} {seed}")
    seen: set[State[Any, Any]] = set()
    tiers = [number for number in ([tier] if tier else TIERS) if _possible(solution, number)]
    while tiers:
        pick = rng.choice(tiers)
        puzzle = _search(solution, pick, rng, seen)
        if puzzle is None:
            tiers.remove(pick)
        else:
            seen.add(puzzle.match.state)
            yield puzzle


def find(
    solutions: Iterable[Solution], tier: int | None, seed: object, count: int
) -> tuple[list[Puzzle], Solution] | None:
    """Up to `count` puzzles of the first game that has any; None if no game has."""
    for solution in solutions:
        if batch := list(islice(puzzles(solution, tier, seed), count)):
            return batch, solution
    return None


def daily(date: datetime.date) -> str:
    """The seed of the daily puzzle. Days are in UTC, so that everybody gets the same puzzle."""
    return date.isoformat()


def today() -> datetime.date:
    """The date in UTC."""
    return datetime.datetime.now(datetime.UTC).date()


def order(seed: object) -> list[str]:
    """The games in an order that depends on the seed."""
    return random.Random(f"games {seed}").sample(books(), len(books()))


def _possible(solution: Solution, tier: int) -> bool:
    """Whether the game is large and long enough for a tier. Even then, a search may find no puzzle."""
    game = solution.game
    return len(game.moves) >= (MANY if tier == 1 else CHOICE) and game.longest >= 2 * tier - 1


def _search(solution: Solution, tier: int, rng: random.Random, seen: set[State[Any, Any]]) -> Puzzle | None:
    """Searches for a puzzle of a tier in games in which half the moves are good and half are random."""
    game = solution.game
    for _ in range(_GAMES):
        match, candidates = Match(game), list[Puzzle]()
        while judgement := solution.judge(match.state):
            if tier_at(judgement.best_verdict) == tier and match.state not in seen:
                judged = judge(match.state, solution)
                if judged is not None:
                    candidates.append(Puzzle(Match(game, opening=match.moves), *judged))
            match.play(rng.choice(judgement.keeping if rng.random() < 0.5 else list(judgement)))
        if candidates:
            return rng.choice(candidates)
    return None


def tier_at(verdict: Verdict) -> int | None:
    """The tier of a puzzle with this verdict; None if it makes no puzzle."""
    if verdict.value < 1 or verdict.distance == 2:
        return None
    return min((verdict.distance + 1) // 2, max(TIERS))
