"""The measures of the lab, compared with an enumeration of all games."""

from __future__ import annotations

import functools
from collections import defaultdict
from itertools import pairwise
from typing import Any

import pytest

import digitduels as dd
from digitduels.core import State, TooLarge
from digitduels.games import AnyGame
from digitduels.lab.measures import ALL_LEVELS, EQUALS, depth, fairness, measure, policies_of, simulate_lengths
from digitduels.lab.sizes import fits, small_enough
from digitduels.players.evaluation import evaluate
from digitduels.players.levels import TIE, TUNING, Level, natural_weights, tuning
from digitduels.players.perfect import Perfect
from variants import describe, solve

pytestmark = pytest.mark.slow

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("number-quest", {"target": 12, "highest": 4, "copies": 1}),
    ("number-duel", {"target": 12, "highest": 4, "copies": 1, "tie": "draw"}),
    ("number-duel", {"target": 8, "highest": 3, "copies": 1, "tie": "draw"}),  # some first moves draw
    ("equation-duel", {"target": 9, "highest": 5}),
    ("numerical-nexus", {"target": 9, "uses": (1, 1, 0, 1, 0, 1)}),
    ("operation-target", {}),
]
Probabilities = dict[State[Any, Any], dict[Any, float]]


class Games:
    """All games between two policies with their probabilities, enumerated one ply after another."""

    def __init__(self, game: AnyGame, levels: tuple[int, int]) -> None:
        self.game, self.solution = game, solve(game)
        self.policies = [self.policy(level) for level in levels]
        self.score, self.lengths, self.totals = 0.0, defaultdict[int, float](float), defaultdict[str, float](float)
        self.settled = 0.0
        # The probability of each position together with the ply after the last swing so far.
        now: dict[tuple[State[Any, Any], int], float] = {(game.start(), 0): 1.0}
        for ply in range(game.longest + 1):
            following: dict[tuple[State[Any, Any], int], float] = defaultdict(float)
            for (state, swung), likely in now.items():
                outcome = game.outcome(state)
                if outcome is not None:
                    self.score += likely * (0.5 if outcome.winner is None else 1.0 - outcome.winner)
                    self.lengths[ply] += likely
                    self.settled += likely * (ply - swung)
                    continue
                self.look(state, likely)
                best = max(verdict.value for verdict in self.solution.judge(state).values())
                for move, chance in self.policies[ply % 2](state).items():
                    throws = self.solution.judge(state)[move].value < best
                    self.totals["swings"] += likely * chance * throws
                    following[game.after(state, move), ply + 1 if throws else swung] += likely * chance
            now = following
        assert not now

    def policy(self, level: int) -> Any:
        if level == 1:
            return lambda state: {move: 1 / len(self.game.legal_moves(state)) for move in self.game.legal_moves(state)}
        if level == 7:
            return Perfect(self.solution, seed=0).probabilities
        return Level(level, self.solution, seed=0).probabilities

    def look(self, state: State[Any, Any], likely: float) -> None:
        game = self.game
        values = {move: self.solution.probe(game.after(state, move)).value * -1 for move in game.legal_moves(state)}
        after = {move: game.after(state, move) for move in values}
        keeping = [move for move in values if values[move] == max(values.values())]
        natural = natural_weights(game, state)
        going_on = [move for move in values if game.outcome(after[move]) is None]
        wins_now = any(game.outcome(after[move]) and values[move] == 1 for move in values)
        heaviest = max((natural[move] for move in going_on), default=0)
        tempted = [move for move in going_on if natural[move] >= heaviest * (1 - TIE)]
        critical = len(keeping) < len(values)
        self.totals["critical"] += likely * critical
        self.totals["only"] += likely * (critical and len({after[move] for move in keeping}) == 1)
        trapped = critical and not wins_now and bool(tempted) and not set(tempted) & set(keeping)
        self.totals["traps"] += likely * trapped
        self.totals["forced"] += likely * (len(values) == 1)

    @property
    def length(self) -> float:
        return sum(plies * share for plies, share in self.lengths.items())


