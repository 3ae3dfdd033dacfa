"""HTTP connections with the h11 parser, which does not limit headers that arrive all at once."""

from __future__ import annotations

import asyncio
import re

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from digitduels.web.connections import LONGEST_HEAD, MOST_HEADERS, Bounded

_END = re.compile(rb"\n\r?\n")


class _Limited(h11.Connection):
    """A parser that looks at the size of a head, and the number of its lines, before it reads the headers."""

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        if self.their_state is h11.IDLE:
            received, _ = self.trailing_data
            end = _END.search(received)
            size = end.start() if end else len(received)
            if size > LONGEST_HEAD or received.count(b"\n", 0, size) > MOST_HEADERS:
                raise h11.RemoteProtocolError("The headers are too long.", error_status_hint=431)
        return super().next_event()


class H11Connection(Bounded, H11Protocol):
    """A connection that rejects requests with an oversized URL and headers, or too many headers."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.conn = _Limited(h11.SERVER, LONGEST_HEAD)
        super().connection_made(transport)
