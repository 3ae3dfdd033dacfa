"""Matches that begin after a given opening."""

from __future__ import annotations

import pytest

import digitduels as dd

NEXUS = dd.game("numerical-nexus")
OPENING = tuple(map(NEXUS.read, ("+5", "reset-theirs", "+3")))


def test_a_match_begins_after_its_opening() -> None:
    match = dd.Match(NEXUS, opening=OPENING)
    assert (match.moves, match.opening, match.state.player) == ([*OPENING], 3, 1)
    assert match.back(0) is None
    with pytest.raises(dd.IllegalMove, match="nothing to take back"):
        match.take_back()
    match.play(NEXUS.read("+1"))
    assert (match.opening, match.back(1)) == (3, 1)


def test_an_illegal_opening_is_refused() -> None:
    with pytest.raises(dd.IllegalMove, match=r"has no \+5 left"):
        dd.Match(NEXUS, opening=map(NEXUS.read, ("+5", "+1", "+5")))


def test_a_rematch_begins_with_the_same_opening_and_swapped_seats() -> None:
    match = dd.Match(NEXUS, names=("Ann", "Bob"), opening=OPENING)
    match.play(NEXUS.read("+1"))
    match.concede(0)
    again = match.rematch()
    assert (again.moves, again.opening, again.states) == ([*OPENING], 3, match.states[:4])
    assert (again.names, again.outcome) == (("Bob", "Ann"), None)


def test_an_earlier_part_of_a_match_has_the_same_opening() -> None:
    match = dd.Match(NEXUS, opening=OPENING)
    match.play(NEXUS.read("+1"))
    assert [(match.until(count).moves, match.until(count).opening) for count in (2, 3, 4)] == [
        ([*OPENING[:2]], 2),
        ([*OPENING], 3),
        (match.moves, 3),
    ]
