"""The loops that compute the probability of a fallible player's mistake, compiled by Numba.

Positions are laid out as in solver/kernels.py: `[table][hand of the waiting player][hand of the player to move]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from digitduels.solver.compiled import DRAWN, LOST, WON

_ENDED = -1  # in place of a position: the move ends the game

kernel = njit(nogil=True, cache=True, boundscheck=False, error_model="numpy")


@kernel
def error(index: Any, replies: Any, codes: Any, rules: Any, nature: Any, scale: Any, sees: Any) -> Any:
    """The probability that the fallible player to move throws the value of a position away in this many turns."""
    low, high, _ = scale
    moves = rules[0].shape[1]
    code, following = np.zeros(moves, np.int64), np.zeros(moves, np.int64)
    answers, after = np.zeros(moves, np.int64), np.zeros(moves, np.int64)
    weight, likely = np.zeros(moves, np.float64), np.zeros(moves, np.float64)
    legal = _look(code, following, weight, index, codes, rules, nature, scale)
    if legal == 0 or code[:legal].max() < low:
        return 0.0
    kept = high if code[:legal].max() >= high else low
    _fallible(likely, legal, code, weight, sees, np.zeros((2, len(sees)), np.float64), scale)
    wrong = 0.0
    for move in range(legal):
        if code[move] < kept:
            wrong += likely[move]
        elif replies > 1 and following[move] >= 0 and likely[move] > 0.0:
            count = _look(answers, after, weight, following[move], codes, rules, nature, scale)
            hope = 0.0
            for answer in range(count):
                # A lost player keeps the value with any move. A player with a draw must not lose it.
                if after[answer] >= 0 and (kept == high or answers[answer] >= low):
                    hope = max(hope, error(after[answer], replies - 1, codes, rules, nature, scale, sees))
            wrong += likely[move] * hope
    return wrong


@kernel
def _look(code: Any, following: Any, weight: Any, index: Any, codes: Any, rules: Any, nature: Any, scale: Any) -> Any:
    """Writes the legal moves of one position like _successors."""
    hands, moves = rules[0].shape
    there, counts = np.zeros(moves, np.int64), np.zeros(rules[2].shape[1], np.int64)
    table, theirs, mine = index // (hands * hands), index // hands % hands, index % hands
    possible = _possible(there, table, rules, counts)
    return _successors(code, following, weight, there, possible, table, mine, theirs, codes, rules, nature, scale)


@kernel
def _possible(there: Any, table: Any, rules: Any, counts: Any) -> Any:
    """Writes the moves for which a pool holds the numbers, and returns how many there are."""
    takes, base = rules[2], rules[4]
    moves, digits = takes.shape
    for digit in range(digits):
        counts[digit] = table % base
        table //= base
    possible = 0
    for move in range(moves):
        enough = True
        for digit in range(digits):
            enough &= takes[move, digit] <= counts[digit]
        if enough:
            there[possible] = move
            possible += 1
    return possible


@kernel
def _successors(
    code: Any,
    following: Any,
    weight: Any,
    there: Any,
    possible: Any,
    table: Any,
    mine: Any,
    theirs: Any,
    codes: Any,
    rules: Any,
    nature: Any,
    scale: Any,
) -> Any:
    """Writes the code, the next position and the weight of each legal move, and returns how many there are."""
    own, other, _, needs, _ = rules
    near_own, near_other, same_own, same_other, waste = nature
    low, _, top = scale
    hands, legal = len(own), 0
    for index in range(possible):
        move = there[index]
        hand = own[mine, move]
        if hand >= 0:
            others = other[theirs, move]
            after = ((table - needs[move]) * hands + hand) * hands + others
            code[legal] = codes[after]
            following[legal] = after
            wasted = same_own[mine, move] and same_other[theirs, move]
            weight[legal] = near_own[hand] * near_other[others] * (waste if wasted else 1.0)
        elif hand in (WON, DRAWN, LOST):
            code[legal] = top if hand == WON else low if hand == DRAWN else 0
            following[legal] = _ENDED
            weight[legal] = 1.0
        else:
            continue
        legal += 1
    return legal


@kernel
def _fallible(likely: Any, legal: Any, code: Any, weight: Any, sees: Any, scratch: Any, scale: Any) -> None:
    """Writes the probability of each move for a level, or for random play."""
    if len(sees):
        _level(likely, legal, code, weight, sees, scratch[0], scratch[1], scale)
    else:
        likely[:legal] = 1.0 / legal


@kernel
def _level(likely: Any, legal: Any, code: Any, weight: Any, sees: Any, buckets: Any, shares: Any, scale: Any) -> None:
    """Writes the probability of each move for a level: the sum over the depths that it may see."""
    low, high, top = scale
    left, winning, quickest, furthest, losing = 0.0, 0.0, low, 0, 0
    for index in range(legal):
        left += weight[index]
        if code[index] < low:
            distance = code[index] + 1
            buckets[distance] += weight[index]
            furthest = max(furthest, distance)
            losing += 1
        elif code[index] >= high:
            distance = top - code[index] + 1
            if distance < quickest:
                quickest, winning = distance, 0.0
            if distance == quickest:
                winning += weight[index]
    # The level sees all losses up to `depth`, and no win. Each step goes to the next loss, and the last one to the win.
    share, depth, held = 0.0, 0, 0.0
    for distance in range(1, min(furthest + 1, quickest)):
        if buckets[distance] > 0.0:
            between = sees[depth] - sees[distance]
            if between > 0.0:
                share += between / left
            shares[distance] = share
            left -= buckets[distance]
            depth = distance
    between = sees[depth] - (sees[quickest] if winning > 0.0 else 0.0)
    if between > 0.0:
        if losing == legal:
            held = between / buckets[furthest]
        else:
            share += between / left
    for index in range(legal):
        part = share
        if code[index] < low:
            distance = code[index] + 1
            if distance < quickest:
                part = shares[distance]
                if distance == furthest:
                    part += held
        elif code[index] >= high and top - code[index] + 1 == quickest:
            part += sees[quickest] / winning
        likely[index] = weight[index] * part
    for distance in range(1, furthest + 1):
        buckets[distance] = 0.0
