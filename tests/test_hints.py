"""Hints: every step is true by the solution."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import digitduels as dd
from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.players.levels import natural_weights
from digitduels.players.perfect import Perfect, error_chance
from digitduels.sentence import Capital, Count, Played, PlayedNoun, Playing, player_name
from digitduels.solver import Solution
from digitduels.solver.verdict import Verdict
from digitduels.study.coach import warning
from digitduels.study.defence import NOTABLE, defence, rate
from digitduels.study.foresight import NEVER, Foresight
from digitduels.study.hints import STEPS, advised, beginning, hint, hint_in, tempting, unknown, values
from digitduels.study.reasons import Reason, reason, reasons
from digitduels.study.wording import worth
from variants import describe, solve

pytestmark = pytest.mark.slow

GAMES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in dd.games()),
    ("number-duel", {"target": 40, "highest": 3, "tie": "draw"}),
    ("equation-duel", {"target": 5, "highest": 4, "tie": "draw"}),
    ("number-quest", {"target": 31, "highest": 3, "tie": "draw"}),
    ("numerical-nexus", {"target": 12, "uses": (1, 1, 0, 1, 0, 1)}),
]


@pytest.fixture(scope="module", params=GAMES, ids=describe)
def solution(request: pytest.FixtureRequest) -> Solution:
    return solve(dd.game(request.param[0], **request.param[1]))


def positions(solution: Solution, seed: int, count: int = 60) -> Iterator[State[Any, Any]]:
    """Unfinished positions of games in which half of the moves are good and half are random."""
    rng, game = random.Random(seed), solution.game
    count = count if len(game.moves) < 100 else count // 3
    while count > 0:
        state = game.start()._replace(player=rng.randrange(2))
        while each := list(solution.judge(state)):
            if rng.random() < 0.3:
                yield state
                count -= 1
            state = game.after(state, rng.choice(each if rng.random() < 0.5 else each[:3]))


def played(game: AnyGame, state: State[Any, Any], line: str) -> State[Any, Any]:
    """The position after a line written for people: Player 1 ×5, Player 2 +3, Player 1 reset Player 1's score."""
    for step_text in line.split(", "):
        who, text = re.fullmatch(r"(?:Player ([12]) )?(.*)", step_text).groups()  # type: ignore[union-attr]
        assert who in (None, str(state.player + 1))
        whose = re.fullmatch(r"(?:the reset of|reset) (Player [12])'s score", text)
        state = game.play(state, game.read(f"reset {whose[1]}" if whose else text, state))
    return state


def at(game: AnyGame, line: str) -> State[Any, Any]:
    return played(game, game.start(), line.replace(" ", ", ")) if line else game.start()


# The steps


def test_step_1_gives_the_verdict_and_counts_the_moves_that_keep_it(solution: Solution) -> None:
    for state in positions(solution, 1):
        each = solution.judge(state)
        best = max(verdict.value for verdict in each.values())
        stand, *_, count = hint(state, solution, 1)
        who = {1: player_name(state.player), -1: player_name(1 - state.player)}
        assert stand.startswith(f"{who[best]} is winning" if best else "With best play nobody wins")
        keeping = sum(verdict.value == best for verdict in each.values())
        if len(each) == 1:
            assert count == "There is only one move."
        else:
            every = "Both moves" if len(each) == 2 else f"All {len(each)} moves"
            assert (every if keeping == len(each) else f"{keeping} of {len(each)} move") in count


def test_step_2_names_a_losing_move_with_a_correct_refutation(solution: Solution) -> None:
    game = solution.game
    for state in positions(solution, 2):
        each = solution.judge(state)
        best = max(each.values())
        lines = hint(state, solution, 2)
        move = tempting(state, solution)
        if move is None:
            assert len({verdict.value for verdict in each.values()}) == 1
            assert len(lines) == 1 or lines == ["Nothing changes the result now.", "Play it out."]
            continue
        assert each[move].value < best.value
        assert lines[0] == f"Tempting, but wrong: {PlayedNoun(move, state.player)}."
        after = game.play(state, move)
        if game.outcome(after) is None:  # no other mistake that leaves the game open is more natural
            others = [other for other in each if each[other].value < best.value and each[other].distance > 1]
            natural = natural_weights(game, state)
            assert natural[move] == max(natural[other] for other in others)
        answer = re.fullmatch(r"Player [12] answers with (.*?),? and (wins|nobody wins)(?:: (.*))?\.", lines[1])
        if answer is None:
            assert lines[1].startswith("That ends the game. ")
            assert game.outcome(after) is not None
            continue
        outcome = game.outcome(played(game, after, ", ".join(filter(None, (answer[1], answer[3])))))
        assert outcome is not None
        assert (answer[2], outcome.winner) in (("nobody wins", None), ("wins", 1 - state.player))


