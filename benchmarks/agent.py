"""Our levels against gg-bench's agents, rebuilt from the weights in gg-bench's repository.

An agent is a network of two hidden layers and a search of 300 iterations, whose playouts draw moves from the network.
This search makes the same choices, in our environments with gg-bench's interface.

Requires a checkout of gg-bench, but neither JAX nor PyTorch:

GGBENCH=../gg-bench python -m benchmarks agent
"""

from __future__ import annotations

import base64
import importlib.util
import io
import json
import math
import os
import pickle
import random
import sys
import zipfile
from copy import deepcopy
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import digitduels as dd
from digitduels.adapters import ggbench
from digitduels.arena.grading import share
from digitduels.players import player
from digitduels.players.levels import LEVELS_VERSION, tuning
from digitduels.players.policy import PolicyPlayer

PAGE = "results/gg-bench-417.md"
CHECKPOINTS = {417: 500_000, 390: 1_000_000, 88: 1_000_000}
"""The agents of our games with weights in the repository. gg-bench evaluates models against the first one only."""
GAMES, REPORTED = 200, 30  # games of each level; wins are reported as if there were 30, as in gg-bench
ITERATIONS, EXPLORATION = 300, 1.4
CACHED = 500_000  # positions whose probabilities are cached
Row = npt.NDArray[Any]


def table() -> str:
    print("{} of {} moves are those of gg-bench's own search.".format(*compare()), flush=True)
    rows = ["| game | agent | level | wins of 30 | 95 % interval |", "|---|---|---:|---:|---:|"]
    for number, checkpoint in CHECKPOINTS.items():
        env: ggbench.Environment = getattr(ggbench, f"Env{number}")()
        agent = Agent(f"gg_bench/data/models/env_{number}/agent_{checkpoint}.zip")
        for level in tuning(env.game).levels:
            opponent = player(str(level), env.game, dd.solve, seed=0)
            assert isinstance(opponent, PolicyPlayer)
            wins = share((points(env, agent, opponent, first=bool(game % 2), seed=game), 1) for game in range(GAMES))
            value, low, high = (f"{REPORTED * (wins[name] or 0):.1f}" for name in ("value", "low", "high"))
            rows.append(f"| {env.game.title} | env_{number}/agent_{checkpoint} | {level} | {value} | {low} to {high} |")
            print(rows[-1], flush=True)
    return "\n".join([*rows, "", f"{GAMES} games each, half from each seat. Levels of version {LEVELS_VERSION}."])


def compare(games: int = 4) -> tuple[int, int]:
    """How many moves gg-bench's own search and environment choose in the same way with the same random numbers."""
    from types import ModuleType

    agent, same, moves = Agent(f"gg_bench/data/models/env_417/agent_{CHECKPOINTS[417]}.zip"), 0, 0
    rng, predict = random.Random(0), ModuleType("gg_bench.utils.inference.predict")

    def get_prediction(agent: Agent, obs: Row, valid_moves: list[int]) -> int:
        *row, first = obs.tolist()
        return agent.draw(np.array(row, np.int32), FIRST if first else SECOND, valid_moves, rng)

    vars(predict)["get_prediction"] = get_prediction
    sys.modules[predict.__name__] = predict  # in place of the one that needs JAX
    search, wrapper, rules = (
        load(file) for file in ("utils/inference/mcts.py", "utils/env_wrappers/metadata.py", "data/envs/env_417.py")
    )
    for game in range(games):
        ours, theirs, seat, dice = ggbench.Env417(), wrapper.MetadataEnv(rules.CustomEnv()), FIRST, random.Random(game)
        row, _ = ours.reset()
        theirs.reset()
        while not ours.done:
            action = dice.choice(ours.valid_moves())
            if (seat == FIRST) == bool(game % 2):
                rng.seed(seed := dice.random())
                action = search.get_mcts_prediction(theirs, agent, ITERATIONS)
                same += action == agent.search(Node(ours, row, seat), random.Random(seed))
                moves += 1
            row, *_ = ours.step(action)
            theirs.step(action)
            seat = -seat
    return same, moves


