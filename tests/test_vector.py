"""The vectorised environment follows the plain rules, step by step, in every game that factors."""

from __future__ import annotations

import random
import re
import runpy
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import digitduels as dd
from conftest import ROOT
from digitduels.adapters.vector import DuelVectorEnv
from digitduels.core import State
from digitduels.games.equation_duel import EquationDuel
from digitduels.games.number_duel import NumberDuel
from digitduels.players import error_tables
from digitduels.players.backward import error_steps
from digitduels.players.levels import Level
from digitduels.players.perfect import ErrorChances, Perfect
from digitduels.players.policy import chance_steps
from digitduels.pool import Pool
from digitduels.solver import cache
from digitduels.solver.tables import Tables
from test_compiled import Plain
from variants import ALL, describe, solve

pytestmark = pytest.mark.slow

FACTORING = [variant for variant in ALL if variant[0] != "operation-target"]
BOTH = ("observation", "action_mask")


def opposite(state: State[Any, Any]) -> State[Any, Any]:
    """The same position with the other player to move."""
    return State(1 - state.player, state.hands, state.table)


def follow(env: DuelVectorEnv, steps: int, seed: int, blunders: float = 0.0) -> int:
    """Compares every game with the rules, step by step, in self-play; returns the number of finished games."""
    game, view, chance = env.game, env.view, random.Random(seed)
    seen, info = env.reset(seed=seed)
    states = [game.start()] * env.num_envs
    ended = 0
    for _ in range(steps):
        for index, state in enumerate(states):
            assert env.state(index) == state
            assert info["player"][index] == state.player
            np.testing.assert_array_equal(seen["observation"][index], view.array(state))
            np.testing.assert_array_equal(seen["action_mask"][index], view.mask(state))
        actions = env.sample_legal()
        for index in range(env.num_envs):
            if chance.random() < blunders:
                actions[index] = chance.randrange(-2, len(game.moves) + 2)
        seen, rewards, over, truncated, info = env.step(actions)
        assert not truncated.any()
        for index, state in enumerate(states):
            mover, action = state.player, int(actions[index])
            legal = 0 <= action < len(game.moves) and game.objection(state, game.moves[action]) is None
            after = game.play(state, game.moves[action]) if legal else state
            outcome = game.outcome(after)
            assert over[index] == (outcome is not None or not legal)
            if over[index]:
                winner = outcome.winner if outcome is not None else 1 - mover
                assert rewards[index] == (0 if winner is None else 1 if winner == mover else -1)
                assert info["illegal"][index] == (not legal)
                assert info["_final_obs"][index]
                np.testing.assert_array_equal(info["final_obs"]["observation"][index], view.array(after))
                assert not info["final_obs"]["action_mask"][index].any()
                ended += 1
                states[index] = game.start()
            else:
                assert rewards[index] == 0
                states[index] = after
    return ended


@pytest.mark.parametrize("variant", FACTORING, ids=describe)
def test_every_step_follows_the_rules(variant: tuple[str, dict[str, Any]]) -> None:
    name, options = variant
    assert follow(DuelVectorEnv(name, num_envs=8, opponent="self", options=options), 50, seed=1)


@pytest.mark.parametrize("options", [{"highest": 13}, {"highest": 13, "copies": 1, "target": 30}], ids=str)
def test_large_pools_follow_the_rules(options: dict[str, Any]) -> None:
    assert follow(DuelVectorEnv("number-quest", num_envs=10, opponent="self", options=options), 60, seed=2)


def test_a_new_game_follows_its_rules() -> None:
    assert follow(DuelVectorEnv(Plain(), num_envs=10, opponent="self"), 40, seed=3)


@pytest.mark.parametrize("opponent", ["self", "4"])
def test_steps_ask_the_rules_nothing(opponent: str, home: object, monkeypatch: pytest.MonkeyPatch) -> None:
    env = DuelVectorEnv("equation-duel", 50, opponent, options={"target": 9, "highest": 5})
    env.reset(seed=1)
    monkeypatch.setattr(EquationDuel, "outcome", lambda *_: pytest.fail("The rules were asked."))
    empty = 0
    for _ in range(20):
        _, _, over, _, info = env.step(env.sample_legal())
        empty += int((info["final_obs"]["observation"][over, -5:].sum(axis=1) < 2).sum()) if over.any() else 0
    assert empty


@pytest.mark.parametrize("name", ["number-quest", "numerical-nexus"])
def test_an_illegal_action_loses(name: str) -> None:
    assert follow(DuelVectorEnv(name, num_envs=10, opponent="self"), 40, seed=4, blunders=0.3)


