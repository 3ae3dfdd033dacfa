"""Games between friends, over HTTP: what the players can do, and which requests are refused."""

from __future__ import annotations

import random
import secrets
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from digitduels.web.rooms import opponents, retention, service
from digitduels.web.streams.credentials import hash_secret
from web import application

pytestmark = pytest.mark.slow

PATIENCE = 60  # seconds


class Friends:
    """Two players in one game: Anna in seat 1 and Bert in seat 2."""

    def __init__(self, client: TestClient, join: bool = True, **rules: Any) -> None:
        self.client = client
        created = client.post("/api/games", json={"game": "number-quest", "name": "Anna"} | rules)
        assert created.status_code == 201, created.text
        self.created = created.json()
        self.id = self.created["id"]
        self.tokens = {self.created["seat"]: self.created["token"]}
        if join:
            joined = self.join(name="Bert")
            assert joined.status_code == 201
            self.tokens[joined.json()["seat"]] = joined.json()["token"]

    def join(self, **more: Any) -> Any:
        return self.client.post(f"/api/games/{self.id}/seats", json={"invite": self.created["invite"]} | more)

    @property
    def state(self) -> Any:
        return self.client.get(f"/api/games/{self.id}").json()

    @property
    def moves(self) -> list[str]:
        turns = self.client.get(f"/api/games/{self.id}/history").json()["turns"]
        return [turn["move"] for turn in turns]

    def act(self, seat: int | None, kind: str, **more: Any) -> Any:
        body = {"version": self.state["version"], "key": secrets.token_urlsafe(9)} | more
        headers = {} if seat is None else {"Authorization": f"Bearer {self.tokens[seat]}"}
        return self.client.post(f"/api/games/{self.id}/{kind}", json=body, headers=headers)

    def play(self, moves: str) -> Any:
        """Plays these moves in turn and returns the final state."""
        for move in moves.split():
            answer = self.act(self.state["player"], "moves", move=move)
            assert answer.status_code == 201, answer.text
        return self.state

    def wait(self, moves: int) -> Any:
        """Waits until this many moves have been played and returns the state."""
        end = time.monotonic() + PATIENCE
        while (state := self.state)["move_count"] < moves:
            assert time.monotonic() < end, "the computer does not move"
            time.sleep(0.02)
        return state


def sql(file: Path, statement: str, *values: object) -> list[Any]:
    database = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)
    try:
        return database.execute(statement, values).fetchall()
    finally:
        database.close()


def test_a_game_is_played_to_its_end(client: TestClient) -> None:
    friends = Friends(client, game="number-duel")
    state = friends.play("+5 +10 x10")
    assert state["version"] == 4, "joining and three moves"
    assert state["names"] == ["Anna", "Bert"]
    assert state["outcome"] == {
        "winner": 1,
        "reason": {"text": "Anna hit 50.", "you": "You hit 50.", "of": 1},
    }
    over = friends.act(2, "moves", move="+1")
    assert (over.status_code, over.json()["state"]["version"]) == (410, 4)


def test_a_game_can_begin_with_an_opening_a_position_and_either_player(client: TestClient) -> None:
    friends = Friends(client, game="number-duel", options={"target": 60}, first=2, moves=["+5", "+6"], seat=2)
    assert friends.created["seat"] == 2
    state = friends.state
    assert (state["changed"], state["first"], state["opening"], state["player"]) == ({"target": 60}, 2, 2, 2)
    assert friends.act(1, "takeback").status_code == 422, "an opening is not taken back"
    placed = client.get("/api/position/number-duel", params={"moves": "+5 +6"}).json()["placed"]
    begun = Friends(client, game="number-duel", position=placed).state
    assert (begun["position"], begun["player"], begun["move_count"]) == (placed, 1, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"game": "chess"},
        {"options": {"target": -1}},
        {"options": {"moves": "+5"}},
        {"options": {"target": 5.5}},
        {"moves": ["+99"]},
        {"seat": 3},
        {"seat": 1, "computer": {"seat": 1, "level": 2}},
        {"computer": {"level": 8}},
        {"surprise": 1},
        {"game": "operation-target", "options": {"target": 10**400}},
        {"game": "number-duel", "moves": ["+5", "+10", "x10"]},
    ],
    ids=str,
)
def test_invalid_games_are_refused_with_a_clear_message(client: TestClient, wrong: dict[str, Any]) -> None:
    refused = client.post("/api/games", json={"game": "number-quest"} | wrong)
    assert refused.status_code == (404 if wrong.get("game") == "chess" else 422)
    assert refused.json()["detail"].endswith(".")


