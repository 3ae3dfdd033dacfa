"""Writes what is generated: the pages of docs/games/, the tables of other pages, and the page's types.d.ts.

`make docs` runs it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import digitduels as dd
from digitduels.manual import manual, summary
from digitduels.study.ideas import ideas
from digitduels.study.serialization import JsonVerdict
from digitduels.web.app import PAGE, App
from digitduels.web.classes.answers import ClassBasics
from digitduels.web.description import openapi, typescript_file
from digitduels.web.positions.answers import PresentView, PuzzleText, View
from digitduels.web.positions.link import KEYS
from digitduels.web.rooms.answers import RoomPart
from digitduels.web.schema import REFERENCE, Schema, schema_of
from digitduels.web.settings import Settings

DOCS = Path(__file__).parent
FOLDER = DOCS / "games"
SHARED = (View, PresentView, RoomPart, ClassBasics, PuzzleText, JsonVerdict)
UNSET = {"database": "a file of the user", "hosts": "any", "origins": "none"}
NOTE = "This page is written by `make docs`"


def pages() -> dict[Path, str]:
    """Every generated file: where it belongs, and what it says."""
    found = {FOLDER / f"{name}.md": page(name) for name in dd.games()}
    found[FOLDER / "README.md"] = index()
    endpoints = App(Settings()).endpoints
    found[PAGE / "js" / "types.d.ts"] = typescript_file(endpoints)
    for name, tables in (("http-api.md", api_tables(openapi(endpoints))), ("hosting.md", {"settings": settings()})):
        found[DOCS / name] = with_tables((DOCS / name).read_text(encoding="utf-8"), tables)
    return found


def with_tables(text: str, tables: dict[str, str]) -> str:
    """Returns a page with new tables between its markers."""
    for name, rows in tables.items():
        before, marker, rest = text.partition(f"<!-- {name} -->\n")
        assert marker, f"The page has no marker {name!r}."
        text = f"{before}{marker}{rows}\n<!-- end -->{rest.partition('<!-- end -->')[2]}"
    return text


def table(*rows: Iterable[str]) -> str:
    """Returns a table. The first row is its head."""
    head, *body = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, "|---" * head.count(" | ") + "|---|", *body])


def settings() -> str:
    """The settings of the server with their defaults."""
    rows = []
    for setting in fields(Settings):
        default = setting.default if isinstance(setting.default, str) else f"{setting.default:.9g}"
        rows.append((f"`{setting.name}`", default or UNSET[setting.name], setting.metadata["about"]))
    return table(("setting", "default", "meaning"), *rows)


def api_tables(document: dict[str, Any]) -> dict[str, str]:
    """The tables of requests, statuses and types, from the OpenAPI description."""
    requests: dict[str, list[tuple[str, str, str]]] = {}
    statuses: dict[str, dict[str, None]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            tag = operation["tags"][0]
            if tag == "for the owner of the server" or operation["summary"].endswith("for a link in the body"):
                continue  # described in words
            for status, response in operation["responses"].items():
                statuses.setdefault(status, {})[response["description"]] = None
            row = f"`{method.upper()} {path}`", action(operation), answer(operation["responses"])
            requests.setdefault(tag, []).append(row)
    link = {key["name"]: key for key in document["paths"]["/api/position/{game}"]["get"]["parameters"]}
    return {
        **{tag: table(("request", "what it does", "answer"), *rows) for tag, rows in requests.items()},
        "link": table(
            ("key", "meaning"),
            *((f"`{name}`", link[name]["description"] + allowed(link[name]["schema"])) for name in KEYS),
        ),
        "statuses": table(
            ("status", "meaning"), *((code, distinct(words)) for code, words in sorted(statuses.items()))
        ),
        "types": types(document["components"]["schemas"]),
    }


def action(operation: dict[str, Any]) -> str:
    """What a request does, and its keys beside those of every link."""
    sentences = [f"{operation['summary']}."]
    options = {option.name for name in dd.games() for option in dd.game(name).options()}
    for key in operation["parameters"]:
        if key["in"] == "query" and key["name"] not in {*KEYS, *options}:
            sentences.append(f"`{key['name']}`: {key['description']}{allowed(key['schema'])}.")
    if body := operation.get("requestBody"):
        sentences.append(f"Body: {in_words(body['content']['application/json']['schema'])}.")
    return " ".join(sentences)


def allowed(schema: Schema) -> str:
    """The values that a key can have, in brackets; empty if they cannot be listed.

    >>> allowed({"minimum": 1, "maximum": 4}), allowed({"enum": ["on", "off"]}), allowed({"type": "string"})
    (' (1 to 4)', ' (on, off)', '')
    """
    match schema:
        case {"enum": [_, _, *_] as values} if values != dd.games():
            return f" ({', '.join(map(str, values))})"
        case {"minimum": low, "maximum": high}:
            return f" ({low} to {high})"
        case _:
            return ""


def distinct(sentences: Iterable[str]) -> str:
    """Puts sentences on lines of their own, without those that another one begins with.

    >>> distinct(["Done.", "Done and stored.", "Over."])
    'Done and stored.<br>Over.'
    """
    every = list(sentences)
    return "<br>".join(one for one in every if not any(other.startswith(one[:-1]) for other in every if other != one))


def answer(responses: dict[str, Any]) -> str:
    """The type of the answer to a request that was not refused."""
    ((media, content),) = responses["200" if "200" in responses else "201"]["content"].items()
    schema = content["schema"]
    return in_words(schema.get("contentSchema", schema)) if media != "image/svg+xml" else "SVG"


def types(schemas: dict[str, Schema]) -> str:
    """The table of all types. A type that extends a shared one names it instead of its keys."""
    for kind in SHARED:
        schema_of(kind, schemas)
    shared = {name: schemas[name]["properties"] for name in ("ActRequest", *(kind.__name__ for kind in SHARED))}
    rows = []
    for name, schema in sorted(schemas.items()):
        parts = [schema["description"]] if "description" in schema else []
        keys = dict(schema.get("properties", {}))
        for other, inherited in shared.items():
            if other != name and inherited.items() <= keys.items():
                parts.append(f"All of `{other}`.")
                keys = {key: value for key, value in keys.items() if key not in inherited}
        for key, value in keys.items():
            optional = "" if key in schema.get("required", ()) else ", optional"
            parts.append(f"`{key}`: {in_words(value)}{optional}. {value.get('description', '')}".rstrip())
        rows.append((f"`{name}`", "<br>".join(parts or [in_words(schema)])))
    return table(("type", "keys"), *rows)


def in_words(schema: Schema) -> str:
    """Returns a schema in words.

    >>> in_words({"type": "array", "items": {"anyOf": [{"$ref": REFERENCE + "Seat"}, {"type": "null"}]}})
    'list of `Seat` or null'
    """
    match schema:
        case {"$ref": reference}:
            return f"`{str(reference).removeprefix(REFERENCE)}`"
        case {"enum": values}:
            return " or ".join(f"`{value}`" for value in values)
        case {"anyOf": parts}:
            return " or ".join(map(in_words, parts))
        case {"type": "array", "prefixItems": [first, *_]}:
            return f"two of {in_words(first)}"
        case {"type": "array", "items": items}:
            return f"list of {in_words(items)}"
        case {"type": "object", "additionalProperties": dict() as values}:
            return f"object of {in_words(values)}"
        case {"type": list() as kinds}:
            return " or ".join(kinds)
        case {"type": "object", "description": about}:
            return str(about)
        case {"type": kind}:
            return str(kind)
        case _:
            return "any value"


def page(name: str) -> str:
    book = f"Where the book slips, and what we do: [errata](../errata.md#{name})."
    return f"{manual(dd.game(name))}{advice(name)}\n---\n\n{NOTE}; `duels rules {name}` prints the rules. {book}\n"


def advice(name: str) -> str:
    """The ideas of a game, each with its position."""
    game = dd.game(name)
    found = [f"**{idea.title}.** {idea.about} {idea.example(game)}\n" for idea in ideas(game)]
    return "\n".join(["", "## Ideas", "", *found]) if found else ""


def index() -> str:
    rows = ["| game | what it is about | a game lasts at most |", "|---|---|---:|"]
    for name in dd.games():
        game = dd.game(name)
        rows.append(f"| [{game.title}]({name}.md) | {summary(game)} | {game.longest} moves |")
    about = "For players: the rules, options and rulings of each game, with an example."
    return "\n".join(["# The games", "", about, "", *rows, "", f"{NOTE}.", ""])


def main() -> int:
    """Writes the files; with --check only says which are out of date."""
    stale = 0
    for path, text in pages().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if "--check" in sys.argv[1:]:
            print(f"{path.name} is out of date; run make docs.")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"{path.name} written.")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    raise SystemExit(main())
