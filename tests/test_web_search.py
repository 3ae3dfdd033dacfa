"""The computer on a server without a solution: it answers at once, and every variant can be played."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

import digitduels as dd
from digitduels.match import Match
from digitduels.players import player
from digitduels.web.app import App
from digitduels.web.positions import link
from digitduels.web.settings import Settings
from web import running, wait_for
from workers import NoWorkers, solutions

pytestmark = pytest.mark.slow

HUGE: list[tuple[str, dict[str, Any]]] = [
    ("number-duel", {"target": 10**6, "highest": 99, "copies": 1}),
    ("number-quest", {"target": 10**6, "highest": 99, "copies": 99}),
    ("equation-duel", {"target": 10**6, "highest": 15}),
    ("numerical-nexus", {"target": 10**6, "uses": (9,) * 6}),
    ("operation-target", {"target": 10**40}),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def ask(site: Any, path: str, match: Match, **more: object) -> Any:
    query = httpx.QueryParams({key: str(value) for key, value in more.items()})
    return site.get(f"/api/{path}/{match.game.id}?{link.written(match)}&{query}")


class NeverWarm(NoWorkers):
    """Workers that are still computing tables."""

    async def _warm(self) -> None:
        await asyncio.Event().wait()


def test_levels_answer_before_the_tables_are_ready(tables: Path, tmp_path: Path) -> None:
    match = Match(dd.game("number-quest"))
    match.play(match.game.read("+5"))
    settings = Settings(rate=0, database=str(tmp_path / "games.sqlite"))
    with TestClient(App(settings, workers=NeverWarm(settings))) as fresh:
        answers = {level: ask(fresh, "reply", match, vs=level, seed=1) for level in (2, 3, 4)}
        assert fresh.get("/readyz").json()["tables"] is False
    for level, answer in answers.items():
        assert answer.status_code == 200, answer.text
        with player(str(level), match.game, solutions(), seed="1") as opponent:
            assert answer.json()["move"] == str(opponent.choose(match))


@pytest.mark.parametrize(("name", "options"), HUGE, ids=[name for name, _ in HUGE])
def test_huge_variants_are_played_to_the_end(site: httpx.Client, name: str, options: dict[str, Any]) -> None:
    match, chance = Match(dd.game(name, **options)), random.Random(1)
    while match.outcome is None:
        level = 4 if len(match.moves) < 6 else 2
        if match.state.player:
            answer = ask(site, "reply", match, vs=level, seed=1)
            assert answer.status_code == 200, answer.text
            match.play(match.game.read(answer.json()["move"], match.state))
        else:
            match.play(chance.choice(match.game.legal_moves(match.state)))


def test_messages_never_mention_memory(site: httpx.Client) -> None:
    match = Match(dd.game("number-duel", target=10**6, highest=99))
    hint = ask(site, "hint", match, step=1)
    assert [line["text"] for line in hint.json()["lines"]] == [
        "Looking a few moves ahead finds no win and no loss.",
        "This game is too large to be solved, so nobody knows more.",
    ]
    for answer in (ask(site, "reply", match, vs=7), ask(site, "solve", match), ask(site, "start", match, kind="fair")):
        assert answer.status_code == 413
        assert answer.json()["detail"] == "This game is too large to be worked out here. Choose smaller numbers."


def test_a_room_with_an_unavailable_level_gets_the_strongest_one(site: httpx.Client) -> None:
    rules = {"game": "number-duel", "options": {"target": 10**6, "highest": 99}}
    body = rules | {"seat": 2, "computer": {"level": 7}}
    elsewhere = {"X-Forwarded-For": "192.0.2.77"}  # a founder whose variants have not failed before
    room = site.post("/api/games", json=body, headers=elsewhere).json()["id"]
    wait_for(lambda: site.get(f"/api/games/{room}").json()["move_count"])
    status = [line["text"] for line in site.get(f"/api/games/{room}").json()["status"]]
    assert "This variant is too large to be played perfectly here. Level 6 plays instead." in status
