"""Why a move is good, in one true sentence: each is worked out from legal moves, outcomes and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.sentence import player_name
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Verdict
from digitduels.study.wording import VALUES, some, soon

Position = State[Any, Any]


class Reason(NamedTuple):
    """What is true of a move: which kind of truth, and the sentence."""

    kind: str
    sentence: str


def reason(state: Position, move: Any, solution: Solution) -> Reason:
    """The most telling reason for a move."""
    return next(reasons(state, move, solution))


def reasons(state: Position, move: Any, solution: Solution) -> Iterator[Reason]:
    """All that is known to be true of a move, the most telling first; the plain verdict is always the last."""
    game, me, you = solution.game, player_name(state.player), player_name(1 - state.player)
    each = dict(solution.each(state))
    best, verdict = next(iter(each.values())), each[move]
    after = game.after(state, move)
    if verdict == (1, 1):
        yield Reason("wins", f"It wins at once: {_why(game, after)}")
    if verdict == (1, 2):
        yield Reason("no good reply", f"Whatever {you} replies loses at once.")
    if verdict == (1, 3):
        yield from _threat(state, after, solution)
    keeps = verdict.value == best.value
    if keeps and best.value > -1 and verdict.distance > 1:
        threats = wins_at_once(game, state, 1 - state.player)
        if threats and not wins_at_once(game, after, 1 - state.player):
            told = some([moves[0] for moves in threats], "and")
            yield Reason("block", f"{you} threatened to win at once with {told}; this stops it.")
    if keeps and best.value > -1 and only(state, solution):
        others = [other for other in each.values() if other.value < best.value]
        if others and all(other == (-1, 1) for other in others):
            yield Reason("only move", "Every other move loses at once.")
        elif others and all(other.value < 0 for other in others):
            yield Reason("only move", f"Every other move loses: only this one keeps the {VALUES[best.value]}.")
        elif others:
            yield Reason("only move", f"It is the only move that keeps the {VALUES[best.value]}.")
    if verdict.value > 0 and verdict.distance > 1:
        end = after
        for reply in solution.line(after):
            end = game.after(end, reply)
        if _stuck(game, end, 1 - state.player):
            yield Reason("runs out", f"In this line {you} runs out of moves: {_why(game, end)}")
    yield Reason("plain", _plain(me, state.player, verdict, best))


def wins_at_once(game: AnyGame, state: Position, player: int) -> list[list[Any]]:
    """The moves by which a player would win at once if it were that player's turn; those to the same position together.

    This is what a threat is: a move that wins unless something is done.
    """
    state = state._replace(player=player)
    found: dict[Position, list[Any]] = {}
    for move in game.legal_moves(state):
        after = game.after(state, move)
        outcome = game.outcome(after)
        if outcome is not None and outcome.winner == player:
            found.setdefault(after, []).append(move)
    return list(found.values())


def only(state: Position, solution: Solution) -> bool:
    """Whether one move alone keeps the value; moves to the same position count once."""
    each = solution.each(state)
    return len({solution.game.after(state, move) for move, verdict in each if verdict.value == each[0][1].value}) == 1


def _threat(state: Position, after: Position, solution: Solution) -> Iterator[Reason]:
    """What is threatened by a move that wins with the next one, whatever is replied."""
    game, you = solution.game, player_name(1 - state.player)
    threats = wins_at_once(game, after, state.player)
    left = [game.after(after, reply) for reply in game.legal_moves(after)]
    going = [position for position in left if game.outcome(position) is None]
    if threats and all(
        any(_winning(game, position, move) for moves in threats for move in moves) for position in going
    ):
        told = f"It threatens to win with {some([moves[0] for moves in threats], 'and')}, and no reply of {you}"
        if len(threats) > 1:
            yield Reason("double threat", f"{told} stops them all.")
        else:
            yield Reason("threat", f"{told} stops that.")
    yield Reason(
        "next turn", f"Whatever {you} replies, {player_name(state.player)} wins with the next move at the latest."
    )


def _winning(game: AnyGame, state: Position, move: Any) -> bool:
    """Whether a move is legal and wins at once."""
    if game.objection(state, move) is not None:
        return False
    outcome = game.outcome(game.after(state, move))
    return outcome is not None and outcome.winner == state.player


def _stuck(game: AnyGame, state: Position, loser: int) -> bool:
    """Whether a game ended because the player to move has no legal move, while the other one still would have some."""
    outcome = game.outcome(state)
    if outcome is None or outcome.winner != 1 - loser or state.player != loser or game.permitted(state):
        return False
    return bool(game.permitted(state._replace(player=1 - loser)))


def _why(game: AnyGame, state: Position) -> str:
    """How the rules put the end of a game."""
    outcome = game.outcome(state)
    assert outcome is not None
    return outcome.reason


def _plain(me: str, player: int, verdict: Verdict, best: Verdict) -> str:
    if verdict.value > 0:
        return f"{me} wins {soon(player, verdict)}."
    if verdict.value == 0:
        return "It keeps the draw." if best.value == 0 else "It gives a draw."
    return f"{me} loses against best play, as with every move." if best.value < 0 else f"{me} loses with it."
