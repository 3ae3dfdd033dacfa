"""The coach: its warnings about moves that give the result away."""

from __future__ import annotations

from typing import Any

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.sentence import Count, Moves, PlayedNoun, Sentence
from digitduels.solver.solution import Solution
from digitduels.study.foresight import Foresight
from digitduels.study.reasons import unstoppable, wins_at_once

Position = State[Any, Any]


def warning(state: Position, move: Any, source: Solution | Foresight) -> Sentence | None:
    """The coach's warning about a move that is known to give the result away; None if it is not."""
    game, judgement = source.game, source.judge(state)
    verdict, best = judgement[move], judgement.verdict
    if verdict is None or verdict.value > 0:
        return None
    if verdict.value == 0:
        return Sentence("That gives the win away.") if best is not None and best.value > 0 else None
    if best is not None and best.value < 0:
        return None
    after, other = game.after(state, move), 1 - state.player
    outcome = game.outcome(after)
    if outcome is not None:
        return Sentence("That loses at once. {reason}", reason=outcome.reason)
    if verdict.distance == 2:
        return _let_win(game, state, after)
    count, (reply, answer) = Count(verdict.distance // 2, "turn"), next(iter(source.judge(after).items()))
    if answer is None or answer.value < 1:  # the search has reached its limit
        return Sentence("After that I can win in {count}.", count=count)
    if verdict.distance == 3:
        return Sentence(
            "I answer with {reply}, and then every move of {player} loses.",
            you="I answer with {reply}, and then every move of yours loses.",
            player=state.player,
            reply=PlayedNoun(reply, other),
        )
    threats = unstoppable(game, after, game.after(after, reply)) if verdict.distance == 4 else []
    text = "After that I can win in {count}, starting with {reply}."
    if threats:
        them = "it" if len(threats) == 1 else "them all"
        text = f"That lets me threaten {{threats}} with {{reply}}, and {{player:whom}} can't stop {them}."
    return Sentence(
        text,
        player=state.player,
        count=count,
        reply=PlayedNoun(reply, other),
        threats=Moves([moves[0] for moves in threats], other, "and"),
    )


def _let_win(game: AnyGame, state: Position, after: Position) -> Sentence:
    """The coach's warning about a move that lets the coach win at once."""
    other = 1 - state.player
    wins = [moves[0] for moves in wins_at_once(game, after, other)]
    threatened = any(move in wins for moves in wins_at_once(game, state, other) for move in moves)
    start = "That doesn't stop me: I win" if threatened else "That lets me win"
    return Sentence(f"{start} at once with {{moves}}.", moves=Moves(wins, other, "or"))
