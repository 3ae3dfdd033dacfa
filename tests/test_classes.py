"""Classes against a model and over HTTP: for any sequence of requests, the server responds as the model predicts."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any, get_args, get_type_hints
from unittest.mock import AsyncMock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from starlette.testclient import TestClient

import digitduels as dd
from digitduels.solver import Reference
from digitduels.web.classes.acts import MOST_LINKS, MOVED, REMOVED, REVOKED, Context, act, begin, join
from digitduels.web.classes.answers import WallClass
from digitduels.web.classes.results import NO_GRADE, results
from digitduels.web.classes.state import Classroom
from digitduels.web.http.limits import RateLimits
from digitduels.web.refusal import Refusal
from digitduels.web.routes.classes import Deed
from digitduels.web.streams.credentials import hash_secret
from digitduels.web.streams.fold import Act
from web import application, wait_for

pytestmark = pytest.mark.slow

LATE = st.sampled_from([0, 0, 0, 0, 0, 1, -1])
PLACES = st.integers(0, 9)


class Teacher:
    """A class from its teacher's side."""

    def __init__(self, client: TestClient, **more: Any) -> None:
        self.client = client
        body = {
            "game": "operation-target",
            "options": {"target": 12},
            "mode": "pairs",
            "key": secrets.token_urlsafe(24),
        }
        answer = client.post("/api/classes", json=body | more)
        assert answer.status_code == 201, answer.text
        self.code, self.token = answer.json()["code"], answer.json()["token"]
        self.state: Any = answer.json()["state"]
        self.path = f"/api/classes/{self.code}"

    def headers(self, token: str | None = None) -> dict[str, str]:
        return {"Authorization": f"Bearer {token or self.token}"}

    def look(self, token: str | None = None) -> Any:
        answer = self.client.get(self.path, headers=self.headers(token))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def send(self, act: str, version: int | None = None, key: str | None = None, **more: Any) -> Any:
        now = self.look()["version"] if version is None else version
        body = {"act": act, "version": now, "key": key or secrets.token_urlsafe(9), **more}
        return self.client.post(f"{self.path}/acts", json=body, headers=self.headers())

    def act(self, act: str, **more: Any) -> Any:
        answer = self.send(act, **more)
        assert answer.status_code == 201, answer.text
        return answer.json()["state"]

    def join(self, name: str, key: str | None = None) -> Any:
        body = {"name": name, "key": key or secrets.token_urlsafe(24)}
        answer = self.client.post(f"{self.path}/pupils", json=body)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def wait_for_a_person(self, id: str) -> Any:
        """The state of a game once the computer is not about to move in it."""
        state: Any = None

        def settled() -> bool:
            nonlocal state
            state = self.client.get(f"/api/games/{id}").json()
            player = state["player"]
            return player is None or state["paused"] is not None or state["seats"][player - 1]["kind"] == "human"

        wait_for(settled)
        return state

    def make_link(self, kind: str, key: str | None = None, token: str | None = None) -> Any:
        body = {"kind": kind, "key": key or secrets.token_urlsafe(24)}
        return self.client.post(f"{self.path}/links", json=body, headers=self.headers(token))

    def move(self, token: str, kind: str = "moves", **more: Any) -> Any:
        """Plays the first legal move for a pupil."""
        game = self.look(token)["game"]
        state = self.client.get(f"/api/games/{game['id']}").json()
        body = {"version": state["version"], "key": secrets.token_urlsafe(9), **more}
        if kind == "moves":
            body["move"] = state["legal"][0]["move"] if state["legal"] else "+1"
        return self.client.post(f"/api/games/{game['id']}/{kind}", json=body, headers=self.headers(game["token"]))


