"""Warnings that Inspect causes. The modules that run it ignore exactly these, and no other module ignores any."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

INSPECT_WARNINGS = [
    pytest.mark.filterwarnings(f"ignore:{warning}")
    for warning in (
        "The 'initial' parameter is deprecated:DeprecationWarning",  # of tenacity
        "Unclosed <MemoryObjectReceiveStream:ResourceWarning",  # of anyio
        "unclosed database in <sqlite3.Connection:ResourceWarning",  # since Python 3.13
    )
]


@pytest.fixture(scope="module", autouse=True)
def garbage_of_inspect() -> Iterator[None]:
    """Collects what Inspect leaves open before the tests of another module begin."""
    yield
    gc.collect()
