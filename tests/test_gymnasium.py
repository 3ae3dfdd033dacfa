"""The Gymnasium environment passes Gymnasium's own checks, plays by the rules, and never raises for any action."""

from __future__ import annotations

import random
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import digitduels as dd
from conftest import ROOT
from digitduels.adapters.gymnasium import DuelEnv
from digitduels.adapters.vector import DuelVectorEnv
from test_compiled import Plain
from variants import ALL, HUGE_TARGETS, describe

pytestmark = pytest.mark.slow

SENSELESS: list[Any] = [-1, 10**9, None, 1.5, "+5", np.array([1, 2]), [], np.int64(10**6)]


def env_id(name: str) -> str:
    return f"digitduels.adapters.gymnasium:digitduels/{dd.game(name).title.replace(' ', '')}-v0"


@pytest.mark.parametrize("variant", ALL, ids=describe)
def test_gymnasiums_own_checks_pass(variant: tuple[str, dict[str, Any]]) -> None:
    name, options = variant
    check_env(gymnasium.make(env_id(name), options=options, render_mode="ansi").unwrapped)


def test_a_new_game_passes_the_checks_too() -> None:
    check_env(DuelEnv(Plain()), skip_render_check=True)


@pytest.mark.parametrize("variant", ALL, ids=describe)
def test_masks_list_the_legal_moves_and_every_game_ends(variant: tuple[str, dict[str, Any]]) -> None:
    game = dd.game(variant[0], **variant[1])
    env, chance = DuelEnv(game), random.Random(1)
    for seed in range(3):
        seen, info = env.reset(seed=seed)
        longest = min(game.longest, 200)  # of a game with thousands of moves only the beginning
        for _ in range(longest):
            legal = [index for index, move in enumerate(game.moves) if move in game.legal_moves(env.match.state)]
            assert np.flatnonzero(seen["action_mask"]).tolist() == np.flatnonzero(info["action_mask"]).tolist() == legal
            assert env.observation_space.contains(seen)
            seen, reward, over, truncated, info = env.step(chance.choice(legal or [0]))
            assert not truncated
            if over:
                break
            assert seen["action_mask"].any()
            assert reward == 0
            assert env.match.state.player == env.player
        assert over or longest < game.longest
        if over:
            winner = game.outcome(env.match.state).winner  # type: ignore[union-attr]
            assert reward == (0 if winner is None else 1 if winner == env.player else -1)
            assert not seen["action_mask"].any()
            assert info["reason"] == game.outcome(env.match.state).reason  # type: ignore[union-attr]


@pytest.mark.parametrize("target", HUGE_TARGETS)
def test_numbers_beyond_32_bits_are_clipped_to_the_space(target: int) -> None:
    env = DuelEnv("operation-target", opponent="random", seat=1, options={"target": target})
    check_env(env, skip_render_check=True)
    (seen, _), over = env.reset(seed=1), False
    while not over:
        seen, _, over, _, _ = env.step(int(np.flatnonzero(seen["action_mask"])[-1]))
        assert env.observation_space.contains(seen)
        assert seen["observation"][-1] == min(env.match.state.table, 2**31 - 1)


@pytest.mark.parametrize("target", HUGE_TARGETS)
def test_a_vectorised_environment_refuses_what_it_cannot_count(target: int) -> None:
    with pytest.raises(ValueError, match="Operation Target cannot be vectorised"):
        DuelVectorEnv("operation-target", num_envs=2, options={"target": target})


@pytest.mark.parametrize("name", dd.games())
def test_no_action_raises_and_illegal_ones_lose(name: str) -> None:
    env = DuelEnv(name, seat=1)
    for action in SENSELESS:
        env.reset(seed=1)
        before = env.match.state
        seen, reward, over, _, info = env.step(action)
        assert (reward, over) == (-1, True)
        assert "is not an action in" in info["illegal"]
        assert info["illegal"] in info["reason"]
        assert env.match.state == before
        # Further steps report that the game is over, with a reward of 0.
        assert env.step(action)[1:3] == (0, True)
    for _ in range(20):
        seen, _ = env.reset()
        over = False
        while not over:
            action = env.action_space.sample()
            legal = seen["action_mask"][action]
            seen, reward, over, _, info = env.step(action)
            if not legal:
                assert (reward, over) == (-1, True)
                assert info["illegal"]


