"""Hints in four steps, from how the position stands to the move itself; and the truth about every move."""

from __future__ import annotations

import re
import textwrap
from itertools import groupby
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.sentence import player_name
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Verdict
from digitduels.study.reasons import reason
from digitduels.study.wording import VALUES, soon, standing, winner
from digitduels.text import counted

STEPS = 4
WIDTH = 80  # of a line of values
Position = State[Any, Any]


def hint(state: Position, solution: Solution, step: int) -> list[str]:
    """The lines of a step from 1 to 4, in a game that is not over.

    1: how the player to move stands and how many moves keep it. 2: the tempting move and its refutation. 3: half the
    move. 4: the move, its line and one true sentence.
    """
    return (_stand, _temptation, _half, _whole)[step - 1](state, solution)


def values(state: Position, solution: Solution) -> list[str]:
    """Every move with its verdict in words, moves alike in a line: quickest wins first, quickest losses last."""
    lines = []
    for (sign, words), alike in groupby(solution.each(state), lambda pair: worth(state.player, pair[1])):
        told = f"{sign} {words}: {' '.join(str(move) for move, _ in alike)}"
        lines += textwrap.wrap(told, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    return lines


def warning(state: Position, move: Any, solution: Solution) -> str | None:
    """What a coach asks before a move that gives the result away; None for a move that keeps it."""
    each = dict(solution.each(state))
    best = next(iter(each.values()))
    if each[move].value == best.value:
        return None
    return f"That {'lets me win' if each[move].value < 0 else 'gives the win away'}. Take it back?"


def advised(state: Position, solution: Solution) -> Any:
    """The move that the hints lead to: one of the best; in a lost position the one that is hardest to refute."""
    each = solution.each(state)
    if each[0][1].value > -1:
        return each[0][0]
    return hardest(state, solution, each).move


class Trap(NamedTuple):
    """A move that a right reply refutes, and the replies that do, one for each position they lead to."""

    move: Any
    verdict: Verdict
    refutations: list[Any]
    replies: int
    """How many replies there are, counted in the same way."""


def tempting(state: Position, solution: Solution) -> Trap | None:
    """The move that throws the value away and is hardest to see through; None where no move does.

    Without knowing a game that is: not one that the next move punishes, if there is another; of those the one that
    the smallest share of replies refutes; of those the one whose punishment comes last.
    """
    each = solution.each(state)
    worse = [(move, verdict) for move, verdict in each if verdict.value < each[0][1].value]
    return hardest(state, solution, worse) if worse else None


def hardest(state: Position, solution: Solution, judged: list[tuple[Any, Verdict]]) -> Trap:
    """Of some moves the one that is hardest to refute."""
    later = [(move, verdict) for move, verdict in judged if verdict.distance > 2]
    traps = [_trap(state, solution, move, verdict) for move, verdict in later or judged]
    return min(traps, key=lambda trap: (len(trap.refutations) / max(1, trap.replies), -trap.verdict.distance))


def _trap(state: Position, solution: Solution, move: Any, verdict: Verdict) -> Trap:
    after = solution.game.after(state, move)
    replies: dict[Position, tuple[Any, int]] = {}
    for reply, answer in solution.each(after):
        replies.setdefault(solution.game.after(after, reply), (reply, answer.value))
    refuting = [reply for reply, value in replies.values() if value == -verdict.value]
    return Trap(move, verdict, refuting, len(replies))


# The steps


def _stand(state: Position, solution: Solution) -> list[str]:
    each = solution.each(state)
    best = each[0][1]
    keeping = sum(verdict.value == best.value for _, verdict in each)
    lines = [standing(state.player, best)]
    if len(each) == 1:
        return [*lines, "There is only one move."]
    if best.value < 0:
        return [*lines, f"All {len(each)} moves lose against best play."]
    if keeping == len(each):
        return [*lines, f"All {len(each)} moves keep the {VALUES[best.value]}."]
    verb = "keeps" if keeping == 1 else "keep"
    return [*lines, f"{keeping} of {counted(len(each), 'move')} {verb} the {VALUES[best.value]}."]


def _temptation(state: Position, solution: Solution) -> list[str]:
    trap = tempting(state, solution)
    if trap is not None:
        return [f"Tempting, but wrong: {trap.move}.", refutation(state, trap.move, solution)]
    each = solution.each(state)
    if each[0][1].value < 0:
        trap = hardest(state, solution, each)
        if trap.replies > len(trap.refutations):
            return ["Every move loses, so set a trap: find the one that is hardest to answer."]
        return ["Every move loses, whatever is replied."]
    return ["No move is wrong here."]


def _half(state: Position, solution: Solution) -> list[str]:
    if len(solution.game.legal_moves(state)) == 1:
        return ["There is only one move."]
    return [f"The move begins with {beginning(solution.game, advised(state, solution))}."]


def _whole(state: Position, solution: Solution) -> list[str]:
    move = advised(state, solution)
    after = solution.game.after(state, move)
    line = [move, *solution.line(after)]
    told = [f"Play {move}."]
    if len(line) > 1:
        told.append(f"With best play: {told_line(line)}.")
    verdict = dict(solution.each(state))[move]
    if verdict.value < 0:
        trap = _trap(state, solution, move, verdict)
        if trap.replies > len(trap.refutations):
            wins = "wins" if len(trap.refutations) == 1 else "win"
            return [
                *told,
                f"Every move loses, but only {len(trap.refutations)} of {trap.replies} replies to this one {wins}.",
            ]
    return [*told, reason(state, move, solution).sentence]


# What they share


def refutation(state: Position, move: Any, solution: Solution) -> str:
    """What best play does about a move that throws the value away."""
    after = solution.game.after(state, move)
    outcome, you = solution.game.outcome(after), player_name(1 - state.player)
    if outcome is not None:
        return f"The game is over: {outcome.reason}"
    line = solution.line(after)
    verdict = solution.probe(after)
    result = f"{you} wins" if verdict.value > 0 else "nobody wins"
    rest = f"; then {told_line(line[1:])}" if line[1:] else ""
    return f"{you} answers {line[0]}{rest}, and {result}."


def told_line(line: list[Any]) -> str:
    """The moves of a line, as a record writes them; a very long one ends early."""
    shown = [str(move) for move in line[:30]]
    return " ".join([*shown, "…"] if len(line) > 30 else shown)


def beginning(game: AnyGame, move: Any) -> str:
    """Half of a move: its first field, or the kind of operation where it has but one.

    >>> from digitduels.games import game
    >>> number, nexus = game("number-duel"), game("numerical-nexus")
    >>> beginning(number, number.read("x10")), beginning(nexus, nexus.read("+5")), beginning(nexus, nexus.read("x3"))
    ('10', '+', 'x')
    """
    if len(game.prompts) > 1:
        return str(game.labels.get(move[0], move[0]))
    found = re.match(r"[^\W\d_]+|\W", str(move))
    return found[0] if found else str(move)[0]


def worth(player: int, verdict: Verdict) -> tuple[str, str]:
    """A verdict on a move as a sign and in words."""
    if verdict.value == 0:
        return "=", "nobody wins" if verdict.distance == 1 else f"nobody wins, {soon(player, verdict)}"
    if verdict.value > 0:
        return "▲", f"wins {soon(player, verdict)}"
    best = winner(player, verdict)
    assert best is not None
    return "▼", "loses at once" if verdict.distance == 1 else f"{player_name(best)} wins {soon(player, verdict)}"
