"""What is expected when policies play: many quantities of many pairs of policies at once, exactly.

A column is one quantity while one policy is to move. Its value in a position is the mean, over the moves of that
policy, of what the move adds and of the column that goes on afterwards. So "level 4 against level 3" is two columns
that name each other, and "level 4 against itself" one that names itself.

Where the game has a table, its positions are filled backwards, on all cores. Any other game, or a policy of one's own,
is evaluated by plain recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from digitduels.core import State, TooLarge
from digitduels.players.levels import Level, Sight, sight, tuning
from digitduels.players.natural import WASTED, nature, weights
from digitduels.players.perfect import FALLIBLE, REPLIES, Perfect, Uniform
from digitduels.solver import memory
from digitduels.solver.compiled import DRAWN, LOST, WON, Compiled
from digitduels.solver.layout import distinct
from digitduels.solver.schedule import waves
from digitduels.solver.solution import Solution
from digitduels.solver.tables import Tables, share, workers
from digitduels.solver.verdict import Judgement, finished

_SHARE = 0.4  # of the free memory, for the rows
_FAR = 65535  # the highest code that the kernels know
NO_COLUMN = -1
BY_CHANCE, PERFECTLY, BEST_REPLY, BEST_KEEPING = (
    "by chance",
    "perfectly",
    "best reply",
    "best reply that keeps the value",
)
HOPE = (FALLIBLE, REPLIES)  # for whose mistakes perfect play hopes, and in how many turns
_DEEPEST = 200  # plies of a game without a table
REACHABLE = 2_000_000  # positions of a game without a table that are looked at


class Policy(Protocol):
    """Chooses moves with known probabilities."""

    def probabilities(self, state: State[Any, Any]) -> Mapping[Any, float]:
        """How likely each legal move of a position is."""


Kind = Sight | str | Policy
"""A policy: how far a level sees, one of the words above, or somebody's own."""


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
        """How likely a policy's game against itself lasts 0, 1, … plies, in that many columns and one more."""
        begin = self.add(Column(policy, factor=0.0, over=(1.0, 1.0, 1.0)))
        for _ in range(plies):
            self.add(Column(policy, len(self.columns) - 1))
        return begin


def expect(
    solution: Solution,
    sheet: Sheet,
    starts: Sequence[State[Any, Any]] = (),
    reached: npt.NDArray[np.bool_] | None = None,
    progress: Callable[[str, float], None] | None = None,
    hope: tuple[int, int] = HOPE,
) -> npt.NDArray[np.float64]:
    """[start, column]: what is expected in some positions; in the first position of the game unless given.

    `reached` may name the positions that can arise from the starts, if that is known already. `hope` is the level for
    whose mistakes perfect play hopes, and the number of its turns.
    """
    known = all(isinstance(column.policy, Sight | str) for column in sheet.columns)
    if not known or not isinstance(solution, Tables) or solution.scale.top > _FAR:
        return plain(solution, sheet, starts, hope)
    batches, found = (
        list(_batches(solution, sheet, len(_hopes(solution, hope, 0)))),
        np.zeros((max(1, len(starts)), len(sheet.columns))),
    )
    for number, (places, columns) in enumerate(batches):

        def report(step: str, done: float, number: int = number) -> None:
            if progress is not None:
                progress(step, (number + done) / len(batches))

        found[:, places] = _fill(solution, columns, starts or [solution.game.start()], reached, report, hope)
    return found


# On a table


def _batches(solution: Tables, sheet: Sheet, more: int) -> Iterator[tuple[list[int], list[Column]]]:
    """The columns, all at once or as many as fit into memory beside some more, with their places on the sheet."""
    size = _Ring(solution.compiled).boards * len(solution.compiled.hands) ** 2 * 4
    most = int(_SHARE * memory.available()) // size - more
    batch: list[int] = []
    for group in _groups(sheet.columns):
        if len(group) > most:
            raise TooLarge(
                f"Measuring {solution.game.title} with these options needs at least "
                f"{memory.shown((len(group) + more) * size)} of memory."
            )
        if len(batch) + len(group) > most:
            yield batch, _renumbered(sheet.columns, batch)
            batch = []
        batch += group
    yield batch, _renumbered(sheet.columns, batch)


def _groups(columns: Sequence[Column]) -> list[list[int]]:
    """The places of columns that go on with each other."""
    group = list(range(len(columns)))
    for place, column in enumerate(columns):
        for after in (column.onward, column.aside):
            if after != NO_COLUMN:
                joined, gone = group[place], group[after]
                group = [joined if number == gone else number for number in group]
    return [[place for place, number in enumerate(group) if number == first] for first in dict.fromkeys(group)]


def _renumbered(columns: Sequence[Column], places: list[int]) -> list[Column]:
    numbers = {place: number for number, place in enumerate(places)} | {NO_COLUMN: NO_COLUMN}
    chosen = (columns[place] for place in places)
    return [column._replace(onward=numbers[column.onward], aside=numbers[column.aside]) for column in chosen]


