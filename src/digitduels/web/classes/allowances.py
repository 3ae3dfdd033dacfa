"""The tokens of the classes in memory, and the addresses of their members: who may use the allowance of a class."""

from __future__ import annotations

from collections.abc import Iterable

from digitduels.web.streams.credentials import hash_secret

MOST_ADDRESSES = 100  # remembered addresses per class
MOST_DESKS = 10  # remembered addresses of the teacher
MOST_SHARE = 4  # a class may make at most four times the requests of an address


class Allowances:
    """Who is a member of which class, for the classes in memory.

    A class has the allowance of one address. It grows with every further address from which members play, since its
    founder can invent pupils, but not addresses.
    """

    def __init__(self) -> None:
        self._codes: dict[str, str] = {}
        self._tokens: dict[str, set[str]] = {}
        self._addresses: dict[str, set[str]] = {}
        self._teachers: dict[str, list[str]] = {}
        """From where the teacher of each class has sent a token, the last address at the end."""

    def learn(self, code: str, tokens: Iterable[str]) -> None:
        """Sets the token hashes of a class."""
        self._drop(code)
        self._tokens[code] = set(tokens)
        self._codes.update(dict.fromkeys(self._tokens[code], code))

    def forget(self, code: str) -> None:
        self._drop(code)
        self._addresses.pop(code, None)
        self._teachers.pop(code, None)

    def _drop(self, code: str) -> None:
        for token in self._tokens.pop(code, ()):
            self._codes.pop(token, None)

    def class_of(self, authorization: bytes | None) -> str | None:
        """The class of the member who sends a header, or None."""
        scheme, _, token = (authorization or b"").decode("latin-1").partition(" ")
        return self._codes.get(hash_secret(token.strip())) if scheme.lower() == "bearer" else None

    def remember_address(self, code: str, address: str) -> None:
        """Remembers an address from which a member of a class has sent a token."""
        addresses = self._addresses.setdefault(code, set())
        if len(addresses) < MOST_ADDRESSES:
            addresses.add(address)

    def remember_teacher(self, code: str, address: str) -> None:
        """Remembers an address from which a teacher has sent a token."""
        addresses = self._teachers.setdefault(code, [])
        if address in addresses:
            addresses.remove(address)
        addresses.append(address)
        del addresses[:-MOST_DESKS]

    def has_teacher_at(self, code: str, address: str) -> bool:
        """Whether the teacher of a class has used an address."""
        return address in self._teachers.get(code, ())

    def teacher_at(self, code: str) -> str:
        """The address that the teacher of a class used last; the code if this process does not know it."""
        return self._teachers.get(code, [code])[-1]

    def has_member_at(self, code: str, address: str) -> bool:
        """Whether a member of a class has used an address."""
        return address in self._addresses.get(code, ())

    def share(self, code: str) -> int:
        """How many times the allowance of an address a class has."""
        return min(MOST_SHARE, max(1, len(self._addresses.get(code, ()))))
