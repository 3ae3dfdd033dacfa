"""What a visitor is told who asks for something that cannot be had."""

from __future__ import annotations


class Refusal(Exception):
    """An answer that is a sentence: its status, and after how many seconds it is worth asking again."""

    def __init__(self, status: int, sentence: str, again: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.again = again

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.again is None else {"Retry-After": str(self.again)}
