"""Tianshou's DQN learns against level 4 in Gymnasium."""

from __future__ import annotations

import random
import time
from typing import Any

import gymnasium
import numpy as np
import torch
from exam import NAME, OPTIONS, SECONDS, examine
from gymnasium import spaces
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from digitduels.adapters.gymnasium import DuelEnv

ENVS = 16


class Masked(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Renames the parts of an observation to those that Tianshou expects."""

    def __init__(self, env: DuelEnv) -> None:
        super().__init__(env)
        row, mask = env.observation_space["observation"], env.observation_space["action_mask"]
        self.observation_space = spaces.Dict({"obs": row, "mask": mask})

    def observation(self, obs: Any) -> Any:
        return {"obs": obs["observation"], "mask": obs["action_mask"].astype(bool)}


def main() -> None:
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    games = DummyVectorEnv([lambda: Masked(DuelEnv(NAME, opponent="4", options=OPTIONS)) for _ in range(ENVS)])
    games.seed(1)
    one = DuelEnv(NAME, options=OPTIONS)
    shape = one.observation_space["observation"].shape
    net = Net(state_shape=shape, action_shape=int(one.action_space.n), hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(model=net, action_space=one.action_space, eps_training=0.2)
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=200)
    buffer = VectorReplayBuffer(50_000, ENVS)
    collector = Collector(policy, games, buffer, exploration_noise=True)
    collector.reset()
    end, steps = time.process_time() + SECONDS, 0
    with policy_within_training_step(policy):
        while time.process_time() < end:
            steps += collector.collect(n_step=ENVS * 8).n_collected_steps
            for _ in range(4):
                learner.update(buffer, 256)

    def choose(state: Any) -> int:
        obs = Batch(obs=one.view.array(state)[None], mask=one.view.mask(state).astype(bool)[None])
        return int(policy(Batch(obs=obs, info={})).act[0])

    print(f"{steps:,} steps")
    print(examine(choose))


if __name__ == "__main__":
    main()
