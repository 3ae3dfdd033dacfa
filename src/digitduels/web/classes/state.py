"""A class as a value that is folded from its events. Everything here is pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from digitduels.players import computer_name, offered_player
from digitduels.web.streams.credentials import hash_secret, member_of
from digitduels.web.streams.fold import Fold
from digitduels.web.streams.store import Event, Member, Notice, Stream, Token

TEACHER = 0  # the teacher's number among the members; pupils count from 1

Scores = Mapping[str, tuple[float, float] | None]
"""The points of both seats in each finished game; None for a game without a move, which does not count."""


class Pupil(NamedTuple):
    """A person who has joined the class."""

    number: int
    name: str
    tokens: tuple[Token, ...]
    """They also open the pupil's seats. Empty after `admit` has given them to another pupil."""
    removed: bool = False
    absent: float | None = None
    """When the computer replaced them. They are not paired until they have been seen again."""


class Table(NamedTuple):
    """A game of the class."""

    id: str
    round: int
    pupils: tuple[int | None, int | None]
    """The pupils' numbers by seat; None for the computer."""
    level: int
    """The computer's level, if it plays."""

    def with_pupil(self, number: int, instead: int) -> Table:
        """The same game with one pupil replaced by another."""
        first, second = (number if pupil == instead else pupil for pupil in self.pupils)
        return self._replace(pupils=(first, second))


class Link(NamedTuple):
    """A link that the teacher has made for another device: a second desk, or a wall that only shows the class."""

    number: int
    token: Token
    made: float
    revoked: bool = False


