"""Move notation: how people are asked for a move, and how what they type is parsed, as a move or as one field of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from digitduels.text import Key, quoted, spelled

_BARE_MINUS = re.compile(r"\s*[-–]\s*(\d{1,9})\s*")
_NONE: Mapping[Any, str] = MappingProxyType({})


class MoveField(NamedTuple):
    """One field of a move: how people are asked for it, and how they write its values."""

    prompt: str = "{player}, enter your move: "
    """The book's question, for the terminal."""
    question: str = "Choose your move"
    """The question on the page, where people press buttons."""
    labels: Mapping[Any, str] = _NONE
    """How people write a value, if that differs from the value itself."""
    menu: bool = False
    """Whether the choices are a numbered menu, in which a bare number picks one."""
    incomplete: Mapping[str, str] = _NONE
    """Incomplete answers, and the question that completes each of them."""
    slot: int | None = None
    """Where the page shows the field, if not in its turn. The page then asks for the fields one after the other."""

    def ask(self, name: str | None = None) -> str:
        """The book's question to a player. Somebody who plays alone is asked without a name.

        >>> MoveField().ask("Ann"), MoveField().ask()
        ('Ann, enter your move: ', 'Enter your move: ')
        """
        if name is not None:
            return self.prompt.format(player=name)
        question = self.prompt.removeprefix("{player}, ")
        return question[:1].upper() + question[1:]

    def label(self, value: Any) -> str:
        """How people write a value."""
        return self.labels.get(value, str(value))

    def offer(self, values: Iterable[Any]) -> str:
        """A list of choices, as people type them."""
        labels = map(self.label, values)
        return ", ".join(f"[{number}] {label}" if self.menu else label for number, label in enumerate(labels, 1))

    def completion(self, text: str) -> str | None:
        """The question that completes an incomplete answer, or None. Its first word and the answer make up the move."""
        key = spelled(text)
        return next((question for phrase, question in self.incomplete.items() if spelled(phrase) == key), None)


class Notation:
    """The accepted spellings of a game's moves and of each field of a move."""

    def __init__(self, moves: Sequence[Any], fields: Sequence[MoveField]) -> None:
        self.moves = moves
        self.fields = fields
        self.columns = [list(dict.fromkeys(column)) for column in zip(*moves, strict=True)]
        """All possible values of each field."""
        self._tokens = {str(move): move for move in moves}
        self._spelled: dict[Key, Any] = {spelled(token): move for token, move in self._tokens.items()}
        self._values: list[dict[Key, Any]] = [
            {spelled(text): value for value in column for text in (str(value), field.label(value))}
            for field, column in zip(fields, self.columns, strict=True)
        ]

    def move(self, text: str, phrases: Iterable[tuple[str, Any]] = ()) -> Any | None:
        """Parses a move: a token, in any spelling, or one of these phrases. None if it is neither."""
        move = self._tokens.get(text)  # the spelling of programs
        if move is not None:
            return move
        key = spelled(text)
        for phrase, move in phrases:
            if spelled(phrase) == key:
                return move
        return self._spelled.get(key)

    def value(self, index: int, text: str, possible: Sequence[Any]) -> Any | None:
        """Parses the value of a field. In a menu, a bare number picks the choice with that number."""
        key = spelled(text)
        if self.fields[index].menu and not key[1]:
            numbered: dict[Key, Any] = {((str(number),), ()): value for number, value in enumerate(possible, 1)}
            return numbered.get(key)
        return self._values[index].get(key)

    def partial(self, chosen: Sequence[Any]) -> Any:
        """A move with these first fields. The other fields are None."""
        return type(self.moves[0])(*chosen, *[None] * (len(self.fields) - len(chosen)))

    def may_be_a_move(self, text: str) -> bool:
        """Whether an answer to the first question can be a whole move.

        "-3" cannot: it is a typo for 3 at least as often as a subtraction, which may cost the turn. "−3" can: nobody
        types the minus sign that we print by accident.
        """
        return not (self.fields[0].menu and not spelled(text)[1]) and not _BARE_MINUS.fullmatch(text)

    def bare_minus(self, text: str) -> str | None:
        """The number after a bare minus, if the game can subtract it."""
        match = _BARE_MINUS.fullmatch(text)
        return match[1] if match and self.move(f"minus {match[1]}") is not None else None

    def examples(self) -> str:
        """Examples of moves: all of them if there are few, otherwise the first and the last."""
        return ", ".join(map(str, self.moves if len(self.moves) < 10 else (self.moves[0], self.moves[-1])))

    def unknown(self, text: str, title: str) -> str:
        """The message for a text that is not a move."""
        return f"{quoted(text)} is not a move in {title}. Moves look like {self.examples()}."