def test_an_invitation_works_once_and_joining_can_be_retried(client: TestClient) -> None:
    friends = Friends(client, join=False)
    assert client.get(f"/api/games/{friends.id}").json()["seats"][1]["joined"] is False, "a preview takes no seat"
    key = secrets.token_urlsafe(24)
    first, again = friends.join(key=key, name="Bert"), friends.join(key=key, name="Bert")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["token"] == again.json()["token"]
    assert friends.state["version"] == 1
    late = friends.join(key=secrets.token_urlsafe(24))
    assert (late.status_code, late.json()["state"]["version"]) == (410, 1)
    assert friends.join(invite=secrets.token_urlsafe(24)).status_code == 403


def test_of_several_clients_joining_at_once_only_one_gets_the_seat(client: TestClient) -> None:
    friends = Friends(client, join=False)
    with ThreadPoolExecutor(4) as threads:
        codes = list(threads.map(lambda _: friends.join().status_code, range(4)))
    assert sorted(codes) == [201, 410, 410, 410]


def test_only_the_players_may_act_and_only_in_their_own_game(client: TestClient) -> None:
    friends, others = Friends(client), Friends(client)
    assert friends.act(None, "moves", move="+5").status_code == 403
    friends.tokens[3] = others.tokens[1]
    assert friends.act(3, "moves", move="+5").status_code == 403
    assert friends.act(2, "moves", move="+5").json()["detail"] == "It is Anna's turn."
    assert friends.state["version"] == 1


