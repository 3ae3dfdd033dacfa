"""How well moves were chosen, by the exact truth: single decisions, whole games, and many of them together.

A decision is a position and what somebody answered to it: a move, a text that should be one, or nothing. What is no
legal move counts like giving up the game, so nobody gains by not answering.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from digitduels.core import IllegalMove, InvalidMove, State
from digitduels.match import Match
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Verdict
from digitduels.study.review import Moment, review

KINDS = ("kept", "threw", "illegal", "invalid", "forfeited", "conceded")
"""What a decision did: it kept the value of the position or threw it away; it was a move that the rules forbid here, or
no move of the game at all; or the player forfeited the game, or gave it up. In a lost position every move keeps."""
REFUSED = ("illegal", "invalid", "forfeited")
ENDED = Verdict(-1, 0)  # what giving up is worth


class Judged(NamedTuple):
    """A decision and what it was worth. Verdicts are for the player who decided."""

    player: int
    kind: str
    """One of KINDS."""
    reason: str | None
    """Why an answer was refused, in a sentence."""
    before: Verdict
    after: Verdict
    """As the verdict on a move: its distance counts the move. Without a legal move it is a loss at distance 0."""
    critical: bool
    """Whether the position was not lost and something worse could be done, or was."""

    @property
    def found(self) -> bool:
        """Whether it was critical and the value was kept."""
        return self.critical and self.kind == "kept"

    @property
    def detour(self) -> int:
        """Plies by which a move that kept the value made a win slower, or a loss quicker, than need be."""
        return abs(self.after.distance - self.before.distance) if self.kind == "kept" else 0


def judge(state: State[Any, Any], answer: object, solution: Solution) -> Judged:
    """Judges what somebody answered to a position: a move, a text that should be one, or anything else.

    >>> from digitduels.games import game
    >>> from digitduels.solver import Reference
    >>> rules = game("operation-target")
    >>> judge(rules.start(), "+1", Reference(rules)).kind
    'threw'
    """
    game = solution.game
    each = solution.each(state)
    if not each:
        raise ValueError("The game is over: there is nothing to decide.")
    before = each[0][1]
    try:
        move = game.read(answer, state) if isinstance(answer, str) else answer
        if move not in game.moves:
            raise InvalidMove("There is no move in the answer.")
        game.play(state, move)
    except (IllegalMove, InvalidMove) as error:
        kind = "illegal" if isinstance(error, IllegalMove) else "invalid"
        return Judged(state.player, kind, str(error), before, ENDED, before.value > ENDED.value)
    after = dict(each)[move]
    kind = "kept" if after.value == before.value else "threw"
    return Judged(state.player, kind, None, before, after, before.value > each[-1][1].value)


def judged(match: Match, solution: Solution) -> list[Judged]:
    """The decisions of a match, finished or not; the moves of its opening are nobody's."""
    return [_judged(moment, match.forfeit) for moment in review(match, solution).moments]


def _judged(moment: Moment, forfeit: str | None) -> Judged:
    if moment.move is None:
        kind = "forfeited" if moment.forfeit else "conceded"
    else:
        kind = "threw" if moment.swing else "kept"
    reason = forfeit if kind == "forfeited" else None
    return Judged(moment.player, kind, reason, moment.before, moment.after, moment.critical)


class Grade(NamedTuple):
    """What a player did with its positions, in one game or in many.

    A turn is critical when the position is not lost and some legal move has a worse value; it is found by a move that
    keeps the value. Giving up or forfeiting a position that is not lost is a critical turn not found.
    """

    turns: int = 0
    critical: int = 0
    found: int = 0
    won: int = 0
    """Games in which the player had a won position on its turn."""
    thrown: int = 0
    """Those of them that the player did not win."""
    forfeits: int = 0
    detour: int = 0
    """Plies by which its moves, where they kept the value, made wins slower and losses quicker than need be."""

    def plus(self, other: Grade) -> Grade:
        return Grade(*map(sum, zip(self, other, strict=True)))


def tally(decisions: Sequence[Judged], victory: bool | None = None) -> Grade:
    """The grade of the decisions of one player in one game, and whether it won; None if that is not known.

    Then a win counts as thrown away if the last decision did not hold it.
    """
    had = any(each.before.value > 0 for each in decisions)
    held = decisions[-1].after.value > 0 if decisions and victory is None else bool(victory)
    return Grade(
        turns=len(decisions),
        critical=sum(each.critical for each in decisions),
        found=sum(each.found for each in decisions),
        won=int(had),
        thrown=int(had and not held),
        forfeits=sum(each.kind in REFUSED for each in decisions),
        detour=sum(each.detour for each in decisions),
    )


def grade(match: Match, solution: Solution) -> tuple[Grade, Grade]:
    """The grades of both players for a finished match; the moves of its opening are nobody's."""
    outcome = match.outcome
    if outcome is None:
        raise ValueError("Only a finished match can be graded.")
    every = judged(match, solution)
    one, two = (tally([each for each in every if each.player == seat], outcome.winner == seat) for seat in (0, 1))
    return one, two


# Many decisions


Group = Sequence[Judged]
"""Decisions that depend on each other: those of a game, or of two games from one start."""


def summary(groups: Iterable[Group], seed: int = 0) -> dict[str, Any]:
    """Many decisions together, as JSON values; shares with the interval in which they lie with 95 % confidence.

    The intervals take the decisions of a group as one piece of evidence. Players count from 1.
    """
    every = list(groups)
    return {
        **_figures(every, seed),
        "seats": [_figures(_some(every, lambda each, seat=seat: each.player == seat), seed) for seat in (0, 1)],
        "distances": [
            {
                "distance": distance,
                "critical": _found(
                    _some(every, lambda each, distance=distance: each.before.distance == distance), seed
                ),
            }
            for distance in sorted({each.before.distance for group in every for each in group if each.critical})
        ],
    }


def share(parts: Iterable[tuple[float, float]], seed: int = 0) -> dict[str, float | None]:
    """So many of so many, from independent parts: the sums, the share and its interval, which are None if of none.

    >>> share([(1, 1), (0, 1), (1, 1), (1, 1)])
    {'count': 3, 'of': 4, 'value': 0.75, 'low': 0.2989, 'high': 0.9772}
    """
    from digitduels.arena.ratings import score  # which needs NumPy

    counted = [(some, int(all)) for some, all in parts if all]
    found = dict[str, float | None](count=sum(some for some, _ in counted), of=sum(all for _, all in counted))
    if not counted:
        return {**found, "value": None, "low": None, "high": None}
    return found | {name: round(value, 4) for name, value in score(counted, seed)._asdict().items()}


def _some(groups: Iterable[Group], wanted: Any) -> list[Group]:
    return [[each for each in group if wanted(each)] for group in groups]


def _figures(groups: Sequence[Group], seed: int) -> dict[str, Any]:
    kinds = Counter(each.kind for group in groups for each in group)
    won = [[each for each in group if each.before.value > 0] for group in groups]
    return {
        "decisions": kinds.total(),
        **{kind: kinds[kind] for kind in KINDS},
        "critical": _found(groups, seed),
        "thrown": share(((sum(each.after.value < 1 for each in group), len(group)) for group in won), seed),
        "detour": sum(each.detour for group in groups for each in group),
    }


def _found(groups: Iterable[Group], seed: int) -> dict[str, Any]:
    return share(((sum(each.found for each in group), sum(each.critical for each in group)) for group in groups), seed)
