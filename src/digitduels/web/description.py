"""The OpenAPI description: FastAPI's, completed with the response types and the live feeds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from digitduels.web.typescript import reference, schemas

TYPES = Path(__file__).parent / "page" / "js" / "types.d.ts"
# The type of each response, as named in types.d.ts. All refusals have the same type.
LINK_TYPES = {  # with GET for a link in the query, with POST for a link in the body
    "/api/position/{game}": "PositionView",
    "/api/effects/{game}": "Effects",
    "/api/objection/{game}": "Objection",
    "/api/start/{game}": "Start",
    "/api/reply/{game}": "Reply",
    "/api/solve/{game}": "Solved",
    "/api/hint/{game}": "Hint",
    "/api/judge/{game}": "Judgement",
    "/api/review/{game}": "Review",
    "/api/map/{game}": "Scores | null",
    "/api/lab/{game}/report": "LabReport",
    "/api/lab/{game}/strip": "LabStrip | null",
    "/api/puzzle": "Puzzle",
    "/api/attempt/{game}": "Attempt",
    "/api/sheet": "Sheet",
    "/api/learn/{game}": "Lesson",
}
ANSWER_TYPES = {
    **{f"{method} {path}": kind for path, kind in LINK_TYPES.items() for method in ("GET", "POST")},
    "GET /api/games": "GameCard[]",
    "POST /api/review": "Review",
    "GET /api/lessons": "Lessons",
    "POST /api/games": "NewRoom",
    "POST /api/games/{id}/seats": "GivenSeat",
    "GET /api/games/{id}": "RoomNews",
    "GET /api/games/{id}/history": "RoomHistory",
    "GET /api/games/{id}/seat": "OpenedSeat",
    "POST /api/games/{id}/moves": "Acted",
    "POST /api/games/{id}/concede": "Acted",
    "POST /api/games/{id}/takeback": "Acted",
    "POST /api/games/{id}/rematch": "Acted",
    "POST /api/games/{id}/substitute": "Acted",
    "POST /api/games/{id}/return": "Acted",
    "POST /api/classes": "NewClass",
    "POST /api/classes/{code}/pupils": "JoinedClass",
    "GET /api/classes/{code}": "TeacherClass | PupilClass",
    "POST /api/classes/{code}/acts": "ActedClass",
    "GET /api/classes/{code}/results": "ClassResults",
}
OTHER_MEDIA: dict[str, tuple[str, dict[str, Any]]] = {  # responses without a type in types.d.ts
    "GET /api/classes/{code}/results.csv": ("text/csv", {"type": "string"}),
    "GET /api/qr": ("image/svg+xml", {"type": "string"}),
    "POST /api/qr": ("image/svg+xml", {"type": "string"}),
    "GET /metrics": ("text/plain", {"type": "string"}),
    "GET /readyz": ("application/json", {"type": "object", "additionalProperties": {"type": "boolean"}}),
}
FEEDS = {
    "/api/games/{id}/events": ("id", "RoomNews", "The live feed of a game"),
    "/api/classes/{code}/events": ("code", "TeacherClass | PupilClass", "The live feed of a class"),
}
REFUSAL = "Refusal"


def describe(app: FastAPI) -> None:
    """Adds the response types and the live feeds to an application's OpenAPI description."""
    app.openapi = partial(_openapi, app, app.openapi)  # type: ignore[method-assign]


def _openapi(app: FastAPI, generate: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    if app.openapi_schema is None:
        document = generate()
        for path, (key, kind, summary) in FEEDS.items():
            document["paths"][path] = {"get": _feed(key, kind, summary)}
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                _add_response_types(f"{method.upper()} {path}", operation["responses"])
        kinds = {"RoomNews", "TeacherClass", "PupilClass", REFUSAL}
        kinds |= {part.strip(" []") for kind in ANSWER_TYPES.values() for part in kind.split("|")} - {"null"}
        components = document.setdefault("components", {}).setdefault("schemas", {})
        components |= schemas(TYPES.read_text(encoding="utf-8"), kinds)
        for unused in ("HTTPValidationError", "ValidationError", "Detail"):
            components.pop(unused, None)
        app.openapi_schema = document
    return app.openapi_schema


def _add_response_types(operation: str, responses: dict[str, Any]) -> None:
    media, schema = OTHER_MEDIA.get(operation, ("application/json", None))
    if operation in ANSWER_TYPES:
        schema = reference(ANSWER_TYPES[operation])
    for status, response in responses.items():
        if int(status) >= 400 and operation != "GET /readyz":
            response["content"] = {"application/json": {"schema": reference(REFUSAL)}}
        elif status != "304" and schema is not None:
            response["content"] = {media: {"schema": schema}}


def _feed(key: str, kind: str, summary: str) -> dict[str, Any]:
    """Describes a stream of events that each carry the whole state."""
    data = {"type": "string", "contentMediaType": "application/json", "contentSchema": reference(kind)}
    about = "Server-sent events; the data of each is the whole state. A comment follows at least every 20 seconds."
    return {
        "tags": ["live feeds"],
        "summary": summary,
        "operationId": f"events_{key}",
        "security": [{"HTTPBearer": []}, {}],
        "parameters": [{"name": key, "in": "path", "required": True, "schema": {"type": "string"}}],
        "responses": {
            "200": {"description": about, "content": {"text/event-stream": {"schema": data}}},
            "403": {"description": "The token is invalid here."},
            "404": {"description": "There is no such game or class."},
            "429": {"description": "Too many requests."},
            "503": {"description": "Too many people are watching, or the database does not answer."},
        },
    }
