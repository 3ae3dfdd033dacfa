"""Files of the first edition still open: records, saved games, links, databases, Inspect logs and solved tables."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import digitduels as dd
from conftest import Run
from digitduels.position_json import position_to_json
from digitduels.record import dump, load, parse, to_record
from web import running

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).parent / "first_edition"
RECORDS = sorted((SAMPLES / "records").glob("*.json"))
WAYS = ("finished", "unfinished", "conceded", "forfeited", "second-first", "edited", "words")


def sample(name: str) -> Any:
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))


# Records and saved games


def test_there_is_a_sample_record_of_every_game_and_kind() -> None:
    books = ["equation-duel", "number-duel", "number-quest", "numerical-nexus", "operation-target"]
    assert [path.stem for path in RECORDS] == sorted(f"{name}-{way}" for name in books for way in WAYS)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_leads_to_the_same_position_and_outcome(path: Path) -> None:
    match, expected = load(path), sample("records.json")[path.stem]
    assert position_to_json(match.game, match.state) == expected["position"]
    assert [str(move) for move in match.moves] == expected["moves"]
    assert list(match.names) == expected["names"]
    assert (match.outcome is not None) == expected["over"]
    winner = None if match.outcome is None or match.outcome.winner is None else match.outcome.winner + 1
    assert winner == expected["winner"]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_rewritten_record_loses_nothing(path: Path) -> None:
    first = json.loads(path.read_bytes())
    again = to_record(parse(dump(load(path))))
    sentences = first.pop("outcome"), again.pop("outcome")  # the reason is a sentence for people
    assert [found and found["winner"] for found in sentences[:1]] == [
        found and found["winner"] for found in sentences[1:]
    ]
    assert first.items() <= again.items()


@pytest.mark.parametrize("name", ["number-duel", "operation-target"])
def test_a_saved_game_is_listed_and_resumed(name: str, duels: Run, home: Path) -> None:
    games = home / "state" / "digitduels" / "games"
    games.mkdir(parents=True)
    shutil.copy(SAMPLES / "records" / f"{name}-unfinished.json", games / f"{name}-1.json")
    assert f"{name}-1" in duels("saved").stdout
    moves = sample("records.json")[f"{name}-unfinished"]["moves"]
    resumed = duels("resume", f"{name}-1", answers="concede\ny\n")
    assert resumed.returncode == 0, resumed.stderr
    kept = load(games / f"{name}-1.json")
    assert [str(move) for move in kept.moves] == moves
    assert kept.conceded == len(moves) % 2


@pytest.mark.parametrize("way", ["finished", "second-first", "conceded"])
def test_a_record_is_reviewed(way: str, duels: Run) -> None:
    reviewed = duels("review", str(SAMPLES / "records" / f"operation-target-{way}.json"), "--json")
    assert reviewed.returncode == 0, reviewed.stderr
    assert json.loads(reviewed.stdout)["game"] == "operation-target"


# Links and rooms


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, tables: Path) -> Iterator[httpx.Client]:
    """A server with a copy of the old database, in which all games are recent."""
    folder = tmp_path_factory.mktemp("first-edition")
    shutil.copy(SAMPLES / "rooms.sqlite", folder / "games.sqlite")
    database = sqlite3.connect(folder / "games.sqlite")
    with database:
        database.execute("UPDATE game SET created = ?, touched = ?", (time.time(), time.time()))
    database.close()
    with running(folder, tables) as client:
        yield client


@pytest.mark.parametrize("link", sample("links.json"), ids=lambda link: f"{link['game']}?{link['query']}"[:60])
def test_a_link_leads_to_the_same_position(link: dict[str, Any], client: httpx.Client) -> None:
    answer = client.get(f"/api/position/{link['game']}?{link['query']}")
    assert answer.status_code == 200, answer.text
    shown, position = answer.json(), link["position"]
    sides = (*position["hands"], position["table"])
    assert shown["placed"] == ";".join([str(position["player"]), *(",".join(map(str, side)) for side in sides)])
    assert shown["moves"] == link["moves"]
    assert (shown["outcome"] is not None) == link["over"]
    assert (shown["outcome"] or {}).get("winner") == link["winner"]


@pytest.mark.parametrize("label", sample("rooms.json"))
def test_a_game_between_friends_is_unchanged(label: str, client: httpx.Client) -> None:
    room = sample("rooms.json")[label]
    shown, expected = client.get(f"/api/games/{room['id']}").json(), room["state"]
    assert (shown["outcome"] is not None) == expected.pop("over")
    assert (shown["outcome"] or {}).get("winner") == expected.pop("winner")
    for seat, kept in zip(shown["seats"], expected.pop("seats"), strict=True):
        assert kept.items() <= seat.items()
    turns = client.get(f"/api/games/{room['id']}/history").json()["turns"]
    assert [turn["move"] for turn in turns] == expected.pop("moves")
    sides = [*shown["board"]["hands"], shown["board"]["table"]]
    numbers = [[side["score"], *(stock["left"] for stock in side["stocks"])] for side in sides]
    left = ";".join(",".join(str(number) for number in side if number is not None) for side in numbers)
    assert left == expected.pop("placed").partition(";")[2]
    assert {key: shown[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("label", "seat", "act", "body"),
    [
        ("playing", 2, "moves", {"move": "+1"}),
        ("Player 2 first", 1, "concede", {}),
        ("take-back asked", 2, "takeback", {"answer": "accept"}),
        ("take-back accepted", 2, "moves", {"move": "+1"}),
        ("conceded", 1, "rematch", {}),
    ],
)
def test_a_game_between_friends_can_be_continued(
    label: str, seat: int, act: str, body: dict[str, Any], client: httpx.Client
) -> None:
    room = sample("rooms.json")[label]
    before = client.get(f"/api/games/{room['id']}").json()
    answer = client.post(
        f"/api/games/{room['id']}/{act}",
        json={"version": before["version"], "key": "a-new-key", **body},
        headers={"Authorization": f"Bearer {room['tokens'][seat - 1]}"},
    )
    assert answer.status_code == 201, answer.text
    assert answer.json()["state"]["version"] == before["version"] + 1


def test_an_old_invitation_still_works(client: httpx.Client) -> None:
    room = sample("rooms.json")["open"]
    joined = client.post(f"/api/games/{room['id']}/seats", json={"invite": room["invite"], "name": "Bob"})
    assert joined.status_code == 201, joined.text
    assert joined.json()["state"]["names"] == ["Ann", "Bob"]


# Logs and tables


def test_inspect_logs_give_the_same_leaderboard(duels: Run) -> None:
    shown = duels("eval", str(SAMPLES / "logs"), "--json")
    assert shown.returncode == 0, shown.stderr
    counted(sample("leaderboard.json"), json.loads(shown.stdout), "leaderboard")


def counted(expected: Any, shown: Any, where: str) -> None:
    """Asserts that all old counts are in the new ones, which may have more."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            counted(value, shown[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(shown) == len(expected), where
        for index, value in enumerate(expected):
            counted(value, shown[index], f"{where}[{index}]")
    else:
        assert shown == expected, where


def test_a_solved_table_is_used_or_replaced_silently(
    empty_cache: Path, recwarn: pytest.WarningsRecorder, capfd: pytest.CaptureFixture[str]
) -> None:
    (table,) = SAMPLES.glob("*.table")
    folder = empty_cache / "digitduels" / "tables"
    folder.mkdir(parents=True)
    shutil.copy(table, folder)
    game = dd.game("equation-duel", target=5, highest=4, tie="draw")
    solution = dd.solve(game)
    assert solution.probe(game.start()) == dd.solve(game, cache=False).probe(game.start())
    assert not recwarn.list
    assert capfd.readouterr() == ("", "")
    assert [path.name for path in folder.iterdir()] == [table.name]
