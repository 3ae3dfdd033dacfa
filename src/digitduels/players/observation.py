"""Observations: a position as a row of numbers of fixed length, and its legal moves as a mask, for any game.

The row contains the viewer's own hand, the other hand and the table, each flattened to numbers and words. A number is
one entry. A pool has one entry for each number: how many copies it holds. A word, such as an operation, is one-hot
encoded, and None is all zeros. Numbers beyond 32 bits are clipped.

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
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.core import State, TooLarge
from digitduels.games import AnyGame
from digitduels.pool import Pool
from digitduels.solver.arrays import MOST_TABLES, Arrays, affordable, arrays, counts
from digitduels.solver.compiled import Compiled, DoesNotFactor, count_tables
from digitduels.solver.discovery import compile_game
from digitduels.solver.reference import all_positions
from digitduels.text import quoted

Row = npt.NDArray[np.int32]
Mask = npt.NDArray[np.int8]

LOWEST, HIGHEST = int(np.iinfo(np.int32).min), int(np.iinfo(np.int32).max)
_GAMES, _PLIES = 10, 200  # random games that show the structure of hands and tables
# Bounds are exact up to these numbers of hands (or positions) and pairs of hands and tables.
_HANDS = 10_000
_PAIRS = 5_000
_CACHE_SIZE = 10_000  # masks and hands


class Entry(NamedTuple):
    """One number of the row: its name and its bounds."""

    name: str
    low: int = LOWEST
    high: int = HIGHEST


class Observation:
    """Converts positions of a game to rows, and legal moves to masks."""

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
        self.ids = {move: index for index, move in enumerate(game.moves)}
        self._masks: dict[Hashable, Mask] = {}

    @cached_property
    def low(self) -> Row:
        """The lowest value of each entry."""
        return self._bounds[0]

    @cached_property
    def high(self) -> Row:
        """The highest value of each entry."""
        return self._bounds[1]

    @cached_property
    def _bounds(self) -> tuple[Row, Row]:
        known = _hands_and_tables(self.game)
        if known is None:
            sides = np.array([(entry.low, entry.high) for entry in self.entries], np.int32)
            return sides[:, 0].copy(), sides[:, 1].copy()
        hands, tables = (
            _clipped([list(show(value)) for value in values])
            for show, values in zip((self.hand, self._table), known, strict=True)
        )
        low, high = (
            np.concatenate([find(hands, axis=0), find(hands, axis=0), find(tables, axis=0)])
            for find in (np.min, np.max)
        )
        return low, high

    def array(self, state: State[Any, Any], player: int | None = None) -> Row:
        """The position as `player` sees it. Default: the player to move."""
        seat, hands, table = state
        viewer = seat if player is None else player
        return _clipped([*self.hand(hands[viewer]), *self.hand(hands[1 - viewer]), *self._table(table)])

    def mask(self, state: State[Any, Any]) -> Mask:
        """1 for each legal move and 0 for the others, in the order of `game.moves`; all 0 when the game is over."""
        game = self.game
        return self.nothing() if game.outcome(state) is not None else self.permitted(state)

    def permitted(self, state: State[Any, Any]) -> Mask:
        """The mask in a game that is not over."""
        key = self.game.legality(state)
        mask = self._masks.get(key)
        if mask is None:
            mask = self.nothing()
            mask[[self.ids[move] for move in self.game.permitted(state)]] = 1
            if len(self._masks) >= _CACHE_SIZE:
                self._masks.clear()
            self._masks[key] = mask
        return mask.copy()

    def refusal(self, state: State[Any, Any], action: Any) -> str | None:
        """Why an action of any type is not possible; None if it is the index of a legal move."""
        count = len(self.ids)
        try:
            index = operator.index(action)  # learners also return zero-dimensional arrays
        except TypeError:
            index = -1
        if not 0 <= index < count:
            return f"{quoted(action)} is not an action in {self.game.title}; actions are 0 to {count - 1}."
        return self.game.objection(state, self.game.moves[index])

    def nothing(self) -> Mask:
        """The mask of a player who may not move."""
        return np.zeros(len(self.ids), np.int8)


def _clipped(numbers: list[int] | list[list[int]]) -> Row:
    """An array of these numbers. Those beyond 32 bits are clipped."""
    try:
        return np.array(numbers, np.int32)
    except OverflowError:
        clipped: Row = np.clip(np.array(numbers, object), LOWEST, HIGHEST).astype(np.int32)
        return clipped


@lru_cache(maxsize=64)
def _hands_and_tables(game: AnyGame) -> tuple[list[Any], list[Any]] | None:
    """Hands and tables that contain the lowest and highest value of each entry; None if there are too many.

    The hands come from the compiled game. If the game cannot be compiled, this visits every position.
    """

    def grown(positions: int) -> None:
        if positions > tables * _HANDS**2:
            raise TooLarge("There are too many hands.")

    table, tables = game.start().table, count_tables(game)
    if tables > MOST_TABLES:
        return None
    try:
        compiled = compile_game(game, grown)
    except TooLarge:
        return None
    except DoesNotFactor:
        return _walk(game)
    form, hands = arrays(compiled)
    if compiled.takes.any(axis=1).all():
        hands = [hands[index] for index in _held(compiled, form)]
    pools = [Pool((count,) * len(table.counts), table.copies) for count in (0, table.copies)] if compiled.digits else []
    return hands, pools or [table]


def _held(compiled: Compiled, form: Arrays) -> list[int]:
    """The hands that a player can really hold in a game in which every move takes from the pool.

    The compiled game has hands for which a player would have to take the same numbers twice. If there are too many
    cases to exclude them, all hands are returned.
    """
    own = form.own
    start, count, every = compiled.game.start(), len(compiled.hands), int(own.max()) + 1
    pairs = np.array([(compiled.indices[hand], start.table.ordinal) for hand in set(start.hands)], np.int64)
    held = set(pairs[:, 0].tolist())
    for _ in range((compiled.game.longest + 1) // 2):
        if len(held) == every or len(pairs) > _PAIRS:
            return list(range(every))
        hands, tables = pairs[pairs[:, 0] < count].T
        legal = affordable(compiled, counts(compiled, tables)) & (own[hands] >= 0)
        after = [np.empty((0, 2), np.int64)]
        for move, need in enumerate(compiled.needs):
            these = legal[:, move]
            after.append(np.stack([own[hands[these], move], tables[these] - need], axis=1))
        pairs = np.unique(np.concatenate(after), axis=0)
        held.update(pairs[:, 0].tolist())
    return sorted(held)


def _walk(game: AnyGame) -> tuple[list[Any], list[Any]] | None:
    """The hands and tables of all reachable positions; None if there are too many."""
    try:
        states = all_positions(game, _HANDS)
    except TooLarge:
        return None
    return list({hand for state in states for hand in state.hands}), list({state.table for state in states})


def _some_positions(game: AnyGame) -> Iterator[State[Any, Any]]:
    """Yields the positions of a few random games, always the same ones."""
    rng = random.Random(0)
    for _ in range(_GAMES):
        state = game.start()
        yield state
        for _ in range(_PLIES):
            if game.outcome(state) is not None:
                break
            state = game.after(state, rng.choice(game.permitted(state)))
            yield state


class _Rows(dict[Any, list[int]]):
    """The one-hot rows of words."""

    def __missing__(self, word: object) -> list[int]:
        raise ValueError(
            f"{quoted(word)} is not a word of a move and did not occur in the sample games: it has no entry."
        )


def _part(name: str, seen: Sequence[Any], words: list[str]) -> tuple[list[Entry], Callable[[Any], Iterable[int]]]:
    """The entries for a hand, a table or a part of one, and a function that converts its values to numbers.

    `seen` are sample values, and `words` are the words of the moves.
    """
    first = seen[0]
    if isinstance(first, Pool):
        return [
            Entry(f"{name} {n}", 0, first.copies) for n in range(1, len(first.counts) + 1)
        ], lambda pool: pool.counts
    if isinstance(first, tuple):
        if len({len(value) if isinstance(value, tuple) else None for value in seen}) > 1:
            raise ValueError(f"The length of {name} varies between positions, so there is no row of fixed length.")
        names = getattr(first, "_fields", range(1, len(first) + 1))
        parts = [
            _part(f"{name} {part}", column, words) for part, column in zip(names, zip(*seen, strict=True), strict=True)
        ]
        makers = [maker for _, maker in parts]
        entries = [entry for part, _ in parts for entry in part]

        @lru_cache(maxsize=_CACHE_SIZE)
        def flat(value: tuple[Any, ...]) -> tuple[int, ...]:
            return tuple(number for maker, part in zip(makers, value, strict=True) for number in maker(part))

        return entries, flat
    kinds = {type(value) for value in seen}
    if not kinds <= {int, bool, str, type(None)}:
        raise ValueError(f"A part of the position, {name}, is neither a number nor a word: {first!r}.")
    if kinds <= {int, bool}:
        return [Entry(name)], lambda number: (number,)
    labels: list[str | None] = [None] if kinds & {int, bool} else []  # next to numbers, None needs an entry of its own
    if str in kinds:
        labels += [*words, *sorted({value for value in seen if isinstance(value, str)} - set(words))]
    rows = _Rows({word: [int(word == other) for other in labels] for word in (None, *labels)})
    entries = [Entry(f"{name} {word}", 0, 1) for word in labels]
    if not kinds & {int, bool}:
        return entries, rows.__getitem__
    none = [0] * len(labels)
    return [Entry(name), *entries], lambda value: (value, *none) if isinstance(value, int) else (0, *rows[value])
