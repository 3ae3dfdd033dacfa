"""The gg-bench classes: its interface and action numbers, the rules of the books, and an end to every game."""

from __future__ import annotations

import copy
import random
import re
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from conftest import ROOT
from digitduels.adapters import ggbench
from digitduels.arena.grading import share

pytestmark = pytest.mark.slow

NUMBERS = (88, 185, 390, 417, 951)


def make(number: int) -> ggbench.Environment:
    env: ggbench.Environment = getattr(ggbench, f"Env{number}")()
    return env


@pytest.mark.parametrize("number", NUMBERS)
def test_gymnasiums_own_checks_pass(number: int) -> None:
    check_env(make(number), skip_render_check=True)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_game_follows_the_rules_and_ends(number: int) -> None:
    env, chance = make(number), random.Random(1)
    for _ in range(100):
        seen, info = env.reset()
        state, steps = env.game.start(), 0
        over = False
        while not over:
            legal = [index for index, move in enumerate(env.game.moves) if env.game.objection(state, move) is None]
            assert env.valid_moves() == legal
            assert env.observation_space.contains(seen)
            action = chance.choice(env.valid_moves())
            mover, state = state.player, env.game.play(state, env.game.moves[action])
            seen, reward, over, truncated, info = env.step(action)
            outcome = env.game.outcome(state)
            assert over == (outcome is not None)
            assert not truncated
            steps += 1
            assert steps <= env.game.longest
        assert outcome is not None
        assert reward == (0 if outcome.winner is None else 1 if outcome.winner == mover else -1)
        assert info["reason"] == outcome.reason
        assert env.observation_space.contains(seen)
        assert env.valid_moves() == []
        assert env.step(0)[1:3] == (0, True)


@pytest.mark.parametrize("number", NUMBERS)
def test_no_action_raises_and_an_invalid_one_is_a_fault(number: int) -> None:
    for action in (-1, 10**6, None, 1.0, "x", np.array([0, 1])):
        env = make(number)
        _, reward, over, _, _ = env.step(action)
        assert (reward, over) == (-10, True)
        assert env.valid_moves() == []


# gg-bench's action tables and observations, copied by hand.
ACTIONS = {
    417: {0: "+1", 1: "+3", 2: "+5", 3: "x2", 4: "x3", 5: "reset-mine", 6: "reset-theirs"},
    88: {0: "+1", 1: "x2"},
    390: {0: "+1", 1: "x1", 2: "+2", 19: "x10"},
    185: {0: "1+2", 1: "1-2", 2: "1x2", 3: "1/2", 4: "1+3", 32: "2+1", 287: "9/8"},
    951: {0: "+1", 1: "-1", 2: "x1", 3: "/1", 4: "+2", 35: "/9"},
}
SHOWN: dict[int, tuple[list[str], list[int]]] = {
    417: (["+5"], [0, 3, 2, 1, 2, 1, 1, 5, 3, 2, 0, 2, 1, 1]),
    88: (["x2", "+1"], [3, 2, 1, 1]),
    390: (["+5"], [5, 0, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2]),
    185: (["9x5"], [1, 1, 1, 1, 0, 1, 1, 1, 0, 45, 0]),
    951: (["+5"], [2, 2, 2, 2, 1, 2, 2, 2, 2, 0, 5]),
}


@pytest.mark.parametrize("number", NUMBERS)
def test_actions_and_observations_agree_with_gg_bench(number: int) -> None:
    env = make(number)
    tokens = [str(move) for move in env.game.moves]
    assert {action: tokens[action] for action in ACTIONS[number]} == ACTIONS[number]
    moves, row = SHOWN[number]
    for token in moves:
        seen = env.step(tokens.index(token))[0]
    assert seen.tolist() == row


def test_invalid_operations_of_number_quest_are_not_offered() -> None:
    env = make(951)
    assert [str(env.game.moves[action]) for action in env.valid_moves()[:3]] == ["+1", "x1", "/1"]


def test_games_that_got_stuck_or_counted_as_faults_end_with_a_winner() -> None:
    quest = make(951)
    for number in (1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9):
        assert not quest.step(4 * (number - 1) + 3)[2]  # both players divide 0
    assert quest.step(35)[1:3] == (-1, True)  # the scores are equal, so the last mover loses
    target = make(88)
    for token in ("x2", "x2", "+1", "+1", "x2"):
        assert not target.step(["+1", "x2"].index(token))[2]
    assert target.step(1)[1:3] == (-1, True)  # 24 exceeds 23: a loss, but not a fault


def test_a_copied_environment_can_be_played_on() -> None:
    env: Any = gymnasium.wrappers.OrderEnforcing(make(390))
    env.reset()
    env.step(8)
    twin = copy.deepcopy(env)
    twin.step(9)
    assert (len(env.unwrapped.valid_moves()), len(twin.unwrapped.valid_moves())) == (20, 18)
    assert env.step(8)[0].tolist() == [5, 5, 2, 2, 2, 2, 0, 2, 2, 2, 2, 2]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_position_is_rendered_as_text(number: int) -> None:
    env = make(number)
    assert env.render().endswith("Current player: Player 1")
    env.step(env.valid_moves()[0])
    assert env.render().endswith("Current player: Player 2")
    assert np.isfinite(env.reset()[0]).all()


# The page about the results on game 417


def test_the_conclusions_about_game_417_follow_from_its_tables() -> None:
    page = (ROOT / "docs/results/gg-bench-417.md").read_text(encoding="utf-8")
    published, exact = (part.partition("\n\n")[0] for part in page.partition("<!-- nexus -->\n")[2].split("\n\n", 1))
    wins = {name: int(count) for name, count in re.findall(r"^\| (\S+) \| (\d+) \|$", published, re.M)}
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in exact.splitlines()]
    perfect = next(dict(zip(head, row, strict=True)) for row in rows if row[0] == "perfect")
    said = " ".join(page.partition("## What this says")[2].split())
    dice, four, six = (round(float(perfect[f"against {other}"])) for other in ("random", "level 4", "level 6"))
    assert f"wins {dice} against a random mover, {four} against level 4 and {six} against level 6" in said
    agent = {
        int(level): float(value)
        for level, value in re.findall(r"^\| Numerical Nexus \| \S+ \| (\d) \| ([\d.]+) \|", page, re.M)
    }
    assert "o1, with an interval of 19 to 27, lie between levels 5 and 6, and levels 4 to 6 are inside" in said
    assert agent[5] < wins["o1"] < agent[6]
    inside = share([(1, 1)] * wins["o1"] + [(0, 1)] * (30 - wins["o1"]))
    low, high = (30 * (inside[name] or 0) for name in ("low", "high"))
    assert [level for level, value in agent.items() if low <= value <= high] == [4, 5, 6]
    assert agent[7] == 30.0
    assert "perfect play wins all 30 games against this agent" in said.lower()
    nothing = (1 - agent[1] / 30) ** 30
    assert sorted(wins.values())[:2] == [0, 0]
    assert f"in one run of {round(1 / nothing, -1):.0f}" in said
