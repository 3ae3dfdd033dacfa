"""The opponents: what each level never misses, and that perfect play wins every won position."""

from __future__ import annotations

import functools
import random
import subprocess
import sys
from typing import Any

import pytest

import digitduels as dd
from conftest import PATIENCE
from digitduels.core import Outcome
from digitduels.match import Match
from digitduels.players import OPPONENTS, Player, player
from digitduels.players.levels import tuning
from digitduels.solver import Solution
from digitduels.study.fair_starts import fair_start
from variants import solve

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=dd.games())
def solution(request: pytest.FixtureRequest) -> Solution:
    return solve(dd.game(request.param))


def contest(one: Player, two: Player, solution: Solution, opening: list[Any]) -> tuple[Match, Outcome]:
    """A game between two players after an opening."""
    match = Match(solution.game)
    for move in opening:
        match.play(move)
    while (outcome := match.outcome) is None:
        match.play((one, two)[match.state.player].choose(match))
    return match, outcome


def test_perfect_play_wins_every_won_start_against_every_player(solution: Solution) -> None:
    perfect = player("perfect", solution.game, solve, seed=1)
    for seed in range(12):
        opening = fair_start(solution, seed)
        state = functools.reduce(solution.game.after, opening, solution.game.start())
        assert solution.probe(state).value == 1
        for name in OPPONENTS:
            other = player(name, solution.game, solve, seed=seed)
            seats = (perfect, other) if state.player == 0 else (other, perfect)
            assert contest(*seats, solution, opening)[1].winner == state.player


@pytest.mark.parametrize("name", OPPONENTS)
def test_the_same_seed_plays_the_same_game(name: str, solution: Solution) -> None:
    games = [
        contest(player(name, solution.game, solve, 7), player("random", solution.game, solve, 8), solution, [])[0].moves
        for _ in range(2)
    ]
    assert games[0] == games[1]


# In Operation Target, every move near the end is forced.
OFFERED = [(name, level) for name in dd.games() if name != "operation-target" for level in tuning(dd.game(name)).levels]
CLOSE = [(name, level) for name, level in OFFERED if (name, 3) in OFFERED]  # games that end within reach of level 3


@pytest.mark.parametrize(("name", "level"), [(name, level) for name, level in OFFERED if 2 <= level <= 6])
def test_levels_from_2_up_never_miss_a_win_in_one_and_never_lose_in_one_needlessly(name: str, level: int) -> None:
    solution = solve(dd.game(name))
    rng, chances = random.Random(level), 0
    opponent = player(str(level), solution.game, solve, seed=3)
    for _ in range(30):
        match = Match(solution.game)
        while match.outcome is None:
            judgement = solution.judge(match.state)
            chosen = judgement[opponent.choose(match)]
            if (1, 1) in judgement.values():
                assert chosen == (1, 1)
                chances += 1
            elif set(judgement.values()) != {(-1, 1)}:
                assert chosen != (-1, 1)
            match.play(rng.choice(list(judgement)))
    assert chances


@pytest.mark.parametrize(("name", "level"), [(name, level) for name, level in CLOSE if 3 <= level <= 6])
def test_levels_from_3_up_never_needlessly_allow_a_win_in_one(name: str, level: int) -> None:
    solution = solve(dd.game(name))
    rng, chances = random.Random(4), 0
    opponent = player(str(level), solution.game, solve, seed=3)
    soon = {(-1, 1), (-1, 2)}
    for _ in range(20):
        match = Match(solution.game)
        while match.outcome is None:
            judgement = solution.judge(match.state)
            if not soon >= set(judgement.values()):
                assert judgement[opponent.choose(match)] not in soon
                chances += not soon.isdisjoint(judgement.values())
            match.play(rng.choice(list(judgement)))
    assert chances


def test_a_missing_level_plays_as_the_next_lower_one() -> None:
    game = dd.game("operation-target")
    assert player("3", game, solve).name == "random"
    assert player("5", game, solve).name == "level 5"


def test_fair_starts_are_won_but_critical_and_depend_only_on_the_seed(solution: Solution) -> None:
    starts = [fair_start(solution, seed) for seed in range(10)]
    assert starts == [fair_start(solution, seed) for seed in range(10)]
    for opening in starts:
        state = functools.reduce(solution.game.after, opening, solution.game.start())
        judgement = solution.judge(state)
        assert judgement.verdict is not None
        assert judgement.verdict.value == 1
        assert judgement.throwing


def test_an_unknown_level_is_refused_with_a_list_of_players() -> None:
    with pytest.raises(ValueError, match=r"There is no player '8'\. The players are random, 1, 2,"):
        player("8", dd.game("number-duel"), solve)


def test_a_level_moves_without_importing_heavy_modules() -> None:
    script = (
        "import sys, digitduels as dd\n"
        "from digitduels.match import Match\n"
        "from digitduels.players import player\n"
        "from digitduels.solver.search import Search\n"
        "game = dd.game('numerical-nexus')\n"
        "for name in ('1', '4'):\n"
        "    player(name, game, dd.solve, seed=1, truth=Search(game)).choose(Match(game))\n"
        "print(sorted({'numpy', 'numba'} & sys.modules.keys()))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert ran.stdout == "[]\n"
