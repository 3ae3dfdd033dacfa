"""Why a move is good, in one true sentence, computed from legal moves, outcomes and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.sentence import Moves, Sentence
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Verdict
from digitduels.study.wording import VALUES, soon

Position = State[Any, Any]


class Reason(NamedTuple):
    """Something that is true of a move: its kind, and the sentence."""

    kind: str
    sentence: Sentence


def reason(state: Position, move: Any, solution: Solution) -> Reason:
    """The most telling reason for a move."""
    return next(reasons(state, move, solution))


def reasons(state: Position, move: Any, solution: Solution) -> Iterator[Reason]:
    """Everything known to be true of a move, the most telling first. The plain verdict always comes last."""
    game, player, other = solution.game, state.player, 1 - state.player
    judgement = solution.judge(state)
    best, verdict = judgement.best, judgement[move]
    after = game.after(state, move)
    if verdict == (1, 1):
        yield Reason("wins", Sentence("It wins at once: {why}", why=_why(game, after)))
    if verdict == (1, 2):
        yield Reason(
            "no good reply",
            Sentence("Whatever {player} replies loses at once.", you="Whatever you reply loses at once.", player=other),
        )
    if verdict == (1, 3):
        yield from _threat(state, after, solution)
    keeps = verdict.value == best.value
    if keeps and best.value > -1 and verdict.distance > 1:
        threats = wins_at_once(game, state, other)
        if threats and not wins_at_once(game, after, other):
            blocked = Sentence(
                "{player} threatened to win at once with {threats}. This stops it.",
                you="You threatened to win at once with {threats}. This stops it.",
                player=other,
                threats=Moves([moves[0] for moves in threats], other),
            )
            yield Reason("block", blocked)
    if keeps and judgement.only:
        others = [judgement[thrown] for thrown in judgement.throwing]
        value = VALUES[best.value]
        if all(thrown == (-1, 1) for thrown in others):
            yield Reason("only move", Sentence("Every other move loses at once."))
        elif all(thrown.value < 0 for thrown in others):
            only = Sentence("Every other move loses: only this one keeps the {value}.", value=value)
            yield Reason("only move", only)
        else:
            yield Reason("only move", Sentence("It is the only move that keeps the {value}.", value=value))
    if verdict.value > 0 and verdict.distance > 1:
        end = after
        for reply in solution.line(after):
            end = game.after(end, reply)
        if _stuck(game, end, other):
            stuck = Sentence(
                "In this line {player} runs out of moves: {why}",
                you="In this line you run out of moves: {why}",
                player=other,
                why=_why(game, end),
            )
            yield Reason("runs out", stuck)
    yield Reason("plain", _plain(player, verdict, best))


def wins_at_once(game: AnyGame, state: Position, player: int) -> list[list[Any]]:
    """The moves with which a player would win at once on their turn, grouped by the position they lead to.

    That is a threat: a move that wins unless the opponent stops it.
    """
    state = state._replace(player=player)
    found: dict[Position, list[Any]] = {}
    for move in game.legal_moves(state):
        after = game.after(state, move)
        outcome = game.outcome(after)
        if outcome is not None and outcome.winner == player:
            found.setdefault(after, []).append(move)
    return list(found.values())


def _threat(state: Position, after: Position, solution: Solution) -> Iterator[Reason]:
    """The reason for a move that wins on the next turn, whatever the reply."""
    game = solution.game
    threats = wins_at_once(game, after, state.player)
    left = [game.after(after, reply) for reply in game.legal_moves(after)]
    going = [position for position in left if game.outcome(position) is None]
    if threats and all(
        any(_winning(game, position, move) for moves in threats for move in moves) for position in going
    ):
        moves = Moves([moves[0] for moves in threats], state.player)
        if len(threats) > 1:
            double = Sentence("It threatens to win with {moves}, and no reply stops them all.", moves=moves)
            yield Reason("double threat", double)
        else:
            yield Reason("threat", Sentence("It threatens to win with {moves}, and no reply stops that.", moves=moves))
    soonest = Sentence(
        "Whatever the reply, {player} wins with the next move at the latest.",
        you="Whatever the reply, you win with your next move at the latest.",
        player=state.player,
    )
    yield Reason("next turn", soonest)


def _winning(game: AnyGame, state: Position, move: Any) -> bool:
    """Whether a move is legal and wins at once."""
    if game.objection(state, move) is not None:
        return False
    outcome = game.outcome(game.after(state, move))
    return outcome is not None and outcome.winner == state.player


def _stuck(game: AnyGame, state: Position, loser: int) -> bool:
    """Whether a game ended because the player to move has no legal move while the opponent would have one."""
    outcome = game.outcome(state)
    if outcome is None or outcome.winner != 1 - loser or state.player != loser or game.permitted(state):
        return False
    return bool(game.permitted(state._replace(player=1 - loser)))


def _why(game: AnyGame, state: Position) -> Sentence:
    """Why a game ended, in the words of the rules."""
    outcome = game.outcome(state)
    assert outcome is not None
    return outcome.reason


def _plain(player: int, verdict: Verdict, best: Verdict) -> Sentence:
    if verdict.value > 0:
        return Sentence("{player} wins {when}.", you="You win {when}.", player=player, when=soon(player, verdict))
    if verdict.value == 0:
        return Sentence("It keeps the draw." if best.value == 0 else "It gives a draw.")
    if best.value < 0:
        return Sentence(
            "{player} loses against best play, as with every move.",
            you="You lose against best play, as with every move.",
            player=player,
        )
    return Sentence("{player} loses with it.", you="You lose with it.", player=player)
