"""Pairings in a class, compared with an exhaustive search."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from digitduels.web.classes.pairing import Past, _matching, pair

Game = tuple[int | None, int | None]


def pairings(people: list[int]) -> Iterator[list[tuple[int, int]]]:
    """All ways to pair an even number of pupils."""
    if not people:
        yield []
        return
    one, *rest = people
    for other in rest:
        for more in pairings([each for each in rest if each != other]):
            yield [(one, other), *more]


def repeats(games: list[tuple[int, int]], past: list[Game]) -> int:
    met = {frozenset(game) for game in past}
    return sum(frozenset(game) in met for game in games)


def rounds(count: int, number: int, seed: int, by_results: bool = False) -> list[list[Game]]:
    """Several rounds of a class in which the pupil with the lower number always wins."""
    rng, played, points = random.Random(seed), list[list[Game]](), Counter[int]()
    for _ in range(number):
        past = [game for games in played for game in games]
        played.append(pair(range(1, count + 1), Past(past, dict(points) if by_results else None), rng))
        for game in played[-1]:
            points[min(pupil for pupil in game if pupil is not None)] += 1
    return played


@given(st.integers(2, 8), st.integers(1, 8), st.integers(0, 1000), st.booleans())
def test_every_pupil_plays_once_per_round_and_only_an_odd_one_plays_the_computer(
    count: int, number: int, seed: int, by_results: bool
) -> None:
    for games in rounds(count, number, seed, by_results):
        players = [pupil for game in games for pupil in game]
        assert sorted(pupil for pupil in players if pupil is not None) == list(range(1, count + 1))
        assert players.count(None) == count % 2


@given(st.integers(1, 4), st.integers(0, 1000), st.sets(st.tuples(st.integers(1, 8), st.integers(1, 8))))
def test_no_other_pairing_has_fewer_repeated_pairs(half: int, seed: int, past: set[tuple[int, int]]) -> None:
    people = list(range(1, 2 * half + 1))
    before: list[Game] = [game for game in past if game[0] != game[1]]
    games = pair(people, Past(before), random.Random(seed))
    found = [(one, other) for one, other in games if one is not None and other is not None]
    assert repeats(found, before) == min(repeats(each, before) for each in pairings(people))


@given(st.integers(1, 4), st.integers(0, 1000), st.lists(st.integers(0, 4), min_size=8, max_size=8))
def test_pairing_by_results_minimizes_the_largest_difference(half: int, seed: int, points: list[int]) -> None:
    people = list(range(2 * half))
    games = pair(people, Past([], dict(enumerate(points))), random.Random(seed))

    def largest(pairs: list[tuple[int, int]]) -> int:
        return max(abs(points[one] - points[other]) for one, other in pairs)

    found = [(one, other) for one, other in games if one is not None and other is not None]
    assert largest(found) == min(map(largest, pairings(people)))


def test_eight_pupils_play_seven_rounds_without_meeting_twice() -> None:
    for seed in range(20):
        met = Counter(frozenset(game) for games in rounds(8, 5, seed) for game in games)
        assert max(met.values()) == 1


def test_no_pupil_plays_the_computer_twice_before_every_pupil_has_once() -> None:
    for seed in range(10):
        alone = [pupil for games in rounds(7, 7, seed) for game in games if None in game for pupil in game if pupil]
        assert sorted(alone) == list(range(1, 8))


@given(st.integers(2, 9), st.integers(0, 1000), st.booleans())
def test_seats_alternate(count: int, seed: int, by_results: bool) -> None:
    played = rounds(count, 6, seed, by_results)
    for pupil in range(1, count + 1):
        seats = [game.index(pupil) for games in played for game in games if pupil in game]
        assert abs(6 - 2 * sum(seats)) <= 4
    first = [game.index(1) for game in (next(game for game in games if 1 in game) for games in rounds(2, 6, seed))]
    assert first in ([0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0])


@given(st.integers(1, 9), st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8))))
def test_a_matching_is_maximal(count: int, edges: set[tuple[int, int]]) -> None:
    people = list(range(count))
    known = {frozenset(edge) for edge in edges if len(set(edge)) == 2 and max(edge) < count}
    found = _matching(people, [edge for edge in combinations(people, 2) if frozenset(edge) in known])
    assert all(frozenset(edge) in known for edge in found)
    assert len({person for edge in found for person in edge}) == 2 * len(found)

    def largest(people: list[int]) -> int:
        if not people:
            return 0
        one, *rest = people
        with_other = [
            1 + largest([each for each in rest if each != other]) for other in rest if frozenset((one, other)) in known
        ]
        return max([largest(rest), *with_other])

    assert len(found) == largest(people)


def test_a_large_class_is_paired_for_many_rounds() -> None:
    met = Counter(frozenset(game) for games in rounds(39, 8, 1, by_results=True) for game in games)
    assert max(met.values()) == 1
