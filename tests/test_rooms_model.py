"""Games between friends against a model: for any sequence of requests, the server responds as the model predicts."""

from __future__ import annotations

import secrets
from typing import Any

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

from digitduels import game as game_of

pytestmark = pytest.mark.slow

SEATS = st.sampled_from([1, 2])
LATE = st.sampled_from([0, 0, 0, 0, 1, -1, -2])


def test_every_response_matches_the_model(client: TestClient) -> None:
    class Machine(RuleBasedStateMachine):
        """A model of a game of Numerical Nexus: the moves, the version, the seats and the pending offers."""

        @initialize(seat=SEATS)
        def begin(self, seat: int) -> None:
            answer = client.post("/api/games", json={"game": "numerical-nexus", "seat": seat})
            assert answer.status_code == 201
            self.created = answer.json()
            self.tokens = {seat: self.created["token"]}
            self.game = game_of("numerical-nexus")
            self.states = [self.game.start()]
            self.moves: list[str] = []
            self.version = 0
            self.asking: int | None = None
            self.conceded: int | None = None
            self.rematch: str | None = None
            self.done: list[tuple[str, int, dict[str, Any], int]] = []

        def over(self) -> bool:
            return self.conceded is not None or self.game.outcome(self.states[-1]) is not None

        def send(self, seat: int, kind: str, body: dict[str, Any]) -> Any:
            headers = {"Authorization": f"Bearer {self.tokens.get(seat, 'nobody')}"}
            return client.post(f"/api/games/{self.created['id']}/{kind}", json=body, headers=headers)

        def expect(self, seat: int, kind: str, late: int, allowed: bool, **more: Any) -> bool:
            """Performs an act and compares the response with the model; returns whether it was accepted."""
            body = {"version": max(0, self.version + late), "key": secrets.token_urlsafe(9)} | more
            answer = self.send(seat, kind, body)
            stale = body["version"] != self.version
            if seat not in self.tokens:
                code = 403
            elif stale:
                code = 409
            elif self.over() and kind != "rematch":
                code = 410
            else:
                code = 201 if allowed else 422
            if kind == "rematch" and self.rematch and code == 422:
                code = 409
            assert answer.status_code == code, (kind, body, answer.text)
            if code in (409, 410):
                assert answer.json()["state"]["version"] == self.version
            if code == 201:
                self.version += 1
                self.done.append((kind, seat, body, self.version))
                assert answer.json()["accepted"] == self.version
                self.asking = None
            return code == 201

        @rule(right=st.booleans())
        def join(self, right: bool) -> None:
            invite = self.created["invite"] if right else secrets.token_urlsafe(24)
            answer = client.post(f"/api/games/{self.created['id']}/seats", json={"invite": invite})
            full = len(self.tokens) == 2
            assert answer.status_code == (403 if not right else 410 if full else 201)
            if answer.status_code == 201:
                self.version += 1
                self.asking = None
                self.tokens[answer.json()["seat"]] = answer.json()["token"]

        @rule(seat=SEATS, token=st.sampled_from([str(move) for move in game_of("numerical-nexus").moves]), late=LATE)
        def move(self, seat: int, token: str, late: int) -> None:
            state, move = self.states[-1], self.game.read(token)
            legal = state.player == seat - 1 and self.game.objection(state, move) is None
            if self.expect(seat, "moves", late, legal, move=token):
                self.states.append(self.game.play(state, move))
                self.moves.append(token)

        @rule(data=st.data())
        def play_on(self, data: st.DataObject) -> None:
            """Plays a legal move, so that games make progress."""
            state = self.states[-1]
            legal = [str(move) for move in self.game.legal_moves(state)]
            if legal and not self.over():
                self.move(state.player + 1, data.draw(st.sampled_from(legal)), 0)

        @rule(seat=SEATS, late=LATE)
        @precondition(lambda self: len(self.moves) > 4)
        def concede(self, seat: int, late: int) -> None:
            if self.expect(seat, "concede", late, len(self.tokens) == 2):
                self.conceded = seat

        def back(self, seat: int) -> int | None:
            """How many moves a take-back by this player removes, or None."""
            indices = [index for index in range(len(self.moves)) if self.states[index].player == seat - 1]
            return len(self.moves) - indices[-1] if indices else None

        @rule(seat=SEATS, late=LATE)
        def ask(self, seat: int, late: int) -> None:
            allowed = len(self.tokens) == 2 and self.asking is None and self.back(seat) is not None
            if self.expect(seat, "takeback", late, allowed):
                self.asking = seat

        @rule(seat=SEATS, answer=st.sampled_from(["accept", "decline"]), late=LATE)
        @precondition(lambda self: self.asking is not None)
        def answer(self, seat: int, answer: str, late: int) -> None:
            asking = self.asking
            if self.expect(seat, "takeback", late, asking == 3 - seat, answer=answer) and answer == "accept":
                count = self.back(3 - seat)
                assert count is not None
                del self.moves[-count:], self.states[-count:]

        @rule(seat=SEATS, late=LATE)
        def again(self, seat: int, late: int) -> None:
            if self.expect(seat, "rematch", late, self.over() and len(self.tokens) == 2 and self.rematch is None):
                self.rematch = client.get(f"/api/games/{self.created['id']}").json()["rematch"]
                swapped = client.get(f"/api/games/{self.rematch}").json()
                assert (swapped["version"], swapped["move_count"]) == (0, 0)

        @rule(seat=SEATS, kind=st.sampled_from(["substitute", "return"]), late=LATE)
        def no_need(self, seat: int, kind: str, late: int) -> None:
            more = {"level": 1} if kind == "substitute" else {}
            self.expect(seat, kind, late, False, **more)

        @rule(data=st.data())
        @precondition(lambda self: self.done)
        def send_again(self, data: st.DataObject) -> None:
            kind, seat, body, version = data.draw(st.sampled_from(self.done))
            answer = self.send(seat, kind, body)
            assert (answer.status_code, answer.json()["accepted"]) == (200, version)

        @invariant()
        def the_state_is_the_one_of_the_model(self) -> None:
            state = client.get(f"/api/games/{self.created['id']}").json()
            assert state["version"] == self.version
            turns = client.get(f"/api/games/{self.created['id']}/history").json()["turns"]
            assert [turn["move"] for turn in turns] == self.moves
            assert state["move_count"] == len(self.moves)
            assert state["last"] == (turns[-1] if turns else None)
            assert state["takeback"] == self.asking
            assert state["rematch"] == self.rematch
            assert state["conceded"] == self.conceded
            assert [seat["joined"] for seat in state["seats"]] == [seat in self.tokens for seat in (1, 2)]
            assert (state["player"] is None) == self.over()

    run_state_machine_as_test(Machine, settings=settings(max_examples=15, stateful_step_count=40, deadline=None))
