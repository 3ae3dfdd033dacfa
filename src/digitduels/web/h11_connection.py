"""HTTP connections with the h11 parser, which neither limits headers that arrive at once nor refuses equal lengths."""

from __future__ import annotations

import asyncio
import re

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from digitduels.web.connections import LONGEST_HEAD, MOST_HEADERS, Bounded

_END = re.compile(rb"\n\r?\n")
_SEVERAL_LENGTHS = re.compile(rb"\ncontent-length:(?:[^\n]*,|.*\ncontent-length:)", re.IGNORECASE | re.DOTALL)
SLICE = 1 << 12  # bytes that the parser gets at once


class _Limited(h11.Connection):
    """A parser that looks at a head before it reads the headers, and at trailers while they arrive."""

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        if self.their_state is h11.IDLE:
            received, _ = self.trailing_data
            end = _END.search(received)
            size = end.start() if end else len(received)
            if size > LONGEST_HEAD or received.count(b"\n", 0, size) > MOST_HEADERS:
                raise h11.RemoteProtocolError("The headers are too long.", error_status_hint=431)
            if _SEVERAL_LENGTHS.search(received, 0, size):
                raise h11.RemoteProtocolError("A request has only one Content-Length.")
        event = super().next_event()
        # Of a body that is still arriving, only its trailers are unread.
        unread = self.trailing_data[0] if self.their_state is h11.SEND_BODY and event is h11.NEED_DATA else b""
        if unread.count(b"\n") > MOST_HEADERS:
            raise h11.RemoteProtocolError("The headers are too long.", error_status_hint=431)
        return event


class H11Connection(Bounded, H11Protocol):
    """A connection that rejects requests with an oversized URL and headers, or too many headers."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.conn = _Limited(h11.SERVER, LONGEST_HEAD)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), SLICE):
            if not self.transport.is_closing():
                super().data_received(data[start : start + SLICE])
