"""PPO in one file, in the style of CleanRL, learns by self-play on the vectorised environment."""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np
import torch
from exam import OPTIONS, SECONDS, examine
from torch import nn
from torch.distributions import Categorical

import digitduels.adapters.gymnasium  # registers the games

assert digitduels.adapters.gymnasium
ENVS, STEPS, EPOCHS, BATCHES = 256, 32, 4, 4
GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 1.0, 0.95, 0.2, 0.01, 1e-3


class Agent(nn.Module):
    """Two small networks, the policy and the value. Illegal actions have probability 0."""

    def __init__(self, entries: int, moves: int) -> None:
        super().__init__()
        self.actor = nn.Sequential(
            nn.Linear(entries, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, moves)
        )
        self.critic = nn.Sequential(
            nn.Linear(entries, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 1)
        )

    def policy(self, rows: Any, masks: Any) -> Categorical:
        return Categorical(logits=self.actor(rows).masked_fill(~masks, -1e8))


def main() -> None:
    torch.manual_seed(1)
    games: Any = gymnasium.make_vec("digitduels/NumberDuel-v0", num_envs=ENVS, opponent="self", options=OPTIONS)
    entries, moves = games.single_observation_space["observation"].shape[0], games.single_action_space.n
    agent = Agent(entries, moves)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)

    def tensors(obs: Any) -> tuple[Any, Any]:
        return torch.tensor(obs["observation"], dtype=torch.float32) / 10, torch.tensor(
            obs["action_mask"], dtype=torch.bool
        )

    rows, masks = tensors(games.reset(seed=1)[0])
    end, steps = time.process_time() + SECONDS, 0
    while time.process_time() < end:
        rollout: list[tuple[Any, ...]] = []
        for _ in range(STEPS):
            with torch.no_grad():
                policy, values = agent.policy(rows, masks), agent.critic(rows).squeeze(1)
                actions = policy.sample()
            obs, rewards, over, _, _ = games.step(actions.numpy())
            results = torch.tensor(rewards, dtype=torch.float32), torch.tensor(over)
            rollout.append((rows, masks, actions, policy.log_prob(actions), values, *results))
            rows, masks = tensors(obs)
            steps += ENVS
        # The opponent moves next, so the next value counts with the opposite sign.
        with torch.no_grad():
            following = agent.critic(rows).squeeze(1)
        gain, advantages = torch.zeros(ENVS), []
        for *_, values, rewards, over in reversed(rollout):
            unfinished = (~over).float()
            delta = rewards - GAMMA * following * unfinished - values
            gain = delta - GAMMA * LAMBDA * gain * unfinished
            advantages.append(gain)
            following = values
        batch = [torch.cat(parts) for parts in zip(*rollout, strict=True)]
        gains = torch.cat(advantages[::-1])
        returns = gains + batch[4]
        for _ in range(EPOCHS):
            for part in torch.randperm(len(gains)).chunk(BATCHES):
                policy = agent.policy(batch[0][part], batch[1][part])
                ratio = (policy.log_prob(batch[2][part]) - batch[3][part]).exp()
                advantage = (gains[part] - gains[part].mean()) / (gains[part].std() + 1e-8)
                loss = torch.max(-advantage * ratio, -advantage * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
                loss = loss + 0.5 * (agent.critic(batch[0][part]).squeeze(1) - returns[part]).square().mean()
                loss = loss - ENTROPY * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()

    @torch.no_grad()
    def choose(state: Any) -> int:
        view = games.unwrapped.view
        obs = {"observation": view.array(state)[None], "action_mask": np.asarray(view.mask(state))[None]}
        return int(agent.policy(*tensors(obs)).probs.argmax())

    print(f"{steps:,} steps")
    print(examine(choose))


if __name__ == "__main__":
    main()
