"""The census of a large game, from its table, compiled by Numba; census.py has the definition."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.core import winning_score
from digitduels.lab.census import (
    BOTH_PAST,
    DECIDED,
    EMPTY,
    EQUAL_SCORES,
    EVENTS,
    FORBIDDEN,
    GOAL,
    PAST,
    RESULTS,
    STUCK,
    Census,
)
from digitduels.players.policy_kernels import (
    ENTRY,
    decode,
    facts,
    follow,
    judge_moves,
    list_affordable,
    list_moves,
    rules_of,
    weigh,
)
from digitduels.solver.arrays import arrays, counts, sides, split
from digitduels.solver.jit import inline, kernel
from digitduels.solver.schedule import waves
from digitduels.solver.solution import Progress
from digitduels.solver.tables import Tables

_GOAL, _PAST, _BOTH_PAST, _EMPTY, _STUCK, _FORBIDDEN = (
    EVENTS.index(event) for event in (GOAL, PAST, BOTH_PAST, EMPTY, STUCK, FORBIDDEN)
)
_TIE, _DECIDED, _RESULT = (EVENTS.index(events[0]) for events in (EQUAL_SCORES, DECIDED, RESULTS))
_NO_SCORE = -(1 << 40)


def census_of_table(solution: Tables, progress: Progress | None = None) -> Census:
    """Does the same as census.plain for a table."""
    game, compiled, rules = solution.game, solution.compiled, rules_of(solution)
    moves, goal = len(game.moves), winning_score(game)
    marks = np.zeros(len(solution.codes), np.uint8)
    marks[solution.index(game.start())] = 1
    plies = np.zeros(len(marks), np.min_scalar_type(game.longest + 1))
    legal, best, flags = np.zeros(moves, np.int64), np.zeros(moves, np.int64), np.zeros(4, np.int64)
    seen, shown = np.full((len(EVENTS), 3), -1, np.int64), np.full((moves, 2), -1, np.int64)
    scores, left = scores_of(solution)
    order = list(reversed(list(waves(compiled, solution.codes.itemsize))))
    for number, tasks in enumerate(order):
        wave = tasks[::-1]
        look(marks, plies, wave, rules, scores, left, -1 if goal is None else goal, legal, best, flags, seen, shown)
        if progress is not None:
            progress("looking at every position", (number + 1) / len(order))
    result = Census(critical=int(flags[0]), traps=int(flags[1]), free=int(flags[2]), length=int(flags[3]))
    result.legal = Counter({game.moves[move]: int(count) for move, count in enumerate(legal) if count})
    result.best = Counter({game.moves[move]: int(count) for move, count in enumerate(best) if count})
    lines = _Lines(solution, marks)
    for event, (index, seat, move) in zip(EVENTS, seen.tolist(), strict=True):
        if index >= 0 and (event != FORBIDDEN or len(game.move_fields) > 1):
            result.examples[event] = (*lines.to(index, seat), *([] if move < 0 else [game.moves[move]]))
    if not _same_takes(solution):  # the kernel sees only moves whose numbers are left
        result.examples.setdefault(FORBIDDEN, ())
    for move, (index, seat) in enumerate(shown.tolist()):
        if index >= 0:
            result.shown[game.moves[move]] = (*lines.to(index, seat), game.moves[move])
    return result


def _same_takes(solution: Tables) -> bool:
    """Whether moves that differ only in the last choice take the same numbers."""
    game, takes = solution.game, dict[Any, tuple[int, ...]]()
    return len(game.move_fields) == 1 or all(
        takes.setdefault(move[:-1], tuple(taken)) == tuple(taken)
        for move, taken in zip(game.moves, solution.compiled.takes.tolist(), strict=True)
    )


class _Lines:
    """Finds lines of play to positions of a table, backwards from each to the start."""

    def __init__(self, solution: Tables, marks: Any) -> None:
        self.solution, self.marks, self.compiled = solution, marks, solution.compiled
        self.start = solution.index(solution.game.start())

    def to(self, index: int, seat: int) -> list[Any]:
        """The moves of a game that leads to a position with this player to move."""
        line: list[Any] = []
        while (index, seat) != (self.start, 0):
            index, seat, move = self._before(index, 1 - seat)
            line.append(self.solution.game.moves[move])
        return line[::-1]

    def _before(self, index: int, seat: int) -> tuple[int, int, int]:
        """A position before this one in which this player was to move, and the move."""
        compiled, hands = self.compiled, len(self.compiled.hands)
        table, mine, theirs = split(compiled, np.array(index))
        held = counts(compiled, table)
        for move, need in enumerate(compiled.needs):
            if (held + compiled.takes[move] > compiled.copies).any():
                continue
            for other in np.flatnonzero(compiled.other[move] == mine).tolist():
                for own in np.flatnonzero(compiled.own[move] == theirs).tolist():
                    before = ((table + need) * hands + other) * hands + own
                    if self.marks[before] >> seat & 1:
                        return int(before), seat, move
        raise AssertionError("no move leads there")


def scores_of(solution: Tables) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """[hand]: its score, and whether it holds anything that can be spent. Hands that end the game come last."""
    shown = sides(solution.game, arrays(solution.compiled)[1])
    scores = [_NO_SCORE if side.score is None else side.score for side in shown]
    return np.array(scores, np.int64), np.array([any(stock.left for stock in side.stocks) for side in shown])


@inline
def note(seen: Any, event: Any, index: Any, seat: Any, move: Any) -> None:
    """Keeps the first example of an event."""
    if seen[event, 0] < 0:
        seen[event, 0], seen[event, 1], seen[event, 2] = index, seat, move


@kernel
def look(
    marks: Any,
    plies: Any,
    tasks: Any,
    rules: Any,
    scores: Any,
    left: Any,
    goal: Any,
    legal_counts: Any,
    best_counts: Any,
    flags: Any,
    seen: Any,
    shown: Any,
) -> None:
    """Looks at the marked positions of some tasks, and marks their successors. Bits say which player can be to move.

    `plies` is the longest way to each position. `flags` counts critical positions and traps, and has the plies after
    the last choice, and of the longest game.
    """
    form, (hands, moves) = rules.arrays, rules.arrays.own.shape
    entries, possible, codes = np.zeros(moves, ENTRY), np.zeros(moves, np.int64), np.zeros(moves, np.int64)
    for task in range(len(tasks)):
        table0, table1, mover0, mover1, waiter0, waiter1 = tasks[task]
        for back in range(np.int64(table1) - np.int64(table0)):
            table = np.int64(table1) - 1 - back
            count = list_affordable(possible, table, form)
            for mine in range(np.int64(mover1) - 1, np.int64(mover0) - 1, -1):
                for theirs in range(np.int64(waiter1) - 1, np.int64(waiter0) - 1, -1):
                    index = (table * hands + theirs) * hands + mine
                    mark = marks[index]
                    if mark == 0:
                        continue
                    seats, first = (mark & 1) + (mark >> 1), 0 if mark & 1 else 1
                    ply = np.int64(plies[index])
                    flags[3] = max(flags[3], ply)
                    legal = list_moves(entries, possible, count, mine, form)
                    if legal == 0:
                        value, _ = decode(np.int64(rules.codes[index]), rules.low, rules.high, rules.top)
                        for seat in range(2):
                            if mark >> seat & 1:
                                # The value is for the player who moved last.
                                winner = 2 if value == 0 else 1 - seat if value > 0 else seat
                                note(seen, _RESULT + winner, index, seat, -1)
                                if scores[mine] != _NO_SCORE:
                                    kind = _TIE if scores[mine] == scores[theirs] else _DECIDED
                                    note(seen, kind + winner, index, seat, -1)
                        note(seen, _STUCK if table > 0 or left[mine] else _EMPTY, index, first, -1)
                        continue
                    best = judge_moves(entries, legal, table, mine, theirs, rules)
                    weigh(entries, legal, mine, theirs, rules)
                    critical, _, trap, _ = facts(entries, legal, best)
                    flags[0] += critical * seats
                    flags[1] += trap * seats
                    highest, last, choice = -1, 0, False
                    for number in range(count):
                        move = possible[number]
                        hand = form.own[mine, move]
                        codes[number] = -1
                        if hand < 0:
                            note(seen, _FORBIDDEN, index, first, -1)
                            continue
                        other = form.other[theirs, move]
                        if shown[move, 0] < 0:
                            shown[move, 0], shown[move, 1] = index, first
                        legal_counts[move] += seats
                        after, codes[number] = follow(move, table, mine, theirs, rules)
                        choice |= highest >= 0 and after != last
                        last = after
                        if after >= 0:
                            marks[after] |= (mark & 1) << 1 | mark >> 1
                            plies[after] = max(np.int64(plies[after]), ply + 1)
                        else:
                            flags[3] = max(flags[3], ply + 1)
                            finish(seen, codes[number], index, mark, move, scores[hand], scores[other], goal, rules)
                        highest = max(highest, codes[number])
                    if choice:
                        flags[2] = max(flags[2], ply + 1)
                    for number in range(count):
                        if codes[number] == highest:
                            best_counts[possible[number]] += seats


@inline
def finish(seen: Any, code: Any, index: Any, mark: Any, move: Any, own: Any, other: Any, goal: Any, rules: Any) -> None:
    """Notes the events of a move that ends the game."""
    value, _ = decode(code, rules.low, rules.high, rules.top)
    for seat in range(2):
        if mark >> seat & 1:
            note(seen, _RESULT + (2 if value == 0 else seat if value > 0 else 1 - seat), index, seat, move)
            if goal >= 0:
                if own == goal or other == goal:
                    note(seen, _GOAL, index, seat, move)
                if own > goal or other > goal:
                    note(seen, _PAST, index, seat, move)
                if own > goal and other > goal:
                    note(seen, _BOTH_PAST, index, seat, move)