def test_step_3_is_the_first_half_of_the_move_of_step_4(solution: Solution) -> None:
    game = solution.game
    for state in positions(solution, 3):
        move = advised(state, solution)
        if len(game.legal_moves(state)) > 1:
            assert hint(state, solution, 3) == [f"The move begins with {beginning(game, move)}."]
        assert hint(state, solution, 4)[0] == f"{Capital(Playing('play', move, state.player))}."


def test_step_4_gives_a_best_move_and_a_correct_line(solution: Solution) -> None:
    game = solution.game
    for state in positions(solution, 4):
        move = advised(state, solution)
        verdict = solution.probe(state)
        assert solution.judge(state)[move].value == verdict.value
        if verdict.value > -1:
            assert move in solution.best(state)
        lines = hint(state, solution, 4)
        line_text = next(
            (line for line in lines if line.startswith("With best play: ")), str(Played(move, state.player))
        )
        line_text = line_text.removeprefix("With best play: ")
        outcome = game.outcome(played(game, state, line_text.removesuffix(".")))
        assert outcome is not None
        assert outcome.winner == {1: state.player, -1: 1 - state.player, 0: None}[verdict.value]


def test_no_step_gives_away_the_next(solution: Solution) -> None:
    for state in positions(solution, 5, 30):
        if len(solution.game.legal_moves(state)) > 3:
            line_text = " ".join(line for step in (1, 3) for line in hint(state, solution, step))
            assert f" {Played(advised(state, solution), state.player)}" not in line_text
    assert STEPS == 4


def test_values_list_every_legal_move_once_from_quickest_win_to_quickest_loss(
    solution: Solution,
) -> None:
    for state in positions(solution, 6):
        each, groups = solution.judge(state), values(state, solution.judge(state))
        assert [move for group in groups for move in group.moves] == list(each)
        assert len({group.words for group in groups}) == len(groups)
        for group in groups:
            verdicts = [each[move] for move in group.moves]
            assert {verdict.value for verdict in verdicts} == {group.value}
            assert {worth(state.player, verdict) for verdict in verdicts} == {group.words}
            assert group.sign == {1: "▲", 0: "=", -1: "▼"}[group.value]


# The reasons, each checked against the rules


def winners(game: AnyGame, state: State[Any, Any], player: int) -> dict[Any, State[Any, Any]]:
    """The moves that would win at once for a player on their turn, by the rules alone."""
    state = state._replace(player=player)
    reached = {move: game.play(state, move) for move in game.legal_moves(state)}
    ended = {move: game.outcome(after) for move, after in reached.items()}
    return {move: reached[move] for move, outcome in ended.items() if outcome and outcome.winner == player}


