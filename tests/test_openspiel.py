"""The OpenSpiel games pass OpenSpiel's own tests, and their values agree with our solver."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from absl import flags
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import generate_playthrough
from open_spiel.python.algorithms.minimax_solver import MinimaxSolver

import digitduels as dd
from conftest import PATIENCE
from digitduels.adapters.openspiel import NAME
from digitduels.games import AnyGame
from digitduels.position_json import position_to_json
from variants import ALL, HUGE_TARGETS, describe, play_on, reachable, solve

pytestmark = pytest.mark.slow

if not flags.FLAGS.is_parsed():  # as OpenSpiel's tests expect
    flags.FLAGS(["test"])

PLAYTHROUGHS = Path(__file__).parent / "playthroughs"
SMALL: list[tuple[str, dict[str, Any]]] = [
    ("numerical-nexus", {"target": 7, "uses": (1, 1, 0, 1, 0, 1)}),
    ("operation-target", {}),
    ("operation-target", {"target": 40, "start": 7}),
    ("number-duel", {"target": 12, "highest": 4, "copies": 1, "tie": "draw"}),
    ("equation-duel", {"target": 5, "highest": 4, "tie": "draw"}),
    ("equation-duel", {"target": 30, "highest": 6}),
    ("number-quest", {"target": 9, "highest": 3, "copies": 1, "tie": "draw"}),
    ("number-quest", {"target": 9, "highest": 3, "copies": 2, "division": "exact", "invalid": "refused"}),
]
WRITABLE = [variant for variant in ALL if variant[1].get("target", 0) < 2**31]  # OpenSpiel's integers have 32 bits


def written(variant: tuple[str, dict[str, Any]]) -> str:
    """A variant as OpenSpiel's loader reads it."""
    name, options = variant
    values = {key: "/".join(map(str, value)) if key == "uses" else value for key, value in options.items()}
    return f"{NAME}({','.join(f'{key}={value}' for key, value in {'game': name, **values}.items())})"


def load(variant: tuple[str, dict[str, Any]]) -> Any:
    return pyspiel.load_game(written(variant))


def suite_passes(kind: type[unittest.TestCase], game: Any, name: str) -> int:
    """Runs a class of OpenSpiel's tests on a game and returns their number."""
    made = type(kind.__name__, (kind,), {"game": game, "game_name": name})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(made).run(result)
    assert not [*result.errors, *result.failures], "\n".join(text for _, text in [*result.errors, *result.failures])
    assert not result.skipped
    return result.testsRun


def without_options(playthrough: str) -> list[str]:
    """The lines of a playthrough, except the one that lists the options of all games, which a new game changes."""
    return [line for line in playthrough.splitlines() if not line.startswith("GameType.parameter_specification")]


def histories(game: AnyGame, state: dd.State[Any, Any]) -> tuple[int, int]:
    """The number of move sequences from a position, including itself: unfinished and finished ones."""
    moves = game.legal_moves(state)
    if not moves:
        return 0, 1
    counts = [histories(game, game.play(state, move)) for move in moves]
    return 1 + sum(open_ for open_, _ in counts), sum(over for _, over in counts)


# Copies


