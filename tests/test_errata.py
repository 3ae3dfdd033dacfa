"""Every erratum in docs/errata.md, proved by calculation. Positions in the middle of a sample are set up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import digitduels as dd
from conftest import ROOT, Run
from digitduels.asking import objection
from digitduels.games import AnyGame
from digitduels.manual import transcript
from digitduels.pool import Pool
from digitduels.sentence import player_name, spoken, tell, tell_by_the_book

Position = dd.State[Any, Any]

NEXUS_SAMPLE = "+5 +3 x2 x3 +3 +5 x2 x2"


def played(game: AnyGame, tokens: str) -> Position:
    state = game.start()
    for token in tokens.split():
        state = game.play(state, game.read(token))
    return state


def announced(game: AnyGame, tokens: str) -> list[list[str]]:
    """The lines printed after each move between two people."""
    state, said = game.start(), []
    for token in tokens.split():
        move = game.read(token)
        after = game.play(state, move)
        said.append(spoken(game.announce(state, move, after), tell_by_the_book))
        state = after
    return said


def winner(game: AnyGame, state: Position) -> int | None:
    outcome = game.outcome(state)
    assert outcome is not None
    return outcome.winner


def wins_now(game: AnyGame, state: Position) -> set[str]:
    """The moves that win at once."""
    after = {str(move): game.outcome(game.play(state, move)) for move in game.legal_moves(state)}
    return {token for token, outcome in after.items() if outcome and outcome.winner == state.player}


def all_games(
    game: AnyGame, state: Position, so_far: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Position]]:
    """Every possible continuation, with its last position."""
    if game.outcome(state) is not None:
        yield so_far, state
    for move in game.legal_moves(state):
        yield from all_games(game, game.play(state, move), (*so_far, str(move)))


def pool_of(numbers: str, highest: int, copies: int) -> Pool:
    present = [int(number) for number in numbers.split()]
    return Pool(tuple(present.count(number) for number in range(1, highest + 1)), copies)


def test_a_player_who_concedes_loses() -> None:
    for name in dd.games():
        match = dd.Match(dd.game(name))
        match.concede(0)
        assert match.outcome is not None
        assert match.outcome.winner == 1


# Numerical Nexus


def test_nexus_one_plus_three_is_left_after_the_first() -> None:
    assert announced(dd.game("numerical-nexus"), NEXUS_SAMPLE)[4] == [
        "Player 1's score is now 13. Remaining +3 uses: 1."
    ]


def test_nexus_prints_the_new_score_alone() -> None:
    assert announced(dd.game("numerical-nexus"), NEXUS_SAMPLE)[6:] == [
        ["Player 1's score is now 26. Remaining ×2 uses: 0."],
        ["Player 2's score is now 28. Remaining ×2 uses: 1."],
    ]


def test_nexus_ending_cannot_follow_from_its_opening() -> None:
    game = dd.game("numerical-nexus")
    seen, waiting = set[Position](), [played(game, NEXUS_SAMPLE)]
    while waiting:
        state = waiting.pop()
        if state not in seen:
            seen.add(state)
            waiting += [game.play(state, move) for move in game.legal_moves(state)]
    assert max(hand.score for state in seen for hand in state.hands) == 34


def test_nexus_ending_follows_from_another_opening() -> None:
    game, tokens = dd.game("numerical-nexus"), "+5 +5 +3 +3 x2 x2 x3 x3 +1 +1 +1"
    assert announced(game, tokens)[-3:] == [
        ["Player 1's score is now 49. Remaining +1 uses: 2."],
        ["Player 2's score is now 49. Remaining +1 uses: 2."],
        ["Player 1's score is now 50. Remaining +1 uses: 1."],
    ]
    assert winner(game, played(game, tokens)) == 0


def test_nexus_sample_game_holds_if_only_the_second_choice_counts() -> None:
    game, tokens = dd.game("numerical-nexus"), "+5 +3 x2 +5 x2 x3 +3 reset-theirs reset-theirs +3"
    assert [line for lines in announced(game, tokens) for line in lines] == [
        "Player 1's score is now 5. Remaining +5 uses: 0.",
        "Player 2's score is now 3. Remaining +3 uses: 1.",
        "Player 1's score is now 10. Remaining ×2 uses: 1.",
        "Player 2's score is now 8. Remaining +5 uses: 0.",
        "Player 1's score is now 20. Remaining ×2 uses: 0.",
        "Player 2's score is now 24. Remaining ×3 uses: 0.",
        "Player 1's score is now 23. Remaining +3 uses: 1.",
        "Player 2 resets Player 1's score to 0. No remaining resets.",
        "Player 1 resets Player 2's score to 0. No remaining resets.",
        "Player 2's score is now 3. Remaining +3 uses: 0.",
    ]
    assert game.objection(played(game, "+5"), game.read("x2")) is None
    for before in ("+5 +3 x2 +5 x2 x3", "+5 +3 x2 +5 x2 x3 +3 reset-theirs reset-theirs"):
        state = played(game, before)
        objection = game.objection(state, game.read("+5"))
        assert objection == f"{player_name(state.player)} has no +5 left."
        assert tell(objection, reader=state.player) == "You have no +5 left."


def test_nexus_reset_may_hit_either_score() -> None:
    game = dd.game("numerical-nexus")
    state = played(game, "+5 +3")
    assert [hand.score for hand in game.play(state, game.read("reset-theirs")).hands] == [5, 0]
    assert [hand.score for hand in game.play(state, game.read("reset-mine")).hands] == [0, 3]


def test_nexus_reset_can_be_typed_in_many_ways() -> None:
    game = dd.game("numerical-nexus")
    state = game.start()
    for text in ("reset-theirs", "reset opponent", "Reset 2", "reset Player 2"):
        assert str(game.read(text, state)) == "reset-theirs"
    for text in ("reset-mine", "reset me", "reset 1"):
        assert str(game.read(text, state)) == "reset-mine"


def test_nexus_doubling_zero_is_legal_and_spends_the_use() -> None:
    hand = played(dd.game("numerical-nexus"), "x2").hands[0]
    assert (hand.score, hand.uses[3]) == (0, 1)


def test_nexus_a_player_with_a_reset_always_has_a_move() -> None:
    game = dd.game("numerical-nexus")
    hand = game.start().mine._replace(score=49, uses=(0, 2, 1, 2, 1, 1))
    state: Position = dd.State(0, (hand, hand), None)
    assert [str(move) for move in game.legal_moves(state)] == ["reset-mine", "reset-theirs"]
    spent = hand._replace(uses=(0, 2, 1, 2, 1, 0))
    assert winner(game, dd.State(0, (spent, hand), None)) == 1


# Operation Target


def test_target_23_is_never_reached() -> None:
    game = dd.game("operation-target")
    assert sorted(state.table for _, state in all_games(game, game.start())) == [24, 28, 36, 40]


def test_target_23_is_decided_by_the_first_move() -> None:
    game = dd.game("operation-target")
    results = {(moves[0], winner(game, state)) for moves, state in all_games(game, game.start())}
    assert results == {("x2", 0), ("+1", 1)}


def test_target_has_at_most_four_games() -> None:
    for target in (2, 3, 23, 100, 12345, 10**100):
        game = dd.game("operation-target", target=target)
        assert len(list(all_games(game, game.start()))) <= 4


def test_target_must_be_above_the_start() -> None:
    for options in ({"target": 1}, {"target": 5, "start": 5}):
        with pytest.raises(ValueError, match="must be"):
            dd.game("operation-target", **options)


def test_target_menu_counts_what_is_available() -> None:
    game = dd.game("operation-target")
    assert game.turn(game.start())[-1] == "Available Operations: [1] Add 1, [2] Multiply by 2"
    assert game.turn(played(game, "+1 x2"))[-1] == "Available Operation: [1] Multiply by 2"


# Number Duel


def test_duel_a_number_can_be_taken_once_for_each_copy() -> None:
    game = dd.game("number-duel")
    ten = game.read("+10")
    assert game.objection(played(game, "+10"), ten) is None
    assert game.objection(played(game, "+10 +10"), ten) is not None


def test_duel_says_that_one_copy_is_removed() -> None:
    five, ten, _ = announced(dd.game("number-duel"), "+5 +10 x10")
    assert five[-4] == "1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10 (one 5 is removed)"
    assert ten[-4] == "1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10 (one 10 is removed)"


def test_duel_shows_the_calculation_of_a_multiplication_only() -> None:
    said = announced(dd.game("number-duel"), "+5 +10 x10")
    shown = [[line for line in lines if line.startswith("Calculation")] for lines in said]
    assert shown == [[], [], ["Calculation: 5 * 10 = 50"]]


def test_duel_shows_no_pool_after_the_winning_move() -> None:
    assert announced(dd.game("number-duel"), "+5 +10 x10")[-1][-1] == "Player 1's New Score: 50"


def test_duel_can_use_up_its_pool() -> None:
    game = dd.game("number-duel")
    state = played(game, " ".join(f"x{number} x{number}" for number in range(1, 11)))
    assert state.hands == (0, 0)
    assert game.outcome(state) == (0, "The pool is empty. Both scores are 0: Player 2 took the last turn and loses.")


def test_duel_no_score_stays_above_the_target() -> None:
    game = dd.game("number-duel")
    state = game.start()._replace(hands=(45, 0))
    assert game.play(state, game.read("+6")).hands == (0, 0)
    for move in game.legal_moves(state):
        assert max(game.play(state, move).hands) <= 50


def test_duel_every_number_in_the_pool_may_be_added_or_multiplied() -> None:
    game = dd.game("number-duel")
    for score in range(50):
        assert len(game.legal_moves(game.start()._replace(hands=(score, 0)))) == 20


def test_duel_five_then_times_ten_cannot_be_stopped() -> None:
    game = dd.game("number-duel")
    state = played(game, "+5")
    for answer in game.legal_moves(state):
        assert "x10" in wins_now(game, game.play(state, answer))


def test_duel_one_ten_can_be_blocked() -> None:
    game = dd.game("number-duel", copies=1)
    assert not wins_now(game, played(game, "+5 +10"))


def test_duel_help_shows_both_scores(duels: Run) -> None:
    shown = duels("play", "number-duel", answers="5\nadd\n?\n").stdout
    assert "Player 1 Score: 5\nPlayer 2 Score: 0\n" in shown


# Equation Duel


def test_equation_winning_example_loses() -> None:
    game = dd.game("equation-duel")
    state = played(game, "6x7 9-5")
    assert (state.hands, state.table.numbers) == ((42, 4), (1, 2, 3, 4, 8))
    assert winner(game, game.play(state, game.read("8+2"))) == 1
    assert wins_now(game, state) == {"8x1", "1x8", "8/1", "2x4", "4x2"}


def test_equation_sample_with_45_points_cannot_arise() -> None:
    game = dd.game("equation-duel")
    left = (1, 4, 5, 6, 9)
    opening = played(game, "3x8 7+2")
    assert (opening.hands, opening.table.numbers) == ((24, 9), left)
    used = [move for move in game.moves if move.first not in left and move.second not in left]
    assert 45 not in {game.play(game.start(), move).hands[0] for move in used}


def test_equation_sample_turn_could_have_won() -> None:
    game = dd.game("equation-duel")
    state = dd.State(0, (45, 9), pool_of("1 4 5 6 9", 9, 1))
    assert objection(game, state, [5, 5]) == "Numbers must be different and unused."
    assert winner(game, game.play(state, game.read("5+4"))) == 1
    assert wins_now(game, state) == {"1+4", "4+1", "1x5", "5x1", "5/1", "6-1", "9-4"}


def test_equation_one_number_is_always_left() -> None:
    game = dd.game("equation-duel")
    state = played(game, "1x2 3+4 5x9 6x7")
    assert (state.hands, state.table.numbers) == ((47, 49), (8,))
    assert winner(game, state) == 1


def test_equation_first_to_pass_the_target_has_lost() -> None:
    game = dd.game("equation-duel")
    state = played(game, "7x8")
    assert state.hands == (56, 0)
    assert winner(game, state) == 1
    assert game.legal_moves(state) == []


def test_equation_scores_can_be_equal_at_the_end() -> None:
    winners = {
        tie: played(dd.game("equation-duel", tie=tie), "1x2 4+5 3x7 6+8") for tie in ("draw", "last-mover-loses")
    }
    assert {state.hands for state in winners.values()} == {(23, 23)}
    assert [winner(dd.game("equation-duel", tie=tie), state) for tie, state in winners.items()] == [None, 0]


def test_equation_only_subtraction_gives_a_negative_result() -> None:
    game = dd.game("equation-duel")
    negative = {move.operation for move in game.moves if game.play(game.start(), move).hands[0] < 0}
    assert negative == {"-"}


def test_equation_negative_result_lowers_the_score() -> None:
    assert played(dd.game("equation-duel"), "3-8").hands == (-5, 0)


def test_equation_division_can_give_zero() -> None:
    assert played(dd.game("equation-duel"), "2/7").hands == (0, 0)


def test_equation_four_products_win_by_the_third_move() -> None:
    game = dd.game("equation-duel")
    for token in ("5x8", "5x9", "6x7", "6x8"):
        state = played(game, token)
        for answer in game.legal_moves(state):
            after = game.play(state, answer)
            outcome = game.outcome(after)
            assert wins_now(game, after) if outcome is None else outcome.winner == 0


# Number Quest


def test_quest_division_drops_fractions_unless_exact() -> None:
    assert played(dd.game("number-quest"), "+7 +1 /2").hands == (3, 1)
    assert played(dd.game("number-quest", division="exact"), "+7 +1 /2").hands == (7, 1)


def test_quest_invalid_operation_costs_the_turn() -> None:
    game = dd.game("number-quest")
    state = played(game, "-3")
    assert (state.player, state.hands, state.table.counts[2]) == (1, (0, 0), 1)
    assert game.outcome(state) is None
    refusing = dd.game("number-quest", invalid="refused")
    assert "negative" in str(refusing.objection(refusing.start(), refusing.read("-3")))
    assert {str(move) for move in refusing.legal_moves(refusing.start())} >= {f"+{number}" for number in range(1, 10)}


def test_quest_only_an_invalid_result_costs_the_turn(duels: Run) -> None:
    shown = duels("play", "number-quest", answers="12\n3\n%\n-\n").stdout
    assert shown.count("Error: ") == 2
    assert "0 - 3 = -3, and a score can't be negative.\nYou lose your turn, and the 3 is gone." in shown
    assert shown.count("Player 1's Turn") == shown.count("Player 2's Turn") == 1


def test_quest_can_end_with_equal_scores() -> None:
    tokens = " ".join(f"x{number} x{number}" for number in range(1, 10))
    results = {}
    for tie in ("last-mover-loses", "last-mover-wins", "draw"):
        game = dd.game("number-quest", tie=tie)
        results[tie] = winner(game, played(game, tokens))
    assert results == {"last-mover-loses": 0, "last-mover-wins": 1, "draw": None}


def test_quest_higher_score_wins_at_the_end() -> None:
    game = dd.game("number-quest")
    state = dd.State(1, (0, 7), pool_of("1", 9, 2))
    assert winner(game, game.play(state, game.read("x1"))) == 1


def test_quest_has_no_zero_to_divide_by() -> None:
    assert min(move.number for move in dd.game("number-quest").moves) == 1


def test_quest_reads_both_ways_of_writing() -> None:
    game = dd.game("number-quest")
    assert game.read("×6") == game.read("*6") == game.read("x6")
    assert game.read("÷2") == game.read("/2")


def test_quest_shows_both_scores_each_turn() -> None:
    game = dd.game("number-quest")
    shown = spoken(game.turn(played(game, "+5")), tell_by_the_book)
    assert shown[1:3] == ["Player 1's Score: 5", "Current Score: 0"]


def test_quest_sample_game_is_right() -> None:
    shown = transcript(dd.game("number-quest"), "+5 x2 +9 +8 x6")
    assert shown.endswith(
        """\
