"""What a game was decided by: the value of its start, and the moves that changed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from digitduels.core import Outcome
from digitduels.match import Match
from digitduels.sentence import player_name
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Verdict
from digitduels.study.wording import VALUES, some, standing, winner

SIGNS = {0: "▲", 1: "▼", None: "="}
LEGEND = "▲ Player 1 is winning, ▼ Player 2 is winning, = nobody is; one sign for the start and one for each turn"


class Moment(NamedTuple):
    """A turn of a game and what it was worth. Verdicts are for the player whose turn it was."""

    ply: int
    """How many moves were made before."""
    player: int
    move: Any | None
    """None when the player gave up or forfeited the game."""
    before: Verdict
    after: Verdict
    """As the verdict on a move: its distance counts the move. Giving up is a loss at distance 0."""
    best: list[Any]
    """The best moves: the quickest wins, else the longest draws, else the slowest losses."""
    keeping: list[Any]
    """All moves that keep the value, the best first."""
    critical: bool
    """Whether the position was not lost and something worse could be done."""
    forfeit: bool = False

    @property
    def found(self) -> bool:
        """Whether it was critical and the value was kept."""
        return self.critical and self.after.value == self.before.value

    @property
    def swing(self) -> bool:
        """Whether it changed the result: a critical move that was not found. A slower win never is one."""
        return self.after.value < self.before.value

    @property
    def deed(self) -> str:
        """What the player did.

        >>> Moment(4, 1, None, Verdict(1, 3), Verdict(-1, 0), [], [], True).deed
        'Player 2 conceded'
        """
        if self.move is not None:
            return f"{player_name(self.player)} played {self.move}"
        return f"{player_name(self.player)} {'forfeited the game' if self.forfeit else 'conceded'}"

    @property
    def lesson(self) -> str:
        """What a swing changed, and what would have kept the value."""
        had = VALUES[self.before.value]
        text = f"{self.deed} and turned a {had} into a {VALUES[self.after.value]}"
        if not self.keeping:
            return f"{text}."
        only = "only " if len(self.keeping) == 1 else ""
        return f"{text}; {only}{some(self.keeping, 'or')} would have kept the {had}."


class Review(NamedTuple):
    """A game, turn by turn. The value of the start and the swings explain its result exactly."""

    player: int
    """Who was to move at the start."""
    start: Verdict
    """For that player; after the opening, where the match was given one."""
    opening: int
    """How many moves the match was given."""
    moments: list[Moment]
    outcome: Outcome | None

    @property
    def swings(self) -> list[Moment]:
        return [moment for moment in self.moments if moment.swing]

    def found(self, player: int) -> tuple[int, int]:
        """How many critical moves a player found, and how many there were."""
        critical = [moment for moment in self.moments if moment.critical and moment.player == player]
        return sum(moment.found for moment in critical), len(critical)

    @property
    def winning(self) -> list[int | None]:
        """Who was winning at the start and after each turn; None where nobody was."""
        return [winner(self.player, self.start), *(winner(moment.player, moment.after) for moment in self.moments)]

    @property
    def ribbon(self) -> str:
        """Who was winning at the start and after each turn, a sign each; LEGEND explains them."""
        return "".join(SIGNS[who] for who in self.winning)

    @property
    def story(self) -> str:
        """The ribbon in words.

        >>> Review(0, Verdict(1, 3), 0, [], None).story
        'Player 1 was winning from the start.'
        """
        parts: list[str] = []
        place = self.opening
        for who, turns in groupby(self.winning):
            name = "nobody" if who is None else player_name(who)
            parts.append(f"{name} from move {place} on" if parts else f"{name} was winning from the start")
            place += len(list(turns))
        text = ", ".join(parts)
        return f"{text[0].upper()}{text[1:]}."

    @property
    def sentence(self) -> str:
        """The one sentence on what decided the game."""
        swings, over = self.swings, self.outcome is not None
        if swings:
            moment = swings[-1]
            return f"The game turned{'' if over else ' so far'} on move {moment.ply + 1}: {moment.lesson}"
        who = winner(self.player, self.start)
        if who is None:
            kept = "a draw from the start, and it stayed one" if over else "a draw from the start, and it still is one"
            return f"Nobody made a mistake: the game was {kept}."
        if who == self.player:
            seat = "the player who moves first wins from this start"
        else:
            seat = "the player who moves second wins from this start"
        kept = f"and {player_name(who)} never let go of it" if over else f"and {player_name(who)} holds it still"
        return f"Nobody made a mistake: {seat}, {kept}."

    def lines(self) -> list[str]:
        """The review for people to read."""
        told = [
            f"At the start: {standing(self.player, self.start)}",
            f"Who was winning: {self.ribbon}",
            f"({LEGEND})",
            self.story,
        ]
        told += [f"Move {swing.ply + 1}: {swing.lesson}" for swing in self.swings]
        told += [
            f"Critical moves found: {player_name(0)} {self.score(0)}, {player_name(1)} {self.score(1)}.",
            self.sentence,
        ]
        return told

    def score(self, player: int) -> str:
        """Critical moves found, as people read it."""
        found, critical = self.found(player)
        return f"{found} of {critical}" if critical else "–"


def review(match: Match, solution: Solution) -> Review:
    """The review of a match, finished or not. An opening that the match was given is nobody's doing."""
    first = match.states[match.opening]
    return Review(first.player, solution.probe(first), match.opening, list(_moments(match, solution)), match.outcome)


def _moments(match: Match, solution: Solution) -> Iterator[Moment]:
    for ply in range(match.opening, len(match.moves)):
        state, move = match.states[ply], match.moves[ply]
        each = solution.each(state)
        before, after = each[0][1], dict(each)[move]
        critical = before.value > each[-1][1].value
        yield Moment(ply, state.player, move, before, after, *_kept(each), critical)
    if match.conceded is not None:
        state, player = match.state, match.conceded
        each = solution.each(state)
        before = each[0][1]
        best, keeping = _kept(each)
        if player != state.player:  # gave up while the other one was to move, so no move of theirs is missed
            before, best, keeping = Verdict(-before.value, before.distance), [], []
        # Giving up is always possible and never better, so whatever is not lost is at stake.
        critical = before.value > -1
        forfeit = match.forfeit is not None
        yield Moment(len(match.moves), player, None, before, Verdict(-1, 0), best, keeping, critical, forfeit)


def _kept(each: Sequence[tuple[Any, Verdict]]) -> tuple[list[Any], list[Any]]:
    """The best moves, and all that keep the value."""
    top = each[0][1]
    return (
        [move for move, verdict in each if verdict == top],
        [move for move, verdict in each if verdict.value == top.value],
    )
