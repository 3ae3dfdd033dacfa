"""The description of the API, generated from the endpoints and their types: OpenAPI, a page, and TypeScript."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Annotated, Any, NotRequired, TypedDict

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from digitduels import __version__
from digitduels.games import games
from digitduels.web.classes.answers import TeacherClass
from digitduels.web.encoding import encode
from digitduels.web.http.errors import JSON
from digitduels.web.http.operations import Endpoint, Feed, Operation
from digitduels.web.positions.answers import View
from digitduels.web.rooms.answers import RoomNews
from digitduels.web.schema import REFERENCE, Components, Schema, declarations, schema_of

PATH_KEYS: dict[str, Schema] = {
    "game": {"type": "string", "enum": games(), "description": "the id of a game"},
    "id": {"type": "string"},
    "code": {"type": "string"},
}


class Refusal(TypedDict):
    """An error: every response with a status of 400 or more."""

    detail: str
    state: NotRequired[Annotated[RoomNews | TeacherClass, "The latest state, after a version conflict."]]


def openapi(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """Returns the OpenAPI description of the endpoints that have a summary."""
    described = [endpoint for endpoint in endpoints if endpoint.summary]
    components: Components = {}
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in described:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Digit Duels", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {
                "HTTPBearer": {"type": "http", "scheme": "bearer", "description": "The token of a seat."}
            },
        },
    }


def _operation(endpoint: Endpoint, components: Components) -> dict[str, Any]:
    path_parameters = [
        {"name": key, "in": "path", "required": True, "schema": PATH_KEYS[key]}
        for key in re.findall(r"{(\w+)}", endpoint.path)
    ]
    query = [
        {
            "name": key,
            "in": "query",
            "required": False,
            "description": schema.get("description", ""),
            "schema": {name: value for name, value in schema.items() if name != "description"},
        }
        for key, schema in endpoint.query.items()
    ]
    operation = {
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
        "operationId": re.sub(r"\W+", "_", f"{endpoint.method} {endpoint.path}".lower()).strip("_"),
        "parameters": path_parameters + query,
        "responses": {str(status): _response(endpoint, status, components) for status in endpoint.statuses},
    }
    schema = endpoint.schema
    if isinstance(endpoint, Operation) and endpoint.body is not None:
        (schema,), named = msgspec.json.schema_components([endpoint.body], ref_template=REFERENCE + "{name}")
        components |= named
    if schema is not None:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
    if {"id", "code"} & {parameter["name"] for parameter in path_parameters}:
        operation["security"] = [{"HTTPBearer": []}, {}]
    return operation


def _response(endpoint: Endpoint, status: int, components: Components) -> dict[str, Any]:
    about = {"description": endpoint.statuses[status]}
    if status == 304:
        return about
    if status not in endpoint.answered:
        return {**about, "content": {JSON: {"schema": schema_of(Refusal, components)}}}
    schema = schema_of(endpoint.answer, components)
    if isinstance(endpoint, Feed):
        schema = {"type": "string", "contentMediaType": JSON, "contentSchema": schema}
    return {**about, "content": {endpoint.media: {"schema": schema}}}


def typescript_file(endpoints: Iterable[Endpoint]) -> str:
    """Returns the page's `types.d.ts`: the types of all answers."""
    kinds = [endpoint.answer for endpoint in endpoints if endpoint.media == JSON and endpoint.summary]
    head = "// The types of the server's JSON, which `make docs` generates. Browsers do not load this file.\n\n"
    return head + declarations([*kinds, View, Refusal])


class ApiDescription:
    """Serves the description of the API, which is built once, outside the event loop."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self._endpoints = endpoints
        self._built: tuple[bytes, bytes] | None = None

    async def document(self, _: Request) -> Response:
        return Response((await self._descriptions())[0], media_type=JSON)

    async def page(self, _: Request) -> Response:
        return HTMLResponse((await self._descriptions())[1])

    async def _descriptions(self) -> tuple[bytes, bytes]:
        if self._built is None:
            document = await asyncio.to_thread(openapi, self._endpoints)
            self._built = encode(document), _page(document).encode()
        return self._built


def _page(document: dict[str, Any]) -> str:
    """A page that lists the routes, without scripts or external files."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>API of Digit Duels</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1"></head><body><main>',
        '<h1>API of Digit Duels</h1><p>For programs: <a href="/openapi.json">openapi.json</a>.</p>',
    ]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            parts.append(f"<h2>{method.upper()} {escape(path)}</h2><p>{escape(operation['summary'])}.</p>")
            rows = "".join(
                f"<dt><code>{escape(parameter['name'])}</code></dt><dd>{escape(parameter.get('description', ''))}</dd>"
                for parameter in operation["parameters"]
            )
            parts.append(f"<dl>{rows}</dl>" if rows else "")
    return "\n".join([*parts, "</main></body></html>"])
