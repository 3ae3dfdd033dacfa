"""Decisions: what a player did in a position, judged by the solution.

A decision is a move, an answer that should have been a move, or conceding the game. An answer that is not a legal move
counts as conceding: in a critical position, the player missed the move.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from digitduels.core import IllegalMove, InvalidMove, MoveError, State
from digitduels.match import Match
from digitduels.sentence import Capital, Moves, Playing, Sentence
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Judgement, Verdict
from digitduels.study.wording import VALUES

KINDS = ("kept", "threw", "illegal", "invalid", "forfeited", "conceded")
"""What a decision did: it kept the value of the position or threw it away; it was a move that the rules forbid here, or
not a move at all; or the player forfeited the game or conceded it. In a lost position every move keeps the value."""
REFUSED = ("illegal", "invalid", "forfeited")
GIVEN_UP = Verdict(-1, 0)  # the verdict on conceding
_STILL = {1: "still won", 0: "still held the draw"}


class Decision(NamedTuple):
    """What a player did on their turn and what it was worth. Verdicts are for that player."""

    ply: int
    """The number of moves made before it."""
    player: int
    move: Any | None
    """None if the player made no legal move."""
    kind: str
    """One of KINDS."""
    reason: str | None
    """Why an answer was refused or a game forfeited."""
    before: Verdict
    after: Verdict
    """The verdict on the move; its distance counts the move. Without a legal move, a loss at distance 0."""
    best: list[Any]
    """The best moves: the quickest wins, else the longest draws, else the slowest losses."""
    keeping: list[Any]
    """All moves that keep the value, the best first."""
    critical: bool
    """Whether the position was not lost and some legal move would have thrown its value away."""
    chance: float
    """The share of the legal moves that keep the value: how often a random mover would find one."""

    @property
    def found(self) -> bool:
        """Whether the position was critical and the player kept its value."""
        return self.critical and not self.swing

    @property
    def swing(self) -> bool:
        """Whether it changed the result: a critical move missed, or a game given up. A slower win is not a swing."""
        return self.after.value < self.before.value

    @property
    def detour(self) -> int:
        """By how many plies a move that kept the value made a win slower, or a loss quicker, than necessary."""
        return abs(self.after.distance - self.before.distance) if self.kind == "kept" else 0

    @property
    def deed(self) -> Sentence:
        """What the player did, as a sentence.

        >>> Decision(4, 1, None, "conceded", None, Verdict(1, 3), GIVEN_UP, [], [], True, 0.5).deed
        'Player 2 conceded.'
        """
        return self._sentence(".")

    @property
    def lesson(self) -> Sentence:
        """What a swing changed, as a sentence."""
        return self._sentence(
            " and turned a {had} into a {has}.", had=VALUES[self.before.value], has=VALUES[self.after.value]
        )

    @property
    def answer(self) -> Sentence | None:
        """Which moves would have kept the value."""
        if not self.keeping or self.before.value not in _STILL:
            return None
        only = "Only " if len(self.keeping) == 1 else ""
        moves = Moves(self.keeping, self.player, "and")
        return Sentence(f"{only}{{moves}} {_STILL[self.before.value]}.", moves=moves if only else Capital(moves))

    @property
    def quest(self) -> Sentence:
        """The task when the player tries this position again.

        >>> Decision(4, 1, None, "conceded", None, Verdict(1, 3), GIVEN_UP, [], [], True, 0.5).quest
        "Find a move that keeps Player 2's win."
        """
        if self.before.value > 0:
            return Sentence("Find a move that keeps {player:whose} win.", player=self.player)
        if self.before.value < 0:
            return Sentence("Find {player:whose} toughest move here.", player=self.player)
        return Sentence("Find a move that keeps the draw.")

    @property
    def question(self) -> Sentence:
        """The task for the player, and a question about them for everybody else.

        >>> Decision(4, 1, None, "conceded", None, Verdict(1, 3), GIVEN_UP, [], [], True, 0.5).question
        'Player 2 to move. Could Player 2 have kept the win?'
        """
        kept = "have made it harder" if self.before.value < 0 else "have kept the {value}"
        return Sentence(
            f"{{player}} to move. Could {{player}} {kept}?",
            you=self.quest.to(reader=self.player),
            player=self.player,
            value=VALUES[self.before.value],
        )

    def _sentence(self, rest: str, **fields: Any) -> Sentence:
        match self.kind:
            case "kept" | "threw":
                verb, fields["did"] = "{did}", Playing("played", self.move, self.player)
            case "conceded":
                verb = "conceded"
            case _:
                verb = "forfeited the game"
        return Sentence(f"{{player}} {verb}{rest}", you=f"You {verb}{rest}", player=self.player, **fields)


def decide(state: State[Any, Any], answer: object, solution: Solution, ply: int = 0) -> Decision:
    """Judges an answer to a position: a move, a text that should be a move, or anything else.

    >>> from digitduels.games import game
    >>> from digitduels.solver import Reference
    >>> rules = game("operation-target")
    >>> decide(rules.start(), "+1", Reference(rules)).kind
    'threw'
    """
    game, judgement = solution.game, solution.judge(state)
    before, position = judgement.best_verdict, _position_fields(judgement)
    try:
        move = game.read(answer, state) if isinstance(answer, str) else answer
        if move not in game.moves:
            raise InvalidMove(Sentence("There is no move in the answer."))
        game.play(state, move)
    except (IllegalMove, InvalidMove) as error:
        refused: MoveError = error
        kind = "illegal" if isinstance(error, IllegalMove) else "invalid"
        return Decision(ply, state.player, None, kind, refused.reason, before, GIVEN_UP, *position)
    after = judgement[move]
    kind = "kept" if after.value == before.value else "threw"
    return Decision(ply, state.player, move, kind, None, before, after, *position)


def _position_fields(judgement: Judgement[Any]) -> tuple[list[Any], list[Any], bool, float]:
    """The last four fields of a decision, which describe its position: `best`, `keeping`, `critical` and `chance`."""
    keeping = judgement.keeping
    return judgement.best_moves, keeping, judgement.critical, len(keeping) / len(judgement)


def decisions(match: Match, solution: Solution) -> list[Decision]:
    """The decisions of a match, finished or not. The moves of a fixed opening do not count."""
    return list(_decisions(match, solution))


def _decisions(match: Match, solution: Solution) -> Iterator[Decision]:
    for ply in range(match.opening, len(match.moves)):
        yield decide(match.states[ply], match.moves[ply], solution, ply)
    if match.conceded is not None:
        player, judgement = match.conceded, solution.judge(match.state)
        before, position = judgement.best_verdict, _position_fields(judgement)
        if player != match.state.player:  # conceding on the opponent's turn misses no move
            before, position = Verdict(-before.value, before.distance), ([], [], False, 1.0)
        kind = "conceded" if match.forfeit is None else "forfeited"
        yield Decision(len(match.moves), player, None, kind, match.forfeit, before, GIVEN_UP, *position)
