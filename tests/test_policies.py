"""Policies: levels play naturally and by their stated probabilities, and their exact evaluation is correct."""

from __future__ import annotations

import importlib.util
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import digitduels as dd
from digitduels.arena.contest import contest
from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.players import backward, player
from digitduels.players import policy_kernels as kernels
from digitduels.players.evaluation import evaluate, evaluation_sheet, expect, facts, plain, policy_of
from digitduels.players.levels import CHARACTERS, POINTLESS, Level, candidates, natural_weights, tuning
from digitduels.players.observation import Observation
from digitduels.players.perfect import ErrorChances, Perfect, error_chance
from digitduels.players.policy import PERFECT, Policy, PolicyPlayer, TablePolicy, Uniform, chance_steps
from digitduels.solver.search import Search
from digitduels.solver.solution_cache import solution_of
from digitduels.solver.tables import Tables
from variants import describe, play_on, reachable, solve

pytestmark = pytest.mark.slow

# Operation Target has no table, so the definition itself plays it.
SMALL: list[tuple[str, dict[str, Any]]] = [
    ("number-quest", {"target": 12, "highest": 4, "copies": 1}),
    ("number-duel", {"target": 12, "highest": 4, "copies": 1, "tie": "draw"}),
    ("equation-duel", {"target": 9, "highest": 5}),
    ("numerical-nexus", {"target": 14, "uses": (2, 1, 0, 1, 0, 1)}),
]
# In these, perfect play can hope for a mistake in the opponent's second or third turn. In those above it cannot.
PATIENT: list[tuple[str, dict[str, Any]]] = [
    ("number-quest", {"target": 20, "highest": 4, "copies": 2}),
    ("numerical-nexus", {"target": 14, "uses": (2, 1, 1, 1, 0, 1)}),
]


@pytest.fixture(scope="module", params=SMALL, ids=describe)
def game(request: pytest.FixtureRequest) -> AnyGame:
    return dd.game(request.param[0], **request.param[1])


def some_positions(game: AnyGame, seed: int, count: int = 40) -> list[State[Any, Any]]:
    rng, found = random.Random(seed), list[State[Any, Any]]()
    while len(found) < count:
        found += [state for state in play_on(game, game.start(), rng, 99)[0] if game.outcome(state) is None]
    return found[:count]


# Natural moves


def test_every_legal_move_has_a_weight_and_pointless_moves_have_small_ones(game: AnyGame) -> None:
    for state in some_positions(game, 1):
        found = natural_weights(game, state)
        assert list(found) == game.legal_moves(state)
        assert all(weight > 0 for weight in found.values())
        for move, weight in found.items():
            after = game.after(state, move)
            if game.scores(after) == game.scores(state) and game.outcome(after) is None:
                assert weight <= POINTLESS * math.exp(1.5)


@pytest.mark.parametrize("name", dd.games())
def test_moves_that_overshoot_or_set_the_player_back_have_the_smallest_weight(name: str) -> None:
    game, bad = dd.game(name), 0
    for state in some_positions(game, 9, 300):
        move_weights, before = natural_weights(game, state), game.scores(state)
        changing = {move: weight for move, weight in move_weights.items() if game.effect(state, move).scores != before}
        for move, weight in changing.items():
            if game.effect(state, move).tone == "bad":
                bad += 1
                assert weight == pytest.approx(min(changing.values()))
    assert bad


@pytest.mark.parametrize("name", ["number-quest", "number-duel"])
@pytest.mark.parametrize("level", ["2", "3", "4", "5", "6"])
def test_a_first_reply_makes_progress(name: str, level: str) -> None:
    solution = solve(dd.game(name))
    odd = 0
    for seed in range(60):
        match = Match(solution.game)
        match.play(solution.game.read("+5"))
        move = player(level, solution.game, solve, seed).choose(match)
        odd += solution.game.effect(match.state, move).scores == solution.game.scores(match.state)
    assert odd <= 6


# Policies


