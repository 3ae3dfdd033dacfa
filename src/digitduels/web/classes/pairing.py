"""Pairing: as few repeat meetings as possible, the computer for an odd pupil, and alternating seats."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

MOST_TRIED = 8  # candidates for the game against the computer, of whom the one with the fewest repeat meetings gets it


class Past(NamedTuple):
    """The games so far: two pupils by seat, None for the computer."""

    games: Sequence[tuple[int | None, int | None]] = ()
    points: Mapping[int, float] | None = None
    """The points of each pupil, to pair pupils with similar results; None to pair at random."""


def pair(pupils: Collection[int], past: Past, rng: random.Random) -> list[tuple[int | None, int | None]]:
    """Pairs all these pupils. In each pair, the player who moves first comes first; None is the computer.

    >>> pair([1, 2, 3], Past([(1, 2), (3, None)]), random.Random(0))
    [(2, 3), (None, 1)]
    """
    everybody = sorted(pupils)
    rng.shuffle(everybody)
    if len(everybody) % 2 == 0:
        return [_in_order(one, other, past, rng) for one, other in _pairs(everybody, past)[0]]
    plans = [(*_pairs([pupil for pupil in everybody if pupil != odd], past), odd) for odd in _odd_ones(everybody, past)]
    pairs, _, odd = min(plans, key=lambda plan: plan[1])
    return [*(_in_order(one, other, past, rng) for one, other in pairs), _in_order(odd, None, past, rng)]


def _odd_ones(everybody: Sequence[int], past: Past) -> list[int]:
    """Candidates for the game against the computer: the pupils who have played it least, fewest points first."""
    times = {pupil: sum(pupil in game and None in game for game in past.games) for pupil in everybody}
    points = past.points or {}
    least = min(times.values())
    odd_ones = [pupil for pupil in everybody if times[pupil] == least]
    return sorted(odd_ones, key=lambda pupil: points.get(pupil, 0.0))[:MOST_TRIED]


def _pairs(everybody: Sequence[int], past: Past) -> tuple[list[tuple[int, int]], int]:
    """Pairs an even number of pupils, and counts the pairs that have met before: as few as possible.

    In the other pairs, the largest difference in points is as small as possible.
    """
    points = past.points or {}
    order = sorted(everybody, key=lambda pupil: -points.get(pupil, 0.0))
    met = Counter(frozenset(game) for game in past.games)
    new = [pair for pair in combinations(order, 2) if frozenset(pair) not in met]
    apart = {(one, other): abs(points.get(one, 0.0) - points.get(other, 0.0)) for one, other in new}
    size, pairs = len(_matching(order, new)), list[tuple[int, int]]()
    for limit in sorted(set(apart.values())):
        pairs = _matching(order, [pair for pair in new if apart[pair] <= limit])
        if len(pairs) == size:
            break
    paired = {pupil for pair in pairs for pupil in pair}
    left = [pupil for pupil in order if pupil not in paired]  # they have all met each other
    again = len(left) // 2
    while left:
        one = left.pop(0)
        other = min(left, key=lambda pupil: met[frozenset((one, pupil))])
        left.remove(other)
        pairs.append((one, other))
    return pairs, again


def _in_order(one: int, other: int | None, past: Past, rng: random.Random) -> tuple[int | None, int | None]:
    """Orders two players: the one who has moved first less often comes first."""
    claims = [(_first_moves(player, past), rng.random()) for player in (one, other)]
    return (one, other) if claims[0] < claims[1] else (other, one)


def _first_moves(player: int | None, past: Past) -> tuple[int, bool]:
    """How much more often a player moved first than second, and whether they did in their last game."""
    if player is None:
        return 0, False
    seats = [game.index(player) for game in past.games if player in game]
    return sum(1 - 2 * seat for seat in seats), bool(seats) and seats[-1] == 0


def _matching(people: Sequence[int], edges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """A maximum matching in the graph with these edges, by Edmonds' blossom algorithm."""
    near: dict[int, list[int]] = {person: [] for person in people}
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)
    mate: dict[int, int] = {}
    for one in people:  # a greedy start: match every free vertex with its first free neighbour
        if one not in mate:
            for free in [other for other in near[one] if other not in mate][:1]:
                mate[one], mate[free] = free, one
    for root in people:
        if root not in mate:
            _augment(root, near, mate)
    return [(one, mate[one]) for one in people if one in mate and people.index(one) < people.index(mate[one])]


def _augment(root: int, near: Mapping[int, Sequence[int]], mate: dict[int, int]) -> None:
    """Searches for an augmenting path from a free vertex, and swaps the pairs along it."""
    parent: dict[int, int] = {}
    base = {vertex: vertex for vertex in near}
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
                for vertex in near:
                    if base[vertex] in blossom:
                        base[vertex] = top
                        if vertex not in seen:
                            seen.add(vertex)
                            waiting.append(vertex)
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
