"""Puzzles: positions that can arise, in which exactly one move keeps the win and a wrong one tempts.

In the first tier it is the one move that wins at once, among many; there others may win too, only later.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.games import games
from digitduels.match import Match
from digitduels.sentence import player_name
from digitduels.solver.solution import Solution
from digitduels.study.hints import Trap, tempting
from digitduels.study.wording import soon

TIERS = {1: "win at once", 2: "win in two turns", 3: "win in three turns", 4: "win in four turns or more"}
CHOICE = 3  # positions to choose from, at the least
MANY = 20  # so many where the win is one move away, or it would be no puzzle
NONE = "There is no such puzzle. It takes three moves to choose from, one that wins and one trap."
_TRIED = 500  # games that are looked through before a tier counts as empty


class Puzzle(NamedTuple):
    """A match that has come to a position in which the player to move wins by one move only.

    Whatever wins is never wrong: `answer` is what is looked for, the verdict tells what wins.
    """

    match: Match
    tier: int
    answer: list[Any]
    """The move that is looked for; several only if they lead to the same position."""
    trap: Trap | None
    """The tempting move, which loses; None where the win is one move away."""

    def question(self, solution: Solution) -> str:
        """What is asked."""
        state = self.match.state
        when = soon(state.player, solution.probe(state))
        which = "is it" if self.tier == 1 else "keeps the win"
        return f"{player_name(state.player)} to move wins {when}. Which move {which}?"


def judge(state: State[Any, Any], solution: Solution) -> tuple[int, list[Any], Trap | None] | None:
    """The tier, the answer and the tempting move, if a position makes a puzzle."""
    game, each = solution.game, solution.each(state)
    if not each or each[0][1].value < 1:
        return None
    distance = each[0][1].distance
    answer = [move for move, verdict in each if verdict.value > 0 and (distance > 1 or verdict.distance == 1)]
    # Moves to the same position count once.
    if len({game.after(state, move) for move in answer}) > 1:
        return None
    choice = len({game.after(state, move) for move, _ in each})
    if distance == 1:
        return (1, answer, None) if choice >= MANY else None
    if distance < 3 or choice < CHOICE:
        return None
    trap = tempting(state, solution)
    # It tempts only if it neither loses at once nor just misses the win.
    if trap is None or trap.verdict.value > -1 or trap.verdict.distance < 2:
        return None
    return min((distance + 1) // 2, max(TIERS)), answer, trap


def puzzles(solution: Solution, tier: int | None = None, seed: object = 0) -> Iterator[Puzzle]:
    """Different puzzles, as many as are found, of a tier or of any; with the same seed always the same."""
    game = solution.game
    dice = random.Random(f"puzzle {game.id} {game.values} {tier} {seed}")
    seen: set[State[Any, Any]] = set()
    tiers = [number for number in ([tier] if tier else TIERS) if _possible(solution, number)]
    while tiers:
        wanted = dice.choice(tiers)
        found = _search(solution, wanted, dice, seen)
        if found is None:
            tiers.remove(wanted)
        else:
            seen.add(found.match.state)
            yield found


def find(
    solutions: Iterable[Solution], tier: int | None, seed: object, count: int
) -> tuple[list[Puzzle], Solution] | None:
    """So many puzzles, or as many as there are, of the first game that has any; None if none has."""
    for solution in solutions:
        if found := list(islice(puzzles(solution, tier, seed), count)):
            return found, solution
    return None


def daily(date: datetime.date) -> str:
    """The seed of the puzzle of a day; days are those of UTC, so that it is the same for everybody."""
    return date.isoformat()


def today() -> datetime.date:
    """The date in UTC."""
    return datetime.datetime.now(datetime.UTC).date()


def order(seed: object) -> list[str]:
    """The games in an order that depends on the seed, for whoever does not mind which."""
    return random.Random(f"games {seed}").sample(games(), len(games()))


def _possible(solution: Solution, tier: int) -> bool:
    """Whether the game is large and long enough for a tier; only a search can tell the rest."""
    game = solution.game
    return len(game.moves) >= (MANY if tier == 1 else CHOICE) and game.longest >= 2 * tier - 1


def _search(solution: Solution, tier: int, dice: random.Random, seen: set[State[Any, Any]]) -> Puzzle | None:
    """A puzzle of a tier from games that are played half well and half at random."""
    game = solution.game
    for _ in range(_TRIED):
        match, found = Match(game), list[Puzzle]()
        while each := solution.each(match.state):
            if tier_at(each[0][1].value, each[0][1].distance) == tier and match.state not in seen:
                judged = judge(match.state, solution)
                if judged is not None:
                    position = match.until(len(match.moves))
                    position.opening = len(position.moves)
                    found.append(Puzzle(position, *judged))
            if dice.random() < 0.5:
                each = [pair for pair in each if pair[1].value == each[0][1].value]
            match.play(dice.choice(each)[0])
        if found:
            return dice.choice(found)
    return None


def tier_at(value: int, distance: int) -> int | None:
    """The tier of a win by its distance; None if it is of none."""
    return None if value < 1 or distance == 2 else min((distance + 1) // 2, max(TIERS))