@pytest.mark.parametrize("name", ["random", "2", "3", "4", "5", "6", "perfect", "table"])
def test_a_policy_plays_moves_with_its_stated_probabilities(game: AnyGame, name: str) -> None:
    solution = solve(game)
    states = some_positions(game, 2, 3)
    if name == "table":
        level = Level(3, solution, seed=0)
        policy: Any = TablePolicy(game, {state: level.probabilities(state) for state in states})
    else:
        policy = player(name, game, solve, seed=0)
    for state in states:
        likely = policy.probabilities(state)
        assert list(likely) == game.legal_moves(state)
        assert sum(likely.values()) == pytest.approx(1)
        match, drawn = Match(game, position=state), Counter[Any]()
        for seed in range(250):
            policy.seed = seed
            drawn[policy.choose(match)] += 1
        for move, share in likely.items():
            assert abs(drawn[move] / 250 - share) < 5 * math.sqrt(max(share * (1 - share), 1e-3) / 250), (state, move)


@pytest.mark.parametrize("name", ["random", "2", "3", "4", "5", "6", "perfect"])
def test_compiled_probabilities_are_those_of_the_definition_in_every_position(game: AnyGame, name: str) -> None:
    solution = solve(game)
    policy = player(name, game, lambda _: solution, seed=0)
    assert isinstance(solution, Tables)
    assert isinstance(policy, PolicyPlayer)
    for state in positions(game):
        ours, compiled = Counter[State[Any, Any]](), compiled_probabilities(policy, solution, state)
        for move, likely in policy.probabilities(state).items():
            ours[game.after(state, move)] += likely  # type: ignore[assignment]
        assert ours == pytest.approx(compiled, abs=1e-12), state


def compiled_probabilities(policy: PolicyPlayer, solution: Tables, state: State[Any, Any]) -> dict[Any, float]:
    """The probability of each next position, computed by the kernels."""
    game, moves, rules = solution.game, len(solution.game.moves), kernels.rules_of(solution)
    entries, sight = np.zeros(moves, kernels.ENTRY), kernels.sight_table(policy, solution.compiled.longest)
    legal, best = kernels.examine(entries, np.zeros(moves, np.int64), solution.index(state), rules)
    if policy.kind == PERFECT:
        for entry in range(legal):
            entries[entry]["hope"] = chance_steps(error_chance(state, game.moves[entries[entry]["move"]], solution))
    kernels.probabilities(entries, legal, best, policy.kind, sight, np.zeros((len(sight), 2)))
    found = Counter[State[Any, Any]]()
    for entry in entries[:legal]:
        found[game.after(state, game.moves[entry["move"]])] += float(entry["likely"])  # type: ignore[assignment]
    return dict(found)


# In the last one, a move that wins at once is often less natural than one that throws the win away.
@pytest.mark.parametrize("variant", [*SMALL, ("number-quest", {"target": 12, "highest": 5, "copies": 1})], ids=describe)
def test_compiled_facts_are_those_of_the_definition_in_every_position(variant: tuple[str, dict[str, Any]]) -> None:
    game = dd.game(variant[0], **variant[1])
    solution, found = solve(game), Counter[tuple[bool, ...]]()
    assert isinstance(solution, Tables)
    entries, moves, rules = np.zeros(len(game.moves), kernels.ENTRY), len(game.moves), kernels.rules_of(solution)
    for state in positions(game):
        legal, best = kernels.examine(entries, np.zeros(moves, np.int64), solution.index(state), rules)
        expected = facts(game, state, solution.judge(state))
        assert tuple(map(bool, kernels.facts(entries, legal, best))) == expected, state
        found[expected] += 1
    assert len(found) > 1


def test_a_game_without_a_table_is_played_by_the_definition() -> None:
    rules = dd.game("operation-target")
    assert not isinstance(solve(rules), Tables)
    assert evaluate("5", rules, against="4").score == pytest.approx(evaluate(Level(5, solve(rules)), rules, "4").score)


def test_move_probabilities_need_every_result() -> None:
    rules = dd.game("number-duel")
    level = Level(4, Search(rules, positions=100), seed=1)
    assert level.choose(Match(rules)) in rules.moves
    with pytest.raises(ValueError, match="beyond the search"):
        level.probabilities(rules.start())


