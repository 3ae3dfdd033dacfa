"""gg-bench: its five number duels with its interface and its action numbers, by the right rules.

gg-bench imports a class `CustomEnv` from its file `gg_bench/data/envs/env_417.py`. With this one line in that file

    from digitduels.adapters.ggbench import Env417 as CustomEnv

its training, its evaluation and its agents run on the rules of the book. Both players step the same object: the reward
is for the player who has just moved, 1 for a win, -1 for a loss, 0 otherwise, -10 for a move that is not valid, which
ends the game. `valid_moves()` lists the actions that may be taken; it is empty exactly when the game is over.
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
from digitduels.solver.compiled import DoesNotFactor, compile_game, with_endings

with needs("gymnasium"):
    import gymnasium as gym
    from gymnasium import spaces

FAULT = -10.0
_REMEMBERED = 50_000  # the largest number of positions that are kept
LAST = {None: 0, "+1": 1, "x2": 2}
Here = tuple[Any, ...]
"""A position: what its walk knows it by, then the bytes of the row that is seen, the valid actions, and the
outcome."""
SEEN_ROW, VALID, OUTCOME = -3, -2, -1


class Walk(ABC):
    """How positions follow each other. All environments of a class share it."""

    first: Here

    @abstractmethod
    def follow(self, here: Here, action: Any) -> Here:
        """The position after a valid action."""

    @abstractmethod
    def state(self, here: Here) -> State[Any, Any]:
        """A position as the rules know it."""


class PlainWalk(Walk):
    """By the rules alone, for games without a compiled form. A position is known by its state and what follows it."""

    def __init__(self, game: AnyGame, kind: type[Environment]) -> None:
        self.game, self.kind = game, kind
        self.ids = {move: place for place, move in enumerate(game.moves)}
        self._kept = 0
        self.first = self._node(game.start())

    def follow(self, here: Here, action: Any) -> Here:
        node: Here | None = here[1].get(action)
        if node is None:
            node = self._node(self.game.after(here[0], self.game.moves[action]))
            if self._kept < _REMEMBERED:
                self._kept += 1
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
    """On the compiled form of a game. A position is known by integers: the player to move, both hands, the table.

    What the moves do and what is shown is computed in advance, so that the first games are as fast as later ones.
    """

    def __init__(self, game: AnyGame, kind: type[Environment]) -> None:
        compiled = compile_game(game, lambda _: None)
        own, last, _ = with_endings(compiled)
        self.game, self.compiled, self.row = game, compiled, kind.row
        self.moves, self.needs = len(game.moves), [int(need) for need in compiled.needs]
        self.own = array("i", own.tobytes())  # [hand, move]
        self.other = [  # [move]: what it makes of the other player's hands, or None if it leaves them alone
            None if (hands == np.arange(len(hands))).all() else array("i", hands.tobytes()) for hands in compiled.other
        ]
        self.hands = [*compiled.hands, *last]
        self.shown = [kind.packed(kind.show_hand(hand)) for hand in self.hands]
        self.going_on = len(compiled.hands)  # the hands from here on end the game
        allowed, groups = np.unique(own[: self.going_on] >= 0, axis=0, return_inverse=True)
        self.groups: list[int] = groups.ravel().tolist()  # hands of one group allow the same moves
        self.allowed = [set(np.flatnonzero(moves).tolist()) for moves in allowed]
        self.tables, self.fitting, self.valid = self._tables(kind)
        start = game.start()
        mine, theirs = compiled.places[start.mine], compiled.places[start.theirs]
        table = start.table.place if compiled.digits else 0
        row = kind.row(start.player, self.shown[mine], self.shown[theirs], self.tables[table])
        self.first = start.player, mine, theirs, table, row, self._actions(table, self.groups[mine]), None

    def _tables(self, kind: type[Environment]) -> tuple[list[bytes], list[list[int]], list[dict[int, list[int]]]]:
        """By table: what is shown of it; the moves for which it has the numbers; and the valid actions by group of
        hand, as far as they were asked for. Tables that have the numbers for the same moves share the last two."""
        compiled = self.compiled
        if not compiled.digits:
            return [kind.packed(kind.show_table(self.game.start().table))], [list(range(self.moves))], [{}]
        counts = np.arange(compiled.tables)[:, None] // compiled.weights % compiled.base
        rows, width = counts.astype(kind.dtype).tobytes(), compiled.digits * kind.dtype.itemsize
        most = np.minimum(counts, compiled.takes.max(axis=0))
        patterns, pattern = np.unique(most @ compiled.weights, return_inverse=True)
        needed = patterns[:, None] // compiled.weights % compiled.base
        fitting = [np.flatnonzero((compiled.takes <= left).all(axis=1)).tolist() for left in needed]
        valid: list[dict[int, list[int]]] = [{} for _ in patterns]
        shown = [rows[place : place + width] for place in range(0, len(rows), width)]
        places = pattern.ravel().tolist()
        return shown, [fitting[place] for place in places], [valid[place] for place in places]

    def follow(self, here: Here, action: Any) -> Here:
        # The player who waits is to move next.
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
        hands = self.hands[mine], self.hands[theirs]
        return State(player, hands if player == 0 else hands[::-1], self.compiled.table(table))

    def _actions(self, table: int, group: int) -> list[int]:
        """The moves that hands of a group allow and for which the table has the numbers."""
        return [action for action in self.fitting[table] if action in self.allowed[group]]


_WALKS: dict[type[Environment], Walk] = {}


class Environment(gym.Env[npt.NDArray[Any], Any]):
    """What all five have in common. A subclass says which game it is and in what order gg-bench shows a position."""

    name: str
    options: Mapping[str, Any] = {}
    bounds: tuple[int, int]
    dtype: Any = np.dtype(np.int32)
    _here: Here
    _viewer: int
    done: bool

    @staticmethod
    def show_hand(hand: Any) -> Sequence[int]:
        """The numbers that are seen of a hand."""
        return [hand]

    @staticmethod
    def show_table(table: Any) -> Sequence[int]:
        """The numbers that are seen of a table that is not a pool. Of a pool, the counts are seen."""
        return []

    @staticmethod
    @abstractmethod
    def row(viewer: int, mine: bytes, theirs: bytes, table: bytes) -> bytes:
        """What gg-bench shows of a position, in its order: the packed numbers of both hands and of the table."""

    @classmethod
    def packed(cls, numbers: Sequence[int]) -> bytes:
        """Numbers as the bytes of an array. Putting bytes together is quicker than making arrays of numbers."""
        return np.array(numbers, cls.dtype).tobytes()

    def __init__(self) -> None:
        self.game = game(self.name, **self.options)
        self._walk = self._shared_walk()
        self._follow = self._walk.follow
        self._here, self._viewer, self.done = self._walk.first, 0, False
        self.action_space = spaces.Discrete(len(self.game.moves))
        self._shape = (len(self._here[SEEN_ROW]) // self.dtype.itemsize,)
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
        """The position as the rules know it."""
        return self._walk.state(self._here)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        if seed is not None:
            super().reset(seed=seed)
        self._here = here = self._walk.first
        self._viewer, self.done = 0, False
        return np.ndarray(self._shape, self.dtype, bytearray(here[SEEN_ROW])), {}

    def step(self, action: Any) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        here = self._here
        if self.done:
            return np.ndarray(self._shape, self.dtype, bytearray(here[SEEN_ROW])), 0.0, True, False, {}
        if not (type(action) is int or isinstance(action, np.integer)) or action not in here[VALID]:
            self.done = True
            return (
                np.ndarray(self._shape, self.dtype, bytearray(here[SEEN_ROW])),
                FAULT,
                True,
                False,
                {"reason": "Invalid move"},
            )
        self._here = here = self._follow(here, action)
        outcome = here[OUTCOME]
        if outcome is None:
            self._viewer = 1 - self._viewer
            return np.ndarray(self._shape, self.dtype, bytearray(here[SEEN_ROW])), 0.0, False, False, {}
        # After the end a position is seen as by the player who moved last.
        self.done = True
        reward = 0.0 if outcome.winner is None else 1.0 if outcome.winner == self._viewer else -1.0
        return (
            np.ndarray(self._shape, self.dtype, bytearray(here[SEEN_ROW])),
            reward,
            True,
            False,
            {"reason": str(outcome.reason)},
        )

    def valid_moves(self) -> list[int]:
        """The actions that may be taken now."""
        valid: list[int] = self._here[VALID]
        return [] if self.done else valid.copy()

    def render(self) -> Any:
        """The position in words, and whose turn it is."""
        return "\n".join([*self.game.view(self.state), f"Current player: {player_name(self._viewer)}"])

    def __deepcopy__(self, _: object) -> Environment:
        """Searches copy an environment at every step. Nothing that is shared ever changes."""
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
    """Number Quest, where gg-bench does not offer an operation that would be invalid."""

    name, bounds, dtype = "number-quest", (0, 450), np.dtype(np.float32)
    options = {"invalid": "refused"}

    @staticmethod
    def row(viewer: int, mine: bytes, theirs: bytes, table: bytes) -> bytes:
        return table + mine + theirs
