"""Answers without a server: equal to the server's, and without a package besides our own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from starlette.testclient import TestClient

from conftest import PATIENCE
from digitduels.web.local import NEEDS_SERVER, LocalAnswers
from questions import questions

PLAIN = """
import importlib.abc, json, sys

class OnlyOurs(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        root = name.split(".")[0]
        if root not in sys.stdlib_module_names and root != "digitduels":
            raise ModuleNotFoundError(f"{name} is not available here", name=name)

sys.meta_path.insert(0, OnlyOurs())
from digitduels.web.local import LocalAnswers
answer = LocalAnswers()
print(json.dumps([answer(*question) for question in json.load(sys.stdin)]))
"""
"""A program that answers questions and can import nothing but the standard library and our package."""


def plain_answers(asked: list[tuple[str, str]]) -> list[tuple[int, str]]:
    result = subprocess.run(
        [sys.executable, "-c", PLAIN],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return [(status, text) for status, text in json.loads(result.stdout)]


def test_the_answers_without_a_server_equal_those_of_a_server(client: TestClient) -> None:
    asked = questions()
    for (path, query), (status, text) in zip(asked, plain_answers(asked), strict=True):
        answer = client.get(f"{path}?{query}")
        assert (status, json.loads(text)) == (answer.status_code, answer.json()), f"{path}?{query}"


def test_what_needs_a_server_says_so() -> None:
    asked = [("/api/lab/operation-target/report", ""), ("/api/rooms", ""), ("/api/lessons", "")]
    for status, text in plain_answers(asked):
        assert (status, json.loads(text)["detail"]) == (404, NEEDS_SERVER)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/api/position/chess", ""),
        ("/api/position/number-duel", "moves=5"),
        ("/api/hint/number-duel", "step=9"),
        ("/api/reply/number-duel", "vs=nobody"),
        ("/api/sheet", ""),
    ],
)
def test_a_wrong_link_gets_the_sentence_of_the_server(client: TestClient, path: str, query: str) -> None:
    status, text = LocalAnswers()(path, query)
    answer = client.get(f"{path}?{query}")
    assert (status, json.loads(text)) == (answer.status_code, answer.json())


def test_a_link_with_names_and_a_record_come_in_the_body(client: TestClient) -> None:
    link = {"moves": "+5 +10", "names": "Ann\nBob"}
    record = {"digitduels": 1}
    for path, body in (("/api/position/number-duel", link), ("/api/review", record)):
        status, text = LocalAnswers()(path, body=json.dumps(body))
        answer = client.post(path, json=body)
        assert (status, json.loads(text)) == (answer.status_code, answer.json())


def test_a_game_that_is_too_large_still_gives_hints_and_moves() -> None:
    asked = [("solve", ""), ("hint", "step=4"), ("reply", "vs=6&seed=1")]
    (refused, _), (hinted, hint), (replied, reply) = plain_answers(
        [(f"/api/{name}/number-quest", f"highest=40&target=900&{query}") for name, query in asked]
    )
    assert (refused, hinted, replied) == (413, 200, 200)
    assert json.loads(hint)["lines"]
    assert json.loads(reply)["position"]["move_count"] == 1
