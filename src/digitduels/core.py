"""What every duel has in common: a position, the rules of a game, and all that follows from them.

A game file states its rules (`moves`, `start`, `forbids`, `after`, `outcome`) and its words; legality, reading what
people type, step-by-step questions and the checks around a move are derived here, once, for all games.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from digitduels.text import Key, quoted, spelled

Hand = TypeVar("Hand", bound=Hashable)
Table = TypeVar("Table", bound=Hashable)
Move = TypeVar("Move", bound=tuple[Any, ...])


class InvalidMove(ValueError):
    """A text that is no move of the game at all."""


class IllegalMove(ValueError):
    """A move of the game that the rules forbid in this position."""


class TooLarge(ValueError):
    """A game with so many positions that solving it would take more memory than it may."""


class State(NamedTuple, Generic[Hand, Table]):
    """A position: whose turn it is, what each player owns and what both share. Equal positions have equal futures."""

    player: int
    hands: tuple[Hand, Hand]
    table: Table

    @property
    def mine(self) -> Hand:
        """The hand of the player to move."""
        return self.hands[self.player]

    @property
    def theirs(self) -> Hand:
        """The hand of the player who waits."""
        return self.hands[1 - self.player]

    def then(self, mine: Hand, theirs: Hand, table: Table) -> State[Hand, Table]:
        """The position after a move that left these; the other player's turn."""
        # Made as a tuple, which takes half the time of calling State.
        if self.player == 0:
            return tuple.__new__(State, (1, (mine, theirs), table))
        return tuple.__new__(State, (0, (theirs, mine), table))


class Outcome(NamedTuple):
    """The end of a game: the winner (0, 1, or None for a draw) and why, in a sentence for people."""

    winner: int | None
    reason: str


class Stock(NamedTuple):
    """Things of one kind that are used up: what they are called, how many are left, and how many there were."""

    label: str
    left: int
    of: int


class Side(NamedTuple):
    """What is to be seen of a hand or of the table: a score, and things that are used up."""

    score: int | None = None
    stocks: tuple[Stock, ...] = ()
    lowest: int = 0
    """How low the score can be."""

    @property
    def numbers(self) -> list[int]:
        """All that can change, as numbers: the score, if there is one, and what is left of each stock."""
        return [number for number in (self.score, *(stock.left for stock in self.stocks)) if number is not None]


class Board(NamedTuple):
    """A position as something to look at, and to set up: both hands, and what lies between the players."""

    hands: tuple[Side, Side]
    table: Side


def called(player: int) -> str:
    """What a player is called in the books.

    >>> called(0)
    'Player 1'
    """
    return f"Player {player + 1}"


# Options: the numbers and words that a variant changes.


class Whole(NamedTuple):
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"a whole number from {self.low} to {_power(self.high)}"

    def accepts(self, value: object) -> bool:
        return type(value) is int and self.low <= value <= self.high

    def read(self, text: str) -> object:
        return int(text) if re.fullmatch(r"[+-]?[0-9]{1,4300}", text) else text


class Wholes(NamedTuple):
    """So many whole numbers, each from `low` to `high`, not all of them zero."""

    length: int
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.length} whole numbers from {self.low} to {_power(self.high)}, not all zero"

    def accepts(self, value: object) -> bool:
        each = Whole(self.low, self.high)
        return isinstance(value, tuple) and len(value) == self.length and all(map(each.accepts, value)) and any(value)

    def read(self, text: str) -> object:
        return tuple(Whole(self.low, self.high).read(part.strip()) for part in text[:1000].strip("()[]").split(","))


class Choice(NamedTuple):
    """One of a few words."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(self.words)

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and value in self.words

    def read(self, text: str) -> object:
        return text.strip().lower()


def _power(number: int) -> str:
    """A number as people write it: 99, or 10^6."""
    if number < 10**6:
        return str(number)
    power = number.bit_length() * 30103 // 100000
    return f"10^{power}" if 10**power == number else str(number)


class Option(NamedTuple):
    """One option of a game: its name and its field, its value as the book has it, what it may be and what it means."""

    name: str
    field: str
    default: Any
    kind: Whole | Wholes | Choice
    about: str


def option(default: Any, kind: Whole | Wholes | Choice, about: str, name: str = "") -> Any:
    """A field of a game that is one of its options, under the field's name or another."""
    return field(default=default, metadata={"name": name, "kind": kind, "about": about})


