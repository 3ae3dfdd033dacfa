"""Gymnasium, many games at once: a vectorised environment that runs millions of steps per second.

>>> games = DuelVectorEnv("number-duel", num_envs=4)
>>> obs, _ = games.reset(seed=1)
>>> obs["observation"].shape, obs["action_mask"].shape
((4, 12), (4, 20))
>>> obs, rewards, over, _, _ = games.step(games.sample_legal())
>>> rewards
array([0., 0., 0., 0.])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.adapters import needs, placed_state, resolve_game, vector_kernels
from digitduels.adapters.gymnasium import RESET, SEAT_CHOICES, START_CHOICES, observation_space
from digitduels.core import State, TooLarge
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.players import OPPONENTS, player
from digitduels.players.error_tables import error_table
from digitduels.players.observation import Observation
from digitduels.players.policy import PERFECT, UNIFORM, PolicyPlayer
from digitduels.players.policy_kernels import ENTRY, Rules, rules_of, sight_table
from digitduels.solver.arrays import MOST_TABLES, Arrays, Finals, affordable, arrays, final_results
from digitduels.solver.compiled import Compiled, DoesNotFactor, count_tables
from digitduels.solver.discovery import compile_game
from digitduels.solver.solution_cache import solution_of
from digitduels.solver.tables import Tables
from digitduels.study.fair_starts import fair_start

with needs("gymnasium"):
    from gymnasium import spaces
    from gymnasium.error import ResetNeeded
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

VECTOR_OPPONENTS = ("self", *OPPONENTS)
_FAIR = 50  # the number of seeds for fair starts
_PATTERNS = 12  # masks are precomputed for pools with at most this many different numbers
_BOARD = 1 << 26  # the limit on pairs of hands
_INSTEAD = 'use gymnasium.make_vec(..., vectorization_mode="sync"), which plays any game.'


class World(NamedTuple):
    """The rules and the opponent as arrays of integers."""

    arrays: Arrays
    legal: npt.NDArray[np.int8]  # [hand, move]
    free: bool  # whether every move is legal with every hand
    stuck: npt.NDArray[np.int8]  # [hand]: WON, DRAWN or LOST for a mover who has no move with this hand
    features: npt.NDArray[np.int32]  # [hand, entry]: the entries of a hand in observations
    allowed: npt.NDArray[np.int8]  # [pattern of available numbers, move]; empty if there are too many patterns
    open: npt.NDArray[np.bool_]  # [pattern of available numbers]: whether any move is possible
    start_counts: npt.NDArray[np.uint8]  # [start, digit]
    start_hands: npt.NDArray[np.int32]  # [start, 0] is for the player to move, [start, 1] for the other
    start_masks: npt.NDArray[np.int8]  # [start, move]
    start_players: npt.NDArray[np.int8]  # [start]: the player to move
    finals: Finals
    kind: int  # of the opponent's policy
    sight: npt.NDArray[np.float64]  # [distance]: the probability that a level sees a result
    chances: npt.NDArray[np.uint8]  # [position]: how likely the player to move errs, which perfect play exploits
    rules: Rules  # without codes if the opponent plays at random
    entries: npt.NDArray[Any]  # memory for the opponent's moves, as the next one
    losing: npt.NDArray[np.float64]


class Games(NamedTuple):
    """The games in progress."""

    counts: npt.NDArray[np.uint8]
    hands: npt.NDArray[np.int32]  # [game, 0] is for the player to move, [game, 1] for the other
    player: npt.NDArray[np.int8]
    mask: npt.NDArray[np.int8]
    rows: npt.NDArray[np.int32]


class Results(NamedTuple):
    """The results of the last step."""

    reward: npt.NDArray[np.float64]
    done: npt.NDArray[np.bool_]
    illegal: npt.NDArray[np.bool_]
    over: npt.NDArray[np.bool_]  # ended and not restarted yet
    final: npt.NDArray[np.int32]


class DuelVectorEnv(VectorEnv[dict[str, Any], npt.NDArray[Any], npt.NDArray[Any]]):
    """Many games at once, by default the same problem as gymnasium.DuelEnv.

    With the opponent "random", "1" to "7" or "perfect", a step is the agent's move and the opponent's reply. The agent
    has seat 1, seat 2, or a random seat in each game. The reward is 1 for a win and -1 for a loss or an illegal action.
    With the opponent "self", every step is one player's move. Each player sees its own side of the position, and the
    reward is for the player who has just moved.
    When a game ends, a new one starts in the same step, and the last position is in info["final_obs"]. With Gymnasium's
    other autoreset modes, it starts in the next step or when you call reset() with a "reset_mask".
    With copy=False, the next step overwrites the returned arrays.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: str | AnyGame,
        num_envs: int = 1,
        opponent: str | int = "random",
        seat: int | str = "random",
        options: Mapping[str, Any] | None = None,
        copy: bool = True,
        start: str = "book",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        opponent = str(opponent)
        for name, value, choices in (
            ("opponent", opponent, VECTOR_OPPONENTS),
            ("seat", seat, SEAT_CHOICES),
            ("start", start, START_CHOICES),
        ):
            if value not in choices:
                instead = f" For other opponents {_INSTEAD}" if name == "opponent" else ""
                raise ValueError(f"{name} must be one of {', '.join(map(str, choices))}, not {value!r}.{instead}")
        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, not {num_envs}.")
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.game = resolve_game(game, options)
        self.view = Observation(self.game)
        self.num_envs, self.copy = num_envs, copy
        self.single_observation_space = observation_space(self.view)
        self.single_action_space = spaces.Discrete(len(self.game.moves))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._alone = opponent == "self"
        self._seat = SEAT_CHOICES.index(seat)
        starts = [self.game.start()] if start == "book" else _fair_starts(self.game)
        self.compiled, self._world, self._hands = _world(self.game, self.view, opponent, starts)
        self._rng = np.zeros(1, np.uint64)
        digits, moves = self.compiled.digits, len(self.game.moves)
        self._games = Games(
            counts=np.zeros((num_envs, digits), np.uint8),
            hands=np.zeros((num_envs, 2), np.int32),
            player=np.zeros(num_envs, np.int8),
            mask=np.zeros((num_envs, moves), np.int8),
            rows=np.tile(self.view.array(self.game.start()), (num_envs, 1)),
        )
        self._results = Results(
            reward=np.zeros(num_envs),
            done=np.zeros(num_envs, np.bool_),
            illegal=np.zeros(num_envs, np.bool_),
            over=np.zeros(num_envs, np.bool_),
            final=self._games.rows.copy(),
        )
        self._started = False
        self._none = np.zeros(num_envs, np.bool_)
        self._nothing = np.broadcast_to(np.int8(0), (num_envs, moves))

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts new games. All games share one seed, the first if you pass a list.

        With the option "reset_mask", an array of bools, only those games restart. The option "positions" sets the
        position of each game, or one position for all: a State, or one as JSON values. The player to move
        there is the agent.
        """
        super().reset(seed=seed[0] if isinstance(seed, list) else seed)
        options = options or {}
        restart = self._reset_mask(options.get("reset_mask"))
        self._rng[0] = self.np_random.integers(2**63)
        vector_kernels.reset(self._world, self._games, self._results, restart, self._alone, self._seat, self._rng)
        if options.get("positions") is not None:
            self._place(options["positions"], restart)
        self._started = True
        return self._observation(), self._info()

    def _reset_mask(self, mask: Any) -> npt.NDArray[np.bool_]:
        """Checks a reset mask. None means all games."""
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask must be a NumPy array of {self.num_envs} bools.")
        if not self._started:
            raise ResetNeeded("The first reset() must start all games.")
        return mask

    def _place(self, positions: Any, restart: npt.NDArray[np.bool_]) -> None:
        """Sets up the positions of the games that restart."""
        positions = positions if isinstance(positions, list) else [positions] * self.num_envs
        if len(positions) != self.num_envs:
            raise ValueError(f"There must be one position for each of the {self.num_envs} games, or one for all.")
        for index, position in enumerate(positions):
            if restart[index]:
                state = placed_state(self.game, position)
                counts, hands, mask, player = _numbers(self.compiled, self.view, state)
                self._games.counts[index], self._games.hands[index] = counts, hands
                self._games.mask[index], self._games.player[index] = mask, player
                self._games.rows[index] = self.view.array(state)

    def step(
        self, actions: npt.NDArray[Any]
    ) -> tuple[dict[str, Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        if not self._started:
            raise ResetNeeded(RESET)
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(f"There must be one integer for each of the {self.num_envs} games.")
        results, same = self._results, self.autoreset_mode == AutoresetMode.SAME_STEP
        if self.autoreset_mode == AutoresetMode.DISABLED and results.over.any():
            raise ResetNeeded('Some games are over: call reset(options={"reset_mask": …}) before the next step().')
        vector_kernels.step(
            self._world, self._games, results, actions.astype(np.int64), self._alone, self._seat, same, self._rng
        )
        info = self._info()
        done = self._output(results.done)
        if done.any():
            info["illegal"] = self._output(results.illegal)
            if same:
                final = {"observation": self._output(results.final), "action_mask": self._nothing}
                info |= {"final_obs": final, "_final_obs": done}
        return self._observation(), self._output(results.reward), done, self._output(self._none), info

    def sample_legal(self, masks: npt.NDArray[np.int8] | None = None) -> npt.NDArray[np.int64]:
        """A random legal action for each game, or for each mask. The same seed gives the same actions."""
        masks = self._games.mask if masks is None else masks
        actions = np.empty(len(masks), np.int64)
        vector_kernels.sample(masks, self._rng, actions)
        return actions

    def state(self, index: int) -> State[Any, Any]:
        """The position of one game, as a State of the rules."""
        mine, theirs = self._games.hands[index].tolist()
        table = int(self._games.counts[index] @ self.compiled.weights) if self.compiled.digits else 0
        return self.compiled.state(table, mine, theirs, int(self._games.player[index]), self._hands)

    def _output(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array.copy() if self.copy else array

    def _observation(self) -> dict[str, Any]:
        return {"observation": self._output(self._games.rows), "action_mask": self._output(self._games.mask)}

    def _info(self) -> dict[str, Any]:
        return {"player": self._output(self._games.player)}


def _fair_starts(game: AnyGame) -> list[State[Any, Any]]:
    """A fixed set of different fair starts."""
    matches = (Match(game, opening=fair_start(solution_of(game), seed)) for seed in range(_FAIR))
    return list(dict.fromkeys(match.state for match in matches))


def _numbers(
    compiled: Compiled, view: Observation, state: State[Any, Any]
) -> tuple[tuple[int, ...], list[int], npt.NDArray[np.int8], int]:
    """A position as integers for the kernels: the pool, both hands, the legal moves and the player to move.

    Raises UnknownPosition if it is not compiled, because the kernels do not check their indices.
    """
    _, *hands = compiled.encode(state)
    return state.table.counts if compiled.digits else (), hands, view.mask(state), state.player


def _world(
    game: AnyGame, view: Observation, opponent: str, starts: list[State[Any, Any]]
) -> tuple[Compiled, World, list[Any]]:
    """The compiled form of a game, its World and all hands; raises ValueError if the game has no compiled form."""
    policy = player("random" if opponent == "self" else opponent, game, _tables_of, seed=0)
    assert isinstance(policy, PolicyPlayer)
    assert policy.kind is not None
    solution = None if policy.kind == UNIFORM else _tables_of(game)
    try:
        compiled = _compiled(game) if solution is None else solution.compiled
        finals = final_results(compiled)
    except DoesNotFactor as reason:
        raise ValueError(f"{game.title} cannot be vectorised ({reason}); {_INSTEAD}") from None
    form, hands = arrays(compiled)
    nothing = np.empty(0)
    no_rules = Rules(form, np.empty(0, np.uint8), np.empty(0, np.uint8), 0, 0, 0, nothing, 0.0, 0.0, nothing)
    counts, firsts, masks, players = zip(*(_numbers(compiled, view, start) for start in starts), strict=True)
    few = compiled.digits <= _PATTERNS and (form.takes <= 1).all()
    patterns = np.arange(1 << compiled.digits if few else 0)[:, None] >> np.arange(compiled.digits) & 1
    allowed = affordable(compiled, patterns).astype(np.int8)
    legal = (form.own >= 0).astype(np.int8)
    sight = sight_table(policy, compiled.longest)
    world = World(
        arrays=form,
        legal=legal,
        free=bool(legal.all()),
        stuck=compiled.stuck.astype(np.int8),
        features=np.array([view.hand(hand) for hand in hands], np.int32).reshape(len(hands), -1),
        allowed=allowed,
        open=allowed.max(axis=1, initial=0) > 0,
        start_counts=np.array(counts, np.uint8).reshape(len(starts), compiled.digits),
        start_hands=np.array(firsts, np.int32),
        start_masks=np.array(masks, np.int8),
        start_players=np.array(players, np.int8),
        finals=finals,
        kind=policy.kind,
        sight=sight,
        chances=error_table(solution) if solution and policy.kind == PERFECT else np.empty(0, np.uint8),
        rules=no_rules if solution is None else rules_of(solution),
        entries=np.zeros(len(game.moves), ENTRY),
        losing=np.zeros((len(sight), 2)),
    )
    return compiled, world, hands


def _tables_of(game: AnyGame) -> Tables:
    """The table of a game; raises ValueError if it has none."""
    solution = solution_of(game)
    if not isinstance(solution, Tables):
        raise ValueError(f"{game.title} has no table, which this opponent needs here; {_INSTEAD}")
    return solution


def _compiled(game: AnyGame) -> Compiled:
    """Compiles a game; raises DoesNotFactor if that is impossible, and TooLarge if it is too large."""
    tables = count_tables(game)
    large = TooLarge(f"{game.title} with these options is too large to be vectorised; {_INSTEAD}")
    if tables > MOST_TABLES:
        raise large

    def check_size(positions: int) -> None:
        if positions // tables > _BOARD:
            raise large

    return compile_game(game, check_size)
