"""The loops of exact evaluation, compiled by Numba: what two policies score against each other in every position.

Positions are laid out as in solver/kernels.py: `[table][hand of the player who waits][hand of the player to move]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

UNIFORM_POLICY, LEVEL_POLICY, PERFECT_POLICY, BEST_RESPONSE = 0, 1, 2, 3
SCORE, LENGTH, SWINGS = 0, 1, 2
_NO_MOVE = 2  # the value of a move that is not legal
_ILLEGAL, _WON, _DRAWN, _OUTSIDE = -1, -2, -3, -5  # as in solver/compiled.py
_FAR = 1 << 30

kernel = njit(nogil=True, cache=True, error_model="numpy")


@kernel
def fill(
    sums: Any,
    errors: Any,
    codes: Any,
    tasks: Any,
    rules: Any,
    nature: Any,
    scale: Any,
    kinds: Any,
    sees: Any,
    quantity: Any,
) -> None:
    """Fills the positions of some tasks; those that they lead to are filled.

    sums: [policy, position], what is expected of a quantity when that policy is to move and the other one answers.
    errors: [position], how likely the fallible level throws the value away. rules: own, other, takes, needs and base of
    the compiled game. nature: what the weights of moves are made of. kinds: [policy]. sees: [policy, distance], how
    likely a result is seen; the last row is the fallible level's.
    """
    own, other, takes, needs, base = rules
    near_own, near_other, same_own, same_other, waste = nature
    low, high, top = scale
    moves, hands = own.shape
    digits = takes.shape[1]
    counts = np.zeros(digits, np.int64)
    value = np.zeros(moves, np.int64)
    distance = np.zeros(moves, np.int64)
    following = np.zeros(moves, np.int64)
    weight = np.zeros(moves, np.float64)
    gain = np.zeros(moves, np.float64)
    kept = np.zeros(moves, np.float64)
    mistake = np.zeros(moves, np.float64)
    for task in range(len(tasks)):
        first, last, mover0, mover1, waiter0, waiter1 = tasks[task]
        for table in range(np.int64(first), np.int64(last)):
            rest = table
            for digit in range(digits):
                counts[digit] = rest % base
                rest //= base
            for theirs in range(np.int64(waiter0), np.int64(waiter1)):
                for mine in range(np.int64(mover0), np.int64(mover1)):
                    place = (table * hands + theirs) * hands + mine
                    legal, best = 0, -1
                    for move in range(moves):
                        value[move] = _NO_MOVE
                        hand = own[move, mine]
                        if hand in (_ILLEGAL, _OUTSIDE):
                            continue
                        there = True
                        for digit in range(digits):
                            if takes[move, digit] > counts[digit]:
                                there = False
                                break
                        if not there:
                            continue
                        legal += 1
                        if hand < 0:
                            value[move] = 1 if hand == _WON else 0 if hand == _DRAWN else -1
                            distance[move] = 1
                            following[move] = -1
                            mistake[move] = 0.0
                            weight[move] = 1.0
                        else:
                            after = ((table - needs[move]) * hands + hand) * hands + other[move, theirs]
                            code = np.int64(codes[after])
                            if code >= high:
                                value[move] = 1
                                distance[move] = top - code + 1
                            elif code < low:
                                value[move] = -1
                                distance[move] = code + 1
                            else:
                                value[move] = 0
                                distance[move] = code - low + 1
                            following[move] = after
                            mistake[move] = errors[after]
                            wasted = same_own[move, mine] and same_other[move, theirs]
                            weight[move] = near_own[hand] * near_other[other[move, theirs]] * (waste if wasted else 1.0)
                        best = max(best, value[move])
                    if legal == 0:
                        code = np.int64(codes[place])
                        result = 0.0 if code >= high else 1.0 if code < low else 0.5
                        sums[0, place] = sums[1, place] = result if quantity == SCORE else 0.0
                        errors[place] = 0.0
                        continue
                    for policy in range(2):
                        for move in range(moves):
                            if value[move] == _NO_MOVE:
                                continue
                            to_come = sums[1 - policy, following[move]] if following[move] >= 0 else 0.0
                            if quantity == LENGTH:
                                gain[move] = 1.0 + to_come
                            elif quantity == SWINGS:
                                gain[move] = to_come + (1.0 if value[move] < best else 0.0)
                            elif following[move] >= 0:
                                gain[move] = 1.0 - to_come
                            else:
                                gain[move] = 0.5 * (value[move] + 1)
                        if kinds[policy] == LEVEL_POLICY:
                            sums[policy, place] = _level(value, distance, weight, gain, sees[policy])
                        elif kinds[policy] == PERFECT_POLICY:
                            sums[policy, place] = _perfect(value, distance, gain, mistake, best)
                        elif kinds[policy] == BEST_RESPONSE:
                            sums[policy, place] = _most(value, gain)
                        else:
                            sums[policy, place] = _mean(value, gain)
                    errors[place] = 0.0
                    if best >= 0:
                        for move in range(moves):
                            kept[move] = 1.0 if value[move] == best else 0.0
                        errors[place] = max(0.0, 1.0 - _level(value, distance, weight, kept, sees[2]))


@kernel
def _level(value: Any, distance: Any, weight: Any, gain: Any, sees: Any) -> Any:
    """What a level gains on average: the sum over how deep it may see."""
    moves = len(value)
    left, gained, quickest = 0.0, 0.0, _FAR
    for move in range(moves):
        if value[move] == _NO_MOVE:
            continue
        left += weight[move]
        gained += weight[move] * gain[move]
        if value[move] == 1:
            quickest = min(quickest, distance[move])
    total, average, depth = left, 0.0, 0
    while True:
        # All losses up to `depth` are seen, and no win. What is the next loss, or the win that would be seen?
        deeper = _FAR
        for move in range(moves):
            if value[move] == -1 and depth < distance[move] < deeper:
                deeper = distance[move]
        ends = quickest <= deeper
        beyond = quickest if ends else deeper
        likely = sees[min(depth, len(sees) - 1)] - (0.0 if beyond == _FAR else sees[min(beyond, len(sees) - 1)])
        if likely > 0.0:
            if left > 1e-9 * total:
                average += likely * gained / left
            else:
                average += likely * _held(value, distance, weight, gain)
        if ends:
            break
        depth = deeper
        for move in range(moves):
            if value[move] == -1 and distance[move] == depth:
                left -= weight[move]
                gained -= weight[move] * gain[move]
    if quickest != _FAR:
        wins, won = 0.0, 0.0
        for move in range(moves):
            if value[move] == 1 and distance[move] == quickest:
                wins += weight[move]
                won += weight[move] * gain[move]
        average += sees[min(quickest, len(sees) - 1)] * won / wins
    return average


@kernel
def _held(value: Any, distance: Any, weight: Any, gain: Any) -> Any:
    """What holding out gains where every move is seen to lose."""
    longest, some, gained = 0, 0.0, 0.0
    for move in range(len(value)):
        if value[move] == -1:
            longest = max(longest, distance[move])
    for move in range(len(value)):
        if value[move] == -1 and distance[move] == longest:
            some += weight[move]
            gained += weight[move] * gain[move]
    return gained / some


@kernel
def _mean(value: Any, gain: Any) -> Any:
    """What any legal move gains on average."""
    count, gained = 0, 0.0
    for move in range(len(value)):
        if value[move] != _NO_MOVE:
            count += 1
            gained += gain[move]
    return gained / count


@kernel
def _most(value: Any, gain: Any) -> Any:
    """The most that a move gains."""
    most = 0.0
    for move in range(len(value)):
        if value[move] != _NO_MOVE:
            most = max(most, gain[move])
    return most


@kernel
def _perfect(value: Any, distance: Any, gain: Any, mistake: Any, best: Any) -> Any:
    """What perfect play gains: the quickest win, or else the move that is most likely answered wrongly."""
    # Of equal moves the quickest win or the one that lasts longest is played; a mistake counts in steps of a millionth.
    chosen, chance, count, gained = 0, -1, 0, 0.0
    for move in range(len(value)):
        if value[move] != best:
            continue
        likely = 0 if best == 1 else int(mistake[move] * 1e6 + 0.5)
        merit = -distance[move] if best == 1 else distance[move]
        if likely > chance or (likely == chance and (count == 0 or merit > chosen)):
            chance, chosen, count, gained = likely, merit, 1, gain[move]
        elif likely == chance and merit == chosen:
            count += 1
            gained += gain[move]
    return gained / count
