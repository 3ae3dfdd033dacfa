"""PPO in one file, in the style of CleanRL, learns by playing itself on the vectorised environment."""

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
    """Two small networks: what to play, and who wins. Illegal actions have no probability."""

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

    def tensors(seen: Any) -> tuple[Any, Any]:
        return torch.tensor(seen["observation"], dtype=torch.float32) / 10, torch.tensor(
            seen["action_mask"], dtype=torch.bool
        )

    rows, masks = tensors(games.reset(seed=1)[0])
    end, steps = time.process_time() + SECONDS, 0
    while time.process_time() < end:
        kept: list[tuple[Any, ...]] = []
        for _ in range(STEPS):
            with torch.no_grad():
                policy, values = agent.policy(rows, masks), agent.critic(rows).squeeze(1)
                actions = policy.sample()
            seen, rewards, over, _, _ = games.step(actions.numpy())
            told = torch.tensor(rewards, dtype=torch.float32), torch.tensor(over)
            kept.append((rows, masks, actions, policy.log_prob(actions), values, *told))
            rows, masks = tensors(seen)
            steps += ENVS
        # The opponent moves next, so what follows is worth the opposite to the player who moved.
        with torch.no_grad():
            following = agent.critic(rows).squeeze(1)
        gain, advantages = torch.zeros(ENVS), []
        for *_, values, rewards, over in reversed(kept):
            going = (~over).float()
            delta = rewards - GAMMA * following * going - values
            gain = delta - GAMMA * LAMBDA * gain * going
            advantages.append(gain)
            following = values
        every = [torch.cat(parts) for parts in zip(*kept, strict=True)]
        gains = torch.cat(advantages[::-1])
        returns = gains + every[4]
        for _ in range(EPOCHS):
            for part in torch.randperm(len(gains)).chunk(BATCHES):
                policy = agent.policy(every[0][part], every[1][part])
                ratio = (policy.log_prob(every[2][part]) - every[3][part]).exp()
                gained = (gains[part] - gains[part].mean()) / (gains[part].std() + 1e-8)
                loss = torch.max(-gained * ratio, -gained * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
                loss = loss + 0.5 * (agent.critic(every[0][part]).squeeze(1) - returns[part]).square().mean()
                loss = loss - ENTROPY * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()

    @torch.no_grad()
    def choose(state: Any) -> int:
        view = games.unwrapped.view
        seen = {"observation": view.array(state)[None], "action_mask": np.asarray(view.mask(state))[None]}
        return int(agent.policy(*tensors(seen)).probs.argmax())

    print(f"{steps:,} steps")
    print(examine(choose))


if __name__ == "__main__":
    main()