def test_a_token_that_only_reads_opens_the_feed_and_allows_no_act(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    with TestClient(application(database=str(file))) as client:
        friends = Friends(client)
    screen = secrets.token_urlsafe(24)
    sql(file, "INSERT INTO token VALUES (?, 0, ?, true)", friends.id, hash_secret(screen))
    with TestClient(application(database=str(file))) as client:
        friends.client, friends.tokens[3] = client, screen
        headers = {"Authorization": f"Bearer {screen}"}
        assert client.get(f"/api/games/{friends.id}/seat", headers=headers).json() == {"seat": 1}
        refused = friends.act(3, "moves", move="+5")
        assert (refused.status_code, refused.json()["detail"]) == (403, "This link is only for watching.")
        assert friends.act(1, "moves", move="+5").status_code == 201


@pytest.mark.parametrize("id", ["nosuchgame12", "short", "..%5c..%5cetc", "%00" * 12, "é" * 12])
def test_unknown_games_are_not_found(client: TestClient, id: str) -> None:
    answers = [
        *(client.get(f"/api/games/{id}{rest}") for rest in ("", "/events", "/history", "/seat")),
        client.post(f"/api/games/{id}/concede", json={"version": 0, "key": "12345678"}),
        client.post(f"/api/games/{id}/seats", json={"invite": "i" * 16}),
    ]
    assert [answer.status_code for answer in answers] == [404] * len(answers)


def test_illegal_and_unreadable_moves_are_refused_with_the_reason(client: TestClient) -> None:
    friends = Friends(client)
    friends.play("+9 +9")
    assert "no 9 in the pool" in friends.act(1, "moves", move="+9").json()["detail"].replace("There is ", "")
    assert "is not a move" in friends.act(1, "moves", move="castle").json()["detail"]
    assert friends.state["version"] == 3


def test_a_repeated_idempotency_key_gets_the_same_response_and_has_no_further_effect(client: TestClient) -> None:
    friends = Friends(client)
    key = secrets.token_urlsafe(9)
    first = friends.act(1, "moves", version=1, key=key, move="+5")
    friends.play("+6")
    again = friends.act(1, "moves", version=1, key=key, move="add 5")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["accepted"] == again.json()["accepted"] == 2
    assert again.json()["state"]["move_count"] == 2, "with the current state"
    assert friends.act(1, "moves", version=3, key=key, move="+7").status_code == 422
    assert friends.act(2, "moves", version=3, key=key, move="+5").status_code == 422
    assert friends.act(1, "concede", version=3, key=key).status_code == 422


def test_a_version_conflict_returns_the_current_state(client: TestClient) -> None:
    friends = Friends(client)
    friends.play("+5 +6")
    stale = friends.act(1, "moves", version=1, move="+7")
    assert stale.status_code == 409
    assert stale.json()["state"] == friends.state
    assert friends.act(1, "moves", version=9, move="+7").status_code == 409


def test_of_several_moves_for_one_turn_only_one_is_played(client: TestClient) -> None:
    friends = Friends(client)
    with ThreadPoolExecutor(8) as threads:
        moves = [f"+{number}" for number in range(1, 9)]
        codes = list(threads.map(lambda move: friends.act(1, "moves", version=1, move=move).status_code, moves))
    assert sorted(codes) == [201, *[409] * 7]
    assert friends.state["version"] == 2


def test_a_move_is_taken_back_when_both_agree(client: TestClient) -> None:
    friends = Friends(client)
    assert friends.act(1, "takeback").status_code == 422, "there is nothing to take back"
    friends.play("+5 +6 +7")
    assert friends.act(1, "takeback").json()["state"]["takeback"] == 1
    assert friends.act(1, "takeback", answer="accept").status_code == 422, "players cannot accept their own take-back"
    assert friends.act(2, "takeback").status_code == 422, "only one take-back can be pending"
    assert friends.act(2, "takeback", answer="decline").json()["state"]["move_count"] == 3
    friends.act(2, "takeback")
    state = friends.act(1, "takeback", answer="accept").json()["state"]
    assert (friends.moves, state["player"], state["takeback"]) == (["+5"], 2, None), "with the reply to it"
    friends.play("+8")
    friends.act(1, "takeback")
    assert friends.play("+9")["takeback"] is None, "playing on declines the take-back"


def test_a_rematch_after_a_concession_swaps_the_seats(client: TestClient) -> None:
    friends = Friends(client, game="number-duel", options={"target": 60}, moves=["+3"])
    assert friends.act(1, "rematch").status_code == 422
    state = friends.act(1, "concede").json()["state"]
    assert state["outcome"]["winner"] == 2
    version = state["version"]
    first = friends.act(2, "rematch", version=version)
    second = friends.act(1, "rematch", version=version)
    assert (first.status_code, second.status_code) == (201, 409)
    assert first.json()["state"]["rematch"] == second.json()["state"]["rematch"], "both are shown the same game"
    assert friends.act(1, "rematch").status_code == 409
    friends.id = first.json()["state"]["rematch"]
    friends.tokens = {1: friends.tokens[2], 2: friends.tokens[1]}
    assert friends.state["names"] == ["Bert", "Anna"]
    assert (friends.moves, friends.state["changed"]) == (["+3"], {"target": 60})
    assert friends.play("+4 +5")["version"] == 2


def test_before_the_opponent_joins_a_player_can_move_but_not_concede(client: TestClient) -> None:
    friends = Friends(client, join=False)
    for kind in ("concede", "takeback"):
        assert friends.act(1, kind).status_code == 422
    assert friends.play("+5")["last"]["move"] == "+5"
    assert friends.join().json()["state"]["move_count"] == 1


def test_names_are_sanitized_and_made_unique(client: TestClient) -> None:
    friends = Friends(client, join=False, name="  Anna\u202e\x1b[31m " + "a" * 100)
    joined = friends.join(name=friends.state["names"][0].upper()).json()["state"]
    first, second = joined["names"]
    assert first.isprintable()
    assert len(first) == len(second) == 40
    assert second.endswith(" (2)")
    unnamed = Friends(client, join=False, name="Player 2")
    assert unnamed.join(name="\u200b\u2060\u3164\u2800").json()["state"]["names"] == ["Player 2", "Player 2 (2)"]


def test_a_lone_surrogate_is_refused_as_a_name(client: TestClient) -> None:
    body = rb'{"game": "number-quest", "name": "\ud800", "moves": ["\udfff"]}'
    response = client.post("/api/games", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 422


def test_a_state_is_sent_only_if_it_has_changed(client: TestClient) -> None:
    friends = Friends(client)
    path = f"/api/games/{friends.id}"
    tag = client.get(path).headers["ETag"]
    assert tag == '"1"'
    same = client.get(path, headers={"If-None-Match": tag})
    assert (same.status_code, same.content) == (304, b"")
    friends.play("+5")
    changed = client.get(path, headers={"If-None-Match": tag})
    assert (changed.status_code, changed.json()["version"]) == (200, 2)


def test_the_computer_plays_and_agrees_to_take_back(client: TestClient) -> None:
    # No two moves of the computer can end this game.
    friends = Friends(client, join=False, seat=2, computer={"level": 1}, options={"target": 500})
    state = friends.wait(1)
    assert state["seats"][0] | {"away": False} == {
        "name": "Level 1",
        "kind": "computer",
        "level": 1,
        "joined": True,
        "away": False,
        "substitute": False,
    }
    legal = friends.state["legal"][0]["move"]
    friends.play(legal)
    before = friends.wait(3)
    first = friends.moves[:1]
    back = friends.act(2, "takeback", version=before["version"]).json()["state"]
    assert (friends.moves, back["takeback"]) == (first, None)


def test_a_level_that_a_game_does_not_offer_is_labelled_as_the_level_that_plays(client: TestClient) -> None:
    friends = Friends(client, join=False, game="operation-target", options={}, seat=2, computer={"level": 3})
    computer = friends.state["seats"][0]
    assert (computer["name"], computer["level"]) == ("Level 1", 1)


def test_the_computer_moves_after_a_restart_if_it_was_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = str(tmp_path / "games.sqlite")
    monkeypatch.setattr(opponents.Opponents, "wake", lambda *_: None)  # as if killed before the computer could think
    with TestClient(application(database=database)) as client:
        friends = Friends(client, join=False, seat=2, computer={"level": 1})
        assert friends.moves == []
    monkeypatch.undo()
    monkeypatch.setattr(opponents, "THINK", 0.1)
    monkeypatch.setattr(service, "THINK", 0.1)
    with TestClient(application(database=database)) as client:
        friends.client = client
        assert friends.wait(1)["move_count"] == 1


def test_the_computer_substitutes_for_an_absent_player_who_can_return(client: TestClient, games_file: Path) -> None:
    friends = Friends(client)
    friends.play("+5")
    assert friends.act(1, "substitute", level=1).json()["detail"] == "Bert is still there."
    sql(games_file, "UPDATE member SET seen = 0 WHERE stream = ? AND number = 1", friends.id)
    assert [seat["away"] for seat in friends.state["seats"]] == [False, True]
    assert client.get(f"/api/games/{friends.id}").headers["ETag"] == '"2-2"'
    assert friends.act(1, "substitute", level=9).status_code == 422
    assert friends.act(1, "substitute", level=1).status_code == 201
    state = friends.wait(2)
    assert (state["seats"][1]["kind"], state["seats"][1]["substitute"]) == ("computer", True)
    assert (
        friends.act(2, "moves", move="+1").json()["detail"] == "The computer plays for you. Take your seat back first."
    )
    assert friends.act(1, "return").status_code == 422
    assert friends.act(2, "return").json()["state"]["seats"][1]["kind"] == "human"
    friends.play(friends.state["legal"][0]["move"])
    before = friends.state
    assert before["player"] == 2
    bert = friends.act(2, "moves", version=before["version"], move=before["legal"][0]["move"])
    assert bert.status_code == 201, "Bert plays again"


def test_unjoined_games_are_deleted_and_idle_games_are_closed(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    settings = {"database": str(file), "unjoined": 3, "idle": 30, "grace": 0}
    with TestClient(application(**settings)) as client:
        alone, idle, playing, over = Friends(client, join=False), Friends(client), Friends(client), Friends(client)
        alone.play("+5")
        over.act(1, "concede")
        long_ago = time.time() - 31 * retention.DAY
        sql(file, "UPDATE stream SET created = ?, touched = ? WHERE id != ?", long_ago, long_ago, playing.id)
    with TestClient(application(**settings)) as client:
        end = time.monotonic() + PATIENCE
        idle.client = playing.client = over.client = client
        while not idle.state["closed"]:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert client.get(f"/api/games/{alone.id}").status_code == 404
        assert idle.act(1, "moves", move="+5").status_code == 410
        assert not playing.state["closed"]
        assert not over.state["closed"], "a game that is over stays as it is"


def test_secrets_are_neither_stored_nor_shown(client: TestClient, games_file: Path) -> None:
    friends = Friends(client)
    friends.play("+5 +6")
    credentials = [friends.created["invite"], *friends.tokens.values()]
    response = client.get(f"/api/games/{friends.id}").text
    rows = repr([sql(games_file, f"SELECT * FROM {table}") for table in ("stream", "member", "token", "event")])
    for secret in credentials:
        assert len(secret) == 32
        assert secret not in response
        assert secret not in rows
    assert len(friends.id) == 12


def test_a_database_error_is_a_503_and_the_request_can_be_retried(client: TestClient, games_file: Path) -> None:
    friends = Friends(client)
    key = secrets.token_urlsafe(9)
    sql(games_file, "CREATE TRIGGER broken BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'disk on fire'); END")
    try:
        refused = friends.act(1, "moves", key=key, move="+5")
    finally:
        sql(games_file, "DROP TRIGGER broken")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert friends.act(1, "moves", key=key, move="+5").status_code == 201


def test_a_server_leaves_the_global_random_numbers_alone(client: TestClient) -> None:
    state = random.getstate()
    Friends(client)
    assert random.getstate() == state
