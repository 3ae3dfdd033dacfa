"""Search without a table: its verdicts agree with the table, whatever the node limit."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import digitduels as dd
from digitduels.core import Game, Outcome, State
from digitduels.games import AnyGame
from digitduels.options import Integer, option
from digitduels.position_json import position_from_json
from digitduels.sentence import Sentence
from digitduels.solver import Reference
from digitduels.solver.search import DEEPEST, Search
from digitduels.solver.solution import Truth
from variants import ALL, describe, play_on, solve

pytestmark = pytest.mark.slow

MOST = 6  # plies
HUGE = [
    ("number-duel", {"target": 10**6, "highest": 99, "copies": 99}),
    ("number-quest", {"target": 10**6, "highest": 99, "copies": 99}),
    ("equation-duel", {"target": 10**6, "highest": 99}),
    ("numerical-nexus", {"target": 10**6, "uses": (99,) * 6}),
    ("operation-target", {"target": 10**4000}),
]


def positions(game: AnyGame, games: int, seed: int) -> list[State[Any, Any]]:
    """Several positions from each of some random games."""
    rng = random.Random(seed)
    found = []
    for _ in range(games):
        states, _ = play_on(game, game.start(), rng, 40)
        found += rng.sample(states, min(4, len(states)))
    return found


@pytest.mark.parametrize("variant", ALL, ids=describe)
def test_the_search_agrees_with_the_table_and_is_undecided_beyond_its_horizon(
    variant: tuple[str, dict[str, Any]],
) -> None:
    game = dd.game(variant[0], **variant[1])
    solution, search = solve(game), Search(game)
    complete = decided = 0
    for state in positions(game, 3, 1):
        judgement = solution.judge(state)
        for plies in range(1, MOST + 1):
            verdicts = search.within(state, plies)
            assert list(verdicts) == game.legal_moves(state)
            assert {move: verdict for move, verdict in verdicts.items() if verdict} == {
                move: judgement[move]
                for move, verdict in verdicts.items()
                if verdict is not None or (judgement[move].distance <= plies and not search.exhausted)
            }
            if search.exhausted:
                break
            assert verdicts == solution.within(state, plies)
            complete += 1
            decided += sum(verdict is not None for verdict in verdicts.values())
    assert complete
    assert decided or game.longest > 100


def test_most_searches_of_the_books_are_complete() -> None:
    """Without this, a search that is always undecided would pass the test above."""
    for name in dd.games():
        search = Search(dd.game(name))
        cut = 0
        states = positions(search.game, 3, 2)
        for state in states:
            search.within(state, 4)
            cut += search.exhausted
        assert cut <= len(states) / 3, name


@pytest.mark.parametrize("variant", ALL, ids=describe)
@pytest.mark.parametrize("limit", [0, 1, 7, 50, 300])
def test_the_node_limit_never_causes_a_wrong_verdict(variant: tuple[str, dict[str, Any]], limit: int) -> None:
    game = dd.game(variant[0], **variant[1])
    solution, search = solve(game), Search(game, limit)
    ended_early = 0
    for state in positions(game, 5, limit):
        # A repeated search continues where it was stopped.
        for plies in (MOST, 3, MOST, MOST):
            for move, verdict in search.within(state, plies).items():
                assert verdict is None or verdict == solution.judge(state)[move]
                assert verdict is None or verdict.distance <= plies
            ended_early += search.exhausted
    assert ended_early or limit > 1


@pytest.mark.parametrize("variant", HUGE, ids=describe)
def test_huge_variants_are_searched_within_the_limit(variant: tuple[str, dict[str, Any]]) -> None:
    game = dd.game(variant[0], **variant[1])
    counted = Counting(game)
    search = Search(counted, 2000)  # type: ignore[arg-type]
    states, _ = play_on(game, game.start(), random.Random(3), 30)
    for state in (states[0], states[len(states) // 2], states[-1]):
        counted.calls = 0
        verdicts = search.within(state, 10**6)
        assert list(verdicts) == game.legal_moves(state)
        assert counted.calls <= 2000


def test_an_immediate_win_is_found_in_a_huge_variant() -> None:
    game = dd.game("number-duel", target=10**6, highest=99, copies=99)
    state = position_from_json(game, {"player": 1, "hands": [[999_990], [0]], "table": [99] * 99})
    seen = Search(game).within(state, 1)
    assert [str(move) for move, verdict in seen.items() if verdict is not None] == ["+10"]
    assert seen[game.read("+10")] == (1, 1)


def test_long_forced_lines_are_followed_up_to_the_depth_limit() -> None:
    game = dd.game("operation-target", target=10**4000)
    assert set(Search(game).within(game.start(), 10**9).values()) == {None}
    near = dd.game("operation-target", target=2 ** (DEEPEST // 3))
    plies = solve(near).start.distance
    assert DEEPEST / 2 < plies < DEEPEST
    assert Search(near).within(near.start(), plies) == solve(near).within(near.start(), plies)


def test_a_finished_game_has_no_moves_to_judge() -> None:
    game = dd.game("number-duel")
    state = game.start()
    for token in ("+5", "+10", "x10"):
        state = game.play(state, game.read(token))
    for truth in truths(game):
        assert truth.within(state, 5) == {}


def truths(game: AnyGame) -> list[Truth]:
    return [Search(game), solve(game)]


def test_the_transposition_table_is_bounded() -> None:
    search = Search(dd.game("number-quest"), 500)
    for state in positions(search.game, 10, 4):
        search.within(state, MOST)
        assert len(search._nodes) <= 2 * search.positions


class Counting:
    """A game that counts how many positions are generated."""

    def __init__(self, game: AnyGame) -> None:
        self.game, self.calls = game, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)

    def after(self, state: State[Any, Any], move: Any) -> State[Any, Any]:
        self.calls += 1
        return self.game.after(state, move)


# Random games, with draws at any distance and different rules for the two players


class Step(NamedTuple):
    number: int

    def __str__(self) -> str:
        return f"step-{self.number}"


@dataclass(frozen=True)
class Maze(Game[None, int, Step]):
    """A random game."""

    seed: int = option(0, Integer(0, 10**6), "which one")
    draws: int = option(0, Integer(0, 1), "whether there are draws")

    @property
    def moves(self) -> tuple[Step, ...]:
        return Step(1), Step(2), Step(3)

    @property
    def longest(self) -> int:
        return 12

    def start(self) -> State[None, int]:
        return State(0, (None, None), 0)

    def forbids(self, state: State[None, int], move: Step) -> str | None:
        return None

    def after(self, state: State[None, int], move: Step) -> State[None, int]:
        return state.then(None, None, state.table + move.number)

    def outcome(self, state: State[None, int]) -> Outcome | None:
        rng = random.Random(f"{self.seed} {state.player} {state.table}")
        if state.table < 12 and rng.random() < 0.7:
            return None
        return Outcome(rng.choice((0, 1, None) if self.draws else (0, 1)), Sentence("It ended."))


@pytest.mark.parametrize("draws", [0, 1])
def test_verdicts_on_random_games_are_correct_and_complete_without_draws(draws: int) -> None:
    drawn = 0
    for seed in range(150):
        game = Maze(seed, draws)
        solution = Reference(game)
        for plies in range(1, 13):
            truth, seen = solution.within(game.start(), plies), Search(game).within(game.start(), plies)
            for move, right in truth.items():
                # A draw may hide behind a longer line that is better.
                may_be_open = right is None or right.value == 0
                assert seen[move] == right or (may_be_open and seen[move] is None)
                drawn += right is not None and right.value == 0 and seen[move] == right
    assert bool(drawn) == bool(draws)
