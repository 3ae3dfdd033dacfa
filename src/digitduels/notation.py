"""Move notation: parses what people type, as a move or as one field of a move."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from digitduels.text import Key, quoted, spelled

_BARE_MINUS = re.compile(r"\s*[-–]\s*(\d{1,9})\s*")


class Notation:
    """The accepted spellings of a game's moves and of each field of a move."""

    def __init__(self, moves: Sequence[Any], labels: Mapping[Any, str], menu: bool) -> None:
        self.moves = moves
        self.labels = labels
        self.menu = menu
        self._tokens = {str(move): move for move in moves}
        self._spelled: dict[Key, Any] = {spelled(token): move for token, move in self._tokens.items()}
        self._fields: list[dict[Key, Any]] = [
            {spelled(text): value for value in dict.fromkeys(column) for text in (str(value), self.label(value))}
            for column in zip(*moves, strict=True)
        ]

    def label(self, value: Any) -> str:
        """How people write a field's value."""
        return self.labels.get(value, str(value))

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

    def field(self, index: int, text: str, possible: Sequence[Any]) -> Any | None:
        """Parses the value of a field. In a menu, a bare number picks the choice with that number."""
        key = spelled(text)
        if self.menu and not key[1]:
            numbered: dict[Key, Any] = {((str(number),), ()): value for number, value in enumerate(possible, 1)}
            return numbered.get(key)
        return self._fields[index].get(key)

    def may_be_a_move(self, text: str) -> bool:
        """Whether an answer to the first question can be a whole move.

        "-3" cannot: it is a typo for 3 at least as often as a subtraction, which may cost the turn. "−3" can: nobody
        types the minus sign that we print by accident.
        """
        return not (self.menu and not spelled(text)[1]) and not _BARE_MINUS.fullmatch(text)

    def bare_minus(self, text: str) -> str | None:
        """The number after a bare minus, if the game can subtract it."""
        match = _BARE_MINUS.fullmatch(text)
        return match[1] if match and self.move(f"minus {match[1]}") is not None else None

    def offer(self, values: Iterable[Any]) -> str:
        """A list of choices for a field, as people type them."""
        labels = [self.label(value) for value in values]
        return ", ".join(f"[{number}] {label}" if self.menu else label for number, label in enumerate(labels, 1))

    def examples(self) -> str:
        """Examples of moves: all of them if there are few, otherwise the first and the last."""
        return ", ".join(map(str, self.moves if len(self.moves) < 10 else (self.moves[0], self.moves[-1])))

    def unknown(self, text: str, title: str) -> str:
        """The message for a text that is not a move."""
        return f"{quoted(text)} is not a move in {title}. Moves look like {self.examples()}."