def test_every_response_matches_the_model(client: TestClient) -> None:
    class Machine(RuleBasedStateMachine):
        """A model of a class: its version, the names of its pupils, the round, and whether it is paused or ended."""

        @initialize(mode=st.sampled_from(["pairs", "rounds", "computer"]))
        def begin(self, mode: str) -> None:
            self.teacher = Teacher(client, mode=mode)
            self.version = self.round = 0
            self.pupils: dict[int, tuple[str, str, str]] = {}
            self.joined = 0
            self.paused = self.ended = False
            self.last: tuple[dict[str, Any], int] | None = None

        def expect(self, code: int, act: str, late: int = 0, **more: Any) -> bool:
            """Sends an act and compares the response; returns whether it was accepted."""
            body = {"act": act, "version": max(0, self.version + late), "key": secrets.token_urlsafe(9), **more}
            answer = client.post(f"{self.teacher.path}/acts", json=body, headers=self.teacher.headers())
            if body["version"] != self.version:
                code = 409
            elif self.ended and act not in ("rename", "settings"):
                code = 410
            assert answer.status_code == code, answer.text
            if code == 201:
                self.version += 1
                self.last = body, self.version
                assert answer.json()["accepted"] == self.version
            if code in (201, 409, 410):
                assert answer.json()["state"]["version"] == self.version
            return code == 201

        @rule(name=st.sampled_from(["Ann", "ann", "Bob", " Bob ", "Cem 2"]))
        def join(self, name: str) -> None:
            key = secrets.token_urlsafe(24)
            answer = client.post(f"{self.teacher.path}/pupils", json={"name": name, "key": key})
            if self.ended:
                assert answer.status_code == 410
                return
            assert answer.status_code == 201
            self.version += 1
            self.joined += 1
            seat = answer.json()
            assert seat["pupil"] == self.joined
            assert seat["state"]["version"] == self.version
            taken = {other.casefold() for other, _, _ in self.pupils.values()}
            assert seat["state"]["name"].casefold() not in taken
            self.pupils[self.joined] = seat["state"]["name"], seat["token"], key

        @precondition(lambda self: self.pupils)
        @rule(index=PLACES)
        def join_again(self, index: int) -> None:
            number = list(self.pupils)[index % len(self.pupils)]
            name, token, key = self.pupils[number]
            answer = client.post(f"{self.teacher.path}/pupils", json={"name": "Other", "key": key})
            assert answer.status_code == 200
            assert (answer.json()["pupil"], answer.json()["token"]) == (number, token)
            assert answer.json()["state"]["name"] == name

        @rule(late=LATE, act=st.sampled_from(["pair", "next"]))
        def pair(self, late: int, act: str) -> None:
            code = 423 if self.paused else 422 if act == "next" and not self.round else 201 if self.pupils else 422
            if act == "pair" and self.round and code == 201:
                waiting = [pupil for pupil in self.teacher.look()["pupils"] if pupil["waiting"]]
                code = 201 if waiting else 422
            if self.expect(code, act, late):
                self.round += act == "next" or self.round == 0

        @rule(late=LATE)
        def pause(self, late: int) -> None:
            if self.expect(422 if self.paused else 201, "pause", late, message="Look at me."):
                self.paused = True

        @rule(late=LATE)
        def resume(self, late: int) -> None:
            if self.expect(201 if self.paused else 422, "resume", late):
                self.paused = False

        @precondition(lambda self: self.pupils)
        @rule(late=LATE, index=PLACES, name=st.sampled_from(["Dora", "Ann", ""]))
        def rename(self, late: int, index: int, name: str) -> None:
            number = list(self.pupils)[index % len(self.pupils)]
            if self.expect(201 if name else 422, "rename", late, pupil=number, name=name):
                mine = next(pupil for pupil in self.teacher.look()["pupils"] if pupil["pupil"] == number)
                assert mine["name"].casefold().startswith(name.casefold())
                self.pupils[number] = mine["name"], *self.pupils[number][1:]

        @precondition(lambda self: len(self.pupils) > 2)
        @rule(late=LATE, index=PLACES)
        def remove(self, late: int, index: int) -> None:
            number = list(self.pupils)[index % len(self.pupils)]
            if self.expect(201, "remove", late, pupil=number):
                _, token, key = self.pupils.pop(number)
                assert client.get(self.teacher.path, headers=self.teacher.headers(token)).status_code == 403
                again = client.post(f"{self.teacher.path}/pupils", json={"name": "Back", "key": key})
                assert again.status_code == 403

        @precondition(lambda self: self.pupils)
        @rule(late=LATE, index=PLACES)
        def substitute(self, late: int, index: int) -> None:
            self.expect(201, "substitute", late, pupil=list(self.pupils)[index % len(self.pupils)], level=1)

        @rule(late=LATE, number=st.sampled_from([98, 99]))
        def act_on_nobody(self, late: int, number: int) -> None:
            self.expect(422, "remove", late, pupil=number)

        @rule(late=LATE, anonymous=st.booleans())
        def change_settings(self, late: int, anonymous: bool) -> None:
            if self.expect(201, "settings", late, anonymous=anonymous):
                assert self.teacher.look()["rules"]["anonymous"] is anonymous

        @precondition(lambda self: self.round > 1)
        @rule(late=LATE)
        def end(self, late: int) -> None:
            if self.expect(201, "end", late):
                self.ended, self.paused = True, False

        @precondition(lambda self: self.last is not None)
        @rule()
        def send_again(self) -> None:
            assert self.last is not None
            body, accepted = self.last
            answer = client.post(f"{self.teacher.path}/acts", json=body, headers=self.teacher.headers())
            assert answer.status_code == 200, answer.text
            assert answer.json()["accepted"] == accepted
            assert answer.json()["state"]["version"] == self.version

        @precondition(lambda self: self.round and self.pupils)
        @rule(index=PLACES)
        def play(self, index: int) -> None:
            _, token, _ = self.pupils[list(self.pupils)[index % len(self.pupils)]]
            game = self.teacher.look(token)["game"]
            if game is None:
                return
            state = self.teacher.wait_for_a_person(game["id"])
            assert (state["paused"] is not None) == (self.paused and state["player"] is not None)
            if state["player"] is None or state["closed"]:
                code, reason = 410, "over|closed"
            elif self.paused:
                code, reason = 423, ""
            elif state["seats"][game["seat"] - 1]["substitute"]:
                code, reason = 422, "The computer plays for you"
            elif state["player"] != game["seat"]:
                code, reason = 422, "turn"
            else:
                code, reason = 201, ""
            answer = self.teacher.move(token)
            assert answer.status_code == code, answer.text
            assert re.search(reason, answer.json().get("detail", ""))

        @invariant()
        def the_class_is_the_model(self) -> None:
            if not hasattr(self, "teacher"):
                return
            state = self.teacher.look()
            assert (state["version"], state["round"]) == (self.version, self.round)
            assert ((state["paused"] is not None), state["ended"]) == (self.paused, self.ended)
            assert {pupil["pupil"]: pupil["name"] for pupil in state["pupils"]} == {
                number: name for number, (name, _, _) in self.pupils.items()
            }

        def teardown(self) -> None:
            """Compares the points that the teacher sees with the games that each pupil sees."""
            points = {pupil["pupil"]: pupil["points"] for pupil in self.teacher.look()["pupils"]}
            for number, (_, token, _) in self.pupils.items():
                own = self.teacher.look(token)
                assert own["points"] == points[number] == sum(game["points"] or 0 for game in own["games"])

    run_state_machine_as_test(Machine, settings=settings(max_examples=12, stateful_step_count=25, deadline=None))