@pytest.mark.parametrize("name", dd.games())
def test_action_masks_work_with_maskable_ppo(name: str) -> None:
    env = gymnasium.make(env_id(name))
    seen, _ = env.reset(seed=1)
    over = False
    while not over:
        masks = env.get_wrapper_attr("action_masks")()  # the way sb3-contrib calls it
        assert masks.dtype == np.bool_
        assert masks.tolist() == seen["action_mask"].astype(bool).tolist()
        seen, _, over, _, _ = env.step(int(np.flatnonzero(masks)[-1]))
    assert not env.get_wrapper_attr("action_masks")().any()
    env.reset(seed=1)
    env.step(-1)
    assert not env.get_wrapper_attr("action_masks")().any()


@pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.array], ids=lambda kind: kind.__name__)
def test_an_action_can_be_any_integer_type(kind: Any) -> None:
    env = DuelEnv("number-duel", seat=1)
    env.reset(seed=1)
    assert env.step(kind(8))[1:3] == (0, False)
    assert str(env.match.moves[0]) == "+5"


def test_the_info_explains_an_illegal_move() -> None:
    env = DuelEnv("number-duel", options={"copies": 1}, seat=2)
    env.reset(seed=1)
    taken = env.game.moves.index(env.match.moves[0])
    *_, info = env.step(taken)
    assert info["illegal"].startswith("There is no ")


@pytest.mark.parametrize(
    "opponent", ["random", "1", 4, "7", "perfect", f"{sys.executable} {ROOT}/examples/take_the_biggest.py"]
)
def test_any_player_can_be_the_opponent(opponent: str | int, home: object) -> None:
    env = DuelEnv("number-duel", opponent=opponent, options={"highest": 4, "target": 12}, seat="random")
    for seed in range(4):
        seen, _ = env.reset(seed=seed)
        reward, over = 0.0, False
        while not over:
            seen, reward, over, _, _ = env.step(env.action_space.sample(seen["action_mask"]))
        outcome = env.match.outcome
        assert outcome is not None
        assert env.match.conceded is None  # neither player broke the rules
        assert reward == (0 if outcome.winner is None else 1 if outcome.winner == env.player else -1)
    env.close()


def test_a_program_that_breaks_the_rules_loses(home: object) -> None:
    env = DuelEnv("number-duel", opponent=f"{sys.executable} -c 'print(1)'", seat=1)
    env.reset(seed=1)
    _, reward, over, _, info = env.step(0)
    assert (reward, over) == (1, True)
    assert "forfeits the game" in info["reason"]
    env.close()


def test_a_program_that_fails_at_its_first_move_is_not_restarted_forever(home: object, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    program = f"open({str(starts)!r}, 'a').write('x')"
    env = DuelEnv("number-duel", opponent=shlex.join([sys.executable, "-c", program]), seat=2)
    _, info = env.reset(seed=1)
    assert info["seat"] == 1
    assert starts.read_text() == "x"
    _, reward, over, _, info = env.step(0)
    assert (reward, over) == (1, True)
    assert "forfeits the game" in info["reason"]
    env.close()


def test_a_game_never_ends_before_the_agent_has_moved(home: object) -> None:
    env = DuelEnv("equation-duel", seat=2)  # a random opponent may pass the target at once
    for seed in range(50):
        seen, info = env.reset(seed=seed)
        assert seen["action_mask"].any()
        assert info["seat"] == 2
    env = DuelEnv("number-duel", opponent="perfect", options={"target": 1, "highest": 1, "copies": 2}, seat=2)
    seen, info = env.reset(seed=1)  # the first player has already won
    assert (seen["action_mask"].tolist(), info["seat"]) == ([1, 1], 1)
    assert env.step(0)[1:3] == (1, True)


def test_the_same_seed_gives_the_same_games(home: object) -> None:
    def play(seed: int) -> list[str]:
        env = DuelEnv("number-quest", opponent="4", start="fair", options={"highest": 4, "target": 12})
        seen, _ = env.reset(seed=seed)
        over = False
        while not over:
            seen, _, over, _, _ = env.step(int(np.flatnonzero(seen["action_mask"])[0]))
        return [str(env.player), *map(str, env.match.moves)]

    assert play(1) == play(1)
    assert len({tuple(play(seed)) for seed in range(5)}) > 1


def test_the_seat_of_the_agent_can_be_chosen() -> None:
    for seat in (1, 2):
        env = DuelEnv("number-duel", seat=seat)
        assert {env.reset(seed=seed)[1]["seat"] for seed in range(5)} == {seat}
    env = DuelEnv("number-duel", seat="random")
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(9)} == {1, 2}


