"""The loops that fill and verify tables, compiled by Numba. They see only integers.

A table of codes is one flat array, `[table][hand of the waiting player][hand of the player to move]`. A code ranks a
position for the *waiting* player: the higher, the better. After a move, the mover is the waiting player, so the best
move is the one with the highest code, and the successors for all hands of the other player are adjacent in memory.

    0, 1, 2, …           the waiting player loses in this many plies
    low, low + 1, …      a draw in 0, 1, … plies; without draws, low equals high
    …, top - 1, top      the waiting player wins in …, 1, 0 plies

Indices are unsigned throughout, because Numba adds a check for negative values to signed ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64

from digitduels.solver import simd
from digitduels.solver.jit import kernel

TILE = uint64(simd.LANES)
_SQUARE = uint64(simd.SQUARE)
ONE = uint64(1)


@kernel
def count_digits(digits: Any, table: Any, weights: Any, base: Any) -> None:
    """Writes how many of each number the pool with this index holds."""
    for digit in range(len(weights)):
        digits[digit] = table // weights[digit] % base


@kernel
def next_table(digits: Any, base: Any) -> None:
    """Advances the digits to the next index."""
    for digit in range(len(digits)):
        digits[digit] += ONE
        if digits[digit] < base:
            break
        digits[digit] = uint64(0)


@kernel
def is_there(digits: Any, take: Any, need_start: Any, need_digit: Any, need_count: Any) -> Any:
    """Whether the pool holds everything that a take needs."""
    for need in range(need_start[take], need_start[take + ONE]):  # noqa: SIM110  Numba does not support generators
        if digits[need_digit[need]] < need_count[need]:
            return False
    return True


@kernel
def fill_tables(codes: Any, tasks: Any, layout: Any, endings: Any, stuck: Any, scale: Any) -> None:
    """Fills the boards of some tasks, in tiles of 64 hands of the mover by 64 of the waiting player.

    `endings[take, hand]` is the best code with which a move ends the game at once. `stuck[hand]` is 1 more than
    the code of a position in which that hand has no move, or 0. It skips tables from which no move can take anything.
    """
    low, high, top = scale
    hands = layout.hands
    board = hands * hands
    digits = np.zeros(len(layout.weights), np.uint64)
    tile = np.empty(TILE * TILE, codes.dtype)
    turned = np.empty(TILE * TILE, codes.dtype)
    ended = np.empty(TILE, codes.dtype)
    for task in range(len(tasks)):
        table0, table1, mover0, mover1, waiter0, waiter1 = tasks[task]
        count_digits(digits, table0, layout.weights, layout.base)
        for table in range(table0, table1):
            for h0 in range(mover0, mover1, TILE):
                tall = min(TILE, mover1 - h0)
                for o0 in range(waiter0, waiter1, TILE):
                    broad = min(TILE, waiter1 - o0)
                    tile[:] = 0
                    ended[:] = 0
                    free = False
                    for take in range(uint64(len(layout.delta))):
                        if not is_there(digits, take, layout.need_start, layout.need_digit, layout.need_count):
                            continue
                        free = True
                        for h in range(tall):
                            ended[h] = max(ended[h], endings[take, h0 + h])
                        there = (table - layout.delta[take]) * board
                        first = take * hands + h0
                        for op in range(layout.op_start[first], layout.op_start[first + tall]):
                            row = (layout.op_from[op] - h0) * TILE
                            simd.raise_to(tile, row, codes, there + layout.op_to[op] * hands + o0)
                        for op in range(layout.via_start[first], layout.via_start[first + tall]):
                            row = (layout.via_from[op] - h0) * TILE
                            source = there + layout.via_to[op] * hands
                            which = layout.via_map[op]
                            begin = uint64(0)
                            while begin < broad:
                                code = codes[source + uint64(layout.maps[which, o0 + begin])]
                                end = min(broad, uint64(layout.alike[which, o0 + begin]) - o0)
                                simd.raise_some(tile, row, code, begin, end)
                                begin = end
                    if not free:
                        break
                    # Add a ply and change the point of view.
                    for h in range(tall):
                        best = ended[h]
                        for o in range(h * TILE, (h + ONE) * TILE):
                            code = max(tile[o], best)
                            tile[o] = top - code + 1 if code >= high else top - code - 1 if code < low else code + 1
                        if stuck[h0 + h]:
                            tile[h * TILE : (h + ONE) * TILE] = stuck[h0 + h] - 1
                    for h in range(uint64(0), tall, _SQUARE):
                        for o in range(uint64(0), broad, _SQUARE):
                            simd.turn(turned, o * TILE + h, tile, h * TILE + o)
                    target = table * board + o0 * hands + h0
                    # Copying 64 codes may overwrite the next row, which is filled next, but must not pass the last one.
                    for o in range(broad):
                        if tall == TILE or (tall == hands and (broad - o) * hands >= TILE):
                            simd.copy(codes, target + o * hands, turned, o * TILE)
                        else:
                            for h in range(tall):
                                codes[target + o * hands + h] = turned[o * TILE + h]
            next_table(digits, layout.base)


@kernel
def verify(codes: Any, part: Any, maps: Any, longest: Any, base: Any, scale: Any) -> Any:
    """The index of the first position whose value or distance does not follow from its successors; -1 if there is none.

    Deliberately plain, position by position and move by move. It shares no code with `fill`. In `own` and `stuck`,
    negative numbers are results for the mover: -2 won, -3 drawn, -4 lost. It skips tables without moves, and positions
    from which moves lead out of the table (see Compiled.contains).
    """
    own, other, takes, stuck, depth = maps
    shortest = takes[0].sum()
    for move in range(len(takes)):
        shortest = min(shortest, takes[move].sum())
    low, high, top = np.int64(scale[0]), np.int64(scale[1]), np.int64(scale[2])
    value: Any
    distance: Any
    v: Any
    d: Any
    expected: Any
    moves, hands = own.shape
    digits = takes.shape[1]
    free = np.empty(moves, np.int64)
    left = np.empty(moves, np.int64)
    for table in range(part[0], part[1]):
        count, held = 0, 0
        rest = table
        for _ in range(digits):
            held += rest % base
            rest //= base
        plies = held // max(shortest, 1)
        for move in range(moves):
            rest, weight, there = table, 1, True
            result = table
            for digit in range(digits):
                if rest % base < takes[move, digit]:
                    there = False
                result -= takes[move, digit] * weight
                rest //= base
                weight *= base
            if there:
                free[count], left[count] = move, result
                count += 1
        if count == 0:
            continue
        for mine in range(hands):
            if depth[mine] + (plies + 1) // 2 > longest:
                continue
            for theirs in range(hands):
                if depth[theirs] + plies // 2 > longest:
                    continue
                value, distance, any_move = -2, 0, False
                for index in range(count):
                    move = free[index]
                    hand = own[move, mine]
                    if hand == -1 or hand == -5:
                        continue
                    if hand < 0:
                        # won, drawn, lost at once
                        v, d = hand + 3, 1
                    else:
                        code = np.int64(codes[(left[index] * hands + hand) * hands + other[move, theirs]])
                        if code >= high:
                            v, d = 1, top - code + 1
                        elif code < low:
                            v, d = -1, code + 1
                        else:
                            v, d = 0, code - low + 1
                    if not any_move or v > value or (v == value and (d < distance if v == 1 else d > distance)):
                        value, distance, any_move = v, d, True
                if not any_move:
                    value, distance = stuck[mine] + 3, 0
                if value == 1:
                    expected = distance
                elif value == -1:
                    expected = top - distance
                else:
                    expected = low + distance
                at = (table * hands + theirs) * hands + mine
                if np.int64(codes[at]) != expected:
                    return at
    return -1


@kernel
def reach(reached: Any, tasks: Any, layout: Any) -> None:
    """Marks the successors of the marked positions on the boards of some tasks."""
    hands = layout.hands
    board = hands * hands
    digits = np.zeros(len(layout.weights), np.uint64)
    for task in range(len(tasks)):
        table0, table1, mover0, mover1, waiter0, waiter1 = tasks[task]
        for back in range(table1 - table0):
            table = table1 - ONE - back
            count_digits(digits, table, layout.weights, layout.base)
            for take in range(uint64(len(layout.delta))):
                if not is_there(digits, take, layout.need_start, layout.need_digit, layout.need_count):
                    continue
                there = (table - layout.delta[take]) * board
                first = take * hands
                for op in range(layout.op_start[first + mover0], layout.op_start[first + mover1]):
                    source = table * board + layout.op_from[op]
                    target = there + layout.op_to[op] * hands
                    for o in range(waiter0, waiter1):
                        reached[target + o] |= reached[source + o * hands]
                for op in range(layout.via_start[first + mover0], layout.via_start[first + mover1]):
                    source = table * board + layout.via_from[op]
                    target = there + layout.via_to[op] * hands
                    mapping = layout.maps[layout.via_map[op]]
                    for o in range(waiter0, waiter1):
                        reached[target + uint64(mapping[o])] |= reached[source + o * hands]
