"""The games for research frameworks, one file each. Every framework is an extra of the package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Around the imports of a framework: when it is missing, says in a line how to get it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        hint = f"{missing.name} is missing. Get it with: pip install 'digitduels[{extra}]'"
        raise ModuleNotFoundError(hint, name=missing.name) from None