measured, all_games = functools.cache(measure), functools.cache(Games)


@pytest.fixture(scope="module", params=SMALL, ids=describe)
def game(request: pytest.FixtureRequest) -> AnyGame:
    return dd.game(request.param[0], **request.param[1])


def test_scores_of_levels_agree_with_an_enumeration_of_all_games(game: AnyGame) -> None:
    report = measured(game)
    for level in EQUALS:
        assert report.seats[level] == pytest.approx(all_games(game, (level, level)).score, abs=2e-5)
    for below, level in pairwise(ALL_LEVELS):
        first, second = all_games(game, (level, below)), all_games(game, (below, level))
        assert report.steps[level] == pytest.approx((first.score + 1 - second.score) / 2, abs=2e-5)


def test_tension_and_length_agree_with_an_enumeration_of_all_games(game: AnyGame) -> None:
    report, games = measured(game), all_games(game, (4, 4))
    assert report.length == pytest.approx(games.length, abs=1e-4)
    assert report.lengths is not None
    assert report.lengths.margins is None
    assert report.lengths.shares == pytest.approx({n: p for n, p in games.lengths.items() if p > 1e-6}, abs=2e-5)
    assert report.swings == pytest.approx(games.totals["swings"], abs=2e-5)
    assert report.forced == pytest.approx(games.totals["forced"], abs=2e-5)
    for share in ("critical", "only", "traps"):
        assert getattr(report, share) == pytest.approx(games.totals[share] / games.length, abs=2e-5), share
    assert report.decided == pytest.approx(1 - games.settled / games.length, abs=2e-5)


def test_the_outcome_agrees_with_the_solution(game: AnyGame) -> None:
    report, solution = measured(game), solve(game)
    value, plies = solution.start
    assert (report.winner, report.plies) == ({1: 1, 0: None, -1: 2}[value], plies)
    judgement = solution.judge(game.start())
    assert report.first_moves == len(judgement)
    assert report.first_moves_winning == sum(verdict.value == 1 for verdict in judgement.values())
    seen, waiting = set[State[Any, Any]](), [game.start()]
    while waiting:
        state = waiting.pop()
        if state not in seen:
            seen.add(state)
            waiting += [game.after(state, move) for move in game.legal_moves(state)]
    # A table does not distinguish the players.
    assert report.reachable == len(
        {(state.table, state.mine, state.theirs) for state in seen if game.legal_moves(state)}
    )


def test_gauges_follow_from_the_scores(game: AnyGame) -> None:
    report = measured(game)
    assert report.fair == pytest.approx(sum(min(score, 1 - score) * 2 for score in report.seats.values()) / 4, abs=2e-5)
    assert report.deep == pytest.approx(
        sum(min(max(4 * score - 2, 0), 1) for score in report.steps.values()) / 6, abs=2e-5
    )


def test_opposite_biases_do_not_cancel() -> None:
    assert fairness({3: 0.36, 4: 0.52, 5: 0.68, 6: 0.84}) == pytest.approx(0.66)
    assert fairness(dict.fromkeys(EQUALS, 0.5)) == 1.0


def test_deep_has_no_jump() -> None:
    scores = [0.4 + step / 1000 for step in range(500)]
    depths = [depth(dict.fromkeys(ALL_LEVELS[1:], score)) for score in scores]
    assert (depths[0], depths[-1]) == (0.0, 1.0)
    assert all(0 <= after - before <= 0.0041 for before, after in pairwise(depths))


