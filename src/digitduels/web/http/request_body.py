"""Request bodies: decoded and validated in one step, with an explanation of what is wrong."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from digitduels.text import clean
from digitduels.web.refusal import Refusal

T = TypeVar("T")

INVALID = "The request body must be JSON, with finite numbers, no lone surrogates and little nesting."
WORDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "an integer",
    "object": "an object",
    "str": "a string",
}


def decode(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Decodes a request body. Raises Refusal if it is invalid JSON or does not have the decoder's type."""
    if b"\\u0000" in data:
        raise Refusal(422, "The request body must not contain null characters.")
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise Refusal(422, _explain(str(error))) from None
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise Refusal(422, INVALID) from None


def _explain(message: str) -> str:
    """Says which field is invalid and why, without repeating its value.

    >>> _explain("Expected `int`, got `str` - at `$.computer.level`")
    'computer.level: expected an integer, got a string.'
    >>> _explain("Object missing required field `key`"), _explain("Object contains unknown field `admin`")
    ('key: this field is required.', 'admin: there is no such field.')
    >>> _explain("Invalid enum value 'x' - at `$.mode`")
    'mode: this is not one of the possible values.'
    """
    problem, _, place = message.partition(" - at ")
    path = re.findall(r"\w+", place.removeprefix("`key` in "))
    if field := re.match(r"Object (missing required|contains unknown) field `(.*)`", problem, re.DOTALL):
        path.append(field[2])
        problem = "this field is required" if field[1] == "missing required" else "there is no such field"
    elif problem.startswith("Invalid enum value"):
        problem = "this is not one of the possible values"
    else:
        problem = re.sub(r"`([^`]*)`", lambda kinds: " or ".join(map(_word, kinds[1].split(" | "))), problem)
        for technical, plain in (("<=", "at most"), (">=", "at least"), (r"(?!\\n)", "")):
            problem = problem.replace(technical, plain)
        problem = problem[:1].lower() + problem[1:]
    return f"{clean('.'.join(path), 60) or 'The request'}: {clean(problem, 200)}."


def _word(kind: str) -> str:
    return WORDS.get(kind, kind)
