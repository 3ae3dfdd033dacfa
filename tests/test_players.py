"""The opponents: what each level never misses, and that perfect play wins every won position."""

from __future__ import annotations

import functools
import math
import random
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import digitduels as dd
from conftest import PATIENCE
from digitduels.core import Outcome, State
from digitduels.match import Match
from digitduels.players import OPPONENTS, Player, player
from digitduels.players.heuristics import First, Greedy, NotGreedy, RunnerUp, Searcher
from digitduels.players.levels import (
    FURTHER,
    LEVELS_VERSION,
    NEARER,
    POINTLESS,
    TIE,
    TUNING,
    Level,
    Tuning,
    natural_weights,
    tuning,
)
from digitduels.players.perfect import FALLIBLE, REPLIES, Perfect
from digitduels.players.policy import CHANCE_STEPS, HALF
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


def test_the_law_of_the_levels_is_documented_with_its_numbers() -> None:
    """docs/levels.md is enough to build the levels again, so its numbers must be those of the code."""
    page = (Path(__file__).parents[1] / "docs" / "levels.md").read_text(encoding="utf-8")
    table = page.partition("<!-- law -->\n")[2].partition("<!-- end -->")[0].splitlines()[2:]
    rows = [
        f"| {name} | {' '.join(map(str, levels))} | {' | '.join(f'{reach:g}' for reach in reaches)} |"
        for name, (levels, reaches) in [*sorted(TUNING.items()), ("any other game", Tuning())]
    ]
    assert table == rows
    law = " ".join(page.partition("### The law")[2].partition("<!-- law -->")[0].split())
    assert f"exp({FURTHER:g} · min(1, |target − other| / target) − {NEARER:g} · min(1, |target − own| / target))" in law
    assert f"only {POINTLESS:g} times it if the board looks no better" in law
    assert f"relative tolerance {TIE:.0e}".replace("e-0", "e-") in law
    assert f"integer part of {CHANCE_STEPS} *p* + {HALF}" in law
    assert f"moves as level {FALLIBLE} makes its own value worse in one of its next two turns" in law
    assert REPLIES == 2
    assert f"This is version {LEVELS_VERSION} of the levels." in page


@pytest.mark.parametrize("name", ["number-duel", "number-quest"])
def test_the_law_of_the_levels_gives_their_probabilities(name: str) -> None:
    """Computes level 5 as docs/levels.md describes it, without its code."""
    game = dd.game(name, target=12, highest=4)
    solution, reach = solve(game), TUNING[name].reaches[3]
    rng = random.Random(1)

    def looks(state: Any, mover: int) -> float:
        outcome, (own, other) = game.outcome(state), [game.scores(state)[seat] for seat in (mover, 1 - mover)]
        if outcome is not None and outcome.winner is not None:
            own = 12 if outcome.winner == mover else 0
        assert own is not None
        assert other is not None
        return math.exp(1.5 * min(1, abs(12 - other) / 12) - 3 * min(1, abs(12 - own) / 12))

    for _ in range(40):
        state = game.start()
        while legal := game.legal_moves(state):
            verdicts = {move: solution.probe(game.after(state, move)).before for move in legal}
            before = looks(state, state.player)
            weights = {move: looks(game.after(state, move), state.player) for move in legal}
            weights = {
                move: weight * (1 if weight > before * (1 + 1e-9) else 0.001) for move, weight in weights.items()
            }
            expected = dict.fromkeys(legal, 0.0)
            sees = [1.0 if depth <= 2 else math.exp((2 - depth) / reach) for depth in range(game.longest + 2)] + [0.0]
            for depth in range(game.longest + 2):
                seen = {move: verdict for move, verdict in verdicts.items() if verdict.distance <= depth}
                if any(verdict.value > 0 for verdict in seen.values()):
                    chosen = [move for move, verdict in seen.items() if verdict == max(seen.values())]
                else:
                    chosen = [move for move in legal if move not in seen or seen[move].value == 0]
                    chosen = chosen or [move for move in legal if seen[move] == max(seen.values())]
                total = sum(weights[move] for move in chosen)
                for move in chosen:
                    expected[move] += (sees[depth] - sees[depth + 1]) * weights[move] / total
            level = player("5", game, solve, seed=0)
            assert isinstance(level, Level)
            assert level.probabilities(state) == pytest.approx(expected)
            state = game.after(state, rng.choice(legal))


