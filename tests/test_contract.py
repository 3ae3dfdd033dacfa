"""The contract of every game, checked for all games, their variants and random play."""

from __future__ import annotations

import json
import pickle
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import digitduels as dd
from digitduels import core, solver
from digitduels.asking import answer, choices, objection
from digitduels.core import State, winning_score
from digitduels.games import AnyGame, game_class
from digitduels.players import evaluation
from digitduels.position_json import position_from_json, position_to_json
from variants import ALL, describe, games_in_progress, play_on, variants

InProgress = tuple[AnyGame, list[State[Any, Any]], list[Any]]


@pytest.fixture(params=ALL, ids=describe)
def game(request: pytest.FixtureRequest) -> AnyGame:
    name, options = request.param
    return dd.game(name, **options)


@given(games_in_progress())
def test_a_game_is_over_exactly_when_no_move_is_legal(played: InProgress) -> None:
    game, states, _ = played
    for state in states:
        assert (game.outcome(state) is None) == bool(game.legal_moves(state))


@given(games_in_progress())
def test_positions_are_values(played: InProgress) -> None:
    game, states, moves = played
    again = [game.start()]
    for move in moves:
        again.append(game.play(again[-1], move))
    assert again == states
    assert list(map(hash, again)) == list(map(hash, states))
    assert pickle.loads(pickle.dumps(states)) == states


@given(games_in_progress())
def test_playing_a_move_does_not_change_the_old_position(played: InProgress) -> None:
    game, states, _ = played
    state = states[-1]
    before = repr(state)
    for move in game.legal_moves(state):
        game.play(state, move)
    assert repr(state) == before


@given(games_in_progress())
def test_turns_alternate(played: InProgress) -> None:
    _, states, _ = played
    assert [state.player for state in states] == [index % 2 for index in range(len(states))]


@given(games_in_progress())
def test_the_rules_are_the_same_for_both_players(played: InProgress) -> None:
    game, states, moves = played
    mirrored = game.start()._replace(player=1)
    for state, move in zip(states, moves, strict=False):
        assert game.legal_moves(mirrored) == game.legal_moves(state)
        mirrored = game.play(mirrored, move)
    assert mirrored == State(1 - states[-1].player, states[-1].hands[::-1], states[-1].table)
    ours, theirs = game.outcome(states[-1]), game.outcome(mirrored)
    winners = [None if outcome is None else outcome.winner for outcome in (ours, theirs)]
    assert winners in ([None, None], [0, 1], [1, 0])


@given(games_in_progress())
def test_the_legal_moves_are_the_moves_without_an_objection(played: InProgress) -> None:
    game, states, _ = played
    for state in states:
        assert game.legal_moves(state) == [move for move in game.moves if game.objection(state, move) is None]


@given(games_in_progress())
def test_every_refusal_says_why_and_changes_nothing(played: InProgress) -> None:
    game, states, _ = played
    state = states[-1]
    for move in set(game.moves) - set(game.legal_moves(state)):
        with pytest.raises(dd.IllegalMove) as refusal:
            game.play(state, move)
        assert str(refusal.value) == game.objection(state, move)
        assert str(refusal.value).endswith((".", "!"))


@given(games_in_progress())
def test_a_partial_move_is_refused_only_if_no_legal_move_starts_with_it(played: InProgress) -> None:
    game, states, _ = played
    state = states[-1]
    begun = {move[:length] for move in game.moves for length in range(1, len(game.move_fields))}
    legal = {move[:length] for move in game.legal_moves(state) for length in range(1, len(game.move_fields))}
    for chosen in begun:
        assert (objection(game, state, chosen) is None) == (chosen in legal)


@given(games_in_progress())
def test_the_legality_key_determines_the_legal_moves(played: InProgress) -> None:
    game, states, _ = played
    seen: dict[Any, list[Any]] = {}
    for state in states:
        if game.outcome(state) is None:
            plainly = [move for move in game.moves if game.forbids(state, move) is None]
            assert seen.setdefault(game.legality(state), plainly) == plainly


def test_the_cache_of_legal_moves_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "_CACHE_SIZE", 5)
    game = dd.game("number-quest", invalid="refused")
    for state in play_on(game, game.start(), random.Random(1), 99)[0]:
        game.legal_moves(state)
        assert len(game._permitted) <= 5


