"""A link in the body of a request gets the answer of the same link in a query, and costs as much."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from digitduels.web.positions.questions import QUESTIONS
from digitduels.web.routes.links import LONGEST_LINK
from web import application

GAME = "number-duel"
NAMES = "Ann; Lee\nBob"
LINK = {"highest": "4", "target": "12", "moves": "+1", "names": NAMES}
# The keys of each route besides those of every link.
FURTHER = {
    "/api/position/{game}": {"effects": "on"},
    "/api/objection/{game}": {"picks": "0"},
    "/api/start/{game}": {"kind": "fair", "seed": "7"},
    "/api/reply/{game}": {"vs": "2", "seed": "7"},
    "/api/hint/{game}": {"step": "2", "takebacks": "off"},
    "/api/judge/{game}": {"move": "+1"},
    "/api/puzzle": {"game": GAME, "seed": "7"},
    "/api/attempt/{game}": {"move": "+1", "tier": "2"},
    "/api/sheet": {"game": GAME, "count": "2", "seed": "7"},
}


@pytest.mark.slow
@pytest.mark.parametrize("route", QUESTIONS)
def test_every_route_answers_a_link_in_the_body_as_in_the_query(client: TestClient, route: str) -> None:
    path, link = route.format(game=GAME), LINK | FURTHER.get(route, {})
    in_query, in_body = client.get(path, params=link), client.post(path, json=link)
    assert in_query.status_code == in_body.status_code == 200, in_body.text
    assert stable(in_body.json()) == stable(in_query.json())
    assert (in_body.headers["cache-control"], "etag" in in_body.headers) == ("no-store", False)
    assert "max-age" in in_query.headers["cache-control"]


def stable(answer: Any) -> Any:
    """An answer without the winners of the lab's strip, some of which may be unknown if the machine is busy."""
    if "cells" in answer:
        return {**answer, "cells": [cell["value"] for cell in answer["cells"]]}
    return answer


def test_both_are_described_with_the_same_keys(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    for path in QUESTIONS:
        query = [parameter for parameter in paths[path]["get"]["parameters"] if parameter["in"] == "query"]
        (content,) = paths[path]["post"]["requestBody"]["content"].values()
        described = content["schema"]["properties"]
        assert described.keys() == {parameter["name"] for parameter in query} >= {"names", "moves", "target"}
        assert {value["type"] for value in described.values()} == {"string"}
        inside = [parameter["in"] for parameter in paths[path]["post"].get("parameters", [])]
        assert inside == ["path"] * path.count("{")


def test_names_are_in_the_answer_to_a_body(client: TestClient) -> None:
    answer = client.post(f"/api/position/{GAME}", json=LINK)
    assert answer.json()["names"] == NAMES.split("\n")


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({"moves": 5}, 422, "The request body must be a JSON object of strings."),
        ({"moves": ["x2"]}, 422, "The request body must be a JSON object of strings."),
        ([["moves", "x2"]], 422, "The request body must be a JSON object of strings."),
        ("moves", 422, "The request body must be a JSON object of strings."),
        (None, 422, "The request body must be a JSON object of strings."),
        ({"token": "x"}, 422, "A link of this kind has no 'token'."),
        ({"names": "Ann"}, 422, "The players need two different names."),
        ({"moves": "x2 " * (LONGEST_LINK // 3)}, 413, "A link in a request body may have at most 65,536 bytes."),
    ],
)
def test_an_invalid_body_is_refused(client: TestClient, body: Any, status: int, sentence: str) -> None:
    answer = client.post(f"/api/position/{GAME}", json=body)
    assert answer.status_code == status, answer.text
    assert answer.json()["detail"].startswith(sentence)


def test_a_link_in_both_places_and_no_body_at_all_are_refused(client: TestClient) -> None:
    both = client.post(f"/api/position/{GAME}?moves=x2", json={"moves": "x2"})
    assert (both.status_code, both.json()["detail"]) == (
        422,
        "The link must be in the request body, not in the query.",
    )
    assert client.post(f"/api/position/{GAME}").status_code == 422


def test_a_long_link_in_a_body_costs_as_much_as_in_a_query(tmp_path: Path) -> None:
    moves = {"moves": "x2 " * 1300}  # as much as about 100 requests
    for way in ({"method": "GET", "params": moves}, {"method": "POST", "json": moves}):
        arguments: dict[str, Any] = {"url": f"/api/position/{GAME}", **way}
        with TestClient(application(rate=0.001, burst=250, database=str(tmp_path / "games.sqlite"))) as client:
            statuses = [client.request(**arguments).status_code for _ in range(3)]
        assert statuses == [422, 422, 429], way["method"]