def test_a_fair_start_is_an_opening_that_leaves_a_winner(home: object) -> None:
    env = DuelEnv("number-duel", start="fair", seat=1, truth=True, options={"highest": 5, "target": 20})
    openings = set()
    for seed in range(4):
        _, info = env.reset(seed=seed)
        openings.add(tuple(env.match.moves[: env.match.opening]))
        assert info["value"] == max(info["values"][info["action_mask"] == 1])
    assert len(openings) > 1


@pytest.mark.parametrize("name", ["operation-target", "equation-duel"])
def test_exact_values_of_all_moves_are_in_the_info_on_request(name: str, home: object) -> None:
    options = {"highest": 5} if name == "equation-duel" else {}
    env = DuelEnv(name, truth=True, options=options)
    solution = dd.solve(env.game)
    for seed in range(5):
        seen, info = env.reset(seed=seed)
        over = False
        while not over:
            each = solution.judge(env.match.state)
            for move, value, distance in zip(env.game.moves, info["values"], info["distances"], strict=True):
                assert (value, distance) == each.get(move, (0, 0))
            assert (info["value"], info["distance"]) == solution.probe(env.match.state)
            seen, _, over, _, info = env.step(env.action_space.sample(seen["action_mask"]))
        assert not info["values"].any()
    assert "values" not in DuelEnv(name).reset(seed=1)[1]


def test_rendering_shows_the_position_as_people_see_it() -> None:
    env = DuelEnv("number-duel", seat=1, render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == "\n".join(env.game.view(env.game.start()))
    env.step(99)
    assert env.render().endswith("forfeits the game: 99 is not an action in Number Duel; actions are 0 to 19.")
    assert DuelEnv("number-duel").render() is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"opponent": "nobody"}, "There is no player 'nobody'"),
        ({"seat": 3}, "seat must be one of 1, 2, random, not 3."),
        ({"start": "anywhere"}, "start must be one of book, fair, not 'anywhere'."),
        ({"options": {"size": 3}}, "number-duel has no option 'size'"),
    ],
)
def test_invalid_arguments_are_refused_with_a_clear_message(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        DuelEnv("number-duel", **arguments)


def test_options_that_would_be_ignored_are_refused() -> None:
    with pytest.raises(ValueError, match="has its options already"):
        DuelEnv(dd.game("number-duel"), options={"target": 20})


@pytest.mark.parametrize("kind", [DuelEnv, DuelVectorEnv])
def test_a_step_before_the_first_game_is_refused(kind: Any) -> None:
    with pytest.raises(ResetNeeded, match="reset"):
        kind("number-duel").step(np.array([0]))


def test_gymnasium_vector_environments_batch_the_masks() -> None:
    env = gymnasium.make_vec(env_id("number-duel"), num_envs=3, vectorization_mode="sync")
    seen, info = env.reset(seed=1)
    for _ in range(30):
        told = info["_action_mask"]
        assert told.any()
        assert (seen["action_mask"] == info["action_mask"])[told].all()
        actions = [env.single_action_space.sample(mask) for mask in seen["action_mask"]]
        seen, _, _, _, info = env.step(np.array(actions))
    env.close()


def test_every_game_is_registered() -> None:
    known = [name for name in gymnasium.registry if name.startswith("digitduels/")]
    assert known == [env_id(name).partition(":")[2] for name in dd.games()]


@pytest.mark.parametrize(
    ("adapter", "framework"),
    [("gymnasium", "gymnasium"), ("vector", "gymnasium"), ("ggbench", "gymnasium"), ("pettingzoo", "pettingzoo")],
)
def test_a_missing_framework_gives_one_line_on_how_to_install_it(adapter: str, framework: str) -> None:
    program = f"import sys; sys.modules[{framework!r}] = None; import digitduels.adapters.{adapter}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ran.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: {framework} is missing. Install it with: pip install 'digitduels[{framework}]'"
    )


def test_the_info_has_the_same_keys_from_reset_to_the_end(home: object) -> None:
    # Tianshou stores infos in buffers of a fixed shape.
    env = DuelEnv("operation-target", options={"target": 9}, truth=True)
    for action in (None, 99):
        _, info = env.reset(seed=1)
        keys, over = set(info), False
        assert (info["reason"], info["illegal"]) == ("", "")
        while not over:
            legal = int(np.flatnonzero(env.action_masks())[0])
            _, _, over, _, info = env.step(legal if action is None else action)
            assert set(info) == keys
        assert info["reason"]
        assert bool(info["illegal"]) == (action is not None)
        assert (info["value"], info["distance"], info["values"].any()) == (-1 if action else info["value"], 0, False)
