"""The TextArena environment: games end by the rules, refusals are explained, and replies stay private."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
import textarena

import digitduels as dd
from digitduels.adapters.textarena import ROLES, TextDuelEnv
from digitduels.games import AnyGame, game_class
from digitduels.manual import summary
from digitduels.record import replay, to_record
from digitduels.sentence import tell
from variants import ALL, HUGE_TARGETS, describe

pytestmark = pytest.mark.slow

NO_IDEA = (
    "'I have no idea' is not a move in Numerical Nexus. Moves look like +1, +3, +5, x2, x3, reset-mine, reset-theirs."
)


def make(name: str, suffix: str = "", **options: Any) -> Any:
    env = textarena.make(f"digitduels/{game_class(name).__name__}-v0{suffix}", **options)
    env.reset(num_players=2)
    return env


def written(game: AnyGame, move: Any, rng: random.Random) -> str:
    """A move as a model might write it."""
    return rng.choice(["{}", "[{}]", "Not [+99], because that is worse.\nI play [ {} ]", "[{}]."]).format(move)


@pytest.mark.parametrize("variant", [*ALL, *(("operation-target", {"target": n}) for n in HUGE_TARGETS)], ids=describe)
def test_random_games_end_as_the_rules_say(variant: tuple[str, dict[str, Any]]) -> None:
    name, options = variant
    if options.get("target", 0) > 10**100:
        options = {**options, "target": 10**20}  # a longer game fills the memory with its messages
    game = dd.game(name, **options)
    for seed in range(3):
        env, rng = make(name, **options), random.Random(seed)
        state, done = game.start(), False
        while not done:
            player, seen = env.get_observation()
            assert player == state.player
            assert env.get_board_str() == "\n".join(tell(line, ROLES) for line in game.view(state))
            assert seen.endswith(f"[GAME] {env.get_board_str()}")
            move = rng.choice(game.legal_moves(state))
            done, info = env.step(written(game, move, rng))
            state = game.play(state, move)
            assert info == {"move": str(move)}
            assert done == (game.outcome(state) is not None)
        outcome = game.outcome(state)
        assert outcome is not None
        rewards, told = env.close()
        assert rewards == {0: {0: 1, 1: -1}, 1: {0: -1, 1: 1}, None: {0: 0, 1: 0}}[outcome.winner]
        assert [told[reader]["reason"] for reader in (0, 1)] == [
            tell(outcome.reason, ROLES, reader) for reader in (0, 1)
        ]
        assert not told[0]["invalid_move"]
        assert not told[1]["invalid_move"]
        assert env.match.state == state
        assert replay(to_record(env.match)).outcome == outcome


@pytest.mark.parametrize("name", dd.games())
def test_both_players_get_the_rules_and_their_seats(name: str) -> None:
    env = make(name)
    first, prompt = env.get_observation()
    env.step(str(env.game.legal_moves(env.match.state)[0]))
    second, other = env.get_observation()
    assert (first, second) == (0, 1)
    assert "You are Player 0 and play" in prompt
    assert "You are Player 1 and play" in other
    for text in (prompt, other):
        assert summary(env.game) in text
        assert "Player 2" not in text
        assert "one move in brackets: […]" in text


def test_the_rules_of_a_variant_list_its_house_rules() -> None:
    assert "House rules: target=60." in make("number-duel", target=60).get_observation()[1]


def test_prompts_mention_only_possible_actions() -> None:
    env = make("number-duel")
    assert "concede" not in env.get_observation()[1]
    assert "refused" in env.step("[concede]")[1]


def test_a_record_contains_the_players_and_their_replies() -> None:
    env = make("number-duel")
    env.step("Hm. [+11]")
    env.step("Then [+10].")
    record = replay(to_record(env.match))
    assert record.players == ROLES
    assert record.words == [(0, "Hm. [+11]"), (0, "Then [+10].")]


@pytest.mark.parametrize(
    ("reply", "move"),
    [("+5", "+5"), ("[x10]", "x10"), ("Add 5", "+5"), ("[1] or [2]? No: [× 3]", "x3"), ("[5 add]\n", "+5")],
)
def test_replies_are_parsed_leniently(reply: str, move: str) -> None:
    assert make("number-duel").step(reply) == (False, {"move": move})


def test_a_refused_reply_is_explained_to_its_author_who_can_try_again() -> None:
    env = make("operation-target")
    env.step("[x2]")
    env.step("[x2]")
    reason = "You cannot Multiply by 2 again: it was your previous operation."
    assert env.step("[x2]") == (False, {"refused": reason})
    player, seen = env.get_observation()
    assert player == 0
    assert f"Reason: {reason}" in seen
    assert env.step("[+1]") == (False, {"move": "+1"})


def test_a_player_reads_the_moves_of_the_opponent_but_not_the_replies() -> None:
    env = make("operation-target")
    env.step("secret thoughts [x5]")
    env.step("more secret thoughts [+1]")
    player, seen = env.get_observation()
    assert player == 1
    assert "[GAME] [+1] Player 0: 1 + 1 = 2.\n" in seen
    assert "secret" not in seen
    assert "x5" not in seen


@pytest.mark.parametrize("allowed", [0, 1, 3])
def test_too_many_refused_replies_in_a_turn_forfeit_the_game(allowed: int) -> None:
    env = make("numerical-nexus", error_allowance=allowed)
    env.step("[+5]")
    for _ in range(allowed):
        assert env.step("I have no idea") == (False, {"refused": NO_IDEA})
    done, info = env.step("[+9]")
    assert done
    rewards, told = env.close()
    assert rewards == {0: 1, 1: -1}
    assert (told[0]["invalid_move"], told[1]["invalid_move"]) == (False, True)
    assert told[0]["reason"] == f"Player 1 forfeits the game: {info['refused']}"
    assert told[1]["reason"] == f"You forfeit the game: {info['refused']}"
    assert env.match.outcome.winner == 0
    assert to_record(env.match)["forfeit"] == info["refused"]
    assert env.step("[+1]") == (True, {})
    assert len(env.match.moves) == 1


def test_a_move_is_described_to_each_player_from_their_point_of_view() -> None:
    env = make("numerical-nexus")
    env.step("[+5]")
    _, seen = env.get_observation()
    assert "[GAME] [+5] Player 0: 0 + 5 = 5.\n" in seen
    env.step("[reset-theirs]")
    _, seen = env.get_observation()
    assert "[GAME] [+5] You: 0 + 5 = 5.\n" in seen
    assert "[GAME] [reset-theirs] Player 1: reset your score. Your score is 0.\n" in seen


def test_a_forfeit_is_described_to_each_player_from_their_point_of_view() -> None:
    env = make("operation-target", error_allowance=0)
    for reply in ("[x2]", "[x2]", "[x2]"):
        env.step(reply)
    _, told = env.close()
    assert told[0]["reason"] == "You forfeit the game: You cannot Multiply by 2 again: it was your previous operation."
    assert told[1]["reason"] == (
        "Player 0 forfeits the game: Player 0 cannot Multiply by 2 again: it was their previous operation."
    )


def test_a_legal_move_resets_the_count_of_refusals() -> None:
    env = make("number-duel")
    for reply in ("what?", "[+1]", "what?", "[+2]", "what?", "[+3]"):
        assert not env.step(reply)[0]
    assert [str(move) for move in env.match.moves] == ["+1", "+2", "+3"]


def test_player_numbers_agree_with_textarena() -> None:
    for reply in ("[reset 1]", "[reset Player 1]"):
        assert "is not a move" in make("numerical-nexus").step(reply)[1]["refused"]


def test_a_new_game_starts_from_a_clean_state() -> None:
    env = make("number-duel")
    env.step("[+7]")
    env.get_observation()
    env.reset(num_players=2)
    fresh = make("number-duel")
    assert env.get_observation() == fresh.get_observation()


@pytest.mark.parametrize("suffix", ["", "-raw"])
def test_none_is_a_reply_without_a_move(suffix: str) -> None:
    env = make("number-duel", suffix)
    done, info = env.step(None)
    assert not done
    assert info["refused"]
    done, _ = env.step(None)
    assert done
    assert env.close()[0] == {0: -1, 1: 1}


def test_a_seed_does_not_change_the_global_random_state() -> None:
    env = make("number-duel")
    random.seed(1)
    expected = random.Random(1).random()
    env.reset(num_players=2, seed=5)
    assert random.random() == expected


def test_a_copied_environment_is_independent() -> None:
    env = make("number-duel")
    env.step("[+7]")
    twin = copy.deepcopy(env)
    twin.step("[+8]")
    assert len(env.match.moves) == 1
    assert len(twin.match.moves) == 2
    assert twin.env.env.state.current_player_id == 0


def test_the_raw_environment_gives_the_messages_one_by_one() -> None:
    env = make("number-duel", "-raw")
    assert isinstance(env, TextDuelEnv)
    kinds = [kind.name for _, _, kind in env.get_observation()[1]]
    assert kinds == ["PROMPT", "GAME_BOARD"]
