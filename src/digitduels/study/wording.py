"""The words that hints, reviews and puzzles share: verdicts in turns, never in plies, and lists of moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from digitduels.sentence import player_name
from digitduels.solver.verdict import Verdict
from digitduels.text import counted

VALUES = {1: "win", 0: "draw", -1: "loss"}
_SHOWN = 3  # moves that are named before the rest is counted


def winner(player: int, verdict: Verdict) -> int | None:
    """Who wins, of a verdict for `player`; None in a draw."""
    return None if verdict.value == 0 else player if verdict.value > 0 else 1 - player


def standing(player: int, verdict: Verdict) -> str:
    """How a position stands in which `player` is to move, in a sentence.

    >>> standing(0, Verdict(1, 7)), standing(0, Verdict(-1, 1))
    ('Player 1 is winning: 4 more turns.', "Player 2 is winning: Player 1's next move ends the game, whatever it is.")
    >>> standing(1, Verdict(1, 8))
    'Player 2 is winning: 4 more turns; then Player 1 makes the last move and loses.'
    """
    best = winner(player, verdict)
    if best is None:
        left = counted((verdict.distance + 1) // 2, "more turn")
        return f"With best play nobody wins: {player_name(player)} has {left}."
    turns, other = _turns(player, best, verdict)
    if not turns:
        return f"{player_name(best)} is winning: {player_name(player)}'s next move ends the game, whatever it is."
    return (
        f"{player_name(best)} is winning: {counted(turns, 'more turn')}{f'; then {other} and loses' if other else ''}."
    )


def soon(player: int, verdict: Verdict) -> str:
    """When the game ends, of a verdict on a move that `player` makes: in turns of the winner, this move included.

    >>> soon(0, Verdict(1, 1)), soon(0, Verdict(1, 3)), soon(0, Verdict(-1, 2))
    ('at once', 'in 2 turns', 'in 1 turn')
    """
    best = winner(player, verdict)
    if verdict.distance == 1:
        return "at once"
    if best is None:
        return f"after {counted((verdict.distance + 1) // 2, 'turn')} of {player_name(player)}"
    turns, other = _turns(player, best, verdict)
    return f"in {counted(turns, 'turn')}{f'; {other}' if other else ''}"


def _turns(player: int, best: int, verdict: Verdict) -> tuple[int, str]:
    """How many turns the winner still has; and, if the loser makes it, who makes the last move."""
    turns = (verdict.distance + 1) // 2 if best == player else verdict.distance // 2
    last = player if verdict.distance % 2 else 1 - player
    return turns, "" if last == best else f"{player_name(last)} makes the last move"


def some(moves: Sequence[Any], joint: str) -> str:
    """Some moves in a row, the first few by name.

    >>> some(["+5"], "or"), some(["+5", "x2"], "and"), some(["+1", "+2", "+3", "+4", "+5"], "or")
    ('+5', '+5 and x2', '+1, +2 or 3 others')
    """
    shown = [str(move) for move in moves]
    if len(shown) > _SHOWN:
        shown = [*shown[: _SHOWN - 1], f"{len(shown) - _SHOWN + 1} others"]
    return f" {joint} ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
