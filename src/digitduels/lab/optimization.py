"""The search for rule sets that are fair and deep.

Near the book, with at most two changed options, there are only hundreds or thousands of rule sets, so it measures all
of them. Larger spaces are searched with NSGA-II, the usual algorithm for several goals at once, as implemented by
Optuna, in batches that all cores share.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, groupby, islice, product
from math import inf, prod
from typing import Any

from digitduels.executors import Run, parallel
from digitduels.games import game_class
from digitduels.lab.sweeps import BUDGET, SOLVED, Row, grid, measured_row
from digitduels.options import around, written
from digitduels.solver.solution import Progress

GOALS = ("fair", "deep")
TRIALS = 2000
NEAR = 2  # the maximum number of options that differ from the book
_BATCH = 40


def space(name: str, given: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The values of each option that the search tries. Default: values around the book's."""
    return {option.name: list(given.get(option.name, around(option))) for option in game_class(name).options()}


def size(values: Mapping[str, Sequence[Any]]) -> int:
    """The number of rule sets in a space."""
    return prod(map(len, values.values()))


def near_book(name: str, values: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The book's options and all changes to one or two of them."""
    book = {option.name: option.default for option in game_class(name).options()}
    others = {key: [value for value in values[key] if value != book[key]] for key in values}
    rule_sets: list[dict[str, Any]] = [{}]
    for keys in chain.from_iterable(combinations(others, count) for count in range(1, NEAR + 1)):
        rule_sets += [dict(zip(keys, changes, strict=True)) for changes in product(*(others[key] for key in keys))]
    return rule_sets


def optimize(
    name: str,
    *,
    goals: Sequence[str] = GOALS,
    given: Mapping[str, Sequence[Any]] | None = None,
    near: bool = False,
    trials: int = TRIALS,
    seed: int = 0,
    budget: int = BUDGET,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Iterator[Row]:
    """Yields the rows of the rule sets that it tries, at most `trials`."""
    values = space(name, given or {})
    count = size(values)
    with parallel(workers, cluster) as run:
        if near:
            plan = near_book(name, values)
            if len(plan) > trials:
                random.Random(seed).shuffle(plan)
            rows, total = _measured(name, plan[:trials], budget, run), min(trials, len(plan))
        elif count <= trials:
            rows, total = _measured(name, grid(name, values), budget, run), count
        else:
            rows, total = islice(_evolved(name, values, goals, seed, budget, run), trials), trials
        for done, row in enumerate(rows, 1):
            yield row
            if progress is not None:
                progress(f"{done:,} of {total:,}", done / total)


def _measured(name: str, plan: Sequence[dict[str, Any]], budget: int, run: Run) -> Iterator[Row]:
    for _, row in run(measured_row, [(name, options, budget) for options in plan]):
        yield row


def _evolved(
    name: str, values: Mapping[str, Sequence[Any]], goals: Sequence[str], seed: int, budget: int, run: Run
) -> Iterator[Row]:
    """Yields the rows of an endless evolutionary search, generation by generation."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        directions=["maximize"] * len(goals), sampler=optuna.samplers.NSGAIISampler(population_size=_BATCH, seed=seed)
    )
    indices = {key: list(range(len(choices))) for key, choices in values.items()}
    while True:
        trials = [study.ask() for _ in range(_BATCH)]
        chosen = [
            {key: values[key][trial.suggest_categorical(key, indices[key])] for key in values} for trial in trials
        ]
        rows: dict[int, Row] = dict(run(measured_row, [(name, options, budget) for options in chosen]))
        for index, trial in enumerate(trials):
            row = rows[index]
            study.tell(trial, [row[goal] if row["status"] == SOLVED else 0.0 for goal in goals])
            yield row


def front(rows: Sequence[Row], goals: Sequence[str] = GOALS) -> list[Row]:
    """The Pareto front for one or two goals: the rows that no other row dominates, best first.

    Rows are sorted by their lowest goal, then by the sum of the goals, then by fewer positions.
    """
    first, second = goals[0], goals[-1]
    solved = [row for row in rows if row["status"] == SOLVED]
    undominated, highest = list[Row](), -inf
    ordered = sorted(solved, key=lambda row: (row[first], row[second]), reverse=True)
    for _, equals in groupby(ordered, lambda row: row[first]):
        best, *others = equals
        if best[second] > highest:
            highest = best[second]
            undominated += [best, *(row for row in others if row[second] == highest)]
    different = {tuple(map(str, row.values())): row for row in undominated}.values()
    return sorted(different, key=lambda row: _merit(row, goals), reverse=True)


def _merit(row: Row, goals: Sequence[str]) -> tuple[float, float, int]:
    return min(row[goal] for goal in goals), sum(row[goal] for goal in goals), -row["positions"]


def changed(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a row that differ from the book."""
    options = game_class(name).options()
    return {
        option.name: row[option.name]
        for option in options
        if option.name in row and written(row[option.name]) != written(option.default)
    }
