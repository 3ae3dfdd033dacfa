"""The types of the page (`types.d.ts`) as JSON Schema: one description of what the server sends, for the page and for
programs. It reads the part of TypeScript that describes JSON: interfaces, unions, literals, arrays and tuples."""

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


def schemas(source: str, wanted: set[str]) -> dict[str, Schema]:
    """The schemas of some types and of all types that they use.

    >>> source = 'type Seat = 1 | 2; interface A { seat: Seat | null; names?: string[] }'
    >>> schemas(source, {"A"})["A"]["properties"]["names"]
    {'type': 'array', 'items': {'type': 'string'}}
    >>> schemas(source, {"A"})["Seat"]
    {'enum': [1, 2]}
    """
    reader = _Reader(source)
    found: dict[str, Schema] = {}
    missing = sorted(wanted)
    while missing:
        name = missing.pop()
        if name not in found:
            found[name] = reader.named(name)
            missing += re.findall(r'"#/components/schemas/(\w+)"', json.dumps(found[name]))
    return dict(sorted(found.items()))


def reference(kind: str) -> Schema:
    """A type by its name, an array of it, or one that may be null.

    >>> reference("View[]")
    {'type': 'array', 'items': {'$ref': '#/components/schemas/View'}}
    """
    return _Reader(f"type It = {kind};").named("It")


class _Reader:
    """Reads declarations; those of names are read when somebody asks for them."""

    def __init__(self, source: str) -> None:
        matches = [match for match in _TOKEN.finditer(source) if match["doc"] is not None or match["token"]]
        self._tokens: list[str] = []
        self._docs: dict[int, str] = {}
        for match in matches:
            if match["token"]:
                self._tokens.append(match["token"])
            else:
                self._docs[len(self._tokens)] = " ".join(match["doc"].split())
        self._begin = {
            self._tokens[place + 1]: place
            for place, token in enumerate(self._tokens)
            if token in ("interface", "type") and self._tokens[place + 2] in ("{", "extends", "=")
        }
        self._place = 0

    def named(self, name: str) -> Schema:
        """The schema of a declaration."""
        place = self._place
        self._place = self._begin[name]
        about = self._docs.get(self._place)
        self._place += 2
        schema = self._interface() if self._tokens[self._place - 2] == "interface" else self._alias()
        self._place = place
        return {"description": about, **schema} if about else schema

    def _alias(self) -> Schema:
        self._take("=")
        return self._union()

    def _interface(self) -> Schema:
        schema: Schema = {"type": "object", "properties": {}, "required": []}
        if self._try("extends"):
            while True:
                schema = _joined(schema, self.named(self._next()))
                if not self._try(","):
                    break
        return _joined(schema, self._members())

    def _members(self) -> Schema:
        self._take("{")
        properties: dict[str, Schema] = {}
        required = []
        while not self._try("}"):
            about, name = self._docs.get(self._place), self._next()
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
            schema = _joined(self._resolved(schema), self._resolved(self._array()))
        return schema

    def _resolved(self, schema: Schema) -> Schema:
        return self.named(schema["$ref"].rpartition("/")[2]) if "$ref" in schema else schema

    def _array(self) -> Schema:
        schema = self._single()
        while self._try("["):
            if self._try("]"):
                schema = {"type": "array", "items": schema}
            else:  # the type of one key: Rules["mode"]
                schema = self._resolved(schema)["properties"][self._next()[1:-1]]
                self._take("]")
        return schema

    def _single(self) -> Schema:
        word = self._tokens[self._place]
        if word == "{":
            return self._members()
        self._place += 1
        if word == "(":
            schema = self._union()
            self._take(")")
            return schema
        if word == "[":
            parts = self._listed("]", self._union)
            return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
        if word.startswith('"'):
            return {"const": word[1:-1]}
        if word.isdecimal():
            return {"const": int(word)}
        if word in _PRIMITIVES:
            return dict(_PRIMITIVES[word])
        if self._try("<"):
            return self._generic(word, self._listed(">", self._union))
        return {"$ref": f"#/components/schemas/{word}"}

    def _generic(self, name: str, given: list[Schema]) -> Schema:
        first, second = given
        if name == "Record":
            return {"type": "object", "additionalProperties": second}
        assert name == "Omit", f"types.d.ts uses {name}, which is not read here"
        whole = self._resolved(first)
        gone = {second["const"]} if "const" in second else set(second["enum"])
        kept = {key: schema for key, schema in whole["properties"].items() if key not in gone}
        return {**whole, "properties": kept, "required": [key for key in whole["required"] if key not in gone]}

    def _listed(self, end: str, read: Callable[[], Schema]) -> list[Schema]:
        parts = [read()]
        while not self._try(end):
            self._take(",")
            parts.append(read())
        return parts

    def _next(self) -> str:
        self._place += 1
        return self._tokens[self._place - 1]

    def _take(self, token: str) -> None:
        found = self._next()
        assert found == token, f"types.d.ts has {found!r} where {token!r} is expected"

    def _try(self, token: str) -> bool:
        if self._tokens[self._place : self._place + 1] == [token]:
            self._place += 1
            return True
        return False


def _joined(one: Schema, other: Schema) -> Schema:
    """An object with the keys of two."""
    required = [*one["required"], *(key for key in other["required"] if key not in one["required"])]
    return {"type": "object", "properties": {**one["properties"], **other["properties"]}, "required": required}