def is_true(found: Reason, state: State[Any, Any], move: Any, solution: Solution) -> bool:
    game, me = solution.game, state.player
    after = game.play(state, move)
    replies = [game.play(after, reply) for reply in game.legal_moves(after)]
    lost = [outcome is not None and outcome.winner == me for outcome in map(game.outcome, replies)]
    going = [reply for reply in replies if game.outcome(reply) is None]
    match found.kind:
        case "wins":
            outcome = game.outcome(after)
            return outcome is not None and outcome.winner == me and outcome.reason in found.sentence
        case "no good reply":
            return bool(replies) and all(lost)
        case "double threat" | "threat":
            threats = winners(game, after, me)
            several = len(set(threats.values())) > 1
            stopped = any(not threats.keys() & winners(game, reply, me).keys() for reply in going)
            return several == (found.kind == "double threat") and not stopped and len(going) == lost.count(False)
        case "next turn":
            return all(winners(game, reply, me) for reply in going) and len(going) == lost.count(False)
        case "block":
            return bool(winners(game, state, 1 - me)) and not winners(game, after, 1 - me)
        case "only move":
            others = {game.play(state, other) for other in game.legal_moves(state)} - {after}
            kept = [other for other in others if -solution.probe(other).value >= -solution.probe(after).value]
            at_once = all(game.outcome(other) is not None for other in others)
            return not kept and ("at once" not in found.sentence or at_once)
        case "runs out":
            for reply in solution.line(after):
                after = game.play(after, reply)
            outcome = game.outcome(after)
            assert outcome is not None
            return outcome.winner == me and not game.legal_moves(after) and outcome.reason in found.sentence
        case "in hand":
            # Numerical Nexus, the only game with operations in hand: the last of them is the reset.
            hands = list(after.hands)
            hands[me] = hands[me]._replace(uses=(*hands[me].uses[:5], 0))
            return "reset" in found.sentence and solution.probe(after._replace(hands=tuple(hands))).value > -1
        case "tempo":
            lost_now = solution.probe(after).value == -1
            return lost_now and solution.probe(after._replace(player=me)).value < 1
        case "plain":
            value = solution.judge(state)[move].value
            return {1: " wins ", 0: "draw", -1: " loses "}[value] in found.sentence
    return False


def test_every_reason_for_every_move_is_true(solution: Solution) -> None:
    rng = random.Random(7)
    for state in positions(solution, 8, 80):
        moves = solution.game.legal_moves(state)
        for move in [*solution.best(state)[:2], *rng.sample(moves, min(3, len(moves)))]:
            found = list(reasons(state, move, solution))
            assert found[-1].kind == "plain"
            assert found[0] == reason(state, move, solution)
            for each in found:
                assert is_true(each, state, move, solution), (state, move, each)


def test_every_kind_of_reason_is_given_somewhere() -> None:
    kinds = Counter[str]()
    for name in ("numerical-nexus", "number-duel", "number-quest", "equation-duel"):
        solution = solve(dd.game(name))
        for state in positions(solution, 9, 150):
            kinds.update(found.kind for found in reasons(state, solution.best(state)[0], solution))
    assert kinds.keys() == {
        "wins",
        "no good reply",
        "double threat",
        "threat",
        "next turn",
        "block",
        "in hand",
        "tempo",
        "only move",
        "runs out",
        "plain",
    }


@pytest.mark.parametrize(
    ("name", "line", "move", "sentence"),
    [
        ("number-duel", "+5 +10", "x10", "It wins at once. Player 1 has reached 50 points."),
        ("number-duel", "", "+5", "It threatens to win with ×10, and no reply stops that."),
        (
            "equation-duel",
            "",
            "5x8",
            "It threatens to win with 1+9, 3+7 and 4+6, and no reply stops them all.",
        ),
        ("equation-duel", "4-8 9/2", "5x6", "Every reply loses at once."),
        (
            "operation-target",
            "",
            "x2",
            "Then Player 2 has to move, and every move loses. If Player 2 could pass, Player 1 would not win.",
        ),
        (
            "numerical-nexus",
            "+5 +5 x2 +3 +3 x2 +3",
            "x3",
            "Still to come: the reset of Player 1's score. Without it, Player 2 would not win.",
        ),
        ("number-quest", "", "+6", "Player 1 wins in 3 turns."),
    ],
)
def test_known_moves_get_their_reason(name: str, line: str, move: str, sentence: str) -> None:
    game = dd.game(name)
    assert reason(at(game, line), game.read(move), solve(game)).sentence == sentence


def test_hints_in_a_lost_position_suggest_the_move_that_is_hardest_to_answer() -> None:
    game = dd.game("numerical-nexus")
    solution = solve(game)
    assert hint(game.start(), solution, 2) == ["Set a trap: find the move that is hardest to answer."]
    move = advised(game.start(), solution)
    chances = {other: error_chance(game.start(), other, solution) for other in game.legal_moves(game.start())}
    assert chances[move] == max(chances.values()) > 0
    hard = "It is hard to answer: within two turns, a level 4 opponent goes wrong "
    assert hint(game.start(), solution, 4)[-1] == f"{hard}{rate(chances[move])}."


