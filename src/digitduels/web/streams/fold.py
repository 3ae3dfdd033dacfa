"""What a kind of stream plugs in: a value that is folded from events, and the result of an act on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from digitduels.web.refusal import Refusal
from digitduels.web.streams.store import Change, Event, Member

Away = frozenset[int]
"""The numbers of the members who are away."""
NOBODY: Away = frozenset()


class Fold(Protocol):
    """A stream after some events. It is immutable: `then` returns a new value with further events."""

    id: str
    head: int
    members: tuple[Member, ...]
    """The members with the names and tokens that they have now."""

    def then(self, events: Iterable[Event], members: tuple[Member, ...] = ()) -> Self:
        """The value after further events. Members who have joined with them are among `members`."""


F = TypeVar("F", bound=Fold)


class Resolution(NamedTuple, Generic[F]):
    """The result of an act: the value after it, the version it created, and the change to store (None for a repeat)."""

    value: F
    accepted: int
    change: Change | None


class Conflict(Refusal):
    """Refuses an act that the current state of a stream does not allow. The response includes that state."""

    state: bytes = b"null"


def joined(before: tuple[Member, ...], members: tuple[Member, ...]) -> tuple[Member, ...]:
    """The members with those who are new among `members`, in order."""
    known = {member.number for member in before}
    new = [member for member in members if member.number not in known]
    return tuple(sorted((*before, *new))) if new else before
