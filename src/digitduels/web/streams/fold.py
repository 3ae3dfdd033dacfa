"""What a kind of stream plugs in: a value that is folded from events, and the result of an act on it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, NamedTuple, Self, TypeVar

from digitduels.web.refusal import Refusal
from digitduels.web.streams.store import Change, Event, Member, Stream

Away = frozenset[int]
"""The numbers of the members who are away."""
NOBODY: Away = frozenset()


class Fold(ABC):
    """A stream after some events. It is immutable: `then` returns a new value with further events."""

    due = False
    """Whether it is the computer's turn."""

    def __init__(self, stream: Stream) -> None:
        self.id, self.members = stream.id, stream.members
        self.head = 0
        self.keys: dict[str, Event] = {}
        """The events by their idempotency keys."""
        self._begin(stream)
        self._advance(stream.events)
        self.touched = stream.touched
        """The time of the last event."""

    @property
    @abstractmethod
    def status(self) -> str:
        """The status to store: open, playing, over or closed."""

    @abstractmethod
    def _begin(self, stream: Stream) -> None:
        """Sets the value before the first event."""

    @abstractmethod
    def _unshare(self) -> None:
        """Copies the parts that `_apply` changes in place, after the value itself has been copied."""

    @abstractmethod
    def _apply(self, event: Event) -> None:
        """Changes the value by an event."""

    def _advance(self, events: Iterable[Event]) -> None:
        for event in events:
            self._apply(event)
            self.head, self.touched, self.keys[event.key] = event.version, event.at, event

    def then(self, events: Iterable[Event], members: tuple[Member, ...] = ()) -> Self:
        """The value after further events. Members who have joined with them are among `members`."""
        value = object.__new__(type(self))
        value.__dict__ |= self.__dict__  # faster than `copy`
        value.members, value.keys = joined(self.members, members), self.keys.copy()
        value._unshare()
        value._advance(events)
        return value

    def resolve(self, *steps: tuple[int | None, str, dict[str, Any], str], at: float, **more: Any) -> Resolution[Self]:
        """Applies one event per step (member, kind, body, key). Other keywords become fields of the Change."""
        events = tuple(Event(self.head + number, *step, at) for number, step in enumerate(steps, 1))
        value = self.then(events, more.get("members", ()))
        return Resolution(value, events[0].version, Change(events, value.status, value.due, **more))


F = TypeVar("F", bound=Fold)


class Act(NamedTuple):
    """A member's request to change a stream, in response to one version of it."""

    kind: str
    version: int
    key: str
    body: dict[str, Any] = {}
    member: int = 0
    """In a class, only the teacher acts this way."""


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