def test_hints_mention_a_lost_position_once_with_the_move_to_take_back() -> None:
    game = dd.game("number-duel")
    solution, match = solve(game), dd.Match(game)
    for move in ("+1", "+1"):
        match.play(game.read(move))
    lost = next(move for move, verdict in solution.judge(match.state).items() if verdict.value < 0)
    match.play(lost)
    match.play(solution.best(match.state)[0])
    lines_by_step = {
        step: [line.to(match.names, 0) for line in hint_in(match, solution, step)] for step in range(1, STEPS + 1)
    }
    had = "win" if solution.probe(match.states[2]).value > 0 else "draw"
    regret = f"Take back your last move, {Played(lost, 0)}: it gave the {had} away."
    assert lines_by_step[1][-1] == regret
    assert regret not in [line.to(match.names, 0) for line in hint_in(match, solution, 1, takebacks=False)]
    assert sum(bool(re.search(r"\blos(e|es|ing)\b", line)) for lines in lines_by_step.values() for line in lines) == 1
    # If the start is lost, there is nothing to take back.
    start = dd.Match(dd.game("numerical-nexus"))
    assert hint_in(start, solve(start.game), 1) == hint(start.state, solve(start.game), 1)


class Shortsighted:
    """Sees only four plies ahead, so that many results are unknown in a small game."""

    def __init__(self, solution: Solution) -> None:
        self.game, self.solution = solution.game, solution

    def within(self, state: State[Any, Any], plies: int) -> dict[Any, Verdict | None]:
        return self.solution.within(state, 4)


def test_warnings_before_the_game_is_solved_are_those_of_the_solution(solution: Solution) -> None:
    source = Foresight(Shortsighted(solution), NEVER)
    for state in positions(solution, 13, 30):
        judgement, known = solution.judge(state), source.judge(state)
        for move in judgement:
            near = warning(state, move, source)
            if move in judgement.throwing and known[move] is not None:
                assert near in (None, warning(state, move, solution))
                assert near is not None or judgement[move].value == 0
            elif near is not None:  # every move loses, but that is not known yet
                assert judgement.best_verdict.value < 0
                assert None in known.values()


def test_values_before_the_game_is_solved_are_those_of_the_solution(solution: Solution) -> None:
    source = Foresight(Shortsighted(solution), NEVER)
    for state in positions(solution, 13, 30):
        known = {move for move, verdict in source.judge(state).items() if verdict is not None}
        expected = {
            group.words: [move for move in group.moves if move in known]
            for group in values(state, solution.judge(state))
            if known & {*group.moves}
        }
        assert {group.words: group.moves for group in values(state, source.judge(state))} == expected
        left = len(solution.judge(state)) - len(known)
        assert unknown(source.judge(state)) == ([f"? not known yet: {Count(left, 'move')}.", NEVER] if left else [])


def test_the_hardest_moves_to_answer_are_those_of_perfect_play(solution: Solution) -> None:
    for state in positions(solution, 14, 40):
        move = advised(state, solution)
        rating = defence(state, move, solution)
        candidates = Perfect(solution).candidates(state)
        if solution.judge(state).best_verdict.value < 0:
            assert move in candidates
            if rating is not None and rating.hardest >= NOTABLE:
                assert {*candidates} <= {*rating.best}


def test_hints_before_the_game_is_solved_say_what_is_known_and_what_is_not(solution: Solution) -> None:
    source = Foresight(Shortsighted(solution), NEVER)
    for state in positions(solution, 13, 30):
        known, judgement = source.judge(state), solution.judge(state)
        lines = {step: hint(state, source, step) for step in range(1, STEPS + 1)}
        named = {str(PlayedNoun(move, state.player)): move for move in judgement}
        named |= {str(Capital(Playing("play", move, state.player))).removeprefix("Play "): move for move in judgement}
        for line in lines[2]:
            if found := re.fullmatch(r"Don't play (.*)\.", line):
                assert all(judgement[named[move]].value < 0 for move in re.split(", | or ", found[1]) if move in named)
                assert NEVER in lines[2]
            elif found := re.fullmatch(r"(?:Play )?(.*?)(?: holds? out longest)?\.", line):
                assert all(
                    judgement[named[move]] == judgement.best_verdict
                    for move in re.split(", | or | and ", found[1])
                    if move in named
                )
        if NEVER in lines[4]:
            (natural,) = (line.partition(" looks natural. ")[0] for line in lines[4] if "looks natural" in line)
            natural = natural[0].lower() + natural[1:]
            assert known[named[natural]] is None or known[named[natural]].value == 0  # type: ignore[union-attr]
            assert "I can't tell yet whether it is good." in " ".join(lines[4])
        else:
            assert lines[1][0].startswith(("Player", "With best play"))
        assert not any(
            re.search(rf"(^| ){re.escape(move)}( |,|\.|$)", line)
            for move in named
            for line in lines[1]
            if len(move) > 1
        )


