"""What every duel has in common: a position, the rules of a game, and everything that follows from them.

A game file states its rules (`moves`, `longest`, `start`, `forbids`, `after`, `outcome`), how a position looks, and its
words. Legal moves and the checks around a move are derived here, once, for all games.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, cast

from digitduels.notation import MoveField, Notation
from digitduels.options import Option, shown
from digitduels.sentence import PLAYERS, Names, Played, Playing, Sentence, signed
from digitduels.text import quoted

Hand = TypeVar("Hand", bound=Hashable)
Table = TypeVar("Table", bound=Hashable)
Move = TypeVar("Move", bound=tuple[Any, ...])


class MoveError(ValueError):
    """A move that cannot be played, with the reason."""

    @property
    def reason(self) -> str:
        """Why the move cannot be played; a Sentence if the rules forbid it."""
        return cast(str, self.args[0])


class InvalidMove(MoveError):
    """A text that is not a move in this game at all."""


class IllegalMove(MoveError):
    """A move that the rules forbid in this position."""


class TooLarge(ValueError):
    """A game with too many positions to solve within the memory limit."""


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
        """The hand of the waiting player."""
        return self.hands[1 - self.player]

    def then(self, mine: Hand, theirs: Hand, table: Table) -> State[Hand, Table]:
        """The position after a move that leaves these hands and this table; it is the other player's turn."""
        # Built as a tuple, which takes half the time of calling State.
        fields = (1, (mine, theirs), table) if self[0] == 0 else (0, (theirs, mine), table)
        return tuple.__new__(State, fields)


class Outcome(NamedTuple):
    """The end of a game: the winner (0, 1, or None for a draw) and why, in a sentence for people."""

    winner: int | None
    reason: Sentence


class Stock(NamedTuple):
    """A supply of one kind of thing: its label, how many are left, and how many there were at first."""

    label: str
    left: int
    of: int


class Side(NamedTuple):
    """The visible part of a hand or of the table: a score, and stocks that get used up."""

    score: int | None = None
    stocks: tuple[Stock, ...] = ()
    lowest: int = 0
    """The lowest possible score."""

    @property
    def numbers(self) -> list[int]:
        """The score, if there is one, and how many are left of each stock."""
        left = [stock.left for stock in self.stocks]
        return left if self.score is None else [self.score, *left]


class Board(NamedTuple):
    """A position as people see it and set it up: both hands and the table."""

    hands: tuple[Side, Side]
    table: Side

    @property
    def scores(self) -> tuple[int | None, int | None, int | None]:
        """The score of each hand and of the table."""
        first, second = self.hands
        return first.score, second.score, self.table.score


class Effect(NamedTuple):
    """What a legal move does, by the rules alone."""

    equation: str | None
    """The arithmetic of the move, such as `45 × 10 = 450`, or None."""
    result: int | None
    """The result of the equation, before the rules change it."""
    scores: tuple[int | None, int | None]
    """The scores of Player 1 and Player 2 after the move; a shared number counts as both players' score."""
    note: Sentence | None
    """What else happens, in a sentence about the player who moves: "Over 50: back to 0."."""
    tone: str
    """"good" or "bad" for the player who moves, or "neutral"."""


OVER = Sentence("The game is over.")
_CACHE_SIZE = 100_000  # sets of legal moves that a game caches


