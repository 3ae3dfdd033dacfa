"""A game being played: who plays, every move so far, and a record of it that can be kept and read again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from digitduels import files
from digitduels.core import IllegalMove, InvalidMove, Outcome, State, called
from digitduels.games import AnyGame, game
from digitduels.text import clean, quoted

FORMAT = "digitduels-record"
VERSION = 1
LARGEST = 1 << 20  # bytes of a record
LONGEST_NAME = 40
LONGEST_REASON = 300
LONGEST_WORDS = 2000
MOST_WORDS = 100  # of them in a record; with these it stays below LARGEST
_PLAYERS = (1, 2)  # as records count them
SEATS = (called(0), called(1))
FOREIGN = "This is not a record of a Digit Duels match."


class RecordError(ValueError):
    """A file or a text that is no record of a match."""


class Match:
    """A game with its history. The position is the last of `states`; `moves` led there.

    >>> match = Match(game("number-duel"))
    >>> for token in "+5 +10 x10".split():
    ...     match.play(match.game.read(token))
    >>> match.outcome
    Outcome(winner=0, reason='Player 1 has reached 50 points.')
    """

    def __init__(
        self,
        game: AnyGame,
        *,
        names: Sequence[str] = SEATS,
        first: int = 0,
        position: State[Any, Any] | None = None,
    ) -> None:
        self.game = game
        self.names = player_names(names)
        self.first = first if position is None else position.player
        self.position = position
        """Where the game began, if somebody set it up."""
        self.moves: list[Any] = []
        self.states: list[State[Any, Any]] = [position or game.start()._replace(player=first)]
        self.conceded: int | None = None
        self.forfeit: str | None = None
        self.players = ("human", "human")
        """Who plays: "human", or the name of another player."""
        self.seed: str | None = None
        """What the other players' chance depends on."""
        self.opening = 0
        """How many of the moves were given before the game began."""
        self.asked: list[tuple[int, str]] = []
        """What help was asked for, and after how many moves."""
        self.words: list[tuple[int, str]] = []
        """What players said as they chose their moves, and after how many moves."""

    @property
    def state(self) -> State[Any, Any]:
        return self.states[-1]

    @property
    def outcome(self) -> Outcome | None:
        if self.conceded is not None:
            how = "concedes." if self.forfeit is None else f"forfeits the game: {self.forfeit}"
            return Outcome(1 - self.conceded, f"{called(self.conceded)} {how}")
        return self.game.outcome(self.state)

    def play(self, move: Any) -> None:
        """Plays a move; raises IllegalMove and changes nothing if it may not be played."""
        if self.conceded is not None:
            raise IllegalMove("The game is over.")
        self.states.append(self.game.play(self.state, move))
        self.moves.append(move)

    def concede(self, player: int, forfeit: str | None = None) -> None:
        """A player gives up, or forfeits the game for a reason; the other one wins."""
        if self.outcome is not None:
            raise IllegalMove("The game is over.")
        self.conceded, self.forfeit = player, forfeit

    def say(self, text: str) -> None:
        """Notes what a player says before the next move."""
        if len(self.words) < MOST_WORDS and (words := clean(text, LONGEST_WORDS)):
            self.words.append((len(self.moves), words))

    def undo(self) -> str:
        """Takes back what happened last, a concession or a move, and says what it was."""
        if self.conceded is not None:
            taken = f"{called(self.conceded)} takes back the concession."
            self.conceded = self.forfeit = None
        elif len(self.moves) > self.opening:
            self.states.pop()
            taken = f"{called(self.state.player)} takes back {self.moves.pop()}."
            self.words = [said for said in self.words if said[0] <= len(self.moves)]
        else:
            raise IllegalMove("There is nothing to take back.")
        return taken

    def rematch(self) -> Match:
        """The same game once more; the other player goes first."""
        swapped = self.position and State(1 - self.first, self.position.hands[::-1], self.position.table)
        match = Match(self.game, names=self.names, first=1 - self.first, position=swapped)
        match.players = self.players
        match.seed = None if self.seed is None else f"{self.seed} again"  # another game, which can be replayed as well
        return match

    def until(self, moves: int) -> Match:
        """The match as it stood after so many moves, to be played on."""
        match = Match(self.game, names=self.names, first=self.first, position=self.position)
        match.players, match.seed, match.opening = self.players, self.seed, min(self.opening, moves)
        for move in self.moves[:moves]:
            match.play(move)
        return match

    def record(self) -> dict[str, Any]:
        """The match as JSON values. Players count from 1 there."""
        outcome = self.outcome
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game.id,
            "options": self.game.values,
            "names": list(self.names),
            "first": self.first + 1,
            "position": None if self.position is None else self.game.placed(self.position),
            "players": list(self.players),
            "seed": self.seed,
            "opening": self.opening,
            "moves": [str(move) for move in self.moves],
            "conceded": None if self.conceded is None else self.conceded + 1,
            "forfeit": self.forfeit,
            "asked": [list(question) for question in self.asked],
            "words": [list(said) for said in self.words],
            "outcome": outcome
            and {"winner": None if outcome.winner is None else outcome.winner + 1, "reason": outcome.reason},
        }

    @classmethod
    def replay(cls, record: object) -> Match:
        """The match that a record tells of, played again by the rules.

        Raises RecordError if it is no record, InvalidMove or IllegalMove if its moves break the rules.
        """
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise RecordError(FOREIGN)
        if record.get("version") != VERSION:
            version = quoted(record.get("version"))
            raise RecordError(f"This record has version {version}; this program reads version {VERSION}.")
        kinds = {"game": str, "options": dict, "names": list, "moves": list}
        for key, kind in kinds.items():
            if not isinstance(record.get(key), kind):
                raise RecordError(f"The record's {key!r} is missing or is not what it should be.")
        moves, first, conceded = record["moves"], record.get("first"), record.get("conceded")
        if first not in _PLAYERS or conceded not in (*_PLAYERS, None) or bool in (type(first), type(conceded)):
            raise RecordError("The record's 'first' must be 1 or 2, its 'conceded' 1, 2 or null.")
        forfeit = record.get("forfeit")
        if not isinstance(forfeit, str | None):
            raise RecordError("The record's 'forfeit' must be a text or null.")
        if not all(isinstance(text, str) for text in moves + record["names"]):
            raise RecordError("The record's moves and names must be texts.")
        try:
            rules = game(record["game"], **record["options"])
            position = rules.position(record["position"]) if record.get("position") is not None else None
            match = cls(rules, names=record["names"], first=_PLAYERS.index(first), position=position)
        except ValueError as error:
            raise RecordError(f"The record does not describe a match. {error}") from None
        for place, text in enumerate(moves, 1):
            try:
                match.play(match.game.read(text, match.state))
            except (InvalidMove, IllegalMove) as error:
                raise type(error)(f"Move {place} of the record, {quoted(text)}, breaks the rules. {error}") from None
        match.players, match.seed, match.opening, match.asked = _circumstances(record)
        match.words = _words(record)
        if conceded is not None:
            match.concede(_PLAYERS.index(conceded), None if forfeit is None else clean(forfeit, LONGEST_REASON))
        return match

    def save(self, path: Path) -> None:
        """Writes the record to a file, at once or not at all; raises OSError if it cannot."""
        files.write(path, self.data())

    def data(self) -> bytes:
        """The record as it stands in a file."""
        return json.dumps(self.record(), indent=1, ensure_ascii=False).encode() + b"\n"

    @classmethod
    def load(cls, path: Path) -> Match:
        """Reads a record from a file; raises OSError for a file that cannot be read, and what `parse` raises."""
        return cls.parse(files.read(path, LARGEST))

    @classmethod
    def parse(cls, data: bytes) -> Match:
        """The match whose record stands in a file with these contents; raises what `replay` raises."""
        try:
            try:
                record = json.loads(data)
            except ValueError:
                raise RecordError(FOREIGN) from None
            return cls.replay(record)
        except RecursionError:  # nested too deeply to be one of ours
            raise RecordError(FOREIGN) from None


