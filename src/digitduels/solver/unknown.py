"""Unknown integers and hands: a rule that is asked about them is asked about many positions at once.

An Unknown stands for every value that a part of a position can have. Arithmetic applies to all values. A comparison
answers if the answer is the same for all of them. Otherwise it raises Split, and the check divides the values into
cases and asks again. So does everything else that a rule may do with an integer, such as using it as an index or a key.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from numbers import Number
from typing import Any

Values = list[int]

LARGEST_OPERAND = 1 << 31  # larger integers are asked about one by one


class Split(BaseException):
    """A rule depends on an unknown part of a position. Not an Exception, because rules may catch those."""

    def __init__(self, part: Hashable, classes: Sequence[Hashable]) -> None:
        self.part = part
        self.classes = classes
        """[candidate]: candidates of the same class are one case."""


class Unknown:
    """An integer of which only the possible values are known, at least two: a sum of one term for each part."""

    __slots__ = ("high", "low", "terms")
    __class__ = int  # type: ignore[assignment]  # rules may call isinstance

    def __init__(self, terms: dict[Hashable, Values], low: int, high: int) -> None:
        self.terms = terms
        """[part][candidate]: a value."""
        self.low = low
        self.high = high

    def split(self) -> Split:
        return Split(*next(iter(self.terms.items())))

    def add(self, other: Any) -> int | Unknown:
        if type(other) is int and -LARGEST_OPERAND < other < LARGEST_OPERAND:
            if not other:
                return self
            part, values = next(iter(self.terms.items()))
            return Unknown(
                self.terms | {part: [value + other for value in values]}, self.low + other, self.high + other
            )
        if isinstance(other, Unknown) and self.terms.keys().isdisjoint(other.terms):
            return Unknown(self.terms | other.terms, self.low + other.low, self.high + other.high)
        return self.calculate(operator.add, self, other)

    def calculate(self, operation: Callable[[Any, Any], Any], first: Any, second: Any) -> int | Unknown:
        operands = self.operand(first), self.operand(second)
        if operation in (operator.floordiv, operator.mod) and not all(operands[1]):
            raise self.split()
        return unknown(next(iter(self.terms)), list(map(operation, *operands)))

    def compare(self, relation: Callable[[Any, Any], Any], other: Any) -> bool:
        equality = relation in (operator.eq, operator.ne)
        if not isinstance(other, Unknown) and isinstance(other, int):
            answers = relation(self.low, other), relation(self.high, other)
            if answers[0] == answers[1] and not (equality and self.low <= other <= self.high):
                return bool(answers[0])
        elif equality and not isinstance(other, Unknown | Number):
            return relation is operator.ne
        truths = list(map(relation, self.operand(self), self.operand(other)))
        if all(truths) or not any(truths):
            return bool(truths[0])
        raise Split(next(iter(self.terms)), truths)

    def operand(self, value: Any) -> Values:
        """[candidate]: the values of an integer, or of an Unknown about the same single part."""
        is_unknown = isinstance(value, Unknown)
        if is_unknown and (len(value.terms) > 1 or value.terms.keys() != self.terms.keys()):
            raise self.split()
        low, high = (value.low, value.high) if is_unknown else (value, value)
        if not isinstance(low, int) or max(-low, high) >= LARGEST_OPERAND:
            raise self.split()
        values = next(iter((value if is_unknown else self).terms.values()))
        return values if is_unknown else [value] * len(values)

    def __bool__(self) -> bool:
        return self.compare(operator.ne, 0)

    def __hash__(self) -> int:
        part, values = next(iter(self.terms.items()))
        raise Split(part, range(len(values)))  # a key is often made of several integers

    def __getattr__(self, name: str) -> Any:
        if not hasattr(int, name):
            raise AttributeError(name)
        raise self.split()

    __add__ = __radd__ = add


def pick(values: Sequence[int], indices: Sequence[int]) -> Values:
    """The values at these indices. Asked for one by one, they would take several times as long."""
    if len(indices) < 2:
        return [values[index] for index in indices]
    return list(operator.itemgetter(*indices)(values))


def unknown(part: Hashable, values: Values) -> int | Unknown:
    """An integer that depends on one part, with these values."""
    low, high = min(values), max(values)
    return low if low == high else Unknown({part: values}, low, high)


def _define(name: str, operation: Callable[[Any, Any], Any]) -> None:
    setattr(Unknown, f"__{name}__", lambda self, other: self.calculate(operation, self, other))
    setattr(Unknown, f"__r{name}__", lambda self, other: self.calculate(operation, other, self))


def _define_comparison(name: str, relation: Callable[[Any, Any], Any]) -> None:
    setattr(Unknown, f"__{name}__", lambda self, other: self.compare(relation, other))


def _split(self: Unknown, *_: Any) -> Any:
    raise self.split()


for _name in ("sub", "mul", "floordiv", "mod"):
    _define(_name, getattr(operator, _name))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _define_comparison(_name, getattr(operator, _name))
for _name in ("truediv", "divmod", "pow", "lshift", "rshift", "and", "or", "xor"):
    setattr(Unknown, f"__{_name}__", _split)
    setattr(Unknown, f"__r{_name}__", _split)
for _name in ("abs", "neg", "pos", "invert", "int", "float", "index", "round", "str", "repr", "format", "reduce_ex"):
    setattr(Unknown, f"__{_name}__", _split)


class UnknownHands:
    """Hands of which only some candidates are known. They are unknown integers, or tuples of such."""

    def __init__(self, hands: Sequence[Any]) -> None:
        self.example = hands[0]
        rows = columns_of(hands)
        self.numbers: dict[Hashable, int] | None = None
        """A number for each hand, if the hands do not all consist of the same number of small integers."""
        if rows is None or any(max(-min(row), max(row)) >= LARGEST_OPERAND for row in rows):
            self.numbers = {hand: number for number, hand in enumerate(hands)}
            rows = [range(len(hands))]
        self.rows: list[Values] = list(map(list, rows))
        """[integer of the hand][hand]"""

    def value(self, part: Hashable, indices: Values) -> Any:
        """A hand that may be any of these."""
        if self.numbers is None:
            return _nested(self.example, iter([unknown(part, pick(row, indices)) for row in self.rows]))
        if len(indices) > 1:
            raise Split(part, indices)
        return list(self.numbers)[self.rows[0][indices[0]]]

    def integers(self, hand: Any) -> list[Any]:
        """The integers that a hand consists of, which may be unknown."""
        return flat(hand) if self.numbers is None else [self.numbers.setdefault(hand, len(self.numbers))]


def flat(value: Any) -> list[Any]:
    """What a value consists of, if it is a tuple of tuples."""
    return [leaf for part in value for leaf in flat(part)] if isinstance(value, tuple) else [value]


def _nested(example: Any, leaves: Iterator[Any]) -> Any:
    """A hand with the structure of an example, made of these leaves."""
    if not isinstance(example, tuple):
        return next(leaves)
    return tuple.__new__(type(example), [_nested(part, leaves) for part in example])


def columns_of(values: Sequence[Any]) -> list[Sequence[int]] | None:
    """The integers that values of the same structure consist of, column by column; None if there is anything else."""
    kinds = set(map(type, values))
    kind = kinds.pop()
    if kinds:
        return None
    if kind is int:
        return [values]
    if not issubclass(kind, tuple) or len(set(map(len, values))) > 1:
        return None
    parts = [columns_of(column) for column in zip(*values, strict=True)]
    return None if None in parts else [column for part in parts for column in part or ()]