@pytest.mark.parametrize("opponent", ["random", "perfect"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("numerical-nexus", {"target": 12, "uses": (2, 1, 1, 1, 0, 1)}),
        ("number-duel", {"target": 20, "highest": 5, "tie": "draw"}),
        ("equation-duel", {"highest": 7}),
    ],
)
def test_an_opponent_replies_by_the_rules(name: str, options: dict[str, Any], opponent: str, home: object) -> None:
    game = dd.game(name, **options)
    env = DuelVectorEnv(game, num_envs=30, opponent=opponent, seat="random")
    perfect = Perfect(solve(game), seed=0)
    seen, info = env.reset(seed=5)
    seats, results = set(), []
    for _ in range(40):
        before = [env.state(index) for index in range(env.num_envs)]
        seats |= {state.player for state in before}
        actions = env.sample_legal()
        seen, rewards, over, _, info = env.step(actions)
        results += rewards[over].tolist()
        for index, state in enumerate(before):
            mine = game.play(state, game.moves[actions[index]])
            outcome = game.outcome(mine)
            if outcome is None:
                replies = perfect.candidates(mine) if opponent == "perfect" else game.legal_moves(mine)
                possible = [game.play(mine, reply) for reply in replies]
            else:
                possible = [mine]
            if over[index]:
                rows = [env.view.array(after, state.player).tolist() for after in possible if game.outcome(after)]
                assert info["final_obs"]["observation"][index].tolist() in rows
                ends = {game.outcome(after) for after in possible} - {None}
                worth = {0 if end.winner is None else 1 if end.winner == state.player else -1 for end in ends if end}
                assert rewards[index] in worth
            else:
                assert env.state(index) in possible
                assert rewards[index] == 0
            np.testing.assert_array_equal(seen["observation"][index], env.view.array(env.state(index)))
            np.testing.assert_array_equal(seen["action_mask"][index], env.view.mask(env.state(index)))
    assert seats == {0, 1}
    assert len(set(results)) > 1 or opponent == "perfect"


def test_a_random_seat_is_each_seat_equally_often() -> None:
    env = DuelVectorEnv("number-quest", num_envs=1000, opponent="random", seat="random")
    env.reset(seed=1)
    assert 440 < sum(env.state(index).player for index in range(env.num_envs)) < 560


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("numerical-nexus", {"target": 12, "uses": (2, 1, 1, 1, 0, 1)}),
        ("number-quest", {"target": 12, "highest": 4}),
        ("number-duel", {"target": 12, "highest": 4, "copies": 1, "tie": "draw"}),
    ],
)
def test_the_table_of_chances_agrees_with_perfect_play(name: str, options: dict[str, Any], home: object) -> None:
    solution = solve(dd.game(name, **options))
    assert isinstance(solution, Tables)
    table, chances = error_tables.error_table(solution), ErrorChances(solution)
    rng, found = random.Random(9), set()
    for _ in range(20):
        state = solution.game.start()
        while solution.game.outcome(state) is None:
            chance = chances.plain(state, chances.replies)
            assert table[solution.index(state)] == chance_steps(chance)
            found.add(int(table[solution.index(state)]))
            state = solution.game.after(state, rng.choice(solution.game.legal_moves(state)))
    assert len(found) > 3


def test_the_table_of_chances_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    built = []

    def build(solution: Any) -> Any:
        built.append(solution.game)
        return error_steps(solution)

    monkeypatch.setattr(error_tables, "error_steps", build)
    solution = dd.solve(dd.game("number-duel", target=9, highest=3))
    assert isinstance(solution, Tables)
    tables = []
    for _ in range(2):
        error_tables.error_table.cache_clear()
        tables.append(error_tables.error_table(solution))
    np.testing.assert_array_equal(tables[0], tables[1])
    assert len(built) == 1
    # A damaged file is not used.
    path = cache.path_of(solution.game).with_suffix(cache.CHANCE_FILES)
    path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    error_tables.error_table.cache_clear()
    np.testing.assert_array_equal(error_tables.error_table(solution), tables[0])
    assert len(built) == 2
    assert len(cache.clear()) == 2
    assert not path.exists()


@pytest.mark.parametrize("name", ["number-duel", "equation-duel"])
@pytest.mark.parametrize("seat", [1, 2])
def test_the_agent_gets_the_requested_seat(seat: int, name: str) -> None:
    env = DuelVectorEnv(name, num_envs=5, opponent="random", seat=seat)
    env.reset(seed=6)
    for _ in range(30):
        assert {env.state(index).player for index in range(5)} == {seat - 1}
        env.step(env.sample_legal())


def test_an_opponent_that_would_win_with_its_first_move_lets_the_agent_begin(home: object) -> None:
    options = {"target": 1, "highest": 1}
    env = DuelVectorEnv("number-duel", num_envs=5, opponent="perfect", seat=2, options=options)
    seen, info = env.reset(seed=7)
    assert seen["action_mask"].all()
    assert not info["player"].any()


