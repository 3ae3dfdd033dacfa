"""A position as a row of numbers of fixed length, and its legal moves as a mask, for any game.

The row has the viewer's own hand, then the other hand, then the table, each taken apart until only numbers and words
are left. A number stands for itself, a pool for how many it holds of 1, 2, …, and a word (such as the last operation)
for one entry per word there is, 1 for the one it is. What is None has no 1 among its words. Numbers beyond 32 bits are
shown as the nearest that fits.

>>> from digitduels.games import game
>>> view = Observation(game("operation-target"))
>>> view.names
('mine +1', 'mine x2', 'theirs +1', 'theirs x2', 'table')
>>> rules, state = view.game, view.game.start()
>>> view.array(rules.play(state, rules.read("x2")))
array([0, 0, 0, 1, 2], dtype=int32)
>>> view.mask(state)
array([1, 1], dtype=int8)
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.pool import Pool
from digitduels.text import quoted

Row = npt.NDArray[np.int32]
Mask = npt.NDArray[np.int8]

LOWEST, HIGHEST = int(np.iinfo(np.int32).min), int(np.iinfo(np.int32).max)
_GAMES, _PLIES = 10, 200  # random games that are looked at to learn what hands and tables are
_REMEMBERED = 10_000  # the largest number of masks and hands that are kept


class Entry(NamedTuple):
    """One number of the row: what it is called and between which bounds it stays."""

    name: str
    low: int = LOWEST
    high: int = HIGHEST


class Observation:
    """How the positions of a game are shown as rows, and its legal moves as masks."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        states = list(_some_positions(game))
        words = list(dict.fromkeys(field for move in game.moves for field in move if isinstance(field, str)))
        hand, self.hand = _part("mine", [hand for state in states for hand in state.hands], words)
        table, self._table = _part("table", [state.table for state in states], words)
        others = [entry._replace(name=entry.name.replace("mine", "theirs", 1)) for entry in hand]
        self.entries = (*hand, *others, *table)
        self.names = tuple(entry.name for entry in self.entries)
        self.shape = (len(self.entries),)
        self.low: Row = np.array([entry.low for entry in self.entries], np.int32)
        self.high: Row = np.array([entry.high for entry in self.entries], np.int32)
        self.ids = {move: place for place, move in enumerate(game.moves)}
        self._masks: dict[Hashable, Mask] = {}

    def array(self, state: State[Any, Any], player: int | None = None) -> Row:
        """The position as `player` sees it, or the player to move."""
        seat, hands, table = state
        viewer = seat if player is None else player
        row = [*self.hand(hands[viewer]), *self.hand(hands[1 - viewer]), *self._table(table)]
        try:
            return np.array(row, np.int32)
        except OverflowError:
            return np.array([min(max(number, LOWEST), HIGHEST) for number in row], np.int32)

    def mask(self, state: State[Any, Any]) -> Mask:
        """For each of the game's moves in order whether it is legal, 1 or 0; all 0 when the game is over."""
        game = self.game
        return self.nothing() if game.outcome(state) is not None else self.permitted(state)

    def permitted(self, state: State[Any, Any]) -> Mask:
        """The same in a game that is known to go on."""
        key = self.game.legality(state)
        found = self._masks.get(key)
        if found is None:
            found = self.nothing()
            found[[self.ids[move] for move in self.game.permitted(state)]] = 1
            if len(self._masks) >= _REMEMBERED:
                self._masks.clear()
            self._masks[key] = found
        return found.copy()

    def refusal(self, state: State[Any, Any], action: Any) -> str | None:
        """Why an action, whatever it is, may not be taken; None if it is the number of a legal move."""
        count = len(self.ids)
        try:
            place = operator.index(action)  # learners also return arrays of no dimensions
        except TypeError:
            place = -1
        if not 0 <= place < count:
            return f"{quoted(action)} is not an action in {self.game.title}; actions are 0 to {count - 1}."
        return self.game.objection(state, self.game.moves[place])

    def nothing(self) -> Mask:
        """The mask of a player who may not move."""
        return np.zeros(len(self.ids), np.int8)


def _some_positions(game: AnyGame) -> Iterator[State[Any, Any]]:
    """The positions of a few random games, always the same ones."""
    dice = random.Random(0)
    for _ in range(_GAMES):
        state = game.start()
        yield state
        for _ in range(_PLIES):
            if game.outcome(state) is not None:
                break
            state = game.after(state, dice.choice(game.permitted(state)))
            yield state


class _Rows(dict[Any, list[int]]):
    """What stands for each word."""

    def __missing__(self, word: object) -> list[int]:
        raise ValueError(
            f"{quoted(word)} is not a word of a move and did not occur in the sample games: it has no entry."
        )


def _part(name: str, seen: Sequence[Any], words: list[str]) -> tuple[list[Entry], Callable[[Any], Iterable[int]]]:
    """The entries of a hand, a table or a part of one, and what makes its numbers of a value."""
    first = seen[0]
    if isinstance(first, Pool):
        return [
            Entry(f"{name} {n}", 0, first.copies) for n in range(1, len(first.counts) + 1)
        ], lambda pool: pool.counts
    if isinstance(first, tuple):
        if len({len(value) if isinstance(value, tuple) else None for value in seen}) > 1:
            raise ValueError(f"What players see here as {name} changes its length, so it has no row of fixed length.")
        names = getattr(first, "_fields", range(1, len(first) + 1))
        parts = [
            _part(f"{name} {part}", column, words) for part, column in zip(names, zip(*seen, strict=True), strict=True)
        ]
        makers = [maker for _, maker in parts]
        entries = [entry for each, _ in parts for entry in each]

        @lru_cache(maxsize=_REMEMBERED)
        def flat(value: tuple[Any, ...]) -> tuple[int, ...]:
            return tuple(number for maker, part in zip(makers, value, strict=True) for number in maker(part))

        return entries, flat
    kinds = {type(value) for value in seen}
    if not kinds <= {int, bool, str, type(None)}:
        raise ValueError(f"What players see here as {name} is neither a number nor a word: {first!r}.")
    if kinds <= {int, bool}:
        return [Entry(name)], lambda number: (number,)
    found: list[str | None] = [None] if kinds & {int, bool} else []  # beside numbers None needs an entry of its own
    if str in kinds:
        found += [*words, *sorted({value for value in seen if isinstance(value, str)} - set(words))]
    rows = _Rows({word: [int(word == other) for other in found] for word in (None, *found)})
    entries = [Entry(f"{name} {word}", 0, 1) for word in found]
    if not kinds & {int, bool}:
        return entries, rows.__getitem__
    none = [0] * len(found)
    return [Entry(name), *entries], lambda value: (value, *none) if isinstance(value, int) else (0, *rows[value])
