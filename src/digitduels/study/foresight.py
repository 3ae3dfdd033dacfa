"""What can be said about a position before its game is solved: near results, and that the rest is not known.

Everything here is true, and nothing is said about moves whose result is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from digitduels.core import State
from digitduels.sentence import Count, Moves, Sentence
from digitduels.solver.verdict import Verdict
from digitduels.study.hints import Group
from digitduels.study.wording import SIGNS, standing, worth

PLIES = 6
"""How far to look."""
LATER = Sentence("The rest of this game is still being worked out. Ask again in a moment.")
NEVER = Sentence("This game is too large to say more.")

Known = Mapping[Any, Verdict | None]


def near_hint(state: State[Any, Any], known: Known, step: int, rest: Sentence) -> list[Sentence]:
    """A hint from what is known; `rest` says why that is not all. The first step names no move, later ones do."""
    player = state.player
    verdicts = {move: verdict for move, verdict in known.items() if verdict is not None}
    best = max(verdicts.values(), default=None)
    if best is not None and (best.value > 0 or len(verdicts) == len(known)):
        told = standing(player, best)
        if step > 1:
            moves = [move for move, verdict in verdicts.items() if verdict == best]
            told.append(Sentence("Play {moves}.", moves=Moves(moves, player, "or")))
        return told
    losing = [move for move, verdict in verdicts.items() if verdict.value < 0]
    if not losing:
        return [Sentence("There is no quick win or loss in sight."), rest]
    if step > 1:
        return [Sentence("Don't play {moves}.", moves=Moves(losing, player, "or")), rest]
    lose = "loses" if len(losing) == 1 else "lose"
    return [Sentence(f"{{losing}} of {{moves}} moves {lose} soon.", losing=len(losing), moves=len(known)), rest]


def near_values(state: State[Any, Any], known: Known) -> list[Group]:
    """The moves whose verdict is known, equal ones grouped, best first."""
    groups: dict[str, Group] = {}
    verdicts = [(move, verdict) for move, verdict in known.items() if verdict is not None]
    for move, verdict in sorted(verdicts, key=lambda pair: pair[1], reverse=True):
        words = worth(state.player, verdict)
        groups.setdefault(words, Group(verdict.value, SIGNS[verdict.value], words, [])).moves.append(move)
    return list(groups.values())


def unknown(known: Known, rest: Sentence) -> list[Sentence]:
    """How many moves nothing is known about, and why; nothing if there are none."""
    count = sum(verdict is None for verdict in known.values())
    return [Sentence("? not known: {count}.", count=Count(count, "move")), rest] if count else []


def near_warning(known: Known, move: Any) -> Sentence | None:
    """What a coach says before a move that is known to lose, if another one may not."""
    verdict = known[move]
    if verdict is None or verdict.value >= 0:
        return None
    if all(other is not None and other.value < 0 for other in known.values()):
        return None
    return Sentence("That loses at once." if verdict.distance == 1 else "That lets me win.")