def test_the_wobble_is_the_largest_move_of_a_gauge_if_levels_look_a_fifth_less_or_further(game: AnyGame) -> None:
    report, reaches = measured(game), tuning(game).reaches
    moved = []
    for factor in (0.8, 1.2):
        with pytest.MonkeyPatch.context() as patch:
            stretched: Any = tuple(factor * reach for reach in reaches)
            patch.setitem(TUNING, game.id, tuning(game)._replace(reaches=stretched))
            # Level 7 hopes for the mistakes of the unchanged level 4.
            policies = policies_of(solve(game))
        policies[7] = Perfect(solve(game), seed=0)
        seats = {level: evaluate(policies[level], game).score[0] for level in EQUALS}
        scores = {level: evaluate(policies[level], game, policies[level - 1]).score for level in ALL_LEVELS[1:]}
        moved.append((fairness(seats), depth({level: sum(score) / 2 for level, score in scores.items()})))
    assert report.wobble is not None
    for index, gauge in enumerate(("fair", "deep")):
        expected = max(abs(gauges[index] - getattr(report, gauge)) for gauges in moved)
        assert report.wobble[gauge] == pytest.approx(expected, abs=5e-5)


def test_simulated_lengths_are_within_their_intervals_of_the_exact_ones(game: AnyGame) -> None:
    exact = measured(game).lengths
    estimate = simulate_lengths(solve(game))
    assert exact is not None
    assert estimate.margins is not None
    misses = [
        plies
        for plies, share in estimate.shares.items()
        if abs(exact.shares.get(plies, 0.0) - share) > 2 * estimate.margins[plies]
    ]
    assert not misses
    assert estimate.shares == simulate_lengths(solve(game)).shares


def test_batches_do_not_change_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    from digitduels.players import backward
    from digitduels.solver import memory

    game = dd.game("number-quest", target=12, highest=4, copies=1)
    whole = measure(game)
    size = backward._Ring(solve(game).compiled).boards * len(solve(game).compiled.hands) ** 2 * 4  # type: ignore[attr-defined]
    monkeypatch.setattr(memory, "available", lambda: int(8 * size / backward._SHARE) + 1)
    assert measure(game, lengths=False).row() == whole.row()
    monkeypatch.setattr(memory, "available", lambda: size)
    with pytest.raises(TooLarge):
        measure(game, solution=solve(game))


def test_a_rule_set_that_is_too_large_is_refused() -> None:
    with pytest.raises(TooLarge):
        measure(dd.game("number-duel", target=100_000), limit=1 << 30)
    with pytest.raises(TooLarge):
        measure(dd.game("operation-target", target=10**100))


def test_report_has_the_keys_that_programs_rely_on() -> None:
    found = measure(dd.game("number-duel", target=12, highest=4)).to_dict()
    assert list(found)[:7] == ["game", "options", "outcome", "first_moves", "reachable", "fair", "deep"]
    assert found["options"] == {"target": 12, "highest": 4, "copies": 2, "tie": "last-mover-loses"}
    assert set(found["outcome"]) == {"winner", "plies"}
    assert set(found["first_moves"]) == {"winning", "of"}


def test_the_suggested_size_is_the_largest_that_fits() -> None:
    book = dd.game("number-duel")
    limit = 2_000_000
    assert not fits(book, limit)
    values = small_enough(book, limit)
    abouts = {option.about: option.name for option in book.options()}
    assert {abouts[about] for about in values} >= {"target", "highest"}
    for about, value in values.items():
        assert fits(dd.game("number-duel", **{abouts[about]: value}), limit)
        assert not fits(dd.game("number-duel", **{abouts[about]: value + 1}), limit)
    edition = dd.game("number-duel", target=32, highest=5)
    positions = solve(edition).counts().positions
    assert fits(edition, positions)
    assert not fits(edition, positions - 1)


def test_rules_that_are_too_large_are_refused_with_a_size_that_fits() -> None:
    from digitduels.match import Match
    from digitduels.record import to_record
    from digitduels.solver.solution_cache import SolutionCache
    from digitduels.web.workers.process import answer

    record = to_record(Match(dd.game("number-duel", target=51)))
    status, sentence = answer({"ask": "lab_report", "record": record, "with": {}}, SolutionCache())["refused"]
    assert status == 413
    assert "Small enough: the score that wins at most 5, or the highest number in the pool at most 6." in sentence
