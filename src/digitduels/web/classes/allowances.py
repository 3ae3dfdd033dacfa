"""Requests that a class pays for, and not the address that they come from: with a token of a class, or to join one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from digitduels.web.rooms.acts import hash_secret

MOST_HOMES = 20  # addresses of a class that are remembered
_JOINING = re.compile("/api/classes/([^/]*)/pupils")


class Payer(NamedTuple):
    """The class that pays for a request, and who asks, if that is known."""

    code: str
    person: str | None


class Allowances:
    """The tokens of the classes that this process has in memory, and where their people are."""

    def __init__(self) -> None:
        self._codes: dict[bytes, str] = {}
        self._tokens: dict[str, set[bytes]] = {}
        self._homes: dict[str, set[str]] = {}

    def learn(self, code: str, tokens: Iterable[bytes]) -> None:
        """These are the hashes of the tokens of a class."""
        self._drop(code)
        self._tokens[code] = set(tokens)
        self._codes.update(dict.fromkeys(self._tokens[code], code))

    def forget(self, code: str) -> None:
        self._drop(code)
        self._homes.pop(code, None)

    def _drop(self, code: str) -> None:
        for token in self._tokens.pop(code, ()):
            self._codes.pop(token, None)

    def meet(self, code: str, address: str) -> None:
        """The teacher or a pupil of a class showed a token from an address."""
        homes = self._homes.setdefault(code, set())
        if len(homes) < MOST_HOMES:
            homes.add(address)

    def is_home(self, code: str, address: str) -> bool:
        """Whether people of a class have been seen at an address."""
        return address in self._homes.get(code, ())

    def payer(self, method: str, path: str, authorization: bytes | None) -> Payer | None:
        """Who pays for a request; None if the address does."""
        scheme, _, token = (authorization or b"").decode("latin-1").partition(" ")
        if scheme.lower() == "bearer":
            digest = hash_secret(token.strip())
            code = self._codes.get(digest)
            if code is not None:
                return Payer(code, digest.hex())
        joining = _JOINING.fullmatch(path) if method == "POST" else None
        code = joining[1].upper() if joining else ""
        return Payer(f"joining {code}", None) if code in self._tokens else None
