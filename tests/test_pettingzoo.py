"""The PettingZoo environment passes PettingZoo's own tests, plays by the rules, and never raises."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import digitduels as dd
from digitduels.adapters.pettingzoo import AGENTS, env, raw_env
from test_compiled import Plain
from variants import ALL, HUGE_TARGETS, describe

# PettingZoo 1.27 warns about every environment with a mask that is not its own.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    # No player has scored and the pool is empty.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros:UserWarning"),
]


@pytest.mark.parametrize("variant", ALL, ids=describe)
def test_pettingzoos_api_test_passes(variant: tuple[str, dict[str, Any]]) -> None:
    name, options = variant
    api_test(env(name, options), num_cycles=100)
    api_test(raw_env(name, options), num_cycles=100)


def test_a_new_game_passes_the_checks_too() -> None:
    api_test(env(Plain()), num_cycles=100)


@pytest.mark.parametrize("name", dd.games())
def test_pettingzoos_other_tests_pass(name: str) -> None:
    seed_test(partial(env, name), num_cycles=50)
    render_test(partial(env, name))
    parallel_api_test(turn_based_aec_to_parallel(raw_env(name)), num_cycles=50)


@pytest.mark.parametrize("variant", ALL, ids=describe)
def test_agents_play_by_the_rules(variant: tuple[str, dict[str, Any]]) -> None:
    game = dd.game(variant[0], **variant[1])
    duel, chance = env(game), random.Random(1)
    for _ in range(5):
        duel.reset(seed=1)
        state = game.start()
        for _ in range(200):
            agent, other = AGENTS[state.player], AGENTS[1 - state.player]
            assert duel.agent_selection == agent
            seen, reward, over, truncated, _ = duel.last()
            assert (reward, over, truncated) == (0, False, False)
            legal = [index for index, move in enumerate(game.moves) if game.objection(state, move) is None]
            assert np.flatnonzero(seen["action_mask"]).tolist() == legal
            assert not duel.observe(other)["action_mask"].any()
            hands = [duel.observe(each)["observation"] for each in AGENTS]
            for player in (0, 1):
                np.testing.assert_array_equal(hands[player], duel.unwrapped.view.array(state, player))
            action = chance.choice(legal)
            duel.step(action)
            state = game.play(state, game.moves[action])
            outcome = game.outcome(state)
            if outcome is not None:
                for _ in AGENTS:
                    seen, reward, over, _, info = duel.last()
                    who = AGENTS.index(duel.agent_selection)
                    assert over
                    assert not seen["action_mask"].any()
                    assert reward == (0 if outcome.winner is None else 1 if outcome.winner == who else -1)
                    assert info["reason"] == outcome.reason
                    duel.step(None)
                assert not duel.agents
                break


@pytest.mark.parametrize("target", HUGE_TARGETS)
def test_numbers_beyond_32_bits_are_clipped_to_the_space(target: int) -> None:
    duel = raw_env("operation-target", {"target": target})
    api_test(duel, num_cycles=100)
    duel.reset()
    for agent in duel.agent_iter():
        seen, _, over, _, _ = duel.last()
        assert duel.observation_space(agent).contains(seen)
        assert seen["observation"][-1] == min(duel.state_.table, 2**31 - 1)
        duel.step(None if over else int(np.flatnonzero(seen["action_mask"])[-1]))


@pytest.mark.parametrize("illegal", [False, True])
def test_infos_have_the_same_keys_from_reset_to_the_end(illegal: bool) -> None:
    duel = env("number-duel")
    duel.reset(seed=1)
    keys = {agent: set(duel.infos[agent]) for agent in AGENTS}
    assert keys["player_1"] == {"reason"}
    for agent in duel.agent_iter():
        seen, _, over, _, info = duel.last()
        assert set(info) == keys[agent]
        assert (info["reason"] != "") == over
        duel.step(None if over else -1 if illegal else int(seen["action_mask"].argmax()))


@pytest.mark.parametrize("make", [env, raw_env], ids=["env", "raw_env"])
@pytest.mark.parametrize("name", dd.games())
def test_no_action_raises_and_illegal_ones_lose(name: str, make: Any) -> None:
    for action in (-1, 10**9, None, 1.5, "+5", np.array([1, 2])):
        duel = make(name)
        duel.reset()
        duel.step(action)
        assert duel.rewards == {"player_1": -1, "player_2": 1}
        assert all(duel.terminations.values())
        assert "is not an action in" in duel.infos["player_1"]["reason"]


def test_rendering_shows_the_position_as_people_see_it() -> None:
    duel = env("number-duel", render_mode="ansi")
    duel.reset()
    assert duel.render() == "\n".join(dd.game("number-duel").view(dd.game("number-duel").start()))