def repickle(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("duplicate", [repickle, copy.deepcopy, copy.copy])
@pytest.mark.parametrize("variant", WRITABLE, ids=describe)
def test_copies_of_games_and_states_play_on(variant: tuple[str, dict[str, Any]], duplicate: Any) -> None:
    game, rng = load(variant), random.Random(1)
    state = game.new_initial_state()
    twin = duplicate(game).new_initial_state()
    for _ in range(50):
        assert (str(twin), twin.history(), twin.legal_actions()) == (str(state), state.history(), state.legal_actions())
        if state.is_terminal():
            break
        action = rng.choice(state.legal_actions())
        before = str(state)
        twin = duplicate(state)
        twin.apply_action(action)
        assert str(state) == before
        state.apply_action(action)
    assert twin.returns() == state.returns()


def test_a_copy_of_a_state_keeps_its_starting_position() -> None:
    game = load(("number-duel", {}))
    state = game.new_initial_state()
    state.apply_action(state.string_to_action("+5"))
    placed = game.new_initial_state(state.to_dict())
    placed.apply_action(placed.string_to_action("+7"))
    for twin in (repickle(placed), copy.deepcopy(placed)):
        assert str(twin) == str(placed)
        twin.apply_action(twin.string_to_action("x2"))
        assert twin.position.hands == (10, 7)


def test_a_pickled_state_plays_on_in_another_process(tmp_path: Path) -> None:
    state = load(("number-duel", {"target": 60})).new_initial_state()
    state.apply_action(state.string_to_action("+5"))
    (tmp_path / "state").write_bytes(pickle.dumps(state))
    program = (
        "import pickle, sys; s = pickle.load(open(sys.argv[1], 'rb')); s.apply_action(s.legal_actions()[0]); print(s)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "state"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.stdout.startswith("State(player=0, hands=(5, 1)"), ran.stderr


# OpenSpiel's own tests


@pytest.mark.parametrize("variant", WRITABLE, ids=describe)
def test_random_games_pass_openspiels_simulation_test(variant: tuple[str, dict[str, Any]]) -> None:
    pyspiel.random_sim_test(load(variant), num_sims=5, serialize=True, verbose=False, mask_test=True)


@pytest.mark.parametrize("name", dd.games())
def test_part_of_the_game_tree_passes_the_api_tests(name: str) -> None:
    assert suite_passes(api_test.EnforceAPIOnPartialTreeBase, load((name, {})), name) >= 5


@pytest.mark.parametrize("variant", [SMALL[1], SMALL[3], SMALL[4], SMALL[6]], ids=describe)
def test_the_whole_game_tree_passes_the_api_tests(
    variant: tuple[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = describe(variant)
    game = dd.game(variant[0], **variant[1])
    playable, over = histories(game, game.start())
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, name, (0, playable, over))
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, name, playable)
    assert suite_passes(api_test.EnforceAPIOnFullTreeBase, load(variant), name) >= 8


@pytest.mark.parametrize("path", sorted(PLAYTHROUGHS.iterdir()), ids=lambda path: path.stem)
def test_playthroughs_are_unchanged(path: Path) -> None:
    recorded, now = map(without_options, generate_playthrough.replay(str(path)))
    assert now == recorded


@pytest.mark.parametrize("variant", SMALL, ids=describe)
def test_the_minimax_solver_agrees_about_every_position_and_move(variant: tuple[str, dict[str, Any]]) -> None:
    game = dd.game(variant[0], **variant[1])
    solution, table = solve(game), MinimaxSolver(written(variant)).solve()
    open_ = {state for state in reachable(game) if game.outcome(state) is None}
    assert set(table) == {repr(state) for state in open_}
    for state in open_:
        entry = table[repr(state)]
        assert entry.value == solution.probe(state).value, state
        for move in game.legal_moves(state):
            after = solution.probe(game.play(state, move)).value
            assert entry.action_values[game.moves.index(move)] == -after, (state, move)


# Further properties


@pytest.mark.parametrize("variant", WRITABLE, ids=describe)
def test_a_game_follows_the_rules_to_the_end(variant: tuple[str, dict[str, Any]]) -> None:
    rules, game = dd.game(variant[0], **variant[1]), load(variant)
    assert game.num_distinct_actions() == len(rules.moves)
    assert game.max_game_length() == rules.longest
    states, moves = play_on(rules, rules.start(), random.Random(3), rules.longest)
    state = game.new_initial_state()
    for ours, move in zip(states, moves, strict=False):
        assert str(state) == repr(ours)
        assert state.current_player() == ours.player
        assert [rules.moves[action] for action in state.legal_actions()] == rules.legal_moves(ours)
        assert state.action_to_string(rules.moves.index(move)) == str(move)
        state.apply_action(rules.moves.index(move))
    outcome = rules.outcome(states[-1])
    assert state.is_terminal()
    assert outcome is not None
    assert state.returns() == {0: [1.0, -1.0], 1: [-1.0, 1.0], None: [0.0, 0.0]}[outcome.winner]


@pytest.mark.parametrize("variant", WRITABLE, ids=describe)
def test_a_game_is_serialized_and_loaded_again(variant: tuple[str, dict[str, Any]]) -> None:
    game = load(variant)
    assert str(pyspiel.load_game(str(game))) == str(game) == str(pickle.loads(pickle.dumps(game)))
    assert game.rules == dd.game(variant[0], **variant[1]) == pyspiel.load_game(str(game)).rules


@pytest.mark.parametrize("name", dd.games())
def test_a_position_is_serialized_as_json_and_played_on(name: str) -> None:
    game = load((name, {}))
    state = game.new_initial_state()
    rng = random.Random(4)
    while not state.is_terminal():
        again = game.new_initial_state(state.to_struct())
        assert str(game.new_initial_state(state.to_dict())) == str(again) == str(state)
        action = rng.choice(state.legal_actions())
        (same,) = state.struct_to_actions(state.action_to_struct(state.current_player(), action))
        assert same == action
        again.apply_action(action)
        copies = again.clone(), game.deserialize_state(again.serialize())
        state.apply_action(action)
        assert {str(copy) for copy in copies} == {str(state)} == {str(again)}
        assert state.observation_tensor(0) == again.observation_tensor(0)


def test_a_clone_is_independent() -> None:
    state = load(("number-duel", {})).new_initial_state()
    copy = state.clone()
    copy.apply_action(8)
    assert (str(state), state.history()) != (str(copy), copy.history())
    assert state.current_player() == 0
    assert copy.current_player() == 1


@pytest.mark.parametrize("variant", SMALL, ids=describe)
def test_different_positions_have_different_observations(variant: tuple[str, dict[str, Any]]) -> None:
    game = load(variant)
    positions = [state for state in reachable(game.rules) if game.rules.outcome(state) is None]
    states = [game.new_initial_state(position_to_json(game.rules, state)) for state in positions]
    for player in (0, 1):
        assert len({tuple(state.observation_tensor(player)) for state in states}) == len(states) > 1


def test_an_illegal_action_is_refused_with_the_reason_and_changes_nothing() -> None:
    state = load(("operation-target", {})).new_initial_state()
    state.apply_action(1)
    state.apply_action(1)
    before = str(state), state.history()
    with pytest.raises(dd.IllegalMove, match="Player 1 cannot Multiply by 2 again: it was their previous"):
        state.apply_action(1)
    for action in (-7, 2):
        with pytest.raises(dd.IllegalMove, match=f"{action} is not an action in Operation Target; actions are 0 to 1"):
            state.apply_action(action)
    assert (str(state), state.history()) == before


def test_a_finished_game_accepts_no_action() -> None:
    state = load(("number-duel", {"target": 1})).new_initial_state()
    state.apply_action(0)
    assert state.is_terminal()
    with pytest.raises(dd.IllegalMove, match="The game is over"):
        state.apply_action(2)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ("", "There is no game ''. The games are"),
        ("(game=chess)", "There is no game 'chess'"),
        ("(game=number-duel,division=exact)", "number-duel has no option 'division'"),
        ("(game=number-duel,target=0)", "target must be an integer"),
        ("(game=number-duel,tie=never)", "tie must be last-mover-loses, last-mover-wins or draw"),
        ("(game=numerical-nexus,uses=3/2/1)", "uses must be 6 integers"),
        ("(game=numerical-nexus,uses=a/b/c/d/e/f)", "uses must be 6 integers"),
    ],
)
def test_an_invalid_parameter_is_refused_with_the_allowed_values(parameters: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        pyspiel.load_game(NAME + parameters)


@pytest.mark.parametrize("target", HUGE_TARGETS)
def test_openspiel_refuses_parameters_beyond_32_bits(target: int) -> None:
    with pytest.raises(pyspiel.SpielError):
        pyspiel.load_game(f"{NAME}(game=operation-target,target={target})")


def test_an_invalid_position_is_refused() -> None:
    with pytest.raises(ValueError, match="A position of Number Duel looks like"):
        load(("number-duel", {})).new_initial_state({"player": 1})


@pytest.mark.parametrize(("framework", "module"), [("pyspiel", "openspiel"), ("textarena", "textarena")])
def test_a_missing_framework_is_reported_with_how_to_install_it(framework: str, module: str) -> None:
    script = f"import sys; sys.modules['{framework}'] = None; import digitduels.adapters.{module}"
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    hint = f"ModuleNotFoundError: {framework} is missing. Install it with: pip install 'digitduels[{module}]'"
    assert result.stderr.splitlines()[-1] == hint


if __name__ == "__main__":  # writes the playthroughs again
    for each in dd.games():
        text = generate_playthrough.playthrough(written((each, {})), action_sequence=None, seed=7)
        (PLAYTHROUGHS / f"{each}.txt").write_text(text, encoding="utf-8")
