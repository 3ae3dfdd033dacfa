"""Reads Inspect logs, grades by the exact truth what models did, and makes a leaderboard.

A task leaves a record of the match, the seat of the model and its answers; everything else follows from these. Only
`read_logs` needs Inspect.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from digitduels.arena.evidence import observations
from digitduels.arena.grading import share, summary, tally
from digitduels.core import State, TooLarge
from digitduels.games import game
from digitduels.match import Match
from digitduels.players import OPPONENTS, PERFECT_PLAYERS
from digitduels.players.evaluation import ceilings
from digitduels.record import replay
from digitduels.solver.library import solution_of
from digitduels.study.decisions import REFUSED, Decision
from digitduels.study.decisions import decisions as decisions_of

LEADERBOARD_VERSION = 1
TASK_NAMES = ("positions", "match", "rules")
ANSWERED = "exact_answer"  # the scorer of questions about the rules, and what it counts
ANSWER_KINDS = ("legal", "asked_legal", "after", "asked_after")
_EXACT_CEILING = 15_000_000  # positions of a game in which the best reply to a level is worked out
UNFINISHED = "The game was not played to its end."


class Performance(NamedTuple):
    """What a model did in a match, or in one position of it."""

    match: Match
    seat: int
    decisions: list[Decision]
    """The last answer of each turn."""
    answers: int
    refused: int
    """How many of all answers were refused; most are followed by another."""

    @property
    def points(self) -> float:
        """1 for a win, a half for a draw."""
        outcome = self.match.outcome
        return 0.0 if outcome is None else 0.5 if outcome.winner is None else float(outcome.winner == self.seat)

    def figures(self) -> dict[str, float]:
        """All that is counted."""
        outcome = self.match.outcome
        victory = None if outcome is None else outcome.winner == self.seat
        return {
            "games": 1,
            "points": self.points,
            **tally(self.decisions, victory)._asdict(),
            "answers": self.answers,
            "refused": self.refused,
        }


def performance(record: object, seat: int, answers: Sequence[Mapping[str, Any]], *, whole: bool) -> Performance:
    """What a model did in a whole match, or in one position.

    A game that was cut short is forfeited, whatever the cause, and stays in every count.
    """
    match = replay(record)
    solution = solution_of(match.game)
    if match.outcome is None and (whole or len(match.moves) == match.opening):
        match.concede(seat, UNFINISHED)
    decisions = [decision for decision in decisions_of(match, solution) if decision.player == seat]
    last = answers[-1] if answers else None
    if decisions and decisions[-1].kind == "forfeited" and last and last["refused"] in REFUSED:
        decisions[-1] = decisions[-1]._replace(kind=last["refused"], reason=last["reason"])
    refused = sum(answer["refused"] is not None for answer in answers)
    return Performance(match, seat, decisions, len(answers), refused)


# Logs


class LogError(ValueError):
    """A file that is not an Inspect log, or not as our tasks write it."""


class Done(NamedTuple):
    """A sample of a log that ended: with a result, or with an error."""

    task: str
    version: int | str
    """Of the task: samples of different versions are not compared."""
    model: str
    game: str
    options: dict[str, Any]
    settings: dict[str, Any]
    """How the model was asked, and against whom it played."""
    name: str
    """Of the sample."""
    pair: str
    """What it shares its start and its opponent's chance with."""
    played: Performance | None
    figures: Mapping[str, float] | None
    """All that is counted of it; None if it ended with an error or without a score."""

    @property
    def start(self) -> Hashable:
        """The position it begins with; samples that begin with the same one are one observation."""
        return self.pair if self.played is None else self.played.match.states[self.played.match.opening]

    @property
    def course(self) -> Hashable:
        """What happened in it; equal games have equal courses."""
        if self.played is None:
            return self.pair
        match = self.played.match
        return self.played.seat, self.start, *match.moves[match.opening :], match.conceded


class Logs(NamedTuple):
    """What there is in some logs."""

    done: list[Done]
    others: list[str]
    """Tasks of other packages."""


_SETTINGS = {
    "positions": ("distances", "legal", "history", "retries"),
    "match": ("opponent", "start", "legal", "history", "retries"),
    "rules": (),
}


_CONFIG = ("temperature", "top_p", "max_tokens", "reasoning_effort", "reasoning_tokens")


