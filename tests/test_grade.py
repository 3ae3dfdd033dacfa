"""Grading of decisions by the exact solution; illegal answers are never left out."""

from __future__ import annotations

import random
from typing import Any

import pytest

import digitduels as dd
from digitduels.arena.grading import Grade, grade, share, skill, summary, tally
from digitduels.match import Match
from digitduels.solver import Verdict
from digitduels.study.decisions import KINDS, Decision, decide, decisions
from variants import play_on, solve

GAME = dd.game("number-quest", target=12, highest=4)
SMALL = [GAME, dd.game("operation-target"), dd.game("number-duel", target=12, highest=4, copies=1, tie="draw")]


def decision(answer: object, moves: str = "") -> Decision:
    """The judgement on an answer in Operation Target: at the start x2 wins and +1 loses; then every move is forced."""
    solution = solve(dd.game("operation-target"))
    match = Match(solution.game)
    for token in moves.split():
        match.play(match.game.read(token))
    return decide(match.state, answer, solution)


def test_a_decision_keeps_the_value_or_throws_it_away() -> None:
    add, double = dd.game("operation-target").moves
    assert decision("x2") == (0, 0, double, "kept", None, (1, 8), (1, 8), [double], [double], True, 0.5)
    assert decision("+1") == (0, 0, add, "threw", None, (1, 8), (-1, 7), [double], [double], True, 0.5)


@pytest.mark.parametrize("answer", ["", "resign", "+7", None, 5, ["x2"], {"move": "x2"}, ("x", 2), ([],)])
def test_an_answer_that_is_not_a_move_is_invalid_with_a_reason(answer: object) -> None:
    judged = decision(answer)
    assert (judged.kind, judged.after, judged.critical, judged.found) == ("invalid", Verdict(-1, 0), True, False)
    assert judged.reason


def test_a_move_against_the_rules_is_illegal_with_a_reason() -> None:
    judged = decision("x2", "x2 x2")
    assert judged.kind == "illegal"
    assert judged.reason == "Player 1 cannot Multiply by 2 again: it was their previous operation."


def test_an_invalid_answer_misses_a_critical_move_only_in_a_critical_position() -> None:
    assert (decision("nothing").critical, decision("nothing").found) == (True, False)
    forced, lost = decision("nothing", "x2 x2"), decision("nothing", "+1 x2")
    assert (forced.critical, forced.swing, forced.kind, forced.chance) == (False, True, "invalid", 1.0)
    assert (lost.critical, lost.swing, lost.chance) == (False, False, 1.0)


def test_a_finished_game_leaves_nothing_to_decide() -> None:
    with pytest.raises(ValueError, match="nothing to judge"):
        decision("+1", "x2 x2 +1 +1 x2 x2")


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.id)
def test_the_judgement_on_a_move_follows_from_the_values_before_and_after_it(game: Any) -> None:
    solution = solve(game)
    states, _ = play_on(game, game.start(), random.Random(1), 8)
    for state in states:
        value = solution.probe(state).value
        for move in game.legal_moves(state):
            judged = decide(state, move, solution)
            assert judged == decide(state, str(move), solution)
            after = -solution.probe(game.play(state, move)).value
            assert (judged.kind, judged.after.value) == ("kept" if after == value else "threw", after)
            others = [-solution.probe(game.play(state, other)).value for other in game.legal_moves(state)]
            assert judged.critical == (min(others) < value)


def test_the_decisions_of_a_match_make_its_grade() -> None:
    solution = solve(GAME)
    for seed in range(20):
        match = Match(GAME)
        for move in play_on(GAME, GAME.start(), random.Random(seed), 99)[1]:
            match.play(move)
        every = decisions(match, solution)
        turns = enumerate(zip(match.states, match.moves, strict=False))
        assert every == [decide(state, move, solution, ply) for ply, (state, move) in turns]
        assert match.outcome is not None
        for seat, judged in enumerate(grade(match, solution)):
            assert judged == tally([each for each in every if each.player == seat], match.outcome.winner == seat)


def test_without_a_result_a_win_counts_as_thrown_if_the_last_decision_lets_go_of_it() -> None:
    assert tally([decision("x2")])[3:5] == (1, 0)
    assert tally([decision("+1")])[3:5] == (1, 1)
    assert tally([decision("nonsense")]) == (1, 1, 0, 1, 1, 1, 0, 0.5)
    assert tally([]) == (0,) * 8


