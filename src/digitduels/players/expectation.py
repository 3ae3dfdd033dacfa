"""What is expected when policies play: many quantities of many pairs of policies in one pass over a table.

A column is one quantity while one policy is to move. Its value in a position is the mean, over the moves of that
policy, of what the move adds and of the column that goes on afterwards. So "level 4 against level 3" is two columns
that name each other, and "level 4 against itself" one that names itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from digitduels.core import State, TooLarge
from digitduels.players.levels import Sight, sight, tuning
from digitduels.players.natural import WASTED, nearness
from digitduels.players.perfect import FALLIBLE
from digitduels.solver import memory
from digitduels.solver.compiled import DRAWN, LOST, WON, Compiled
from digitduels.solver.layout import distinct
from digitduels.solver.schedule import waves
from digitduels.solver.tables import Tables, share, workers

_SHARE = 0.4  # of the free memory, for the rows
NO_COLUMN = -1
BY_CHANCE, PERFECTLY, BEST_REPLY = "by chance", "perfectly", "best reply"
Kind = Sight | str
"""How a policy is known here: how far a level sees, or one of the three words above."""


class Column(NamedTuple):
    """One quantity while one policy is to move. What a move adds to it, and what goes on afterwards."""

    policy: Kind
    onward: int = NO_COLUMN
    """The column that goes on after the move, times `factor`."""
    constant: float = 0.0
    factor: float = 1.0
    swing: float = 0.0
    """What a move that throws the value of the position away adds."""
    aside: int = NO_COLUMN
    """A second column that goes on, but only after a move that keeps the value of the position."""
    flags: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """What a position adds that is critical, has an only move, is a trap, has a single legal move."""
    over: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Its value when the game is over and the player to move has won, drawn or lost."""


class Sheet:
    """Columns that are filled together."""

    def __init__(self) -> None:
        self.columns: list[Column] = []

    def add(self, *columns: Column) -> int:
        """Adds columns and returns the index of the first."""
        self.columns += columns
        return len(self.columns) - len(columns)

    def score(self, one: Kind, other: Kind | None = None) -> tuple[int, int]:
        """The score of the player to move: when the first policy is, and when the second one is."""
        at = len(self.columns)
        over = (1.0, 0.5, 0.0)
        if other is None or other == one:
            return (self.add(Column(one, at, 1.0, -1.0, over=over)),) * 2
        self.add(Column(one, at + 1, 1.0, -1.0, over=over), Column(other, at, 1.0, -1.0, over=over))
        return at, at + 1

    def total(self, one: Kind, other: Kind | None = None, **adds: Any) -> tuple[int, int]:
        """What both players' moves add up to: when the first policy begins, and when the second one does."""
        at = len(self.columns)
        if other is None or other == one:
            return (self.add(Column(one, at, **adds)),) * 2
        self.add(Column(one, at + 1, **adds), Column(other, at, **adds))
        return at, at + 1

    def settled(self, policy: Kind) -> int:
        """The plies that a policy plays against itself after the last swing."""
        holds = self.add(Column(policy, factor=0.0, aside=len(self.columns), over=(1.0, 1.0, 1.0)))
        return self.add(Column(policy, len(self.columns), aside=holds))

    def lasts(self, policy: Kind, plies: int) -> int:
        """How likely a policy's game against itself lasts 0, 1, … plies: the first of so many columns and one more."""
        begin = self.add(Column(policy, factor=0.0, over=(1.0, 1.0, 1.0)))
        for _ in range(plies):
            self.add(Column(policy, len(self.columns) - 1))
        return begin


def fits(solution: Tables) -> bool:
    """Whether the distances of a table are small enough for the kernels."""
    return solution.scale.top <= 65535


