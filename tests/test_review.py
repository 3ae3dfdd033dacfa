"""Reviews: the start and the swings explain every result, and the summary names the right move."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import digitduels as dd
from digitduels.core import Outcome
from digitduels.games import AnyGame
from digitduels.players.levels import natural_weights
from digitduels.players.perfect import error_chance
from digitduels.sentence import PlayedNoun, Sentence
from digitduels.solver import Solution, Verdict
from digitduels.study.defence import NOTABLE, rate
from digitduels.study.review import Review, review
from variants import describe, play_on, solve, variants

DRAWN: list[tuple[str, dict[str, Any]]] = [
    ("number-duel", {"target": 12, "highest": 4, "copies": 1, "tie": "draw"}),
    ("number-duel", {"target": 40, "highest": 3, "copies": 2, "tie": "draw"}),
    ("equation-duel", {"target": 5, "highest": 4, "tie": "draw"}),
    ("equation-duel", {"target": 50, "highest": 5, "tie": "draw"}),
    ("number-quest", {"target": 9, "highest": 3, "copies": 2, "tie": "draw", "division": "exact"}),
    ("number-quest", {"target": 31, "highest": 3, "copies": 2, "tie": "draw", "invalid": "refused"}),
]


def played(game: AnyGame, tokens: str, first: int = 0) -> dd.Match:
    match = dd.Match(game, first=first)
    for token in tokens.split():
        match.play(game.read(token))
    return match


def random_match(game: AnyGame, rng: random.Random) -> dd.Match:
    """A random game: finished, unfinished or conceded, with or without a given opening."""
    match = dd.Match(game, first=rng.randrange(2))
    for move in play_on(game, match.state, rng, rng.choice([3, 8, 1000]))[1]:
        match.play(move)
    match.opening = rng.choice([0, 0, min(2, len(match.moves))])
    if match.outcome is None and rng.random() < 0.7:
        match.concede(rng.choice([match.state.player] * 3 + [1 - match.state.player]), rng.choice([None, "silence"]))
    return match


def check(match: dd.Match, solution: Solution) -> Review:
    """Checks everything that holds for the review of any match."""
    told = review(match, solution)

    def for_first(player: int, value: int) -> int:
        return value if player == 0 else -value

    value = for_first(told.player, told.start.value)
    for decision in told.decisions:
        assert for_first(decision.player, decision.before.value) == value, "the values hang together"
        assert decision.after.value <= decision.before.value, "nobody improves a position beyond its value"
        given_up = decision.move is None and decision.before.value > -1
        assert decision.swing == ((decision.critical and not decision.found) or given_up)
        value = for_first(decision.player, decision.after.value)
        if decision.move is not None:
            state = match.states[decision.ply]
            worse = [verdict for verdict in solution.judge(state).values() if verdict.value < decision.before.value]
            assert decision.critical == bool(worse)
            assert decision.move in decision.keeping or decision.swing
            assert set(decision.best) == set(solution.best(state)) <= set(decision.keeping)
    losses = sum(for_first(s.player, s.after.value - s.before.value) for s in told.swings)
    assert for_first(told.player, told.start.value) + losses == value
    outcome = match.outcome
    if outcome is not None:
        assert value == {0: 1, 1: -1, None: 0}[outcome.winner], "start and swings explain the result"
    assert told.winning[-1] == {1: 0, -1: 1, 0: None}[value]
    assert len(told.ribbon) == len(match.moves) - match.opening + 1
    for player in (0, 1):
        found, critical = told.found(player)
        assert critical - found == sum(swing.player == player and swing.critical for swing in told.swings)
        assert told.chance(player) < max(critical, 1)
    if not any(0 in (m.before.value, m.after.value) for m in told.decisions):
        players = [swing.player for swing in told.swings]
        assert all(one != other for one, other in pairwise(players)), "swings alternate"
    if told.swings:
        last = told.swings[-1]
        assert last.lesson in told.sentence
        assert last.deed.removesuffix(".") in told.sentence
        assert f"ove {last.ply + 1} decided the game. " in told.sentence
        assert (told.answer is None) == (last.answer is None)
        assert told.answer is None or told.answer.startswith(str(last.answer))
        assert str(told.reasons.get(last.ply, "")) in str(told.answer)
    else:
        assert " from the start" in told.sentence
    assert told.lines()[-2 if told.resistance else -1] == (told.decider or told.sentence)
    assert len({*told.lines()}) == len(told.lines()), "each line once"
    return told


@pytest.mark.parametrize("name", dd.games())
def test_the_start_and_the_swings_explain_the_result_of_every_random_game(name: str) -> None:
    solution = solve(dd.game(name))
    rng = random.Random(name)
    for _ in range(60):
        check(random_match(solution.game, rng), solution)


@pytest.mark.parametrize("name", dd.games())
def test_moves_in_lost_positions_are_graded_by_how_hard_they_are_to_answer(name: str) -> None:
    solution = solve(dd.game(name))
    game, rng, graded = solution.game, random.Random(name), 0
    for _ in range(60):
        if graded > 2:
            return
        match = random_match(game, rng)
        told = review(match, solution)
        for turn in told.decisions:
            if turn.move is None or turn.before.value > -1:
                assert turn.ply not in told.defences
                continue
            state = match.states[turn.ply]
            chances = {move: error_chance(state, move, solution) for move in game.legal_moves(state)}
            hardest, verdicts = max(chances.values()), solution.judge(state)
            found = told.defences.get(turn.ply)
            if hardest < NOTABLE:
                good = [verdicts[move] == turn.before for move in chances]
            else:
                good = [hardest - chance < NOTABLE for chance in chances.values()]
            assert (found is None) == all(good), "every move is graded where some defend better than others"
            if found is not None:
                graded += 1
                assert found.found == good[list(chances).index(turn.move)]
                assert (found.chance, found.hardest) == (chances[turn.move], hardest)
                assert set(found.best) <= {move for move, well in zip(chances, good, strict=True) if well}
                assert hardest < NOTABLE or rate(found.chance) in found.sentence
                best = str(PlayedNoun(found.best[0], found.player))
                assert found.found or best.lower() in found.sentence.lower()
        for player in (0, 1):
            wells = [each.found for each in told.defences.values() if each.player == player]
            assert told.resisted(player) == (sum(wells), len(wells))
    assert graded


def test_the_loser_is_shown_the_move_that_was_harder_to_answer() -> None:
    game = dd.game("numerical-nexus")
    solution = solve(game)
    assert solution.probe(game.start()).value == -1
    match = dd.Match(game)
    while match.outcome is None:  # the natural move instead of the best one
        here = match.state
        weights = natural_weights(game, here)
        match.play(max(weights, key=weights.__getitem__) if here.player == 0 else solution.best(here)[0])
    told = review(match, solution)
    assert (match.outcome.winner, told.swings) == (1, [])
    found, of = told.resisted(0)
    assert found < of
    assert told.resistance is not None
    where = re.match(r"Move (\d+): \S+ was harder to answer than \S+\. Within two turns, a level 4 ", told.resistance)
    assert where
    assert not told.defences[int(where[1]) - 1].found
    assert f"Player 1 found the best defence in {found} of {of} lost positions." in told.lines()


@pytest.mark.parametrize("variant", DRAWN, ids=describe)
def test_the_start_and_the_swings_explain_the_result_with_draws_too(variant: tuple[str, dict[str, Any]]) -> None:
    solution = solve(dd.game(variant[0], **variant[1]))
    rng = random.Random(1)
    reviews = [check(random_match(solution.game, rng), solution) for _ in range(60)]
    assert any(0 in (m.before.value, m.after.value) for told in reviews for m in told.decisions)


@settings(max_examples=40)
@given(variants(), st.integers(0, 2**32))
def test_the_start_and_the_swings_explain_the_result_in_any_variant(game: AnyGame, seed: int) -> None:
    try:
        solution = dd.solve(game, cache=False, limit=5_000_000)
        check(random_match(game, random.Random(seed)), solution)
    except dd.TooLarge:
        return


def test_a_game_without_mistakes_is_decided_by_the_seat() -> None:
    game = dd.game("number-duel")
    told = review(played(game, "+5 +10 x10"), solve(game))
    assert (told.start, told.swings, told.ribbon) == (Verdict(1, 3), [], "▲▲▲▲")
    assert told.sentence == "Player 1 was winning from the start and never gave it away."
    assert told.lines() == [
        "At the start: Player 1 is winning: 2 more turns.",
        "Who was winning: ▲▲▲▲",
        "(▲ Player 1 is winning, ▼ Player 2 is winning, = nobody is; one sign for the start and one for each move)",
        "Player 1 found 2 of 2 critical moves; random play would find about 0.2.",
        "Player 2 had no critical moves.",
        told.sentence,
    ]


def test_constructed_games_have_exactly_the_expected_swings() -> None:
    game = dd.game("number-duel")
    # Only +5 and +10 win at first. Player 2 takes 5, but then misses the win with x10, which Player 1 takes.
    told = review(played(game, "+4 +5 +1 +10 x10"), solve(game))
    assert [(swing.ply, swing.player, str(swing.move)) for swing in told.swings] == [(0, 0, "+4"), (3, 1, "+10")]
    assert [[str(move) for move in swing.best] for swing in told.swings] == [["+5", "+10"], ["x10"]]
    assert told.ribbon == "▲▼▼▼▲▲"
    assert (told.found(0), told.found(1)) == ((1, 2), (1, 2))


def test_the_summary_names_the_turning_point() -> None:
    game = dd.game("operation-target")
    told = review(played(game, "+1 +1 x2 x2 +1 +1 x2"), solve(game))
    assert told.sentence == ("Move 1 decided the game. Player 1 played +1 and turned a win into a loss.")
    assert told.answer is not None
    assert told.answer.startswith("Only ×2 still won. Why ×2? Then Player 2 has to move")
    assert told.story == "Player 1 was winning at the start, Player 2 from move 1 on."


def test_a_review_addresses_its_reader() -> None:
    game = dd.game("operation-target")
    told, names = review(played(game, "+1 +1 x2 x2 +1 +1 x2"), solve(game)), ("Ann; Lee", "Bob")
    assert told.sentence.to(names, 0) == "Move 1 decided the game. You played +1 and turned a win into a loss."
    assert told.sentence.to(names, 1) == "Move 1 decided the game. Ann; Lee played +1 and turned a win into a loss."
    assert told.story.to(names, 1) == "Ann; Lee was winning at the start, you from move 1 on."


@pytest.mark.parametrize(("forfeit", "deed"), [(None, "conceded"), ("silence", "forfeited the game")])
def test_conceding_a_won_game_is_a_swing(forfeit: str | None, deed: str) -> None:
    game = dd.game("number-duel")
    match = played(game, "+5 +10")
    match.concede(0, forfeit)
    told = review(match, solve(game))
    (swing,) = told.swings
    assert (swing.ply, swing.player, swing.move, swing.after) == (2, 0, None, Verdict(-1, 0))
    assert told.sentence.startswith(f"Move 3 decided the game. Player 1 {deed} and turned a win into a loss.")
    assert told.answer == "×10 and ×5 still won. Why ×10? It wins at once. Player 1 has reached 50 points."
    assert told.found(0) == (1, 2)


def test_conceding_a_lost_game_is_not_a_swing() -> None:
    game = dd.game("number-duel")
    match = played(game, "+5")
    match.concede(1)
    told = review(match, solve(game))
    assert (told.swings, told.found(1), told.outcome) == ([], (0, 0), Outcome(0, Sentence("Player 2 concedes.")))


def test_a_slower_win_is_not_a_mistake() -> None:
    game = dd.game("number-quest")
    solution = solve(game)
    slow = next(move for move, verdict in solution.judge(game.start()).items() if verdict == (1, 9))
    told = review(played(game, str(slow)), solution)
    assert (told.swings, told.found(0)) == ([], (1, 1))


def test_the_moves_of_a_given_opening_are_not_mistakes() -> None:
    game = dd.game("number-duel")
    match = played(game, "+1 +5 +1 x10")
    match.opening = 1
    told = review(match, solve(game))
    assert (told.player, told.start.value, told.swings) == (1, 1, [])


def test_an_unfinished_game_is_reviewed_up_to_now() -> None:
    game = dd.game("number-duel")
    assert review(played(game, ""), solve(game)).sentence == "Player 1 was winning from the start and still is."
    assert "So far, move 1 decided the game. Player 1 played ×1" in review(played(game, "x1"), solve(game)).sentence
