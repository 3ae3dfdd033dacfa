"""What policies do, compiled by Numba: the one compiled copy of the definitions in levels.py, perfect.py and policy.py.

Everything that needs the probabilities of many positions calls these functions: exact evaluation, the chances of
errors, and the opponents of the vectorised environment. The small functions allocate no memory and are inlined.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.core import State, winning_score
from digitduels.players.levels import POINTLESS, TIE, apparent_score, nearness
from digitduels.players.policy import CHANCE_STEPS, HALF, LEVEL, PERFECT, PolicyPlayer
from digitduels.solver.arrays import Arrays, arrays, sides
from digitduels.solver.jit import inline, kernel
from digitduels.solver.tables import Tables

MAXIMUM = 3  # beside the kinds of policies: a best response, which maximises the column


class Rules(NamedTuple):
    """A solved game as the kernels read it."""

    arrays: Arrays
    codes: npt.NDArray[Any]
    """[position]: value and distance; see Scale in solver/lookup.py for `low`, `high` and `top`."""
    ended: npt.NDArray[Any]
    """[hand that ends the game]: the code of the finished game."""
    low: int
    high: int
    top: int
    near_own: npt.NDArray[np.float64]
    """[hand]: how good it looks as one's own; see levels.natural_weights, as for the others."""
    near_won: float
    near_lost: float
    near_other: npt.NDArray[np.float64]


ENTRY = np.dtype(
    [
        ("move", np.int32),
        ("ways", np.int32),
        ("after", np.int64),
        ("code", np.int32),
        ("value", np.int32),
        ("distance", np.int32),
        ("hope", np.int64),
        ("natural", np.float64),
        ("weight", np.float64),
        ("likely", np.float64),
        ("share", np.float64),
    ]
)
"""A legal move. Moves that always lead to the same position count as one.

`ways` is how many moves it stands for. `after` is the index of the next position; a number below 0 if the game is over
there. `value` is +1, 0 or -1 for the player who makes the move. `natural` is how natural one of the moves is, and
`weight` all of them together. `hope` is how likely a fallible opponent errs after it, in CHANCE_STEPS, which only
perfect play reads. `likely` is the probability that a policy plays it, and `share` the factor of its row in a mean.
"""


@lru_cache(4)
def rules_of(solution: Tables) -> Rules:
    """A solution as the kernels read it."""
    game, (form, hands) = solution.game, arrays(solution.compiled)
    scores = [side.score for side in sides(game, hands)]
    return Rules(
        arrays=form,
        codes=solution.codes,
        ended=solution.scale.ending(form.ends),
        low=int(solution.scale.low),
        high=int(solution.scale.high),
        top=int(solution.scale.top),
        # A weight is a product: the nearness of one's own hand, times that of the other hand.
        near_own=np.array([nearness(game, score, winning_score(game)) for score in scores]),
        near_won=nearness(game, apparent_score(game, None, "good"), winning_score(game)),
        near_lost=nearness(game, apparent_score(game, None, "bad"), winning_score(game)),
        near_other=np.array([nearness(game, winning_score(game), score) for score in scores]),
    )


def sight_table(policy: PolicyPlayer, plies: int) -> npt.NDArray[np.float64]:
    """[distance]: the probability that a level sees a result at this distance; zeros for other policies."""
    sight = getattr(policy, "sight", None)
    return np.array([0.0 if sight is None else sight.sees(distance) for distance in range(plies + 2)])


# The legal moves of a position, and what they lead to


@inline
def parts_of(index: Any, hands: Any) -> Any:
    """Table, hand of the player to move, and hand of the waiting player, as `split` in arrays.py."""
    return index // (hands * hands), index % hands, index // hands % hands


@inline
def affordable(move: Any, table: Any, arrays: Any) -> Any:
    """Whether a pool holds the numbers that a move takes."""
    for digit in range(arrays.takes.shape[1]):
        if arrays.takes[move, digit] > table % arrays.base:
            return False
        table //= arrays.base
    return True


@inline
def list_affordable(possible: Any, table: Any, arrays: Any) -> Any:
    """Lists the moves that a pool affords, and returns how many there are."""
    count = 0
    for move in range(len(arrays.takes)):
        if affordable(move, table, arrays):
            possible[count] = move
            count += 1
    return count