def test_a_whole_lesson_with_two_rounds(client: TestClient) -> None:
    teacher = Teacher(client, mode="rounds")
    pupils = [teacher.join(name) for name in ("Ann", "Bob", "Ann", "<b>Eve</b>\u202e")]
    names = [pupil["state"]["name"] for pupil in pupils]
    assert names == ["Ann", "Bob", "Ann 2", "<b>Eve</b>"]
    assert all(pupil["state"]["game"] is None for pupil in pupils)
    state = teacher.act("pair")
    assert state["round"] == 1
    assert len(state["boards"]) == 2
    games = [teacher.look(pupil["token"])["game"] for pupil in pupils]
    assert {game["token"] for game in games} == {pupil["token"] for pupil in pupils}
    first = next(pupil for pupil, game in zip(pupils, games, strict=True) if game["seat"] == 1)
    assert teacher.move(first["token"]).status_code == 201
    paused = teacher.act("pause", message="Who can explain?")
    assert paused["paused"] == "Who can explain?"
    refused = teacher.move(first["token"])
    assert refused.status_code == 423
    assert refused.json()["state"]["paused"] == "Who can explain?"
    assert teacher.act("resume")["paused"] is None
    # All pupils play to the end.
    while any(not board["over"] for board in teacher.look()["boards"]):
        for pupil in pupils:
            game = teacher.look(pupil["token"])["game"]
            player = client.get(f"/api/games/{game['id']}").json()["player"]
            expected = 410 if player is None else 201 if player == game["seat"] else 422
            assert teacher.move(pupil["token"]).status_code == expected
    assert sum(pupil["points"] for pupil in teacher.look()["pupils"]) == 2
    assert teacher.move(first["token"], "rematch").status_code == 422
    state = teacher.act("next")
    assert state["round"] == 2
    # One game of the second round is abandoned after a move, the other one before its first move.
    mover = next(pupil for pupil in pupils if teacher.look(pupil["token"])["game"]["seat"] == 1)
    assert teacher.move(mover["token"]).status_code == 201
    ended = teacher.act("end")
    summary = client.get(f"{teacher.path}/results", headers=teacher.headers()).json()
    assert [len(row["rounds"]) for row in summary["pupils"]] == [2, 2, 2, 2]
    assert sum(row["points"] for row in summary["pupils"]) == 3
    assert sorted(row["games"] for row in summary["pupils"]) == [1, 1, 2, 2]
    assert [(game["over"], game["points"]) for game in summary["games"][2:]].count((True, None)) == 1
    assert [row["place"] for row in summary["pupils"]] == sorted(pupil["place"] for pupil in ended["pupils"])
    assert summary["pupils"][0]["place"] == 1
    rows = {row["pupil"]: row for row in summary["pupils"]}
    for pupil in pupils:
        own, row = teacher.look(pupil["token"]), rows[pupil["pupil"]]
        assert own["points"] == row["points"]
        assert own["games"] == [{"round": n, **game} for n, games in enumerate(row["rounds"], 1) for game in games]
    for row in summary["pupils"]:
        assert 0 <= row["found"] <= row["critical"]
        assert row["critical"] - row["found"] >= len(row["moments"])
        assert 0 <= row["chance"] <= row["critical"]
    table = client.get(f"{teacher.path}/results.csv", headers=teacher.headers())
    assert table.headers["content-type"].startswith("text/csv")
    assert len(table.text.splitlines()) == 5
    assert client.get(f"{teacher.path}/results", headers=teacher.headers(pupils[0]["token"])).status_code == 403


