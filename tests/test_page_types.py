"""The page's types describe the real responses of a server: tsc checks the JSON of every route against them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator

import digitduels as dd
from digitduels.match import Match
from digitduels.record import to_record
from digitduels.web.app import App
from digitduels.web.schema import REFERENCE, schema_of, typescript
from digitduels.web.settings import Settings
from node import DEADLINE, ROOT, install
from web import running, wait_for

pytestmark = pytest.mark.slow

TYPES = ROOT / "src" / "digitduels" / "web" / "page" / "js" / "types.d.ts"
GAME = "number-duel"
LOST = "%2B5+%2B10+x10"  # a finished game
SLIP = "%2B1"  # a first move that loses
SMALL = {"game": "operation-target", "options": {"target": 12}}

# Every route that the page requests, with the type of its response.
ROUTES = {
    "/api/games": ("GameCard[]", ["/api/games"]),
    "/api/position/{game}": (
        "PositionView",
        [
            *(f"/api/position/{name}" for name in dd.games()),
            f"/api/position/{GAME}?moves={LOST}",
            f"/api/position/{GAME}?target=60&moves=%2B5+%2B10&opening=1",
            f"/api/position/{GAME}?first=2&conceded=1&effects=on",
            "/api/position/numerical-nexus?uses=3,2,1,2,1,2&moves=%2B5+reset-theirs",
            *(f"/api/position/{name}?effects=on" for name in dd.games()),
        ],
    ),
    "/api/effects/{game}": ("Effects", [f"/api/effects/{name}" for name in dd.games()]),
    "/api/objection/{game}": (
        "Objection",
        [f"/api/objection/{GAME}?picks=0", f"/api/objection/{GAME}?moves=%2B5+%2B5&picks=4"],
    ),
    "/api/start/{game}": ("Start", [f"/api/start/{GAME}?kind={kind}&seed=1" for kind in ("book", "fair")]),
    "/api/reply/{game}": ("Reply", [f"/api/reply/{GAME}?vs=7&seed=1"]),
    "/api/solve/{game}": (
        "Solved",
        [*(f"/api/solve/{name}" for name in dd.games()), f"/api/solve/{GAME}?moves={LOST}"],
    ),
    "/api/hint/{game}": ("Hint", [f"/api/hint/{GAME}?step={step}" for step in range(1, 5)]),
    "/api/judge/{game}": ("Judgement", [f"/api/judge/{GAME}?move={move}" for move in ("%2B5", SLIP)]),
    "/api/review/{game}": (
        "Review",
        [
            f"/api/review/{GAME}?moves={LOST}",
            f"/api/review/{GAME}?moves={SLIP}+%2B1+%2B2",
            f"/api/review/{GAME}?moves=%2B5&conceded=1",
        ],
    ),
    "/api/map/{game}": ("Scores | null", [f"/api/map/{GAME}", f"/api/map/{GAME}?moves={LOST}"]),
    "/api/lab/{game}/report": ("LabReport", ["/api/lab/operation-target/report?target=12"]),
    "/api/lab/{game}/strip": ("LabStrip | null", ["/api/lab/number-duel/strip?highest=4&target=12"]),
    "/api/puzzle": ("Puzzle", ["/api/puzzle", f"/api/puzzle?game={GAME}&tier=2&seed=3"]),
    "/api/lessons": ("Lessons", ["/api/lessons"]),
    "/api/sheet": ("Sheet", [f"/api/sheet?game={GAME}&count=2&seed=1"]),
    "/api/attempt/{game}": ("Attempt", [f"/api/attempt/{GAME}?tier=2&move={move}" for move in ("%2B5", SLIP)]),
    "/api/learn/{game}": ("Lesson", [f"/api/learn/{GAME}?theory=later", f"/api/learn/{GAME}?target=12&highest=4"]),
}
# Routes that create or change something; `rooms` and `records` request them.
ACTS = ("history", "seat", "seats", "moves", "takeback", "concede", "rematch", "substitute", "return")
CLASS_ROUTES = (
    "", "/{code}", "/{code}/pupils", "/{code}/acts", "/{code}/links", "/{code}/results", "/{code}/results.csv",
)  # fmt: skip
DONE = {
    "/api/review",
    "/api/games/{id}/events",
    "/api/classes/{code}/events",
    *(f"/api/classes{route}" for route in CLASS_ROUTES),
    "/api/games/{id}",
    *(f"/api/games/{{id}}/{act}" for act in ACTS),
}
FOR_PROGRAMS = {"/healthz", "/readyz", "/metrics", "/api/qr"}
IN_TEST_REACH = {"/api/reach", "/api/reach/{id}"}

Samples = list[tuple[str, str, str]]


@pytest.fixture(scope="module")
def client(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with running(tmp_path_factory.mktemp("server"), tables, away=1) as client:
        yield client


@pytest.fixture(scope="module")
def samples(client: httpx.Client) -> Samples:
    """A response of every route: the path, the type and the JSON."""
    responses = [(path, kind, answer(client, path)) for kind, paths in ROUTES.values() for path in paths]
    return [*responses, *rooms(client), *classes(client), *records(client), *refusals(client)]


def answer(client: httpx.Client, path: str) -> str:
    received = client.get(path)
    assert received.status_code == 200, f"{path}: {received.text}"
    return received.text


def records(client: httpx.Client) -> Samples:
    """The review of a record with comments by its players."""
    match = Match(dd.game(GAME), names=("Ann; Lee", "Bob"))
    for move in ("+1", "+5"):
        match.say(f"I like {move}.")
        match.play(match.game.read(move))
    received = client.post("/api/review", json=to_record(match))
    assert received.status_code == 200, received.text
    return [("/api/review", "Review", received.text)]


def rooms(client: httpx.Client) -> Samples:
    """A game between friends, with every possible act."""
    created = client.post("/api/games", json={**SMALL, "name": "Ann"})
    ann, path = created.json(), f"/api/games/{created.json()['id']}"
    collected = [("/api/games", "NewRoom", created.text), (path, "RoomNews", answer(client, path))]
    joined = client.post(f"{path}/seats", json={"invite": ann["invite"], "name": "Bob"})
    collected.append((f"{path}/seats", "GivenSeat", joined.text))
    tokens = {"Ann": ann["token"], "Bob": joined.json()["token"]}

    def act(who: str, what: str, **more: Any) -> str:
        version = client.get(path).json()["version"]
        body = {"version": version, "key": f"key-{len(collected):08}", **more}
        received = client.post(f"{path}/{what}", json=body, headers={"Authorization": f"Bearer {tokens[who]}"})
        assert received.status_code == 201, received.text
        collected.append((f"{path}/{what}", "Acted", received.text))
        return received.text

    act("Ann", "moves", move="+1")
    collected.append((f"{path}/history", "RoomHistory", answer(client, f"{path}/history")))
    opened = client.get(f"{path}/seat", headers={"Authorization": f"Bearer {tokens['Bob']}"})
    collected.append((f"{path}/seat", "OpenedSeat", opened.text))
    act("Ann", "takeback")
    act("Bob", "takeback", answer="decline")
    wait_for(lambda: client.get(path).json()["seats"][1]["away"])
    act("Ann", "substitute", level=1)
    wait_for(lambda: client.get(path).json()["move_count"] == 2)
    act("Bob", "return")
    with client.stream("GET", f"{path}/events") as events:
        first = next(line for line in events.iter_lines() if line.startswith("data: "))
    collected.append((f"{path}/events", "RoomNews", first.removeprefix("data: ")))
    act("Ann", "concede")
    act("Bob", "rematch")
    stale = {"version": 0, "key": "key-of-the-past", "move": "+1"}
    late = client.post(f"{path}/moves", json=stale, headers={"Authorization": f"Bearer {tokens['Bob']}"})
    assert late.status_code == 409, late.text
    alone = client.post("/api/games", json={**SMALL, "computer": {"level": 1}})
    return [*collected, (f"{path}/moves", "Refusal", late.text), ("/api/games", "NewRoom", alone.text)]


def classes(client: httpx.Client) -> Samples:
    """A class with its state and results."""
    new = client.post("/api/classes", json={**SMALL, "mode": "pairs", "key": "k" * 24})
    path, teacher = f"/api/classes/{new.json()['code']}", {"Authorization": f"Bearer {new.json()['token']}"}
    joined = [client.post(f"{path}/pupils", json={"name": name, "key": name * 24}) for name in ("A", "B")]
    pair = {"act": "pair", "version": 2, "key": "key-of-the-pair"}
    paired = client.post(f"{path}/acts", json=pair, headers=teacher)
    pupil = {"Authorization": f"Bearer {joined[0].json()['token']}"}
    pupil_state = client.get(path, headers=pupil).text
    link = client.post(f"{path}/links", json={"kind": "wall", "key": "l" * 24}, headers=teacher)
    wall = {"Authorization": f"Bearer {link.json()['token']}"}
    wall_state = client.get(path, headers=wall).text
    for act in ("next", "end"):
        version = client.get(path, headers=teacher).json()["version"]
        client.post(f"{path}/acts", json={"act": act, "version": version, "key": f"key-of-{act}"}, headers=teacher)
    return [
        ("/api/classes", "NewClass", new.text),
        (f"{path}/pupils", "JoinedClass", joined[0].text),
        (f"{path}/acts", "ActedClass", paired.text),
        (path, "PupilClass", pupil_state),
        (f"{path}/links", "NewLink", link.text),
        (path, "WallClass", wall_state),
        (f"{path}/results", "ClassResults", client.get(f"{path}/results", headers=teacher).text),
    ]


def refusals(client: httpx.Client) -> Samples:
    paths = ["/api/position/nothing", f"/api/position/{GAME}?moves=x99", "/api/games/no-such-game"]
    return [(path, "Refusal", client.get(path).text) for path in paths]


def check(folder: Path, samples: Samples) -> str:
    """What tsc reports about the samples when each is assigned to its type."""
    install()
    source = folder / "answers.ts"
    constants = (f"const answer{index}: {kind} = {text};" for index, (_, kind, text) in enumerate(samples))
    source.write_text("\n".join((*constants, "export {};")), encoding="utf-8")
    command = [str(ROOT / "node_modules" / ".bin" / "tsc"), "--strict", "--noEmit", "--lib", "es2023,dom"]
    result = subprocess.run(
        [*command, "--types", "", str(TYPES), str(source)],
        capture_output=True, text=True, timeout=DEADLINE, check=False, cwd=folder,
    )  # fmt: skip
    return result.stdout + result.stderr


def wrong(output: str) -> set[int]:
    """The indexes of the samples that tsc complains about."""
    return {int(line) - 1 for line in re.findall(r"^answers\.ts\((\d+),", output, flags=re.M)}


def test_responses_match_the_types_of_the_page(samples: Samples, tmp_path: Path) -> None:
    output = check(tmp_path, samples)
    paths = {samples[index][0] for index in wrong(output)}
    assert not output, f"{sorted(paths)}: {output[:3000]}"


def test_every_route_is_checked(client: httpx.Client) -> None:
    routes = set(client.get("/openapi.json").json()["paths"])
    assert routes - FOR_PROGRAMS - IN_TEST_REACH == {*ROUTES, *DONE}
    answers = {(endpoint.method, endpoint.path): endpoint.answer for endpoint in App(Settings()).endpoints}
    for path, (kind, _) in ROUTES.items():
        assert typescript(schema_of(answers["GET", path], {})) == kind, path


# The API description for programs, which is generated from the same types


def test_every_operation_describes_its_response(client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            for status, response in operation["responses"].items():
                if status != "304":
                    (content,) = response["content"].values()
                    assert content["schema"], (method, path, status)
    used = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(described)))
    assert used == set(described["components"]["schemas"])


def test_responses_match_the_api_description(client: httpx.Client, samples: Samples) -> None:
    components = closed(client.get("/openapi.json").json()["components"])
    noticed, seen = 0, set[str]()
    for path, kind, text in samples:
        value = json.loads(text)
        validator = Draft202012Validator({**closed(reference(kind)), "components": components})
        assert not list(validator.iter_errors(value)), f"{path}: {next(validator.iter_errors(value)).message}"
        keys = value if isinstance(value, dict) and kind not in seen else ()
        seen.add(kind)
        for key in keys:
            rest = {name: item for name, item in value.items() if name != key}
            assert not validator.is_valid({**rest, key: [{"another": "type"}]}), f"{path} with another {key}"
            noticed += not validator.is_valid(rest)
    assert noticed > 100


def reference(kind: str) -> dict[str, Any]:
    """The schema of a type of the page: a name, a list, or a union with null."""
    if kind.endswith("[]"):
        return {"type": "array", "items": reference(kind[:-2])}
    if kind.endswith(" | null"):
        return {"anyOf": [reference(kind.removesuffix(" | null")), {"type": "null"}]}
    return {"$ref": REFERENCE + kind}


def closed(schema: Any) -> Any:
    """The schema, without additional properties in any object."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    shut = {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {}
    return shut | {name: closed(item) for name, item in schema.items()}


def test_a_missing_key_and_a_wrong_type_are_detected(samples: Samples, tmp_path: Path) -> None:
    broken: Samples = []
    seen: set[str] = set()
    for path, kind, text in samples:
        value = json.loads(text)
        if not isinstance(value, dict) or kind in seen or kind == "Refusal":
            continue
        seen.add(kind)
        for key in value:
            rest = {name: item for name, item in value.items() if name != key}
            broken.append((f"{path} without {key}", kind, json.dumps(rest)))
            # No type of the page allows this value.
            broken.append((f"{path} with another {key}", kind, json.dumps({**rest, key: [{"another": "type"}]})))
    assert len(seen) > 10
    unnoticed = {broken[index][0] for index in set(range(len(broken))) - wrong(check(tmp_path, broken))}
    assert not unnoticed