@inline
def list_moves(entries: Any, possible: Any, count: Any, mine: Any, arrays: Any) -> Any:
    """Lists the legal moves among some that the pool affords, and returns how many there are."""
    legal = 0
    for number in range(count):
        move = possible[number]
        if arrays.ways[mine, move]:
            entries[legal].move, entries[legal].ways = move, arrays.ways[mine, move]
            legal += 1
    return legal


@inline
def decode(code: Any, low: Any, high: Any, top: Any) -> Any:
    """The value and distance of a move that leads to a position with this code, for the player who makes it."""
    if code >= high:
        return 1, top - code + 1
    if code < low:
        return -1, code + 1
    return 0, code - low + 1


@inline
def follow(move: Any, table: Any, mine: Any, theirs: Any, rules: Any) -> Any:
    """The index of the position after a legal move, or a number below 0 if the game is over there, and its code."""
    own, left, others = rules.arrays.own, table - rules.arrays.needs[move], rules.arrays.other[theirs, move]
    hand, hands = own[mine, move], len(own)
    if hand < hands:
        after = (left * hands + hand) * hands + others
        return after, np.int64(rules.codes[after])
    return ~((left * len(rules.near_own) + hand) * hands + others), np.int64(rules.ended[hand - hands])


@inline
def judge_moves(entries: Any, legal: Any, table: Any, mine: Any, theirs: Any, rules: Any) -> Any:
    """Writes what each listed move leads to, and returns the best value."""
    best = -1
    for entry in range(legal):
        after, code = follow(entries[entry].move, table, mine, theirs, rules)
        value, distance = decode(code, rules.low, rules.high, rules.top)
        entries[entry].after, entries[entry].code = after, code
        entries[entry].value, entries[entry].distance = value, distance
        best = max(best, value)
    return best


@inline
def weigh(entries: Any, legal: Any, mine: Any, theirs: Any, rules: Any) -> None:
    """Writes how natural each listed move is after judge_moves; see levels.natural_weights."""
    before = rules.near_own[mine] * rules.near_other[theirs]
    for entry in range(legal):
        move = entries[entry].move
        hand, others = rules.arrays.own[mine, move], rules.arrays.other[theirs, move]
        value = entries[entry].value if entries[entry].distance == 1 else 0
        near = rules.near_won if value > 0 else rules.near_lost if value < 0 else rules.near_own[hand]
        natural = near * rules.near_other[others]
        if natural <= before * (1 + TIE):
            natural *= POINTLESS
        entries[entry].natural, entries[entry].weight = natural, natural * entries[entry].ways


# The probabilities of each kind of policy


@inline
def uniform(entries: Any, count: Any) -> None:
    """Writes the probabilities of random play."""
    total = 0
    for entry in range(count):
        total += entries[entry].ways
    for entry in range(count):
        entries[entry].likely = entries[entry].share = entries[entry].ways / total


@inline
def level(entries: Any, count: Any, sight: Any, losing: Any) -> None:
    """Writes the probabilities of a level: a sum over the depths that it may see in a turn.

    Entries are moves, or groups of moves with the same value and distance. `losing` is memory, all zeros, for
    [distance]: the weight of the moves that lose at this distance, and the share of such moves per unit of weight.
    """
    left, winning, quickest, furthest, losses = 0.0, 0.0, len(losing), 0, 0
    for entry in range(count):
        value, distance, weight = entries[entry].value, entries[entry].distance, entries[entry].weight
        left += weight
        if value < 0:
            losing[distance, 0] += weight
            furthest = max(furthest, distance)
            losses += 1
        elif value > 0:
            if distance < quickest:
                quickest, winning = distance, 0.0
            if distance == quickest:
                winning += weight
    # The level sees all losses up to `depth` and no win. Each step goes to the next loss, the last one to the win.
    share, depth, slowest = 0.0, 0, 0.0
    for further in range(1, min(furthest + 1, quickest)):
        if losing[further, 0] > 0.0:
            share += (sight[depth] - sight[further]) / left
            losing[further, 1] = share
            left -= losing[further, 0]
            depth = further
    seen = sight[quickest] if winning > 0.0 else 0.0
    if losses == count:
        slowest = sight[depth] / losing[furthest, 0]  # it sees that every move loses
    else:
        share += (sight[depth] - seen) / left
    for entry in range(count):
        value, distance, part = entries[entry].value, entries[entry].distance, share
        if value < 0 and distance < quickest:
            part = losing[distance, 1]
            if distance == furthest:
                part += slowest
        elif value > 0 and distance == quickest:
            part += seen / winning
        entries[entry].likely = entries[entry].weight * part
    for further in range(1, furthest + 1):
        losing[further, 0] = 0.0