def load(file: str) -> Any:
    """A module of gg-bench."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, checkout() / "gg_bench" / file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def points(env: ggbench.Environment, agent: Agent, opponent: PolicyPlayer, *, first: bool, seed: int) -> float:
    """What our player scores in a game: 1 for a win, half for a draw."""
    row, _ = env.reset()
    rng, ours, reward = random.Random(f"{opponent.name} {seed}"), first, 0.0
    indices = {move: index for index, move in enumerate(env.game.moves)}
    while not env.done:
        seat = FIRST if ours == first else SECOND
        action = indices[opponent.draw(env.state, rng)] if ours else agent.search(Node(env, row, seat), rng)
        row, reward, *_ = env.step(action)
        ours = not ours
    return (1 + (-reward if ours else reward)) / 2  # the reward is for the player who moved last


FIRST, SECOND = 1, -1  # the players, as gg-bench numbers them


class Node:
    """A position in the search tree. `wins` are those of the player who moved to it."""

    def __init__(
        self, env: ggbench.Environment, row: Row, player: int, reward: float = 0.0, parent: Node | None = None
    ) -> None:
        self.env, self.row, self.player, self.reward, self.parent = env, row, player, reward, parent
        self.untried, self.children = env.valid_moves(), dict[int, Node]()
        self.visits, self.wins = 0, 0.0

    def expand(self) -> Node:
        """Tries another action."""
        env, action = deepcopy(self.env), self.untried.pop()
        row, reward, *_ = env.step(action)
        self.children[action] = Node(env, row, -self.player, reward, self)
        return self.children[action]

    def best_child(self) -> Node:
        """The child with the highest upper confidence bound."""
        log = math.log(self.visits)
        return max(
            self.children.values(),
            key=lambda child: child.wins / child.visits + EXPLORATION * math.sqrt(log / child.visits),
        )


class Agent:
    """An agent of gg-bench."""

    def __init__(self, file: str) -> None:
        layers = read_weights(file)
        *self.hidden, self.last = [(layers[name]["kernel"], layers[name]["bias"]) for name in sorted(layers)]
        self.weights: dict[tuple[bytes, int], list[float]] = {}

    def draw(self, row: Row, player: int, valid: list[int], rng: random.Random) -> int:
        """Draws a valid action with the probabilities of the network."""
        key = row.tobytes(), player
        if key not in self.weights:
            if len(self.weights) == CACHED:
                self.weights.clear()
            values: Row = np.append(row, player == FIRST).astype(np.float32)
            for kernel, bias in self.hidden:
                values = np.tanh(values @ kernel + bias)
            logits = (values @ self.last[0] + self.last[1])[valid]
            self.weights[key] = list(accumulate(np.exp(logits - logits.max()).tolist()))
        return rng.choices(valid, cum_weights=self.weights[key])[0]

    def search(self, root: Node, rng: random.Random) -> int:
        """The most visited action after the search."""
        for _ in range(ITERATIONS):
            node = root
            while not node.env.done and not node.untried:
                node = node.best_child()
            if not node.env.done:
                node = node.expand()
            winner = self.playout(node, rng)
            ancestor: Node | None = node
            while ancestor is not None:
                ancestor.visits += 1
                ancestor.wins += 0.5 if winner == 0 else winner == -ancestor.player
                ancestor = ancestor.parent
        return max(root.children, key=lambda action: root.children[action].visits)

    def playout(self, node: Node, rng: random.Random) -> float:
        """Plays to the end with the network. Returns the player who wins, 0 for a draw."""
        env, row, player, reward = deepcopy(node.env), node.row, node.player, node.reward
        while valid := env.valid_moves():
            row, reward, *_ = env.step(self.draw(row, player, valid, rng))
            player = -player
        return -reward * player


# The weights


def read_weights(file: str) -> dict[str, dict[str, Row]]:
    """The layers of an agent's network. Runs no code of the file: only arrays are built, the rest are placeholders."""
    with zipfile.ZipFile(checkout() / file) as archive:
        data = json.loads(archive.read("data"))["policy"][":serialized:"]
    policy = Arrays(io.BytesIO(base64.b64decode(data))).load()
    layers: dict[str, dict[str, Row]] = policy.state["actor_state"].state["params"]["params"]
    return layers


def checkout() -> Path:
    """The folder of gg-bench."""
    folder = os.environ.get("GGBENCH")
    if folder is None:
        raise SystemExit("Set GGBENCH to a checkout of gg-bench: GGBENCH=../gg-bench python -m benchmarks agent")
    return Path(folder)


class Arrays(pickle.Unpickler):
    """Reads the arrays of a pickled object of JAX, with placeholders for everything else."""

    def find_class(self, module: str, name: str) -> Any:
        if name == "_reconstruct_array":
            return array_of_jax
        if module.startswith("numpy") and name in NUMPY:
            return NUMPY[name]
        return type(name, (Placeholder,), {})


def array_of_jax(build: Any, arguments: Any, state: Any, _: object) -> Row:
    array: Row = build(*arguments)
    array.__setstate__(state)
    return array


NUMPY = {
    "_reconstruct": lambda _, shape, code: np.ndarray(shape, code),
    "ndarray": np.ndarray,
    "dtype": np.dtype,
}


class Placeholder:
    """Stands for an object whose class is not needed, and keeps its state."""

    def __new__(cls, *_: object) -> Placeholder:
        return super().__new__(cls)

    def __init__(self, *_: object) -> None:
        self.state: Any = None

    def __call__(self, *_: object) -> Placeholder:
        return Placeholder()

    def __setstate__(self, state: object) -> None:
        self.state = state

    def __setitem__(self, *_: object) -> None:
        pass
