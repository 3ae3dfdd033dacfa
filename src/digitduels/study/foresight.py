"""Hints and warnings for a game that is not solved: near results, and that the rest is unknown.

A bounded search supplies the near results. No move with an unknown result is called good or bad.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.players.levels import natural_weights
from digitduels.sentence import Count, Moves, Played, Sentence
from digitduels.solver.verdict import Verdict
from digitduels.study.hints import Group, let_win
from digitduels.study.wording import SIGNS, standing, worth

PLIES = 6
"""The depth of the search."""
LATER = Sentence("This game is still being solved. Ask again in a moment for the rest.")
NEVER = Sentence("This game is too large to be solved, so nobody knows more.")

Known = Mapping[Any, Verdict | None]


def near_hint(game: AnyGame, state: State[Any, Any], known: Known, step: int, rest: Sentence) -> list[Sentence]:
    """A hint from the known verdicts; `rest` says why the others are unknown.

    The first step names no move, and the second names the moves to play or to avoid. Later steps add the natural move
    and say that nobody knows whether it is good.
    """
    player = state.player
    verdicts = {move: verdict for move, verdict in known.items() if verdict is not None}
    best = max(verdicts.values(), default=None)
    if best is not None and (best.value > 0 or len(verdicts) == len(known)):
        if step == 1:
            return standing(player, best)
        moves = [move for move, verdict in verdicts.items() if verdict == best]
        return [Sentence("Play {moves}.", moves=Moves(moves, player, "or"))]
    losing = [move for move, verdict in verdicts.items() if verdict.value < 0]
    if not losing:
        lines = [Sentence("Looking a few moves ahead finds no win and no loss.")]
    elif step > 1:
        lines = [Sentence("Don't play {moves}.", moves=Moves(losing, player, "or"))]
    else:
        lose = "loses" if len(losing) == 1 else "lose"
        lines = [Sentence(f"{{losing}} of {{moves}} moves {lose} soon.", losing=len(losing), moves=len(known))]
        lines.append(Sentence("It is not known how good the others are."))
    if step > 2:
        natural = natural_weights(game, state)
        move = max((move for move in known if move not in losing), key=natural.__getitem__)
        lines.append(Sentence("{move} looks natural. Whether it is good is not known.", move=Played(move, player)))
    return [*lines, rest]


def near_values(state: State[Any, Any], known: Known) -> list[Group]:
    """The moves with a known verdict, grouped by result, best first."""
    groups: dict[str, Group] = {}
    verdicts = [(move, verdict) for move, verdict in known.items() if verdict is not None]
    for move, verdict in sorted(verdicts, key=lambda pair: pair[1], reverse=True):
        words = worth(state.player, verdict)
        groups.setdefault(words, Group(verdict.value, SIGNS[verdict.value], words, [])).moves.append(move)
    return list(groups.values())


def unknown(known: Known, rest: Sentence) -> list[Sentence]:
    """How many moves have an unknown verdict, and why; empty if there are none."""
    count = sum(verdict is None for verdict in known.values())
    return [Sentence("? not known: {count}.", count=Count(count, "move")), rest] if count else []


def near_warning(game: AnyGame, state: State[Any, Any], known: Known, move: Any) -> Sentence | None:
    """The coach's warning about a move that is known to lose; None if it is not, or if every move is."""
    verdict = known[move]
    if verdict is None or verdict.value >= 0:
        return None
    if all(other is not None and other.value < 0 for other in known.values()):
        return None
    after = game.after(state, move)
    outcome = game.outcome(after)
    if outcome is not None:
        return Sentence("That loses at once. {reason}", reason=outcome.reason)
    if verdict.distance == 2:
        return let_win(game, state, after)
    return Sentence("That lets me win in {count}.", count=Count(verdict.distance // 2, "turn"))
