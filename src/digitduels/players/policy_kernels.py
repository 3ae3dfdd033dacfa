"""The loops of exact evaluation, compiled by Numba: expected values in every position when policies play.

Positions are laid out as in solver/kernels.py: `[table][hand of the waiting player][hand of the player to move]`. Each
has a row of columns; see sheet.py. A level chooses a move by its result and distance, and among equal moves by weight.
So the kernel adds up moves in buckets, one for each result and distance, for all columns at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from digitduels.players.perfect import CHANCE_STEPS, HALF
from digitduels.solver.compiled import DRAWN, WON

UNIFORM_POLICY, PERFECT_POLICY, BEST_RESPONSE_POLICY, BEST_KEEPING_POLICY = 0, 1, 2, 3
_FAR = 1 << 30

kernel = njit(nogil=True, cache=True, error_model="numpy")


@kernel
def fill(
    rows: Any,
    codes: Any,
    reached: Any,
    tasks: Any,
    first: Any,
    pool: Any,
    steps: Any,
    nature: Any,
    scale: Any,
    sees: Any,
    columns: Any,
) -> None:
    """Fills the rows of the positions of some tasks. The rows of their successors must be filled.

    rows: [place, column]. reached: which positions matter. first: [table], the place of its first position.
    pool: the distinct takes, their deltas, and the base. steps: for each (take, hand) the moves that do not end the
    game, how many moves end it, and in how many positions. nature: the parts of the weights of moves. sees: [level,
    distance], the probability of seeing a result. columns: the columns of each level, those of other policies with
    the kind of policy, and for each column the next columns after the move and its coefficients. `weigh` is the column
    with the probability of a mistake.
    """
    takes, deltas, base = pool
    start, step_to, step_map, step_count, ends, end_places, maps = steps
    near_own, near_other, scores, waste = nature
    low, high, top = scale
    begin, listed, plain, onward, aside, constant, factor, swing, flags, over, weigh = columns
    hands = len(near_own)
    board = hands * hands
    digits = takes.shape[1]
    width = rows.shape[1]
    most = 4
    for index in range((len(start) - 1) // max(1, hands)):
        longest = 0
        for hand in range(hands):
            longest = max(longest, start[index * hands + hand + 1] - start[index * hands + hand])
        most += longest
    counts = np.zeros(digits, np.int64)
    op_row, op_code = np.zeros(most, np.int64), np.zeros(most, np.int64)
    op_to, op_map, op_count = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    op_bucket = np.zeros(most, np.int64)
    slot = np.zeros(top + 1, np.int64)
    value, distance = np.zeros(most, np.int64), np.zeros(most, np.int64)
    weight, share = np.zeros(most, np.float64), np.zeros(most, np.float64)
    sums = np.zeros((most, width), np.float32)
    mixed, kept = np.zeros(width, np.float32), np.zeros(width, np.float32)
    order = np.zeros(most, np.int64)
    ended_share = np.zeros(3, np.float64)
    value[0], value[1], value[2] = 1, 0, -1  # the first three buckets: moves that end the game
    distance[:3] = 1
    for task in range(len(tasks)):
        table0, table1, mover0, mover1, waiter0, waiter1 = tasks[task]
        for table in range(np.int64(table0), np.int64(table1)):
            rest = table
            for digit in range(digits):
                counts[digit] = rest % base
                rest //= base
            for mine in range(np.int64(mover0), np.int64(mover1)):
                # The moves of the mover, which do not depend on the other hand.
                steps_here, ending = 0, 0
                won, drawn, lost, won_places, drawn_places = 0, 0, 0, 0, 0
                for take in range(len(takes)):
                    there = True
                    for digit in range(digits):
                        if takes[take, digit] > counts[digit]:
                            there = False
                            break
                    if not there:
                        continue
                    at = take * hands + mine
                    won += ends[at, 0]
                    drawn += ends[at, 1]
                    lost += ends[at, 2]
                    won_places += end_places[at, 0]
                    drawn_places += end_places[at, 1]
                    for step in range(start[at], start[at + 1]):
                        op_to[steps_here] = step_to[step]
                        op_map[steps_here] = step_map[step]
                        op_count[steps_here] = step_count[step]
                        op_row[steps_here] = table - deltas[take]
                        steps_here += 1
                ending = won + drawn + lost
                weight[0], weight[1], weight[2] = won, drawn, lost
                for theirs in range(np.int64(waiter0), np.int64(waiter1)):
                    place = table * board + theirs * hands + mine
                    if not reached[place]:
                        continue
                    row = first[table] + theirs * hands + mine
                    if steps_here + ending == 0:
                        code = np.int64(codes[place])
                        result = 2 if code >= high else 0 if code < low else 1
                        for column in range(width):
                            rows[row, column] = over[result, column]
                        continue
                    buckets, best, legal = 3, -1, ending
                    heavy_won, heavy_drawn, heavy_lost = 0.0, 0.0, 0.0
                    if won:
                        best = 1
                    elif drawn:
                        best = 0
                    for op in range(steps_here):
                        after_theirs = maps[op_map[op], theirs]
                        code_at = (op_row[op] * hands + op_to[op]) * hands + after_theirs
                        code = np.int64(codes[code_at])
                        op_code[op] = code
                        bucket = slot[code]
                        if bucket == 0:
                            bucket = buckets
                            slot[code] = bucket
                            buckets += 1
                            weight[bucket] = 0.0
                            sums[bucket, :] = 0.0
                            if code >= high:
                                value[bucket], distance[bucket] = 1, top - code + 1
                            elif code < low:
                                value[bucket], distance[bucket] = -1, code + 1
                            else:
                                value[bucket], distance[bucket] = 0, code - low + 1
                            best = max(best, value[bucket])
                        op_bucket[op] = bucket
                        still = scores[op_to[op]] == scores[mine] and scores[after_theirs] == scores[theirs]
                        heavy = near_own[op_to[op]] * near_other[after_theirs] * (waste if still else 1.0)
                        if distance[bucket] == 1:
                            pass
                        elif value[bucket] == 1:
                            heavy_won = max(heavy_won, heavy)
                        elif value[bucket] == 0:
                            heavy_drawn = max(heavy_drawn, heavy)
                        else:
                            heavy_lost = max(heavy_lost, heavy)
                        heavy *= op_count[op]
                        legal += op_count[op]
                        weight[bucket] += heavy
                        source = first[op_row[op]] + op_to[op] * hands + after_theirs
                        scaled = np.float32(heavy)
                        for column in range(width):
                            sums[bucket, column] += scaled * rows[source, column]
                    # The flags of the position: critical, only move, trap, forced move.
                    keeping, throwing, keeping_places = 0, 0, 0
                    if best == 1:
                        keeping, throwing, keeping_places = won, drawn + lost, won_places
                    elif best == 0:
                        keeping, throwing, keeping_places = drawn, lost, drawn_places
                    else:
                        keeping = lost
                    for op in range(steps_here):
                        if value[op_bucket[op]] == best:
                            keeping += op_count[op]
                            keeping_places += 1
                        else:
                            throwing += op_count[op]
                    critical = throwing > 0
                    only = critical and keeping_places == 1
                    heavy_kept = heavy_won if best == 1 else heavy_drawn
                    heavy_thrown = heavy_lost if best == 0 else max(heavy_lost, heavy_drawn)
                    # Sort the losses, quickest first, and find the quickest win.
                    losses, quickest, total = 0, _FAR, 0.0
                    for bucket in range(buckets):
                        if weight[bucket] == 0.0:
                            continue
                        total += weight[bucket]
                        if value[bucket] == 1:
                            quickest = min(quickest, distance[bucket])
                        elif value[bucket] == -1:
                            spot = losses
                            while spot > 0 and distance[order[spot - 1]] > distance[bucket]:
                                order[spot] = order[spot - 1]
                                spot -= 1
                            order[spot] = bucket
                            losses += 1
                    trap = critical and quickest > 1 and heavy_thrown > heavy_kept
                    for policy in range(len(sees)):
                        _shares(share, value, distance, weight, buckets, order, losses, quickest, total, sees[policy])
                        thrown = 0.0
                        ended_share[:] = 0.0
                        mixed[:] = 0.0
                        kept[:] = 0.0
                        for bucket in range(buckets):
                            likely = share[bucket] * weight[bucket]
                            if likely == 0.0:
                                continue
                            if value[bucket] < best:
                                thrown += likely
                            if bucket < 3:
                                ended_share[bucket] = likely
                                continue
                            scaled = np.float32(share[bucket])
                            if value[bucket] == best:
                                for column in range(width):
                                    kept[column] += scaled * sums[bucket, column]
                            else:
                                for column in range(width):
                                    mixed[column] += scaled * sums[bucket, column]
                        going = 1.0 - ended_share[0] - ended_share[1] - ended_share[2]
                        for number in range(begin[policy], begin[policy + 1]):
                            column = listed[number]
                            gained = going * constant[column] + swing[column] * thrown
                            if onward[column] >= 0:
                                gained += factor[column] * (mixed[onward[column]] + kept[onward[column]])
                            if aside[column] >= 0:
                                gained += kept[aside[column]]
                            for end in range(3):
                                if ended_share[end] > 0.0:
                                    gained += ended_share[end] * _ended(
                                        column, end, value[end] == best, constant, factor, onward, aside, over
                                    )
                            gained += (
                                flags[column, 0] * critical
                                + flags[column, 1] * only
                                + flags[column, 2] * trap
                                + flags[column, 3] * (legal == 1)
                            )
                            rows[row, column] = gained
                    # Other policies choose move by move: any move, the best one, or the one most likely to provoke a
                    # mistake.
                    for column, kind in plain:
                        chance, merit_so_far, count, gained, most_gained = -1, 0, 0, 0.0, -1e30
                        for end in range(3):
                            ways = int(weight[end])
                            if ways == 0 or (kind == BEST_KEEPING_POLICY and value[end] != best):
                                continue
                            gain = _ended(column, end, value[end] == best, constant, factor, onward, aside, over)
                            gain += swing[column] * (value[end] < best)
                            most_gained = max(most_gained, gain)
                            if kind == PERFECT_POLICY:
                                if value[end] != best:
                                    continue
                                likely = 0
                                merit = -1 if best == 1 else 1
                                if likely > chance or (likely == chance and (count == 0 or merit > merit_so_far)):
                                    chance, merit_so_far, count, gained = likely, merit, 0, 0.0
                                elif likely < chance or merit != merit_so_far:
                                    continue
                            count += ways
                            gained += ways * gain
                        for op in range(steps_here):
                            bucket = op_bucket[op]
                            if kind in (PERFECT_POLICY, BEST_KEEPING_POLICY) and value[bucket] != best:
                                continue
                            after_theirs = maps[op_map[op], theirs]
                            source = first[op_row[op]] + op_to[op] * hands + after_theirs
                            gain = constant[column] + swing[column] * (value[bucket] < best)
                            if onward[column] >= 0:
                                gain += factor[column] * rows[source, onward[column]]
                            if aside[column] >= 0 and value[bucket] == best:
                                gain += rows[source, aside[column]]
                            most_gained = max(most_gained, gain)
                            if kind == PERFECT_POLICY:
                                likely = 0 if best == 1 else int(max(0.0, rows[source, weigh]) * CHANCE_STEPS + HALF)
                                merit = -distance[bucket] if best == 1 else distance[bucket]
                                if likely > chance or (likely == chance and (count == 0 or merit > merit_so_far)):
                                    chance, merit_so_far, count, gained = likely, merit, 0, 0.0
                                elif likely < chance or merit != merit_so_far:
                                    continue
                            count += op_count[op]
                            gained += op_count[op] * gain
                        rows[row, column] = (
                            gained / count if kind in (UNIFORM_POLICY, PERFECT_POLICY) else most_gained
                        ) + (
                            flags[column, 0] * critical
                            + flags[column, 1] * only
                            + flags[column, 2] * trap
                            + flags[column, 3] * (legal == 1)
                        )
                    for op in range(steps_here):
                        slot[op_code[op]] = 0


@kernel
def mix(
    rows: Any, places: Any, shares: Any, codes: Any, first: Any, maps: Any, scale: Any, listed: Any, columns: Any
) -> None:
    """Fills some columns of some positions from known move probabilities. The rows of their successors must be filled.

    shares: [place, move]. maps: own and other hands by [hand, move], and [move], by how much it lowers the index of the
    pool. listed: the columns to fill. The others are as in `fill`.
    """
    own, other, needs = maps
    low, high, _ = scale
    _, _, _, onward, aside, constant, factor, swing, _, over, _ = columns
    hands, moves = own.shape
    for index in range(len(places)):
        place = places[index]
        table, theirs, mine = place // (hands * hands), place // hands % hands, place % hands
        here = np.int64(codes[place])
        best = -1 if here >= high else 1 if here < low else 0
        for column in listed:
            mean = 0.0
            for move in range(moves):
                if shares[index, move] == 0.0:
                    continue
                hand = own[mine, move]
                if hand >= 0:
                    others = other[theirs, move]
                    to = table - needs[move]
                    code = np.int64(codes[(to * hands + hand) * hands + others])
                    value = 1 if code >= high else -1 if code < low else 0
                    source = first[to] + hand * hands + others
                    gain = constant[column]
                    if onward[column] >= 0:
                        gain += factor[column] * rows[source, onward[column]]
                    if aside[column] >= 0 and value == best:
                        gain += rows[source, aside[column]]
                else:
                    end = 0 if hand == WON else 1 if hand == DRAWN else 2
                    value = 1 - end
                    gain = _ended(column, end, value == best, constant, factor, onward, aside, over)
                mean += shares[index, move] * (gain + swing[column] * (value < best))
            rows[first[table] + theirs * hands + mine, column] = mean


@kernel
def _ended(column: Any, end: Any, keeps: Any, constant: Any, factor: Any, onward: Any, aside: Any, over: Any) -> Any:
    """What a move that ends the game adds to a column. In the finished game, the other player is to move."""
    gained = constant[column]
    if onward[column] >= 0:
        gained += factor[column] * over[2 - end, onward[column]]
    if aside[column] >= 0 and keeps:
        gained += over[2 - end, aside[column]]
    return gained


@kernel
def _shares(
    share: Any,
    value: Any,
    distance: Any,
    weight: Any,
    buckets: Any,
    order: Any,
    losses: Any,
    quickest: Any,
    total: Any,
    sees: Any,
) -> None:
    """Writes the probability, per unit of weight, that a level plays a move of each bucket.

    It is the sum over the depths that the level may see. The level plays the quickest win that it sees, else any move
    that it does not see losing. If it sees that every move loses, it plays the slowest loss.
    """
    last = len(sees) - 1
    left, depth, any_move, seen = total, 0, 0.0, 0
    share[:buckets] = -1.0
    holding = 0.0
    while True:
        # The level sees all losses up to `depth`, and no win. The next step is the next loss, or the quickest win.
        deeper = distance[order[seen]] if seen < losses else _FAR
        ends = quickest <= deeper
        beyond = quickest if ends else deeper
        likely = sees[min(depth, last)] - (0.0 if beyond == _FAR else sees[min(beyond, last)])
        if likely > 0.0:
            if left > 1e-9 * total:
                any_move += likely / left
            else:
                holding += likely
        if ends:
            break
        depth = deeper
        while seen < losses and distance[order[seen]] == depth:
            left -= weight[order[seen]]
            share[order[seen]] = any_move
            seen += 1
    wins = 0.0
    for bucket in range(buckets):
        if share[bucket] < 0.0:
            share[bucket] = any_move
        if value[bucket] == 1 and distance[bucket] == quickest:
            wins += weight[bucket]
    if wins > 0.0:
        for bucket in range(buckets):
            if value[bucket] == 1 and distance[bucket] == quickest:
                share[bucket] += sees[min(quickest, last)] / wins
    if holding > 0.0:
        # The level sees that every move loses.
        longest, some = distance[order[losses - 1]], 0.0
        for index in range(losses):
            if distance[order[index]] == longest:
                some += weight[order[index]]
        for index in range(losses):
            if distance[order[index]] == longest:
                share[order[index]] += holding / some
