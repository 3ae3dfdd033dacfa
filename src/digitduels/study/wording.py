"""Verdicts in words, shared by hints, reviews and puzzles. Lengths are in turns, never in plies."""

from __future__ import annotations

from typing import Any

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.sentence import Count, Sentence
from digitduels.solver.verdict import Verdict

VALUES = {1: "win", 0: "draw", -1: "loss"}
LINE_MOVES = 3  # moves of a line of best play on the page
SIGNS = {1: "▲", 0: "=", -1: "▼"}


def winner(player: int, verdict: Verdict) -> int | None:
    """The winner according to a verdict for `player`; None for a draw."""
    return None if verdict.value == 0 else player if verdict.value > 0 else 1 - player


def standing(player: int, verdict: Verdict) -> list[Sentence]:
    """Who is winning when `player` is to move, and how many turns are left.

    >>> standing(0, Verdict(1, 7))
    ['Player 1 is winning: 4 more turns.']
    >>> standing(0, Verdict(-1, 1))
    ["Player 2 is winning: Player 1's next move ends the game, whatever it is."]
    >>> standing(1, Verdict(1, 8))
    ['Player 2 is winning: 4 more turns.', 'Then Player 1 makes the last move and loses.']
    """
    best, left = winner(player, verdict), Count(_turns(player, verdict), "more turn")
    if best is None:
        return [
            Sentence(
                "With best play nobody wins: {player} has {left}.",
                you="With best play nobody wins: you have {left}.",
                player=player,
                left=left,
            )
        ]
    if not left.number:
        ends = "{other:whose} next move ends the game, whatever it is."
        return [Sentence(f"{{player}} is winning: {ends}", you=f"You are winning: {ends}", player=best)]
    lines = [Sentence("{player} is winning: {left}.", you="You are winning: {left}.", player=best, left=left)]
    last = player if verdict.distance % 2 else 1 - player
    if last != best:
        lines.append(
            Sentence(
                "Then {player} makes the last move and loses.", you="Then you make the last move and lose.", player=last
            )
        )
    return lines


def soon(player: int, verdict: Verdict) -> str:
    """When the game ends, in turns of the winner, counting this move of `player`.

    >>> soon(0, Verdict(1, 1)), soon(0, Verdict(1, 3)), soon(0, Verdict(-1, 2)), soon(0, Verdict(0, 3))
    ('at once', 'in 2 turns', 'in 1 turn', 'after 2 turns')
    """
    if verdict.distance == 1:
        return "at once"
    return f"{'in' if verdict.value else 'after'} {Count(_turns(player, verdict), 'turn')}"


def worth(player: int, verdict: Verdict) -> Sentence:
    """What a move of `player` leads to, as a label.

    >>> worth(0, Verdict(1, 3)), worth(0, Verdict(-1, 2)), worth(0, Verdict(-1, 1)), worth(0, Verdict(0, 1))
    ('wins in 2 turns', 'Player 2 wins in 1 turn', 'loses at once', 'nobody wins')
    """
    when = soon(player, verdict)
    if verdict.value == 0:
        return Sentence("nobody wins" if verdict.distance == 1 else "nobody wins, {when}", when=when)
    if verdict.value > 0:
        return Sentence("wins {when}", when=when)
    if verdict.distance == 1:
        return Sentence("loses at once")
    return Sentence("{player} wins {when}", you="you win {when}", player=1 - player, when=when)


def with_scores(game: AnyGame, state: State[Any, Any], moves: list[Any]) -> Sentence:
    """The first moves of a line of best play, each with what it does, as the page says it.

    >>> from digitduels.games import game
    >>> number = game("number-duel")
    >>> with_scores(number, number.start(), [number.read(move) for move in ("+5", "+9")])
    'Best play: Player 1: 0 + 5 = 5. Player 2: 0 + 9 = 9.'
    """
    told = [Sentence("Best play:")]
    for move in moves[:LINE_MOVES]:
        told.append(game.report(state, move))
        state = game.after(state, move)
    return joined([*told, Sentence("…")] if len(moves) > LINE_MOVES else told)


def joined(sentences: list[Sentence]) -> Sentence:
    """Several sentences as one, each still addressed to the right reader."""
    fields: dict[str, Any] = {f"part{index}": sentence for index, sentence in enumerate(sentences)}
    return Sentence(" ".join(f"{{{name}}}" for name in fields), **fields)


def _turns(player: int, verdict: Verdict) -> int:
    """How many turns the winner still has; in a draw, how many the player to move has."""
    return verdict.distance // 2 if winner(player, verdict) == 1 - player else (verdict.distance + 1) // 2