@given(variants(), st.integers(0, 2**32))
def test_a_game_ends_within_its_bound(game: AnyGame, seed: int) -> None:
    states, moves = play_on(game, game.start(), random.Random(seed), game.longest + 1)
    assert len(moves) <= game.longest
    assert game.outcome(states[-1]) is not None


def test_even_the_largest_operation_target_ends_within_its_bound() -> None:
    game = dd.game("operation-target", target=10**4000)
    states, moves = play_on(game, game.start(), random.Random(1), game.longest + 1)
    assert len(moves) <= game.longest
    assert game.outcome(states[-1]) is not None


def test_every_move_reads_back_from_its_token(game: AnyGame) -> None:
    tokens = [str(move) for move in game.moves]
    assert [game.read(token) for token in tokens] == list(game.moves)
    assert len(set(tokens)) == len(tokens)
    assert all(token.isascii() and not set(token) & set(" *") for token in tokens)


@given(variants(), st.data())
def test_moves_are_parsed_leniently(game: AnyGame, data: st.DataObject) -> None:
    move = data.draw(st.sampled_from(game.moves))
    token = str(move)
    for other in (token.upper(), f"  {token}\t", token.replace("x", "×"), token.replace("x", " * ")):
        assert game.read(other) == move
    assert game.read(token.replace("/", "÷")) == move


@given(variants(), st.text())
def test_any_text_is_parsed_as_a_move_or_refused_with_a_clear_message(game: AnyGame, text: str) -> None:
    try:
        read = game.read(text, game.start())
    except dd.InvalidMove as error:
        refusal = str(error)
    else:
        assert read in game.moves
        return
    assert refusal.isprintable()
    assert len(refusal) < 300


@given(games_in_progress())
def test_every_legal_move_can_be_entered_question_by_question(played: InProgress) -> None:
    game, states, _ = played
    state = states[-1]
    for move in game.legal_moves(state):
        chosen: tuple[Any, ...] = ()
        for field, value in zip(game.move_fields, move, strict=True):
            possible = choices(game, state, chosen)
            assert value in possible
            text = str(possible.index(value) + 1) if field.menu else field.label(value)
            chosen = answer(game, state, chosen, text)
        assert chosen == move


@given(variants())
def test_a_game_is_a_value_and_its_options_rebuild_it(game: AnyGame) -> None:
    assert dd.game(game.id, **game.values) == game
    game.legal_moves(game.start())
    copy = pickle.loads(pickle.dumps(game))
    assert copy == game
    assert hash(copy) == hash(game)


def test_the_id_the_file_the_class_and_the_title_of_a_game_agree(game: AnyGame) -> None:
    assert type(game).__module__.rpartition(".")[2] == game.id.replace("-", "_")
    assert game.title.replace(" ", "") == type(game).__name__


@pytest.mark.parametrize(
    ("text", "name", "token"),
    [
        ("add 5", "number-duel", "+5"),
        ("5 add", "number-duel", "+5"),
        ("Multiply by 10", "number-duel", "x10"),
        ("3 8 *", "equation-duel", "3x8"),
        ("9 minus 5", "equation-duel", "9-5"),
        ("7 ÷ 2", "equation-duel", "7/2"),
        ("divide by 2", "number-quest", "/2"),
        ("double", "operation-target", "x2"),
        ("triple", "operation-target", None),
        ("Multiply by 2", "operation-target", "x2"),
        ("reset opponent", "numerical-nexus", "reset-theirs"),
        ("Reset my score", "numerical-nexus", "reset-mine"),
        ("reset", "numerical-nexus", None),
        ("reset 2", "numerical-nexus", None),
        ("5+5", "equation-duel", None),
        ("+11", "number-duel", None),
        ("", "number-duel", None),
    ],
)
def test_typed_moves_are_understood(text: str, name: str, token: str | None) -> None:
    game = dd.game(name)
    if token is not None:
        assert str(game.read(text)) == token
    else:
        with pytest.raises(dd.InvalidMove):
            game.read(text)


def test_a_reset_by_player_number_depends_on_the_position() -> None:
    game = dd.game("numerical-nexus")
    start = game.start()
    assert str(game.read("reset 2", start)) == "reset-theirs"
    assert str(game.read("reset player 2", start._replace(player=1))) == "reset-mine"