def read_logs(paths: Iterable[Path]) -> Logs:
    """Reads Inspect logs and folders of them, each sample once; LogError says which file is not a log."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    files = [
        file
        for path in paths
        for file in (sorted(info.name for info in list_eval_logs(str(path))) if path.is_dir() else [str(path)])
    ]
    done, others, seen = list[Done](), list[str](), set[str]()
    for file in files:
        try:
            log = read_eval_log(file, exclude_fields={"messages", "events", "attachments"})
        except Exception as error:  # Inspect's reader raises many kinds
            raise LogError(f"{file} is not an Inspect log: {error}") from None
        task = log.eval.task.removeprefix("digitduels/")
        if task not in TASK_NAMES or not (log.eval.task_registry_name or log.eval.task).startswith("digitduels/"):
            others.append(log.eval.task)
            continue
        for sample in log.samples or ():
            identity = sample.uuid or f"{log.eval.eval_id} {sample.id} {sample.epoch}"
            if identity in seen:
                continue
            seen.add(identity)
            done.append(_done(task, log.eval, log.plan.config, sample))
    return Logs(done, others)


def _label(model: str, config: Any) -> str:
    """The name of a model, with the settings that were changed."""
    changed = [f"{name}={value}" for name in _CONFIG if (value := getattr(config, name, None)) is not None]
    return f"{model} ({', '.join(changed)})" if changed else model


def _done(task: str, spec: Any, config: Any, sample: Any) -> Done:
    about, kept = sample.metadata, sample.store
    failed = sample.error is not None or not sample.scores
    try:
        rules = game(about["game"], **about["options"])
        done = None if failed or task == "rules" else sample_performance(task, about, kept)
        figures = None if failed or done is None else done.figures()
        if not failed and done is None:  # Others may have added scorers of their own.
            figures = {name: float(sample.scores[ANSWERED].value[name]) for name in ANSWER_KINDS}
        return Done(
            task,
            spec.task_version,
            _label(spec.model, config),
            rules.id,
            rules.values,
            {name: spec.task_args.get(name) for name in _SETTINGS[task]},
            f"{sample.id}" if sample.epoch == 1 else f"{sample.id}-{sample.epoch}",
            f"{spec.task_args.get('seed')} {about['pair']}",
            done,
            figures,
        )
    except TooLarge:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise LogError(f"Sample {sample.id} of a log is not as our tasks leave it: {error}") from None


def sample_performance(task: str, about: Mapping[str, Any], kept: Mapping[str, Any]) -> Performance:
    """What a model did in a sample, from its metadata and from what the task kept in the store."""
    # A sample that was cut short before its first turn has left nothing.
    record = kept.get("Duel:record") or about["record"]
    return performance(record, about["seat"] - 1, kept.get("Duel:answers", ()), whole=task == "match")


# The leaderboard


def leaderboard(logs: Logs) -> dict[str, Any]:
    """The results as JSON values: a board for each task, game and way of asking, the best model first."""
    boards: dict[str, list[Done]] = defaultdict(list)
    for sample in logs.done:
        key = [TASK_NAMES.index(sample.task), sample.game, sample.options, sample.settings, sample.version]
        boards[json.dumps(key, sort_keys=True, default=str)].append(sample)
    return {
        "version": LEADERBOARD_VERSION,
        "boards": [_board(boards[key]) for key in sorted(boards)],
        "failed": sum(sample.figures is None for sample in logs.done),
        "others": sorted(set(logs.others)),
    }


def _board(done: list[Done]) -> dict[str, Any]:
    first = done[0]
    models: dict[str, list[Done]] = defaultdict(list)
    for sample in done:
        models[sample.model].append(sample)
    rows = [{"model": model, **_row(first.task, some)} for model, some in models.items()]
    played = [sample.played for sample in done if sample.played is not None]
    chances = {each.match.states[each.match.opening]: each.decisions[0].chance for each in played if each.decisions}
    return {
        "task": first.task,
        "version": first.version,
        "game": first.game,
        "options": first.options,
        "settings": first.settings,
        "chance": round(sum(chances.values()) / len(chances), 4) if chances and first.task == "positions" else None,
        "models": sorted(rows, key=lambda row: (-_merit(first.task, row), row["model"])),
    }


def _row(task: str, done: list[Done]) -> dict[str, Any]:
    """The results of one model. Samples that ended with an error are counted, and are in no other figure."""
    counted = [sample for sample in done if sample.figures is not None]
    groups = observations(
        counted, lambda sample: sample.start, lambda sample: sample.pair, lambda sample: sample.course
    )
    row: dict[str, Any] = {
        "samples": len(counted),
        "different": len({sample.course if task == "match" else sample.start for sample in counted}),
        "starts": len({sample.start for sample in counted}),
        "errors": len(done) - len(counted),
    }

    def part(some: str, all: str, seat: int | None = None) -> dict[str, Any]:
        parts = [
            [
                sample.figures
                for sample in group
                if sample.figures and seat in (None, sample.played and sample.played.seat)
            ]
            for group in groups
        ]
        return share((sum(figures[some] for figures in part), sum(figures[all] for figures in part)) for part in parts)

    if task == "rules":
        return {**row, "legal": part("legal", "asked_legal"), "after": part("after", "asked_after")}
    if task == "match":
        row |= {
            "points": part("points", "games"),
            "ceiling": _ceiling(counted),
            "seats": [part("points", "games", seat) for seat in (0, 1)],
            "thrown": part("thrown", "won"),
        }
    moves = summary(
        [decision for sample in group if sample.played for decision in sample.played.decisions] for group in groups
    )
    return {**row, "forfeits": part("forfeits", "games"), "refused": part("refused", "answers"), "moves": moves}


def _ceiling(done: Sequence[Done]) -> float | None:
    """The most points per game that anybody can score against this opponent from these starts; None if unknown."""
    games = [sample.played for sample in done if sample.played]
    if not games or (opponent := str(done[0].settings["opponent"])) not in OPPONENTS:
        return None
    rules = games[0].match.game
    starts = list(dict.fromkeys(_start(played) for played in games))
    if opponent in PERFECT_PLAYERS:
        values = [solution_of(rules).probe(start).value for start in starts]
        best = [((1 + value) / 2, (1 - value) / 2) for value in values]
    elif solution_of(rules).counts().positions <= _EXACT_CEILING:
        best = ceilings(opponent, rules, starts)
    else:
        return None
    most = dict(zip(starts, best, strict=True))
    points = [most[_start(played)][_start(played).player != played.seat] for played in games]
    return round(sum(points) / len(points), 4)


def _start(played: Performance) -> State[Any, Any]:
    return played.match.states[played.match.opening]


def _merit(task: str, row: dict[str, Any]) -> float:
    """What the models of a board are sorted by."""
    value = row["legal" if task == "rules" else "moves"]
    value = (value if task == "rules" else value["skill"])["value"]
    return -math.inf if value is None else float(value)
