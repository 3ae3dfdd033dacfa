"""gg-bench: its five number duels with its interface and its action numbers, by the right rules.

gg-bench imports a class `CustomEnv` from its file `gg_bench/data/envs/env_417.py`. With this one line in that file

    from digitduels.adapters.ggbench import Env417 as CustomEnv

its training, its evaluation and its agents run on the rules of the book. Both players step the same object: the reward
is for the player who has just moved, 1 for a win, -1 for a loss, 0 otherwise, -10 for a move that is not valid, which
ends the game. `valid_moves()` lists the actions that may be taken; it is empty exactly when the game is over.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.adapters import needs
from digitduels.core import State, called
from digitduels.games import game

with needs("gymnasium"):
    import gymnasium as gym
    from gymnasium import spaces

FAULT = -10.0
LAST = {None: 0, "+1": 1, "x2": 2}


class Environment(gym.Env[npt.NDArray[Any], Any]):
    """What all five have in common. A subclass says which game it is and in what order gg-bench shows a position."""

    name: str
    options: Mapping[str, Any] = {}
    bounds: tuple[int, int]
    kind: Any = np.int32

    @abstractmethod
    def row(self, viewer: int, hands: Any, table: Any) -> list[int]:
        """The numbers that gg-bench shows of a position, in its order."""

    def __init__(self) -> None:
        self.game = game(self.name, **self.options)
        self._moves = self.game.moves
        self._known: dict[Hashable, list[int]] = {}
        self.action_space = spaces.Discrete(len(self._moves))
        self.reset()
        self.observation_space = spaces.Box(*self.bounds, self._seen().shape, self.kind)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        self.state = self.game.start()
        self.viewer = self.state.player
        self.done = False
        self._valid = self._legal(self.state)
        return self._seen(), {}

    def step(self, action: Any) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        if self.done:
            return self._seen(), 0.0, True, False, {}
        if action not in self._valid:
            self._end()
            return self._seen(), FAULT, True, False, {"reason": "Invalid move"}
        mover = self.state.player
        self.state = state = self.game.after(self.state, self._moves[action])
        outcome = self.game.outcome(state)
        if outcome is None:
            self.viewer = 1 - mover
            self._valid = self._legal(state)
            return self._seen(), 0.0, False, False, {}
        self._end()
        reward = 0.0 if outcome.winner is None else 1.0 if outcome.winner == mover else -1.0
        return self._seen(), reward, True, False, {"reason": outcome.reason}

    def valid_moves(self) -> list[int]:
        """The actions that may be taken now."""
        return self._valid.copy()

    def render(self) -> Any:
        """The position in words, and whose turn it is."""
        return "\n".join([*self.game.view(self.state), f"Current player: {called(self.viewer)}"])

    def __deepcopy__(self, _: object) -> Environment:
        """Searches copy an environment at every step. Positions never change, so that a copy can share them."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def _end(self) -> None:
        """After the end a position is seen as by the player who moved last."""
        self.done, self._valid = True, []

    def _legal(self, state: State[Any, Any]) -> list[int]:
        key = self.game.legality(state)
        found = self._known.get(key)
        if found is None:
            ids = {move: place for place, move in enumerate(self._moves)}
            found = self._known[key] = [ids[move] for move in self.game.permitted(state)]
        return found

    def _seen(self) -> npt.NDArray[Any]:
        return np.array(self.row(self.viewer, self.state.hands, self.state.table), self.kind)


class Env417(Environment):
    """Numerical Nexus."""

    name, bounds = "numerical-nexus", (0, 50)

    def row(self, viewer: int, hands: Any, table: Any) -> list[int]:
        (mine, left), (theirs, right) = hands[viewer], hands[1 - viewer]
        return [mine, *left, theirs, *right]


class Env88(Environment):
    """Operation Target."""

    name, bounds = "operation-target", (0, 44)

    def row(self, viewer: int, hands: Any, table: Any) -> list[int]:
        return [table, LAST[hands[0]], LAST[hands[1]], viewer + 1]


class Env390(Environment):
    """Number Duel."""

    name, bounds = "number-duel", (0, 50)

    def row(self, viewer: int, hands: Any, table: Any) -> list[int]:
        return [*hands, *table.counts]


class Env185(Environment):
    """Equation Duel."""

    name, bounds, kind = "equation-duel", (-50, 150), np.float32

    def row(self, viewer: int, hands: Any, table: Any) -> list[int]:
        return [*table.counts, *hands]


class Env951(Environment):
    """Number Quest, where gg-bench does not offer an operation that would be invalid."""

    name, bounds, kind = "number-quest", (0, 450), np.float32
    options = {"invalid": "refused"}

    def row(self, viewer: int, hands: Any, table: Any) -> list[int]:
        return [*table.counts, hands[viewer], hands[1 - viewer]]
