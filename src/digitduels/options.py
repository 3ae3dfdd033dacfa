"""Options: the numbers and words that a variant can change, their valid values, and how to parse them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, NamedTuple

from digitduels.text import quoted


class Integer(NamedTuple):
    """An integer from `low` to `high`."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"an integer from {self.low} to {_power(self.high)}"

    def accepts(self, value: object) -> bool:
        return type(value) is int and self.low <= value <= self.high

    def read(self, text: str) -> object:
        return int(text) if re.fullmatch(r"[+-]?[0-9]{1,4300}", text) else text


class Integers(NamedTuple):
    """A fixed number of integers, each from `low` to `high`, not all zero."""

    length: int
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.length} integers from {self.low} to {_power(self.high)}, not all zero"

    def accepts(self, value: object) -> bool:
        number = Integer(self.low, self.high)
        return isinstance(value, tuple) and len(value) == self.length and all(map(number.accepts, value)) and any(value)

    def read(self, text: str) -> object:
        return tuple(Integer(self.low, self.high).read(part.strip()) for part in text[:1000].strip("()[]").split(","))


class Choice(NamedTuple):
    """One of a few words."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(filter(None, (", ".join(self.words[:-1]), self.words[-1])))

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and value in self.words

    def read(self, text: str) -> object:
        return text.strip().lower()


Kind = Integer | Integers | Choice
_LARGE = 20


class Option(NamedTuple):
    """One option of a game: its name, its field, the book's value, its valid values and what it means."""

    name: str
    field: str
    default: Any
    kind: Kind
    about: str
    rules: tuple[str, ...] = ()
    """Each value as a rule, in a few words: one text for each word of a choice, else a text with {} for the value."""

    def rule(self, value: Any) -> str:
        """A value as a rule, in a few words.

        >>> Option("target", "target", 50, Integer(1, 99), "the score that wins", ("first to {}",)).rule(60)
        'first to 60'
        >>> Option("end", "end", "never", Choice(("never", "at-100")), "when it ends").rule("at-100")
        'when it ends: at 100'
        """
        if isinstance(self.kind, Choice):
            return (
                self.rules[self.kind.words.index(value)] if self.rules else f"{self.about}: {value.replace('-', ' ')}"
            )
        return (self.rules[0] if self.rules else f"{self.about}: {{}}").format(written(value).replace(",", ", "))


def option(default: Any, kind: Kind, about: str, name: str = "", rules: tuple[str, ...] = ()) -> Any:
    """A dataclass field that is an option of the game, named after the field unless `name` is given."""
    return field(default=default, metadata={"name": name, "kind": kind, "about": about, "rules": rules})


def settings(values: Mapping[str, Any]) -> str:
    """Options and their values, as people write them.

    >>> settings({"target": 60, "uses": (1, 2)})
    'target=60, uses=1,2'
    """
    return ", ".join(f"{name}={written(value)}" for name, value in values.items())


def written(value: object) -> str:
    """A value of an option as `--set` takes it."""
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def first_integer(options: Iterable[Option]) -> Option | None:
    """The first integer option, which is the target in our games; its other values are compared."""
    return next((option for option in options if isinstance(option.kind, Integer)), None)


def around(option: Option, value: Any = None) -> list[Any]:
    """The values of an option around one, by default the book's; for a large one, from half of it to twice as much."""
    book = option.default if value is None else value
    match option.kind:
        case Choice(words):
            return list(words)
        case Integer(low, high):
            first, last = (book // 2, 2 * book) if book >= _LARGE else (book - 6, book + 3)
            return list(range(max(low, first), min(high, last) + 1))
        case kind:
            changed = [
                tuple(number + by * (index == at) for index, number in enumerate(book))
                for at in range(kind.length)
                for by in (-1, 1)
            ]
            return [book, *(value for value in changed if kind.accepts(value))]


def shown(value: object) -> str:
    """A value of an option as a message quotes it; a list that was typed, as it was typed.

    >>> shown(("abc",)), shown((1, 2)), shown("7a")
    ("'abc'", '(1, 2)', "'7a'")
    """
    typed = isinstance(value, tuple) and any(isinstance(part, str) for part in value)
    return quoted(written(value) if typed else value)


def _power(number: int) -> str:
    """A number as people write it: 99, or 10^6."""
    if number < 10**6:
        return str(number)
    power = number.bit_length() * 30103 // 100000
    return f"10^{power}" if 10**power == number else str(number)
