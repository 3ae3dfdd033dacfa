"""JSON Schemas of Python types, and the same schemas in TypeScript.

The types are TypedDicts and what they are made of. A string in `Annotated` describes a field, and an `Alias` names a
simple type.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from digitduels.study.serialization import Alias

Schema = dict[str, Any]
Components = dict[str, Schema]

REFERENCE = "#/components/schemas/"
PRIMITIVES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def schema_of(kind: Any, components: Components) -> Schema:
    """Returns the schema of a type. Adds the named types that it refers to to the components.

    >>> components = {}
    >>> schema_of(list[int] | None, components), components
    ({'anyOf': [{'type': 'array', 'items': {'type': 'integer'}}, {'type': 'null'}]}, {})
    """
    arguments = get_args(kind)
    match get_origin(kind):
        case None if is_typeddict(kind):
            if kind.__name__ not in components:
                components[kind.__name__] = {}  # for types that contain themselves
                components[kind.__name__] = _object(kind, components)
            return {"$ref": REFERENCE + kind.__name__}
        case None:
            return {} if kind is Any else {"type": PRIMITIVES[kind]}
        case origin if origin is Annotated:
            return _annotated(*arguments, components=components)
        case origin if origin in (Union, UnionType):
            return {"anyOf": [schema_of(part, components) for part in arguments]}
        case origin if origin is Literal:
            return {"enum": list(arguments)}
        case origin if origin is tuple:
            parts = [schema_of(part, components) for part in arguments]
            return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
        case origin if origin is dict:
            return {"type": "object", "additionalProperties": schema_of(arguments[1], components)}
        case origin:
            assert origin in (list, Sequence), kind
            return {"type": "array", "items": schema_of(arguments[0], components)}


def _annotated(kind: Any, *notes: Any, components: Components) -> Schema:
    schema: Schema = {}
    for note in notes:
        if isinstance(note, Alias):
            components[note.name] = note.schema
            schema = {"$ref": REFERENCE + note.name}
    schema = schema or schema_of(kind, components)
    about = [note for note in notes if isinstance(note, str)]
    return {**schema, "description": about[0]} if about else schema


def _object(kind: Any, components: Components) -> Schema:
    properties, required = {}, []
    for name, hint in get_type_hints(kind, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        properties[name] = schema_of(get_args(hint)[0] if optional else hint, components)
        if not optional:
            required.append(name)
    schema: Schema = {"type": "object", "properties": properties, "required": required}
    return {"description": " ".join(kind.__doc__.split()), **schema} if kind.__doc__ else schema


def declarations(kinds: Iterable[Any]) -> str:
    """Returns TypeScript declarations of the types, and of all named types that they refer to."""
    components: Components = {}
    for kind in kinds:
        schema_of(kind, components)
    return "\n".join(_declaration(name, schema) for name, schema in sorted(components.items()))


def _declaration(name: str, schema: Schema) -> str:
    about = f"/** {schema['description']} */\n" if "description" in schema else ""
    if "properties" not in schema:
        return f"{about}type {name} = {typescript(schema)};\n"
    lines = []
    for key, value in schema["properties"].items():
        if "description" in value:
            lines.append(f"  /** {value['description']} */")
        lines.append(f"  {key}{'' if key in schema['required'] else '?'}: {typescript(value)};")
    return "\n".join([f"{about}interface {name} {{", *lines, "}", ""])


def typescript(schema: Schema) -> str:
    """Returns a schema as a TypeScript type.

    >>> typescript({"type": "array", "items": {"anyOf": [{"$ref": REFERENCE + "Seat"}, {"type": "null"}]}})
    '(Seat | null)[]'
    """
    match schema:
        case {"$ref": reference}:
            return str(reference).removeprefix(REFERENCE)
        case {"enum": values}:
            return " | ".join(map(json.dumps, values))
        case {"anyOf": parts}:
            return " | ".join(map(typescript, parts))
        case {"type": "array", "prefixItems": parts}:
            return f"[{', '.join(map(typescript, parts))}]"
        case {"type": "array", "items": items}:
            item = typescript(items)
            return f"({item})[]" if " " in item else f"{item}[]"
        case {"type": "object", "additionalProperties": values}:
            return f"Record<string, {typescript(values)}>"
        case {"type": list() as kinds}:
            return " | ".join(typescript({"type": kind}) for kind in kinds)
        case {"type": kind}:
            return "number" if kind == "integer" else str(kind)
        case _:
            return "unknown"