def test_a_player_and_its_module_have_different_names() -> None:
    assert importlib.util.find_spec("digitduels.players.player") is None


def test_a_level_never_plays_a_move_that_it_sees_to_lose(game: AnyGame) -> None:
    solution = solve(game)
    for state in some_positions(game, 3):
        judgement = solution.judge(state)
        likely = Level(3, solution, seed=0).probabilities(state)
        if judgement.best_verdict == (1, 1):
            assert sum(likely[move] for move in judgement.best_moves) == pytest.approx(1)
        elif any(verdict not in ((-1, 1), (-1, 2)) for verdict in judgement.values()):
            assert all(likely[move] == 0 for move, verdict in judgement.items() if verdict in ((-1, 1), (-1, 2)))


@pytest.mark.parametrize("level", [2, 3, 4, 5, 6])
def test_moves_that_change_no_score_are_rare_if_there_is_an_alternative(game: AnyGame, level: int) -> None:
    player, shares = Level(level, solve(game), seed=0), list[float]()
    for state in some_positions(game, 11, 60):
        natural, share = natural_weights(game, state), 0.0
        still = {move for move in natural if game.scores(game.after(state, move)) == game.scores(state)}
        for likely, seen in player.looks(state):
            choice = candidates(natural, seen)
            if any(verdict is None or verdict.value > -1 for move, verdict in seen.items() if move not in still):
                share += likely * sum(choice.get(move, 0.0) for move in still) / sum(choice.values())
        shares.append(share)
    assert sum(shares) / len(shares) < 0.05


def test_every_level_has_a_name_and_a_character() -> None:
    assert list(CHARACTERS) == [1, 2, 3, 4, 5, 6, 7]
    assert len({character.name for character in CHARACTERS.values()}) == 7
    for name in dd.games():
        assert set(tuning(dd.game(name)).levels) <= set(CHARACTERS)


# Exact evaluation


@pytest.mark.parametrize(
    ("one", "two"), [("random", "random"), ("3", "random"), ("4", "2"), ("perfect", "4"), ("5", "perfect")]
)
def test_exact_evaluation_agrees_with_plain_recursion(game: AnyGame, one: str, two: str) -> None:
    assert_evaluated_exactly(game, one, two)


@pytest.mark.parametrize(("name", "options"), PATIENT)
def test_exact_evaluation_of_patient_perfect_play_agrees_with_plain_recursion(
    name: str, options: dict[str, Any]
) -> None:
    assert_evaluated_exactly(dd.game(name, **options), "perfect", "4")


def assert_evaluated_exactly(game: AnyGame, one: str, two: str) -> None:
    solution = solution_of(game)
    sheet, (scores, lengths, swings, responses) = evaluation_sheet(policy_of(one, solution), policy_of(two, solution))
    starts = [game.start(), *some_positions(game, 5, 5)]
    off = abs(expect(solution, sheet, starts) - plain(solution, sheet, starts))
    # The error bound for 32-bit floats in docs/api.md.
    bound = game.longest * (2 * len(game.moves) + 8) / 2**24
    assert off[:, [*scores, *responses]].max() < bound < 2e-4
    assert off[:, [*lengths, *swings]].max() < bound * game.longest


def test_exact_evaluation_agrees_with_simulated_games(game: AnyGame) -> None:
    assert_like_simulated_games(game, 4, 2)


def test_evaluation_without_tables_agrees_with_simulated_games() -> None:
    assert_like_simulated_games(dd.game("operation-target"), 5, 4)


