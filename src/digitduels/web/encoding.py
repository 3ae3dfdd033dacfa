"""The JSON of answers, encoded from plain Python values."""

from __future__ import annotations

from typing import Any

import msgspec


def _plain(value: Any) -> Any:
    """Converts a sentence, which is a kind of string, to a string."""
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


encode = msgspec.json.Encoder(enc_hook=_plain).encode


def encoded(json: bytes) -> Any:
    """A value that is JSON already, as a part of a larger one. Its type is that of the value that was encoded."""
    return msgspec.Raw(json)


def trimmed(json: bytes) -> bytes:
    """A copy for a cache: msgspec leaves the unused end of its buffer, up to a third, behind each result."""
    return bytes(memoryview(json))
