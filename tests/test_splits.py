"""Splits: the fixed assignment of positions to training, validation and testing."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter

import pytest

import digitduels as dd
from digitduels.position_json import position_from_json
from digitduels.study.positions import positions
from digitduels.study.splits import SPLITS, split
from variants import play_on, solve

# Computed once with sha256sum; published results depend on them.
PINNED = {
    '["number-duel",{"copies":2,"highest":5,"target":20,"tie":"last-mover-loses"},[0],[0],[2,2,2,2,2]]': "train",
    '["equation-duel",{"highest":9,"target":50,"tie":"last-mover-loses"},[0],[0],[1,1,1,1,1,1,1,1,1]]': "test",
    '["operation-target",{"start":1,"target":23},[1,1],[1,1],[1]]': "train",
}


@pytest.mark.parametrize("text", PINNED)
def test_the_split_of_a_position_is_pinned(text: str) -> None:
    name, options, mine, theirs, table = json.loads(text)
    game = dd.game(name, **options)
    for player in (1, 2):
        hands = [mine, theirs] if player == 1 else [theirs, mine]
        state = position_from_json(game, {"player": player, "hands": hands, "table": table})
        assert split(game, state) == PINNED[text]
    index = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % 10
    assert PINNED[text] == ("train" if index < 8 else "validation" if index == 8 else "test")


def test_positions_are_split_80_10_10() -> None:
    game, rng = dd.game("number-quest"), random.Random(1)
    states = {state for _ in range(300) for state in play_on(game, game.start(), rng, 99)[0]}
    counts = Counter(split(game, state) for state in states)
    assert set(counts) == set(SPLITS)
    assert 0.75 < counts["train"] / len(states) < 0.85
    assert 0.07 < counts["test"] / len(states) < 0.13


@pytest.mark.parametrize("part", SPLITS)
def test_positions_of_a_split_are_of_that_split(part: str) -> None:
    solution = solve(dd.game("number-quest", target=12, highest=4))
    split_positions = list(positions(solution, 30, part=part))
    assert len(split_positions) == 30
    assert {split(match.game, match.state) for match in split_positions} == {part}
