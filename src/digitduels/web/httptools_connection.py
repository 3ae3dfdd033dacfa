"""HTTP connections with the httptools parser, which is faster than h11 but does not limit the size of headers."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from digitduels.web.connections import LONGEST_HEAD, MOST_HEADERS, Bounded

MOST_PIPELINED = 10  # requests that arrive before the one in front of them is answered


class HttptoolsConnection(Bounded, HttpToolsProtocol):  # type: ignore[misc]
    """A connection that rejects requests with an oversized URL and headers, or too many headers or requests at once."""

    _head = 0
    _headers = 0
    _in_head = False
    _progress = False
    """Whether the parser has found something in the bytes that it got last."""
    _unparsed = 0
    """Bytes received since the start of an incomplete head, or after the head since the last progress."""

    def data_received(self, data: bytes) -> None:
        self._progress = False
        super().data_received(data)
        self._unparsed = self._unparsed + len(data) if self._in_head or not self._progress else 0
        if self._unparsed > LONGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("Invalid HTTP request received.")

    def on_message_begin(self) -> None:
        self._progress = True
        if len(self.pipeline) >= MOST_PIPELINED:  # each takes far more memory than its bytes
            raise ValueError("Too many requests at once.")
        self._in_head, self._head, self._headers = True, 0, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers += 1
        self._count(len(name) + len(value) + len(": \r\n"))
        if self._in_head:  # trailers would be added to the headers that the guard has checked
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        self._progress = True

    def on_body(self, body: bytes) -> None:
        self._progress = True
        super().on_body(body)

    def _count(self, size: int) -> None:
        self._progress = True
        self._head += size
        if self._head > LONGEST_HEAD or self._headers > MOST_HEADERS:
            raise ValueError("The headers are too long.")  # the parser then responds with 400