def player_names(names: Sequence[str]) -> tuple[str, str]:
    """Two names fit to be printed; raises ValueError if they are not two different ones."""
    cleaned = [clean(name, LONGEST_NAME) for name in names]
    if len(cleaned) != 2 or not all(cleaned) or cleaned[0].casefold() == cleaned[1].casefold():
        raise ValueError("The players need two different names.")
    return cleaned[0], cleaned[1]


def _circumstances(record: dict[str, Any]) -> tuple[tuple[str, str], str | None, int, list[tuple[int, str]]]:
    """Who played a recorded match, with what seed, opening and help; older records do not say."""
    players, seed = record.get("players", ["human", "human"]), record.get("seed")
    opening, asked = record.get("opening", 0), record.get("asked", [])
    if not (isinstance(players, list) and len(players) == 2 and all(isinstance(name, str) for name in players)):
        raise RecordError("The record's 'players' must be two texts.")
    if not isinstance(seed, str | None) or type(opening) is not int or not 0 <= opening <= len(record["moves"]):
        raise RecordError("The record's 'seed' must be a text or null, its 'opening' a number of its moves.")
    try:
        questions = [(int(after), clean(str(what), LONGEST_NAME)) for after, what in asked]
    except (TypeError, ValueError, OverflowError):
        raise RecordError("The record's 'asked' must be pairs of a number and a text.") from None
    return (clean(players[0], LONGEST_REASON), clean(players[1], LONGEST_REASON)), seed, opening, questions


def _words(record: dict[str, Any]) -> list[tuple[int, str]]:
    """What the players of a recorded match said."""
    words = record.get("words", [])
    if not isinstance(words, list) or len(words) > MOST_WORDS:
        raise RecordError(f"The record's 'words' must be a list of at most {MOST_WORDS} pairs.")
    for pair in words:
        match pair:
            case [int(after), str()] if type(after) is int and 0 <= after <= len(record["moves"]):
                continue
        raise RecordError("The record's 'words' must be pairs of a number of its moves and a text.")
    return [(after, clean(text, LONGEST_WORDS)) for after, text in words]