def assert_like_simulated_games(game: AnyGame, one: int, two: int) -> None:
    """Compares the exact score and length with 300 games for each seat."""
    solution, exact = solution_of(game), evaluate(str(one), game, against=str(two))
    for seat in (0, 1):
        lengths, points = [], 0.0
        for seed in range(300):
            players = [Level(one, solution, f"a{seed}"), Level(two, solution, f"b{seed}")]
            match = contest(Match(game), players[seat], players[1 - seat])
            assert match.outcome is not None
            points += 0.5 if match.outcome.winner is None else float(match.outcome.winner == seat)
            lengths.append(len(match.moves))
        assert abs(points / 300 - exact.score[seat]) < 5 * 0.5 / math.sqrt(300)
        assert abs(sum(lengths) / 300 - exact.length[seat]) < 5 * (max(lengths) - min(lengths)) / math.sqrt(300) + 1e-5


def test_perfect_play_cannot_be_exploited(game: AnyGame) -> None:
    assert evaluate("perfect", game).exploitability == pytest.approx(0, abs=1e-6)
    assert evaluate("random", game).exploitability >= evaluate("4", game).exploitability - 1e-6


def positions(game: AnyGame) -> list[State[Any, Any]]:
    """All unfinished positions of a small game."""
    return [state for state in reachable(game) if game.outcome(state) is None]


def rows(game: AnyGame, policy: Policy) -> dict[State[Any, Any], list[float]]:
    """A policy as a table of action probabilities."""
    likely = {state: policy.probabilities(state) for state in positions(game)}
    return {state: [shares.get(move, 0.0) for move in game.moves] for state, shares in likely.items()}


def test_exploitability_agrees_with_openspiel() -> None:
    import pyspiel
    from open_spiel.python import policy as spiel
    from open_spiel.python.algorithms import exploitability

    import digitduels.adapters.openspiel  # noqa: F401  registers the game

    rules = dd.game("number-duel", target=6, highest=3, copies=1)
    rng = random.Random(10)
    table: dict[State[Any, Any], dict[Any, float]] = {}
    for position in positions(rules):
        drawn = {move: rng.random() for move in rules.legal_moves(position)}
        table[position] = {move: number / sum(drawn.values()) for move, number in drawn.items()}

    class Ours(spiel.Policy):  # type: ignore[misc]
        def __init__(self, game: Any, shares: Callable[[State[Any, Any]], Mapping[Any, float]]) -> None:
            super().__init__(game, [0, 1])
            self.shares = shares

        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            position = rules.start()
            for action in state.history():
                position = rules.after(position, rules.moves[action])
            return {rules.moves.index(move): share for move, share in self.shares(position).items()}

    game = pyspiel.load_game("python_digitduels(game=number-duel,target=6,highest=3,copies=1)")
    level = Level(4, solve(rules), seed=0)
    for policy, shares in ((level, level.probabilities), (table, table.__getitem__)):
        theirs, ours = Ours(game, shares), evaluate(policy, rules).exploitability
        assert ours == pytest.approx(exploitability.exploitability(game, theirs), abs=1e-6)
        assert 2 * ours == pytest.approx(exploitability.nash_conv(game, theirs), abs=1e-6)


def test_a_custom_policy_is_evaluated(game: AnyGame) -> None:
    class First:
        def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
            return {game.legal_moves(state)[0]: 1.0}

    found, as_table = (evaluate(policy, game, against=Uniform(game)) for policy in (First(), rows(game, First())))
    assert found.score == pytest.approx(as_table.score, abs=1e-6)
    assert found.exploitability == pytest.approx(as_table.exploitability, abs=1e-6)


def test_a_level_that_plays_differently_is_evaluated_as_it_plays(game: AnyGame) -> None:
    class First(Level):
        def probabilities(self, state: State[Any, Any]) -> dict[Any, float]:
            return {game.legal_moves(state)[0]: 1.0}

    found = evaluate(First(4, solution_of(game), seed=0), game, against="random")
    as_table = evaluate(rows(game, First(4, solution_of(game), seed=0)), game, against="random")
    assert found.score == pytest.approx(as_table.score, abs=1e-6)