Current Score: 14
Available Numbers: 1, 1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8, 9
Select a number: 6
Choose an operation (+, -, *, /): *
Calculation: 14 * 6 = 84
Your score is now 84
You have exceeded 50 points. You lose!

Player 2 Wins the Game!"""
    )


def test_target_23_lasts_at_most_eight_moves() -> None:
    assert dd.game("operation-target").longest == 8


def test_equation_shows_used_numbers() -> None:
    game = dd.game("equation-duel")
    assert "Used Numbers: none" in game.view(game.start())
    assert "Used Numbers: 6 7" in game.view(played(game, "6x7"))


def test_equation_welcome_is_true_in_a_position_that_was_set_up() -> None:
    game = dd.game("equation-duel")
    start = game.start()
    assert game.welcome(start)[1] == "Player 1 and Player 2 start with 0 points."
    assert game.welcome(start._replace(hands=(7, 3)))[1] == "Player 1 starts with 7 points, Player 2 with 3."


def test_target_nothing_limits_the_opponents_choices() -> None:
    game = dd.game("operation-target")
    for _, state in all_games(game, game.start()):
        assert game.outcome(state) is not None
    for mine in (None, "+1", "x2"):  # what a player may do depends on their own previous operation alone
        for number in range(1, 23):
            states = [dd.State(0, (mine, theirs), number) for theirs in (None, "+1", "x2")]
            assert len({tuple(game.legal_moves(state)) for state in states}) == 1


def test_target_shows_both_previous_operations() -> None:
    game = dd.game("operation-target")
    assert game.view(played(game, "x2"))[2:] == [
        "Player 1's Previous Operation: Multiply by 2",
        "Player 2's Previous Operation: None",
    ]


@pytest.mark.parametrize("name", ["equation-duel", "number-duel", "number-quest"])
def test_player_2_always_takes_the_last_turn(name: str) -> None:
    game = dd.game(name)
    assert game.longest % 2 == 0
    match = dd.Match(game)
    while match.outcome is None:  # at 0, multiplications change nothing, and neither do differences that cancel out
        moves = game.legal_moves(match.state)
        match.play(min(moves, key=lambda move: abs(game.effect(match.state, move).scores[match.state.player] or 0)))
    assert len(match.moves) == game.longest
    assert match.state.player == 0


def test_the_lines_that_no_book_shows_are_ours() -> None:
    """Each has a golden transcript that is not from a book."""
    shown = {
        "equation-duel": "win run-out tie-draw tie-last-mover-loses concession",
        "number-duel": "reset run-out tie-draw tie-last-mover-loses concession",
        "number-quest": "lost-turn win run-out tie-draw tie-last-mover-loses concession",
        "numerical-nexus": "refusals forced-loss resets concession",
        "operation-target": "win refusals concession",
    }
    files = {path.stem for path in (ROOT / "tests" / "books").iterdir()}
    assert {f"{name}-{part}" for name, parts in shown.items() for part in parts.split()} <= files
