"""The API that keeps nothing: what it tells of a game is what the library tells."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

import digitduels as dd
from digitduels.web.app import create
from digitduels.web.settings import Settings
from variants import ALL, describe


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create(Settings(rate=0))) as client:
        yield client


def test_every_game_is_listed_with_its_options(client: TestClient) -> None:
    listing = client.get("/api/games").json()
    assert [each["game"] for each in listing] == dd.games()
    for each in listing:
        options = dd.game(each["game"]).options()
        assert [option["name"] for option in each["options"]] == [option.name for option in options]


@pytest.mark.parametrize("variant", ALL, ids=describe)
def test_a_position_offers_exactly_the_legal_moves(client: TestClient, variant: tuple[str, dict[str, object]]) -> None:
    name, options = variant
    game = dd.game(name, **options)
    query = {key: ",".join(map(str, value)) if isinstance(value, tuple) else value for key, value in options.items()}
    seen = client.get(f"/api/position/{name}", params=query).json()  # type: ignore[arg-type]
    assert [each["move"] for each in seen["legal"]] == [str(move) for move in game.legal_moves(game.start())]
