"""The exception for a request that the server refuses."""

from __future__ import annotations


class Refusal(Exception):
    """A refused request: the HTTP status, a sentence for the client, and the seconds until a retry makes sense."""

    def __init__(self, status: int, sentence: str, again: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.again = again

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.again is None else {"Retry-After": str(self.again)}
