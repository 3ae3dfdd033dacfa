"""Gymnasium: a single agent against any of our players.

>>> import gymnasium
>>> env = gymnasium.make("digitduels.adapters.gymnasium:digitduels/NumberDuel-v0", opponent="random", seat=1)
>>> obs, info = env.reset(seed=1)
>>> obs["observation"].tolist()
[0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.adapters import BEGINNINGS, needs, placed_state, resolve_game
from digitduels.core import Outcome, State
from digitduels.games import AnyGame, game_class, games
from digitduels.match import Match
from digitduels.players import Forfeit, Player, check, player
from digitduels.players.observation import LOWEST, Observation
from digitduels.solver.solution import Solution
from digitduels.solver.solution_cache import solution_of
from digitduels.study.fair_starts import fair_start

with needs("gymnasium"):
    import gymnasium as gym
    from gymnasium import spaces
    from gymnasium.error import ResetNeeded

SEAT_CHOICES = (1, 2, "random")
START_CHOICES = ("book", "fair")
RESET = "Call reset() before the first step()."


class DuelEnv(gym.Env[dict[str, Any], Any]):
    """A game against one of our players: "random", "1" to "7", "perfect", or the command of a program.

    The agent has seat 1, seat 2 or a random seat in each game. A "fair" start is an opening after which both players
    must play well. With `truth`, the info contains the exact value of every move. A step is the agent's move and the
    opponent's reply. The reward at the end is 1 for a win and -1 for a loss. An illegal action loses the game. If the
    opponent ends a game with its first move, a new game starts. If it always does, or if a program fails on that move,
    the agent moves first.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        game: str | AnyGame,
        opponent: str | int = "random",
        seat: int | str = "random",
        start: str = "book",
        options: Mapping[str, Any] | None = None,
        truth: bool = False,
        move_time: float | None = None,
        render_mode: str | None = None,
    ) -> None:
        opponent = str(opponent)
        check(opponent)
        for name, value, choices in (("seat", seat, SEAT_CHOICES), ("start", start, START_CHOICES)):
            if value not in choices:
                raise ValueError(f"{name} must be one of {', '.join(map(str, choices))}, not {value!r}.")
        self.game = resolve_game(game, options)
        self.opponent, self.seat, self.start, self.truth = opponent, seat, start, truth
        self.move_time, self.render_mode = move_time, render_mode
        self.view = Observation(self.game)
        self.observation_space = observation_space(self.view)
        self.action_space = spaces.Discrete(len(self.game.moves))
        self.match = Match(self.game)
        self.player = 0
        self._from: State[Any, Any] | None = None
        self._other: Player | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts a game. The option "position" sets where it starts: a State, or one as JSON values."""
        super().reset(seed=seed)
        position = (options or {}).get("position")
        self._from = None if position is None else placed_state(self.game, position)
        self._begin(first=False)
        tries = BEGINNINGS
        while self.match.outcome is not None:
            tries -= 1
            # A program that fails on its first move would only fail again.
            self._begin(first=tries == 0 or self.match.forfeit is not None)
        return self._observe(None)

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        if self._other is None:
            raise ResetNeeded(RESET)
        outcome = self.match.outcome
        if outcome is not None:
            obs, info = self._observe(outcome)
            return obs, 0.0, True, False, info
        illegal = self.view.refusal(self.match.state, action)
        if illegal is None:
            self.match.play(self.game.moves[action])
            self._answer()
        else:
            self.match.concede(self.player, illegal)
        outcome = self.match.outcome
        obs, info = self._observe(outcome, illegal)
        return obs, 0.0 if outcome is None else worth(outcome, self.player), outcome is not None, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The mask of the actions that are legal now, under the name that sb3-contrib's MaskablePPO expects."""
        match, view = self.match, self.view
        return (view.permitted(match.state) if match.outcome is None else view.nothing()).astype(np.bool_)

    def render(self) -> Any:
        """The position as people see it; None unless the render mode is "ansi"."""
        if self.render_mode is None:
            return None
        outcome = self.match.outcome
        return "\n".join(self.game.view(self.match.state) + ([] if outcome is None else [outcome.reason]))

    def close(self) -> None:
        if self._other is not None:
            self._other.close()

    @cached_property
    def solution(self) -> Solution:
        """The solution of the game, computed when it is first needed."""
        return solution_of(self.game)

    def _begin(self, first: bool) -> None:
        """Starts a game and plays the opponent's first move if it is to move. With `first`, the agent moves first."""
        self.close()
        seed = int(self.np_random.integers(2**62))
        opening = fair_start(self.solution, seed) if self.start == "fair" and self._from is None else ()
        self.match = Match(self.game, position=self._from, opening=opening)
        seat = seed % 2 if self.seat == "random" else int(self.seat) - 1
        self.player = self.match.state.player if first else seat
        self._other = player(self.opponent, self.game, lambda _: self.solution, seed, self.move_time)
        self._answer()

    def _answer(self) -> None:
        """Plays the opponent's move if it is its turn."""
        match = self.match
        if self._other is None or match.state.player == self.player or match.outcome is not None:
            return
        try:
            match.play(self._other.choose(match))
        except Forfeit as reason:
            match.concede(1 - self.player, str(reason))

    def _observe(self, outcome: Outcome | None, illegal: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """The observation and the info for the agent.

        The info always has the same keys, because some learners store it in buffers with a fixed shape.
        """
        state, view = self.match.state, self.view
        mask = view.permitted(state) if outcome is None else view.nothing()
        info: dict[str, Any] = {
            "action_mask": mask.copy(),
            "seat": self.player + 1,
            "reason": "" if outcome is None else str(outcome.reason),
            "illegal": "" if illegal is None else str(illegal),
        }
        if self.truth and outcome is None:
            info |= truth(self.solution, self.match, view)
        elif self.truth and outcome is not None:
            nothing = {"values": view.nothing(), "distances": np.zeros(len(self.game.moves), np.int32)}
            info |= {"value": int(worth(outcome, self.player)), "distance": 0, **nothing}
        return {"observation": view.array(state, self.player), "action_mask": mask}, info


def observation_space(view: Observation) -> spaces.Dict:
    """The space of an agent's observations: the position as a row of integers, and the action mask."""
    masks = spaces.Box(0, 1, (len(view.game.moves),), np.int8)
    # Gymnasium warns about entries that cannot change, such as the count of an operation with no uses.
    low = np.where(view.low == view.high, np.maximum(view.low, LOWEST + 1) - 1, view.low).astype(np.int32)
    return spaces.Dict({"observation": spaces.Box(low, view.high, dtype=np.int32), "action_mask": masks})


def worth(outcome: Outcome, player: int) -> float:
    """The reward of a player at the end of a game."""
    return 0.0 if outcome.winner is None else 1.0 if outcome.winner == player else -1.0


def truth(solution: Solution, match: Match, view: Observation) -> dict[str, Any]:
    """The exact value and distance of the position and of every action; both are 0 for illegal actions."""
    values, distances = view.nothing(), np.zeros(len(match.game.moves), np.int32)
    judgement = solution.judge(match.state)
    for move, verdict in judgement.items():
        values[view.ids[move]], distances[view.ids[move]] = verdict
    value, distance = judgement.best_verdict
    return {"value": value, "distance": distance, "values": values, "distances": distances}


def register() -> None:
    """Registers every game with Gymnasium, as digitduels/NumberDuel-v0 and so on."""
    for name in games():
        gym.register(
            f"digitduels/{game_class(name).__name__}-v0",
            entry_point="digitduels.adapters.gymnasium:DuelEnv",
            vector_entry_point="digitduels.adapters.vector:DuelVectorEnv",
            kwargs={"game": name},
        )


register()
