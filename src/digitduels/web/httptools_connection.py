"""Connections read by httptools, where it is installed: quicker than h11, but it does not limit headers itself."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from digitduels.web.connections import Bounded

LONGEST_HEAD = 1 << 16  # bytes of a URL and headers, as with h11


class HttptoolsConnection(Bounded, HttpToolsProtocol):  # type: ignore[misc]
    """One connection."""

    _head = 0
    _incomplete = 0
    """Bytes that came since the head began, if it is not complete."""
    _in_head = False

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._incomplete = self._incomplete + len(data) if self._in_head else 0
        if self._incomplete > LONGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("Invalid HTTP request received.")

    def on_message_begin(self) -> None:
        self._in_head, self._head = True, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def _count(self, size: int) -> None:
        self._head += size
        if self._head > LONGEST_HEAD:
            raise ValueError("The headers are too long.")  # which the parser takes for a request that is invalid
