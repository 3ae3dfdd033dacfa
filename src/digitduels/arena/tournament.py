"""Round-robin tournaments in both seats, on all cores, saved game by game so that a killed run loses little.

Games are played in bouts of two: one start, then the same start with the seats swapped. A game depends only on the plan
and its number, so it is the same game no matter which process plays it and when.
"""

from __future__ import annotations

import functools
import json
import math
import os
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from digitduels.arena.contest import contest
from digitduels.arena.grading import Grade, grade
from digitduels.core import State
from digitduels.executors import cores, parallel
from digitduels.games import AnyGame, game
from digitduels.match import LONGEST_NAME, Match
from digitduels.players import OPPONENTS, UNIFORM_PLAYERS, Forfeit, check, offered_player, player
from digitduels.players.external import split_name
from digitduels.players.levels import LEVELS_VERSION
from digitduels.record import FORMAT, LARGEST, RecordError, replay, to_record
from digitduels.signals import exit_on_sigterm
from digitduels.solver.solution import Progress
from digitduels.solver.solution_cache import solution_of
from digitduels.study.fair_starts import fair_start
from digitduels.text import clean, quoted


class ProgramFailed(Exception):
    """A program gave no first move, so no game was played. The message says which program and why."""


class TournamentPlan(NamedTuple):
    """What to play: the game, the players, and the number of games per pair."""

    game: str
    options: dict[str, Any]
    players: tuple[str, ...]
    games: int
    start: str
    seed: int
    move_time: float | None

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of players, as indices into `players`."""
        return list(combinations(range(len(self.players)), 2))


class Task(NamedTuple):
    """One game of a plan. Each odd-numbered game swaps the seats of the even-numbered one before it."""

    pair: tuple[int, int]
    number: int

    @property
    def seats(self) -> tuple[int, int]:
        return self.pair if self.number % 2 == 0 else (self.pair[1], self.pair[0])


class PlayedGame(NamedTuple):
    """A finished game: its record, the grades of Player 1 and Player 2, and the position after its opening."""

    task: Task
    record: dict[str, Any]
    grades: tuple[Grade, Grade]
    start: State[Any, Any]

    @property
    def course(self) -> tuple[Any, ...]:
        """The seats, the start and everything played after it. Equal games have equal courses."""
        record = self.record
        return (*self.task.seats, self.start, *record["moves"][record["opening"] :], record["conceded"])


def make_plan(
    game: AnyGame,
    players: Iterable[str],
    games: int,
    start: str = "fair",
    seed: int = 0,
    move_time: float | None = None,
) -> TournamentPlan:
    """Makes a plan; raises ValueError with the reason if it is invalid."""
    names = tuple(players)
    for name in names:
        check(name)
    if len(names) < 2:
        raise ValueError("A tournament needs at least two players.")
    if len(names) > 2 and len(set(names)) < len(names):
        raise ValueError("Each player can enter a tournament only once.")
    if games < 1:
        raise ValueError("There must be at least one game to play.")
    if move_time is not None and not 0 < move_time < math.inf:
        raise ValueError("The time per move must be more than 0 seconds.")
    return TournamentPlan(game.id, game.values, names, games, start, seed, move_time)


def run(plan: TournamentPlan, records: Path | None = None, progress: Progress | None = None) -> list[PlayedGame]:
    """Plays the games of the plan that are not in the records file yet, and appends them one by one.

    Drops an incomplete last line, which a killed process may leave. Raises RecordError for a file that is not one of
    ours, and ProgramFailed before any game if a program cannot play.
    """
    tasks = [Task(pair, number) for pair in plan.pairs for number in range(plan.games)]
    known = _read(records) if records is not None else {}
    jobs = [(plan, task, known.get(_key(plan, task))) for task in tasks]
    if any(_outdated(plan, task, record) for _, task, record in jobs):
        raise RecordError("These games were played by an earlier version of our levels. Start a new file of records.")
    if any(record is None for _, _, record in jobs):
        try_programs(plan)
    played: list[PlayedGame] = []
    workers = min(cores(), len(jobs))
    file = records.open("ab", buffering=0) if records is not None else None
    try:
        with parallel(workers) as run_all:
            for index, game in run_all(play if workers == 1 else _play_in_worker, jobs):
                if file is not None and jobs[index][2] is None:
                    file.write(json.dumps(game.record | {"levels": LEVELS_VERSION}).encode() + b"\n")
                played.append(game)
                if progress is not None:
                    progress(f"game {len(played)} of {len(tasks)}", len(played) / len(tasks))
    finally:
        if file is not None:
            file.close()
    return sorted(played, key=lambda game: game.task)


def try_programs(plan: TournamentPlan) -> None:
    """Asks every program for a first move; raises ProgramFailed if one gives none."""
    rules = _game(plan.game, json.dumps(plan.options))
    failures = []
    for text, label in dict(zip(plan.players, names(plan.players, plan.game), strict=True)).items():
        if text in OPPONENTS:
            continue
        with player(text, rules, solution_of, plan.seed, plan.move_time) as program:
            try:
                program.choose(Match(rules))
            except Forfeit as reason:
                failures.append(f"{quoted(label)} cannot play {rules.title}: {reason}")
    if failures:
        raise ProgramFailed(" ".join([*failures, "No game was played."]))


# One game


def play(plan: TournamentPlan, task: Task, record: dict[str, Any] | None = None) -> PlayedGame:
    """Plays a game of the plan, or reads it from its record, and grades it."""
    rules = _game(plan.game, json.dumps(plan.options))
    solution = solution_of(rules)
    if record is not None:
        match = replay(record)
    else:
        opening = _opening(rules, f"{plan.seed} {task.number // 2}") if plan.start == "fair" else ()
        match = Match(rules, names=_names(plan, task), opening=opening)
        match.players, match.seed = _players(plan, task), _seed(plan, task)
        one, two = (player(name, rules, solution_of, match.seed, plan.move_time) for name in match.players)
        with one, two:
            contest(match, one, two)
    return PlayedGame(task, to_record(match), grade(match, solution), match.states[match.opening])


def _players(plan: TournamentPlan, task: Task) -> tuple[str, str]:
    return plan.players[task.seats[0]], plan.players[task.seats[1]]


def _seed(plan: TournamentPlan, task: Task) -> str:
    return f"{plan.seed} {plan.start} {task.number}"


def _outdated(plan: TournamentPlan, task: Task, record: dict[str, Any] | None) -> bool:
    """Whether a game was played by an earlier version of our levels."""
    ours = any(name in OPPONENTS and name not in UNIFORM_PLAYERS for name in _players(plan, task))
    return ours and record is not None and record.get("levels") != LEVELS_VERSION


def _names(plan: TournamentPlan, task: Task) -> list[str]:
    labels = names(plan.players, plan.game)
    return [labels[index] for index in task.seats]


def names(players: tuple[str, ...], game_id: str) -> list[str]:
    """The labels of players in records and tables: name or command, shortened and unique."""
    labels: list[str] = []
    for entry in players:
        text = offered_player(entry, game_id)
        known = split_name(text)[0] or text
        label = f"level {text}" if text.isdecimal() and text in OPPONENTS else clean(known, LONGEST_NAME - 5)
        copy = 1
        while (name := label if copy == 1 else f"{label} ({copy})").casefold() in map(str.casefold, labels):
            copy += 1
        labels.append(name)
    return labels


@functools.cache
def _game(name: str, options: str) -> AnyGame:
    return game(name, **json.loads(options))


@functools.lru_cache(1000)
def _opening(game: AnyGame, seed: str) -> list[Any]:
    return fair_start(solution_of(game), seed)


# The records


_HEAD = json.dumps({"format": FORMAT})[:-1].encode()  # every line starts with this


def _key(plan: TournamentPlan, task: Task) -> str:
    return json.dumps([plan.game, plan.options, _players(plan, task), _seed(plan, task)], sort_keys=True)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """The finished games of a records file, by key. Truncates an incomplete last line."""
    finished: dict[str, dict[str, Any]] = {}
    if not path.exists():
        return finished
    with path.open("rb+") as file:
        whole = 0
        while line := file.readline(LARGEST):
            if not line.endswith(b"\n") and line[: len(_HEAD)] == _HEAD[: len(line)] and len(line) < LARGEST:
                break  # incomplete
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if not isinstance(record, dict) or record.get("format") != FORMAT:
                raise RecordError("This is not a file of Digit Duels records, one per line.")
            whole += len(line)
            if record.get("outcome"):
                key = [record.get(name) for name in ("game", "options", "players", "seed")]
                finished[json.dumps(key, sort_keys=True)] = record
        file.truncate(whole)
    return finished


# All cores


def _play_in_worker(plan: TournamentPlan, task: Task, record: dict[str, Any] | None) -> PlayedGame:
    """Plays a game in a worker process. If that is terminated, closes the programs first."""
    try:
        with exit_on_sigterm():
            return play(plan, task, record)
    except SystemExit:  # the process pool would return it as the game's result
        os._exit(1)
