"""The modes of Gymnasium's vector API: autoreset modes, reset masks and given positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

import digitduels as dd
from digitduels.adapters import pettingzoo
from digitduels.adapters.gymnasium import DuelEnv
from digitduels.adapters.vector import DuelVectorEnv
from digitduels.core import State
from digitduels.pool import Pool
from digitduels.position_json import position_from_json
from digitduels.study.fair_starts import fair_start

pytestmark = pytest.mark.slow

SMALL = {"target": 12, "highest": 4}
NEAR = {"player": 2, "hands": [[3], [10]], "table": [2, 1, 2, 2]}


def make(mode: AutoresetMode, opponent: str = "self", **settings: Any) -> DuelVectorEnv:
    return DuelVectorEnv("number-quest", num_envs=50, opponent=opponent, options=SMALL, autoreset_mode=mode, **settings)


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_with_next_step_autoreset_a_finished_game_ignores_the_action_and_restarts(opponent: str) -> None:
    games = make(AutoresetMode.NEXT_STEP, opponent)
    assert games.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    games.reset(seed=1)
    before, ended = np.zeros(50, bool), 0
    for _ in range(60):
        seen, rewards, over, _, info = games.step(np.where(before, -1, games.sample_legal()))
        assert not over[before].any()
        assert not rewards[before].any()
        assert "final_obs" not in info
        assert not seen["action_mask"][over].any()
        assert seen["action_mask"][~over].any(axis=1).all()
        if opponent == "random":
            assert (rewards[over] != 0).all()
        before, ended = over, ended + int(over.sum())
    assert ended > 100


def test_without_autoreset_games_wait_for_a_reset_mask() -> None:
    games = make(AutoresetMode.DISABLED)
    games.reset(seed=1)
    over = np.zeros(50, bool)
    while not over.any():
        _, _, over, _, _ = games.step(games.sample_legal())
    with pytest.raises(ResetNeeded, match="reset_mask"):
        games.step(games.sample_legal())
    kept = [games.state(index) for index in range(50)]
    assert all((games.game.outcome(state) is not None) == over[index] for index, state in enumerate(kept))
    games.reset(options={"reset_mask": over})
    for index in range(50):
        assert games.state(index) == (games.game.start() if over[index] else kept[index])
    games.step(games.sample_legal())
    for mask in (np.ones(3, bool), np.ones(50, int), [True] * 50):
        with pytest.raises(ValueError, match="reset_mask must be a NumPy array of 50 bools"):
            games.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_games_can_start_from_given_positions_and_follow_the_rules(mode: AutoresetMode) -> None:
    games = make(mode)
    game = dd.game("number-quest", **SMALL)
    state = position_from_json(game, NEAR)
    for given in (NEAR, state, [state] * 50):
        seen, info = games.reset(seed=1, options={"positions": given})
        assert games.state(7) == state
        assert info["player"].tolist() == [1] * 50
        assert (seen["action_mask"][3] != 0).sum() == len(game.legal_moves(state))
    action = game.moves.index(game.read("+2"))
    _, rewards, over, _, _ = games.step(np.full(50, action))
    assert over.all()
    assert (rewards == 1).all()
    with pytest.raises(ValueError, match="one position for each"):
        games.reset(options={"positions": [state]})
    with pytest.raises(ValueError, match="over"):
        games.reset(options={"positions": game.play(state, game.read("+2"))})


@pytest.mark.parametrize("opponent", ["random", "4"])
def test_positions_that_the_kernels_have_no_index_for_are_refused(opponent: str) -> None:
    games = DuelVectorEnv("number-duel", 2, opponent, options={"target": 20, "highest": 5})
    for pool in (Pool((3,) * 5, 3), Pool((3,) * 5, 2), Pool((2,) * 6, 2), Pool((-1, 2, 2, 2, 2), 2)):
        with pytest.raises(dd.UnknownPosition, match="not played with the pool"):
            games.reset(options={"positions": State(0, (0, 0), pool)})
    games = DuelVectorEnv("equation-duel", 2, opponent, options={"target": 20, "highest": 6})
    late = {"player": 1, "hands": [[-9], [-9]], "table": [1] * 6}
    for position in (late, State(0, (-15, 0), games.game.start().table)):
        with pytest.raises(dd.UnknownPosition, match="cannot reach the scores"):
            games.reset(options={"positions": position})


def test_fair_starts_agree_with_the_library_and_the_agent_keeps_its_seat(home: object) -> None:
    games = make(AutoresetMode.SAME_STEP, "random", start="fair", seat=2)
    _, info = games.reset(seed=1)
    assert (info["player"] == 1).all()
    solution = dd.solve(games.game)
    free = make(AutoresetMode.SAME_STEP, start="fair")
    free.reset(seed=1)
    expected = set()
    for seed in range(50):
        state = free.game.start()
        for move in fair_start(solution, seed):
            state = free.game.play(state, move)
        expected.add(state)
    assert {free.state(index) for index in range(50)} == expected


def test_gymnasium_and_pettingzoo_start_from_a_given_position() -> None:
    game = dd.game("number-quest", **SMALL)
    state = position_from_json(game, NEAR)
    for given in (NEAR, state):
        env = DuelEnv("number-quest", seat=2, options=SMALL)
        env.reset(seed=1, options={"position": given})
        assert env.match.state == state
        both = pettingzoo.raw_env("number-quest", options=SMALL)
        both.reset(options={"position": given})
        assert both.agent_selection == "player_2"
        assert both.state_ == state
        both.step(game.moves.index(game.read("+2")))
        assert both.rewards == {"player_2": 1.0, "player_1": -1.0}
    env = DuelEnv("number-quest", seat=1, options=SMALL)
    env.reset(seed=1, options={"position": NEAR})
    assert (env.match.state.player, len(env.match.moves)) == (0, 1)
    env.reset(seed=1)
    assert env.match.position is None