def expect(
    solution: Tables,
    sheet: Sheet,
    starts: Sequence[State[Any, Any]] = (),
    reached: npt.NDArray[np.bool_] | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> npt.NDArray[np.float64]:
    """[start, column]: what is expected in some positions; in the first position of the game unless given.

    `reached` may name the positions that can arise from the starts, if that is known already.
    """
    from digitduels.players import policy_kernels as kernels

    compiled, hands = solution.compiled, len(solution.compiled.hands)
    board = hands * hands
    encoded = [solution.encode(start) for start in starts or [solution.game.start()]]
    places = [(table * hands + theirs) * hands + mine for table, mine, theirs in encoded]
    if reached is None:
        reached = solution.reached(places)
    fallible = sight(FALLIBLE, tuning(solution.game).reaches)
    columns = [*sheet.columns, Column(fallible, factor=0.0, swing=1.0)]
    levels = list(dict.fromkeys(column.policy for column in columns if isinstance(column.policy, Sight)))
    sees = np.array([[level.sees(plies) for plies in range(compiled.longest + 2)] for level in levels])
    ring = _Ring(compiled)
    _afford(ring.boards * board * len(columns) * 4)
    rows = np.zeros((ring.boards * board, len(columns)), np.float32)
    arguments = (
        *_steps(compiled),
        _nature(solution),
        tuple(map(int, solution.scale)),
        sees,
        _table(columns, levels),
    )
    found = np.zeros((len(places), len(columns)))
    done = 0
    with workers() as pool:
        for wave in waves(compiled, 4 * len(columns), 1 if ring.turns else 1 << 19):
            first = ring.first(wave) * board

            def fill(part: Any, first: Any = first) -> None:
                kernels.fill(rows, solution.codes, reached, part, first, *arguments)

            share(pool, wave, fill)
            tables = wave[:, 0].astype(np.int64)
            for number, (table, mine, theirs) in enumerate(encoded):
                if not ring.turns or table in tables:
                    found[number] = rows[first[table] + theirs * hands + mine]
            done += int(np.prod(wave[:, 1::2] - wave[:, ::2], axis=1).sum())
            if progress is not None:
                progress("measuring", done / compiled.positions)
    return found[:, : len(sheet.columns)]


def _afford(size: int) -> None:
    most = int(_SHARE * memory.available())
    if size > most:
        raise TooLarge(
            f"Measuring these rules needs at least {memory.shown(size)} of memory. The limit is {memory.shown(most)}."
        )


class _Ring:
    """Where the boards of the tables are while a table is filled.

    Where every move takes equally many numbers from the pool, boards are needed only by the next few levels of tables,
    and their memory is used again.
    """

    def __init__(self, compiled: Compiled) -> None:
        taken = compiled.takes.sum(axis=1)
        places = np.arange(compiled.tables)
        held = np.zeros(compiled.tables, np.int64)
        for digit in range(compiled.digits):
            held += places // compiled.base**digit % compiled.base
        self.held = held
        self.turns = int(taken[0]) + 1 if taken.any() and (taken == taken[0]).all() else 0
        self.level = int(np.bincount(held).max()) if self.turns else compiled.tables
        self.boards = self.level * max(1, self.turns)
        self._first = np.zeros(compiled.tables, np.int64) if self.turns else places

    def first(self, wave: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """[table]: its board, during a wave."""
        if self.turns:
            tables = wave[:, 0].astype(np.int64)
            self._first[tables] = self.held[tables] % self.turns * self.level + np.arange(len(tables))
        return self._first


def _steps(compiled: Compiled) -> tuple[Any, Any]:
    """The takes, and what every take can do with every hand, equal results once."""
    hands = len(compiled.hands)
    takes, group = distinct(compiled.takes)
    maps, which = distinct(np.vstack([np.arange(hands, dtype=np.int32), compiled.other]))
    move, hand = np.nonzero(compiled.own >= 0)
    keys = ((group[move] * hands + hand) * hands + compiled.own[move, hand]) * len(maps) + which[1:][move]
    keys, counts = np.unique(keys, return_counts=True)
    rest, mapping = np.divmod(keys, len(maps))
    where, to = np.divmod(rest, hands)
    start = np.searchsorted(where, np.arange(len(takes) * hands + 1))
    ends = np.zeros((len(takes) * hands, 3), np.int64)
    places = np.zeros((len(takes) * hands, 2), np.int64)
    for number, mark in enumerate((WON, DRAWN, LOST)):
        at, ended = np.nonzero(compiled.own == mark)
        cells, many = np.unique(group[at] * hands + ended, return_counts=True)
        ends[cells, number] = many
        if number < 2:
            places[cells, number] = 1
            for cell in cells[many > 1].tolist():
                moves = at[group[at] * hands + ended == cell].tolist()
                places[cell, number] = _endings(compiled, cell % hands, moves)
    pool = takes, (takes @ compiled.weights).astype(np.int64), compiled.base
    return pool, (start, to, mapping, counts, ends, places, maps.astype(np.int64))


def _endings(compiled: Compiled, hand: int, moves: Sequence[int]) -> int:
    """To how many different hands some moves that end the game lead."""
    game, start = compiled.game, compiled.game.start()
    state = State(0, (compiled.hands[hand], start.theirs), start.table)
    return len({game.after(state, game.moves[move]).theirs for move in moves})


def _nature(solution: Tables) -> tuple[Any, ...]:
    """What the weights of moves are made of, by hand: see natural.py."""
    game, compiled = solution.game, solution.compiled
    start = game.start()
    scores = [game.board(State(0, (hand, start.theirs), start.table)).hands[0].score for hand in compiled.hands]
    near_own = np.array([nearness(game, score, game.goal) for score in scores])
    near_other = np.array([nearness(game, game.goal, score) for score in scores])
    values = np.array([np.nan if score is None else score for score in scores], np.float64)
    return near_own, near_other, values, WASTED


def _table(columns: Sequence[Column], levels: Sequence[Sight]) -> tuple[Any, ...]:
    """The columns as the kernels read them."""
    from digitduels.players import policy_kernels as kernels

    kinds = {BY_CHANCE: kernels.UNIFORM_POLICY, PERFECTLY: kernels.PERFECT_POLICY, BEST_REPLY: kernels.BEST_RESPONSE}
    of_levels = [[place for place, column in enumerate(columns) if column.policy == level] for level in levels]
    plain = [(place, kinds[column.policy]) for place, column in enumerate(columns) if isinstance(column.policy, str)]
    return (
        np.append(0, np.cumsum([len(places) for places in of_levels])),
        np.array([place for places in of_levels for place in places]),
        np.array(plain, np.int64).reshape(-1, 2),
        np.array([column.onward for column in columns]),
        np.array([column.aside for column in columns]),
        np.array([column.constant for column in columns]),
        np.array([column.factor for column in columns]),
        np.array([column.swing for column in columns]),
        np.array([column.flags for column in columns]),
        np.array([column.over for column in columns]).T.copy(),
        len(columns) - 1,
    )
