"""Rate limits for classes: requests by members, and requests to join, count against the class and not the address."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from digitduels.web.rooms.acts import hash_secret

MOST_HOMES = 20  # remembered addresses per class
_JOINING = re.compile("/api/classes/([^/]*)/pupils")


class Payer(NamedTuple):
    """The class whose allowance a request uses, and the hash of the sender's token, if there is one."""

    code: str
    person: str | None


class Allowances:
    """The tokens of the classes in memory, and the addresses that their members use."""

    def __init__(self) -> None:
        self._codes: dict[bytes, str] = {}
        self._tokens: dict[str, set[bytes]] = {}
        self._homes: dict[str, set[str]] = {}

    def learn(self, code: str, tokens: Iterable[bytes]) -> None:
        """Sets the token hashes of a class."""
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
        """Remembers an address from which a member of a class has sent a token."""
        homes = self._homes.setdefault(code, set())
        if len(homes) < MOST_HOMES:
            homes.add(address)

    def is_home(self, code: str, address: str) -> bool:
        """Whether a member of a class has used an address."""
        return address in self._homes.get(code, ())

    def payer(self, method: str, path: str, authorization: bytes | None) -> Payer | None:
        """The class whose allowance a request uses; None if it counts against the address."""
        scheme, _, token = (authorization or b"").decode("latin-1").partition(" ")
        if scheme.lower() == "bearer":
            digest = hash_secret(token.strip())
            code = self._codes.get(digest)
            if code is not None:
                return Payer(code, digest.hex())
        joining = _JOINING.fullmatch(path) if method == "POST" else None
        code = joining[1].upper() if joining else ""
        return Payer(f"joining {code}", None) if code in self._tokens else None
