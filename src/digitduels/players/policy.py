"""Players and policies: what every player does, and how a policy plays.

A policy is a function from a position to the probabilities of its legal moves. A player draws its moves from them. All
our own players are policies: random play, the levels, perfect play, and the tables and functions that you pass to
`evaluate`.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.match import Match

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from digitduels.solver.tables import Tables

UNIFORM, LEVEL, PERFECT = 0, 1, 2  # the kinds of policies that policy_kernels.py computes


class Forfeit(Exception):
    """A player loses the game because it did not play a legal move in time; says why."""


class Player(ABC):
    """Chooses moves in a match. With the same seed, a player chooses the same moves in the same game."""

    name: str

    @abstractmethod
    def choose(self, match: Match) -> Any:
        """Chooses a legal move in a game that is not over; raises Forfeit if the player fails to."""

    def close(self) -> None:  # noqa: B027  most players hold no resources
        """Releases the player's resources when the game is over."""

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Policy(Protocol):
    """Chooses moves with known probabilities."""

    def probabilities(self, state: State[Any, Any]) -> Mapping[Any, float]:
        """The probability of each legal move in a position that is not over."""


class PolicyPlayer(Player):
    """A player that draws its moves from a policy."""

    name = "policy"
    kind: ClassVar[int | None] = None
    """The kind of a policy that the kernels compute."""

    def __init__(self, game: AnyGame, seed: object = None) -> None:
        self.game = game
        self.seed = random.getrandbits(64) if seed is None else seed

    @property
    def signature(self) -> Hashable:
        """Players of one game with the same signature have the same probabilities."""
        return id(self)

    @abstractmethod
    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        """The probability of each legal move in a position that is not over."""

    def draw(self, state: State[Any, Any], rng: random.Random) -> Any:
        """Draws a move with these probabilities."""
        moves = self.probabilities(state)
        return rng.choices(list(moves), list(moves.values()))[0]

    def choose(self, match: Match) -> Any:
        # The random numbers depend only on the seed and the game so far, even after moves are taken back or replayed.
        return self.draw(match.state, random.Random(f"{self.seed} {match.first} {' '.join(map(str, match.moves))}"))


def evenly(legal: Iterable[Any], moves: Collection[Any]) -> dict[Any, float]:
    """The probabilities of the legal moves if one of some moves is drawn."""
    return {move: (move in moves) / len(moves) for move in legal}


class Uniform(PolicyPlayer):
    """Plays every legal move with the same probability."""

    name, kind = "random", UNIFORM

    @property
    def signature(self) -> Hashable:
        return self.kind

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        moves = self.game.legal_moves(state)
        return dict.fromkeys(moves, 1 / len(moves))

    def draw(self, state: State[Any, Any], rng: random.Random) -> Any:
        return rng.choice(self.game.legal_moves(state))


class TablePolicy(PolicyPlayer):
    """Plays by a table from positions to the probabilities of moves, or of all actions in order."""

    def __init__(self, game: AnyGame, table: Mapping[State[Any, Any], Mapping[Any, float] | Sequence[float]]) -> None:
        super().__init__(game)
        self.table = table

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        try:
            row = self.table[state]
        except KeyError:
            raise ValueError(f"The table has no probabilities for {state}.") from None
        moves = self.game.moves
        if isinstance(row, Mapping):
            if unknown := [move for move in row if move not in moves]:
                raise ValueError(f"The table has {unknown[0]!r} as a move; give moves of game.moves.")
            row = [row.get(move, 0.0) for move in moves]
        legal = set(self.game.legal_moves(state))
        shares = normalized([row], [[move in legal for move in moves]])[0].tolist()
        return {move: share for move, share in zip(moves, shares, strict=True) if move in legal}


class FunctionPolicy(PolicyPlayer):
    """Plays by a function that maps observations and action masks, one row per position, to action probabilities."""

    def __init__(self, game: AnyGame, function: Callable[[Any, Any], Any]) -> None:
        from digitduels.players.observation import Observation

        super().__init__(game)
        self.function, self.view = function, Observation(game)
        self._features: npt.NDArray[np.int32] | None = None

    def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
        mask = self.view.mask(state)[None]
        shares = normalized(self.function(self.view.array(state)[None], mask), mask)[0].tolist()
        return {move: share for move, share, legal in zip(self.game.moves, shares, mask[0], strict=True) if legal}

    def batch(self, solution: Tables, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """[position, move]: the probability of each move in some positions of a table."""
        import numpy as np

        from digitduels.solver.arrays import counts, legal_moves, split

        compiled = solution.compiled
        if self._features is None:
            self._features = np.array([list(self.view.hand(hand)) for hand in compiled.hands], np.int32)
        table, mine, theirs = split(compiled, indices)
        rows = np.hstack([self._features[mine], self._features[theirs], counts(compiled, table)]).astype(np.int32)
        mask = legal_moves(compiled, indices).astype(np.int8)
        return normalized(self.function(rows, mask), mask)


CHANCE_STEPS = 250  # probabilities are compared in steps of 1/250, which fit into a byte
HALF = 0.501  # added before truncation; above 0.5, so that simple fractions round up however they were computed


def chance_steps(probability: float) -> int:
    """A probability in the steps in which it is compared with others: within a step, they are equally likely."""
    return int(probability * CHANCE_STEPS + HALF)


_SLACK = 1e-3  # tolerance for the sum of probabilities: learners often compute with 32-bit floats


def normalized(rows: Any, mask: Any) -> npt.NDArray[np.float64]:
    """Scales probabilities to add up to exactly 1; raises ValueError if they are not probabilities of legal moves."""
    import numpy as np

    shares, mask = np.asarray(rows, np.float64), np.asarray(mask)
    if shares.shape != mask.shape:
        raise ValueError(f"There must be {mask.shape[1]} probabilities for each of {mask.shape[0]} positions.")
    if not np.isfinite(shares).all() or shares.min(initial=0.0) < 0:
        raise ValueError("A probability must be a number from 0 to 1.")
    if shares[mask == 0].max(initial=0.0) > _SLACK:
        raise ValueError("An illegal move has a probability above 0; the second argument says which moves are legal.")
    shares = np.where(mask, shares, 0.0)
    totals: npt.NDArray[np.float64] = shares.sum(axis=1, keepdims=True)
    if np.abs(totals - 1).max(initial=0.0) > _SLACK:
        raise ValueError("The probabilities of the legal moves of a position must add up to 1.")
    return np.divide(shares, totals)