@inline
def perfect(entries: Any, count: Any, best: Any) -> None:
    """Writes the probabilities of perfect play. `hope` must be filled, and becomes the merit of the move."""
    total, highest, natural = 0, -1, 0.0
    for entry in range(count):
        merit = -1
        if entries[entry].value == best:
            # The quickest win; else the likeliest error, then the longest game
            distance = entries[entry].distance
            merit = (1 << 40) - distance if best > 0 else (entries[entry].hope << 32) + distance
            if merit > highest:
                highest, natural = merit, 0.0
            if merit == highest:
                natural = max(natural, entries[entry].natural)
        entries[entry].hope = merit
    for entry in range(count):
        entries[entry].likely = 0.0
        if entries[entry].hope == highest and entries[entry].natural * (1 + TIE) >= natural:
            entries[entry].likely = entries[entry].ways
            total += entries[entry].ways
    for entry in range(count):
        entries[entry].likely = entries[entry].share = entries[entry].likely * (1 / total)


@inline
def probabilities(entries: Any, count: Any, best: Any, kind: Any, sight: Any, losing: Any) -> None:
    """Writes the probabilities of a policy in a position that is not over."""
    if kind == LEVEL:
        level(entries, count, sight, losing)
    elif kind == PERFECT:
        perfect(entries, count, best)
    else:
        uniform(entries, count)


# The chance of an error


def error_of(policy: PolicyPlayer, solution: Tables, state: State[Any, Any], replies: int) -> float:
    """The probability that a policy, which is to move, throws the value of a position away in this many turns."""
    sight = sight_table(policy, solution.compiled.longest)
    return min(1.0, float(error(solution.index(state), replies, rules_of(solution), policy.kind, sight)))


@kernel
def error(index: Any, replies: Any, rules: Any, kind: Any, sight: Any) -> Any:
    """Does the work of error_of. The definition is perfect.ErrorChances.plain."""
    moves = rules.arrays.own.shape[1]
    entries, answers, possible = np.zeros(moves, ENTRY), np.zeros(moves, ENTRY), np.zeros(moves, np.int64)
    legal, best = examine(entries, possible, index, rules)
    if legal == 0 or best < 0:
        return 0.0
    probabilities(entries, legal, best, kind, sight, np.zeros((len(sight), 2)))
    wrong = 0.0
    for entry in range(legal):
        if entries[entry].value < best:
            wrong += entries[entry].likely
        elif replies > 1 and entries[entry].after >= 0 and entries[entry].likely > 0.0:
            count, kept = examine(answers, possible, entries[entry].after, rules)
            hope = 0.0
            for answer in range(count):
                if answers[answer].value == kept and answers[answer].after >= 0:
                    hope = max(hope, error(answers[answer].after, replies - 1, rules, kind, sight))
            wrong += entries[entry].likely * hope
    return wrong


@inline
def examine(entries: Any, possible: Any, index: Any, rules: Any) -> Any:
    """Lists and judges the moves of the position with this index; returns the number of entries and the best value."""
    table, mine, theirs = parts_of(index, len(rules.arrays.own))
    count = list_affordable(possible, table, rules.arrays)
    legal = list_moves(entries, possible, count, mine, rules.arrays)
    best = judge_moves(entries, legal, table, mine, theirs, rules)
    weigh(entries, legal, mine, theirs, rules)
    return legal, best


# Exact evaluation: the backward pass over a table; see backward.py


class KernelColumns(NamedTuple):
    """Columns as the kernels read them; see expectation.Column."""

    kinds: npt.NDArray[np.int64]
    """[policy]: the kinds of the different policies of all columns."""
    sights: npt.NDArray[np.float64]
    """[policy, distance]: the probability that a level sees a result."""
    hopes: npt.NDArray[np.int64]
    """[policy]: for perfect play, the column with the chance of the error that it hopes for."""
    begin: npt.NDArray[np.int64]
    """[policy]: its first entry in `listed`."""
    listed: npt.NDArray[np.int64]
    """The columns of each policy."""
    onward: npt.NDArray[np.int64]
    aside: npt.NDArray[np.int64]
    keeping: npt.NDArray[np.bool_]
    constant: npt.NDArray[np.float64]
    factor: npt.NDArray[np.float64]
    swing: npt.NDArray[np.float64]
    flags: npt.NDArray[np.float64]