def test_a_negative_number_is_not_parsed_as_a_move_when_a_number_is_expected() -> None:
    game = dd.game("number-quest")
    with pytest.raises(dd.InvalidMove):
        answer(game, game.start(), (), "-3")
    assert answer(game, game.start(), (), "subtract 3") == game.read("-3")


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("number-duel", {"highest": 0}, "highest must be an integer from 1 to 99; 0 is not."),
        ("number-duel", {"target": -3}, "target must be an integer from 1 to 10^6; -3 is not."),
        ("number-duel", {"target": 50.0}, "target must be an integer from 1 to 10^6; 50.0 is not."),
        ("number-duel", {"target": True}, "target must be an integer from 1 to 10^6; True is not."),
        ("number-duel", {"copies": 10**9}, "copies must be an integer from 1 to 99; 1000000000 is not."),
        ("equation-duel", {"highest": 1}, "highest must be an integer from 2 to 99; 1 is not."),
        ("numerical-nexus", {"uses": (0,) * 6}, "uses must be 6 integers from 0 to 99, not all zero;"),
        (
            "numerical-nexus",
            {"uses": (1, 2)},
            "uses must be 6 integers from 0 to 99, not all zero; (1, 2) is not.",
        ),
        ("operation-target", {"target": 1}, "target must be an integer from 2 to 10^4000; 1 is not."),
        ("operation-target", {"target": 10**5000}, "a number of about 5001 digits is not."),
        ("operation-target", {"start": 23}, "start must be below the target"),
        ("number-quest", {"tie": "maybe"}, "tie must be last-mover-loses, last-mover-wins or draw; 'maybe' is not."),
        ("number-quest", {"uses": 3}, "number-quest has no option 'uses'. Its options are target,"),
        ("numbr-duel", {}, "Did you mean number-duel?"),
    ],
)
def test_invalid_options_of_a_game_are_refused_with_a_clear_message(
    name: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError) as refusal:  # noqa: PT011  the message is compared below
        dd.game(name, **options)
    assert sentence in str(refusal.value)


def test_objects_that_are_not_moves_cannot_be_played() -> None:
    game = dd.game("number-duel")
    with pytest.raises(dd.InvalidMove, match="is not a move in Number Duel"):
        game.play(game.start(), "+5")


def test_the_classes_of_the_games_are_found_by_name() -> None:
    assert [game_class(name)().id for name in dd.games()] == dd.games()


@given(games_in_progress())
def test_a_position_is_serialized_and_set_up_again(played: InProgress) -> None:
    game, states, _ = played
    for state in states:
        board = game.board(state)
        scores = [side.score for side in (*board.hands, board.table) if side.score is not None]
        if all(score <= (winning_score(game) or score) for score in scores):
            assert position_from_json(game, json.loads(json.dumps(position_to_json(game, state)))) == state


def test_a_position_has_at_most_the_target_as_a_score_and_no_more_stock_than_the_start(game: AnyGame) -> None:
    start, model = position_to_json(game, game.start()), game.board(game.start())
    for side, numbers in zip((*model.hands, model.table), (*start["hands"], start["table"]), strict=True):
        limits = [] if side.score is None else [winning_score(game)]
        limits += [stock.of for stock in side.stocks]
        for index, limit in enumerate(limits):
            assert limit is not None
            before = numbers[index]
            numbers[index] = limit
            position_from_json(game, start)
            numbers[index] = limit + 1
            with pytest.raises(ValueError, match="must be an integer from"):
                position_from_json(game, start)
            numbers[index] = before


@pytest.mark.parametrize(
    "change",
    [{"player": 0}, {"player": True}, {"hands": []}, {"hands": [[], []]}, {"table": None}, {"table": [10**30] * 99}]
    + [{"hands": [[number] * 7] * 2, "table": [number] * 9} for number in (-(10**9), 10**9, 10**5000, 1.5, "1", None)],
    ids=range(12),
)
def test_invalid_positions_are_refused_with_a_clear_message(game: AnyGame, change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^[A-Z].*\.$"):
        position_from_json(game, position_to_json(game, game.start()) | change)


def test_a_game_has_few_members_and_six_must_be_written() -> None:
    members = {name: getattr(dd.Game, name) for name in dir(dd.Game) if not name.startswith("_")}
    assert len(members) <= 35, sorted(members)
    written = {name for name, member in members.items() if getattr(member, "__isabstractmethod__", False)}
    assert written == {"moves", "longest", "start", "forbids", "after", "outcome"}


def test_the_package_exports_solve_and_evaluate_themselves() -> None:
    assert dd.solve is solver.solve
    assert dd.evaluate is evaluation.evaluate