def test_a_detour_is_the_cost_of_a_slower_win() -> None:
    solution = solve(GAME)
    slower = [
        (state, move, judgement[move].distance - judgement.best_verdict.distance)
        for state in play_on(GAME, GAME.start(), random.Random(3), 8)[0]
        if (judgement := solution.judge(state)) and judgement.best_verdict.value > 0
        for move in judgement.keeping
    ]
    assert any(cost for _, _, cost in slower)
    assert all(decide(state, move, solution).detour == cost for state, move, cost in slower)


# Many decisions


def test_a_summary_counts_every_decision_once_and_forfeits_in_every_denominator() -> None:
    answers = ["x2", "x2", "+1", "x9", "pass"]
    judged = summary([[decision(answer)] for answer in answers] + [[decision("x2", "x2 x2")], [decision("x2", "x2")]])
    assert judged["decisions"] == sum(judged[kind] for kind in KINDS) == 7
    assert [judged[kind] for kind in KINDS] == [3, 1, 1, 2, 0, 0]
    assert (judged["critical"]["count"], judged["critical"]["of"]) == (2, 5)
    assert (judged["skill"]["found"], judged["skill"]["of"], judged["skill"]["chance"]) == (2, 5, 2.5)
    assert judged["skill"]["value"] == round((2 - 5 * 0.5) / (5 * (1 - 0.5)), 4)
    assert (judged["thrown"]["count"], judged["thrown"]["of"]) == (4, 6)
    assert [seat["decisions"] for seat in judged["seats"]] == [6, 1]
    assert [(each["distance"], each["critical"]["of"]) for each in judged["distances"]] == [(8, 5)]


def test_a_share_lies_in_its_interval_and_is_none_without_data() -> None:
    for some in (0, 3, 10):
        judged = share([(1, 1)] * some + [(0, 1)] * (10 - some))
        assert judged["low"] <= judged["value"] == some / 10 <= judged["high"]  # type: ignore[operator]
        assert judged["high"] - judged["low"] > 0.1  # type: ignore[operator]
    assert share([]) == share([(0, 0)]) == {"count": 0, "of": 0, "value": None, "low": None, "high": None}


def test_skill_is_the_share_found_beyond_chance_and_is_none_without_data() -> None:
    parts = [Grade(critical=2, found=1, chance=0.5), Grade(critical=1, found=1, chance=0.25), Grade(turns=3)]
    judged = skill(parts)
    assert judged["value"] == round((2 - 0.75) / (3 - 0.75), 4)
    assert judged["low"] < judged["value"] < judged["high"]  # type: ignore[operator]
    none = {"found": 0, "of": 0, "chance": 0.0, "value": None, "low": None, "high": None}
    assert skill([]) == skill([Grade(turns=2)]) == none
    found_by_chance = skill([Grade(critical=2, found=2, chance=2.0)])
    assert found_by_chance == {"found": 2, "of": 2, "chance": 2.0, "value": None, "low": None, "high": None}
    assert skill([Grade(critical=1, chance=1 / 3)])["chance"] == 0.3333


def test_intervals_of_skill_never_have_zero_width_and_shrink_with_more_data() -> None:
    for found in (0, 3):
        few, many = (skill([Grade(critical=1, found=found // 3, chance=0.2)] * count) for count in (3, 300))
        widths = [judged["high"] - judged["low"] for judged in (few, many)]  # type: ignore[operator]
        assert widths[0] > 0.3 > 0.03 > widths[1] > 0


def test_the_95_percent_interval_of_a_random_movers_skill_contains_0_about_95_percent_of_the_time() -> None:
    rng, held = random.Random(1), 0
    chances = [rng.choice((0.1, 0.25, 0.5)) for _ in range(60)]
    for number in range(200):
        parts = [Grade(critical=1, found=int(rng.random() < chance), chance=chance) for chance in chances]
        judged = skill(parts, number)
        held += judged["low"] <= 0 <= judged["high"]  # type: ignore[operator]
    assert 180 <= held <= 199


def test_dependent_decisions_count_as_one_observation() -> None:
    def width(judged: dict[str, Any]) -> float:
        return float(judged["high"] - judged["low"])

    apart = share([(1, 1), (0, 1)] * 20)
    together = share([(4, 4), (0, 4)] * 5)
    assert apart["value"] == together["value"] == 0.5
    assert width(together) > 1.5 * width(apart)