@kernel
def fill_rows(rows: Any, reached: Any, tasks: Any, first: Any, rules: Any, columns: Any) -> None:
    """Fills the rows of the positions of some tasks. The rows of their successors must be filled.

    rows: [row, column]; the last three are for games that the player to move has won, drawn and lost. first: [table]:
    the row of its first position.
    """
    arrays, (hands, moves) = rules.arrays, rules.arrays.own.shape
    entries, groups, possible = np.zeros(moves, ENTRY), np.zeros(moves, ENTRY), np.zeros(moves, np.int64)
    sources, slots = np.zeros(moves, np.int64), np.zeros(rules.top + 1, np.int64)
    sums, own = np.zeros((moves, rows.shape[1]), np.float32), np.arange(moves)
    losing = np.zeros((columns.sights.shape[1], 2))
    for task in range(len(tasks)):
        table0, table1, mover0, mover1, waiter0, waiter1 = tasks[task]
        for table in range(np.int64(table0), np.int64(table1)):
            count = list_affordable(possible, table, arrays)
            for mine in range(np.int64(mover0), np.int64(mover1)):
                legal = list_moves(entries, possible, count, mine, arrays)
                for theirs in range(np.int64(waiter0), np.int64(waiter1)):
                    cell = theirs * hands + mine
                    index, row = table * hands * hands + cell, first[table] + cell
                    if not reached[index]:
                        continue
                    if legal == 0:
                        copy_finished(rows, row, np.int64(rules.codes[index]), rules)
                        continue
                    best = judge_moves(entries, legal, table, mine, theirs, rules)
                    weigh(entries, legal, mine, theirs, rules)
                    find_rows(sources, entries, legal, table, first, len(rows), arrays)
                    flags = facts(entries, legal, best)
                    grouped = group(groups, sums, entries, legal, slots, sources, rows)
                    for policy in range(len(columns.kinds)):
                        kind, begin, end = columns.kinds[policy], columns.begin[policy], columns.begin[policy + 1]
                        if kind == LEVEL:
                            level(groups, grouped, columns.sights[policy], losing)
                            for entry in range(grouped):
                                groups[entry].share = groups[entry].likely / groups[entry].weight
                        elif kind != MAXIMUM:
                            if kind == PERFECT:
                                read_hopes(entries, legal, rows, sources, columns.hopes[policy])
                            probabilities(entries, legal, best, kind, columns.sights[policy], losing)
                        for number in range(begin, end):
                            column = columns.listed[number]
                            if kind == LEVEL:
                                value = mean(groups, grouped, best, sums, own, column, columns)
                            elif kind == MAXIMUM:
                                value = most(entries, legal, best, rows, sources, column, columns)
                            else:
                                value = mean(entries, legal, best, rows, sources, column, columns)
                            rows[row, column] = value + flagged(flags, column, columns)


@kernel
def fill_rows_from(rows: Any, indices: Any, given: Any, first: Any, rules: Any, listed: Any, columns: Any) -> None:
    """Fills some columns without flags, in some positions, from given probabilities: [position, move]."""
    arrays, (hands, moves) = rules.arrays, rules.arrays.own.shape
    entries, sources = np.zeros(moves, ENTRY), np.zeros(moves, np.int64)
    for position in range(len(indices)):
        index, count = indices[position], 0
        table, mine, theirs = parts_of(index, hands)
        for move in range(moves):
            if given[position, move] > 0.0:
                entries[count].move = move
                entries[count].likely = entries[count].share = given[position, move]
                count += 1
        judge_moves(entries, count, table, mine, theirs, rules)
        find_rows(sources, entries, count, table, first, len(rows), arrays)
        code = np.int64(rules.codes[index])
        best = -decode(code, rules.low, rules.high, rules.top)[0]
        for column in listed:
            value = mean(entries, count, best, rows, sources, column, columns)
            rows[first[table] + theirs * hands + mine, column] = value


@inline
def copy_finished(rows: Any, row: Any, code: Any, rules: Any) -> None:
    """Fills the row of a finished game."""
    value, _ = decode(code, rules.low, rules.high, rules.top)
    for column in range(rows.shape[1]):
        rows[row, column] = rows[len(rows) - 2 + value, column]


