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
from digitduels.core import State
from digitduels.games import game
from digitduels.sentence import player_name

with needs("gymnasium"):
    import gymnasium as gym
    from gymnasium import spaces

FAULT = -10.0
NOTHING: dict[str, Any] = {}
_NODES = 50_000  # positions that an environment remembers
LAST = {None: 0, "+1": 1, "x2": 2}


class Node:
    """A position with what gg-bench asks about it, and the positions after it that were met already."""

    __slots__ = ("following", "info", "over", "reward", "row", "state", "valid", "viewer")

    def __init__(self, env: Environment, state: State[Any, Any]) -> None:
        outcome = env.game.outcome(state)
        self.state = state
        self.following: dict[Any, Node] = {}
        if outcome is None:
            self.viewer = viewer = state.player
            self.over, self.reward, self.valid, self.info = False, 0.0, env.legal(state), NOTHING
        else:
            # After the end a position is seen as by the player who moved last.
            self.viewer = viewer = 1 - state.player
            reward = 0.0 if outcome.winner is None else 1.0 if outcome.winner == viewer else -1.0
            self.over, self.reward, self.valid, self.info = True, reward, [], {"reason": str(outcome.reason)}
        self.row: npt.NDArray[Any] = np.array(env.row(viewer, state.hands, state.table), env.kind)


class Environment(gym.Env[npt.NDArray[Any], Any]):
    """What all five have in common. A subclass says which game it is and in what order gg-bench shows a position.

    Positions met before are kept, up to a number: random play and searches meet the first ones again and again.
    """

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
        self._places = {move: place for place, move in enumerate(self._moves)}
        self._known: dict[Hashable, list[int]] = {}
        self._root = self._node = Node(self, self.game.start())
        self._kept = [self._root]
        self.done = False
        self.action_space = spaces.Discrete(len(self._moves))
        self.observation_space = spaces.Box(*self.bounds, self._root.row.shape, self.kind)

    @property
    def state(self) -> State[Any, Any]:
        return self._node.state

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        self._node, self.done = self._root, False
        return self._root.row.copy(), {}

    def step(self, action: Any) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        node = self._node
        if self.done:
            return node.row.copy(), 0.0, True, False, {}
        if not (type(action) is int or isinstance(action, np.integer)) or action not in node.valid:
            self.done = True
            return node.row.copy(), FAULT, True, False, {"reason": "Invalid move"}
        self._node = after = node.following.get(action) or self._follow(node, action)
        self.done = after.over
        return after.row.copy(), after.reward, after.over, False, after.info.copy()

    def valid_moves(self) -> list[int]:
        """The actions that may be taken now."""
        return [] if self.done else self._node.valid.copy()

    def render(self) -> Any:
        """The position in words, and whose turn it is."""
        return "\n".join([*self.game.view(self.state), f"Current player: {player_name(self._node.viewer)}"])

    def legal(self, state: State[Any, Any]) -> list[int]:
        """The actions that may be taken in a position, which are remembered."""
        key = self.game.legality(state)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = [self._places[move] for move in self.game.permitted(state)]
        return found

    def _follow(self, node: Node, action: Any) -> Node:
        """The position after an action that was not met before, or not kept."""
        after = Node(self, self.game.after(node.state, self._moves[action]))
        if len(self._kept) < _NODES:
            self._kept.append(after)
            node.following[action] = after
        return after

    def __deepcopy__(self, _: object) -> Environment:
        """Searches copy an environment at every step. Positions never change, so that a copy can share them."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin


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