_REMEMBERED = 100_000  # sets of legal moves that a game keeps at the most


@dataclass(frozen=True)
class Game(Generic[Hand, Table, Move]):
    """The rules of a duel. Its fields are its options, so a variant is a game with other values.

    The docstring of a game is its rule card: a first line that sums it up, then the rules for people.
    """

    rulings: ClassVar[tuple[str, ...]] = ()
    """What the book leaves open or gets wrong, and how it is settled."""
    example: ClassVar[str] = ""
    """Moves of an instructive short game, as tokens."""
    prompts: ClassVar[tuple[str, ...]] = ("{player}, enter your move: ",)
    """One question for each field of a move, in order."""
    labels: ClassVar[Mapping[Any, str]] = {}
    """How people write a field's value, where it is not simply the value."""
    levels: ClassVar[tuple[int, ...]] = (1, 2, 3, 4, 5, 6, 7)
    """The levels of opponents that differ in this game; see players/levels.py."""
    reaches: ClassVar[tuple[float, float, float]] = (1.0, 4.0, 12.0)
    """How far the opponents of levels 4, 5 and 6 look, in plies: tuned so that each clearly beats the one below."""
    menu: ClassVar[bool] = False
    """Whether a bare number answers a question by counting what is possible."""

    def __post_init__(self) -> None:
        for option in self.options():
            value = getattr(self, option.field)
            if isinstance(value, list):
                value = tuple(value)
                object.__setattr__(self, option.field, value)
            if not option.kind.accepts(value):
                raise ValueError(f"{option.name} must be {option.kind}; {quoted(value)} is not.")

    # What a game file says.

    @property
    @abstractmethod
    def moves(self) -> tuple[Move, ...]:
        """Every move the game can ever allow, in a fixed order: the index is the move's action id."""

    @property
    @abstractmethod
    def longest(self) -> int:
        """How many moves a game can last at the most."""

    @abstractmethod
    def start(self) -> State[Hand, Table]:
        """The first position, Player 1 to move."""

    @abstractmethod
    def forbids(self, state: State[Hand, Table], move: Move) -> str | None:
        """Why the rules forbid the move in a game that is not over, or None. Later fields of `move` may be None."""

    @abstractmethod
    def after(self, state: State[Hand, Table], move: Move) -> State[Hand, Table]:
        """The position after a legal move."""

    @abstractmethod
    def outcome(self, state: State[Hand, Table]) -> Outcome | None:
        """Who won and why, or None while the game goes on."""

    def legality(self, state: State[Hand, Table]) -> Hashable:
        """All that the legal moves of a position depend on: positions that share it share their legal moves."""
        return state

    # How it looks. Pages draw positions by it, and positions are set up by it.

    def board(self, state: State[Hand, Table]) -> Board:
        """What is to be seen of a position."""
        first, second, table = (Side(part if isinstance(part, int) else None) for part in (*state.hands, state.table))
        return Board((first, second), table)

    def arrange(self, player: int, hands: Sequence[Sequence[int]], table: Sequence[int]) -> State[Hand, Table]:
        """The position whose board shows these numbers; ValueError if the rules know of none."""
        start = self.start()
        first, second = (numbers[0] if numbers else part for numbers, part in zip(hands, start.hands, strict=True))
        return State(player, (first, second), table[0] if table else start.table)  # type: ignore[arg-type]

    # Its words. Players are "Player 1" and "Player 2" here; whoever shows a line puts in their names.

    def phrases(self, state: State[Hand, Table] | None) -> Iterable[tuple[str, Move]]:
        """Further ways to write a move, some of which only a position makes clear."""
        return ()

    def view(self, state: State[Hand, Table]) -> list[str]:
        """What both players see."""
        return [f"{called(0)}: {state.hands[0]}", f"{called(1)}: {state.hands[1]}", f"Between them: {state.table}"]

    def welcome(self, state: State[Hand, Table]) -> list[str]:
        """The lines that open a game."""
        return [f"Welcome to {self.title}!", *self.view(state)]

    def turn(self, state: State[Hand, Table]) -> list[str]:
        """The lines that open a turn."""
        return []

    def announce(self, state: State[Hand, Table], move: Move, after: State[Hand, Table]) -> list[str]:
        """The lines that tell what a move did."""
        return [f"{called(state.player)} plays {move}."]

    def ending(self, state: State[Hand, Table], outcome: Outcome) -> list[str]:
        """The lines that end a game."""
        return [outcome.reason, self.victory(outcome.winner)]

    def victory(self, winner: int | None) -> str:
        """The line that names the winner."""
        return "The game is a draw." if winner is None else f"{called(winner)} wins the game!"

    # What follows for every game.

    @property
    def id(self) -> str:
        return self.title.lower().replace(" ", "-")

    @property
    def title(self) -> str:
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__)

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """The options of the game, as the book sets them."""
        return tuple(
            Option(f.metadata["name"] or f.name, f.name, f.default, f.metadata["kind"], f.metadata["about"])
            for f in fields(cls)
        )

    @property
    def values(self) -> dict[str, Any]:
        """The options of this variant by name, ready for JSON."""
        found = {option.name: getattr(self, option.field) for option in self.options()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}

    @property
    def goal(self) -> int | None:
        """The score that wins, where a game has such an option."""
        return getattr(self, "target", None)

    def placed(self, state: State[Hand, Table]) -> dict[str, Any]:
        """A position as JSON values: whose turn it is, 1 or 2, and the numbers of each hand and of the table."""
        board = self.board(state)
        return {
            "player": state.player + 1,
            "hands": [hand.numbers for hand in board.hands],
            "table": board.table.numbers,
        }

    def position(self, placed: object) -> State[Hand, Table]:
        """The position that JSON values describe, reachable or not; raises ValueError with the reason if none is.

        >>> from digitduels.games import game
        >>> game("operation-target").position({"player": 2, "hands": [[1, 0], [1, 1]], "table": [7]})
        State(player=1, hands=('x2', None), table=7)
        """
        model = self.board(self.start())
        shape = [len(side.numbers) for side in (*model.hands, model.table)]
        match placed:
            case {"player": 1 | 2 as player, "hands": [list(first), list(second)], "table": list(table)}:
                parts = first, second, table
                if type(player) is int and [len(part) for part in parts] == shape:
                    for side, numbers in zip((*model.hands, model.table), parts, strict=True):
                        self._check(side, numbers)
                    return self.arrange(player - 1, (first, second), table)
        raise ValueError(f"A position of {self.title} looks like {self.placed(self.start())}.".replace("'", '"'))

    def _check(self, side: Side, numbers: list[Any]) -> None:
        """Raises ValueError if numbers do not fit what they stand for."""
        kinds = [] if side.score is None else [("A score", side.lowest, self.goal)]
        kinds += [(f"What is left of {stock.label}", 0, stock.of) for stock in side.stocks]
        for number, (what, low, high) in zip(numbers, kinds, strict=True):
            if type(number) is not int or number < low or (high is not None and number > high):
                upper = "up" if high is None else f"to {quoted(high)}"
                raise ValueError(f"{what} must be a whole number from {low} {upper}; {quoted(number)} is not.")

    def permitted(self, state: State[Hand, Table]) -> tuple[Move, ...]:
        """The moves that no rule forbids, in the order of `moves`, in a game that is not over."""
        known: dict[Hashable, tuple[Move, ...]] = self._permitted
        key = self.legality(state)
        found = known.get(key)
        if found is None:
            if len(known) >= _REMEMBERED:
                known.clear()
            possible = (moves for begun, moves in self._begun if begun is None or self.forbids(state, begun) is None)
            found = known[key] = tuple(
                move for moves in possible for move in moves if self.forbids(state, move) is None
            )
        return found

    def legal_moves(self, state: State[Hand, Table]) -> list[Move]:
        """The moves that may be played; none when the game is over."""
        return [] if self.outcome(state) is not None else list(self.permitted(state))

    def objection(self, state: State[Hand, Table], move: Move) -> str | None:
        """Why the move may not be played, or None. Judges a move whose later fields are still None, too."""
        return "The game is over." if self.outcome(state) is not None else self.forbids(state, move)

    def play(self, state: State[Hand, Table], move: Move) -> State[Hand, Table]:
        """The position after `move`; raises IllegalMove with the reason if it is forbidden."""
        if move not in self._known:
            raise InvalidMove(f"{quoted(move)} is no move of {self.title}; read() makes one from a text.")
        reason = self.objection(state, move)
        if reason is not None:
            raise IllegalMove(reason)
        return self.after(state, move)

    def read(self, text: str, state: State[Hand, Table] | None = None) -> Move:
        """The move that a text means; raises InvalidMove if it is none. Some texts need the position to be clear."""
        key = spelled(text)
        for phrase, move in self.phrases(state):
            if spelled(phrase) == key:
                return move
        if key not in self._tokens:
            few = self.moves if len(self.moves) < 10 else (self.moves[0], self.moves[-1])
            raise InvalidMove(f"{quoted(text)} is no move of {self.title}. Moves look like {', '.join(map(str, few))}.")
        return self._tokens[key]

    def choices(self, state: State[Hand, Table], chosen: Sequence[Any] = ()) -> list[Any]:
        """What the next field of a move may be, after the fields already chosen."""
        count = len(chosen)
        begun = (move for move in self.legal_moves(state) if move[:count] == tuple(chosen))
        return list(dict.fromkeys(move[count] for move in begun))

    def answer(self, state: State[Hand, Table], chosen: Sequence[Any], text: str) -> tuple[Any, ...]:
        """`chosen` and one field more, as answered by `text`; the first question may be answered with a whole move.

        Raises InvalidMove for a text that answers nothing, IllegalMove for an answer that the rules forbid here.
        """
        possible = self.choices(state, chosen)
        key = spelled(text)
        whole: Move | None = None
        if self.menu and not key[1]:
            counted: dict[Key, Any] = {((str(number),), ()): value for number, value in enumerate(possible, 1)}
            found = counted.get(key)
        else:
            found = self._answers[len(chosen)].get(key)
            # A bare "-3" is a slip for a number at least as often as a move, and may cost a turn: not taken for one.
            if found is None and not chosen and not re.fullmatch(r"\s*[-−–]\s*\d+\s*", text):
                whole = self._whole(state, text)
        if found is None and whole is None:
            raise InvalidMove(f"{quoted(text)} is not possible here. Possible: {self.offer(possible)}.")
        answered = whole if whole is not None else (*chosen, found)
        reason = self.objection(state, self.partial(answered))
        if reason is not None:
            raise IllegalMove(reason)
        return tuple(answered)

    def offer(self, values: Iterable[Any]) -> str:
        """Values of a field in a row, as people answer with them."""
        labels = [self.labels.get(value, str(value)) for value in values]
        return ", ".join(f"[{place}] {label}" if self.menu else label for place, label in enumerate(labels, 1))

    def partial(self, chosen: Sequence[Any]) -> Move:
        """A move whose first fields are chosen and whose others are None."""
        kind = type(self.moves[0])
        return kind(*chosen, *[None] * (len(self.prompts) - len(chosen)))

    def _whole(self, state: State[Hand, Table], text: str) -> Move | None:
        try:
            return self.read(text, state)
        except InvalidMove:
            return None

    @cached_property
    def _permitted(self) -> dict[Hashable, tuple[Move, ...]]:
        return {}

    @cached_property
    def _begun(self) -> list[tuple[Move | None, tuple[Move, ...]]]:
        """The moves in order by their first field, and that field alone: where it is forbidden, they all are."""
        if len(self.prompts) == 1:
            return [(None, self.moves)]
        return [(self.partial((first,)), tuple(moves)) for first, moves in groupby(self.moves, itemgetter(0))]

    @cached_property
    def _known(self) -> frozenset[Move]:
        return frozenset(self.moves)

    @cached_property
    def _tokens(self) -> dict[Key, Move]:
        return {spelled(str(move)): move for move in self.moves}

    @cached_property
    def _answers(self) -> list[dict[Key, Any]]:
        """For each field of a move: what people may write, and the value it stands for."""
        columns = [dict.fromkeys(column) for column in zip(*self.moves, strict=True)]
        return [
            {spelled(text): value for value in column for text in (str(value), self.labels.get(value, str(value)))}
            for column in columns
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, option.field) for option in self.options())
