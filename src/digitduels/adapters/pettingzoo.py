"""PettingZoo: two agents that move in turn, with action masks.

>>> duel = env("number-duel")
>>> duel.reset()
>>> duel.agent_selection
'player_1'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from digitduels.adapters import needs, placed_state, resolve_game
from digitduels.core import Outcome
from digitduels.games import AnyGame
from digitduels.match import concession
from digitduels.players.observation import Observation

with needs("pettingzoo"):
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper

AGENTS = ("player_1", "player_2")


def env(*arguments: Any, **keywords: Any) -> OrderEnforcingWrapper:
    """The environment, wrapped to check the order of calls. Takes the arguments of raw_env."""
    return OrderEnforcingWrapper(raw_env(*arguments, **keywords))


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801  PettingZoo has no types; the name is its own
    """A game between two agents. An illegal action loses: -1 for its agent and 1 for the other.

    The info always has the key "reason": why the game ended, or an empty string during the game.
    """

    metadata = {"render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self, game: str | AnyGame, options: Mapping[str, Any] | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__()
        self.game = resolve_game(game, options)
        self.metadata = {**self.metadata, "name": f"{self.game.id}_v0"}
        self.render_mode = render_mode
        self.view = Observation(self.game)
        self.possible_agents = list(AGENTS)
        box = spaces.Box(self.view.low, self.view.high, dtype=np.int32)
        masks = spaces.Box(0, 1, (len(self.game.moves),), np.int8)
        self._observations = {agent: spaces.Dict({"observation": box, "action_mask": masks}) for agent in AGENTS}
        self._actions = {agent: spaces.Discrete(len(self.game.moves)) for agent in AGENTS}
        self.state_ = self.game.start()

    def observation_space(self, agent: str) -> spaces.Dict:
        return self._observations[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game. The option "position" sets where it starts: a State, or one as JSON values."""
        position = (options or {}).get("position")
        self.state_ = self.game.start() if position is None else placed_state(self.game, position)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"reason": ""} for agent in AGENTS}
        self.agent_selection = AGENTS[self.state_.player]

    def observe(self, agent: str) -> dict[str, Any]:
        playing = agent == self.agent_selection and not self.terminations.get(agent, True)
        return {
            "observation": self.view.array(self.state_, AGENTS.index(agent)),
            "action_mask": self.view.permitted(self.state_) if playing else self.view.nothing(),
        }

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        player = self.state_.player
        illegal = self.view.refusal(self.state_, action)
        if illegal is None:
            self.state_ = self.game.after(self.state_, self.game.moves[action])
            outcome = self.game.outcome(self.state_)
        else:
            outcome = Outcome(1 - player, concession(player, illegal))
        self._cumulative_rewards[agent] = 0.0
        if outcome is not None:
            self._end(outcome)
        self.agent_selection = AGENTS[1 - player]

    def _end(self, outcome: Outcome) -> None:
        if outcome.winner is not None:
            self.rewards = {AGENTS[outcome.winner]: 1.0, AGENTS[1 - outcome.winner]: -1.0}
        self.terminations = dict.fromkeys(AGENTS, True)
        self.infos = {agent: {"reason": str(outcome.reason)} for agent in AGENTS}
        self._accumulate_rewards()

    def render(self) -> Any:
        """The position as people see it; None unless the render mode is "ansi"."""
        return None if self.render_mode != "ansi" else "\n".join(self.game.view(self.state_))

    def close(self) -> None:
        """Does nothing: the environment holds no resources."""
