"""Why a move is good, in one sentence that is computed from legal moves, outcomes and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.position_json import position_from_json, position_to_json
from digitduels.sentence import Moves, PlayedNoun, Sentence
from digitduels.solver.solution import Solution, UnknownPosition
from digitduels.solver.verdict import Verdict
from digitduels.study.wording import VALUES, soon

Position = State[Any, Any]
VERDICTS = ("only move", "plain")
"""The kinds of reasons that only restate verdicts."""


class Reason(NamedTuple):
    """A reason for a move: its kind and its sentence."""

    kind: str
    sentence: Sentence


def reason(state: Position, move: Any, solution: Solution) -> Reason:
    """The most telling reason for a move."""
    return next(reasons(state, move, solution))


def reasons(state: Position, move: Any, solution: Solution) -> Iterator[Reason]:
    """All reasons that apply to a move, the most telling first. The plain verdict always comes last."""
    game, player, other = solution.game, state.player, 1 - state.player
    judgement = solution.judge(state)
    best, verdict = judgement.best_verdict, judgement[move]
    after = game.after(state, move)
    if verdict == (1, 1):
        yield Reason("wins", Sentence("It wins at once. {why}", why=_why(game, after)))
    if verdict == (1, 2):
        yield Reason("no good reply", Sentence("Every reply loses at once."))
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
    if verdict.value > 0 and verdict.distance > 1:
        line = solution.line(after)
        yield from _in_hand(after, line, solution)
        yield from _tempo(after, solution)
        end = after
        for reply in line:
            end = game.after(end, reply)
        if _stuck(game, end, other):
            stuck = Sentence(
                "In this line {player} runs out of moves. {why}",
                you="In this line you run out of moves. {why}",
                player=other,
                why=_why(game, end),
            )
            yield Reason("runs out", stuck)
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
    yield Reason("plain", _plain(player, verdict, best))


def wins_at_once(game: AnyGame, state: Position, player: int) -> list[list[Any]]:
    """A player's threats: the moves that would win at once on their turn, grouped by the position they lead to."""
    state = state._replace(player=player)
    groups: dict[Position, list[Any]] = {}
    for move in game.legal_moves(state):
        after = game.after(state, move)
        outcome = game.outcome(after)
        if outcome is not None and outcome.winner == player:
            groups.setdefault(after, []).append(move)
    return list(groups.values())


def unstoppable(game: AnyGame, state: Position, after: Position) -> list[list[Any]]:
    """The threats of a move from `state` to `after`, grouped as by `wins_at_once`; empty if a reply stops them all."""
    threats = wins_at_once(game, after, state.player)
    replies = [game.after(after, reply) for reply in game.legal_moves(after)]
    unfinished = [position for position in replies if game.outcome(position) is None]
    stopped = any(not any(_winning(game, position, move) for move in chain(*threats)) for position in unfinished)
    return [] if stopped else threats


def _threat(state: Position, after: Position, solution: Solution) -> Iterator[Reason]:
    """The reason for a move that wins on the next turn, whatever the reply."""
    threats = unstoppable(solution.game, state, after)
    if threats:
        moves = Moves([moves[0] for moves in threats], state.player)
        page = _cannot_stop(solution.game, after, [moves[0] for moves in threats])
        if len(threats) > 1:
            double = Sentence("It threatens to win with {moves}, and no reply stops them all.", page=page, moves=moves)
            yield Reason("double threat", double)
        else:
            one = Sentence("It threatens to win with {moves}, and no reply stops that.", page=page, moves=moves)
            yield Reason("threat", one)
    soonest = Sentence(
        "Whatever the reply, {player} wins with the next move at the latest.",
        you="Whatever the reply, you win with your next move at the latest.",
        player=state.player,
    )
    yield Reason("next turn", soonest)


def _cannot_stop(game: AnyGame, after: Position, threats: list[Any]) -> Sentence | None:
    """The threats as equations that the player to move cannot stop, for the page; None if they have none."""
    turn = after._replace(player=1 - after.player)
    equations = [game.effect(turn, move).equation for move in threats]
    if None in equations:
        return None
    those = "both {threats}" if len(equations) == 2 else "all of these: {threats}" if equations[1:] else "{threats}"
    return Sentence(
        f"{{player:Whom}} can't stop {those}.",
        you=f"You can't stop {those}.",
        player=after.player,
        threats=" and ".join(filter(None, (", ".join(filter(None, equations[:-1])), equations[-1]))),
    )


def _in_hand(after: Position, line: list[Any], solution: Solution) -> Iterator[Reason]:
    """The reason for a move that wins only because the winner can still set the opponent back later."""
    game, winner, state = solution.game, 1 - after.player, after
    for move in line:
        if state.player == winner and _sets_back(game, state, move):
            without = _without(after, winner, state, move, solution)
            if without is not None and without.value > -1:
                held = Sentence(
                    "Still to come: {move}. Without it, {player} would not win.",
                    you="Still to come: {move}. Without it, you would not win.",
                    player=winner,
                    move=PlayedNoun(move, winner),
                )
                yield Reason("in hand", held)
            return
        state = game.after(state, move)


def _sets_back(game: AnyGame, state: Position, move: Any) -> bool:
    """Whether a move lowers the opponent's score."""
    other = 1 - state.player
    before, after = game.scores(state)[other], game.effect(state, move).scores[other]
    return before is not None and after is not None and after < before


def _without(after: Position, winner: int, state: Position, move: Any, solution: Solution) -> Verdict | None:
    """The verdict on `after` if the winner did not have the operation that a later move uses; None if unknown."""
    game = solution.game
    stocks = game.board(state).hands[winner].stocks
    left = game.board(game.after(state, move)).hands[winner].stocks
    used = [index for index, (old, new) in enumerate(zip(stocks, left, strict=True)) if new.left < old.left]
    if len(used) != 1:
        return None
    placed = position_to_json(game, after)
    numbers = placed["hands"][winner]
    numbers[used[0] - len(stocks)] = 0  # the stocks come last
    try:
        position = position_from_json(game, placed)
    except ValueError:  # no such position
        return None
    with suppress(UnknownPosition):
        return solution.probe(position)
    return None


def _tempo(after: Position, solution: Solution) -> Iterator[Reason]:
    """The reason for a move after which the opponent would not lose if they could pass."""
    try:
        passed = solution.probe(after._replace(player=1 - after.player))
    except UnknownPosition:
        return
    if passed.value < 1 and passed.distance:
        tempo = Sentence(
            "Then {player} has to move, and every move loses. If {player} could pass, {other:whom} would not win.",
            you="Then you have to move, and every move loses. If you could pass, {other} would not win.",
            player=after.player,
        )
        yield Reason("tempo", tempo)


def _winning(game: AnyGame, state: Position, move: Any) -> bool:
    """Whether a move is legal and wins at once."""
    if game.objection(state, move) is not None:
        return False
    outcome = game.outcome(game.after(state, move))
    return outcome is not None and outcome.winner == state.player


def _stuck(game: AnyGame, state: Position, loser: int) -> bool:
    """Whether a game ended because the player to move has no legal move, though the opponent would have one."""
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
        return Sentence("Every move loses against best play.")
    return Sentence("It loses against best play.")