class Classroom(Fold):
    """A class after some events. Its members are everybody as they joined: the teacher, and all pupils."""

    def _begin(self, stream: Stream) -> None:
        assert stream.origin is not None
        self.origin, self.created, self.rules = stream.origin, stream.created, stream.data
        self.round = 0
        self.paused: str | None = None
        self.ended = False
        self.pupils: dict[int, Pupil] = {}
        self.tables: tuple[Table, ...] = ()
        self.current: tuple[Table, ...] = ()
        """The games of this round."""
        self._games: dict[int | None, tuple[Table, ...]] = {}
        """The games of each pupil, oldest first; with None, those against the computer."""
        self.joined: dict[int, int] = {}
        """The version that each pupil joined with."""
        self.arrived: dict[int, float] = {}
        """When each pupil joined, or was let in again."""
        self.links: dict[int, Link] = {}
        """The teacher's links by number, with those that were withdrawn."""

    def _unshare(self) -> None:
        self.pupils, self.joined = self.pupils.copy(), self.joined.copy()
        self.arrived, self.links = self.arrived.copy(), self.links.copy()

    def _advance(self, events: Iterable[Event]) -> None:
        super()._advance(events)
        # Which pupil each token belongs to, since every message to a full class looks up 60 of them.
        self._owners = {token.hash: pupil.number for pupil in self.present for token in pupil.tokens}

    def _apply(self, event: Event) -> None:
        body = event.body
        match event.kind:
            case "join":
                number = body["pupil"]
                member = next(member for member in self.members if member.number == number)
                self._set(Pupil(number, member.name, member.tokens))
                self.joined[number], self.arrived[number] = event.version, event.at
            case "pair" | "next":
                self.round = body["round"]
                level = int(offered_player(str(self.rules["level"]), self.rules["game"]))
                self._seat([Table(game["id"], self.round, tuple(game["pupils"]), level) for game in body["games"]])
            case "pause":
                self.paused = body["message"]
            case "resume":
                self.paused = None
            case "end":
                self.ended, self.paused = True, None
            case "rename":
                self._set(self.pupils[body["pupil"]]._replace(name=body["name"]))
            case "remove":
                self._set(self.pupils[body["pupil"]]._replace(removed=True))
            case "remove-newcomers":
                for number in body["pupils"]:
                    self._set(self.pupils[number]._replace(removed=True))
            case "admit":
                device, number = self.pupils[body["device"]], body["pupil"]
                self._set(device._replace(tokens=(), removed=True))
                self._set(self.pupils[number]._replace(tokens=device.tokens, absent=None))
                theirs = body.get("games", ())
                tables, self.tables, self._games = self.tables, (), {}
                self._seat(
                    [table.with_pupil(number, device.number) if table.id in theirs else table for table in tables]
                )
            case "restore":
                self._set(self.pupils[body["pupil"]]._replace(removed=False, name=body["name"]))
                self.arrived[body["pupil"]] = event.at
            case "substitute":
                self._set(self.pupils[body["pupil"]]._replace(absent=event.at))
            case "link":
                token = Token(body["token"], body["reads_only"])
                self.links[body["link"]] = Link(body["link"], token, event.at)
            case "revoke":
                self.links[body["link"]] = self.links[body["link"]]._replace(revoked=True)
            case "settings":
                self.rules = {**self.rules, **body}

    def _seat(self, tables: Iterable[Table]) -> None:
        """Adds games."""
        self.tables = (*self.tables, *tables)
        self.current = tuple(table for table in self.tables if table.round == self.round)
        self._games = self._games.copy()
        for table in tables:
            for number in table.pupils:
                self._games[number] = (*self._games.get(number, ()), table)

    def _set(self, pupil: Pupil) -> None:
        self.pupils[pupil.number] = pupil

    @property
    def present(self) -> list[Pupil]:
        """The pupils who have not been removed, in the order in which they joined."""
        return [pupil for pupil in self.pupils.values() if not pupil.removed]

    @property
    def removed(self) -> list[Pupil]:
        """The pupils whom the teacher removed, and can restore."""
        return [pupil for pupil in self.pupils.values() if pupil.removed and pupil.tokens]

    def games_of(self, number: int) -> tuple[Table, ...]:
        """A pupil's games, oldest first."""
        return self._games.get(number, ())

    def table_of(self, number: int) -> Table | None:
        """A pupil's latest game in this round."""
        latest = self.games_of(number)[-1:]
        return latest[0] if latest and latest[0].round == self.round else None

    def pupil_of(self, token: str) -> Pupil | None:
        """The pupil to whom a token belongs."""
        number = self._owners.get(hash_secret(token))
        return None if number is None else self.pupils[number]

    def has_known(self, token: str) -> bool:
        """Whether a pupil has joined with a token, perhaps on a device that another one has replaced."""
        return member_of(self.members, token) is not None

    def has_removed(self, token: str) -> bool:
        """Whether a token belongs to a pupil whom the teacher removed."""
        digest = hash_secret(token)
        return any(known.hash == digest for pupil in self.removed for known in pupil.tokens)

    def has_revoked(self, token: str) -> bool:
        """Whether a token belongs to a link that the teacher has withdrawn."""
        return _has(tuple(link.token for link in self.links.values() if link.revoked), token)

    def is_teacher(self, token: str, acts: bool = False) -> bool:
        """Whether a token is the teacher's. With `acts`, raises Refusal if it only shows the class."""
        return _has(self._teacher_tokens, token, acts)

    def only_shows(self, token: str) -> bool:
        """Whether a token is for a wall: it shows the class, and allows no acts."""
        return _has(tuple(known for known in self._teacher_tokens if known.reads_only), token)

    @property
    def _teacher_tokens(self) -> tuple[Token, ...]:
        return (*self.members[0].tokens, *(link.token for link in self.links.values() if not link.revoked))

    @property
    def token_hashes(self) -> list[str]:
        """The hashes of all tokens that open the class now."""
        tokens = [*self._teacher_tokens, *(token for pupil in self.present for token in pupil.tokens)]
        return [token.hash for token in tokens]

    def name_at(self, table: Table, seat: int) -> str:
        """The name of the player in a seat of a game."""
        number = table.pupils[seat]
        if number is None:
            return computer_name(str(table.level))
        pupil = self.pupils[number]
        return "a removed pupil" if pupil.removed else pupil.name

    def results_of(self, number: int, scores: Scores) -> list[float]:
        """A pupil's points in each finished game that counts."""
        finished = ((table, scores.get(table.id)) for table in self.games_of(number))
        return [points[table.pupils.index(number)] for table, points in finished if points is not None]

    @property
    def pairs_itself(self) -> bool:
        """Whether pupils who wait get a game without the teacher. The teacher starts the first round."""
        automatic = self.rules.get("auto_pairing", False)
        return bool(automatic and self.round) and not self.ended and self.paused is None

    @property
    def status(self) -> str:
        return "over" if self.ended else "playing"

    def notice(self, kind: str, body: dict[str, Any], games: Iterable[str], closes: bool = False) -> Notice:
        """An event for games of the class. Its key is unique to the next version of the class."""
        return Notice(tuple(games), kind, body, f"class:{self.head + 1}:{kind}", closes)


def _has(tokens: tuple[Token, ...], token: str, acts: bool = False) -> bool:
    """Whether a token is one of the teacher's. With `acts`, raises Refusal if it only reads."""
    return member_of([Member(TEACHER, "", None, 0.0, tokens)], token, acts) == TEACHER
