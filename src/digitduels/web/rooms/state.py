"""A game between friends as a value that is folded from its events. Everything here is pure."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from digitduels.games import AnyGame, UnknownGame, game
from digitduels.match import LONGEST_NAME, Match
from digitduels.position_json import position_from_json
from digitduels.sentence import player_name
from digitduels.text import clean, skeleton
from digitduels.web.positions.link import book
from digitduels.web.refusal import Refusal
from digitduels.web.streams.fold import Fold
from digitduels.web.streams.store import Event, Member, Stream, Token


class Room(Fold):
    """A game between friends after some events.

    Raises ValueError or Refusal if the installed rules cannot replay the stored game.
    """

    def _begin(self, stream: Stream) -> None:
        self.data, self.code = stream.data, stream.parent
        """The code of its class, if any."""
        self.match = _start(stream)
        self.levels = [seat and seat.level for seat in (self.seat(0), self.seat(1))]
        """The computer's level in each seat; None for a person."""
        self.takeback: int | None = None
        """The seat that has requested a take-back."""
        self.rematch: str | None = None
        self.closed = False
        self.note: str | None = None
        """Why the computer did not play its last move at its level, if it didn't."""
        self.paused: str | None = None
        """The teacher's message while the game is paused."""

    def _unshare(self) -> None:
        self.match, self.levels = self.match.copy(), self.levels[:]

    def _apply(self, event: Event) -> None:
        match event.kind:
            case "join":
                self.match.names = _names(self.members)
            case "move":
                self.match.play(self.match.game.read(event.body["move"], self.match.state))
            case "concede":
                self.match.concede(event.body["seat"])
            case "accept":
                self.match.take_back(event.body["moves"])
            case "substitute":
                self.levels[event.body["seat"]] = event.body["level"]
            case "return":
                self.levels[event.body["seat"]] = None
            case "rematch":
                self.rematch = event.body["game"]
            case "close":
                self.closed, self.paused = True, None
            case "pause":
                self.paused = event.body["message"]
            case "resume":
                self.paused = None
            case "rename":
                self._reseat(event.body["seat"], name=event.body["name"])
            case "admit":
                self._reseat(event.body["seat"], tokens=(Token(event.body["token"]),))
        self.note = event.body.get("note") if event.kind == "move" else None
        self.takeback = event.member if event.kind == "takeback" else None

    def _reseat(self, number: int, **fields: Any) -> None:
        """Changes the name or the token of the person in a seat."""
        self.members = tuple(seat._replace(**fields) if seat.number == number else seat for seat in self.members)
        self.match.names = _names(self.members)

    @property
    def over(self) -> bool:
        return self.closed or self.match.outcome is not None

    @property
    def full(self) -> bool:
        return len(self.members) == 2

    @property
    def status(self) -> str:
        if self.closed:
            return "closed"
        return "open" if not self.full else "over" if self.over else "playing"

    @property
    def due(self) -> bool:  # type: ignore[override]
        return self.full and self.levels[self.match.state.player] is not None and not self.over

    def seat(self, number: int) -> Member | None:
        """The person or the computer in a seat."""
        return next((seat for seat in self.members if seat.number == number), None)


def _start(stream: Stream) -> Match:
    """The match as it was before the first event."""
    rules = stream.data
    variant = _game(rules["game"], json.dumps(rules["options"]))
    position = None if rules["position"] is None else position_from_json(variant, rules["position"])
    opening = map(variant.read, rules["moves"])
    return Match(variant, names=_names(stream.members), first=rules["first"] - 1, position=position, opening=opening)


@lru_cache(16)  # variants have at most 1,000 different moves, so they take at most a megabyte each
def _game(name: str, options: str) -> AnyGame:
    try:
        rules = game(name, **json.loads(options))
    except UnknownGame as error:  # the package that provided it is gone
        raise Refusal(404, str(error)) from None
    return rules if rules.changes else book(name)


def _names(seats: Iterable[Member]) -> tuple[str, str]:
    """The names of both players, which always differ."""
    names = {seat.number: seat.name for seat in seats}
    first, second = (visible(names.get(number, "")) or player_name(number) for number in (0, 1))
    name, number = second, 2
    while skeleton(first) == skeleton(name):
        ending = f" ({number})"
        name, number = clean(second[: LONGEST_NAME - len(ending)] + ending, LONGEST_NAME), number + 1
    return first, name


def visible(name: str) -> str:
    """A name cleaned for display; empty if it has no visible character.

    >>> visible(" Ann "), visible("\u0301\u3164")
    ('Ann', '')
    """
    cleaned = clean(name, LONGEST_NAME)
    return cleaned if any(unicodedata.category(letter)[0] not in "MZ" for letter in cleaned) else ""