def test_a_busy_server_is_no_reason_to_count_a_game_as_without_critical_moves(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher = Teacher(client, mode="rounds")
    pupils = [teacher.join(name) for name in ("Ann", "Bob")]
    teacher.act("pair")
    while not all(board["over"] for board in teacher.look()["boards"]):
        for pupil in pupils:
            teacher.move(pupil["token"])
    path, headers = f"{teacher.path}/results", teacher.headers()
    service: Any = client.app.runtime.classes  # type: ignore[attr-defined]
    for status in (429, 503):
        with monkeypatch.context() as patch:
            patch.setattr(service, "_ask", AsyncMock(side_effect=Refusal(status, "Try again in a moment.", again=2)))
            busy = client.get(path, headers=headers)
        assert (busy.status_code, busy.headers["Retry-After"]) == (status, "2")
    with monkeypatch.context() as patch:
        patch.setattr(service, "_ask", AsyncMock(side_effect=Refusal(413, "These rules are too large.")))
        assert sum(row["critical"] for row in client.get(path, headers=headers).json()["pupils"]) == 0


def test_the_position_that_most_pupils_missed_is_suggested() -> None:
    more = {"level": 2, "hints": False, "takebacks": False, "start": "book", "anonymous": False, "mode": "pairs"}
    rules = {"game": "operation-target", "options": {}, **more}
    classroom = Classroom(begin(rules, "BCDFG", "a key", 0.0)[0])
    for name in ("Ann", "Bob", "Cem", "Dora", "Eve"):
        classroom = join(classroom, f"token of {name}", name, 0.0).value
    classroom = act(classroom, Act("pair", classroom.head, "another key"), Context(0.0)).value
    *games, against_computer = sorted(classroom.tables, key=lambda table: None in table.pupils)
    missed, found = ({"found": found, "path": "/there", "position": ["At 3"], "quest": "Find it."} for found in (0, 1))

    def discussion(*met: list[list[dict[str, Any]]]) -> Any:
        """The suggestion after games in which both seats met these positions."""
        grades: Any = {
            table.id: [NO_GRADE | {"met": positions} for positions in seats]
            for table, seats in zip((*games, against_computer), met, strict=True)
        }
        return results(classroom, dict.fromkeys(grades, (1.0, 0.0)), grades, {})["discussion"]

    nobody: list[list[dict[str, Any]]] = [[], []]
    assert discussion([[missed], [missed]], [[missed], [found]], nobody) == {
        **{name: missed[name] for name in ("path", "position", "quest")},
        "missed": 3,
        "times": 4,
    }
    assert discussion([[missed], [found]], [[missed], [found]], nobody) is None
    seat = against_computer.pupils.index(None)
    computer = [[missed] * 5 if index == seat else [missed] for index in range(2)]
    assert discussion(nobody, nobody, computer) is None, "positions that the computer missed do not count"


def test_a_pupil_on_a_new_device_is_admitted_with_one_act(client: TestClient) -> None:
    teacher = Teacher(client)
    ann, bob = teacher.join("Ann"), teacher.join("Bob")
    teacher.act("pair")
    again = teacher.join("Ann")
    like = {pupil["pupil"]: pupil["like"] for pupil in teacher.look()["pupils"]}
    assert like == {ann["pupil"]: None, bob["pupil"]: None, again["pupil"]: ann["pupil"]}
    teacher.act("admit", pupil=ann["pupil"], device=again["pupil"])
    assert [pupil["name"] for pupil in teacher.look()["pupils"]] == ["Ann", "Bob"]
    assert client.get(teacher.path, headers=teacher.headers(ann["token"])).status_code == 403
    mine = teacher.look(again["token"])
    assert (mine["name"], mine["pupil"]) == ("Ann", ann["pupil"])
    turn = again if mine["game"]["seat"] == 1 else bob
    assert teacher.move(turn["token"]).status_code == 201
    old = {"Authorization": f"Bearer {ann['token']}"}
    assert client.get(f"/api/games/{mine['game']['id']}/seat", headers=old).status_code == 403


def test_an_admitted_pupil_is_present_on_the_new_device(client: TestClient) -> None:
    teacher = Teacher(client)
    ann, again = teacher.join("Ann"), teacher.join("Ann")
    service: Any = client.app.runtime.classes  # type: ignore[attr-defined]
    portal: Any = client.portal
    messages: list[bytes] = []

    async def receive() -> Any:
        await asyncio.sleep(600)

    async def send(message: Any) -> None:
        messages.append(message.get("body", b""))

    async def watching() -> set[int]:
        return set(service.hub.present(teacher.code))

    def hears(text: bytes) -> None:
        wait_for(lambda: any(text in body for body in messages))

    limits: RateLimits = client.app.limits  # type: ignore[attr-defined]
    sender = limits.sender("192.0.2.1", None, "")
    stream = portal.start_task_soon(service.stream, teacher.code, again["token"], sender, receive, send)
    try:
        hears(b'"name":"Ann 2"')
        assert portal.call(watching) == {again["pupil"]}
        teacher.act("admit", pupil=ann["pupil"], device=again["pupil"])
        hears(b'"name":"Ann"')
        assert portal.call(watching) == {ann["pupil"]}
    finally:
        stream.cancel()


def test_a_newcomer_who_has_played_can_still_be_admitted(client: TestClient) -> None:
    teacher = Teacher(client)
    finn, bob = teacher.join("Finn"), teacher.join("Bob")
    teacher.act("pair")
    again = teacher.join("Finn")
    teacher.act("pair")
    theirs = teacher.look(again["token"])["game"]["id"]
    old = teacher.look(finn["token"])["game"]["id"]
    state = teacher.act("admit", pupil=finn["pupil"], device=again["pupil"])
    assert [pupil["name"] for pupil in state["pupils"]] == ["Finn", "Bob"]
    assert state["removed"] == []
    # Finn was playing: that game goes on. The newcomer's game is closed and counts for nobody.
    mine = teacher.look(again["token"])
    assert (mine["pupil"], mine["game"]["id"]) == (finn["pupil"], old)
    assert client.get(f"/api/games/{theirs}").json()["closed"]
    assert [pupil["points"] for pupil in teacher.look()["pupils"]] == [0, 0]
    turn = again if mine["game"]["seat"] == 1 else bob
    assert teacher.move(turn["token"]).status_code == 201


def test_an_admitted_pupil_continues_the_running_game_of_the_newcomer(client: TestClient) -> None:
    teacher = Teacher(client)
    finn, _ = teacher.join("Finn"), teacher.join("Bob")
    again = teacher.join("Finn")
    teacher.act("remove", pupil=finn["pupil"])
    teacher.act("pair")
    running = teacher.look(again["token"])["game"]["id"]
    assert {pupil["name"] for pupil in teacher.act("restore", pupil=finn["pupil"])["pupils"]} == {
        "Finn",
        "Finn 2",
        "Bob",
    }
    teacher.act("admit", pupil=finn["pupil"], device=again["pupil"])
    mine = teacher.look(again["token"])
    assert (mine["name"], mine["pupil"], mine["game"]["id"]) == ("Finn", finn["pupil"], running)
    game = client.get(f"/api/games/{running}").json()
    assert set(game["names"]) == {"Finn", "Bob"}
    assert not game["closed"]


def test_a_removed_pupil_can_be_restored_and_a_replaced_device_joins_as_a_newcomer(client: TestClient) -> None:
    teacher = Teacher(client)
    keys = [secrets.token_urlsafe(24) for _ in range(2)]
    ann, bob = (teacher.join(name, key) for name, key in zip(("Ann", "Bob"), keys, strict=True))
    state = teacher.act("remove", pupil=bob["pupil"])
    assert state["removed"] == [{"pupil": bob["pupil"], "name": "Bob"}]
    refused = client.post(f"{teacher.path}/pupils", json={"name": "Bob", "key": keys[1]})
    assert refused.status_code == 403
    assert "Ask to be let back in." in refused.json()["detail"]
    assert teacher.act("restore", pupil=bob["pupil"])["removed"] == []
    assert teacher.join("Bob", keys[1])["pupil"] == bob["pupil"]
    assert teacher.send("restore", pupil=bob["pupil"]).status_code == 422
    device = teacher.join("Ann")
    teacher.act("admit", pupil=ann["pupil"], device=device["pupil"])
    again = teacher.join("Ann", keys[0])
    assert again["pupil"] not in (ann["pupil"], device["pupil"])
    assert teacher.join("Ann", keys[0])["pupil"] == again["pupil"]
    teacher.act("admit", pupil=ann["pupil"], device=again["pupil"])
    assert teacher.look(again["token"])["pupil"] == ann["pupil"]
    assert client.get(teacher.path, headers=teacher.headers(device["token"])).status_code == 403


def test_the_computer_takes_over_for_a_pupil_who_left_and_they_can_return(client: TestClient) -> None:
    teacher = Teacher(client)
    ann, bob = teacher.join("Ann"), teacher.join("Bob")
    teacher.act("pair")
    game = teacher.look(ann["token"])["game"]
    teacher.act("substitute", pupil=ann["pupil"], level=2)
    chair = teacher.wait_for_a_person(game["id"])["seats"][game["seat"] - 1]
    assert (chair["substitute"], chair["level"]) == (True, 2)
    assert "The computer plays for you" in teacher.move(ann["token"]).json()["detail"]
    back = teacher.move(ann["token"], "return")
    assert (back.status_code, back.json()["state"]["seats"][game["seat"] - 1]["substitute"]) == (201, False)
    # Now it is Bob's turn, since the computer has moved if it was Ann's.
    assert teacher.move(bob["token"]).status_code == 201
    assert teacher.move(ann["token"]).status_code == 201


def test_a_new_name_is_shown_in_the_game_at_once(client: TestClient) -> None:
    teacher = Teacher(client)
    ann, _ = teacher.join("Rude"), teacher.join("Bob")
    teacher.act("pair")
    teacher.act("rename", pupil=ann["pupil"], name="Ann")
    game = teacher.look(ann["token"])["game"]
    assert "Rude" not in client.get(f"/api/games/{game['id']}").text


def test_all_pupils_can_play_against_a_level(client: TestClient) -> None:
    teacher = Teacher(client, mode="computer", level=2)
    pupils = [teacher.join(name) for name in ("Ann", "Bob", "Cem")]
    state = teacher.act("pair")
    assert [board["pupils"].count(None) for board in state["boards"]] == [1, 1, 1]
    # Operation Target has no level 2.
    assert [[level for level in board["levels"] if level] for board in state["boards"]] == [[1], [1], [1]]
    game = teacher.look(pupils[0]["token"])["game"]
    while teacher.wait_for_a_person(game["id"])["player"] is not None:
        assert teacher.move(pupils[0]["token"]).status_code == 201
    assert not teacher.look(pupils[0]["token"])["playing"]


def test_a_class_is_deleted_with_its_games_and_its_code_is_not_reused(client: TestClient) -> None:
    teacher = Teacher(client)
    ann, _ = teacher.join("Ann"), teacher.join("Bob")
    teacher.act("pair")
    game = teacher.look(ann["token"])["game"]
    assert teacher.send("delete", version=99).status_code == 409
    version = teacher.look()["version"]
    first, again = (teacher.send("delete", version=version, key="same-key") for _ in range(2))
    assert (first.status_code, again.status_code, again.json()) == (201, 200, first.json())
    for path in (teacher.path, f"{teacher.path}/results"):
        gone = client.get(path, headers=teacher.headers())
        assert gone.status_code == 404
        assert gone.json()["detail"].startswith("There is no class with this code.")
    assert client.get(f"/api/games/{game['id']}").status_code == 404
    wrong = client.post("/api/classes/BBBBB/pupils", json={"name": "Ann", "key": "k" * 24})
    expired = client.post(f"{teacher.path}/pupils", json={"name": "Ann", "key": "k" * 24})
    assert (wrong.status_code, wrong.json()) == (expired.status_code, expired.json())


def test_a_retried_deletion_gets_the_same_response_after_a_restart(tmp_path: Path) -> None:
    database = str(tmp_path / "games.sqlite")
    with TestClient(application(database=database)) as client:
        teacher = Teacher(client)
        assert teacher.send("delete", version=0, key="same-key").status_code == 201
    with TestClient(application(database=database)) as client:
        teacher.client = client
        again = teacher.send("delete", version=0, key="same-key")
        assert (again.status_code, again.json()) == (200, {"accepted": 1, "state": None})
        assert teacher.send("delete", version=0, key="other-key").status_code == 404


def test_only_the_teacher_can_act_on_a_class(client: TestClient) -> None:
    teacher, other = Teacher(client), Teacher(client)
    ann = teacher.join("Ann")
    for token, status in ((ann["token"], 403), (other.token, 404), ("x" * 32, 404)):
        body = {"act": "pair", "version": 1, "key": "abcdefgh"}
        answer = client.post(f"{teacher.path}/acts", json=body, headers=teacher.headers(token))
        assert answer.status_code == status
    assert client.get(teacher.path).status_code == 404


def test_the_same_key_starts_the_same_class(client: TestClient) -> None:
    body = {"game": "number-duel", "mode": "pairs", "key": secrets.token_urlsafe(24)}
    one, two = client.post("/api/classes", json=body), client.post("/api/classes", json=body)
    assert (one.status_code, two.status_code) == (201, 200)
    assert (one.json()["code"], one.json()["token"]) == (two.json()["code"], two.json()["token"])
    assert client.post("/api/classes", json=body | {"mode": "rounds"}).status_code == 422
    assert set(one.json()["code"]) <= set("BCDFGHJKLMNPRSTVWXZ")


def test_a_round_can_begin_from_a_balanced_start_and_another_game(client: TestClient) -> None:
    teacher = Teacher(client, game="number-quest", options={"target": 20, "highest": 5}, start="fair")
    ann, _ = teacher.join("Ann"), teacher.join("Bob")
    teacher.act("pair")
    game = client.get(f"/api/games/{teacher.look(ann['token'])['game']['id']}").json()
    assert game["opening"] > 0
    teacher.act("settings", game="number-duel", options={"target": 30}, start="book")
    teacher.act("next")
    game = client.get(f"/api/games/{teacher.look(ann['token'])['game']['id']}").json()
    assert (game["game"], game["changed"], game["opening"]) == ("number-duel", {"target": 30}, 0)


def test_a_link_is_rendered_as_a_qr_code(client: TestClient) -> None:
    drawn = client.get("/api/qr", params={"text": "http://testserver/j/KFMTX"})
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert b"<svg" in drawn.content
    assert drawn.content != client.get("/api/qr", params={"text": "http://testserver/j/KFMTZ"}).content
    assert client.get("/api/qr", params={"text": "javascript:alert(1)"}).status_code == 422


# Limits


def test_a_class_has_its_own_rate_limit_and_strangers_stay_limited(tmp_path: Path) -> None:
    with TestClient(application(rate=1, burst=200, database=str(tmp_path / "games.sqlite"))) as client:
        teacher = Teacher(client)
        pupils = [teacher.join(f"Pupil {number}") for number in range(20)]
        teacher.act("pair")
        statuses = [
            client.get(teacher.path, headers=teacher.headers(pupil["token"])).status_code
            for _ in range(4)
            for pupil in pupils
        ]
        assert set(statuses) == {200}
        strangers = [client.get("/api/games").status_code for _ in range(200)]
        assert 429 in strangers
        assert teacher.look(pupils[0]["token"])["round"] == 1


def test_wrong_codes_count_against_the_address_but_not_against_its_class(tmp_path: Path) -> None:
    app = application(rate=1000, burst=1000, database=str(tmp_path / "games.sqlite"))

    async def from_anywhere(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope["client"] = (dict(scope["headers"]).get(b"x-test-address", b"192.0.2.1").decode(), 1)
        await app(scope, receive, send)

    with TestClient(from_anywhere) as client:
        teacher = Teacher(client)
        assert teacher.look()["version"] == 0
        for address, known in (("192.0.2.1", True), ("192.0.2.2", False)):
            there = {"X-Test-Address": address}
            body = {"name": "Eve", "key": secrets.token_urlsafe(24)}
            wrong = [
                client.post(f"/api/classes/BBBB{letter}/pupils", json=body, headers=there).status_code
                for letter in "BCDFGHJKLMNP"
            ]
            assert wrong == [404] * 10 + [429] * 2
            right = client.post(f"{teacher.path}/pupils", json=body, headers=there)
            assert right.status_code == (201 if known else 429), "a class can go on at its own address"
            still = client.post("/api/classes/BBBBB/pupils", json=body, headers=there)
            assert still.status_code == 429
        assert teacher.look()["version"] == 1


def test_a_wall_link_shows_what_the_wall_shows_and_allows_no_act(client: TestClient) -> None:
    teacher = Teacher(client)
    pupils = [teacher.join(name) for name in ("Ann", "Bob", "Cem")]
    teacher.act("remove", pupil=pupils[2]["pupil"])
    key = secrets.token_urlsafe(24)
    made = teacher.make_link("wall", key)
    assert made.status_code == 201
    wall = made.json()["token"]
    assert [link["kind"] for link in made.json()["state"]["links"]] == ["wall"]
    again = teacher.make_link("wall", key)
    assert (again.status_code, again.json()["token"]) == (200, wall)
    assert teacher.make_link("desk", key).status_code == 422, "a key belongs to one link"
    state = teacher.act("pair")
    seen = teacher.look(wall)
    assert set(seen) == set(get_type_hints(WallClass))
    assert (seen["role"], [pupil["name"] for pupil in seen["pupils"]]) == ("wall", ["Ann", "Bob"])
    assert [board["id"] for board in seen["boards"]] == [board["id"] for board in state["boards"]]
    for deed in get_args(Deed):
        body = {"act": deed, "version": seen["version"], "key": secrets.token_urlsafe(9), "pupil": 1, "link": 1}
        refused = client.post(f"{teacher.path}/acts", json=body, headers=teacher.headers(wall))
        assert (refused.status_code, refused.json()["detail"]) == (403, "This link is only for watching."), deed
    assert teacher.make_link("desk", token=wall).status_code == 403
    game = seen["boards"][0]["id"]
    move = {"version": 0, "move": "+1", "key": secrets.token_urlsafe(9)}
    assert client.post(f"/api/games/{game}/moves", json=move, headers=teacher.headers(wall)).status_code == 403
    for part in ("results", "results.csv"):
        assert client.get(f"{teacher.path}/{part}", headers=teacher.headers(wall)).status_code == 403
    assert teacher.look()["version"] == seen["version"], "nothing has changed"
    teacher.act("settings", anonymous=True)
    disguised = teacher.look(wall)
    assert "Ann" not in json.dumps(disguised)
    assert client.get(f"/api/games/{disguised['boards'][0]['id']}").status_code == 404, "games have names"
    assert teacher.act("revoke", link=1)["links"] == []
    withdrawn = client.get(teacher.path, headers=teacher.headers(wall))
    assert (withdrawn.status_code, withdrawn.json()["detail"]) == (403, REVOKED)
    assert teacher.make_link("wall", key).status_code == 403


def test_a_desk_link_can_do_everything_and_survives_the_first_desk(tmp_path: Path) -> None:
    file = str(tmp_path / "games.sqlite")
    with TestClient(application(database=file)) as client:
        teacher = Teacher(client)
        teacher.join("Ann")
        second = teacher.make_link("desk").json()["token"]
        assert secrets.compare_digest(second, second.strip())
        with closing(sqlite3.connect(file)) as database:
            stored = json.dumps(database.execute("SELECT body, key FROM event").fetchall())
        assert second not in stored
        assert hash_secret(second) in stored
    with TestClient(application(database=file)) as client:
        teacher.client, teacher.token = client, second
        assert teacher.look()["role"] == "teacher"
        assert teacher.act("pair")["round"] == 1
        assert client.get(f"{teacher.path}/results", headers=teacher.headers()).status_code == 200
        for _ in range(MOST_LINKS - 1):
            assert teacher.make_link("wall").status_code == 201
        assert teacher.make_link("wall").status_code == 422
        assert teacher.send("revoke", link=99).status_code == 422
        assert teacher.act("end")["ended"]
        assert len(teacher.act("revoke", link=2)["links"]) == MOST_LINKS - 1, "also after the end"


def test_everybody_is_told_the_truth_about_why_they_are_out(client: TestClient) -> None:
    teacher = Teacher(client)
    ann, device = teacher.join("Ann"), teacher.join("Ann")
    teacher.act("admit", pupil=ann["pupil"], device=device["pupil"])

    def told(token: str) -> tuple[int, str]:
        answer = client.get(teacher.path, headers=teacher.headers(token))
        return answer.status_code, answer.json()["detail"]

    assert told(ann["token"]) == (403, MOVED)
    teacher.act("remove", pupil=ann["pupil"])
    assert told(device["token"]) == (403, REMOVED)
    teacher.act("delete")
    assert told(device["token"])[0] == 404


def test_pupils_rank_by_their_share_of_points_and_see_their_own_place(client: TestClient) -> None:
    teacher = Teacher(client)
    ann, bob = teacher.join("Ann"), teacher.join("Bob")
    assert ann["state"]["place"] is None
    # Bob wins three times and loses once, then Cem comes and wins once.
    for loser in (ann, ann, ann, bob):
        teacher.act("pair")
        assert teacher.move(loser["token"], "concede").status_code == 201
    cem = teacher.join("Cem")
    teacher.act("remove", pupil=ann["pupil"])
    teacher.act("pair")
    assert teacher.move(bob["token"], "concede").status_code == 201
    state = teacher.look()
    assert [(row["pupil"], row["place"], row["points"], row["games"]) for row in state["standings"]] == [
        (cem["pupil"], 1, 1.0, 1),
        (bob["pupil"], 2, 3.0, 5),
    ]
    assert state["together"] == {"games": 5, "moves": 0, "pairs": 2}
    assert [teacher.look(pupil["token"])["place"] for pupil in (bob, cem)] == [2, 1]


def test_a_class_is_deleted_after_its_retention_time(tmp_path: Path) -> None:
    with TestClient(application(database=str(tmp_path / "games.sqlite"), class_retention=0.01, grace=0)) as client:
        teacher = Teacher(client)
        service: Any = client.app.runtime.classes  # type: ignore[attr-defined]
        real_time = time.time
        try:
            time.time = lambda: real_time() + 30
            client.portal.call(service.sweep_classes)  # type: ignore[union-attr]
            assert teacher.look()["code"] == teacher.code
            time.time = lambda: real_time() + 40
            client.portal.call(service.sweep_classes)  # type: ignore[union-attr]
        finally:
            time.time = real_time
        assert client.get(teacher.path, headers=teacher.headers()).status_code == 404


@pytest.mark.parametrize("code", ["%00BCDF", "B%00CDF", "BCDF%C5%BF", "%F0%9F%98%80BCDF", "BCDFGHJKLMNP"])
def test_a_code_of_other_characters_belongs_to_no_class(database: str, code: str) -> None:
    with TestClient(application(database=database)) as client:
        path, headers = f"/api/classes/{code}", {"Authorization": f"Bearer {'x' * 32}"}
        key = secrets.token_urlsafe(24)
        bodies = {
            "pupils": {"name": "Ann", "key": key},
            "acts": {"act": "delete", "version": 1, "key": key},
            "links": {"kind": "wall", "key": key},
        }
        answers = [client.get(f"{path}{part}", headers=headers) for part in ("", "/events", "/results", "/results.csv")]
        answers += [client.post(f"{path}/{part}", json=body, headers=headers) for part, body in bodies.items()]
        assert [answer.status_code for answer in answers] == [404] * 7


# Material for teachers


def test_the_claims_of_the_lesson_plans_are_true(client: TestClient) -> None:
    lessons = client.get("/api/lessons").json()
    assert {preset["game"] for preset in lessons["presets"]} <= set(dd.games())
    assert set(lessons["plans"]) <= set(dd.games())
    assert all(len(plan["questions"]) == 3 for plan in lessons["plans"].values())
    assert sum(int(step["time"].split()[0]) for step in lessons["steps"]) == 40
    # Operation Target: four games; ×2 first wins; with 24 Player 2 wins, with 25 Player 1 by ×2.
    rules = dd.game("operation-target")

    def games(state: Any) -> int:
        return 1 if rules.outcome(state) else sum(games(rules.after(state, move)) for move in rules.legal_moves(state))

    assert games(rules.start()) == 4
    for target, keeping in ((23, ["x2"]), (24, None), (25, ["x2"])):
        variant = dd.game("operation-target", target=target)
        judged = Reference(variant).judge(variant.start())
        assert (judged.best_verdict.value > 0) == (keeping is not None)
        assert keeping is None or [str(move) for move in judged.keeping] == keeping
    # Number Quest: the scores from which 50 is one move away.
    quest = dd.game("number-quest")
    ways = {
        score
        for score in range(50)
        for number in range(1, 10)
        if 50 in (score + number, score - number, score * number, score // number)
    }
    assert ways == {10, 25, *range(41, 50)}
    assert set(range(1, 10)) == {move.number for move in quest.moves}


def test_a_sheet_explains_how_the_game_ends_without_a_hit(client: TestClient) -> None:
    small: dict[str, str | int] = {"game": "number-quest", "target": 20, "highest": 5, "count": 1, "seed": "1"}
    paragraphs = client.get("/api/sheet", params=small).json()["about"]
    assert any("When the pool is empty, the higher score wins." in paragraph for paragraph in paragraphs)
