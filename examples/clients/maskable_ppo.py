"""sb3-contrib's MaskablePPO learns on the vectorised environment."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from exam import NAME, OPTIONS, SECONDS, examine
from gymnasium.spaces import Box
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from digitduels.adapters.vector import DuelVectorEnv


class DuelVecEnv(VecEnv):
    """Adapts the vectorised environment to Stable-Baselines3, which expects rows of numbers and masks as a method."""

    def __init__(self, games: DuelVectorEnv) -> None:
        space = games.single_observation_space["observation"]
        super().__init__(games.num_envs, Box(space.low, space.high, dtype=np.float32), games.single_action_space)
        self.games = games
        self.masks = np.ones((games.num_envs, games.single_action_space.n), bool)

    def reset(self) -> Any:
        seeds = [seed for seed in self._seeds if seed is not None]
        return self._split(self.games.reset(seed=seeds[0] if seeds else None)[0])

    def step_async(self, actions: Any) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        obs, rewards, over, _, info = self.games.step(self.actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for index in np.flatnonzero(over):
            last = info["final_obs"]["observation"][index].astype(np.float32)
            infos[index] = {"terminal_observation": last, "TimeLimit.truncated": False}
        return self._split(obs), rewards.astype(np.float32), over, infos

    def _split(self, obs: dict[str, Any]) -> Any:
        self.masks = obs["action_mask"].astype(bool)
        return obs["observation"].astype(np.float32)

    def env_method(self, method_name: str, *_: Any, indices: Any = None, **__: Any) -> list[Any]:
        assert method_name == "action_masks"
        return [self.masks[index] for index in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [None for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("A vectorised environment has no environments of its own.")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        self.games.close()


class Timed(BaseCallback):
    """Stops learning when the time is up."""

    def _on_step(self) -> bool:
        return time.process_time() < self.end

    def _on_training_start(self) -> None:
        self.end = time.process_time() + SECONDS


def main() -> None:
    games = DuelVectorEnv(NAME, num_envs=256, opponent="4", options=OPTIONS)
    model = MaskablePPO("MlpPolicy", DuelVecEnv(games), n_steps=32, batch_size=1024, seed=1, device="cpu")
    model.learn(10**9, callback=Timed())

    def choose(state: Any) -> int:
        row = games.view.array(state).astype(np.float32)
        action, _ = model.predict(row, action_masks=games.view.mask(state).astype(bool), deterministic=True)
        return int(action)

    print(f"{model.num_timesteps:,} steps")
    print(examine(choose))


if __name__ == "__main__":
    main()
