"""Converts the page's types (`types.d.ts`) to JSON Schema, so that the page and OpenAPI share one description.

It parses the part of TypeScript that describes JSON: interfaces, unions, literals, arrays and tuples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]

_TOKEN = re.compile(r"/\*\*(?P<doc>.*?)\*/|//[^\n]*|(?P<token>\"[^\"]*\"|[\w.]+|[{}\[\]()<>|&,;:?=])|\s+", re.DOTALL)
_PRIMITIVES: dict[str, Schema] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "null": {"type": "null"},
    "unknown": {},
}


def schemas(source: str, names: set[str]) -> dict[str, Schema]:
    """Returns the schemas of the named types and of all types that they refer to.

    >>> source = 'type Seat = 1 | 2; interface A { seat: Seat | null; names?: string[] }'
    >>> schemas(source, {"A"})["A"]["properties"]["names"]
    {'type': 'array', 'items': {'type': 'string'}}
    >>> schemas(source, {"A"})["Seat"]
    {'enum': [1, 2]}
    """
    parser = _Parser(source)
    parsed: dict[str, Schema] = {}
    missing = sorted(names)
    while missing:
        name = missing.pop()
        if name not in parsed:
            parsed[name] = parser.declaration(name)
            missing += re.findall(r'"#/components/schemas/(\w+)"', json.dumps(parsed[name]))
    return dict(sorted(parsed.items()))


def reference(kind: str) -> Schema:
    """Returns the schema of a type expression, such as a name, an array or a union with null.

    >>> reference("View[]")
    {'type': 'array', 'items': {'$ref': '#/components/schemas/View'}}
    """
    return _Parser(f"type It = {kind};").declaration("It")


class _Parser:
    """A recursive-descent parser that parses each declaration on demand."""

    def __init__(self, source: str) -> None:
        matches = [match for match in _TOKEN.finditer(source) if match["doc"] is not None or match["token"]]
        self._tokens: list[str] = []
        self._docs: dict[int, str] = {}
        for match in matches:
            if match["token"]:
                self._tokens.append(match["token"])
            else:
                self._docs[len(self._tokens)] = " ".join(match["doc"].split())
        self._starts = {
            self._tokens[index + 1]: index
            for index, token in enumerate(self._tokens)
            if token in ("interface", "type") and self._tokens[index + 2] in ("{", "extends", "=")
        }
        self._index = 0

    def declaration(self, name: str) -> Schema:
        """Returns the schema of a declared type."""
        index = self._index
        self._index = self._starts[name]
        about = self._docs.get(self._index)
        self._index += 2
        schema = self._interface() if self._tokens[self._index - 2] == "interface" else self._alias()
        self._index = index
        return {"description": about, **schema} if about else schema

    def _alias(self) -> Schema:
        self._take("=")
        return self._union()

    def _interface(self) -> Schema:
        schema: Schema = {"type": "object", "properties": {}, "required": []}
        if self._try("extends"):
            while True:
                schema = _merge(schema, self.declaration(self._next()))
                if not self._try(","):
                    break
        return _merge(schema, self._members())

    def _members(self) -> Schema:
        self._take("{")
        properties: dict[str, Schema] = {}
        required = []
        while not self._try("}"):
            about, name = self._docs.get(self._index), self._next()
            optional = self._try("?")
            self._take(":")
            schema = self._union()
            properties[name] = {**schema, "description": about} if about else schema
            if not optional:
                required.append(name)
            self._try(";")
        return {"type": "object", "properties": properties, "required": required}

    def _union(self) -> Schema:
        parts = [self._intersection()]
        while self._try("|"):
            parts.append(self._intersection())
        literals = [part["const"] for part in parts if "const" in part]
        others = [part for part in parts if "const" not in part]
        if literals:
            others.insert(0, {"enum": literals})
        return others[0] if len(others) == 1 else {"anyOf": others}

    def _intersection(self) -> Schema:
        schema = self._array()
        while self._try("&"):
            schema = _merge(self._resolve(schema), self._resolve(self._array()))
        return schema

    def _resolve(self, schema: Schema) -> Schema:
        return self.declaration(schema["$ref"].rpartition("/")[2]) if "$ref" in schema else schema

    def _array(self) -> Schema:
        schema = self._single()
        while self._try("["):
            if self._try("]"):
                schema = {"type": "array", "items": schema}
            else:  # an indexed access, such as Rules["mode"]
                schema = self._resolve(schema)["properties"][self._next()[1:-1]]
                self._take("]")
        return schema

    def _single(self) -> Schema:
        word = self._tokens[self._index]
        if word == "{":
            return self._members()
        self._index += 1
        if word == "(":
            schema = self._union()
            self._take(")")
            return schema
        if word == "[":
            parts = self._list("]", self._union)
            return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
        if word.startswith('"'):
            return {"const": word[1:-1]}
        if word.isdecimal():
            return {"const": int(word)}
        if word in _PRIMITIVES:
            return dict(_PRIMITIVES[word])
        if self._try("<"):
            return self._generic(word, self._list(">", self._union))
        return {"$ref": f"#/components/schemas/{word}"}

    def _generic(self, name: str, arguments: list[Schema]) -> Schema:
        first, second = arguments
        if name == "Record":
            return {"type": "object", "additionalProperties": second}
        assert name == "Omit", f"types.d.ts uses {name}, which is not supported"
        whole = self._resolve(first)
        omitted = {second["const"]} if "const" in second else set(second["enum"])
        properties = {key: schema for key, schema in whole["properties"].items() if key not in omitted}
        required = [key for key in whole["required"] if key not in omitted]
        return {**whole, "properties": properties, "required": required}

    def _list(self, end: str, read: Callable[[], Schema]) -> list[Schema]:
        parts = [read()]
        while not self._try(end):
            self._take(",")
            parts.append(read())
        return parts

    def _next(self) -> str:
        self._index += 1
        return self._tokens[self._index - 1]

    def _take(self, token: str) -> None:
        actual = self._next()
        assert actual == token, f"types.d.ts has {actual!r} where {token!r} is expected"

    def _try(self, token: str) -> bool:
        if self._tokens[self._index : self._index + 1] == [token]:
            self._index += 1
            return True
        return False


def _merge(one: Schema, other: Schema) -> Schema:
    """Returns an object schema with the properties of both."""
    required = [*one["required"], *(key for key in other["required"] if key not in one["required"])]
    return {"type": "object", "properties": {**one["properties"], **other["properties"]}, "required": required}
