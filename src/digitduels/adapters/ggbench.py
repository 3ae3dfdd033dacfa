"""gg-bench: its five number duels with its interface and its action numbers, by the right rules.

gg-bench imports a class `CustomEnv` from its file `gg_bench/data/envs/env_417.py`. With this one line in that file

    from digitduels.adapters.ggbench import Env417 as CustomEnv

its training, its evaluation and its agents run on the rules of the book. Both players step the same object: the reward
is for the player who has just moved, 1 for a win, -1 for a loss, 0 otherwise, -10 for a move that is not valid, which
ends the game. `valid_moves()` lists the actions that may be taken; it is empty exactly when the game is over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from functools import lru_cache
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
"""A position: what its walk knows it by, then both hands by seat, the table, the valid actions, and the outcome."""
HANDS, TABLE, VALID, OUTCOME = -4, -3, -2, -1


class Walk(ABC):
    """How positions follow each other. All environments of a game share it."""

    first: Here

    @abstractmethod
    def follow(self, here: Here, action: Any) -> Here:
        """The position after a valid action."""


class PlainWalk(Walk):
    """By the rules alone, for games without a compiled form. A position is known by its state and what follows it."""

    def __init__(self, game: AnyGame) -> None:
        self.game, self.ids = game, {move: place for place, move in enumerate(game.moves)}
        self._kept = 0
        self.first = self._node(game.start())

    def follow(self, here: Here, action: Any) -> Here:
        state, following = here[:2]
        node: Here | None = following.get(action)
        if node is None:
            node = self._node(self.game.after(state, self.game.moves[action]))
            if self._kept < _REMEMBERED:
                self._kept += 1
                following[action] = node
        return node

    def _node(self, state: State[Any, Any]) -> Here:
        outcome = self.game.outcome(state)
        valid = [] if outcome else [self.ids[move] for move in self.game.permitted(state)]
        return state, {}, state.hands, state.table, valid, outcome


class CompiledWalk(Walk):
    """On the compiled form of a game. A position is known by integers: the player to move, both hands, the table."""

    def __init__(self, game: AnyGame) -> None:
        compiled = compile_game(game, lambda _: None)
        own, last, _ = with_endings(compiled)
        self.game, self.compiled = game, compiled
        self.ids = {move: place for place, move in enumerate(game.moves)}
        self.own, self.other = own.tolist(), compiled.other.T.tolist()
        self.needs, self.hands = [int(need) for need in compiled.needs], [*compiled.hands, *last]
        self.going_on = len(self.own)  # the hands from here on end the game
        self._most = compiled.takes.max(axis=0, initial=0).tolist()  # that one move takes of each number
        self._tables: dict[int, tuple[Any, dict[int, list[int]]]] = {}
        self._valid: dict[Hashable, dict[int, list[int]]] = {}
        start = game.start()
        numbers = (
            compiled.places[start.mine],
            compiled.places[start.theirs],
            start.table.place if compiled.digits else 0,
        )
        self.first = start.player, *numbers, start.hands, start.table, self._actions(start), None

    def follow(self, here: Here, action: Any) -> Here:
        # The player who waits is to move next.
        player, theirs, mine, number, _, _, _, _ = here
        mine, theirs = self.other[mine][action], self.own[theirs][action]
        player, number = 1 - player, number - self.needs[action]
        hands = self.hands
        seats = (hands[theirs], hands[mine]) if player else (hands[mine], hands[theirs])
        table, known = self._tables.get(number) or self._table(number)
        if theirs < self.going_on:
            valid = known.get(mine)
            if valid is None:
                valid = known[mine] = self._actions(State(player, seats, table))
            if valid:
                return player, mine, theirs, number, seats, table, valid, None
        return player, mine, theirs, number, seats, table, [], self.game.outcome(State(player, seats, table))

    def _actions(self, state: State[Any, Any]) -> list[int]:
        return [self.ids[move] for move in self.game.legal_moves(state)]

    def _table(self, place: int) -> tuple[Any, dict[int, list[int]]]:
        """The table with this number, and the valid actions by hand, which tables that allow the same moves share."""
        table = self.compiled.table(place)
        pattern = tuple(map(min, table.counts, self._most)) if self._most else None
        found = self._tables[place] = table, self._valid.setdefault(pattern, {})
        return found


@lru_cache(maxsize=16)
def _walk(game: AnyGame) -> Walk:
    try:
        return CompiledWalk(game)
    except DoesNotFactor:
        return PlainWalk(game)


class Environment(gym.Env[npt.NDArray[Any], Any]):
    """What all five have in common. A subclass says which game it is and in what order gg-bench shows a position."""

    name: str
    options: Mapping[str, Any] = {}
    bounds: tuple[int, int]
    kind: Any = np.dtype(np.int32)
    _here: Here
    _viewer: int
    done: bool

    @abstractmethod
    def row(self, viewer: int, hands: Any, table: Any) -> list[int]:
        """The numbers that gg-bench shows of a position, in its order."""

    def __init__(self) -> None:
        self.game = game(self.name, **self.options)
        self._walk = _walk(self.game)
        self._begin()
        self.action_space = spaces.Discrete(len(self.game.moves))
        self.observation_space = spaces.Box(*self.bounds, self._row().shape, self.kind)

    @property
    def state(self) -> State[Any, Any]:
        """The position as the rules know it."""
        here = self._here
        return State(self._viewer if here[OUTCOME] is None else 1 - self._viewer, here[HANDS], here[TABLE])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        self._begin()
        return self._row(), {}

    def step(self, action: Any) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        if self.done:
            return self._row(), 0.0, True, False, {}
        if not (type(action) is int or isinstance(action, np.integer)) or action not in self._here[VALID]:
            self.done = True
            return self._row(), FAULT, True, False, {"reason": "Invalid move"}
        self._here = here = self._walk.follow(self._here, action)
        outcome = here[OUTCOME]
        if outcome is None:
            self._viewer = viewer = 1 - self._viewer
            return np.array(self.row(viewer, here[HANDS], here[TABLE]), self.kind), 0.0, False, False, {}
        # After the end a position is seen as by the player who moved last.
        self.done = True
        reward = 0.0 if outcome.winner is None else 1.0 if outcome.winner == self._viewer else -1.0
        return self._row(), reward, True, False, {"reason": str(outcome.reason)}

    def valid_moves(self) -> list[int]:
        """The actions that may be taken now."""
        valid: list[int] = self._here[VALID]
        return [] if self.done else valid.copy()

    def render(self) -> Any:
        """The position in words, and whose turn it is."""
        return "\n".join([*self.game.view(self.state), f"Current player: {player_name(self._viewer)}"])

    def _begin(self) -> None:
        self._here, self._viewer, self.done = self._walk.first, 0, False

    def _row(self) -> npt.NDArray[Any]:
        return np.array(self.row(self._viewer, self._here[HANDS], self._here[TABLE]), self.kind)

    def __deepcopy__(self, _: object) -> Environment:
        """Searches copy an environment at every step. Nothing that is shared ever changes."""
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

    name, bounds, kind = "equation-duel", (-50, 150), np.dtype(np.float32)

    def row(self, viewer: int, hands: Any, table: Any) -> list[int]:
        return [*table.counts, *hands]


class Env951(Environment):
    """Number Quest, where gg-bench does not offer an operation that would be invalid."""

    name, bounds, kind = "number-quest", (0, 450), np.dtype(np.float32)
    options = {"invalid": "refused"}

    def row(self, viewer: int, hands: Any, table: Any) -> list[int]:
        return [*table.counts, hands[viewer], hands[1 - viewer]]
