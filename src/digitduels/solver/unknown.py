"""Unknown integers: a rule that is asked about them is asked about many positions at once.

An Unknown stands for every value that a part of a position can have. Arithmetic applies to all values. A comparison
answers if the answer is the same for all of them. Otherwise it raises Split, and the check divides the values into
cases and asks again. So does everything else that a rule may do with an integer, such as using it as an index or a key.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.int64]

LARGEST_OPERAND = 1 << 31  # the product of two smaller integers fits into 64 bits
_SHIFTS = operator.add, operator.sub
_DIVISIONS = operator.floordiv, operator.mod


class Split(BaseException):
    """A rule depends on an unknown part of a position. Not an Exception, because rules may catch those."""

    def __init__(self, part: Hashable, classes: npt.NDArray[Any]) -> None:
        self.part = part
        self.classes = classes
        """[candidate]: candidates of the same class are one case."""


class Unknown:
    """An integer of which only the possible values are known, at least two: one for each candidate of its part."""

    __slots__ = ("high", "low", "part", "rest", "values")

    def __init__(
        self, part: Hashable, values: Values, rest: Unknown | None = None, bounds: tuple[int, int] | None = None
    ) -> None:
        self.part = part
        self.values = values
        self.rest = rest
        """Another unknown integer to add to this one, about another part."""
        self.low: int
        self.high: int
        self.low, self.high = bounds or (int(values.min()), int(values.max()))

    def by_value(self) -> Split:
        return Split(self.part, self.values)

    def calculate(self, operation: Callable[[Any, Any], Any], other: Any, swapped: bool = False) -> int | Unknown:
        if operation is operator.add and type(other) is int and other == 0:  # as `sum` begins
            return self
        if operation is operator.add and isinstance(other, Unknown) and other.part != self.part and other.rest is None:
            return Unknown(other.part, other.values, self, (self.low + other.low, self.high + other.high))
        if isinstance(other, Unknown) and other.part == self.part and other.rest is None:
            operand: Any = other.values
        elif isinstance(other, int) and -LARGEST_OPERAND < other < LARGEST_OPERAND:
            operand = other
        else:
            raise self.by_value()
        if self.rest is not None and (operation is not operator.add or operand is not other):
            raise self.by_value()
        first, second = (operand, self.values) if swapped else (self.values, operand)
        if operation in _DIVISIONS and not np.all(second):
            raise self.by_value()
        bounds = None
        if operand is other and operation in _SHIFTS:  # saves time
            ends = [operation(other, end) if swapped else operation(end, other) for end in (self.low, self.high)]
            bounds = min(ends), max(ends)
        result = Unknown(self.part, operation(first, second), self.rest, bounds)
        if max(-result.low, result.high) >= LARGEST_OPERAND:
            raise self.by_value()
        return result.low if result.low == result.high else result

    def compare(self, relation: Callable[[Any, Any], Any], other: Any) -> bool:
        if isinstance(other, Unknown):
            if self.rest is not None or other.part != self.part or other.rest is not None:
                raise self.by_value()
            truths = relation(self.values, other.values)
        elif not isinstance(other, int):
            if relation in (operator.eq, operator.ne) and not isinstance(other, float | complex):
                return relation is operator.ne
            raise self.by_value()
        elif other > self.high or other < self.low:
            return bool(relation(self.low, other))  # the same for all values
        elif self.rest is not None:
            # A total: only its bounds are known.
            truths = np.array([relation(total, other) for total in (self.low, self.high)])
            if relation in (operator.eq, operator.ne) or truths[0] != truths[1]:
                raise self.by_value()
        else:
            truths = relation(self.values, other)
        if truths.all():
            return True
        if not truths.any():
            return False
        raise Split(self.part, truths)

    def __bool__(self) -> bool:
        return self.compare(operator.ne, 0)

    def __neg__(self) -> int | Unknown:
        return self.calculate(operator.sub, 0, swapped=True)

    def __hash__(self) -> int:
        raise Split(self.part, np.arange(len(self.values)))  # a key is often made of several integers

    def __getattr__(self, name: str) -> Any:
        if not hasattr(int, name):
            raise AttributeError(name)
        raise self.by_value()

    def __eq__(self, other: object) -> bool:
        return self.compare(operator.eq, other)

    def __ne__(self, other: object) -> bool:
        return self.compare(operator.ne, other)

    def __add__(self, other: Any) -> int | Unknown:
        return self.calculate(operator.add, other)

    __radd__ = __add__


def _calculation(operation: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[..., Any]:
    return lambda self, other: self.calculate(operation, other, swapped)


def _comparison(relation: Callable[[Any, Any], Any]) -> Callable[..., bool]:
    return lambda self, other: bool(self.compare(relation, other))


def _split_by_value(self: Unknown, *_: Any) -> Any:
    raise self.by_value()


for _name in ("sub", "mul", "floordiv", "mod"):
    setattr(Unknown, f"__{_name}__", _calculation(getattr(operator, _name)))
    setattr(Unknown, f"__r{_name}__", _calculation(getattr(operator, _name), swapped=True))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Unknown, f"__{_name}__", _comparison(getattr(operator, _name)))
for _name in ("truediv", "divmod", "pow", "lshift", "rshift", "and", "or", "xor"):
    setattr(Unknown, f"__{_name}__", _split_by_value)
    setattr(Unknown, f"__r{_name}__", _split_by_value)
for _name in (
    "abs",
    "pos",
    "invert",
    "int",
    "float",
    "index",
    "round",
    "trunc",
    "floor",
    "ceil",
    "str",
    "repr",
    "format",
):
    setattr(Unknown, f"__{_name}__", _split_by_value)
