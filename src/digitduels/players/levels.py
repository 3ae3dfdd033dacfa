"""Levels 2 to 6: opponents that always see near results, and see far ones less often.

On each turn a level draws a random depth, in plies. It sees every result within that depth and nothing beyond. It plays
the quickest win that it sees. Otherwise it picks one of the moves that it does not see losing, draws included, at
random, but natural ones more often. If it sees that every move loses, it plays the slowest loss. So a level makes
mistakes where people make them: about distant results. Level 1 is Uniform in policy.py, and level 7 is in perfect.py.

A move is natural if a person who cannot see any result would play it, judging by the board alone. A person moves
towards the goal or sets the opponent back, and neither wastes a turn nor moves away. How natural a move is does not
depend on who wins.

This is the definition. policy_kernels.py computes the same probabilities, compiled, and tests/test_policies.py compares
the two in every position of small games.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple

from digitduels.core import State, outcome_tone, winning_score
from digitduels.games import AnyGame
from digitduels.players.policy import LEVEL, PolicyPlayer
from digitduels.solver.solution import Truth
from digitduels.solver.verdict import Verdict


class Character(NamedTuple):
    """The name of a level, and how it plays, in one line."""

    name: str
    about: str


CHARACTERS = {
    1: Character("Dice", "Plays at random."),
    2: Character("Beginner", "Takes a win in one move and avoids moves that lose at once."),
    3: Character("Careful", "Also sees your next move coming."),
    4: Character("Thoughtful", "Plans a little ahead."),
    5: Character("Strong", "Often sees the whole plan."),
    6: Character("Expert", "Rarely misses anything."),
    7: Character("Perfect", "Never gives a win away."),
}


LEVELS_VERSION = 4
"""Increased when levels or perfect play choose differently, so that games of different versions are not mixed."""


class Tuning(NamedTuple):
    """Which levels a game offers, and how far levels 2 to 6 look in it, in plies."""

    levels: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7)
    """A game leaves out levels that would play like the one below."""
    reaches: tuple[float, float, float, float, float] = (0.0, 0.0, 1.0, 4.0, 12.0)
    """Tuned so that each level clearly beats the one below."""


TUNING = {
    # Moving towards the goal is a mistake in most positions, so a level that sees only one reply loses to random play.
    "numerical-nexus": Tuning(reaches=(8.2, 12.0, 19.0, 33.0, 76.0)),
    # There are two moves, and the only choices are far from the end.
    "operation-target": Tuning((1, 4, 5, 6, 7), (0.0, 0.0, 3.4, 7.0, 17.0)),
    "number-duel": Tuning(reaches=(0.0, 0.0, 1.2, 3.5, 11.0)),
    "equation-duel": Tuning(reaches=(0.0, 0.0, 0.73, 1.45, 3.4)),
    "number-quest": Tuning(reaches=(0.0, 0.0, 1.3, 4.0, 13.0)),
}


def tuning(game: AnyGame) -> Tuning:
    """The tuning of a game. Default: `Tuning()`."""
    return TUNING.get(game.id, Tuning())


def characters(game: AnyGame) -> dict[int, Character]:
    """The levels that a game offers, with their names and how they play."""
    return {level: CHARACTERS[level] for level in tuning(game).levels}


class Sight(NamedTuple):
    """How far a level sees: always `horizon` plies, and further with a probability that decays over `reach` plies."""

    horizon: int
    reach: float

    def sees(self, distance: int) -> float:
        """The probability of seeing a result at this distance."""
        if distance <= self.horizon:
            return 1.0
        return math.exp((self.horizon - distance) / self.reach) if self.reach else 0.0

    def depth(self, rng: random.Random) -> float:
        """Draws how many plies the level looks ahead in a turn."""
        return self.horizon - self.reach * math.log(1.0 - rng.random())


class Level(PolicyPlayer):
    """An opponent of a level from 2 to 6."""

    kind = LEVEL

    def __init__(self, level: int, truth: Truth, seed: object = None, stretch: float = 1.0) -> None:
        """`stretch` multiplies how far the level looks, to see what depends on it."""
        if not 2 <= level <= 6:
            raise ValueError(f"Level {level} is not a player that looks ahead; level 1 is Uniform, level 7 is Perfect.")
        super().__init__(truth.game, seed)
        self.name = f"level {level}"
        self.truth = truth
        # Level 2 always sees the result of its own move, the others also that of the reply.
        self.sight = Sight(min(level - 1, 2), stretch * tuning(truth.game).reaches[level - 2])

    @property
    def signature(self) -> Hashable:
        return self.kind, self.sight

    def draw(self, state: State[Any, Any], rng: random.Random) -> Any:
        # Looking only as far as the drawn depth keeps large games without a table playable.
        seen = self.truth.within(state, math.floor(self.sight.depth(rng)))
        moves = candidates(natural_weights(self.game, state), seen)
        return rng.choices(list(moves), list(moves.values()))[0]

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        natural = natural_weights(self.game, state)
        shares = dict.fromkeys(natural, 0.0)
        for likely, seen in self.looks(state):
            moves = candidates(natural, seen)
            total = sum(moves.values())
            for move, weight in moves.items():
                shares[move] += likely * weight / total
        return shares

    def looks(self, state: State[Any, Any]) -> Iterator[tuple[float, dict[Any, Verdict | None]]]:
        """Yields what the level can see in a turn: for each depth its probability, and each move's verdict or None.

        Raises ValueError if the truth is a search that does not reach every result.
        """
        verdicts = self.truth.within(state, self.game.longest)
        if None in verdicts.values():
            raise ValueError("Some results are beyond the search, so the move probabilities are unknown.")
        distances = sorted({verdict.distance for verdict in verdicts.values() if verdict is not None})
        # Depths that show the same results count as one.
        for depth, deeper in zip([0, *distances], [*distances, None], strict=True):
            likely = self.sight.sees(depth) - (0.0 if deeper is None else self.sight.sees(deeper))
            if likely > 0:
                yield (
                    likely,
                    {
                        move: verdict if verdict is not None and verdict.distance <= depth else None
                        for move, verdict in verdicts.items()
                    },
                )


def candidates(natural: Mapping[Any, float], seen: Mapping[Any, Verdict | None]) -> dict[Any, float]:
    """The moves among which a level draws if it sees these results, with their weights."""
    best = max((verdict for verdict in seen.values() if verdict is not None), default=None)
    if best is not None and best.value > 0:
        moves = [move for move, verdict in seen.items() if verdict == best]
    else:
        moves = [move for move, verdict in seen.items() if verdict is None or verdict.value == 0]
        moves = moves or [move for move, verdict in seen.items() if verdict == best]
    return {move: natural[move] for move in moves}


# Natural moves

NEARER = 3.0  # how strongly a person prefers to be near the goal
FURTHER = 1.5  # how strongly a person prefers the opponent to be far from it
POINTLESS = 0.001  # the factor for a move after which the board looks no better
TIE = 1e-9  # relative; weights that differ by less are equal, because rounding can make that difference


def natural_weights(game: AnyGame, state: State[Any, Any]) -> dict[Any, float]:
    """How natural each legal move is, relative to the others.

    >>> from digitduels.games import game
    >>> rules = game("number-duel")
    >>> natural = natural_weights(rules, rules.start())
    >>> natural[rules.read("+9")] > natural[rules.read("+2")] > natural[rules.read("x2")]
    True
    """
    natural = impressions(game, state)
    before = impression(game, state, state.player)
    return {move: looks if looks > before * (1 + TIE) else looks * POINTLESS for move, looks in natural.items()}


def most_natural(natural: Mapping[Any, float]) -> list[Any]:
    """The moves with the highest weight."""
    most = max(natural.values())
    return [move for move, weight in natural.items() if weight * (1 + TIE) >= most]


def impressions(game: AnyGame, state: State[Any, Any]) -> dict[Any, float]:
    """How good the board looks after each legal move to the player who makes it."""
    return {move: impression(game, game.after(state, move), state.player) for move in game.legal_moves(state)}


def impression(game: AnyGame, state: State[Any, Any], player: int) -> float:
    """How good a position looks to a player who sees only the scores, and who has won."""
    scores = game.scores(state)
    own = apparent_score(game, scores[player], outcome_tone(player, game.outcome(state)))
    return nearness(game, own, scores[1 - player])


def apparent_score(game: AnyGame, score: int | None, tone: str) -> int | None:
    """A player's score as people see it: a win counts as being at the goal, and any loss as being at 0."""
    return {"good": winning_score(game), "bad": 0}.get(tone, score)


def nearness(game: AnyGame, own: int | None, other: int | None) -> float:
    """How good two scores look to a person: best if their own is near the goal and the other is far from it."""
    goal = winning_score(game)
    if goal is None or own is None or other is None:
        return 1.0
    return math.exp(FURTHER * min(1.0, abs(goal - other) / goal) - NEARER * min(1.0, abs(goal - own) / goal))
