"""gg-bench: its five number duels with its interface and action numbers, but the rules of the books.

gg-bench imports a class `CustomEnv` from its file `gg_bench/data/envs/env_417.py`. With this one line in that file

    from digitduels.adapters.ggbench import Env417 as CustomEnv

its training, evaluation and agents use the rules of the book. Both players step the same object. The reward is for the
player who has just moved: 1 for a win, -1 for a loss, 0 otherwise, and -10 for an invalid move, which ends the game.
`valid_moves()` lists the valid actions; it is empty exactly when the game is over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from digitduels.adapters import needs
from digitduels.core import State
from digitduels.games import AnyGame, game
from digitduels.sentence import player_name
from digitduels.solver.arrays import affordable, arrays, counts
from digitduels.solver.compiled import DoesNotFactor
from digitduels.solver.discovery import compile_game

with needs("gymnasium"):
    import gymnasium as gym
    from gymnasium import spaces

FAULT = -10.0
_CACHED = 50_000  # at most this many positions are cached
LAST = {None: 0, "+1": 1, "x2": 2}
Here = tuple[Any, ...]
"""A position: the key fields of its walk, then the bytes of the observation, the valid actions and the outcome."""
ROW_BYTES, VALID, OUTCOME = -3, -2, -1


class Walk(ABC):
    """The transitions between positions. All environments of a class share one walk."""

    first: Here

    @abstractmethod
    def follow(self, here: Here, action: Any) -> Here:
        """The position after a valid action."""

    @abstractmethod
    def state(self, here: Here) -> State[Any, Any]:
        """A position as a State of the rules."""


class PlainWalk(Walk):
    """Asks the rules, for games without a compiled form. The key fields are the state and a cache of its successors."""

    def __init__(self, game: AnyGame, kind: type[Environment]) -> None:
        self.game, self.kind = game, kind
        self.ids = {move: index for index, move in enumerate(game.moves)}
        self._cached = 0
        self.first = self._node(game.start())

    def follow(self, here: Here, action: Any) -> Here:
        node: Here | None = here[1].get(action)
        if node is None:
            node = self._node(self.game.after(here[0], self.game.moves[action]))
            if self._cached < _CACHED:
                self._cached += 1
                here[1][action] = node
        return node

    def state(self, here: Here) -> State[Any, Any]:
        state: State[Any, Any] = here[0]
        return state

    def _node(self, state: State[Any, Any]) -> Here:
        outcome, kind = self.game.outcome(state), self.kind
        valid = [] if outcome else [self.ids[move] for move in self.game.permitted(state)]
        viewer = state.player if outcome is None else 1 - state.player
        hands = [kind.packed(kind.show_hand(hand)) for hand in state.hands]
        row = kind.row(viewer, hands[viewer], hands[1 - viewer], kind.packed(kind.show_table(state.table)))
        return state, {}, row, valid, outcome


class CompiledWalk(Walk):
    """Uses the compiled form of a game. The key fields are integers: the player to move, both hands, the table.

    Transitions and observations are computed in advance, so that the first games are as fast as later ones.
    """

    def __init__(self, game: AnyGame, kind: type[Environment]) -> None:
        compiled = compile_game(game, lambda _: None)
        form, self.hands = arrays(compiled)
        self.game, self.compiled, self.row = game, compiled, kind.row
        self.moves, self.needs = len(game.moves), compiled.needs
        self.own = array("i", form.own.tobytes())  # [hand, move]
        self.other = [  # [move][hand]: the other player's hand after it; None if the move leaves every hand unchanged
            None if (hands == np.arange(len(hands))).all() else array("i", hands.tobytes()) for hands in compiled.other
        ]
        self.shown = [kind.packed(kind.show_hand(hand)) for hand in self.hands]
        self.going_on = len(compiled.hands)  # hands from this index on end the game
        allowed, groups = np.unique(form.own >= 0, axis=0, return_inverse=True)
        self.groups: list[int] = groups.ravel().tolist()  # hands in one group allow the same moves
        self.allowed = [set(np.flatnonzero(moves).tolist()) for moves in allowed]
        self.tables, self.fitting, self.valid = self._tables(kind)
        start = game.start()
        mine, theirs = compiled.indices[start.mine], compiled.indices[start.theirs]
        table = start.table.ordinal if compiled.digits else 0
        row = kind.row(start.player, self.shown[mine], self.shown[theirs], self.tables[table])
        self.first = start.player, mine, theirs, table, row, self._actions(table, self.groups[mine]), None

    def _tables(self, kind: type[Environment]) -> tuple[list[bytes], list[list[int]], list[dict[int, list[int]]]]:
        """Three lists by table: its observation, the moves for which it has the numbers, and a cache of valid actions
        by group of hands. Tables that have the numbers for the same moves share the last two."""
        compiled = self.compiled
        if not compiled.digits:
            return [kind.packed(kind.show_table(self.game.start().table))], [list(range(self.moves))], [{}]
        held = counts(compiled, np.arange(compiled.tables))
        rows, width = held.astype(kind.dtype).tobytes(), compiled.digits * kind.dtype.itemsize
        most = np.minimum(held, compiled.takes.max(axis=0))
        patterns, pattern = np.unique(most @ compiled.weights, return_inverse=True)
        fitting = [np.flatnonzero(moves).tolist() for moves in affordable(compiled, counts(compiled, patterns))]
        valid: list[dict[int, list[int]]] = [{} for _ in patterns]
        shown = [rows[index : index + width] for index in range(0, len(rows), width)]
        indices = pattern.ravel().tolist()
        return shown, [fitting[index] for index in indices], [valid[index] for index in indices]

    def follow(self, here: Here, action: Any) -> Here:
        # The waiting player moves next, so the hands swap.
        player, theirs, mine, table, _, _, _ = here
        player, table = 1 - player, table - self.needs[action]
        theirs, other, shown = self.own[theirs * self.moves + action], self.other[action], self.shown
        if other is not None:
            mine = other[mine]
        if theirs < self.going_on:
            group = self.groups[mine]
            valid = self.valid[table].get(group)
            if valid is None:
                valid = self.valid[table][group] = self._actions(table, group)
            if valid:
                row = self.row(player, shown[mine], shown[theirs], self.tables[table])
                return player, mine, theirs, table, row, valid, None
        outcome = self.game.outcome(self.state((player, mine, theirs, table)))
        row = self.row(1 - player, shown[theirs], shown[mine], self.tables[table])
        return player, mine, theirs, table, row, [], outcome

    def state(self, here: Here) -> State[Any, Any]:
        player, mine, theirs, table = here[:4]
        return self.compiled.state(table, mine, theirs, player, self.hands)

    def _actions(self, table: int, group: int) -> list[int]:
        """The moves that hands of a group allow and for which the table has the numbers."""
        return [action for action in self.fitting[table] if action in self.allowed[group]]


_WALKS: dict[type[Environment], Walk] = {}


class Environment(gym.Env[npt.NDArray[Any], Any]):
    """The base of all five environments. A subclass names its game and arranges observations as gg-bench does."""

    name: str
    options: Mapping[str, Any] = {}
    bounds: tuple[int, int]
    dtype: Any = np.dtype(np.int32)
    _here: Here
    _viewer: int
    done: bool

    @staticmethod
    def show_hand(hand: Any) -> Sequence[int]:
        """The numbers of a hand in an observation."""
        return [hand]

    @staticmethod
    def show_table(table: Any) -> Sequence[int]:
        """The numbers of a table in an observation. For a pool these are the counts, and this method is not used."""
        return []

    @staticmethod
    @abstractmethod
    def row(viewer: int, mine: bytes, theirs: bytes, table: bytes) -> bytes:
        """The observation of a position: the packed numbers of both hands and of the table in gg-bench's order."""

    @classmethod
    def packed(cls, numbers: Sequence[int]) -> bytes:
        """Numbers as the bytes of an array. Joining bytes is faster than building arrays from numbers."""
        return np.array(numbers, cls.dtype).tobytes()

    def __init__(self) -> None:
        self.game = game(self.name, **self.options)
        self._walk = self._shared_walk()
        self._follow = self._walk.follow
        self._here, self._viewer, self.done = self._walk.first, 0, False
        self.action_space = spaces.Discrete(len(self.game.moves))
        self._shape = (len(self._here[ROW_BYTES]) // self.dtype.itemsize,)
        self.observation_space = spaces.Box(*self.bounds, self._shape, self.dtype)

    def _shared_walk(self) -> Walk:
        kind = type(self)
        if kind not in _WALKS:
            try:
                _WALKS[kind] = CompiledWalk(self.game, kind)
            except DoesNotFactor:
                _WALKS[kind] = PlainWalk(self.game, kind)
        return _WALKS[kind]

    @property
    def state(self) -> State[Any, Any]:
        """The position as a State of the rules."""
        return self._walk.state(self._here)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        if seed is not None:
            super().reset(seed=seed)
        self._here = here = self._walk.first
        self._viewer, self.done = 0, False
        return np.ndarray(self._shape, self.dtype, bytearray(here[ROW_BYTES])), {}

    def step(self, action: Any) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        here = self._here
        if self.done:
            return np.ndarray(self._shape, self.dtype, bytearray(here[ROW_BYTES])), 0.0, True, False, {}
        if not (type(action) is int or isinstance(action, np.integer)) or action not in here[VALID]:
            self.done = True
            return (
                np.ndarray(self._shape, self.dtype, bytearray(here[ROW_BYTES])),
                FAULT,
                True,
                False,
                {"reason": "Invalid move"},
            )
        self._here = here = self._follow(here, action)
        outcome = here[OUTCOME]
        if outcome is None:
            self._viewer = 1 - self._viewer
            return np.ndarray(self._shape, self.dtype, bytearray(here[ROW_BYTES])), 0.0, False, False, {}
        # After the end, the observation is for the player who moved last.
        self.done = True
        reward = 0.0 if outcome.winner is None else 1.0 if outcome.winner == self._viewer else -1.0
        return (
            np.ndarray(self._shape, self.dtype, bytearray(here[ROW_BYTES])),
            reward,
            True,
            False,
            {"reason": str(outcome.reason)},
        )

    def valid_moves(self) -> list[int]:
        """The valid actions now."""
        valid: list[int] = self._here[VALID]
        return [] if self.done else valid.copy()

    def render(self) -> Any:
        """The position in words, and whose turn it is."""
        return "\n".join([*self.game.view(self.state), f"Current player: {player_name(self._viewer)}"])

    def __deepcopy__(self, _: object) -> Environment:
        """A shallow copy is enough, because shared objects never change. Searches copy an environment at every step."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin


class Env417(Environment):
    """Numerical Nexus."""

    name, bounds = "numerical-nexus", (0, 50)

    @staticmethod
    def show_hand(hand: Any) -> Sequence[int]:
        return [hand.score, *hand.uses]

    @staticmethod
    def row(viewer: int, mine: bytes, theirs: bytes, table: bytes) -> bytes:
        return mine + theirs


class Env88(Environment):
    """Operation Target."""

    name, bounds = "operation-target", (0, 44)

    @staticmethod
    def show_hand(hand: Any) -> Sequence[int]:
        return [LAST[hand]]

    @staticmethod
    def show_table(table: Any) -> Sequence[int]:
        return [table]

    @staticmethod
    def row(viewer: int, mine: bytes, theirs: bytes, table: bytes) -> bytes:
        seats = theirs + mine if viewer else mine + theirs
        return table + seats + Env88.packed([viewer + 1])


class Env390(Environment):
    """Number Duel."""

    name, bounds = "number-duel", (0, 50)

    @staticmethod
    def row(viewer: int, mine: bytes, theirs: bytes, table: bytes) -> bytes:
        return theirs + mine + table if viewer else mine + theirs + table


class Env185(Environment):
    """Equation Duel."""

    name, bounds, dtype = "equation-duel", (-50, 150), np.dtype(np.float32)

    @staticmethod
    def row(viewer: int, mine: bytes, theirs: bytes, table: bytes) -> bytes:
        return table + theirs + mine if viewer else table + mine + theirs


class Env951(Environment):
    """Number Quest. As in gg-bench, invalid operations are not offered."""

    name, bounds, dtype = "number-quest", (0, 450), np.dtype(np.float32)
    options = {"invalid": "refused"}

    @staticmethod
    def row(viewer: int, mine: bytes, theirs: bytes, table: bytes) -> bytes:
        return table + mine + theirs