@pytest.mark.parametrize("options", [{"target": 12, "highest": 4}, {"target": 14, "highest": 4, "tie": "draw"}])
def test_the_law_of_level_7_gives_its_moves(options: dict[str, Any]) -> None:
    """Computes level 7 as docs/levels.md describes it, without its code."""
    game = dd.game("number-duel", **options)
    solution, rng, checked = solve(game), random.Random(1), Counter[int]()
    four, seven = (player(level, game, solve, seed=0) for level in ("4", "7"))
    assert isinstance(four, Level)
    assert isinstance(seven, Perfect)
    level = four

    @cache
    def errs(state: Any, turns: int) -> float:
        if game.outcome(state) is not None or (value := solution.probe(state).value) < 0:
            return 0.0
        total = 0.0
        for move, likely in level.probabilities(state).items():
            after = game.after(state, move)
            if solution.probe(after).value > -value:
                total += likely
            elif turns == 2 and game.outcome(after) is None:
                answers = [game.after(after, answer) for answer in game.legal_moves(after)]
                total += likely * max(errs(kept, 1) for kept in answers if solution.probe(kept).value == value)
        return total

    for _ in range(60):
        state = game.start()
        while legal := game.legal_moves(state):
            verdicts = {move: solution.probe(game.after(state, move)).before for move in legal}
            value = max(verdict.value for verdict in verdicts.values())
            if value > 0:
                quickest = min(verdict.distance for verdict in verdicts.values() if verdict.value > 0)
                moves = [move for move, verdict in verdicts.items() if verdict == (1, quickest)]
            else:
                chances = {
                    move: int(250 * errs(game.after(state, move), 2) + 0.501)
                    for move, verdict in verdicts.items()
                    if verdict.value == value
                }
                moves = [move for move, chance in chances.items() if chance == max(chances.values())]
                longest = max(verdicts[move].distance for move in moves)
                moves = [move for move in moves if verdicts[move].distance == longest]
            weights = natural_weights(game, state)
            moves = [move for move in moves if weights[move] * (1 + 1e-9) >= max(weights[other] for other in moves)]
            played = {move for move, likely in seven.probabilities(state).items() if likely}
            assert played == set(moves)
            checked[value] += 1
            state = game.after(state, rng.choice(legal))
    assert checked[1]
    assert checked[-1]
    assert checked[0] or "tie" not in options


# Simple rules to compare with


def test_greedy_takes_a_win_does_not_lose_at_once_and_else_plays_for_the_highest_score() -> None:
    quest = dd.game("number-quest")

    def plays(mine: int, theirs: int) -> set[str]:
        state = State(0, (mine, theirs), quest.start().table)
        return {str(move) for move, likely in Greedy(quest, seed=0).probabilities(state).items() if likely}

    assert plays(41, 0) == {"+9"}  # wins
    assert plays(6, 49) == {"x8"}  # 48, and not 54, which would lose at once; the reply is not its concern
    assert plays(0, 0) == {"+9"}


def test_not_greedy_plays_all_other_moves_equally_and_greedy_ones_if_there_are_no_others() -> None:
    duel = dd.game("number-duel", highest=3)
    shares = NotGreedy(duel, seed=0).probabilities(duel.start())
    assert {str(move): likely for move, likely in shares.items()} == {
        "+3": 0.0,
        **dict.fromkeys(("+1", "+2", "x1", "x2", "x3"), 0.2),
    }
    target = dd.game("operation-target")
    state = target.start()
    for token in ("x2", "+1", "+1"):
        state = target.play(state, target.read(token))
    assert [list(policy.probabilities(state).values()) for policy in (NotGreedy(target), Greedy(target))] == [[1.0]] * 2


def test_the_runner_up_is_the_next_score_that_does_not_lose_at_once_and_the_first_is_the_first() -> None:
    quest = dd.game("number-quest")

    def plays(rule: type[Greedy | First], mine: int) -> set[str]:
        state = State(0, (mine, 0), quest.start().table)
        return {str(move) for move, likely in rule(quest, seed=0).probabilities(state).items() if likely}

    assert plays(RunnerUp, 6) == {"x7"}  # 42, after ×8 to 48
    assert plays(RunnerUp, 0) == {"+8"}
    assert plays(First, 0) == {"+1"}
    duel = dd.game("equation-duel", target=2, highest=2)  # 1+2 loses at once
    moves = RunnerUp(duel, seed=0).probabilities(duel.start())
    assert {str(move) for move, likely in moves.items() if likely} == {"2-1"}


def test_a_search_plays_the_most_natural_of_the_moves_that_it_does_not_see_losing(solution: Solution) -> None:
    game, rng = solution.game, random.Random(1)
    for _ in range(20):
        state = game.start()
        while legal := game.legal_moves(state):
            judgement, natural = solution.judge(state), natural_weights(game, state)
            shares = Searcher(solution, 2).probabilities(state)
            chosen = [move for move, likely in shares.items() if likely]
            seen = {move: verdict for move, verdict in judgement.items() if verdict.distance <= 2}
            if any(verdict.value > 0 for verdict in seen.values()):
                assert {judgement[move] for move in chosen} == {judgement.best_verdict}
            elif rest := [move for move in legal if move not in seen or seen[move].value == 0]:
                assert set(chosen) <= set(rest)
                assert natural[chosen[0]] == pytest.approx(max(natural[move] for move in rest))
            else:
                assert {judgement[move] for move in chosen} == {judgement.best_verdict}
            assert sum(shares.values()) == pytest.approx(1)
            state = game.after(state, rng.choice(legal))
