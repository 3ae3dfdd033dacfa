"""The ideas of each game: every position illustrates its idea, by the solution."""

from __future__ import annotations

import re

import pytest

import digitduels as dd
from digitduels.games import books
from digitduels.study.ideas import IDEAS, Idea, ideas
from digitduels.study.reasons import reasons
from variants import solve

EVERY = [(name, idea) for name, some in IDEAS.items() for idea in some]


def test_every_game_has_three_ideas_with_different_titles_and_positions() -> None:
    assert set(IDEAS) == set(books())
    for name, some in IDEAS.items():
        assert ideas(dd.game(name)) == some
        assert len({idea.title for idea in some}) == len({idea.moves for idea in some}) == len(some) == 3


@pytest.mark.parametrize(("name", "idea"), EVERY, ids=lambda value: value.title if isinstance(value, Idea) else value)
def test_the_move_of_an_idea_is_best_for_its_reason_and_the_alternative_is_worse(name: str, idea: Idea) -> None:
    game = dd.game(name)
    solution, state = solve(game), idea.match(game).state
    judgement, move = solution.judge(state), game.read(idea.play, state)
    assert judgement[move] == judgement.best_verdict
    assert idea.reason in [reason.kind for reason in reasons(state, move, solution)]
    if idea.instead is None:
        assert len(judgement) == 1
    else:
        assert judgement[game.read(idea.instead, state)] < judgement.best_verdict


def test_the_counts_in_the_ideas_are_correct() -> None:
    game = dd.game("operation-target")
    state = game.play(game.start(), game.read("x2"))
    found = {str(move): verdict.distance for move, verdict in solve(game).judge(state).items()}
    assert found == {"x2": 5, "+1": 7}
    for idea in IDEAS["operation-target"]:
        for move, count in re.findall(r"([×+]\d) in (\d) moves", idea.about):
            assert found[move.replace("×", "x")] == int(count)
    threes = [number for number in range(1, 51) if 50 in (2 * number, number + 5, number + 3, number + 1)]
    assert threes == [25, 45, 47, 49]


def test_an_idea_is_shown_with_its_position() -> None:
    first, second, _ = ideas(dd.game("number-duel"))
    assert first.example(dd.game("number-duel")) == "At the start, Player 1's best move is +5, not +9."
    assert second.example(dd.game("number-duel")) == (
        "After Player 1 +5, Player 2 +2, Player 1 ×5, Player 2's best move is +2, not ×10."
    )


def test_variants_have_no_ideas() -> None:
    assert ideas(dd.game("number-duel", target=60)) == ()