def test_the_same_seed_gives_the_same_games() -> None:
    def games(seed: int) -> list[int]:
        env = DuelVectorEnv("number-quest", num_envs=3, opponent="random")
        env.reset(seed=seed)
        found: list[int] = []
        for _ in range(30):
            found += env.step(env.sample_legal())[0]["observation"].reshape(-1).tolist()
        return found

    assert games(1) == games(1) != games(2)


def test_random_legal_actions_are_all_equally_likely() -> None:
    env = DuelVectorEnv("number-duel", num_envs=1)
    env.reset(seed=8)
    few, many = np.zeros((40_000, 300), np.int8), np.zeros((40_000, 20), np.int8)
    few[:, [3, 150, 299]] = 1  # too few to be found by random tries
    many[:, ::2] = 1
    for masks in (few, many):
        found = np.bincount(env.sample_legal(masks), minlength=masks.shape[1])
        expected = len(masks) / masks[0].sum()
        assert (found[masks[0] == 0] == 0).all()
        assert (abs(found[masks[0] == 1] - expected) < 5 * np.sqrt(expected)).all()
    assert (env.sample_legal(np.zeros((3, 20), np.int8)) == 0).all()


def test_steps_return_copies_by_default() -> None:
    for copy in (True, False):
        env = DuelVectorEnv("number-duel", num_envs=2, copy=copy)
        seen, _ = env.reset(seed=9)
        before = {key: seen[key].copy() for key in BOTH}
        env.step(env.sample_legal())
        assert all((seen[key] == before[key]).all() for key in BOTH) == copy


@pytest.mark.parametrize("name", [name for name in dd.games() if name != "operation-target"])
def test_gymnasium_makes_it_and_its_values_are_in_its_spaces(name: str) -> None:
    title = dd.game(name).title.replace(" ", "")
    env = gymnasium.make_vec(f"digitduels.adapters.gymnasium:digitduels/{title}-v0", num_envs=3)
    assert isinstance(env.unwrapped, DuelVectorEnv)
    seen, _ = env.reset(seed=10)
    for _ in range(20):
        assert env.observation_space.contains(seen)
        actions = env.unwrapped.sample_legal()
        assert env.action_space.contains(actions)
        seen = env.step(actions)[0]
    env.close()


@pytest.mark.parametrize("mode", [None, "sync"])
def test_an_id_is_the_same_problem_single_and_vectorised(mode: str | None) -> None:
    """The agent keeps its seat, and the opponent replies in the same step. Only opponent="self" is different."""
    env_id = "digitduels.adapters.gymnasium:digitduels/NumberDuel-v0"
    one = gymnasium.make(env_id)
    many = gymnasium.make_vec(env_id, num_envs=100, vectorization_mode=mode)
    assert one.observation_space == many.single_observation_space
    assert one.action_space == many.single_action_space

    def taken(rows: Any) -> Any:
        return 20 - rows[..., 2:].sum(axis=-1)

    begun = {int(taken(one.reset(seed=seed)[0]["observation"])) for seed in range(20)}
    seen, _ = many.reset(seed=1)
    before = taken(seen["observation"])
    assert set(before.tolist()) == begun == {0, 1}  # the opponent has moved first in some games
    seen, _, over, _, _ = many.step(seen["action_mask"].argmax(axis=1))
    assert not over.any()
    assert (taken(seen["observation"]) == before + 2).all()
    many.close()


@pytest.mark.parametrize(
    ("name", "options", "opening"),
    [
        ("numerical-nexus", {"target": 12, "uses": (2, 1, 1, 1, 0, 1)}, "x2 +1 +3 +5"),
        ("number-quest", {"target": 12, "highest": 4}, ""),
        ("number-duel", {"highest": 5, "target": 20, "tie": "draw"}, "+2 +3 +5 +1"),
        ("equation-duel", {"highest": 7}, "3x7 4+5"),
    ],
)
@pytest.mark.parametrize("level", [2, 4, 6])
def test_a_level_replies_with_its_exact_probabilities(
    name: str, options: dict[str, Any], opening: str, level: int, home: object
) -> None:
    game, count = dd.game(name, **options), 4000
    state = game.start()
    for token in opening.split():
        state = game.play(state, game.read(token))
    env = DuelVectorEnv(game, count, level, autoreset_mode=AutoresetMode.DISABLED)
    policy = Level(level, solve(game), seed=0)
    for move in game.legal_moves(state)[::3]:
        after = game.play(state, move)
        if game.outcome(after) is not None:
            continue
        expected: dict[Any, float] = defaultdict(float)
        for reply, likely in policy.probabilities(after).items():
            expected[game.play(after, reply)] += likely
        env.reset(seed=level, options={"positions": state})
        env.step(np.full(count, game.moves.index(move)))
        found = Counter(env.state(index) for index in range(count))
        for following in {*expected, *found}:
            likely = expected[following]
            assert abs(found[following] - count * likely) <= 5 * (count * likely * (1 - likely)) ** 0.5 + 0.01, move