@dataclass(frozen=True)
class Game(Generic[Hand, Table, Move]):
    """The rules of a duel. Its fields are its options, so a variant is a game with other values.

    The docstring of a game is its rule card: a first line that sums it up, then the rules for people. The docstring
    and the rulings are templates, filled in with the variant's own `facts`.
    """

    rulings: ClassVar[tuple[str, ...]] = ()
    """How we settle what the book leaves open or gets wrong."""
    example: ClassVar[str] = ""
    """Moves of an instructive short game, as tokens."""
    spellings: ClassVar[tuple[str, ...]] = ()
    """A few examples of how people can type moves."""
    move_fields: ClassVar[tuple[MoveField, ...]] = (MoveField(),)
    """How people are asked for each field of a move, in order."""

    def __post_init__(self) -> None:
        for option in self.options():
            value = getattr(self, option.field)
            if isinstance(value, list):
                value = tuple(value)
                object.__setattr__(self, option.field, value)
            if not option.kind.accepts(value):
                raise ValueError(f"{option.name} must be {option.kind}; {shown(value)} is not.")

    # The rules. A game file must define these six; `forbids` and `after` are called without checks.

    @property
    @abstractmethod
    def moves(self) -> tuple[Move, ...]:
        """Every move the game can ever allow, in a fixed order: the index is the move's action id."""

    @property
    @abstractmethod
    def longest(self) -> int:
        """The maximum number of moves in a game."""

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
        """A cache key for the legal moves: positions with the same key have the same legal moves."""
        return state

    def final_score(self, hand: Hand) -> int | None:
        """The score that decides a game when nothing is left to take: the outcome depends only on which is higher.

        None if it depends on more than that. Then the solver calls `outcome` for every pair of hands.
        """
        return None

    # How a position looks. The page uses this to draw positions, and people to set them up.

    def board(self, state: State[Hand, Table]) -> Board:
        """A position as people see it."""
        first, second, table = (Side(part if isinstance(part, int) else None) for part in (*state.hands, state.table))
        return Board((first, second), table)

    def arrange(self, player: int, hands: Sequence[Sequence[int]], table: Sequence[int]) -> State[Hand, Table]:
        """The position whose board shows these numbers; raises ValueError if there is none."""
        start = self.start()
        first, second = (numbers[0] if numbers else part for numbers, part in zip(hands, start.hands, strict=True))
        return State(player, (first, second), table[0] if table else start.table)  # type: ignore[arg-type]

    # What a move does.

    def effect(self, state: State[Hand, Table], move: Move) -> Effect:
        """What a legal move does. Games override this to add the arithmetic and its consequences."""
        after = self.after(state, move)
        return Effect(None, None, self.scores(after), None, outcome_tone(state.player, self.outcome(after)))

    def scores(self, state: State[Hand, Table]) -> tuple[int | None, int | None]:
        """Each player's score."""
        first, second, shared = self.board(state).scores
        return (first, second) if shared is None else (shared, shared)

    def report(self, state: State[Hand, Table], move: Move, effect: Effect | None = None) -> Sentence:
        """What a legal move does, in one line for people: the equation, its consequences and the new score.

        Pass the move's `effect` if you have it already.

        >>> from digitduels.games import game
        >>> rules = game("number-duel")
        >>> rules.report(State(0, (45, 7), rules.start().table), rules.read("x10"))
        'Player 1: 45 × 10 = 450. Over 50: back to 0.'
        """
        effect, player = effect or self.effect(state, move), state.player
        score = effect.scores[player]
        fields: dict[str, Any] = {
            "move": effect.equation or Played(move, player),
            "note": effect.note,
            "score": signed(score),
        }
        parts = ["{move}."]
        if effect.note is not None:
            parts.append("{note}")
        # If the rules change the result, the note already says what the score is.
        if effect.result not in (None, score) and (effect.note is None or effect.tone != "bad"):
            parts.append("Score: {score}.")
        text = " ".join(parts)
        return Sentence(f"{{player}}: {text}", you=f"You: {text}", player=player, **fields)

    # The words. Each line is a Sentence, so that it can be addressed to a reader and use the players' names.

    def phrases(self, state: State[Hand, Table] | None, names: Names) -> Iterable[tuple[str, Move]]:
        """More ways to write a move. Some depend on the position and the players' names."""
        return ()

    def view(self, state: State[Hand, Table]) -> list[str]:
        """The lines that show a position to both players."""
        lines = [Sentence("{player}: {hand}", player=player, hand=state.hands[player]) for player in (0, 1)]
        return [*lines, Sentence("Between them: {table}", table=state.table)]

    def welcome(self, state: State[Hand, Table]) -> list[str]:
        """The lines that open a game."""
        return [f"Welcome to {self.title}!", *self.view(state)]

    def turn(self, state: State[Hand, Table]) -> list[str]:
        """The lines that open a turn. A Sentence that is empty in the reader's form is left out."""
        return []

    def announce(self, state: State[Hand, Table], move: Move, after: State[Hand, Table]) -> list[str]:
        """The lines that say what a move did. A Sentence that is empty in the reader's form is left out."""
        player = state.player
        return [
            Sentence(
                "{player} {plays}.",
                you="You {play}.",
                player=player,
                plays=Playing("plays", move, player),
                play=Playing("play", move, player),
            )
        ]

    def ending(self, state: State[Hand, Table], outcome: Outcome) -> list[str]:
        """The lines that end a game."""
        return [outcome.reason, self.victory(outcome.winner)]

    def victory(self, winner: int | None) -> str:
        """The line that names the winner."""
        if winner is None:
            return Sentence("The game is a draw.")
        wins = Sentence("{player} wins!", you="You win!", player=winner)
        return Sentence("{player} wins the game!", you="You win the game!", page=wins, player=winner)

    # What every game inherits.

    @property
    def id(self) -> str:
        return self.title.lower().replace(" ", "-")

    @property
    def title(self) -> str:
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__)

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """The options of the game, with the book's values."""
        return tuple(
            Option(
                f.metadata["name"] or f.name,
                f.name,
                f.default,
                *(f.metadata[key] for key in ("kind", "about", "rules")),
            )
            for f in fields(cls)
        )

    @property
    def values(self) -> dict[str, Any]:
        """The options of this variant by name, ready for JSON."""
        values = {option.name: getattr(self, option.field) for option in self.options()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @property
    def changes(self) -> dict[str, Any]:
        """The options that differ from the book, and their values.

        >>> from digitduels.games import game
        >>> game("number-duel", target=60).changes
        {'target': 60}
        """
        values = ((option, getattr(self, option.field)) for option in self.options())
        return {option.name: value for option, value in values if value != option.default}

    @property
    def facts(self) -> dict[str, object]:
        """Values for the templates of the rule card and the rulings: the options, and words derived from them."""
        return {option.name: getattr(self, option.field) for option in self.options()}

    def permitted(self, state: State[Hand, Table]) -> tuple[Move, ...]:
        """The legal moves in a game that is not over, in the order of `moves`."""
        cache: dict[Hashable, tuple[Move, ...]] = self._permitted
        key = self.legality(state)
        legal = cache.get(key)
        if legal is None:
            if len(cache) >= _CACHE_SIZE:
                cache.clear()
            groups = (moves for begun, moves in self._groups if begun is None or self.forbids(state, begun) is None)
            legal = cache[key] = tuple(move for moves in groups for move in moves if self.forbids(state, move) is None)
        return legal

    def legal_moves(self, state: State[Hand, Table]) -> list[Move]:
        """The legal moves; an empty list when the game is over."""
        return [] if self.outcome(state) is not None else list(self.permitted(state))

    def objection(self, state: State[Hand, Table], move: Move) -> str | None:
        """Why the move is not legal, or None. Also works for a move whose later fields are still None."""
        return OVER if self.outcome(state) is not None else self.forbids(state, move)

    def play(self, state: State[Hand, Table], move: Move) -> State[Hand, Table]:
        """The position after `move`; raises IllegalMove with the reason if it is forbidden."""
        if move not in self._known:
            raise InvalidMove(f"{quoted(move)} is not a move in {self.title}. Use read() to get one from a text.")
        reason = self.objection(state, move)
        if reason is not None:
            raise IllegalMove(reason)
        return self.after(state, move)

    def read(self, text: str, state: State[Hand, Table] | None = None, names: Names = PLAYERS) -> Move:
        """Parses a move; raises InvalidMove if the text is not one. Some texts depend on the position."""
        move = self._notation.move(text, self.phrases(state, names))
        if move is None:
            raise InvalidMove(self._notation.unknown(text, self.title))
        return cast(Move, move)

    @cached_property
    def _permitted(self) -> dict[Hashable, tuple[Move, ...]]:
        return {}

    @cached_property
    def _groups(self) -> list[tuple[Move | None, tuple[Move, ...]]]:
        """The moves grouped by their first field. If that field is forbidden, so is the whole group."""
        if len(self.move_fields) == 1:
            return [(None, self.moves)]
        partial = self._notation.partial
        return [(partial((first,)), tuple(moves)) for first, moves in groupby(self.moves, itemgetter(0))]

    @cached_property
    def _known(self) -> frozenset[Move]:
        return frozenset(self.moves)

    @cached_property
    def _notation(self) -> Notation:
        return Notation(self.moves, self.move_fields)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, option.field) for option in self.options())


def notation_of(game: Game[Any, Any, Any]) -> Notation:
    """How the moves of a game are written."""
    return game._notation


def outcome_tone(player: int, outcome: Outcome | None) -> str:
    """Whether an outcome is "good" or "bad" for a player; "neutral" if the game goes on or is a draw."""
    if outcome is None or outcome.winner is None:
        return "neutral"
    return "good" if outcome.winner == player else "bad"


def winning_score(game: Game[Any, Any, Any]) -> int | None:
    """The score that wins, if the game has such an option."""
    return getattr(game, "target", None)