def _fill(
    solution: Tables,
    columns: list[Column],
    starts: Sequence[State[Any, Any]],
    reached: npt.NDArray[np.bool_] | None,
    progress: Callable[[str, float], None],
    hope: tuple[int, int],
) -> npt.NDArray[np.float64]:
    """[start, column], from a table."""
    from digitduels.players import policy_kernels as kernels

    compiled, hands = solution.compiled, len(solution.compiled.hands)
    board = hands * hands
    encoded = [solution.encode(start) for start in starts]
    if reached is None:
        reached = solution.reached([solution.place(start) for start in starts])
    count = len(columns)
    columns = [*columns, *_hopes(solution, hope, count)]
    levels = list(dict.fromkeys(column.policy for column in columns if isinstance(column.policy, Sight)))
    sees = np.array([[level.sees(plies) for plies in range(compiled.longest + 2)] for level in levels])
    ring = _Ring(compiled)
    rows = np.zeros((ring.boards * board, len(columns)), np.float32)
    arguments = (
        *_steps(compiled),
        (*map(np.array, nature(solution.game, compiled.hands)), WASTED),
        tuple(map(int, solution.scale)),
        sees,
        _table(columns, levels),
    )
    found = np.zeros((len(encoded), len(columns)))
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
            progress("measuring", done / compiled.positions)
    return found[:, :count]


def _hopes(solution: Solution, hope: tuple[int, int], at: int) -> list[Column]:
    """The columns from a place on of which the last says how likely the one to move makes the mistake hoped for."""
    level, replies = hope
    fallible: Kind = BY_CHANCE if level == 1 else sight(level, tuning(solution.game).reaches)
    columns = [Column(fallible, factor=0.0, swing=float(replies > 0))]
    for _ in range(1, replies):
        columns.append(Column(BEST_KEEPING, at + len(columns) - 1))
        columns.append(Column(fallible, factor=0.0, swing=1.0, aside=at + len(columns) - 1))
    return columns


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


def _table(columns: Sequence[Column], levels: Sequence[Sight]) -> tuple[Any, ...]:
    """The columns as the kernels read them."""
    from digitduels.players import policy_kernels as kernels

    kinds = {
        BY_CHANCE: kernels.UNIFORM_POLICY,
        PERFECTLY: kernels.PERFECT_POLICY,
        BEST_REPLY: kernels.BEST_RESPONSE,
        BEST_KEEPING: kernels.BEST_KEEPING_RESPONSE,
    }
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


# Position by position


def plain(
    solution: Solution, sheet: Sheet, starts: Sequence[State[Any, Any]] = (), hope: tuple[int, int] = HOPE
) -> npt.NDArray[np.float64]:
    """The same as `expect`, by plain recursion over the positions that can arise."""
    if solution.game.longest > _DEEPEST:
        raise TooLarge(f"{solution.game.title} with these options lasts too long to be evaluated.")
    recursion = _Recursion(solution, sheet.columns, hope)
    return np.array([recursion.row(start) for start in starts or [solution.game.start()]])


class _Recursion:
    def __init__(self, solution: Solution, columns: Sequence[Column], hope: tuple[int, int]) -> None:
        self.solution, self.game, self.columns, self.hope = solution, solution.game, columns, hope
        self._policies = {column.policy: self._policy(column.policy) for column in columns}
        self._rows: dict[State[Any, Any], list[float]] = {}

    def _policy(self, kind: Kind) -> Policy | None:
        if isinstance(kind, Sight):
            level = Level(FALLIBLE, self.solution, seed=0)
            level.sight = kind
            return level
        if isinstance(kind, str):
            perfect = Perfect(self.solution, 0, *self.hope)
            words: dict[str, Policy] = {BY_CHANCE: Uniform(self.game), PERFECTLY: perfect}
            return words.get(kind)
        return kind

    def row(self, state: State[Any, Any]) -> list[float]:
        """What is expected of every column in a position."""
        if state not in self._rows:
            if len(self._rows) > REACHABLE:
                raise TooLarge(f"{self.game.title} with these options has too many positions to evaluate this policy.")
            outcome = self.game.outcome(state)
            if outcome is not None:
                result = 1 - finished(outcome, state.player).value
                self._rows[state] = [column.over[result] for column in self.columns]
            else:
                self._rows[state] = self._expected(state)
        return self._rows[state]

    def _expected(self, state: State[Any, Any]) -> list[float]:
        judgement = self.solution.judge(state)
        after = {move: self.row(self.game.after(state, move)) for move in judgement}
        likely = {kind: policy.probabilities(state) for kind, policy in self._policies.items() if policy is not None}
        flags = self.flags(state, judgement)
        row = []
        for column in self.columns:
            gains = {}
            for move, values in after.items():
                throws = judgement[move].value < judgement.best.value
                gain = column.constant + column.swing * throws
                if column.onward != NO_COLUMN:
                    gain += column.factor * values[column.onward]
                if column.aside != NO_COLUMN and not throws:
                    gain += values[column.aside]
                gains[move] = gain
            chosen = likely.get(column.policy)
            mean = max(gains.values()) if chosen is None else sum(chosen[move] * gains[move] for move in chosen)
            row.append(mean + sum(weight * flag for weight, flag in zip(column.flags, flags, strict=True)))
        return row

    def flags(self, state: State[Any, Any], judgement: Judgement[Any]) -> tuple[bool, bool, bool, bool]:
        """Whether a position is critical, has an only move, is a trap, has a single legal move."""
        natural = weights(self.game, state)
        going_on = [move for move, verdict in judgement.items() if verdict.distance > 1]
        kept, thrown = (
            max((natural[move] for move in going_on if move in moves), default=0.0)
            for moves in (judgement.keeping, judgement.throwing)
        )
        trap = judgement.critical and judgement.best != (1, 1) and thrown > kept
        return judgement.critical, judgement.only, trap, len(judgement) == 1