def test_an_opponent_that_cannot_be_vectorised_is_refused_with_an_alternative() -> None:
    with pytest.raises(ValueError, match=r'^opponent must be one of self, random, 1, .* vectorization_mode="sync'):
        DuelVectorEnv("number-duel", opponent="coach")


class Clash(NumberDuel):
    """Landing on 13 while the opponent is at 11 sends the opponent back to 0, so moves do not factor."""

    @property
    def id(self) -> str:
        return "clash"

    def after(self, state: State[int, Pool], move: Any) -> State[int, Pool]:
        after = super().after(state, move)
        return after._replace(hands=(13, 0) if state.player == 0 else (0, 13)) if {*after.hands} == {11, 13} else after


@pytest.mark.parametrize("opponent", ["4", "perfect"])
def test_an_opponent_that_needs_a_table_is_refused_without_one(opponent: str, home: object) -> None:
    with pytest.raises(ValueError, match=r'has no table, which this opponent needs here; .* vectorization_mode="sync"'):
        DuelVectorEnv(Clash(target=20, highest=5), opponent=opponent)


def test_a_game_that_does_not_factor_is_refused_with_an_alternative() -> None:
    with pytest.raises(ValueError, match=r"^Operation Target cannot be vectorised \(.*\); .* vectorization_mode="):
        DuelVectorEnv("operation-target", num_envs=2)
    env = gymnasium.make_vec(
        "digitduels.adapters.gymnasium:digitduels/OperationTarget-v0", num_envs=2, vectorization_mode="sync"
    )
    seen, _ = env.reset(seed=1)
    assert seen["action_mask"].tolist() == [[1, 1], [1, 1]]
    env.close()


@pytest.mark.parametrize(
    "arguments",
    [
        {"game": "number-duel", "options": {"highest": 99, "copies": 99}},
        {"game": "number-duel", "options": {"target": 10**6, "copies": 3}},
        {"game": "number-duel", "opponent": "8"},
        {"game": "number-duel", "seat": 3},
        {"game": "number-duel", "num_envs": 0},
        {"game": "chess"},
    ],
    ids=str,
)
def test_invalid_arguments_are_refused_with_a_clear_message(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^[A-Za-z].*\.$"):
        DuelVectorEnv(**{"num_envs": 2, **arguments})


@pytest.mark.parametrize("actions", [np.array([1]), np.array([1.5, 2.0]), [None, None], 3, np.zeros((2, 1), int)])
def test_actions_must_be_one_integer_per_game(actions: Any) -> None:
    env = DuelVectorEnv("number-duel", num_envs=2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="one integer for each of the 2 games"):
        env.step(actions)


# examples/learn.py


@pytest.fixture
def learn(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """Runs the example with these arguments."""

    def run(*arguments: str) -> object:
        monkeypatch.chdir(home)
        monkeypatch.setattr(sys, "argv", ["learn.py", *arguments])
        return runpy.run_path(str(ROOT / "examples" / "learn.py"), run_name="__main__")

    return run


def test_the_example_learns_and_draws_its_score(
    home: Path, learn: Callable[..., object], capsys: pytest.CaptureFixture[str]
) -> None:
    learn("--seconds", "0.001", "--set", "highest=3", "--set", "target=9")  # one round of moves is enough
    shown = capsys.readouterr().out
    scores = [float(score) for score in re.findall(r"critical moves found: ([01]\.\d+)\n", shown)]
    assert scores[0] < 0.7
    assert scores[-1] == 1
    assert "perfect play finds 1. The plot is in learning.svg." in shown
    drawing = ElementTree.parse(home / "learning.svg").getroot()
    assert len(drawing.findall("{http://www.w3.org/2000/svg}polyline")) == 1
    assert "exact optimum: 1" in (home / "learning.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--game", "chess"], "There is no game 'chess'."),
        (["--set", "size=3"], "number-duel has no option 'size'."),
        (["--game", "operation-target"], "Operation Target cannot be vectorised"),
    ],
)
def test_the_example_refuses_invalid_arguments_with_a_clear_message(
    learn: Callable[..., object], capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str
) -> None:
    with pytest.raises(SystemExit) as end:
        learn(*arguments)
    assert end.value.code == 2
    assert f"learn.py: error: {reason}" in capsys.readouterr().err
