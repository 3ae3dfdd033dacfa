"""Observations for research frameworks: a row of fixed length for any game, and the legal moves as a mask."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import digitduels as dd
from digitduels.core import Game, Outcome, State
from digitduels.players.observation import HIGHEST, Observation
from digitduels.sentence import Sentence
from variants import ALL, HUGE_TARGETS, describe, play_on


@pytest.mark.parametrize("variant", ALL, ids=describe)
def test_rows_have_the_documented_shape_and_bounds(variant: tuple[str, dict[str, Any]]) -> None:
    game = dd.game(variant[0], **variant[1])
    view = Observation(game)
    assert view.shape == view.low.shape == view.high.shape == (len(view.names),)
    assert len(set(view.names)) == len(view.names)
    for seed in range(5):
        for state in play_on(game, game.start(), random.Random(seed), 200)[0]:
            for player in (None, 0, 1):
                row = view.array(state, player)
                assert (row.shape, row.dtype) == (view.shape, np.dtype(np.int32))
                assert (view.low <= row).all()
                assert (row <= view.high).all()


@pytest.mark.parametrize(
    ("name", "entry", "low", "high"),
    [
        ("number-duel", "mine", 0, 50),
        ("number-quest", "theirs", 0, 441),  # 49 × 9
        ("equation-duel", "mine", -14, 114),  # 1 − 9 and 2 − 8; 6 × 7 and 8 × 9
        ("numerical-nexus", "mine score", 0, 50),
        ("numerical-nexus", "theirs score", 0, 50),
        ("operation-target", "table", 1, 40),
    ],
)
def test_the_bounds_of_scores_are_reachable(name: str, entry: str, low: int, high: int) -> None:
    view = Observation(dd.game(name))
    index = view.names.index(entry)
    assert (view.low[index], view.high[index]) == (low, high)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("number-duel", {"target": 12, "highest": 4}),
        ("number-quest", {"target": 9, "highest": 3}),
        ("equation-duel", {"target": 5, "highest": 4}),
        ("equation-duel", {"target": 30, "highest": 6}),
        ("numerical-nexus", {"target": 7, "uses": (1, 1, 0, 1, 0, 1)}),
        ("operation-target", {"target": 40, "start": 7}),
    ],
)
def test_bounds_agree_with_all_positions_of_a_small_game(name: str, options: dict[str, Any]) -> None:
    game = dd.game(name, **options)
    view, known, waiting = Observation(game), {game.start()}, [game.start()]
    while waiting:
        state = waiting.pop()
        after = {game.play(state, move) for move in game.legal_moves(state)} - known
        known |= after
        waiting += after
    rows = np.array([view.array(state, player) for state in known for player in (0, 1)])
    assert (view.low.tolist(), view.high.tolist()) == (rows.min(axis=0).tolist(), rows.max(axis=0).tolist())


@pytest.mark.parametrize("variant", ALL, ids=describe)
def test_masks_list_the_legal_moves_in_order(variant: tuple[str, dict[str, Any]]) -> None:
    game = dd.game(variant[0], **variant[1])
    view = Observation(game)
    for seed in range(5):
        for state in play_on(game, game.start(), random.Random(seed), 200)[0]:
            mask = view.mask(state)
            assert mask.dtype == np.int8
            assert [move for move, legal in zip(game.moves, mask, strict=True) if legal] == game.legal_moves(state)
            mask[:] = 7  # must not change other copies
            assert set(view.mask(state).tolist()) <= {0, 1}


@pytest.mark.parametrize("name", dd.games())
def test_different_positions_with_the_same_mover_have_different_rows(name: str) -> None:
    game, view = dd.game(name), Observation(dd.game(name))
    seen: dict[bytes, Any] = {}
    for seed in range(50):
        for state in play_on(game, game.start(), random.Random(seed), 200)[0]:
            position = state.mine, state.theirs, state.table
            assert seen.setdefault(view.array(state).tobytes(), position) == position


def test_hands_are_shown_from_the_point_of_view_of_the_mover_or_a_given_player() -> None:
    game = dd.game("number-duel")
    view = Observation(game)
    state = game.play(game.start(), game.read("+5"))
    assert view.array(state).tolist() == [0, 5, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2]
    assert view.array(state, 0).tolist() == [5, 0, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2]


def test_numbers_out_of_range_are_clipped() -> None:
    game = dd.game("operation-target", target=10**4000, start=10**100)
    assert Observation(game).array(game.start())[-1] == HIGHEST


@pytest.mark.parametrize("target", HUGE_TARGETS)
def test_bounds_out_of_range_are_clipped(target: int) -> None:
    view = Observation(dd.game("operation-target", target=target))
    assert view.low.tolist() == [0, 0, 0, 0, 1]
    assert view.high.tolist() == [1, 1, 1, 1, HIGHEST]


# Games for these tests


class Move(NamedTuple):
    colour: str

    def __str__(self) -> str:
        return self.colour


class Table(NamedTuple):
    last: int | str | None
    flags: tuple[bool, ...]


@dataclass(frozen=True)
class Colours(Game[None, Any, Move]):
    """Two moves each, and a table with values of many types."""

    moves = (Move("red"), Move("blue"))
    longest = 3

    def start(self) -> State[None, Any]:
        return State(0, (None, None), Table(None, (False, False)))

    def forbids(self, state: State[None, Any], move: Move) -> str | None:
        return None

    def after(self, state: State[None, Any], move: Move) -> State[None, Any]:
        last: Any = {None: move.colour, "red": 7, "blue": 8}.get(state.table.last, "done")
        return state.then(None, None, Table(last, (True, state.table.flags[0])))

    def outcome(self, state: State[None, Any]) -> Outcome | None:
        return Outcome(0, Sentence("Enough.")) if state.table.last == "done" else None


class Growing(Colours):
    """A table that gets longer."""

    def after(self, state: State[None, Any], move: Move) -> State[None, Any]:
        return state.then(None, None, (*state.table, move.colour))

    def outcome(self, state: State[None, Any]) -> Outcome | None:
        return Outcome(0, Sentence("Enough.")) if len(state.table) > 3 else None


def test_positions_of_integers_strings_and_none_have_rows() -> None:
    game = Colours()
    view = Observation(game)
    assert view.names == (
        *("table last", "table last None", "table last red", "table last blue", "table last done"),
        *("table flags 1", "table flags 2"),
    )
    states, _ = play_on(game, game.start(), random.Random(1), 9)
    assert [view.array(state).tolist() for state in states] == [
        [0, 1, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 1, 0],
        [7, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 0, 1, 1, 1],
    ]


def test_an_unknown_string_is_named_in_the_error() -> None:
    game = Colours()
    with pytest.raises(ValueError, match=r"^'purple' is not a word of a move and did not occur in the sample games"):
        Observation(game).array(State(0, (None, None), Table("purple", (False, False))))


def test_a_game_without_a_fixed_row_length_is_refused_with_a_clear_message() -> None:
    with pytest.raises(ValueError, match=r"^The length of table varies between positions"):
        Observation(Growing())