@inline
def find_rows(sources: Any, entries: Any, legal: Any, table: Any, first: Any, rows: Any, arrays: Any) -> None:
    """Writes the row of the position after each move."""
    board = len(arrays.own) * len(arrays.own)
    for entry in range(legal):
        after = entries[entry].after
        if after >= 0:
            left = table - arrays.needs[entries[entry].move]
            sources[entry] = first[left] + after - left * board
        else:
            sources[entry] = rows - 2 + entries[entry].value  # what is won for the mover is lost for the next player


@inline
def read_hopes(entries: Any, legal: Any, rows: Any, sources: Any, column: Any) -> None:
    """Reads how likely the opponent errs after each move."""
    for entry in range(legal):
        chance = 0.0 if entries[entry].after < 0 else rows[sources[entry], column]
        entries[entry].hope = np.int64(max(0.0, chance) * CHANCE_STEPS + HALF)


@inline
def facts(entries: Any, legal: Any, best: Any) -> Any:
    """Whether a position is critical, has an only move, is a trap, has a single legal move; see evaluation.facts."""
    keeping, throwing, moves, at_once, kept, thrown, last = 0, 0, 0, False, 0.0, 0.0, -1
    for entry in range(legal):
        moves += entries[entry].ways
        further = entries[entry].distance > 1
        if entries[entry].value < best:
            throwing += 1
            if further:
                thrown = max(thrown, entries[entry].natural)
        else:
            if keeping == 0 or entries[entry].after != entries[last].after:
                keeping += 1
            last = entry
            at_once |= best > 0 and not further
            if further:
                kept = max(kept, entries[entry].natural)
    critical = throwing > 0
    return critical, critical and keeping == 1, critical and not at_once and thrown > kept * (1 + TIE), moves == 1


@inline
def flagged(flags: Any, column: Any, columns: Any) -> Any:
    """What the facts of a position add to a column."""
    critical, only, trap, forced = flags
    added = columns.flags
    return critical * added[column, 0] + only * added[column, 1] + trap * added[column, 2] + forced * added[column, 3]


@inline
def group(groups: Any, sums: Any, entries: Any, legal: Any, slots: Any, sources: Any, rows: Any) -> Any:
    """Groups moves with the same value and distance, which a level plays in proportion to their weight.

    Adds up their weights and their weighted rows. Returns the number of groups.
    """
    count, width = 0, rows.shape[1]
    for entry in range(legal):
        code = entries[entry].code
        if slots[code] == 0:
            groups[count].value, groups[count].distance = entries[entry].value, entries[entry].distance
            groups[count].weight = 0.0
            for column in range(width):
                sums[count, column] = 0.0
            count += 1
            slots[code] = count
        slot = slots[code] - 1
        groups[slot].weight += entries[entry].weight
        weight, source = np.float32(entries[entry].weight), sources[entry]
        for column in range(width):
            sums[slot, column] += weight * rows[source, column]
    for entry in range(legal):
        slots[entries[entry].code] = 0
    return count


@inline
def mean(entries: Any, count: Any, best: Any, rows: Any, sources: Any, column: Any, columns: Any) -> Any:
    """The mean of a column over the moves of a policy, which can be grouped."""
    onward, aside, factor = columns.onward[column], columns.aside[column], columns.factor[column]
    value = columns.constant[column]
    for entry in range(count):
        keeps, share, row = entries[entry].value == best, entries[entry].share, sources[entry]
        if onward >= 0:
            value += share * factor * rows[row, onward]
        if keeps:
            if aside >= 0:
                value += share * rows[row, aside]
        else:
            value += columns.swing[column] * entries[entry].likely
    return value


@inline
def most(entries: Any, count: Any, best: Any, rows: Any, sources: Any, column: Any, columns: Any) -> Any:
    """The highest value of a column that a move can gain; only by moves that keep the value, if the column says so."""
    onward, aside, highest = columns.onward[column], columns.aside[column], -np.inf
    for entry in range(count):
        keeps, row = entries[entry].value == best, sources[entry]
        if keeps or not columns.keeping[column]:
            value = columns.constant[column]
            if onward >= 0:
                value += columns.factor[column] * rows[row, onward]
            if not keeps:
                value += columns.swing[column]
            elif aside >= 0:
                value += rows[row, aside]
            highest = max(highest, value)
    return highest
