"""Who plays whom: nobody meets twice while avoidable, an odd pupil plays the computer, and seats alternate."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

MOST_TRIED = 8  # pupils who may play the computer, until a round without second meetings is found


class Past(NamedTuple):
    """The games so far: two pupils by seat, None for the computer."""

    games: Sequence[tuple[int | None, int | None]] = ()
    points: Mapping[int, float] | None = None
    """What each pupil has, if pupils with like results are to meet; None to pair at random."""


def pair(pupils: Collection[int], past: Past, dice: random.Random) -> list[tuple[int | None, int | None]]:
    """Games for all these pupils, each with the one who moves first in front; None is the computer.

    >>> pair([1, 2, 3], Past([(1, 2), (3, None)]), random.Random(0))
    [(2, 3), (None, 1)]
    """
    everybody = sorted(pupils)
    dice.shuffle(everybody)
    if len(everybody) % 2 == 0:
        return [_seated(one, other, past, dice) for one, other in _pairs(everybody, past)[0]]
    turns = [(*_pairs([each for each in everybody if each != odd], past), odd) for odd in _odd_ones(everybody, past)]
    pairs, _, odd = min(turns, key=lambda turn: turn[1])
    return [*(_seated(one, other, past, dice) for one, other in pairs), _seated(odd, None, past, dice)]


def _odd_ones(everybody: Sequence[int], past: Past) -> list[int]:
    """Who may play the computer, the likeliest first: those who had it least often, then who has the fewest points."""
    times = {pupil: sum(pupil in game and None in game for game in past.games) for pupil in everybody}
    points = past.points or {}
    least = min(times.values())
    may = sorted((pupil for pupil in everybody if times[pupil] == least), key=lambda pupil: points.get(pupil, 0.0))
    return may[:MOST_TRIED]


def _pairs(everybody: Sequence[int], past: Past) -> tuple[list[tuple[int, int]], int]:
    """An even number of pupils in pairs, and how many of these have met before: as few as possible.

    Among those who have not met, the largest difference of points is as small as possible.
    """
    points = past.points or {}
    order = sorted(everybody, key=lambda pupil: -points.get(pupil, 0.0))
    met = Counter(frozenset(game) for game in past.games)
    new = [pair for pair in combinations(order, 2) if frozenset(pair) not in met]
    apart = {(one, other): abs(points.get(one, 0.0) - points.get(other, 0.0)) for one, other in new}
    size, found = len(_matching(order, new)), list[tuple[int, int]]()
    for limit in sorted(set(apart.values())):
        found = _matching(order, [pair for pair in new if apart[pair] <= limit])
        if len(found) == size:
            break
    paired = {pupil for pair in found for pupil in pair}
    left = [pupil for pupil in order if pupil not in paired]  # these have all met each other
    again = len(left) // 2
    while left:
        one = left.pop(0)
        other = min(left, key=lambda each: met[frozenset((one, each))])
        left.remove(other)
        found.append((one, other))
    return found, again


def _seated(one: int, other: int | None, past: Past, dice: random.Random) -> tuple[int | None, int | None]:
    """Two players with the one in front who is due to move first."""
    claims = [(_first_moves(player, past), dice.random()) for player in (one, other)]
    return (one, other) if claims[0] < claims[1] else (other, one)


def _first_moves(player: int | None, past: Past) -> tuple[int, bool]:
    """How much more often somebody moved first than second, and whether they did so last."""
    if player is None:
        return 0, False
    seats = [game.index(player) for game in past.games if player in game]
    return sum(1 - 2 * seat for seat in seats), bool(seats) and seats[-1] == 0


def _matching(people: Sequence[int], edges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """As many pairs as possible along these edges: Edmonds' blossom algorithm."""
    near: dict[int, list[int]] = {each: [] for each in people}
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)
    mate: dict[int, int] = {}
    for one in people:  # a quick start: everyone who is free takes the first free neighbour
        if one not in mate:
            for free in [each for each in near[one] if each not in mate][:1]:
                mate[one], mate[free] = free, one
    for root in people:
        if root not in mate:
            _augment(root, near, mate)
    return [(one, mate[one]) for one in people if one in mate and people.index(one) < people.index(mate[one])]


def _augment(root: int, near: Mapping[int, Sequence[int]], mate: dict[int, int]) -> None:
    """Looks for a path from a free person to another one, and swaps the pairs along it."""
    parent: dict[int, int] = {}
    base = {each: each for each in near}
    seen, waiting = {root}, deque([root])

    def ancestor(one: int, other: int) -> int:
        above = set()
        while True:
            one = base[one]
            above.add(one)
            if one not in mate or one == root:
                break
            one = parent[mate[one]]
        while base[other] not in above:
            other = parent[mate[base[other]]]
        return base[other]

    def mark(one: int, top: int, child: int, blossom: set[int]) -> None:
        while base[one] != top:
            blossom |= {base[one], base[mate[one]]}
            parent[one] = child
            child = mate[one]
            one = parent[child]

    while waiting:
        one = waiting.popleft()
        for other in near[one]:
            if base[one] == base[other] or mate.get(one) == other:
                continue
            if other == root or (other in mate and mate[other] in parent):
                top, blossom = ancestor(one, other), set[int]()
                mark(one, top, other, blossom)
                mark(other, top, one, blossom)
                for each in near:
                    if base[each] in blossom:
                        base[each] = top
                        if each not in seen:
                            seen.add(each)
                            waiting.append(each)
            elif other not in parent:
                parent[other] = one
                if other not in mate:
                    while True:  # back to the root
                        one = parent[other]
                        after = mate.get(one)
                        mate[one], mate[other] = other, one
                        if after is None:
                            return
                        other = after
                seen.add(mate[other])
                waiting.append(mate[other])