def test_hints_in_a_lost_position_that_is_not_solved_say_that_all_moves_lose() -> None:
    game = dd.game("number-duel")
    source = Foresight(Shortsighted(solve(game)), NEVER)
    state = at(game, "+5")
    assert source.judge(state).verdict == Verdict(-1, 2)
    assert hint(state, source, 1)[-1] == "All 20 moves lose if Player 1 makes no mistake."
    for step in range(2, STEPS + 1):
        assert hint(state, source, step) == ["All 20 moves lose if Player 1 makes no mistake."]


def test_where_no_reply_can_be_wrong_a_hint_says_so() -> None:
    game = dd.game("operation-target")
    match = dd.Match(game)
    for move in ("+1", "x2"):
        match.play(game.read(move))
    said = hint_in(match, solve(game), 2)
    assert [line.to(reader=0) for line in said] == [
        "Nothing changes the result now.",
        "Play it out, or take back your last move.",
    ]
    assert hint_in(match, solve(game), 2, takebacks=False)[1] == "Play it out."


def test_a_warning_names_what_the_move_allows(solution: Solution) -> None:
    game = solution.game
    for state in positions(solution, 12):
        judgement, coach = solution.judge(state), 1 - state.player
        for move in [*judgement.keeping[:1], *judgement.throwing[:3], *judgement.throwing[-3:]]:
            warned, after = warning(state, move, solution), game.play(state, move)
            if warned is None:
                assert move in judgement.keeping
                continue
            assert move in judgement.throwing
            outcome, wins = game.outcome(after), winners(game, after, coach)
            if judgement[move].value == 0:
                assert warned == "That gives the win away."
            elif outcome is not None:
                assert warned == f"That loses at once. {outcome.reason}"
            elif judgement[move].distance == 2:
                named = {str(PlayedNoun(won, coach)) for won in wins}
                assert any(one in warned for one in named)
                assert ("doesn't stop me" in warned) == bool(wins.keys() & winners(game, state, coach).keys())
            elif "threaten" in warned:
                threats, reply = re.fullmatch(
                    "That lets me threaten (.*) with (.*), and Player [12] can't stop .*", warned
                ).groups()  # type: ignore[union-attr]
                position = played(game, after, reply)
                named = {str(PlayedNoun(won, coach)) for won in winners(game, position, coach)}
                assert any(one in threats for one in named)
                for answer in game.legal_moves(position):
                    here = game.play(position, answer)
                    ended = game.outcome(here)
                    assert ended.winner == coach if ended else winners(game, here, coach)
            elif judgement[move].distance == 3:
                reply = re.fullmatch("I answer with (.*), and then every move of Player [12] loses.", warned)[1]  # type: ignore[index]
                assert all(
                    game.outcome(game.play(here, last))
                    for here in [played(game, after, reply)]
                    for last in game.legal_moves(here)
                )
            else:
                count, reply = re.fullmatch(
                    r"After that I can win in (\d+) turns?, starting with (.*)\.", warned
                ).groups()  # type: ignore[union-attr]
                verdict = solution.probe(played(game, after, reply))
                assert (verdict.value, verdict.distance + 2) == (-1, judgement[move].distance)
                assert int(count) == judgement[move].distance // 2


# Addressing the reader


def test_hints_address_their_reader_as_you(solution: Solution) -> None:
    for state in positions(solution, 11, 20):
        lines = [line for step in range(1, STEPS + 1) for line in hint(state, solution, step)]
        for line in (*lines, *(group.words for group in values(state, solution.judge(state)))):
            for player in (0, 1):
                line_text = line.to(reader=player)
                assert player_name(player) not in line_text
                if "you" in line_text.lower().split() or "your" in line_text.lower().split():
                    assert player_name(player) in line
                else:
                    assert line_text == line