def test_policies_as_tables_and_functions_have_the_same_evaluation(game: AnyGame) -> None:
    level, view = Level(4, solution_of(game), seed=0), Observation(game)
    table = rows(game, level)
    shown = {view.array(state).tobytes(): (row, view.mask(state).tolist()) for state, row in table.items()}

    def function(observations: Any, masks: Any) -> list[list[float]]:
        answers = [shown[row.tobytes()] for row in observations]
        assert masks.tolist() == [mask for _, mask in answers]
        return [row for row, _ in answers]

    as_level = evaluate("4", game, against="2")
    for copy in (table, function):
        found = evaluate(copy, game, against="2")
        for ours, theirs in zip(found[:3], as_level[:3], strict=True):
            assert ours == pytest.approx(theirs, abs=1e-5)
        assert found.exploitability == pytest.approx(as_level.exploitability, abs=1e-5)
    assert evaluate("2", game, against=function).score == pytest.approx([1 - as_level.score[1], 1 - as_level.score[0]])


def test_policy_functions_are_called_in_batches() -> None:
    asked = []

    def uniform(observations: Any, masks: Any) -> Any:
        asked.append(len(observations))
        return masks / masks.sum(axis=1, keepdims=True)

    game = dd.game("number-duel", target=20, highest=5)
    assert evaluate(uniform, game).score == pytest.approx(evaluate("random", game).score, abs=1e-6)
    assert max(asked) > 1000


@pytest.mark.parametrize(
    ("policy", "objection"),
    [
        (lambda rows, masks: masks, "must add up to 1"),
        (lambda rows, masks: masks * float("nan"), "a number from 0 to 1"),
        (lambda rows, masks: masks[:, :2], "4 probabilities"),
        (lambda rows, masks: (masks == 0) * 1.0, "illegal move"),
        ({}, "no probabilities for"),
        (object(), "no move probabilities"),
    ],
)
def test_invalid_policies_are_refused(policy: Any, objection: str) -> None:
    with pytest.raises(ValueError, match=objection):
        evaluate(policy, dd.game("number-duel", target=2, highest=2, copies=1))


def test_policy_functions_are_refused_for_games_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backward, "POLICY_LIMIT", 100)
    game = dd.game("number-duel", target=20, highest=5)
    with pytest.raises(
        dd.TooLarge, match=r"positions of Number Duel can arise here. The limit for your own policy is 100\."
    ):
        evaluate(lambda rows, masks: masks, game)
    late = play_on(game, game.start(), random.Random(1), 7)[0][-1]
    found = evaluate(lambda rows, masks: masks / masks.sum(axis=1, keepdims=True), game, starts=[late])
    assert found.score == pytest.approx(evaluate("random", game, starts=[late]).score, abs=1e-6)


# Practical chances


def test_a_lost_perfect_player_plays_for_the_likeliest_mistake(game: AnyGame) -> None:
    solution = solve(game)
    perfect = Perfect(solution, seed=0)
    lost = [state for state in some_positions(game, 7, 120) if solution.probe(state).value < 0]
    assert lost
    for state in lost:
        judgement = solution.judge(state)
        chances = {move: error_chance(state, move, solution) for move in judgement.keeping}
        assert all(0 <= chance <= 1 + 1e-9 for chance in chances.values())
        for move in perfect.candidates(state):
            assert chances[move] == pytest.approx(max(chances.values()), abs=1e-6)


@pytest.mark.parametrize(("level", "replies"), [(4, 1), (4, 2), (1, 1), (3, 3)])
def test_the_kernel_for_practical_chances_agrees_with_plain_recursion(level: int, replies: int) -> None:
    found, later = Counter[float](), 0
    for name, options in SMALL + PATIENT:
        rules = dd.game(name, **options)
        chances = ErrorChances(solve(rules), level, replies)
        for state in some_positions(rules, 8, 15):
            for move in rules.legal_moves(state)[:5]:
                after = rules.after(state, move)
                expected = 0.0 if rules.outcome(after) else chances.plain(after, replies)
                assert chances.each(state, [move])[move] == pytest.approx(expected, abs=1e-9)
                found[round(expected, 6)] += 1
                later += replies > 1 and expected > 0 and expected > chances.plain(after, replies - 1) + 1e-6
    assert len(found) > 1
    assert later or replies == 1, "mistakes in the last of these turns matter"
